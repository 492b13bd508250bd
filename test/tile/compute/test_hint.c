// Promises about tiles that do not hold, and the loads that a compiler makes of them (hint.c).
#include "tile/run.h"

enum { N = 20, PAD = 32, ROWS = 4, TILE = 16 };

// A row of 20 columns is read in tiles of 16 whose columns wrap around at the end; rows lie `pitch` elements
// apart.
typedef struct {
    const char *columns, *mask;
    int pitch, first; // where in memory the first row begins
    DType type;
    bool wide; // a misaligned wide access is found
} Wrap;

static void check_wrap(const Wrap *w, int rows) {
    Run r;
    char source[1024];
    snprintf(source, sizeof source,
             "@triton.jit\ndef k(x, y, n, pitch, T: tl.constexpr):\n"
             "    row = tl.program_id(0)\n"
             "    i = tl.arange(0, T)\n"
             "    for p in range(0, 2):\n"
             "        c = %s\n"
             "        v = tl.load(x + row * pitch + c%s)\n"
             "        tl.store(y + row * %d + p * T + i, v, mask=p * T + i < n)\n",
             w->columns, w->mask, 2 * TILE);
    run_begin(&r);
    float values[ROWS * N];
    for (int i = 0; i < ROWS * N; i++) values[i] = (float)i;
    input_rows(&r, w->type, values, rows, N, w->pitch, w->first);
    output(&r, w->type, ROWS * 2 * TILE);
    number(&r, N);
    number(&r, w->pitch);
    named(&r, "T", TILE);
    bool ok = run(&r, source, rows);
    const Diag *d = diag_first(&r.diags);
    if (ok == w->wide) fail_msg("%s:\n%s", ok ? "nothing was found" : d->msg, source);
    if (!ok) {
        assert_int_equal(d->kind, DIAG_VALUE);
        assert_non_null(strstr(d->msg, "misaligned"));
    }
    run_end(&r);
}

#define WRAPPED "(p * T + i) % n"

static void test_wrapped_columns(void **state) {
    (void)state;
    static const char promised[] = "tl.max_contiguous(tl.multiple_of(" WRAPPED ", T), T)",
                      pairs[] = "tl.max_contiguous(" WRAPPED ", 2)";
    static const Wrap cases[] = {
        // 20 is no multiple of 16 bytes' worth of float16: lane 8 of the second tile has column 4.
        {promised, "", PAD, 0, DT_F16, true},
        {promised, "", 48, 16, DT_F16, true},
        // Of float32 it is: every wide access begins where one may.
        {promised, "", PAD, 0, DT_F32, false},
        // Rows of another pitch, or a tensor that begins elsewhere: the compiler knows of no alignment.
        {promised, "", 24, 0, DT_F16, false},
        {promised, "", N, 0, DT_F16, false},
        {promised, "", PAD, 1, DT_F16, false},
        // No promise, one about pairs alone, and lanes that are not active.
        {WRAPPED, "", PAD, 0, DT_F16, false},
        {pairs, "", PAD, 0, DT_F16, false},
        {promised, ", mask=p * T + i < n, other=0", PAD, 0, DT_F16, false},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) check_wrap(&cases[i], ROWS);
    // Of one row nobody knows how far rows are apart.
    check_wrap(&(Wrap){promised, "", PAD, 0, DT_F16, false}, 1);
}

// Rows that wrap around, of which the same is promised: nothing is wide along them, and columns promise
// nothing.
static void test_wrapped_rows(void **state) {
    (void)state;
    static const char source[] =
        "@triton.jit\ndef k(x, y, m, n, pitch, T: tl.constexpr, R: tl.constexpr):\n"
        "    r = tl.program_id(0) * R + tl.arange(0, R)\n"
        "    c = tl.arange(0, T)\n"
        "    rows = tl.max_contiguous(tl.multiple_of(r % m, R), R)\n"
        "    v = tl.load(x + rows[:, None] * pitch + (c % n)[None, :])\n"
        "    tl.store(y + r[:, None] * T + c[None, :], v, mask=(r < m)[:, None] & (c < n)[None, :])\n";
    Run r;
    run_begin(&r);
    float x[6 * 11];
    for (int i = 0; i < 6 * 11; i++) x[i] = (float)i;
    input_rows(&r, DT_F16, x, 6, 11, PAD, 0);
    const Tensor *y = output(&r, DT_F16, 6 * TILE);
    number(&r, 6);
    number(&r, 11);
    number(&r, PAD);
    named(&r, "T", TILE);
    named(&r, "R", 4);
    run_ok(&r, source, 2);
    near(y, 5 * TILE + 10, x[5 * 11 + 10], 0);
    run_end(&r);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_wrapped_columns),
                                       cmocka_unit_test(test_wrapped_rows)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
