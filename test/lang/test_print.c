// Trees as text: statements, and texts that parse to the same tree again.
#include "lang/printed.h"

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
        TEST(test_statements),
        TEST(test_random_trees),
        TEST(test_golden_corpus),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
