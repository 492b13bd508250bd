// The canonical printer: fixed texts, the golden corpus, and random trees: parse(print(tree)) is the tree.
#include "lang_test.h"

#include <dirent.h>
#include <math.h>

#include "base/io.h"
#include "lang/text.h"
#include "random_ast.h"

static void check_text(const char *source, const char *expected) {
    const char *got = printed(parse_text(source));
    if (strcmp(got, expected) != 0) fail_msg("%s\nprints as\n%s\ninstead of\n%s", source, got, expected);
    assert_string_equal(printed(parse_text(got)), expected);
}

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

static void test_statements(void **state) {
    (void)state;
    check_text("a;b;", "a\nb\n");
    check_text("if a:b\nelif c:d\nelse:e", "if a:\n    b\nelif c:\n    d\nelse:\n    e\n");
    check_text("if a:b\nelse:\n if c:d", "if a:\n    b\nelif c:\n    d\n");
    check_text("if a:b\nelse:\n if c:d\n e", "if a:\n    b\nelse:\n    if c:\n        d\n    e\n");
    check_text("for(a,b)in(c,d):break\nelse:pass", "for a, b in c, d:\n    break\nelse:\n    pass\n");
    check_text("while(a):continue", "while a:\n    continue\n");
    check_text("with(a as b,c):pass", "with a as b, c:\n    pass\n");
    check_text("with((a,b)):pass", "with ((a, b)):\n    pass\n");
    check_text("with(a,b)as c:pass", "with (a, b) as c:\n    pass\n");
    check_text("with(a):pass", "with a:\n    pass\n");
    check_text("try:a\nexcept:b\nelse:c\nfinally:d",
               "try:\n    a\nexcept:\n    b\nelse:\n    c\nfinally:\n    d\n");
    check_text("try:a\nexcept(B,C)as d:raise e from f",
               "try:\n    a\nexcept (B, C) as d:\n    raise e from f\n");
    check_text("def f(a,/,b:c=1,*,d=2)->e:return(a,b)",
               "def f(a, /, b: c = 1, *, d=2) -> e:\n    return a, b\n");
    check_text("def f(*a,**b):\n 'doc'\n return", "def f(*a, **b):\n    \"doc\"\n    return\n");
    check_text("async def f():\n async with a:await b\n async for c in d:pass",
               "async def f():\n    async with a:\n        await b\n    async for c in d:\n        pass\n");
    check_text("@a\n@b(c)\nclass D(E,metaclass=F):pass", "@a\n@b(c)\nclass D(E, metaclass=F):\n    pass\n");
    check_text("class C:\n def f():pass\n x=1\n def g():pass",
               "class C:\n    def f():\n        pass\n\n    x = 1\n\n    def g():\n        pass\n");
    check_text("class C((a for b in c)):pass", "class C((a for b in c)):\n    pass\n");
    check_text("a=b=c,d", "a = b = c, d\n");
    check_text("(a,b)=[c,d]=e", "a, b = [c, d] = e\n");
    check_text("(a):b=c", "a: b = c\n");
    check_text("a//=b,c", "a //= b, c\n");
    check_text("def f():\n a=yield b,c\n yield\n yield from d",
               "def f():\n    a = yield b, c\n    yield\n    yield from d\n");
    check_text("import a.b as c,d", "import a.b as c, d\n");
    check_text("from...a import(b as c,d,)", "from ...a import b as c, d\n");
    check_text("from . import*", "from . import *\n");
    check_text("del(a),b[c],(d,e)", "del a, b[c], (d, e)\n");
    check_text("def f():\n global a,b\n def g():\n  nonlocal c",
               "def f():\n    global a, b\n\n    def g():\n        nonlocal c\n");
    check_text("assert(a),(b)", "assert a, b\n");
    check_text("'''a\n\"b\"\\t\\\\'''", "\"\"\"a\n\"b\"\\t\\\\\"\"\"\n");
    check_text("x='''a\nb'''", "x = \"a\\nb\"\n");
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

static void round_trip(const Node *n, const char *what) {
    Buf text = BUF(&arena);
    print_module(&text, n);
    Str s = buf_str(&text);
    Diag found;
    Node *again = try_parse(s, &found);
    if (!again) {
        Buf b = BUF(&arena);
        diag_render(&b, what, s, &found);
        fail_msg("%s", buf_cstr(&b));
    }
    if (!node_equal(n, again)) {
        Buf second = BUF(&arena);
        print_module(&second, again);
        fail_msg("%s: %s\nreads back as\n%s", what, buf_cstr(&text), buf_cstr(&second));
    }
    Buf canon = BUF(&arena), canon_again = BUF(&arena);
    print_canonical(&canon, n);
    print_canonical(&canon_again, again);
    assert_string_equal(buf_cstr(&canon), buf_cstr(&canon_again));
}

static void test_random_trees(void **state) {
    (void)state;
    for (uint64_t seed = 0; seed < 300; seed++) {
        ArenaMark mark = arena_mark(&arena);
        Gen g = {.arena = &arena, .rng = rng_at(seed, 1)};
        round_trip(gen_module(&g), arena_printf(&arena, "seed %llu", (unsigned long long)seed));
        arena_reset(&arena, mark);
    }
}

// "# functions: a b" in the first line: the functions that the module must have.
static void check_functions(const Node *m, Str source) {
    const char *line = strstr(str_cdup(&arena, source_line(source, 1)), "# functions: ");
    assert_non_null(line);
    char *save = NULL, *rest = arena_strndup(&arena, line + 13, strlen(line + 13));
    for (char *name = strtok_r(rest, " ", &save); name; name = strtok_r(NULL, " ", &save))
        if (!module_function(m, str_of(name))) fail_msg("no function %s", name);
}

static void test_golden_corpus(void **state) {
    (void)state;
    static const char dir[] = "test/lang/golden";
    DIR *d = opendir(dir);
    assert_non_null(d);
    int files = 0;
    for (struct dirent *e; (e = readdir(d));) {
        if (!str_ends(str_of(e->d_name), ".py")) continue;
        Err err = {0};
        Str source;
        if (!io_read(&arena, arena_printf(&arena, "%s/%s", dir, e->d_name), SOURCE_MAX, &source, &err))
            fail_msg("%s", err.msg);
        const Node *m = parse_str(source);
        round_trip(m, e->d_name);
        check_functions(m, source);
        files++;
    }
    closedir(d);
    assert_true(files >= 13);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(test_expressions),  TEST(test_statements),    TEST(test_floats),
        TEST(test_random_trees), TEST(test_golden_corpus),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
