// Expressions: how tightly operators bind, and where each node stands.
#include "lang/parse/trees.h"

static void test_binding_of_operators(void **state) {
    (void)state;
    // Each source beside the same with every parenthesis written out.
    static const char *const same[][2] = {
        {"a + b * c", "a + (b * c)"},
        {"a - b - c", "(a - b) - c"},
        {"a ** b ** c", "a ** (b ** c)"},
        {"-a ** b", "-(a ** b)"},
        {"a ** -b", "a ** (-b)"},
        {"not a == b", "not (a == b)"},
        {"a or b and not c", "a or (b and (not c))"},
        {"a | b ^ c & d << e + f * -g", "a | (b ^ (c & (d << (e + (f * (-g))))))"},
        {"a if b else c if d else e", "a if b else (c if d else e)"},
        {"lambda: a if b else c", "lambda: (a if b else c)"},
        {"a < b | c", "a < (b | c)"},
        {"a @ b // c % d / e", "(((a @ b) // c) % d) / e"},
        {"~a.b[c](d)", "~(((a.b)[c])(d))"},
        {"a >> b << c", "(a >> b) << c"},
        {"x = yield a, b", "x = (yield (a, b))"},
        {"a, = b", "(a,) = b"},
        {"x[1, 2]", "x[(1, 2)]"},
        {"f(x for x in y)", "f((x for x in y))"},
        {"with (a as b, c): pass", "with a as b, c: pass"},
        {"with (a, b): pass", "with a, b: pass"},
        {"with (a): pass", "with a: pass"},
        {"if a:\n b\nelif c:\n d\nelse:\n e", "if a:\n b\nelse:\n if c:\n  d\n else:\n  e"},
        {"'a' \"b\" '''c'''", "'abc'"},
        {"f'{a}' 'b' f'c{d}'", "f'{a}bc{d}'"},
        {"f'{\"x\"}y'", "f'xy'"},
        {"f'{a = }'", "f'a = {a!r}'"},
        {"f'{a=:>5}'", "f'a={a:>5}'"},
        {"b'a' rb'\\b'", "b'a\\x5cb'"},
        {"'\\x41\\101\\u0041\\U00000041\\q\\\n'", "'AAAA\\\\q'"},
        {"0x10 + 0b11 + 0o17 + 1_0", "16 + 3 + 15 + 10"},
        {"import a . b", "import a.b"},
        {"from .. import (a, b as c,)", "from .. import a, b as c"},
        {"for x in a, b: pass", "for x in (a, b): pass"},
        {"def f(a, b): return a, b", "def f(a, b):\n  return (a, b)\n"},
        {"a; b; c;", "a\nb\nc"},
    };
    for (size_t i = 0; i < sizeof same / sizeof *same; i++) {
        const char *head = strstr(same[i][0], "yield") ? "def f():\n " : "";
        const char *l = arena_printf(&arena, "%s%s", head, same[i][0]);
        const char *r = arena_printf(&arena, "%s%s", head, same[i][1]);
        if (!node_equal(parse_text(l), parse_text(r))) fail_msg("%s\nis not\n%s", same[i][0], same[i][1]);
    }
}

static void test_trees_that_differ(void **state) {
    (void)state;
    static const char *const differ[][2] = {
        {"(a < b) < c", "a < b < c"},
        {"(a and b) and c", "a and b and c"},
        {"1", "1.0"},
        {"1", "True"},
        {"'a'", "b'a'"},
        {"'a'", "f'a'"},
        {"f(a=1)", "f(b=1)"},
        {"f(a)", "f(*a)"},
        {"x[a:b]", "x[a:b:1]"},
        {"a is not b", "a is (not b)"},
        {"a + b", "a - b"},
        {"[a]", "(a,)"},
        {"x: int", "x: float"},
        {"def f(a, /): pass", "def f(a): pass"},
        {"def f(*, a): pass", "def f(a): pass"},
        {"yield_", "yields"},
        {"{a: b}", "{**a, c: b}"},
        {"import a", "from a import b"},
        {"from . import a", "from .. import a"},
        {"[a for a in b]", "{a for a in b}"},
        {"a = b", "a = b = c"},
        {"a += b", "a -= b"},
        {"x = 340282366920938463463374607431768211456", "x = 340282366920938463463374607431768211457"},
    };
    for (size_t i = 0; i < sizeof differ / sizeof *differ; i++) {
        for (int k = 0; k < 2; k++)
            if (node_equal(parse_text(differ[i][0]), parse_text(differ[i][1])) ||
                !node_equal(parse_text(differ[i][k]), parse_text(differ[i][k])))
                fail_msg("%s and %s", differ[i][0], differ[i][1]);
    }
}

static void test_spans(void **state) {
    (void)state;
    const char *source = "x = foo(a, b) + 1\nif y:\n    z";
    const Node *m = parse_text(source);
    const Node *assign = m->module.body.at[0], *sum = assign->assign.value;
    assert_int_equal(assign->span.at, 0);
    assert_int_equal(assign->span.len, strlen("x = foo(a, b) + 1"));
    assert_int_equal(sum->span.at, 4);
    assert_int_equal(sum->span.len, strlen("foo(a, b) + 1"));
    assert_int_equal(sum->binary.left->span.len, strlen("foo(a, b)"));
    assert_int_equal(sum->binary.right->span.at, 16);
    const Node *branch = m->module.body.at[1];
    assert_int_equal(branch->span.at, 18);
    assert_int_equal(branch->branch.then.at[0]->span.at, strlen(source) - 1);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(test_binding_of_operators),
        TEST(test_trees_that_differ),
        TEST(test_spans),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
