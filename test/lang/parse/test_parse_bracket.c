// What stands in brackets: arguments and parameters.
#include "lang/parse/trees.h"

static void test_parameters(void **state) {
    (void)state;
    const Node *f =
        statement("def f(a, b: int = 1, /, c=2, *rest, d, e: tl.constexpr = 3, **more) -> None: pass");
    const Nodes *ps = &f->function.params;
    assert_int_equal(ps->n, 7);
    static const struct {
        const char *name;
        ParamKind kind;
        bool positional, annotated, defaulted;
    } expected[] = {
        {"a", PARAM_PLAIN, true, false, false},          {"b", PARAM_PLAIN, true, true, true},
        {"c", PARAM_PLAIN, false, false, true},          {"rest", PARAM_STAR, false, false, false},
        {"d", PARAM_KWONLY, false, false, false},        {"e", PARAM_KWONLY, false, true, true},
        {"more", PARAM_DOUBLESTAR, false, false, false},
    };
    for (int i = 0; i < ps->n; i++) {
        const Node *p = ps->at[i];
        assert_true(str_is(p->param.name, expected[i].name));
        assert_int_equal(p->param.kind, expected[i].kind);
        assert_int_equal(p->param.positional_only, expected[i].positional);
        assert_int_equal(p->param.annotation != NULL, expected[i].annotated);
        assert_int_equal(p->param.def != NULL, expected[i].defaulted);
    }
    ps = &statement("def f(*, a): pass")->function.params;
    assert_int_equal(ps->at[0]->param.kind, PARAM_STAR);
    assert_int_equal(ps->at[0]->param.name.len, 0);
    assert_int_equal(ps->at[1]->param.kind, PARAM_KWONLY);
}

static void test_calls(void **state) {
    (void)state;
    const Node *n = expression("f(a, k=1, *b, **c)");
    assert_int_equal(n->call.args.n, 2);
    assert_int_equal(n->call.args.at[1]->kind, NODE_STARRED);
    assert_int_equal(n->call.keywords.n, 2);
    assert_true(str_is(n->call.keywords.at[0]->keyword.name, "k"));
    assert_int_equal(n->call.keywords.at[1]->keyword.name.len, 0);
}

static void test_limit_of_parameters(void **state) {
    (void)state;
    for (int over = 0; over < 2; over++) {
        Buf b = BUF(&arena);
        buf_puts(&b, "def f(");
        for (int i = 0; i < PARAMS_MAX + over; i++) buf_printf(&b, "a%d, ", i);
        buf_puts(&b, "): pass");
        if (over)
            refused(buf_str(&b), "parameters");
        else
            parse_str(buf_str(&b));
        Buf call = BUF(&arena);
        buf_puts(&call, "f(");
        for (int i = 0; i < PARAMS_MAX + over; i++) buf_printf(&call, "a%d=0, ", i);
        buf_puts(&call, ")");
        if (over)
            refused(buf_str(&call), "keyword arguments");
        else
            parse_str(buf_str(&call));
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(test_calls),
        TEST(test_parameters),
        TEST(test_limit_of_parameters),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
