// What the entry of a file comes to: edits stand there alone.
#include "edits.h"

#include "mutate/reached.h"

#define FILE_OF(run)                                                                                        \
    "import triton\nK = 3\nL = K + 1\nT = [half]\n@triton.jit\ndef kernel(x):\n    pass\n@triton.jit\ndef " \
    "other(x):\n    pass\n"                                                                                 \
    "def half(x):\n    return L\ndef never(x):\n    return half(x)\nclass Way:\n    def f(self):\n        " \
    "return kernel\n" run

static void expect(const char *source, const char *name, bool there) {
    Reached r;
    const Node *module = try_parse(str_of(source), NULL);
    assert_non_null(module);
    reached_find(&arena, module, &r);
    for (int i = 0; i < module->module.body.n; i++) {
        const Node *n = module->module.body.at[i];
        Str own = n->kind == NODE_CLASS      ? n->klass.name
                  : n->kind == NODE_FUNCTION ? n->function.name
                                             : (Str){0};
        if (str_is(own, name) && reached_has(&r, n) != there) fail_msg("%s in\n%s", name, source);
        if (!own.len) assert_true(reached_has(&r, n)); // runs whenever the file is read
    }
}

static void names_lead_on(void **state) {
    (void)state;
    const char *by_class = FILE_OF("def run(x):\n    return Way().f()\n"),
               *by_table = FILE_OF("def run(x):\n    return T[0](x)\n"),
               *by_model = FILE_OF("class ModelNew:\n    def forward(self, x):\n        return half(x)\n"),
               *by_name = FILE_OF("run = never\n");
    expect(by_class, "Way", true);
    expect(by_class, "kernel", true);
    expect(by_class, "other", false);
    expect(by_class, "half", false);
    expect(by_class, "run", true);
    expect(by_table, "half", true);
    expect(by_table, "never", false);
    expect(by_table, "kernel", false);
    expect(by_model, "half", true);
    expect(by_model, "Way", false);
    for (int i = 0; i < 4; i++) // no definition to enter by: all may be reached
        expect(by_name, (const char *[]){"kernel", "other", "half", "never"}[i], true);
}

static void edits_stand_there_alone(void **state) {
    (void)state;
    const char *two = "@jit\ndef soft(p, a, b):\n    tl.store(p, a - b)\n"
                      "@jit\ndef hard(p, a, b):\n    tl.store(p, a - b)\n";
    Mutants both = mutants_of(two);
    Mutants one = mutants_of(arena_printf(&arena, "%sdef run(x):\n    soft[(1,)](x, 1, 2)\n", two));
    bool in_hard = false;
    assert_true(both.n > 0 && one.n > 0);
    for (int i = 0; i < both.n; i++) in_hard |= both.at[i].line > 3;
    assert_true(in_hard);
    for (int i = 0; i < one.n; i++)
        if (one.at[i].line >= 4 && one.at[i].line <= 6) fail_msg("line %d", one.at[i].line);
}

static int teardown(void **state) {
    (void)state;
    arena_free(&arena);
    return 0;
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(names_lead_on),
                                       cmocka_unit_test(edits_stand_there_alone)};
    return cmocka_run_group_tests(tests, NULL, teardown);
}
