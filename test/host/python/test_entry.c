// Where a kernel file is entered: run, or ModelNew with its parameters.
#include "host/doubling.h"
#include "host/world.h"

static void test_features(void **state) {
    (void)state;
    static const Feature features[] = {
        {"a run of its own", RUN("    return double(x)\n")},
        {"what a file does when it is run",
         "@torch.no_grad()\n" RUN(
             "    return double(x)\n") "if __name__ == '__main__':\n    import os\n    os._exit(0)\n"},
        {"nn.Module: ModelNew is the entry where there is no run",
         "class ModelNew(nn.Module):\n    def __init__(self, features, factor=2.0):\n        "
         "super().__init__()\n"
         "        self.features, self.factor = features, factor\n    def forward(self, x):\n"
         "        assert self.features == x.shape[1]\n        return double(x)\n"},
        {"nn.Module: a parameter is an input",
         "class ModelNew(torch.nn.Module):\n    def __init__(self, n):\n        super().__init__()\n"
         "        self.x = nn.Parameter(torch.randn(n, 4) @ torch.ones(4, n), requires_grad=False)\n"
         "    def forward(self):\n        return double(self.x)\n"},
        {"nn.Module: run goes before ModelNew",
         "class ModelNew(nn.Module):\n    def forward(self, x):\n        return x\n" RUN(
             "    return double(x)\n")},
    };
    RUN_FEATURES(features);
}

static void test_what_stays_refused(void **state) {
    (void)state;
    static const Refusal cases[] = {
        {DIAG_UNSUPPORTED, "Module", RUN("    return nn.Module(x)\n")},
        {DIAG_UNSUPPORTED, "Linear",
         "class A(nn.Module):\n    def __init__(self):\n        self.l = nn.Linear(2, 2)\n" RUN(
             "    return double(x)\n")},
        {DIAG_UNSUPPORTED, "Parameter",
         "class ModelNew(nn.Module):\n    def __init__(self):\n        self.w = nn.Parameter(1)\n" RUN(
             "    return double(x)\n")},
        {DIAG_REFUSED, "randn",
         "class ModelNew(nn.Module):\n    def __init__(self):\n        self.w = torch.randn(4)\n"
         "    def forward(self, x):\n        return double(x)\n"},
        {DIAG_REFUSED, "no function `run`",
         "class Model(nn.Module):\n    def forward(self, x):\n        return double(x)\n"},
        {DIAG_REFUSED, "no function `run`",
         "class ModelNew:\n    def forward(self, x):\n        return double(x)\n"},
        {DIAG_HOST, "no method `forward`", "class ModelNew(nn.Module):\n    pass\n"},
        {DIAG_HOST, "the length of a row",
         "class ModelNew(nn.Module):\n    def __init__(self, a, b):\n        super().__init__()\n"
         "    def forward(self, x):\n        return double(x)\n"},
        {DIAG_HOST, "more parameters than",
         "class ModelNew(nn.Module):\n    def __init__(self):\n        self.w = nn.Parameter(torch.ones(4))\n"
         "    def forward(self, x):\n        return double(x)\n"},
        {DIAG_HOST, "left over",
         "class ModelNew(nn.Module):\n    def forward(self):\n        return torch.empty(4, 8)\n"},
        {DIAG_HOST, "forward() must return one tensor",
         "class ModelNew(nn.Module):\n    def forward(self, x):\n        return 1\n"},
    };
    REFUSE_ALL(cases);
}

static void test_wrong_number_of_inputs(void **state) {
    (void)state;
    World w;
    world_open(&w, 1 << 20);
    assert_false(world_run(&w, "def run(x):\n    return x\n"));
    expect_finding(&w.d, DIAG_HOST, "run() takes 1 positional argument but 3 were given", "");
    world_close(&w);
    world_open(&w, 1 << 20);
    assert_false(world_run(&w, "def run(x, y, z, w):\n    return x\n"));
    expect_finding(&w.d, DIAG_HOST, "run() missing 1 required positional argument: 'w'", "");
    world_close(&w);
    world_open(&w, 1 << 20);
    assert_true(world_run(&w, "def run(*inputs):\n    x, s, t = inputs\n    return t\n"));
    assert_int_equal(w.out.dtype, DT_I64);
    world_close(&w);
}

// What run(x, s, t) returns, where x is changed in place and a tensor of its own belongs behind it.
static bool gives(World *w, const char *body, const HostOutput *want, int outputs, Tensor *out) {
    Buf b = BUF(&w->arena);
    buf_printf(&b, "def run(x, s, t):\n    y = torch.empty_like(x)\n    %s\n", body);
    HostProgram *p = host_program(&w->m, NULL, parsed(&w->arena, buf_cstr(&b)));
    host_expect(p, want, outputs);
    return host_build(p, w->in, 3) && host_call(p, w->in, 3, out);
}

// A caller of many calls may keep what the module's statements have made.
static void test_a_module_is_defined_once(void **state) {
    (void)state;
    World w;
    Tensor out;
    world_open(&w, 1 << 20);
    HostProgram *p =
        host_program(&w.m, NULL, parsed(&w.arena, "N = 3 + 4\ndef run(x, s, t):\n    return x\n"));
    int64_t before = w.m.steps_left;
    assert_true(host_define(p));
    int64_t left = w.m.steps_left;
    assert_true(left < before && host_define(p) && w.m.steps_left == left);
    assert_true(host_build(p, w.in, 3) && w.m.steps_left == left && host_call(p, w.in, 3, &out));
    world_close(&w);
    world_open(&w, 1 << 20);
    p = host_program(&w.m, NULL, parsed(&w.arena, "N = 3 // 0\ndef run(x, s, t):\n    return x\n"));
    assert_false(host_define(p));
    world_close(&w);
}

// Memory of a call is used again where nothing that was there before leads to it.
static void test_a_launch_leaves_no_address(void **state) {
    (void)state;
    static _Alignas(64) char memory[1 << 22];
    World w;
    Arena fixed;
    world_open(&w, 1 << 20);
    arena_over(&fixed, memory, sizeof memory);
    DiagList d = DIAGS(&fixed);
    Machine *m = NEW(&fixed, Machine);
    machine_init(m, &fixed, &d, 1 << 22);
    Tensor x = w.in[0], out;
    assert_true(storage_wrap(&m->storages, DT_F32, w.x, sizeof w.x, &x.storage));
    tensor_expose(&x, SHADOW_ALLOC | SHADOW_INIT);
    HostProgram *p = host_program(
        m, NULL,
        parsed(&w.arena, arena_printf(&w.arena, "%s%s", doubling_head, RUN("    return double(x)\n"))));
    assert_true(host_build(p, &x, 1));
    ArenaMark mark = arena_mark(&fixed);
    assert_true(host_call(p, &x, 1, &out) && m->count.launches == 1);
    assert_true(arena_points_behind(&fixed, mark, NULL, 0)); // to the answer
    memset(m->storages.at + 1, 0, sizeof *m->storages.at * (size_t)(m->storages.count - 1));
    assert_false(arena_points_behind(&fixed, mark, NULL, 0));
    arena_free(&fixed);
    world_close(&w);
}

static void test_several_outputs(void **state) {
    (void)state;
    static const HostOutput both[] = {{0}, {-1}}, own[] = {{-1}, {-1}}, in_place[] = {{0}};
    static const struct {
        const HostOutput *want;
        int outputs;
        const char *body, *refused; // NULL: taken
    } cases[] = {
        {both, 2, "return x, y", NULL},
        {both, 2, "return [x, y]", NULL},
        {both, 2, "return y", NULL},
        {both, 2, "return (y,)", NULL},
        {both, 2, "return y, y", "return the input itself there"},
        {both, 2, "return x.view(8, 4), y", "return the input itself there"},
        {both, 2, "return s, y", "return the input itself there"},
        {both, 2, "return",
         "run() must return 2 tensors, or the 1 that is not changed in place, but it returned"},
        {both, 2, "return x, y, y", "but it returned 3"},
        {own, 2, "return y, x", NULL}, // whose bytes they are is not asked here
        {own, 2, "return y", "run() must return 2 tensors, but it returned a Tensor"},
        {own, 2, "return y, 1", "a int among them"},
        {own, 2, "return x.shape", "a int among them"},
        {in_place, 1, "return", NULL},
        {in_place, 1, "return x", NULL},
        {in_place, 1, "return y", "return the input itself there"},
        {in_place, 1, "return (x,)", "the input that is changed in place, or nothing"},
        {own, 1, "return (y,)", "run() must return one tensor, but it returned a tuple"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        World w;
        Tensor out[HOST_OUTPUTS_MAX];
        world_open(&w, 1 << 20);
        bool taken = gives(&w, cases[i].body, cases[i].want, cases[i].outputs, out);
        if (taken != !cases[i].refused) fail_msg("%s: %s", cases[i].body, taken ? "taken" : w.d.at[0].msg);
        if (!taken) expect_finding(&w.d, DIAG_HOST, cases[i].refused, "");
        if (taken && cases[i].want[0].input == 0) assert_ptr_equal(out[0].storage, w.in[0].storage);
        if (taken && cases[i].outputs == 2) assert_ptr_not_equal(out[0].storage, out[1].storage);
        world_close(&w);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_features),
        cmocka_unit_test(test_what_stays_refused),
        cmocka_unit_test(test_wrong_number_of_inputs),
        cmocka_unit_test(test_a_module_is_defined_once),
        cmocka_unit_test(test_a_launch_leaves_no_address),
        cmocka_unit_test(test_several_outputs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
