// Texts and f-strings, as Python reads them.
#include "lang/parse/trees.h"

static void test_strings(void **state) {
    (void)state;
    const Node *n = expression("'a\\tb'");
    assert_true(str_is(n->string.text, "a\tb"));
    assert_false(n->string.bytes);
    n = expression("b'\\xff\\0'");
    assert_true(n->string.bytes);
    assert_int_equal(n->string.text.len, 2);
    assert_memory_equal(n->string.text.p, "\xff\0", 2);
    assert_true(str_is(expression("'\\xe9\\u20ac'")->string.text, "\xc3\xa9\xe2\x82\xac"));
    assert_true(str_is(expression("'''a\r\nb\rc'''")->string.text, "a\nb\nc"));
    assert_true(str_is(expression("r'\\n'")->string.text, "\\n"));
    assert_true(str_is(expression("'\\a\\b\\f\\v\\'\\\"'")->string.text, "\a\b\f\v'\""));
}

static void test_fstrings(void **state) {
    (void)state;
    const Node *n = expression("f'a{b}{c!r:>{d}.2f}{{e}}'");
    assert_int_equal(n->kind, NODE_FSTRING);
    assert_int_equal(n->items.n, 4);
    assert_true(str_is(n->items.at[0]->string.text, "a"));
    assert_true(node_is_name(n->items.at[1], "b"));
    const Node *f = n->items.at[2];
    assert_int_equal(f->kind, NODE_FORMAT);
    assert_int_equal(f->format.conversion, 'r');
    assert_int_equal(f->format.spec->items.n, 3);
    assert_true(str_is(f->format.spec->items.at[2]->string.text, ".2f"));
    assert_true(str_is(n->items.at[3]->string.text, "{e}"));
    assert_int_equal(expression("f''")->items.n, 0);
    assert_true(str_is(expression("f'''{\n1\n+ 2}''' '''\\x7b'''")->items.at[1]->string.text, "{"));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(test_strings),
        TEST(test_fstrings),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
