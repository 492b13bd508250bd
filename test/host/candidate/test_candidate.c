// The host half of a launch: tensors that host code makes and what they are billed, then real kernels: what
// reaches them, which grids are legal, and how their findings come back.
#include "host/doubling.h"
#include "host/world.h"

static void test_allocations(void **state) {
    (void)state;
    static const char *const bodies[] = {
        "y = torch.empty_like(x)\nassert y.shape == x.shape and y.dtype == x.dtype and y.is_cuda",
        "y = torch.empty((4, 2), dtype=torch.float16, device='cuda')\nassert y.shape == (4, 2) and y.dtype "
        "== torch.float16 and y.is_cuda",
        "assert torch.empty(3).dtype == torch.float32 and not torch.empty(3).is_cuda and "
        "torch.empty(size=(2, 3), device=x.device).shape == (2, 3)",
        "assert torch.empty(x.shape[:-1] + (5,), device=x.device).shape == (4, 5) and torch.empty(*x.shape, "
        "2).dim() == 3",
        "assert x.new_empty(2, 3).dtype == x.dtype and x.new_zeros((2,), dtype=torch.int32).dtype == "
        "torch.int32 and x.new_empty(1).is_cuda",
        "assert torch.zeros(2, 0).numel() == 0 and torch.empty(()).dim() == 0 and torch.full((2,), 7).dtype "
        "== torch.int64",
        "assert torch.zeros((2, 2), device=x.device, dtype=x.dtype).shape == torch.Size([2, 2]) and "
        "torch.numel(x) == 32",
    };
    EXPECT_OK(bodies);
}

static void test_refusals(void **state) {
    (void)state;
    static const Case cases[] = {
        {DIAG_REFUSED, "do it in a kernel", "y = x.to(torch.float16)"},
        {DIAG_REFUSED, "do it in a kernel", "y = x.to('cpu')"},
        {DIAG_REFUSED, "do it in a kernel", "y = x.to(x.device, s.dtype)"},
        {DIAG_REFUSED, "do it in a kernel", "y = torch.empty(3).cuda()"},
        {DIAG_REFUSED, "do it in a kernel", "y = x.type_as(s)"},
        {DIAG_REFUSED, "copies", "y = x.to(x.dtype, copy=True)"},
        {DIAG_REFUSED, "no gradients", "y = torch.empty(3, requires_grad=True)"},
    };
    EXPECT_FAILURES(cases);
}

static void test_what_torch_raises(void **state) {
    (void)state;
    static const Case cases[] = {
        {DIAG_HOST, "negative dimension -1", "y = torch.empty(2, -1)"},
        {DIAG_HOST, "out of memory", "y = torch.empty(2 ** 20, 2 ** 20, device='cuda')"},
        {DIAG_HOST, "too large", "y = torch.empty(2 ** 40, 2 ** 40)"},
        {DIAG_HOST, "too large", "y = torch.empty(2 ** 40, 2 ** 40, 0)"},
        {DIAG_UNSUPPORTED, "limit of this version",
         "for i in range(10000):\n    y = torch.empty(2 ** 22, device='cuda')"},
        {DIAG_HOST, "must be torch.dtype", "y = torch.empty(3, dtype=tl.float16)"},
        {DIAG_HOST, "Invalid device string", "y = torch.empty(3, device='gpu')"},
        {DIAG_HOST, "unexpected keyword argument", "y = torch.empty(3, fill=2)"},
        {DIAG_HOST, "sizes must be ints", "y = torch.empty(2.5)"},
        {DIAG_UNSUPPORTED, "at most 8", "y = torch.empty(1, 1, 1, 1, 1, 1, 1, 1, 1)"},
    };
    EXPECT_FAILURES(cases);
}

static void test_everything_ends(void **state) {
    (void)state;
    static const Case cases[] = {
        {DIAG_BUDGET, "budget", "x = torch.zeros(8000000, device='cuda')"},
    };
    EXPECT_FAILURES(cases);
}

static void test_features(void **state) {
    (void)state;
    static const Feature features[] = {
        {"grid: tuple of three",
         RUN("    y = torch.empty_like(x)\n    scale[(4, 1, 1)](x, y, 8, 2.0, BLOCK=8)\n    return y\n")},
        {"grid: lambda META", RUN("    y = torch.empty_like(x)\n    scale[lambda META: (triton.cdiv(32, "
                                  "META['BLOCK']),)](x, y, 8, 2.0, BLOCK=8)\n    return y\n")},
        {"grid: nested def", RUN("    y = torch.empty_like(x)\n    def grid(meta):\n        return "
                                 "(x.shape[0],)\n    scale[grid](x, y, 8, 2.0, BLOCK=8)\n    return y\n")},
        {"launch: *args and **kwargs",
         RUN("    y = torch.empty_like(x)\n    kw = dict(factor=2.0)\n    "
             "kw['BLOCK'] = 8\n    scale[(4,)](*(x, y, 8), **kw)\n    return y\n")},
        {"launch: num_warps, num_stages", RUN("    y = torch.empty_like(x)\n    scale[(4,)](x, y, 8, 2.0, "
                                              "BLOCK=8, num_warps=4, num_stages=2)\n    return y\n")},
        {"torch.empty", HOLDS("torch.empty(2, 3, device=x.device).shape == (2, 3) and torch.empty((2,), "
                              "dtype=torch.int32, device='cuda').dtype == torch.int32")},
        {"torch.empty_like, .new_empty",
         HOLDS("torch.empty_like(x, dtype=torch.float16).dtype == torch.float16 and x.new_empty(3).is_cuda")},
        {"torch.zeros, zeros_like, ones, full",
         HOLDS(
             "torch.zeros(4, device=x.device).numel() == 4 and torch.zeros_like(x).shape == x.shape and "
             "torch.ones_like(x).shape == x.shape and torch.full((2,), 1.0, device=x.device).shape == (2,)")},
        {".to of the same type and device",
         HOLDS("x.to(x.dtype) is x and x.to(x.device) is x and x.cuda() is x "
               "and x.detach() is x and not x.requires_grad")},
    };
    RUN_FEATURES(features);
}

static void test_bills(void **state) {
    (void)state;
    static const struct {
        const char *expr;
        int64_t bytes;
    } cases[] = {
        {"x.contiguous()", 0},         {"s.contiguous()", 2 * 24 * 2},        {"x.view(-1)", 0},
        {"s.reshape(-1)", 2 * 24 * 2}, {"torch.zeros(5, device='cuda')", 20}, {"torch.empty(5)", 0},
        {"x.t().flatten()", 2 * 128},  {"torch.zeros_like(x)", 128},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        World w;
        world_open(&w, 1 << 20);
        assert_true(
            world_run(&w, arena_printf(&w.arena, "def run(x, s, t):\n    return %s\n", cases[i].expr)));
        if (w.m.count.bytes_copied != cases[i].bytes)
            fail_msg("%s: billed %lld bytes", cases[i].expr, (long long)w.m.count.bytes_copied);
        world_close(&w);
    }
    // What was never written stays undefined through a copy.
    World w;
    world_open(&w, 1 << 20);
    assert_true(
        world_run(&w, "def run(x, s, t):\n    return torch.empty(2, 3, device='cuda').t().contiguous()\n"));
    uint8_t raw[24], flags[6];
    tensor_gather(&w.out, raw, flags);
    for (int k = 0; k < 6; k++) assert_false(flags[k] & SHADOW_INIT);
    world_close(&w);
}

// ---- launches ----

enum { PITCH = 11 };
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
    float x[ROWS * PITCH];
} Launched;

static bool launched_run(Launched *w, const char *body) {
    *w = (Launched){0};
    w->d = DIAGS(&w->arena);
    machine_init(&w->m, &w->arena, &w->d, 1 << 20);
    for (int i = 0; i < ROWS * PITCH; i++) w->x[i] = (float)i;
    w->in = (Tensor){.dtype = DT_F32, .rank = 2, .shape = {ROWS, COLS}, .stride = {11, 1}};
    assert_true(storage_wrap(&w->m.storages, DT_F32, w->x, sizeof w->x, &w->in.storage));
    tensor_expose(&w->in, SHADOW_ALLOC | SHADOW_INIT);
    const char *source = arena_printf(&w->arena, "%s%s", kernels, body);
    const Node *module = parsed(&w->arena, source);
    if (!host_screen(module, &w->d)) return false;
    return host_run(&w->m, code_cache_new(&w->arena), module, &w->in, 1, &w->out);
}

static void expect_scaled(const char *body, double factor) {
    Launched w;
    if (!launched_run(&w, body)) fail_msg("%s: %s\n%s", diag_name(w.d.at[0].kind), w.d.at[0].msg, body);
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

#define SCALED(lines)                                                                                       \
    "def run(x):\n    y = torch.empty(x.shape, dtype=x.dtype, device=x.device)\n    M, N = x.shape\n" lines \
    "    return y\n"

static void test_grids(void **state) {
    (void)state;
    expect_scaled(SCALED("    scale[(M,)](x, y, x.stride(0), N, 2.0, BLOCK=8)\n"), 2);
    expect_scaled(SCALED("    scale[M, 1](x, y, x.stride(0), N, 2.0, BLOCK=8, num_warps=4)\n"), 2);
    expect_scaled(SCALED("    scale[[M, 1, 1]](x, y, x.stride(0), N, 2.0, 8)\n"), 2);
    expect_scaled(SCALED("    grid = lambda META: (triton.cdiv(M * META['BLOCK'], META['BLOCK']),)\n"
                         "    scale[grid](x, y, x.stride(0), N, factor=3, BLOCK=16)\n"),
                  3);
    expect_scaled(SCALED("    def grid(meta):\n        assert meta['N'] == 8 and meta['x_ptr'].shape == (4, "
                         "8)\n        return (M,)\n"
                         "    scale[grid](x, y, x.stride(0), N, 2.0, BLOCK=8)\n"),
                  2);
    expect_scaled(SCALED("    args = (x, y, x.stride(0))\n    scale[(M,)](*args, **{'N': N, 'factor': 2.0, "
                         "'BLOCK': 8})\n"),
                  2);
    expect_scaled(
        SCALED("    scale[(0,)](x, x, 1, N, 2.0, BLOCK=8)\n    scale[(M,)](x, y, x.stride(0), N, 2.0, "
               "BLOCK=8)\n"),
        2);
    expect_scaled(SCALED("    z = torch.empty_like(x)\n    scale[(M,)](x, z, x.stride(0), N, 2.0, BLOCK=8)\n"
                         "    scale[(M,)](z, y, z.stride(0), N, 2.0, BLOCK=8)\n"),
                  4);
    // A jit function is a constant of the launch, another one another kernel; a grid function sees it.
    expect_scaled(SCALED("    through[(M,)](x, y, 11, N, twice, BLOCK=8)\n"), 2);
    expect_scaled(
        SCALED("    z = torch.empty_like(x)\n    through[(M,)](x, z, 11, N, twice, BLOCK=8)\n"
               "    through[lambda m: (M if m['f'] is thrice else 0,)](z, y, z.stride(0), N, BLOCK=8, "
               "f=thrice)\n"),
        6);
    // A copy by the host of what a kernel stored still counts as stored.
    expect_scaled(SCALED("    z = torch.empty((M, 2, N), dtype=x.dtype, device=x.device)\n"
                         "    scale[(M,)](x, y, x.stride(0), N, 2.0, BLOCK=8)\n    y = "
                         "y.t().contiguous().t().contiguous()\n"),
                  2);
}

static void test_traffic_and_launches_are_counted(void **state) {
    (void)state;
    Launched w;
    assert_true(
        launched_run(&w, SCALED("    scale[(M,)](x, y, x.stride(0), N, 2.0, BLOCK=8)\n    scale[(M,)](x, "
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
        {DIAG_HOST, "'int' has no len()", SCALED("    scale[M](x, y, 11, N, 2.0, BLOCK=8)\n")},
        {DIAG_HOST, "'int' has no len()", SCALED("    scale[lambda m: M](x, y, 11, N, 2.0, BLOCK=8)\n")},
        {DIAG_HOST, "cannot be interpreted as an integer",
         SCALED("    scale[(M / 1,)](x, y, 11, N, 2.0, BLOCK=8)\n")},
        {DIAG_HOST, "grid is empty", SCALED("    scale[()](x, y, 11, N, 2.0, BLOCK=8)\n")},
        {DIAG_HOST, "at most 3", SCALED("    scale[(1, 1, 1, 1)](x, y, 11, N, 2.0, BLOCK=8)\n")},
        {DIAG_HOST, "invalid argument", SCALED("    scale[(-1,)](x, y, 11, N, 2.0, BLOCK=8)\n")},
        {DIAG_HOST, "invalid argument", SCALED("    scale[(1, 65536)](x, y, 11, N, 2.0, BLOCK=8)\n")},
        {DIAG_HOST, "OverflowError", SCALED("    scale[(2 ** 62,)](x, y, 11, N, 2.0, BLOCK=8)\n")},
        {DIAG_HOST, "KeyError: 'B'", SCALED("    scale[lambda m: (m['B'],)](x, y, 11, N, 2.0, BLOCK=8)\n")},
        {DIAG_HOST, "outside of the scope", SCALED("    scale(x, y, 11, N, 2.0, BLOCK=8)\n")},
        {DIAG_HOST, "cpu tensor?",
         SCALED("    y = torch.empty(M, N)\n    scale[(M,)](x, y, 11, N, 2.0, BLOCK=8)\n")},
        {DIAG_HOST, "cannot be handed to a kernel", SCALED("    scale[(M,)](x, y, [11], N, 2.0, BLOCK=8)\n")},
        {DIAG_HOST, "cannot be handed to a kernel", SCALED("    scale[(M,)](x, y, 11, N, run, BLOCK=8)\n")},
        {DIAG_HOST, "pass tl.float32", SCALED("    scale[(M,)](x, y, 11, N, x.dtype, BLOCK=8)\n")},
        // A jit function is a constexpr: no operand, and of no use where it calls itself.
        {DIAG_COMPILE, "'JITFunction' object", SCALED("    scale[(M,)](x, y, 11, N, scale, BLOCK=8)\n")},
        {DIAG_COMPILE, "through calls itself", SCALED("    through[(M,)](x, y, 11, N, through, BLOCK=8)\n")},
        {DIAG_HOST, "an autotuned kernel", SCALED("    through[(M,)](x, y, 11, N, tuned, BLOCK=8)\n")},
        {DIAG_REFUSED, "launched as", SCALED("    scale.run(x, y)\n")},
        {DIAG_COMPILE, "missing", SCALED("    scale[(M,)](x, y, 11, N, BLOCK=8)\n")},
        {DIAG_COMPILE, "BLOK", SCALED("    scale[(M,)](x, y, 11, N, 2.0, BLOK=8)\n")},
        {DIAG_COMPILE, "power of 2", SCALED("    scale[(M,)](x, y, 11, N, 2.0, BLOCK=7)\n")},
        {DIAG_WRITE, "", SCALED("    scale[(M,)](x, x, 11, N, 2.0, BLOCK=8)\n")},
        {DIAG_OOB, "", SCALED("    scale[(M,)](x, y, 11, 12, 2.0, BLOCK=16)\n")},
        {DIAG_OOB, "", SCALED("    scale[(M + 1,)](x, y, 11, N, 2.0, BLOCK=8)\n")},
        {DIAG_RACE, "", SCALED("    scale[(M, 2)](x, y, 11, N, 2.0, BLOCK=8)\n")},
        {DIAG_UNINIT, "", SCALED("    z = torch.empty_like(y)\n    scale[(M,)](z, y, 8, N, 2.0, BLOCK=8)\n")},
        {DIAG_BUDGET, "",
         SCALED("    for i in range(10 ** 9):\n        scale[(M,)](x, y, 11, N, 2.0, BLOCK=8)\n")},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        Launched w;
        if (launched_run(&w, cases[i].body))
            fail_msg("no finding, expected %s:\n%s", diag_name(cases[i].kind), cases[i].body);
        expect_finding(&w.d, cases[i].kind, cases[i].part, cases[i].body);
        arena_free(&w.arena);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_allocations),
        cmocka_unit_test(test_refusals),
        cmocka_unit_test(test_what_torch_raises),
        cmocka_unit_test(test_everything_ends),
        cmocka_unit_test(test_features),
        cmocka_unit_test(test_bills),
        cmocka_unit_test(test_grids),
        cmocka_unit_test(test_traffic_and_launches_are_counted),
        cmocka_unit_test(test_findings),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
