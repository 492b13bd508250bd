// The self-test's programs as data: each says what it is for, parses where it should, and no op goes without.
#include "op/programs.h"

static bool expects(const Program *p, const char *status) {
    const char *e = str_cdup(&arena, p->expect), *at = strstr(e, status);
    size_t n = strlen(status);
    return at && (at == e || at[-1] == '|') && (at[n] == 0 || at[n] == '|');
}

static void headers_are_complete(void **state) {
    (void)state;
    for (int i = 0; i < count; i++) {
        Op op;
        if (!op_find(&arena, all[i].op, &op)) fail_msg("%s: no op \"%.*s\"", all[i].name, STR_ARG(all[i].op));
        if (all[i].about.len < 10) fail_msg("%s: says nothing about itself", all[i].name);
        // What aims at a measurement alone is right otherwise.
        if (all[i].needs.len) continue;
        bool right = all[i].kind == PROGRAM_GOLD || all[i].kind == PROGRAM_HONEST;
        if (right != expects(&all[i], "ok"))
            fail_msg("%s: expects %.*s", all[i].name, STR_ARG(all[i].expect));
        if (right && !str_is(all[i].expect, "ok")) fail_msg("%s: expects more than ok", all[i].name);
        if (all[i].level.len && !str_is(all[i].level, "full")) fail_msg("%s: unknown level", all[i].name);
        if (memchr(all[i].expect.p, ' ', all[i].expect.len)) fail_msg("%s: space in statuses", all[i].name);
    }
}

static void names_are_unique(void **state) {
    (void)state;
    for (int i = 0; i < count; i++)
        for (int k = 0; k < i; k++)
            if (strcmp(all[i].name, all[k].name) == 0) fail_msg("two programs named %s", all[i].name);
}

static void sources_parse(void **state) {
    (void)state;
    int broken = 0;
    for (int i = 0; i < count; i++) {
        DiagList d = DIAGS(&arena);
        const Node *module = parse_module(&arena, all[i].source, &d);
        if (!module && !expects(&all[i], "parse_reject"))
            fail_msg("%s: %s", all[i].name, diag_first(&d)->msg);
        broken += !module;
        bool runs = module && (module_function(module, STR("run")) || entry_model(module));
        if (!runs && !expects(&all[i], "parse_reject")) fail_msg("%s: no run()", all[i].name);
    }
    assert_true(broken >= 1); // the parser does refuse something
}

// forward() of a ModelNew takes the op's first inputs; the others are its parameters.
static bool forward_matches(const Node *model, const Op *op) {
    for (int i = 0; i < model->klass.body.n; i++) {
        const Node *f = model->klass.body.at[i];
        if (f->kind != NODE_FUNCTION || !str_is(f->function.name, "forward")) continue;
        Nodes params = f->function.params;
        if (params.n < 2 || params.n - 1 > op->inputs) return false;
        for (int k = 1; k < params.n; k++)
            if (!str_eq(params.at[k]->param.name, op->input[k - 1].name)) return false;
        return true;
    }
    return false;
}

// run() takes exactly the op's inputs, and what has a default: a right program that did not would be rejected
// for the wrong reason.
static void signatures_match(void **state) {
    (void)state;
    for (int i = 0; i < count; i++) {
        if (expects(&all[i], "parse_reject")) continue;
        DiagList d = DIAGS(&arena);
        const Node *module = parse_module(&arena, all[i].source, &d);
        const Node *run = module_function(module, STR("run"));
        Op op;
        assert_true(op_find(&arena, all[i].op, &op));
        if (!run) {
            if (!forward_matches(entry_model(module), &op))
                fail_msg("%s: forward() takes other inputs", all[i].name);
            continue;
        }
        Nodes params = run->function.params;
        if (params.n < op.inputs) fail_msg("%s: run() takes other inputs", all[i].name);
        for (int k = 0; k < params.n; k++)
            if (k < op.inputs ? !str_eq(params.at[k]->param.name, op.input[k].name)
                              : !params.at[k]->param.def)
                fail_msg("%s: run() takes other inputs", all[i].name);
    }
}

static int count_of(Str op, ProgramKind kind) {
    int n = 0;
    for (int i = 0; i < count; i++) n += all[i].kind == kind && str_eq(all[i].op, op);
    return n;
}

static void every_op_is_covered(void **state) {
    (void)state;
    int ops;
    const Str *name = op_names(&arena, &ops);
    for (int i = 0; i < ops; i++) {
        if (count_of(name[i], PROGRAM_GOLD) < 1) fail_msg("no gold for %.*s", STR_ARG(name[i]));
        if (count_of(name[i], PROGRAM_WRONG) < 2) fail_msg("too few wrongs for %.*s", STR_ARG(name[i]));
    }
}

static void enough_of_each(void **state) {
    (void)state;
    int kind[4] = {0};
    for (int i = 0; i < count; i++) kind[all[i].kind]++;
    assert_true(kind[PROGRAM_GOLD] >= 103 && kind[PROGRAM_WRONG] >= 206);
    assert_true(kind[PROGRAM_CHEAT] >= 30 && kind[PROGRAM_HONEST] >= 24);
}

// Every status that a candidate can earn on this machine is what at least one program must show.
static void statuses_are_shown(void **state) {
    (void)state;
    static const char *const status[] = {"ok",        "parse_reject", "compile_fail",     "host_error",
                                         "oob",       "uninit_read",  "uncovered_output", "input_write",
                                         "race",      "bad_value",    "wrong_shape",      "wrong_dtype",
                                         "incorrect", "inaccurate",   "nan_class",        "timeout"};
    for (size_t s = 0; s < sizeof status / sizeof *status; s++) {
        bool shown = false;
        for (int i = 0; i < count && !shown; i++) shown = expects(&all[i], status[s]);
        if (!shown) fail_msg("no program expects %s", status[s]);
    }
    // What is not read has shown nothing: such programs stand in test/host/constructs.
    for (int i = 0; i < count; i++) assert_false(expects(&all[i], "unsupported"));
}

int main(void) {
    all = op_programs(&arena, &count);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(headers_are_complete), cmocka_unit_test(names_are_unique),
        cmocka_unit_test(sources_parse),        cmocka_unit_test(signatures_match),
        cmocka_unit_test(every_op_is_covered),  cmocka_unit_test(enough_of_each),
        cmocka_unit_test(statuses_are_shown),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    arena_free(&arena);
    return failed;
}
