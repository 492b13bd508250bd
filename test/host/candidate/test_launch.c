// Host code with real kernels: what reaches them, which grids are legal, and how their findings come back.
#include "host/support.h"

enum { ROWS = 4, COLS = 8 };
static const char kernels[] =
    "import torch, triton\nimport triton.language as tl\n"
    "@triton.jit\n"
    "def scale(x_ptr, y_ptr, stride, N, factor, BLOCK: tl.constexpr):\n"
    "    row = tl.program_id(0)\n"
    "    cols = tl.arange(0, BLOCK)\n"
    "    mask = cols < N\n"
    "    x = tl.load(x_ptr + row * stride + cols, mask=mask, other=0.0)\n"
    "    tl.store(y_ptr + row * N + cols, x * factor, mask=mask)\n"
    "@triton.jit\n"
    "def twice(x):\n    return x + x\n"
    "@triton.jit\n"
    "def thrice(x):\n    return twice(x) + x\n"
    "@triton.autotune([triton.Config({})], [])\n@triton.jit\n"
    "def tuned(x):\n    return x\n"
    "@triton.jit\n"
    "def through(x_ptr, y_ptr, stride, N, f, BLOCK: tl.constexpr):\n"
    "    at = tl.program_id(0) * N + tl.arange(0, BLOCK)\n"
    "    mask = tl.arange(0, BLOCK) < N\n"
    "    x = tl.load(x_ptr + tl.program_id(0) * stride + tl.arange(0, BLOCK), mask=mask)\n"
    "    tl.store(y_ptr + at, f(x), mask=mask)\n";

typedef struct {
    Arena arena;
    DiagList d;
    Machine m;
    Tensor in, out;
    float x[ROWS * 11];
} World;

static bool world_run(World *w, const char *body) {
    *w = (World){0};
    w->d = DIAGS(&w->arena);
    machine_init(&w->m, &w->arena, &w->d, 1 << 20);
    for (int i = 0; i < ROWS * 11; i++) w->x[i] = (float)i;
    w->in = (Tensor){.dtype = DT_F32, .rank = 2, .shape = {ROWS, COLS}, .stride = {11, 1}};
    assert_true(storage_wrap(&w->m.storages, DT_F32, w->x, sizeof w->x, &w->in.storage));
    tensor_expose(&w->in, SHADOW_ALLOC | SHADOW_INIT);
    const char *source = arena_printf(&w->arena, "%s%s", kernels, body);
    const Node *module = parsed(&w->arena, source);
    if (!host_screen(module, &w->d)) return false;
    return host_run(&w->m, code_cache_new(&w->arena), module, &w->in, 1, &w->out);
}

static void expect_scaled(const char *body, double factor) {
    World w;
    if (!world_run(&w, body)) fail_msg("%s: %s\n%s", diag_name(w.d.at[0].kind), w.d.at[0].msg, body);
    float out[ROWS * COLS];
    uint8_t flags[ROWS * COLS];
    assert_int_equal(tensor_numel(&w.out), ROWS * COLS);
    tensor_gather(&w.out, out, flags);
    for (int r = 0; r < ROWS; r++)
        for (int c = 0; c < COLS; c++) {
            int k = r * COLS + c;
            if (out[k] != (float)factor * (float)(r * 11 + c))
                fail_msg("element %d is %g\n%s", k, (double)out[k], body);
            if (!(flags[k] & SHADOW_STORED)) fail_msg("element %d was not stored by a kernel\n%s", k, body);
        }
    arena_free(&w.arena);
}

#define RUN(lines)                                                                                          \
    "def run(x):\n    y = torch.empty(x.shape, dtype=x.dtype, device=x.device)\n    M, N = x.shape\n" lines \
    "    return y\n"
static void test_grids(void **state) {
    (void)state;
    expect_scaled(RUN("    scale[(M,)](x, y, x.stride(0), N, 2.0, BLOCK=8)\n"), 2);
    expect_scaled(RUN("    scale[M, 1](x, y, x.stride(0), N, 2.0, BLOCK=8, num_warps=4)\n"), 2);
    expect_scaled(RUN("    scale[[M, 1, 1]](x, y, x.stride(0), N, 2.0, 8)\n"), 2);
    expect_scaled(RUN("    grid = lambda META: (triton.cdiv(M * META['BLOCK'], META['BLOCK']),)\n"
                      "    scale[grid](x, y, x.stride(0), N, factor=3, BLOCK=16)\n"),
                  3);
    expect_scaled(RUN("    def grid(meta):\n        assert meta['N'] == 8 and meta['x_ptr'].shape == (4, "
                      "8)\n        return (M,)\n"
                      "    scale[grid](x, y, x.stride(0), N, 2.0, BLOCK=8)\n"),
                  2);
    expect_scaled(RUN("    args = (x, y, x.stride(0))\n    scale[(M,)](*args, **{'N': N, 'factor': 2.0, "
                      "'BLOCK': 8})\n"),
                  2);
    expect_scaled(RUN("    scale[(0,)](x, x, 1, N, 2.0, BLOCK=8)\n    scale[(M,)](x, y, x.stride(0), N, 2.0, "
                      "BLOCK=8)\n"),
                  2);
    expect_scaled(RUN("    z = torch.empty_like(x)\n    scale[(M,)](x, z, x.stride(0), N, 2.0, BLOCK=8)\n"
                      "    scale[(M,)](z, y, z.stride(0), N, 2.0, BLOCK=8)\n"),
                  4);
    // A jit function is a constant of the launch, another one another kernel; a grid function sees it.
    expect_scaled(RUN("    through[(M,)](x, y, 11, N, twice, BLOCK=8)\n"), 2);
    expect_scaled(RUN("    z = torch.empty_like(x)\n    through[(M,)](x, z, 11, N, twice, BLOCK=8)\n"
                      "    through[lambda m: (M if m['f'] is thrice else 0,)](z, y, z.stride(0), N, BLOCK=8, "
                      "f=thrice)\n"),
                  6);
    // A copy by the host of what a kernel stored still counts as stored.
    expect_scaled(RUN("    z = torch.empty((M, 2, N), dtype=x.dtype, device=x.device)\n"
                      "    scale[(M,)](x, y, x.stride(0), N, 2.0, BLOCK=8)\n    y = "
                      "y.t().contiguous().t().contiguous()\n"),
                  2);
}

static void test_traffic_and_launches_are_counted(void **state) {
    (void)state;
    World w;
    assert_true(world_run(&w, RUN("    scale[(M,)](x, y, x.stride(0), N, 2.0, BLOCK=8)\n    scale[(M,)](x, "
                                  "y, x.stride(0), N, 2.0, BLOCK=8)\n")));
    assert_int_equal(w.m.count.launches, 2);
    assert_int_equal(w.m.count.programs, 2 * ROWS);
    assert_true(w.m.count.bytes_stored >= 2 * ROWS * COLS * 4);
    assert_true(w.m.steps_left < 1 << 20);
    arena_free(&w.arena);
}

static void test_findings(void **state) {
    static const struct {
        DiagKind kind;
        const char *part, *body;
    } cases[] = {
        {DIAG_HOST, "'int' has no len()", RUN("    scale[M](x, y, 11, N, 2.0, BLOCK=8)\n")},
        {DIAG_HOST, "'int' has no len()", RUN("    scale[lambda m: M](x, y, 11, N, 2.0, BLOCK=8)\n")},
        {DIAG_HOST, "cannot be interpreted as an integer",
         RUN("    scale[(M / 1,)](x, y, 11, N, 2.0, BLOCK=8)\n")},
        {DIAG_HOST, "grid is empty", RUN("    scale[()](x, y, 11, N, 2.0, BLOCK=8)\n")},
        {DIAG_HOST, "at most 3", RUN("    scale[(1, 1, 1, 1)](x, y, 11, N, 2.0, BLOCK=8)\n")},
        {DIAG_HOST, "invalid argument", RUN("    scale[(-1,)](x, y, 11, N, 2.0, BLOCK=8)\n")},
        {DIAG_HOST, "invalid argument", RUN("    scale[(1, 65536)](x, y, 11, N, 2.0, BLOCK=8)\n")},
        {DIAG_HOST, "OverflowError", RUN("    scale[(2 ** 62,)](x, y, 11, N, 2.0, BLOCK=8)\n")},
        {DIAG_HOST, "KeyError: 'B'", RUN("    scale[lambda m: (m['B'],)](x, y, 11, N, 2.0, BLOCK=8)\n")},
        {DIAG_HOST, "outside of the scope", RUN("    scale(x, y, 11, N, 2.0, BLOCK=8)\n")},
        {DIAG_HOST, "cpu tensor?",
         RUN("    y = torch.empty(M, N)\n    scale[(M,)](x, y, 11, N, 2.0, BLOCK=8)\n")},
        {DIAG_HOST, "cannot be handed to a kernel", RUN("    scale[(M,)](x, y, [11], N, 2.0, BLOCK=8)\n")},
        {DIAG_HOST, "cannot be handed to a kernel", RUN("    scale[(M,)](x, y, 11, N, run, BLOCK=8)\n")},
        {DIAG_HOST, "pass tl.float32", RUN("    scale[(M,)](x, y, 11, N, x.dtype, BLOCK=8)\n")},
        // A jit function is a constexpr: no operand, and of no use where it calls itself.
        {DIAG_COMPILE, "'JITFunction' object", RUN("    scale[(M,)](x, y, 11, N, scale, BLOCK=8)\n")},
        {DIAG_COMPILE, "through calls itself", RUN("    through[(M,)](x, y, 11, N, through, BLOCK=8)\n")},
        {DIAG_HOST, "an autotuned kernel", RUN("    through[(M,)](x, y, 11, N, tuned, BLOCK=8)\n")},
        {DIAG_REFUSED, "launched as", RUN("    scale.run(x, y)\n")},
        {DIAG_COMPILE, "missing", RUN("    scale[(M,)](x, y, 11, N, BLOCK=8)\n")},
        {DIAG_COMPILE, "BLOK", RUN("    scale[(M,)](x, y, 11, N, 2.0, BLOK=8)\n")},
        {DIAG_COMPILE, "power of 2", RUN("    scale[(M,)](x, y, 11, N, 2.0, BLOCK=7)\n")},
        {DIAG_WRITE, "", RUN("    scale[(M,)](x, x, 11, N, 2.0, BLOCK=8)\n")},
        {DIAG_OOB, "", RUN("    scale[(M,)](x, y, 11, 12, 2.0, BLOCK=16)\n")},
        {DIAG_OOB, "", RUN("    scale[(M + 1,)](x, y, 11, N, 2.0, BLOCK=8)\n")},
        {DIAG_RACE, "", RUN("    scale[(M, 2)](x, y, 11, N, 2.0, BLOCK=8)\n")},
        {DIAG_UNINIT, "", RUN("    z = torch.empty_like(y)\n    scale[(M,)](z, y, 8, N, 2.0, BLOCK=8)\n")},
        {DIAG_BUDGET, "",
         RUN("    for i in range(10 ** 9):\n        scale[(M,)](x, y, 11, N, 2.0, BLOCK=8)\n")},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        World w;
        if (world_run(&w, cases[i].body))
            fail_msg("no finding, expected %s:\n%s", diag_name(cases[i].kind), cases[i].body);
        expect_finding(&w.d, cases[i].kind, cases[i].part, cases[i].body);
        arena_free(&w.arena);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_grids),
        cmocka_unit_test(test_traffic_and_launches_are_counted),
        cmocka_unit_test(test_findings),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
