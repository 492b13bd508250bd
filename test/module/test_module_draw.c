// What the referee draws: by role, by name, from a seed; stored values of their type.
#include "module/modules.h"

static ModuleRun run_with(const char *init, const char *inputs, const ModuleAsk *ask) {
    ModuleFile m = file_of(model_text(init, "return x", inputs));
    return evaluated(&m, ask);
}

static void by_role(void **state) {
    (void)state;
    ModuleRun r = run_with("self.fc = nn.Linear(400, 50); self.n = nn.BatchNorm1d(2000)", "torch.rand(2)",
                           &(ModuleAsk){.seed = 7});
    double squares = 0;
    const Bound *w = tensor_named(&r, "fc.weight");
    for (int64_t i = 0; i < w->numel; i++) squares += w->v[i] * w->v[i] / (double)w->numel;
    assert_true(squares > 0.9 / 400 && squares < 1.1 / 400); // a sum of 400 products has the inputs' size
    int negative = 0;
    for (int64_t i = 0; i < 2000; i++) {
        double g = tensor_named(&r, "n.weight")->v[i], v = tensor_named(&r, "n.running_var")->v[i];
        assert_true(fabs(g) >= 0.5 && fabs(g) <= 1.5 && v >= 0.25 && v <= 2.25);
        assert_true(tensor_named(&r, "n.bias")->v[i] != 0 && tensor_named(&r, "n.running_mean")->v[i] != 0);
        negative += g < 0;
    }
    assert_true(negative > 800 && negative < 1200);
    for (int k = 0; k < r.tensors; k++)
        for (int64_t i = 0; i < r.tensor[k].value->numel; i++) {
            double x = r.tensor[k].value->v[i];
            assert_true(x == (double)(float)x && fabs(x) >= 0x1p-21);
        }
}

static void inputs_wide_and_published(void **state) {
    (void)state;
    const char *inputs = "torch.rand(40, 50), torch.rand(40) * 2, torch.randint(3, 9, (200,)), 0.5";
    ModuleRun wide = run_with("pass", inputs, &(ModuleAsk){.seed = 1}),
              plain = run_with("pass", inputs, &(ModuleAsk){.seed = 1, .published = true});
    const Bound *x = wide.input[0].tensor, *p = plain.input[0].tensor;
    int negative = 0, large = 0;
    for (int64_t i = 0; i < x->numel; i++) {
        negative += x->v[i]<0, large += fabs(x->v[i])> 5;
        assert_true(x->v[i] == (double)(float)x->v[i] && p->v[i] >= 0 && p->v[i] < 1);
    }
    assert_true(negative > 800 && negative < 1200 && large > 10);
    assert_null(x->e);
    // What the file computes of random numbers it gets as it computes it, as stored values.
    const Bound *y = wide.input[1].tensor;
    assert_memory_equal(y->v, plain.input[1].tensor->v, sizeof(double) * 40);
    for (int i = 0; i < 40; i++)
        assert_true(y->v[i] >= 0 && y->v[i] < 2 && y->v[i] == (double)(float)y->v[i]);
    const Bound *n = wide.input[2].tensor;
    bool seen[9] = {false};
    for (int i = 0; i < 200; i++) {
        assert_true(n->v[i] >= 3 && n->v[i] < 9);
        seen[(int)n->v[i]] = true;
    }
    for (int k = 3; k < 9; k++) assert_true(seen[k]);
    assert_int_equal(n->dtype, DT_I64);
    assert_null(wide.input[3].tensor);
    assert_true(str_is(wide.input[3].text, "0.5"));
}

static void from_a_seed(void **state) {
    (void)state;
    const char *inputs = "torch.rand(4, 5), torch.randn(4, 5)";
    ModuleRun a = run_with("pass", inputs, &(ModuleAsk){.seed = 1}),
              b = run_with("pass", inputs, &(ModuleAsk){.seed = 1}),
              c = run_with("pass", inputs, &(ModuleAsk){.seed = 2});
    assert_memory_equal(a.input[0].tensor->v, b.input[0].tensor->v, sizeof(double) * 20);
    assert_memory_not_equal(a.input[0].tensor->v, c.input[0].tensor->v, sizeof(double) * 20);
    assert_memory_not_equal(a.input[0].tensor->v, a.input[1].tensor->v, sizeof(double) * 20);
}

static void shapes_have_no_values(void **state) {
    (void)state;
    ModuleRun r = run_with("self.fc = nn.Linear(1 << 16, 1 << 16)", "torch.rand(1 << 16, 1 << 16)",
                           &(ModuleAsk){.shapes = true});
    assert_null(r.input[0].tensor->v);
    assert_null(tensor_named(&r, "fc.weight")->v);
    assert_true(r.tensor[0].value->numel == (int64_t)1 << 32);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(by_role, arena_teardown),
        cmocka_unit_test_teardown(inputs_wide_and_published, arena_teardown),
        cmocka_unit_test_teardown(from_a_seed, arena_teardown),
        cmocka_unit_test_teardown(shapes_have_no_values, arena_teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
