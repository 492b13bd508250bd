// Tensor descriptors made by host code: what reaches the kernel, and what their constructor refuses.
#include "host/support.h"

enum { ROWS = 5, COLS = 12 };
static const char kernels[] = "import torch\nimport triton\nimport triton.language as tl\n"
                              "from triton.tools.tensor_descriptor import TensorDescriptor\n"
                              "@triton.jit\n"
                              "def copy(a, b, BM: tl.constexpr, BN: tl.constexpr):\n"
                              "    tl.static_assert(isinstance(a, tl.tensor_descriptor))\n"
                              "    tl.static_assert(a.block_shape[1] == BN)\n"
                              "    for j in range(0, a.shape[1], BN):\n"
                              "        at = [tl.program_id(0) * BM, j]\n"
                              "        b.store(at, tl.load_tensor_descriptor(a, at))\n"
                              "@triton.jit\n"
                              "def own(a, b, N, USED: tl.constexpr):\n"
                              "    r = tl.program_id(0)\n"
                              "    d = tl.make_tensor_descriptor(a, [5, N], [N, 1], [1, 16])\n"
                              "    c = tl.arange(0, 16)[None, :]\n"
                              "    if USED:\n"
                              "        v = d.load([r, 0])\n"
                              "    else:\n"
                              "        v = tl.load(a + r * N + c, mask=c < N)\n"
                              "    tl.store(b + r * N + c, v, mask=c < N)\n";

typedef struct {
    Arena arena;
    DiagList d;
    Machine m;
    Tensor in, out;
    float x[ROWS * COLS];
} World;

static bool world_run(World *w, const char *body) {
    *w = (World){0};
    w->d = DIAGS(&w->arena);
    machine_init(&w->m, &w->arena, &w->d, 1 << 20);
    for (int i = 0; i < ROWS * COLS; i++) w->x[i] = (float)(i + 1);
    w->in = (Tensor){.dtype = DT_F32, .rank = 2, .shape = {ROWS, COLS}, .stride = {COLS, 1}};
    assert_true(storage_wrap(&w->m.storages, DT_F32, w->x, sizeof w->x, &w->in.storage));
    tensor_expose(&w->in, SHADOW_ALLOC | SHADOW_INIT);
    const Node *module = parsed(&w->arena, arena_printf(&w->arena, "%s%s", kernels, body));
    if (!host_screen(module, &w->d)) return false;
    return host_run(&w->m, code_cache_new(&w->arena), module, &w->in, 1, &w->out);
}

static void copies(const char *body) {
    World w;
    if (!world_run(&w, body)) fail_msg("%s: %s\n%s", diag_name(w.d.at[0].kind), w.d.at[0].msg, body);
    float out[ROWS * COLS];
    uint8_t flags[ROWS * COLS];
    assert_int_equal(tensor_numel(&w.out), ROWS * COLS);
    tensor_gather(&w.out, out, flags);
    for (int i = 0; i < ROWS * COLS; i++) {
        if (out[i] != w.x[i]) fail_msg("element %d is %g\n%s", i, (double)out[i], body);
        assert_true(flags[i] & SHADOW_STORED);
    }
    arena_free(&w.arena);
}
static void fails(DiagKind kind, const char *part, const char *body) {
    World w;
    if (world_run(&w, body)) fail_msg("accepted:\n%s", body);
    expect_finding(&w.d, kind, part, body);
    arena_free(&w.arena);
}
#define RUN(lines) "def run(x):\n    y = torch.empty_like(x)\n    M, N = x.shape\n" lines "    return y\n"
#define PAIR(a, b) RUN("    a = " a "\n    b = " b "\n    copy[(triton.cdiv(M, 2),)](a, b, 2, 4)\n")
#define OF_Y       "TensorDescriptor.from_tensor(y, [2, 4])"

static void test_copies(void **state) {
    (void)state;
    copies(PAIR("TensorDescriptor(x, [M, N], [N, 1], [2, 4])", OF_Y));
    copies(PAIR("TensorDescriptor(x, shape=x.shape, strides=x.stride(), block_shape=(2, 4))", OF_Y));
    copies(PAIR(
        "triton.tools.tensor_descriptor.TensorDescriptor.from_tensor(x, block_shape=[2, 4], padding='nan')",
        OF_Y));
    // Two tiles of one signature but for their shape: each has code of its own.
    copies(RUN("    for b in (4, 8):\n"
               "        copy[(5,)](TensorDescriptor.from_tensor(x, [1, b]), TensorDescriptor.from_tensor(y, "
               "[1, b]), 1, b)\n"));
    copies("def alloc(size, alignment, stream):\n    return torch.empty(size, device='cuda', "
           "dtype=torch.int8)\n" RUN("    triton.set_allocator(alloc)\n"
                                     "    copy[lambda meta: (triton.cdiv(M, "
                                     "meta['BM']),)](TensorDescriptor.from_tensor(x, [2, 4]), " OF_Y
                                     ", 2, BN=4)\n"));
}

static void test_refused(void **state) {
    (void)state;
#define MAKE(...) RUN("    TensorDescriptor(" __VA_ARGS__ ")\n")
    fails(DIAG_HOST, "rank mismatch", MAKE("x, [M, N], [1], [2, 4]"));
    fails(DIAG_HOST, "rank mismatch", MAKE("x, [M, N], [N, 1], [4]"));
    fails(DIAG_HOST, "rank must not be zero", MAKE("x, [], [], []"));
    fails(DIAG_HOST, "rank cannot be more than 5", MAKE("x, [1] * 6, [4] * 5 + [1], [1] * 6"));
    fails(DIAG_HOST, "rank cannot be more than 5",
          RUN("    TensorDescriptor.from_tensor(x.reshape(1, 1, 1, 1, M, N), [1, 1, 1, 1, 2, 4])\n"));
    fails(DIAG_HOST, "base must be 16-byte aligned", MAKE("x[:, 1:], [M, 8], [N, 1], [2, 4]"));
    fails(DIAG_HOST, "Shape element 1 must be a power of 2", MAKE("x, [M, N], [N, 1], [2, 12]"));
    fails(DIAG_HOST, "numel (2097152) exceeds", MAKE("x, [M, N], [N, 1], [2048, 1024]"));
    fails(DIAG_HOST, "strides must be 16-byte aligned", MAKE("x, [M, N], [N - 1, 1], [2, 4]"));
    fails(DIAG_HOST, "shape must be positive", MAKE("x, [M, 0], [N, 1], [2, 4]"));
    fails(DIAG_HOST, "Last dimension must be contiguous", MAKE("x, [M, N], [N, 2], [2, 4]"));
    fails(DIAG_HOST, "Illegal value for padding", MAKE("x, [M, N], [N, 1], [2, 4], 'one'"));
    fails(DIAG_HOST, "only supported for floating point",
          RUN("    i = torch.empty((4, 4), dtype=torch.int32, device=x.device)\n"
              "    TensorDescriptor.from_tensor(i, [2, 4], padding='nan')\n"));
    fails(DIAG_HOST, "at least 16", MAKE("x, [M, N], [N, 1], [2, 2]"));
    fails(DIAG_HOST, "invalid argument", MAKE("x, [M, 2 ** 40], [N, 1], [2, 4]"));
    fails(DIAG_HOST, "is a list of integers", MAKE("x, M, [N, 1], [2, 4]"));
    fails(DIAG_HOST, "is a list of integers", MAKE("x, [M, 1.5], [N, 1], [2, 4]"));
    fails(DIAG_HOST, "the base of a TensorDescriptor is a tensor", MAKE("3, [M, N], [N, 1], [2, 4]"));
    fails(DIAG_HOST, "cpu tensor?", MAKE("torch.empty((8, 8)), [M, N], [N, 1], [2, 4]"));
    fails(DIAG_HOST, "missing required argument", MAKE("x, [M, N]"));
    fails(DIAG_UNSUPPORTED, "triton.tools", RUN("    triton.tools.experimental_descriptor.create(x)\n"));
    // One that the kernel makes takes memory that host code has to provide, and only if it is used.
    fails(DIAG_HOST, "no allocator was set", RUN("    own[(5,)](x, y, 12, True)\n"));
    copies(RUN("    own[(5,)](x, y, 12, False)\n"));
    copies("def alloc(size, alignment, stream):\n    return torch.empty(size, device='cuda', "
           "dtype=torch.int8)\ntriton.set_allocator(alloc)\n" RUN("    own[(5,)](x, y, 12, True)\n"));
    fails(DIAG_HOST, "triton.set_allocator wants a function", RUN("    triton.set_allocator(3)\n"));
    fails(DIAG_COMPILE, "a tensor was given for the constexpr 'BN'",
          RUN("    copy[(1,)](" OF_Y ", " OF_Y ", 2, " OF_Y ")\n"));
    // The machine looks at what lies behind the descriptor, whatever its shape promises.
    fails(DIAG_OOB, "outside the tensor's memory",
          PAIR("TensorDescriptor(x, [M + 2, N], [N, 1], [2, 4])", OF_Y));
    fails(DIAG_WRITE, "inputs are read-only",
          PAIR("TensorDescriptor.from_tensor(x, [2, 4])", "TensorDescriptor.from_tensor(x, [2, 4])"));
    fails(DIAG_UNINIT, "nothing has written yet", PAIR(OF_Y, OF_Y));
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_copies), cmocka_unit_test(test_refused)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
