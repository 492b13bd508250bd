// Expressions as text: parentheses where they are needed and nowhere else, numbers that come back.
#include "lang/printed.h"

static void test_expressions(void **state) {
    (void)state;
    static const char *const same[] = {
        // in canonical form already
        "a + b * c",
        "(a + b) * c",
        "a - (b - c)",
        "a - b - c",
        "a ** b ** c",
        "(a ** b) ** c",
        "(-a) ** b",
        "-a ** b",
        "a ** -b",
        "2 ** -1",
        "not a",
        "not (a and b)",
        "not a and b",
        "(a or b) and c",
        "a or b or c",
        "(a or b) or c",
        "a < b <= c",
        "(a < b) < c",
        "a is not b",
        "a not in b",
        "(a if b else c) if d else e",
        "a if b else c if d else e",
        "(lambda: a)()",
        "lambda x, *y, z=1, **k: x",
        "lambda x, /, y, *, z: x",
        "lambda: (a, b)",
        "[a for b in c if d if e for f in g]",
        "{a: b for c, d in e}",
        "{a for b in c}",
        "(a for b in c)",
        "f(a for b in c)",
        "f((a for b in c), d)",
        "[*a, b]",
        "{*a}",
        "{**a, b: c}",
        "{}",
        "()",
        "f(*a or b, k=c, **d)",
        "f(a := b)",
        "[a := b, c]",
        "f(k=(a := b))",
        "x[a := b]",
        "x[a:b:c, ..., None, :]",
        "x[a,]",
        "x[()]",
        "x[(a, b),]",
        "x[(a := b):c]",
        "a.b[c](d).e",
        "1 .real",
        "1.5.real",
        "\"a\".b",
        "(-1).x",
        "(a + b).c",
        "f\"a{b}c\"",
        "f\"{a!r:>{b}}{{}}\"",
        "f\"{a['b']}\"",
        "f\"{(lambda: a)()}\"",
        "f\"{(lambda: a)}\"",
        "f\"{ {a}}\"",
        "f\"{ {a: b}[c]!s}\"",
        "f\"{f'{f\"\"\"{a}\"\"\"}'}\"",
        "f\"{(a := b)}\"",
        "f\"{a, b}\"",
        "f\"{a if b else c:d}\"",
        "b\"a\\x00\\xff\"",
        "x = \"\\\"'\\\\\\n\\t\\r\\x01\"",
        "~a",
        "+a",
        "a @ b",
        "a << b + c",
        "a & (b | c)",
        "123456789012345678901234567890",
        "1e999",
        "0.1",
        "1e-05",
        "1e+16",
        "...",
        "a[b][c]",
        "(a, b)[c]",
        "{a, b}",
        "[]",
        "(a < b) + c",
        "(not a) + b",
    };
    for (size_t i = 0; i < sizeof same / sizeof *same; i++)
        check_text(same[i], arena_printf(&arena, "%s\n", same[i]));
    check_text("(a+b)*c", "(a + b) * c\n");
    check_text("((a))", "a\n");
    check_text("-(-(a))", "--a\n");
    check_text("not(not a)", "not not a\n");
    check_text("not a in b", "not a in b\n");
    check_text("(not a) in b", "(not a) in b\n");
    check_text("a-(b-c)", "a - (b - c)\n");
    check_text("(a-b)-c", "a - b - c\n");
    check_text("(-a)**(-b)", "(-a) ** -b\n");
    check_text("-(a**b)", "-a ** b\n");
    check_text("(a,b)", "a, b\n");
    check_text("(a,)", "a,\n");
    check_text("f((a,b))", "f((a, b))\n");
    check_text("f((a for b in c))", "f(a for b in c)\n");
    check_text("lambda:(yield)", "lambda: (yield)\n");
    check_text("x[(1,2)]", "x[1, 2]\n");
    check_text("x[1:2:]", "x[1:2]\n");
    check_text("0x10+1_0+0b1", "16 + 10 + 1\n");
    check_text("1E5+.50+10.", "100000.0 + 0.5 + 10.0\n");
    check_text("'a' 'b'", "\"ab\"\n");
    check_text("r'\\d\"'", "\"\\\\d\\\"\"\n");
    check_text("f'{a}' 'b{'", "f\"{a}b{{\"\n");
    check_text("f'{a=}'", "f\"a={a!r}\"\n");
    check_text("f'{\"x\"}{a[\"k\"]:\\x7b}'", "f\"x{a['k']:\\x7b}\"\n");
    check_text("f\"{f'{f\"{a}\"}'}\"", "f\"{f'{f\"\"\"{a}\"\"\"}'}\"\n");
    check_text("f'{ {1:2}[1] }'", "f\"{ {1: 2}[1]}\"\n");
    check_text("'\\u202e\\xa0\\u20ac'", "\"\\u202e\xc2\xa0\xe2\x82\xac\"\n");
    check_text("(x:=1)", "(x := 1)\n");
    check_text("if (x:=1):pass", "if x := 1:\n    pass\n");
    check_text("a if(b)else(c if d else e)", "a if b else c if d else e\n");
    check_text("(a if b else c)if d else e", "(a if b else c) if d else e\n");
    check_text("a<(b|c)==(d<e)", "a < b | c == (d < e)\n");
    check_text("[(x,y)for(x,y)in z if(x if y else z)]", "[(x, y) for x, y in z if (x if y else z)]\n");
}

static void test_floats(void **state) {
    (void)state;
    static const struct {
        double v;
        const char *repr;
    } cases[] = {
        {0.0, "0.0"},
        {-0.0, "-0.0"},
        {1, "1.0"},
        {0.1, "0.1"},
        {-2.5, "-2.5"},
        {1e-4, "0.0001"},
        {1e-5, "1e-05"},
        {123456789.0, "123456789.0"},
        {1e15, "1000000000000000.0"},
        {1e16, "1e+16"},
        {1e22, "1e+22"},
        {1.5e300, "1.5e+300"},
        {5e-324, "5e-324"},
        {0x1p-1022, "2.2250738585072014e-308"},
        {0x1.fffffffffffffp1023, "1.7976931348623157e+308"},
        {0x1p-44, "5.684341886080802e-14"},
        {0x1p53, "9007199254740992.0"},
        {9007199254740993.0, "9007199254740992.0"},
        {1 / 3.0, "0.3333333333333333"},
        {2 / 3.0, "0.6666666666666666"},
        {0.1 + 0.2, "0.30000000000000004"},
        {1e100, "1e+100"},
        {1.4426950408889634, "1.4426950408889634"},
        {12345.678, "12345.678"},
        {100.0, "100.0"},
        {9.5367431640625e-07, "9.5367431640625e-07"},
        {INFINITY, "inf"},
        {-INFINITY, "-inf"},
        {NAN, "nan"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        Buf b = BUF(&arena);
        float_repr(&b, cases[i].v);
        assert_string_equal(buf_cstr(&b), cases[i].repr);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(test_expressions),
        TEST(test_floats),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
