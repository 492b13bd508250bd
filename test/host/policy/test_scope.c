// Which names a piece of code binds, found in its tree alone.
#include "host/policy/scope.h"
#include "host/support.h"

static Arena arena;

static const char *bound(const char *source) {
    Names names = {.arena = &arena};
    names_of_block(&names, &parsed(&arena, source)->module.body, 0);
    Buf b = BUF(&arena);
    for (int i = 0; i < names.n; i++) buf_printf(&b, "%s%.*s", i ? " " : "", STR_ARG(names.at[i]));
    return buf_cstr(&b);
}

static void what_statements_bind(void **state) {
    (void)state;
    static const struct {
        const char *source, *names;
    } rows[] = {{"a = b\n", "a"},
                {"a, (b, *c) = d\n", "a b c"},
                {"a.x = 1\nb[0] = 2\n", ""}, // bind nothing
                {"a += 1\n", "a"},
                {"for i in x:\n    j = i\nelse:\n    k = 1\n", "i j k"},
                {"while x:\n    a = 1\n", "a"},
                {"if x:\n    a = 1\nelse:\n    b = 2\n", "a b"},
                {"with x:\n    c = 1\n", "c"},
                {"def f(a):\n    b = 1\n", "f"}, // what is inside stays there
                {"class C:\n    a = 1\n", "C"},
                {"x(y := 3)\n", "y"},
                {"z = [i for i in range(3)]\n", "z"},
                {"a = 1\na = 2\n", "a"}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        assert_string_equal(bound(rows[i].source), rows[i].names);
}

static void parameters_and_many_names(void **state) {
    (void)state;
    Names names = {.arena = &arena};
    const Node *f = parsed(&arena, "def f(a, b=1, *c, d, **e):\n    pass\n")->module.body.at[0];
    names_of_params(&names, &f->function.params);
    assert_int_equal(names.n, 5);
    assert_true(names_have(&names, STR("a")) && names_have(&names, STR("c")) && names_have(&names, STR("e")));
    assert_false(names_have(&names, STR("f")));
    for (int i = 0; i < 1000; i++) names_add(&names, str_of(arena_printf(&arena, "n%d", i)));
    assert_int_equal(names.n, 1005);
    for (int i = 0; i < 1000; i++) assert_true(names_have(&names, str_of(arena_printf(&arena, "n%d", i))));
    assert_false(names_have(&(Names){0}, STR("a"))); // of nothing
}

static void names_of_one_thing(void **state) {
    (void)state;
    Bindings b;
    names_of_module(
        &b, &arena,
        parsed(&arena,
               "import torch\nA = 1\ndef f(x):\n    A = 2\n    return x\ndef g(x):\n    return x\nB = 3\n"));
    assert_true(bound_once(&b, STR("B")) && bound_once(&b, STR("torch")) && bound_once(&b, STR("f")));
    assert_false(bound_once(&b, STR("A"))); // at two places
    assert_false(bound_once(&b, STR("nowhere")));
}

static void findings_are_one_plain_line(void **state) {
    (void)state;
    DiagList d = DIAGS(&arena);
    diag_clean(&d, DIAG_REFUSED, (Span){1, 2}, "a\n\x1b%s\xe9", "b");
    assert_string_equal(d.at[0].msg, "a??b?");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_statements_bind),
        cmocka_unit_test(parameters_and_many_names),
        cmocka_unit_test(names_of_one_thing),
        cmocka_unit_test(findings_are_one_plain_line),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    arena_free(&arena);
    return failed;
}
