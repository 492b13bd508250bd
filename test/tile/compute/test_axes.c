// Addresses and masks kept by axis (axes.c, and vm/axes_access.c) change nothing but the time: random kernels
// run with and without and must agree in bytes, findings and counters. And they are found where kernels have
// them.
#include "tile/launch.h"

#include <stdio.h>

#include "base/numeric/rng.h"
#include "tile/compute/axes.h"

enum { ELEMENTS = 64, ROUNDS = 3000 };

static const char *pick(Rng *r, const char *const *list, int n) { return list[rng_below(r, (uint64_t)n)]; }
#define PICK(r, list) pick((r), (list), (int)(sizeof(list) / sizeof *(list)))

// s, t and u are strides, m, n and o how many places of each axis are meant, q is anything.
static const char *random_kernel(Arena *a, Rng *r) {
    static const char *const offsets[] = {
        "a * s + b * t + c * u",
        "(a * s + b * t) + c * u",
        "c * u + (b * t + a * s)",
        "(a * s).to(tl.int64) + b * t + c * u",
        "(a * s + b * t + c * u).to(tl.int64)",
        "q + a * s + b * t + c",
        "a * s + (b * t - q) + c * u + q",
        "(a * s + b) * t + c * u",
        "t * (a * s + b) + c",
        "u - (a * s + b * t - c)",
        "a * 16 + b * 4 + c",
        "a * 64 + b * 8 + c",
        "a * s + b * t + c * u + 2147483600",
        "(a * s + b * t + c) * (q * 100000000)",
        "(a * s + b * t + c).to(tl.int64) * (q * 100000000000)",
        "a * s + b // 2 * t + c % 3",
        "(a + b) * (c + 1)",
        "tl.where(b < n, a * s + b * t, 0) + c * u",
        "a * s + b * t + c * u + tl.load(x + c, mask=c < 4, other=0.0).to(tl.int32)",
    };
    static const char *const masks[] = {
        "(a < m) & (b < n) & (c < o)",
        "(c < o) & ((a < m) & (b < n))",
        "(am[:, None] & bm[None, :])[:, :, None] & (c < o)",
        "(a < m) & (b < n) & (c < o) & (q > 1)",
        "(a < m) & (b % 2 == 0) & (b < n) & (c < o)",
        "(a < m) & (b < n) & (c < o) & (c != 1)",
        "(a * s + b * t + c * u < 60) & (a < m) & (b < n) & (c < o)",
        "((a < m) & (b < n)) & ((c < o) | (q > 3))",
        "(a < m) & (b < n)",
        "q > 1",
        "tl.load(x + c, mask=c < 8, other=0.0) < 3.0",
    };
    static const char *const pointers[] = {"x + f", "(x + a * s) + (b * t + c * u)",
                                           "x + a * s + b * t + c * u", "x + q + f - q", "(x + f) + (a - a)"};
    static const char *const stores[] = {"y + f",
                                         "y + a * 16 + b * 4 + c",
                                         "y + a * s + b * t + c * u",
                                         "(y + c * u) + (a * s + b * t)",
                                         "y + a * 4 + b + c * 16",
                                         "y + a * s + b * t + c"};
    static const char *const values[] = {"v", "tl.where(k, v, 2.0)", "1.0", "v + a", "v + f"};
    static const char *const blocks[] = {"A=8 B=8 C=8",   "A=4 B=4 C=8",   "A=16 B=8 C=4", "A=4 B=16 C=2",
                                         "A=1 B=16 C=16", "A=16 B=16 C=1", "A=2 B=8 C=16", "A=4 B=4 C=4"};
    static const char *const loops[] = {
        "    v = tl.load(p, mask=k%s)\n",
        "    v = tl.zeros([A, B, C], tl.float32)\n    for i in range(2):\n        v += tl.load(p, mask=k%s)\n"
        "        p += u\n",
        "    v = tl.zeros([A, B, C], tl.float32)\n    for i in range(2):\n        f = f + i\n"
        "        v += tl.load(x + f, mask=k%s)\n",
    };
    const char *load = arena_printf(a, "%s", PICK(r, loops)), *at = strstr(load, "%s");
    return arena_printf(
        a,
        "@triton.jit\ndef k(x, y, q, m, n, o, s, t, u, A: tl.constexpr, B: tl.constexpr, C: tl.constexpr):\n"
        "    am = tl.arange(0, A) < m\n    bm = tl.arange(0, B) < n\n"
        "    a = tl.arange(0, A)[:, None, None]\n    b = tl.arange(0, B)[None, :, None]\n"
        "    c = tl.arange(0, C)[None, None, :]\n"
        "    f = %s\n    k = %s\n    p = %s\n%.*s%s%s    tl.store(%s, %s, mask=%s)\n|%s",
        PICK(r, offsets), PICK(r, masks), PICK(r, pointers), (int)(at - load), load,
        rng_below(r, 4) ? ", other=0.5" : "", at + 2, PICK(r, stores), PICK(r, values),
        rng_below(r, 4) ? "k" : "(a < m) & (b < n) & (c < o)", PICK(r, blocks));
}

typedef struct {
    bool ok;
    char msg[256];
    uint8_t data[ELEMENTS * 4], shadow[ELEMENTS * 4];
    Counters count;
    int kept;
} Outcome;

typedef enum { WATCHED, INPUT, OPEN, KINDS } Kind; // of the tensor that is loaded

static void give(Storage *x, Kind kind) {
    for (int i = 0; i < ELEMENTS; i++) ((float *)(void *)x->data)[i] = (float)i;
    memset(x->shadow, SHADOW_ALLOC | SHADOW_INIT, x->bytes);
    if (kind != OPEN) memset(x->shadow + 4 * 50, SHADOW_ALLOC, 4); // one element that nothing has written
    if (kind == WATCHED) return;
    x->read_only = true;
    x->writer = x->reader = NULL;
    x->open = kind == OPEN;
    if (x->open) x->shadow = NULL;
}

static bool run(const char *kernel, const char *line, Kind kind, bool with, Outcome *out) {
    memset(out, 0, sizeof *out);
    Arena a = {0};
    DiagList d = DIAGS(&a);
    LaunchText l;
    Launchable code;
    bool compiled = launch_text(&a, &d, str_of(kernel), str_of(line), &l) && launch_check(&l, NULL, &code);
    if (compiled) {
        for (int r = 0; r < code.code->regs; r++) {
            Register *x = &code.code->reg[r];
            out->kept += x->form == FORM_AXES;
            if (!with && x->form == FORM_AXES) x->form = FORM_LANES;
        }
        Machine m;
        machine_init(&m, &a, &d, 1 << 20);
        m.storages = l.storages;
        Storage *y = m.storages.at[1];
        give(m.storages.at[0], kind);
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

static void axes_change_nothing(void **state) {
    (void)state;
    static Outcome with, without;
    int fine = 0, found = 0, kept = 0;
    Rng r = rng_at(7, 9);
    for (int i = 0; i < ROUNDS; i++) {
        static const int strides[] = {0, 1, 1, 2, 4, 4, 16, 16, 8, -1};
        Arena a = {0};
        char *kernel = arena_printf(&a, "%s", random_kernel(&a, &r));
        char *block = strrchr(kernel, '|');
        *block++ = 0;
        long long size[4], stride[3];
        for (int k = 0; k < 4; k++) size[k] = rng_between(&r, k ? 1 : 0, 5);
        for (int k = 0; k < 3; k++) stride[k] = strides[rng_below(&r, sizeof strides / sizeof *strides)];
        const char *line = arena_printf(&a, "*fp32 *fp32 %lld %lld %lld %lld %lld %lld %lld %s", size[0],
                                        size[1], size[2], size[3], stride[0], stride[1], stride[2], block);
        Kind kind = (Kind)rng_below(&r, KINDS);
        bool compiled = run(kernel, line, kind, true, &with);
        if (compiled != run(kernel, line, kind, false, &without)) fail_msg("%s%s", kernel, line);
        kept += with.kept > 0;
        fine += with.ok;
        found += compiled && !with.ok;
        if (memcmp(&with, &without, sizeof with) != 0)
            fail_msg("round %d: axes change the outcome: '%s' '%s'\n%s%s", i, with.msg, without.msg, kernel,
                     line);
        arena_free(&a);
    }
    if (!(fine > ROUNDS / 8 && found > ROUNDS / 8 && kept > ROUNDS / 2))
        fail_msg("%d fine, %d found, %d kept", fine, found, kept);
}

// The address and the mask of three axes, on their way there, too; what goes into arithmetic of values is
// written out, and so are addresses of loaded numbers.
static void whole_kernels_have_them(void **state) {
    (void)state;
    static Outcome out;
    static const struct {
        const char *pointer, *mask, *value;
        int least, most;
    } c[] = {
        {"x + a * s + b * t + c * u", "(a < m) & (b < n) & (c < o)", "v", 6, 30},
        {"x + (a * s + b) * (c + t)", "c * 0 + a + b < n", "v", 0, 0},
        {"x + a * s + b * t + c * u + tl.load(x + c, mask=c < 4, other=0.0).to(tl.int32)",
         "tl.load(x + c, mask=c < 8, other=0.0) < 3.0", "v", 0, 40},
    };
    for (size_t i = 0; i < sizeof c / sizeof *c; i++) {
        Arena a = {0};
        const char *kernel = arena_printf(
            &a,
            "@triton.jit\ndef k(x, y, m, n, o, s, t, u, A: tl.constexpr, B: tl.constexpr, C: tl.constexpr):\n"
            "    a = tl.arange(0, A)[:, None, None]\n    b = tl.arange(0, B)[None, :, None]\n"
            "    c = tl.arange(0, C)[None, None, :]\n    v = tl.load(%s, mask=%s, other=0.0)\n"
            "    tl.store(y + tl.arange(0, 8), tl.sum(tl.sum(%s, axis=0), axis=0))\n",
            c[i].pointer, c[i].mask, c[i].value);
        assert_true(run(kernel, "*fp32 *fp32 2 2 2 16 4 1 A=8 B=8 C=8", OPEN, true, &out));
        if (out.kept < c[i].least || out.kept > c[i].most) fail_msg("%s: %d registers", kernel, out.kept);
        arena_free(&a);
    }
}

// Written out and taken back: the same numbers.
static void registers_survive_it(void **state) {
    (void)state;
    static AxesKept kept;
    int64_t room[4 * 6] = {100, 110, 120, 130, 0, 1, 2, 3, 4, 5}, was[10];
    Register r = {.type = {.elem = DT_I64, .rank = 2, .shape = {4, 6}}, .form = FORM_AXES};
    memcpy(was, room, sizeof was);
    assert_int_equal(axes_lane(&r, room, 6 + 2), 112);
    axes_write_out(&r, room, &kept);
    for (int i = 0; i < 24; i++) assert_int_equal(room[i], 100 + i / 6 * 10 + i % 6);
    axes_take_back(&r, room, &kept);
    assert_memory_equal(room, was, sizeof was);
    assert_true(axes_any(&r, room, true));
    assert_false(axes_any(&r, room, false));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(axes_change_nothing),
        cmocka_unit_test(whole_kernels_have_them),
        cmocka_unit_test(registers_survive_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
