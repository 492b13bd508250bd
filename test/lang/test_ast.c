// Trees: which are equal, what a module binds, and names with dots.
#include "lang_test.h"

static void equal_trees(void **state) {
    (void)state;
    static const char *const same[][2] = {
        {"x = a + 1\n", "x=a+ 1  # words\n"}, {"f(a, b=2)\n", "f(a,\n  b=2)\n"}, {"x = 0x10\n", "x = 16\n"}};
    for (size_t i = 0; i < sizeof same / sizeof *same; i++)
        if (!node_equal(parse_text(same[i][0]), parse_text(same[i][1]))) fail_msg("%s", same[i][0]);
    static const char *const other[] = {
        "x = a + 1\n",   "x = a - 1\n",   "x = a + 2\n",  "x = b + 1\n", "y = a + 1\n",  "x += a + 1\n",
        "x = a + 1.0\n", "x = (a, 1)\n",  "x = [a, 1]\n", "x = a < 1\n", "x = a <= 1\n", "x = a\n",
        "x = 'a'\n",     "x = a, 1, 1\n", "x = f(a)\n",   "x = f(*a)\n", "x = f(a=a)\n"};
    enum { OTHERS = sizeof other / sizeof *other };
    for (int i = 0; i < OTHERS; i++)
        for (int k = 0; k < OTHERS; k++)
            assert_int_equal(node_equal(parse_text(other[i]), parse_text(other[k])), i == k);
    assert_true(node_equal(NULL, NULL));
    assert_false(node_equal(parse_text("x\n"), NULL));
}

static void count(void *arg, const Node *child) {
    (void)child;
    ++*(int *)arg;
}

static void children_are_met_once(void **state) {
    (void)state;
    const Node *call = parse_text("f(a, *b, c=1)\n")->module.body.at[0]->value;
    int n = 0;
    node_each_child(call, count, &n);
    assert_int_equal(n, 4);
    n = 0;
    node_each_child(parse_text("x\n")->module.body.at[0]->value, count, &n);
    assert_int_equal(n, 0);
}

static void the_last_binding_counts(void **state) {
    (void)state;
    const Node
        *m = parse_text(
            "def f():\n    return 1\ndef g():\n    def f2():\n        pass\ndef f():\n    return 2\nK = 3\n"
            "import torch\nfrom math import sqrt as root\n"),
        *alias = NULL;
    assert_ptr_equal(module_function(m, STR("f")), m->module.body.at[2]);
    assert_null(module_function(m, STR("f2"))); // not the module's own
    assert_null(module_function(m, STR("K")));
    assert_ptr_equal(module_binding(m, STR("K"), &alias), m->module.body.at[3]);
    assert_non_null(module_binding(m, STR("torch"), &alias));
    assert_non_null(module_binding(m, STR("root"), &alias));
    assert_null(module_binding(m, STR("sqrt"), &alias));
    assert_null(module_binding(m, STR("nowhere"), &alias));
}

static void dotted_names(void **state) {
    (void)state;
    static const struct {
        const char *source, *dotted; // NULL: none
    } rows[] = {{"a\n", "a"}, {"a.b.c\n", "a.b.c"}, {"a().b\n", NULL}, {"a[0].b\n", NULL}, {"1\n", NULL}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        Buf b = BUF(&arena);
        bool is = node_dotted(parse_text(rows[i].source)->module.body.at[0]->value, &b);
        assert_int_equal(is, rows[i].dotted != NULL);
        if (is) assert_string_equal(buf_cstr(&b), rows[i].dotted);
    }
    const Node *n = parse_text("abc\n")->module.body.at[0]->value;
    assert_true(node_is_name(n, "abc") && !node_is_name(n, "ab") && !node_is_name(n, "abcd"));
}

static void words_for_all(void **state) {
    (void)state;
    for (int k = 0; k < NODE_COUNT; k++) assert_true(*node_kind_name((NodeKind)k));
    assert_string_equal(oper_text(OPER_ADD), "+");
    assert_string_equal(oper_text(OPER_FLOORDIV), "//");
    assert_string_equal(oper_method(OPER_ADD), "__add__");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(equal_trees),  TEST(children_are_met_once), TEST(the_last_binding_counts),
        TEST(dotted_names), TEST(words_for_all),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
