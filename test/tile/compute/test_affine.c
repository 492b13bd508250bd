// Addresses and masks in short form (affine.c) change nothing but the time: random kernels run with and
// without it and must agree in bytes, findings and counters. And they are found where kernels have them.
#include "tile/launch.h"

#include <stdio.h>

#include "base/numeric/rng.h"

enum { ELEMENTS = 64, ROUNDS = 1500 };

static const char *pick(Rng *r, const char *const *list, int n) { return list[rng_below(r, (uint64_t)n)]; }
#define PICK(r, list) pick((r), (list), (int)(sizeof(list) / sizeof *(list)))

// A kernel of one load and one store; p, q, n are runtime integers.
static const char *random_kernel(Arena *a, Rng *r) {
    static const char *const offsets[] = {
        "c",
        "c + p",
        "p + c",
        "c - q",
        "p - q + c",
        "c + p * q",
        "(c + p).to(tl.int64)",
        "c.to(tl.int64) + q",
        "c + c",
        "c * 2",
        "p - c",
        "tl.arange(0, B) + p",
        "c + 2147483640",
        "c ^ 1",
    };
    static const char *const masks[] = {
        "c < n",
        "o < n",
        "n > o",
        "o <= n",
        "n >= o",
        "o >= q",
        "q <= o",
        "o > p",
        "p < o",
        "(o < n) & (o >= q)",
        "(c < n) & (p < q)",
        "(p < q) & (o < n)",
        "(o < n) & (c % 2 == 0)",
        "p < q",
        "(o < n) | (o > 40)",
        "o.to(tl.int64) < n",
    };
    static const char *const stores[] = {"y + c", "y + o", "y + c + p", "y + (c + p)"};
    static const char *const values[] = {"v", "v + o", "v * 2", "1.0", "v + tl.where(m, 1.0, 2.0)"};
    static const char *const blocks[] = {"8", "16", "32", "4"};
    return arena_printf(a,
                        "@triton.jit\ndef k(x, y, p, q, n, B: tl.constexpr):\n    c = tl.arange(0, B)\n    o "
                        "= %s\n    m = %s\n"
                        "    v = tl.load(x + %s, mask=m%s)\n    tl.store(%s, %s, mask=%s)\n|%s",
                        PICK(r, offsets), PICK(r, masks), rng_below(r, 3) ? "o" : "q + o",
                        rng_below(r, 4) ? ", other=0.5" : "", PICK(r, stores), PICK(r, values),
                        rng_below(r, 4) ? "m" : "c < n", PICK(r, blocks));
}

// The same in two dimensions; m rows, n columns, s from row to row.
static const char *random_rows(Arena *a, Rng *r) {
    static const char *const offsets[] = {
        "r * s + c",
        "r.to(tl.int64) * s + c",
        "(r * s + c).to(tl.int64)",
        "r * s + (c + p)",
        "p + (r * s + c)",
        "(c - q) + r * s",
        "r * s - c",
        "r * C + c",
        "r + c",
        "c + tl.zeros([R, 1], tl.int32)",
        "r * s + c * 2",
        "r * s + c + 2147483600",
        "(r * s + c) - (r + 0 * c)",
        "r * s + c.to(tl.int64) + q",
    };
    static const char *const masks[] = {
        "(r < m) & (c < n)",
        "(c < n) & (r < m)",
        "(c < n) & (r < m) & (c >= q)",
        "(r < m) & (r >= q)",
        "c < n",
        "(r % 2 == 0) & (c < n)",
        "((c < n) & (r < m)) & (p < q)",
        "(p < q) & ((r < m) & (c < n))",
        "((c < n) & (r < m)) | (p > 3)",
        "(r < m) & (c < n) & (c % 3 != 1)",
        "o < n",
        "p < q",
        "(c < n) & (c >= q) & (r < m) & (r >= 1)",
    };
    static const char *const loads[] = {"x + o", "x + r * s + c", "(x + r * s) + (c + p)", "x + c + r * s"};
    static const char *const stores[] = {"y + o", "y + r * C + c", "y + r * s + c", "(y + r * C) + c",
                                         "y + c + 0 * r"};
    static const char *const values[] = {"v", "tl.where(k, v, 2.0)", "1.0", "v + r",
                                         "tl.where(c < n, v, -v)"};
    static const char *const blocks[] = {"R=4 C=8", "R=2 C=16", "R=8 C=8", "R=2 C=8", "R=4 C=16", "R=16 C=8"};
    return arena_printf(
        a,
        "@triton.jit\ndef k(x, y, p, q, n, m, s, R: tl.constexpr, C: tl.constexpr):\n"
        "    r = tl.arange(0, R)[:, None]\n    c = tl.arange(0, C)[None, :]\n"
        "    o = %s\n    k = %s\n    v = tl.load(%s, mask=k%s)\n    tl.store(%s, %s, mask=%s)\n|%s",
        PICK(r, offsets), PICK(r, masks), PICK(r, loads), rng_below(r, 4) ? ", other=0.5" : "",
        PICK(r, stores), PICK(r, values), rng_below(r, 4) ? "k" : "(r < m) & (c < n)", PICK(r, blocks));
}

typedef struct {
    bool ok;
    char msg[256];
    uint8_t data[ELEMENTS * 4], shadow[ELEMENTS * 4];
    Counters count;
    int short_forms, rows;
} Outcome;

static bool run(const char *kernel, const char *line, bool with, Outcome *out) {
    memset(out, 0, sizeof *out);
    Arena a = {0};
    DiagList d = DIAGS(&a);
    LaunchText l;
    Launchable code;
    bool compiled = launch_text(&a, &d, str_of(kernel), str_of(line), &l) && launch_check(&l, NULL, &code);
    if (compiled) {
        for (int r = 0; r < code.code->regs; r++) {
            out->short_forms += code.code->reg[r].form != FORM_LANES;
            out->rows += code.code->reg[r].form == FORM_ROWS || code.code->reg[r].form == FORM_GRID;
            if (!with) code.code->reg[r].form = FORM_LANES;
        }
        Machine m;
        machine_init(&m, &a, &d, 1 << 20);
        m.storages = l.storages;
        Storage *x = m.storages.at[0], *y = m.storages.at[1];
        for (int i = 0; i < ELEMENTS; i++) ((float *)(void *)x->data)[i] = (float)i;
        memset(x->shadow, SHADOW_ALLOC | SHADOW_INIT, x->bytes);
        memset(x->shadow + 4 * 50, SHADOW_ALLOC, 4); // one element that nothing has written
        memset(x->shadow + 4 * 60, 0, 8);            // a gap between rows
        const int64_t grid[3] = {1, 1, 1};
        out->ok = vm_launch(&m, code.code, code.cells, grid);
        memcpy(out->data, y->data, sizeof out->data);
        memcpy(out->shadow, y->shadow, sizeof out->shadow);
        out->count = m.count;
    }
    if (diag_first(&d)) snprintf(out->msg, sizeof out->msg, "%s", diag_first(&d)->msg);
    arena_free(&a);
    return compiled;
}

static void short_forms_change_nothing(void **state) {
    (void)state;
    static Outcome with, without;
    int fine = 0, found = 0, shortened = 0;
    Rng r = rng_at(7, 7);
    for (int i = 0; i < ROUNDS; i++) {
        Arena a = {0};
        char *kernel = arena_printf(&a, "%s", random_kernel(&a, &r));
        char *block = strrchr(kernel, '|');
        *block++ = 0;
        long long p = rng_between(&r, -3, 20), q = rng_between(&r, 0, 12), n = rng_between(&r, -2, 40);
        const char *line = arena_printf(&a, "*fp32 *fp32 %lld %lld %lld B=%s", p, q, n, block);
        bool compiled = run(kernel, line, true, &with);
        if (compiled != run(kernel, line, false, &without)) fail_msg("%s%s", kernel, line);
        shortened += with.short_forms > 0;
        fine += with.ok;
        found += compiled && !with.ok;
        if (memcmp(&with, &without, sizeof with))
            fail_msg("round %d: short forms change the outcome: '%s' '%s'\n%s%s", i, with.msg, without.msg,
                     kernel, line);
        arena_free(&a);
    }
    assert_true(fine > ROUNDS / 10 && found > ROUNDS / 10 && shortened > ROUNDS / 3);
}

static void rows_change_nothing(void **state) {
    (void)state;
    static Outcome with, without;
    int fine = 0, found = 0, shortened = 0;
    Rng r = rng_at(7, 8);
    for (int i = 0; i < 2 * ROUNDS; i++) {
        Arena a = {0};
        char *kernel = arena_printf(&a, "%s", random_rows(&a, &r));
        char *block = strrchr(kernel, '|');
        *block++ = 0;
        long long p = rng_between(&r, -1, 4), q = rng_between(&r, 0, 5), n = rng_between(&r, -1, 18);
        long long m = rng_between(&r, -1, 9), s = rng_between(&r, 0, 18);
        const char *line = arena_printf(&a, "*fp32 *fp32 %lld %lld %lld %lld %lld %s", p, q, n, m, s, block);
        bool compiled = run(kernel, line, true, &with);
        if (compiled != run(kernel, line, false, &without)) fail_msg("%s%s", kernel, line);
        shortened += with.rows > 1;
        fine += with.ok;
        found += compiled && !with.ok;
        if (memcmp(&with, &without, sizeof with))
            fail_msg("round %d: rows change the outcome: '%s' '%s'\n%s%s", i, with.msg, without.msg, kernel,
                     line);
        arena_free(&a);
    }
    assert_true(fine > ROUNDS / 5 && found > ROUNDS / 5 && shortened > ROUNDS);
}

// The row kernel that everybody writes: offsets, pointers and the mask are all short.
static void the_usual_kernel_has_them(void **state) {
    (void)state;
    static Outcome out;
    const char *usual =
        "@triton.jit\ndef k(x, y, s, n, B: tl.constexpr):\n    row = tl.program_id(0)\n    c = tl.arange(0, "
        "B)\n    m = c < n\n"
        "    v = tl.load(x + row * s + c, mask=m, other=0.0)\n    tl.store(y + row * s + c, v, mask=m)\n";
    assert_true(run(usual, "*fp32 *fp32 64 20 B=32", true, &out));
    assert_true(out.ok);
    assert_int_equal(out.short_forms, 4); // c, m, and the two tiles of pointers
    // A mask that is also a value, and offsets that are also data, are written out; pointers are not.
    const char *used =
        "@triton.jit\ndef k(x, y, s, n, B: tl.constexpr):\n    c = tl.arange(0, B)\n    m = c < n\n"
        "    v = tl.load(x + c, mask=m, other=0.0)\n    tl.store(y + c, tl.where(m, v + c, 0.0))\n";
    assert_true(run(used, "*fp32 *fp32 64 20 B=32", true, &out));
    assert_true(out.ok);
    assert_int_equal(out.short_forms, 2);
    // In two dimensions: bases of rows and offsets of columns, their sums, both masks and the mask of both.
    const char *rows =
        "@triton.jit\ndef k(x, y, s, n, R: tl.constexpr, C: tl.constexpr):\n"
        "    r = tl.program_id(0) * R + tl.arange(0, R)[:, None]\n    c = tl.arange(0, C)[None, :]\n"
        "    m = (r < 3) & (c < n)\n    v = tl.load(x + r * s + c, mask=m, other=0.0)\n"
        "    tl.store(y + r * s + c, tl.where(m, v, 0.0), mask=m)\n";
    assert_true(run(rows, "*fp32 *fp32 16 10 R=4 C=16", true, &out));
    assert_true(out.ok);
    assert_in_range(out.rows, 5, 12);
    // Columns that are data are no rows.
    const char *gathers = "@triton.jit\ndef k(x, y, s, n, R: tl.constexpr, C: tl.constexpr):\n"
                          "    r = tl.arange(0, R)[:, None]\n    c = tl.arange(0, C)[None, :] // 2\n"
                          "    v = tl.load(x + r * s + c)\n    tl.store(y + r * s + c, 1.0)\n";
    assert_true(run(gathers, "*fp32 *fp32 16 10 R=2 C=16", true, &out));
    assert_int_equal(out.rows, 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(short_forms_change_nothing),
        cmocka_unit_test(rows_change_nothing),
        cmocka_unit_test(the_usual_kernel_has_them),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
