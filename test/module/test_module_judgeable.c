// Definitions that no test can judge by, and operators that change nothing.
#include "module/modules.h"

static ModuleValues *values_of(const char *init, const char *body, const char *inputs) {
    ModuleFile m = file_of(model_text(init, body, inputs));
    ModuleValues *v = NEW(&arena, ModuleValues);
    DiagList d = DIAGS(&arena);
    if (!module_values(&arena, &m, &(ValuesAsk){.seed = 4, .sizes.work = MODULE_WORK}, v, &d))
        fail_msg("%s: %s", body, d.at[0].msg);
    return v;
}

static void degenerate(const char *init, const char *body, const char *inputs, const char *part) {
    ModuleValues *v = values_of(init, body, inputs);
    if (!v->degenerate || !strstr(v->degenerate, part))
        fail_msg("%s: '%s' instead of '%s'", body, v->degenerate ? v->degenerate : "nothing", part);
}

static void results_that_forget_their_inputs(void **state) {
    (void)state;
    const char *same = "the same for other inputs", *fc = "self.fc = nn.Linear(32, 16)";
    degenerate("pass", "return x - x", "torch.rand(40, 32)", same);
    degenerate("pass", "return torch.zeros_like(x) + 2", "torch.rand(40, 32)", same);
    degenerate(
        fc, "v = self.fc(x).max(dim=1, keepdim=True).values; return F.gelu(v - v.mean(dim=1, keepdim=True))",
        "torch.rand(40, 32)", same);
    degenerate(fc, "return torch.softmax(self.fc(x).sum(dim=1, keepdim=True), dim=1)", "torch.rand(40, 32)",
               same);
    degenerate(fc, "return torch.sigmoid(self.fc(x)) * 1e-9 + 1", "torch.rand(40, 32)", same);
    degenerate(fc, "return torch.relu(-torch.exp(self.fc(x)))", "torch.rand(40, 32)", same);
}

static void places_that_are_never_known(void **state) {
    (void)state;
    degenerate("pass", "return torch.exp(torch.cat([x, x * 0 + 200], dim=1))", "torch.rand(40, 32)",
               "1280 of 2560 places");
}

static void others_pass(void **state) {
    (void)state;
    static const struct {
        const char *init, *body, *inputs;
    } good[] = {
        {"pass", "return x * 2", "torch.rand(40, 32)"},
        {"pass", "return torch.argmax(x, dim=1)", "torch.rand(40, 32)"},
        {"pass", "return torch.mean(x)", "torch.rand(40, 32)"},
        {"self.n = nn.LayerNorm(32)", "return self.n(x)", "torch.rand(40, 32)"},
        {"pass", "return F.cross_entropy(x, y)", "torch.rand(40, 32), torch.randint(0, 32, (40,))"},
        // One of two results depends on them.
        {"pass", "return (x - x, x)", "torch.rand(40, 32)"},
    };
    for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
        ModuleValues *v = values_of(good[i].init, good[i].body, good[i].inputs);
        if (v->degenerate) fail_msg("%s: %s", good[i].body, v->degenerate);
    }
}

static bool moves(const ModuleValues *v, const char *name) {
    for (int i = 0; i < v->run.ops; i++)
        if (str_is(v->run.op[i].name, name)) return v->run.op[i].moves;
    fail_msg("%s was not called", name);
    return true;
}

static void operators_that_change_nothing(void **state) {
    (void)state;
    ModuleValues *v =
        values_of("self.d = nn.Dropout(0.0); self.t = nn.Hardtanh(-1e6, 1e6); self.r = nn.ReLU()",
                  "x = torch.abs(self.t(self.d(x))); x = self.r(x).sum(dim=1, keepdim=True); "
                  "x = torch.max(x, dim=1, keepdim=True)[0]; return torch.logsumexp(x, dim=1) + 1",
                  "torch.rand(40, 32)");
    assert_null(v->degenerate);
    static const char *const idle[] = {"nn.Dropout", "nn.Hardtanh", "nn.ReLU", "torch.max",
                                       "torch.logsumexp"};
    static const char *const work[] = {"torch.abs", ".sum", "+"};
    for (size_t i = 0; i < sizeof idle / sizeof *idle; i++) assert_false(moves(v, idle[i]));
    for (size_t i = 0; i < sizeof work / sizeof *work; i++) assert_true(moves(v, work[i]));
    // One call that does something is enough.
    v = values_of("pass", "return torch.relu(torch.relu(x) - 0.1)", "torch.rand(40, 32)");
    assert_true(moves(v, "torch.relu"));
    Buf out = BUF(&arena);
    ModuleFile m = file_of(model_text("pass", "return torch.relu(torch.abs(x))", "torch.rand(40, 32)"));
    DiagList d = DIAGS(&arena);
    assert_true(module_values(&arena, &m, &(ValuesAsk){.seed = 4, .sizes.work = MODULE_WORK}, v, &d));
    module_describe(&out, &m, v);
    assert_non_null(strstr(buf_cstr(&out), "\nchanges nothing: torch.relu (line 12)\n"));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(results_that_forget_their_inputs, arena_teardown),
        cmocka_unit_test_teardown(places_that_are_never_known, arena_teardown),
        cmocka_unit_test_teardown(others_pass, arena_teardown),
        cmocka_unit_test_teardown(operators_that_change_nothing, arena_teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
