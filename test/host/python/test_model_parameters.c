// The parameters of a ModelNew, as it is made for a reference in module form: their shapes and names, how
// they are bound to the referee's, and what __init__ computes of them.
#include "host/support.h"

#include "host/python/binding.h"

enum { A = 6, B = 3, ROOM = 64 };
static const char head[] =
    "import torch\nimport torch.nn as nn\nimport triton\nimport triton.language as tl\nimport math\n"
    "@triton.jit\ndef copy(x, y, N, BLOCK: tl.constexpr):\n    i = tl.arange(0, BLOCK)\n"
    "    tl.store(y + i, tl.load(x + i, mask=i < N), mask=i < N)\n"
    "def copied(x):\n    y = torch.empty_like(x)\n    copy[(1,)](x, y, x.numel(), BLOCK=64)\n"
    "    return y\n"
    "class Held(nn.Module):\n    def __init__(self, n):\n        super().__init__()\n"
    "        self.bias = nn.Parameter(torch.zeros(n))\n"
    "        self.weight = nn.Parameter(torch.zeros(n - 1, n))\n";

typedef struct {
    Arena arena;
    DiagList d;
    Machine m;
    float x[4], a[A], b[B]; // the referee's: an input, weights a[2, 3] and b[3]
    Tensor in[3], out;
    HostProgram *p;
} World;

static void wrap(World *w, int i, float *data, int rank, const int64_t *shape) {
    Tensor *t = &w->in[i];
    int64_t n;
    *t = (Tensor){.dtype = DT_F32, .rank = rank};
    memcpy(t->shape, shape, sizeof *shape * (size_t)rank);
    tensor_contiguous_strides(t);
    assert_true(shape_numel(shape, rank, &n));
    assert_true(storage_wrap_open(&w->m.storages, DT_F32, data, (size_t)n * 4, &t->storage));
}

// ModelNew with this __init__ and this result of forward(x, s).
static bool made(World *w, const char *init, const char *result) {
    *w = (World){0};
    w->d = DIAGS(&w->arena);
    machine_init(&w->m, &w->arena, &w->d, 1 << 22);
    for (int i = 0; i < 4; i++) w->x[i] = (float)i;
    for (int i = 0; i < A; i++) w->a[i] = (float)(100 + i);
    for (int i = 0; i < B; i++) w->b[i] = (float)(200 + i);
    wrap(w, 0, w->x, 1, (int64_t[]){4});
    wrap(w, 1, w->a, 2, (int64_t[]){2, 3});
    wrap(w, 2, w->b, 1, (int64_t[]){3});
    const char *source =
        arena_printf(&w->arena,
                     "%sclass ModelNew(nn.Module):\n    def __init__(self, n, size):\n        "
                     "super().__init__()\n%s    def forward(self, x, s):\n        return %s\n",
                     head, init, result);
    Node *module = (Node *)(uintptr_t)parsed(&w->arena, source);
    module->module.model =
        parsed(&w->arena, "init = [3, (2, 3)]\ntensors = [True, False]\nvalues = [None, 0.5]\n"
                          "names = [\"l.weight\", \"l.bias\"]\n");
    if (!host_normalize(&w->arena, module, &w->d) || !host_screen(module, &w->d)) return false;
    w->p = host_program(&w->m, code_cache_new(&w->arena), module);
    return host_build(w->p, w->in, 3) && host_call(w->p, w->in, 3, &w->out);
}

static void gives(const char *init, const char *result, BindRule how, const float *want, int n) {
    World w;
    float got[ROOM];
    if (!made(&w, init, result)) fail_msg("%s\n%s", w.d.at[0].msg, init);
    assert_int_equal(host_binding(w.p), 1 + how);
    assert_int_equal(tensor_numel(&w.out), n);
    tensor_gather(&w.out, got, NULL);
    for (int i = 0; i < n; i++) assert_true(got[i] == want[i]);
    arena_free(&w.arena);
}

static void refuses(const char *init, DiagKind kind, const char *part) {
    World w;
    if (made(&w, init, "copied(x)")) fail_msg("nothing is said of %s", init);
    expect_finding(&w.d, kind, part, init);
    arena_free(&w.arena);
}

static const float weight[A] = {100, 101, 102, 103, 104, 105}, bias[B] = {200, 201, 202};
#define P "        self."

static void test_binding(void **state) {
    (void)state;
    gives(P "l = nn.Linear(3, 2, bias=False)\n" P "b = nn.Parameter(torch.zeros(n))\n", "copied(self.b)",
          BIND_ORDER, bias, B);
    gives(P "b = nn.Parameter(torch.zeros(n))\n" P "w = nn.Parameter(torch.zeros(2, 3))\n", "copied(self.w)",
          BIND_SHAPE, weight, A);
    gives(P "l = Held(n)\n", "copied(self.l.bias)", BIND_NAME, bias, B);
}

// Every way of saying a shape.
static void test_shapes(void **state) {
    (void)state;
    static const char *const weights[] = {
        "torch.empty(2, n)",
        "torch.empty((2, 3))",
        "torch.randn(*size)",
        "torch.zeros(size)",
        "torch.ones(size=(2, 3), dtype=torch.float32)",
        "torch.full((2, 3), 0.5)",
        "torch.randn(2, 3) * 0.02",
        "0.02 * (torch.rand(2, 3) - 0.5)",
        "torch.empty(2, 3).uniform_(-1, 1)",
        "torch.tensor([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])",
        "torch.zeros_like(torch.empty(2, 3))",
        "torch.randn(2, 3).to(torch.float32).contiguous()",
    };
    for (size_t i = 0; i < sizeof weights / sizeof *weights; i++) {
        char init[256];
        snprintf(init, sizeof init, P "w = nn.Parameter(%s)\n" P "b = nn.Parameter(torch.empty(3))\n",
                 weights[i]);
        gives(init, "copied(self.w)", BIND_ORDER, weight, A);
    }
    refuses(P "w = nn.Parameter(torch.eye(3))\n", DIAG_UNSUPPORTED,
            "the shape of this nn.Parameter is not known");
    refuses(P "w = nn.Parameter(torch.empty(-1, 3))\n", DIAG_HOST, "negative dimension");
}

// What __init__ makes of a parameter is made of the referee's values; other arguments are the reference's.
static void test_values_are_there_from_the_beginning(void **state) {
    (void)state;
    static const float across[A] = {100, 103, 101, 104, 102, 105};
    gives(P "w = nn.Parameter(torch.randn(2, 3))\n" P "b = nn.Parameter(torch.empty(3))\n" P
            "t = self.w.t().contiguous()\n",
          "copied(self.t)", BIND_ORDER, across, A);
    gives(P "w = nn.Parameter(torch.randn(2, 3))\n" P "b = nn.Parameter(torch.empty(3))\n",
          "copied(self.w if s == 0.5 else x)", BIND_ORDER, weight, A);
}

static void test_what_is_not_bound(void **state) {
    (void)state;
    refuses(P "w = nn.Parameter(torch.empty(2, 3))\n", DIAG_UNSUPPORTED, "are not those of Model");
    refuses(P "w = nn.Parameter(torch.empty(3, 2))\n" P "b = nn.Parameter(torch.empty(3))\n",
            DIAG_UNSUPPORTED,
            "the parameters of ModelNew (w[3, 2], b[3]) are not those of Model (l.weight[2, 3], l.bias[3])");
    refuses(P "w = nn.Parameter(torch.empty(1 << 40))\n", DIAG_UNSUPPORTED, "larger than what Model has");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_binding),
        cmocka_unit_test(test_shapes),
        cmocka_unit_test(test_values_are_there_from_the_beginning),
        cmocka_unit_test(test_what_is_not_bound),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
