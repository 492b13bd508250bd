// The canonical text: which pairs of programs are one, and which must never be.
#include "lang/canon.h"
#include "lang_test.h"

static void same(const char *a, const char *b) {
    const char *ca = canonical(a), *cb = canonical(b);
    if (strcmp(ca, cb) != 0) fail_msg("differ:\n%s\n--\n%s", ca, cb);
}
static void differ(const char *a, const char *b) {
    const char *ca = canonical(a), *cb = canonical(b);
    if (strcmp(ca, cb) == 0) fail_msg("one text for two programs:\n%s\n--\n%s\n--\n%s", a, b, ca);
}

static void test_text(void **state) {
    (void)state;
    assert_string_equal(canonical("import triton.language as tl\n"
                                  "@triton.jit\n"
                                  "def kern(x_ptr, n: int, B: 'tl.constexpr'):\n"
                                  "    '''what it does'''\n"
                                  "    i = tl.arange(0, B)\n"
                                  "    tl.store(x_ptr + i, 0.0, mask=i < n)\n"
                                  "def run(x) -> torch.Tensor:\n"
                                  "    y: torch.Tensor = torch.empty_like(x)\n"
                                  "    kern[(1,)](y, y.numel(), 0x10)\n"
                                  "    return y\n"),
                        "import triton.language as tl\n\n"
                        "@triton.jit\n"
                        "def $0($1, $2: int, $3: tl.constexpr):\n"
                        "    $4 = tl.arange(0, $3)\n"
                        "    tl.store($1 + $4, 0.0, mask=$4 < $2)\n\n"
                        "def run($5):\n"
                        "    $6 = torch.empty_like($5)\n"
                        "    $0[1,]($6, $6.numel(), 16)\n"
                        "    return $6\n");
}

static void test_formatting_does_not_count(void **state) {
    (void)state;
    same("def f(a): return a+1", "def f(a):\n\n  # says\n  return (a + 0x1)\n");
    same("x = 'a' \"b\"", "x = 'ab'");
    same("a;b", "a\nb");
    same("if a: b\nelif c: d", "if a:\n b\nelse:\n if c:\n  d");
    same("x = 1e-5", "x = 0.00001");
}

static void test_names_do_not_count(void **state) {
    (void)state;
    same("def f(a, b): c = a; return c + b", "def f(x, y): z = x; return z + y");
    same("def g(a): return h(a)\ndef h(b): return b", "def p(a): return q(a)\ndef q(a): return a");
    same("def f(n): return [i * n for i in range(n)]", "def f(m): return [k * m for k in range(m)]");
    same("def f(n): return lambda META: (n,)", "def f(k): return lambda m: (k,)");
    same("def f():\n for i in a: b(i)", "def f():\n for j in a: b(j)");
    same("def f():\n with a as b: b()", "def f():\n with a as c: c()");
    same("def f():\n try: pass\n except E as e: e", "def f():\n try: pass\n except E as g: g");
    same("def f():\n if (a := g()): a", "def f():\n if (b := g()): b");
    same("def f():\n a, (b, *c) = d; a.x = b[c]", "def f():\n p, (q, *r) = d; p.x = q[r]");
    same("def f(a):\n def g(b): return a + b\n return g", "def f(x):\n def y(z): return x + z\n return y");
    same("def f(x): return [y := 1 for x in x] + y", "def f(b): return [a := 1 for c in b] + a");
    same("@triton.jit\ndef k(p, B: tl.constexpr): pass", "@triton.jit\ndef m(q, C: tl.constexpr): pass");
    same("@triton.jit\ndef k(B: tl.constexpr): pass", "@triton.jit\ndef k(B: 'tl.constexpr'): pass");
}

static void test_decoration_does_not_count(void **state) {
    (void)state;
    same("def f(a: int) -> int:\n '''doc'''\n return a", "def f(a): return a");
    same("'''module'''\nx = 1", "x = 1");
    same("def f(): pass", "def f(): '''nothing'''");
    same("class C:\n '''doc'''\n x = 1", "class C:\n x = 1");
    same("def f():\n a: float = 1.0\n return a", "def f():\n a = 1.0\n return a");
    same("def f():\n pass\n x()\n 'note'", "def f(): x()");
}

static void test_meaning_counts(void **state) {
    (void)state;
    differ("def f(a, b): return a - b", "def f(a, b): return b - a");
    differ("x = 1", "x = 1.0");
    differ("x = 1", "x = True");
    differ("x = 1e-5", "x = 1e-6");
    differ("x = 'a'", "x = b'a'");
    differ("f(axis=0)", "f(dim=0)");
    differ("f(0)", "f(axis=0)");
    differ("@triton.jit\ndef k(p, B: tl.constexpr): pass", "@triton.jit\ndef k(p, B): pass");
    differ("def k():\n B: tl.constexpr = 4", "def k():\n B = 4");
    differ("@triton.jit\ndef k(n: tl.int64): pass", "@triton.jit\ndef k(n): pass");
    differ("def f(a): return a", "def f(a): return b");
    differ("def f(a): return a.x", "def f(a): return a.y");
    differ("def f(x): return tl.load(x)", "def f(x): return tl.store(x)");
    differ("def f(a=1): return a", "def f(a=2): return a");
    differ("def f(a, /): pass", "def f(a): pass");
    differ("def f(a: g()): pass", "def f(a): pass");
    differ("class C:\n x: int = 1", "class C:\n x = 1");
    differ("f'{a}'", "f'{b}'");
}

// Renaming must not reach what something other than scoping refers to.
static void test_names_that_stay(void **state) {
    (void)state;
    differ("def k(A, B): return A - B\nk(A=1, B=2)", "def k(B, A): return B - A\nk(A=1, B=2)");
    differ("def k(A, B): return A - B\ng = lambda META: META['A']",
           "def k(B, A): return B - A\ng = lambda META: META['A']");
    differ("def k(A, B): return A - B\nk(**d)", "def k(B, A): return B - A\nk(**d)");
    differ("def run(x): return 1\ndef go(x): return 2", "def go(x): return 1\ndef run(x): return 2");
    differ("class C:\n def f(self): return 1\n def g(self): return 2",
           "class C:\n def g(self): return 1\n def f(self): return 2");
    differ("def f():\n global a, b\n a = 1; b = 2", "def f():\n global a, b\n b = 1; a = 2");
    differ("from m import a, b\ndef f(): return a", "from m import a, b\ndef f(): return b");
    differ("def f(a, b): return locals()", "def f(b, a): return locals()");
    differ("def f(): pass\ndef g(): pass\nx = f.__name__", "def g(): pass\ndef f(): pass\nx = g.__name__");
    differ("a = 1\nb = 2", "b = 1\na = 2"); // a module's variables may be read by others
    // Controls: without the reference the same swap is one program.
    same("def k(A, B): return A - B\nk(1, 2)", "def k(B, A): return B - A\nk(1, 2)");
    same("def f(a, b): return local()", "def f(b, a): return local()");
    same("def f(): pass\ndef g(): pass\nx = f.name", "def g(): pass\ndef f(): pass\nx = g.name");
}

static void test_scopes(void **state) {
    (void)state;
    differ("def f(x):\n def g(): return x\n return g", "def f(x):\n def g(x): return x\n return g");
    differ("def f(x): return [x for x in x]", "def f(x): return [x for y in x]");
    same("def f(x): return [x for x in x]", "def f(x): return [y for y in x]");
    differ("def f(x, y): return (lambda x: x + y)", "def f(x, y): return (lambda y: x + y)");
    differ("def f(x):\n class C:\n  y = x\n  def g(self): return y",
           "def f(x):\n class C:\n  y = x\n  def g(self): return x");
    // A name that the function never binds is the module's, or a builtin: another one is another program.
    differ("def f(): return x", "def f(): return y");
    // A class does not lend its names to its methods.
    same("def f(x):\n class C:\n  x = 1\n  def g(self): return x",
         "def f(z):\n class C:\n  x = 1\n  def g(t): return z");
    // constexpr in name only.
    differ("@triton.jit\ndef f(a: tl.constexpr): pass",
           "def h(tl):\n @triton.jit\n def f(a: tl.constexpr): pass");
}

// A name or an annotation that decides by itself how a program is judged is never renamed or dropped.
static void test_what_decides_by_itself_stays(void **state) {
    (void)state;
    differ("def run(x):\n __a = 1\n return x", "def run(x):\n a = 1\n return x"); // Python's own names
    differ("def run(x):\n tl = 1\n return x", "def run(x):\n a = 1\n return x");  // a module's name
    differ("def k(x, torch): return x", "def k(x, y): return x");
    differ("@triton.jit\ndef k(num_warps): pass", "@triton.jit\ndef k(n): pass");
    differ("def f():\n range = 5\n for i in range(4): g()", "def f():\n q = 5\n for i in q(4): g()");
    differ("def jit(f): return f\n@jit\ndef k(): pass", "def own(f): return f\n@own\ndef k(): pass");
    differ("def f(x):\n b'bytes'\n return x", "def f(x): return x");
    differ("def f(x: {1}): return x", "def f(x): return x"); // annotations that compute
    differ("def f(x: -a): return x", "def f(x): return x");
    differ("def f(x) -> [i for i in y]: return x", "def f(x): return x");
    differ("def f(a):\n B: a.constexpr = 4\n return B", "def f(a):\n B = 4\n return B");
    differ("def f(a):\n a[0]: int = 4", "def f(a):\n a[0] = 4");
    // Controls: what only names a type is decoration.
    same("def f(x: a.b[int, 'c'] | None) -> tuple[int, ...]: return x", "def f(x): return x");
    same("def run(x):\n _a = 1\n return x", "def run(x):\n b = 1\n return x");
    same("def f():\n ranges = 5\n return ranges", "def f():\n q = 5\n return q");
}

// A place in one spelling is found again in another.
static void test_the_map(void **state) {
    (void)state;
    Str text[2] = {
        STR("def f(aa, b):\n  '''doc'''\n  c: int = (aa) + b.x\n  return c[0]"),
        STR("# says\ndef g(y, z): t = y+z.x; return (\n  t [0])"),
    };
    Arena a = {0};
    CanonMap map[2] = {{.arena = &a}, {.arena = &a}};
    Buf out[2] = {BUF(&a), BUF(&a)};
    for (int i = 0; i < 2; i++) {
        DiagList d = DIAGS(&a);
        const Node *m = parse_module(&a, text[i], &d);
        assert_non_null(m);
        print_canonical_map(&out[i], m, &map[i]);
    }
    assert_true(str_eq(buf_str(&out[0]), buf_str(&out[1])));
    assert_int_equal(map[0].spans, map[1].spans);
    assert_int_equal(map[0].names, map[1].names);
    int found = 0;
    for (int i = 0; i < map[0].spans; i++) {
        Span s[2] = {map[0].span[i], map[1].span[i]};
        Str at[2] = {{text[0].p + s[0].at, s[0].len}, {text[1].p + s[1].at, s[1].len}};
        if (str_is(at[0], "b.x")) found += str_is(at[1], "z.x");
        if (str_is(at[0], "c[0]")) found += str_is(at[1], "t [0]");
    }
    assert_int_equal(found, 2);
    found = 0;
    for (int i = 0; i < map[0].names; i++) {
        if (str_is(map[0].name[i], "aa")) found += str_is(map[1].name[i], "y");
        if (str_is(map[0].name[i], "c")) found += str_is(map[1].name[i], "t");
        if (str_is(map[0].name[i], "f")) found += str_is(map[1].name[i], "g");
    }
    assert_int_equal(found, 3);
    arena_free(&a);
}

static void test_is_idempotent_under_renaming_twice(void **state) {
    (void)state;
    const char *a = "def f(a, b):\n c = [a for a in b]\n return lambda d: c + d";
    const char *b = "def f(b, a):\n d = [c for c in a]\n return lambda a: d + a";
    same(a, b);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(test_text),
        TEST(test_formatting_does_not_count),
        TEST(test_names_do_not_count),
        TEST(test_decoration_does_not_count),
        TEST(test_meaning_counts),
        TEST(test_names_that_stay),
        TEST(test_scopes),
        TEST(test_what_decides_by_itself_stays),
        TEST(test_the_map),
        TEST(test_is_idempotent_under_renaming_twice),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
