// The canonical text: which pairs of programs are one, and which must never be.
#include "lang/ast.h"
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
                        "def kern(x_ptr, n: int, B: \"tl.constexpr\"):\n"
                        "    $0 = tl.arange(0, B)\n"
                        "    tl.store(x_ptr + $0, 0.0, mask=$0 < n)\n\n"
                        "def run(x) -> torch.Tensor:\n"
                        "    $1: torch.Tensor = torch.empty_like(x)\n"
                        "    kern[1,]($1, $1.numel(), 16)\n"
                        "    return $1\n");
}

static void test_formatting_does_not_count(void **state) {
    (void)state;
    same("def f(a): return a+1", "def f(a):\n\n  # says\n  return (a + 0x1)\n");
    same("x = 'a' \"b\"", "x = 'ab'");
    same("a;b", "a\nb");
    same("if a: b\nelif c: d", "if a:\n b\nelse:\n if c:\n  d");
    same("x = 1e-5", "x = 0.00001");
}

static void test_variables_do_not_count(void **state) {
    (void)state;
    same("def f(a, b): c = a; return c + b", "def f(a, b): z = a; return z + b");
    same("def f():\n for i in a: b(i)", "def f():\n for j in a: b(j)");
    same("def f():\n with a as b: b()", "def f():\n with a as c: c()");
    same("def f():\n try: pass\n except E as e: e", "def f():\n try: pass\n except E as g: g");
    same("def f():\n if (a := g()): a", "def f():\n if (b := g()): b");
    same("def f():\n a, (b, *c) = d; a.x = b[c]", "def f():\n p, (q, *r) = d; p.x = q[r]");
    same("def f():\n a = 1\n def g(b): return a + b\n return g",
         "def f():\n x = 1\n def g(b): return x + b\n return g");
    same("def f(x): return [y := 1 for z in x] + y", "def f(x): return [a := 1 for z in x] + a");
    same("def f():\n B = 4\n return g(B=B)", "def f():\n C = 4\n return g(B=C)");
}

static void test_decoration_does_not_count(void **state) {
    (void)state;
    same("def f(a):\n '''doc'''\n return a", "def f(a): return a");
    same("'''module'''\nx = 1", "x = 1");
    same("def f(): pass", "def f(): '''nothing'''");
    same("class C:\n '''doc'''\n x = 1", "class C:\n x = 1");
    same("def f():\n pass\n x()\n 'note'", "def f(): x()");
}

static void test_meaning_counts(void **state) {
    (void)state;
    differ("def f(a, b): return a - b", "def f(a, b): return b - a");
    differ("x = 1", "x = 1.0");
    differ("x = 1", "x = True");
    differ("x = 0.0", "x = -0.0");
    differ("x = 1e-5", "x = 1e-6");
    differ("x = 'a'", "x = b'a'");
    differ("x = '\\\\n'", "x = '\\n'");
    differ("x = f'{a}'", "x = f'{a!r}'");
    differ("x = f'{{a}}'", "x = f'{a}'");
    differ("x = (a < b) < c", "x = a < b < c");
    differ("x = (-a) ** 2", "x = -a ** 2");
    differ("x = a - (b - c)", "x = a - b - c");
    differ("x = a,", "x = a");
    differ("f(axis=0)", "f(dim=0)");
    differ("f(0)", "f(axis=0)");
    differ("f(a=1, **d)", "f(**d, a=1)");
    differ("def f(a): return a", "def f(a): return b");
    differ("def f(a): return a.x", "def f(a): return a.y");
    differ("def f(x): return tl.load(x)", "def f(x): return tl.store(x)");
    differ("def f(a=1): return a", "def f(a=2): return a");
    differ("def f(a, /): pass", "def f(a): pass");
    differ("def f(*, a): pass", "def f(a): pass");
    differ("for a in b: c\nelse: d", "for a in b: c\nd");
    differ("f'{a}'", "f'{b}'");
}

// Python evaluates them, Triton takes types and constants from them, and a kernel's body is compiled with
// those inside: a name that is not there is an error.
static void test_annotations_count(void **state) {
    (void)state;
    differ("def f(x: Missing): return x", "def f(x): return x");
    differ("def f(x) -> Missing: return x", "def f(x): return x");
    differ("def f(x):\n a: missing = 1\n return a", "def f(x):\n a = 1\n return a");
    differ("@triton.jit\ndef k(p, B: tl.constexpr): pass", "@triton.jit\ndef k(p, B): pass");
    differ("@triton.jit\ndef k(p, B: tl.constexpr): pass", "@triton.jit\ndef k(p, B: constexpr): pass");
    differ("@triton.jit\ndef k(p, B: tl.constexpr): pass", "@triton.jit\ndef k(p, B: 'tl.constexpr'): pass");
    differ("def k(p, n: 'u8'): pass\nk = triton.jit(k)", "def k(p, n): pass\nk = triton.jit(k)");
    differ("def k():\n B: tl.constexpr = 4", "def k():\n B = 4");
    differ("class C:\n x: int = 1", "class C:\n x = 1");
}

// What others can refer to: by import, by keyword, by a name that a program puts together.
static void test_names_that_stay(void **state) {
    (void)state;
    differ("def k(A, B): return A - B\nk(A=1, B=2)", "def k(B, A): return B - A\nk(A=1, B=2)");
    differ("def k(A, B): return A - B\ng = lambda META: META['A']",
           "def k(B, A): return B - A\ng = lambda META: META['A']");
    differ("def k(AB, B): return AB - B\ng = lambda META: META['A' + 'B']",
           "def k(B, AB): return B - AB\ng = lambda META: META['A' + 'B']");
    differ("def k(A, B): return A - B\ng = lambda META: sorted(META)[0]",
           "def k(B, A): return B - A\ng = lambda META: sorted(META)[0]");
    differ("def k(A, B): return A - B\nk(**d)", "def k(B, A): return B - A\nk(**d)");
    differ("f = lambda a, b: a - b", "f = lambda b, a: b - a");
    differ("def run(x): return 1\ndef go(x): return 2", "def go(x): return 1\ndef run(x): return 2");
    differ("class C:\n def f(self): return 1\n def g(self): return 2",
           "class C:\n def g(self): return 1\n def f(self): return 2");
    differ("def f():\n class C:\n  def g(self): return __x",
           "def f():\n class D:\n  def g(self): return __x");
    differ("def f():\n global a, b\n a = 1; b = 2", "def f():\n global a, b\n b = 1; a = 2");
    differ("from m import a, b\ndef f(): return a", "from m import a, b\ndef f(): return b");
    differ("def f():\n a = 1; b = 2; return locals()", "def f():\n b = 1; a = 2; return locals()");
    differ("def f():\n a = 1; return g.f_locals", "def f():\n b = 1; return g.f_locals");
    differ("def f(): pass\ndef g(): pass", "def g(): pass\ndef f(): pass");
    differ("a = 1\nb = 2", "b = 1\na = 2"); // a module's variables may be read by others
    differ("def f(): 'a'\nx = f.__doc__", "def f(): 'b'\nx = f.__doc__");
    // Controls: without the reference the same swap is one program.
    same("def f():\n a = 1; b = 2; return local()", "def f():\n b = 1; a = 2; return local()");
    same("def f(): 'a'\nx = f.doc", "def f(): 'b'\nx = f.doc");
}

// In a kernel a name is the module's up to its first assignment, and a comprehension's target stays.
static void test_names_as_triton_looks_them_up(void **state) {
    (void)state;
    differ("A = 1\nB = 2\ndef k(x):\n y = x * A\n A = y", "A = 1\nB = 2\ndef k(x):\n y = x * B\n B = y");
    differ("def a(): 1\ndef b(): 2\ndef k():\n a = a()", "def a(): 1\ndef b(): 2\ndef k():\n b = b()");
    differ("def a(): 1\ndef b(): 2\ndef k():\n a = a()", "def b(): 1\ndef a(): 2\ndef k():\n a = a()");
    differ("from m import *\ndef k(x):\n y = x * A\n A = y",
           "from m import *\ndef k(x):\n y = x * B\n B = y");
    differ("def k():\n a = 5\n t = [b for b in c]\n return a",
           "def k():\n a = 5\n t = [a for a in c]\n return a");
    differ("def k():\n t = [b for b in c]\n return a", "def k():\n t = [a for a in c]\n return a");
    differ("def k():\n min = min(a, b)", "def k():\n max = max(a, b)");
    // Control: nobody else has the name.
    same("A = 1\ndef k(x):\n y = x * A\n z = y", "A = 1\ndef k(x):\n y = x * A\n w = y");
}

static void test_scopes(void **state) {
    (void)state;
    differ("def f(x):\n def g(): return x\n return g", "def f(x):\n def g(x): return x\n return g");
    differ("def f(x): return [x for x in x]", "def f(x): return [x for y in x]");
    differ("def f():\n x = y = 1\n return (lambda x: x + y)",
           "def f():\n x = y = 1\n return (lambda y: x + y)");
    differ("def f():\n y = 1\n return (lambda y: y)", "def f():\n z = 1\n return (lambda y: z)");
    differ("def f(x):\n class C:\n  y = x\n  def g(self): return y",
           "def f(x):\n class C:\n  y = x\n  def g(self): return x");
    // A name that the function never binds is the module's, or a builtin: another one is another program.
    differ("def f(): return x", "def f(): return y");
    // A class does not lend its names to what its body defines.
    same("def f():\n x = 2\n class C:\n  x = 1\n  def g(self): return x",
         "def f():\n z = 2\n class C:\n  x = 1\n  def g(self): return z");
    differ("def f():\n x = 2\n class C:\n  x = 1\n  y = [x for i in r]",
           "def f():\n z = 2\n class C:\n  x = 1\n  y = [x for i in r]");
}

// A name that decides by itself how a program is judged is never renamed, a place that counts never lost.
static void test_what_decides_by_itself_stays(void **state) {
    (void)state;
    differ("def run(x):\n __a = 1\n return x", "def run(x):\n a = 1\n return x"); // Python's own names
    differ("def run(x):\n tl = 1\n return x", "def run(x):\n a = 1\n return x");  // a module's name
    differ("def k(x):\n torch = x\n return x", "def k(x):\n y = x\n return x");
    differ("@triton.jit\ndef k(x):\n num_warps = x", "@triton.jit\ndef k(x):\n n = x");
    differ("def f():\n range = 5\n for i in range(4): g()", "def f():\n q = 5\n for i in q(4): g()");
    differ("def f(x):\n b'bytes'\n return x", "def f(x): return x");
    differ("pass\nfrom __future__ import a", "from __future__ import a");
    differ("'a'\n'b'\nfrom __future__ import a", "'a'\nfrom __future__ import a");
    // Controls
    same("pass\nfrom future import a", "from future import a");
    same("from __future__ import a\ndef f():\n 'doc'\n x()", "from __future__ import a\ndef f(): x()");
    same("def run(x):\n _a = 1\n return x", "def run(x):\n b = 1\n return x");
    same("def f():\n ranges = 5\n return ranges", "def f():\n q = 5\n return q");
}

static void test_places_do_not_count(void **state) {
    (void)state;
    same("def f(aa, b):\n  '''doc'''\n  c: int = (aa) + b.x\n  return c[0]",
         "# says\ndef f(aa, b): t: int = aa+b.x; return (\n  t [0])");
    differ("def f(aa, b):\n  c: int = aa + b.x\n  return c[0]",
           "def f(aa, b):\n  c: int = aa + b.x\n  return b[0]");
}

static void test_is_idempotent_under_renaming_twice(void **state) {
    (void)state;
    const char *a = "def f(a):\n c = [i for i in a]\n d = c\n return lambda e: c + d";
    const char *b = "def f(a):\n d = [i for i in a]\n c = d\n return lambda e: d + c";
    same(a, b);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(test_text),
        TEST(test_formatting_does_not_count),
        TEST(test_variables_do_not_count),
        TEST(test_decoration_does_not_count),
        TEST(test_meaning_counts),
        TEST(test_annotations_count),
        TEST(test_names_that_stay),
        TEST(test_names_as_triton_looks_them_up),
        TEST(test_scopes),
        TEST(test_what_decides_by_itself_stays),
        TEST(test_places_do_not_count),
        TEST(test_is_idempotent_under_renaming_twice),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
