// Lanes that are not computed because all behind them are alike (narrow.c) change nothing but the time:
// random kernels run with and without it and must agree in bytes, findings and counters. And it is found
// where kernels have it, and nowhere else.
#include "tile/launch.h"

#include <stdio.h>

#include "base/numeric/rng.h"

enum { ELEMENTS = 64, ROUNDS = 1500, PROGRAMS = 4 };

static const char *pick(Rng *r, const char *const *list, int n) { return list[rng_below(r, (uint64_t)n)]; }
#define PICK(r, list) pick((r), (list), (int)(sizeof(list) / sizeof *(list)))

// A launch begins without it: the first program has no active lane, mostly, and so the others have it.
// One load, a loop that adds up, a value for each lane and one of all; p, q, n are runtime integers.
static const char *random_kernel(Arena *a, Rng *r) {
    static const char *const masks[] = {
        "c < u", "c < u - 8 * i",

        "u > c", "c >= h",          "(c < u) & (c >= h)", "c.to(tl.int64) < u",  "c <= u",    "p < u",
        "c < 0", "c < B * (i > 0)", "(c < u) & (p < h)",  "(c < u) | (c == 70)", "c % 3 < u", "c != u + 7",
        "c > h", "h <= c",
    };
    static const char *const others[] = {"0.0", "-0.0", "float('-inf')", "float('nan')", "1.5", "p", "c"};
    static const char *const terms[] = {
        "v",
        "v * v",
        "v * v + acc",
        "tl.exp(v)",
        "tl.where(m, v, 0.0)",
        "tl.where(c < n, v - p, -0.0)",
        "tl.maximum(v, acc)",
        "v.to(tl.int32).to(tl.float32)",
        "v + c",
        "v * (c < q)",
        "tl.sigmoid(v)",
        "tl.where(v > p, v, acc)",
        "libdevice.tanh(v)",
        "-v",
        "v / (p + 3.0)",
        "tl.abs(v) + q",
        "tl.cumsum(v, 0)",
        "tl.cumsum(v * v, 0)",
        "tl.cumsum(tl.exp(v) + acc, 0)",
        "v.to(tl.float16)",
        "tl.fma(v, v, acc)",
    };
    static const char *const folds[] = {
        "tl.sum(w)",
        "tl.max(w)",
        "tl.min(w)",
        "tl.argmax(w, 0)",
        "tl.argmin(w, 0)",
        "tl.sum(w * w + 1.0)",
        "tl.sum((w > 1.0).to(tl.int32))",
        "tl.xor_sum((w > p).to(tl.int32))",
        "tl.max(w.to(tl.int32))",
        "tl.sum(acc)",
        "tl.sum(tl.where(m, w, 0.0))",
        "tl.sum(w.to(tl.float16))",
        "tl.max((w > q).to(tl.int1))",
    };
    static const char *const values[] = {"w",     "w + acc",           "v",    "acc", "1.0",
                                         "w * s", "tl.where(m, w, s)", "w + c"};
    static const char *const outs[] = {"e < 16",       "e < 16", "(e < 16) & (c < n)", "(e < 16) & (e >= q)",
                                       "m & (e < 16)", "m"};
    static const char *const blocks[] = {"128", "256", "512", "1024", "64"};
    return arena_printf(
        a,
        "@triton.jit\ndef k(x, y, z, p, q, n, B: tl.constexpr):\n    i = tl.program_id(0)\n"
        "    u = n * (i > 0)\n    h = q + B * (i == 0)\n    e = tl.arange(0, B)\n    acc = tl.zeros([B], "
        "tl.float32)\n"
        "    for j in range(0, %s):\n        c = j * 16 + e\n        m = %s\n"
        "        v = tl.load(x + c, mask=m%s%s)\n        acc = acc + (%s)\n"
        "    c = i * 16 + e\n    m = %s\n    v = tl.load(x + c, mask=m, other=%s)\n    w = %s\n"
        "    s = %s\n    tl.store(y + c, %s, mask=%s)\n    tl.store(z + i, s)\n|%s",
        rng_below(r, 3) ? "2" : "p", PICK(r, masks), rng_below(r, 5) ? ", other=" : "", "0.0", PICK(r, terms),
        PICK(r, masks), PICK(r, others), PICK(r, terms), PICK(r, folds), PICK(r, values), PICK(r, outs),
        PICK(r, blocks));
}

typedef struct {
    bool ok;
    char msg[256];
    uint8_t data[2][ELEMENTS * 4], shadow[2][ELEMENTS * 4];
    Counters count;
    bool narrow;
    int registers;
} Outcome;

static void take(Outcome *out, const StorageTable *t) {
    for (int k = 0; k < 2; k++) {
        memcpy(out->data[k], t->at[k + 1]->data, sizeof out->data[k]);
        memcpy(out->shadow[k], t->at[k + 1]->shadow, sizeof out->shadow[k]);
    }
}

static bool run(const char *kernel, const char *line, bool with, Outcome *out) {
    memset(out, 0, sizeof *out);
    Arena a = {0};
    DiagList d = DIAGS(&a);
    LaunchText l;
    Launchable code;
    bool compiled = launch_text(&a, &d, str_of(kernel), str_of(line), &l) && launch_check(&l, NULL, &code);
    if (compiled) {
        out->narrow = code.code->narrow;
        for (int r = 0; r < code.code->regs; r++) out->registers += code.code->reg[r].narrow;
        if (!with) code.code->narrow = false;
        Machine m;
        machine_init(&m, &a, &d, 1 << 20);
        m.storages = l.storages;
        Storage *x = m.storages.at[0];
        for (int i = 0; i < ELEMENTS; i++) ((float *)(void *)x->data)[i] = (float)(i % 13) - 6;
        memset(x->shadow, SHADOW_ALLOC | SHADOW_INIT, x->bytes);
        memset(x->shadow + 4 * 60, 0, 8); // a gap
        const int64_t grid[3] = {PROGRAMS, 1, 1};
        out->ok = vm_launch(&m, code.code, code.cells, grid);
        take(out, &m.storages);
        out->count = m.count;
    }
    if (diag_first(&d)) snprintf(out->msg, sizeof out->msg, "%s", diag_first(&d)->msg);
    arena_free(&a);
    return compiled;
}

static void fewer_lanes_change_nothing(void **state) {
    (void)state;
    static Outcome with, without;
    int fine = 0, found = 0, narrow = 0;
    Rng r = rng_at(7, 9);
    for (int i = 0; i < ROUNDS; i++) {
        Arena a = {0};
        char *kernel = arena_printf(&a, "%s", random_kernel(&a, &r));
        char *block = strrchr(kernel, '|');
        *block++ = 0;
        long long p = rng_between(&r, -1, 3), q = rng_between(&r, 0, 12), n = rng_between(&r, -2, 66);
        const char *line = arena_printf(&a, "*fp32 *fp32 *fp32 %lld %lld %lld B=%s", p, q, n, block);
        bool compiled = run(kernel, line, true, &with);
        if (compiled != run(kernel, line, false, &without)) fail_msg("%s%s", kernel, line);
        fine += with.ok;
        found += compiled && !with.ok;
        narrow += with.narrow;
        if (memcmp(&with, &without, sizeof with))
            fail_msg("round %d: lanes that are left out change the outcome: '%s' '%s'\n%s%s", i, with.msg,
                     without.msg, kernel, line);
        arena_free(&a);
    }
    if (!(fine > ROUNDS / 5 && found > ROUNDS / 10 && narrow > ROUNDS / 3))
        fail_msg("%d fine, %d found, %d narrow", fine, found, narrow);
}

static int narrow_registers(const char *body) {
    static Outcome out;
    Arena a = {0};
    const char *kernel =
        arena_printf(&a,
                     "@triton.jit\ndef k(x, y, z, p, q, n, B: tl.constexpr):\n"
                     "    e = tl.arange(0, B)\n    c = tl.program_id(0) * 15 + e\n    m = e < n\n%s",
                     body);
    assert_true(run(kernel, "*fp32 *fp32 *fp32 1 2 15 B=256", true, &out));
    if (!out.ok) fail_msg("%s", out.msg);
    arena_free(&a);
    return out.narrow ? out.registers : 0;
}

static void rows_in_a_wide_block_are_narrow(void **state) {
    (void)state;
    // What is loaded, its exponential, and the quotient.
    assert_in_range(narrow_registers("    v = tl.load(x + c, mask=m, other=0.0)\n    w = tl.exp(v)\n"
                                     "    tl.store(y + c, w / tl.sum(w), mask=m)\n"),
                    3, 6);
    // Without `other` there are lanes that have no value.
    assert_int_equal(narrow_registers("    v = tl.load(x + c, mask=m)\n    tl.store(y + c, v, mask=m)\n"), 0);
    // A prefix sum looks at every lane; so does a store to anywhere.
    assert_int_equal(narrow_registers("    v = tl.load(x + c, mask=m, other=0.0)\n"
                                      "    tl.store(y + c, tl.cumsum(v, 0), mask=m)\n"),
                     0);
    assert_int_equal(narrow_registers("    v = tl.load(x + c, mask=m, other=0.0)\n"
                                      "    tl.store(y + (c ^ 1), v, mask=m)\n"),
                     0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(fewer_lanes_change_nothing),
        cmocka_unit_test(rows_in_a_wide_block_are_narrow),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
