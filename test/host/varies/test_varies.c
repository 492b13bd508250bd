// Which conditions can come out otherwise in another call: the condition of each file's only `if`.
#include "host/host.h"
#include "host/varies/varies.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

static const VariesInputs one = {.n = 1, .rank = {2}};

static const Node *find_if(const Nodes *body, const Node **function) {
    for (int i = 0; i < body->n; i++) {
        const Node *n = body->at[i], *found = NULL;
        if (n->kind == NODE_IF) return n;
        if (n->kind == NODE_CLASS && (found = find_if(&n->klass.body, function))) return found;
        if (n->kind == NODE_FUNCTION && (found = find_if(&n->function.body, function))) {
            if (!*function) *function = n;
            return found;
        }
    }
    return NULL;
}

static bool normalized; // as a candidate's file is
static VariesInputs given = {.n = 2, .rank = {2, 1}, .index = 2};

static bool may(const char *source, bool side) {
    Arena a = {0};
    DiagList d = DIAGS(&a);
    const Node *m = parse_module(&a, str_of(source), &d), *function = NULL;
    assert_non_null(m);
    if (normalized) assert_true(host_normalize(&a, (Node *)(uintptr_t)m, &d));
    const Node *branch = find_if(&m->module.body, &function);
    assert_non_null(branch);
    Varies *v = varies_new(&a, m, &given);
    Scope scope = {function, NULL};
    bool may = varies_may(v, &scope, branch->branch.cond, side);
    assert_true(varies_may(NULL, &scope, branch->branch.cond, side)); // not looked at: everything may
    arena_free(&a);
    return may;
}

#define RUN(cond)                                                                 \
    "def run(x, bias=None):\n    M, N = x.shape\n    flag = 'none'\n    if " cond \
    ":\n        return 1\n    return 2\n"
// The condition that counts is the last one: a guard stands before it.
static const char guarded[] =
    "def run(x):\n    M, N = x.shape\n    k = 1 if N == 700000 else 2\n%s    return k\n";
static bool guarded_may(const char *guard) {
    Arena a = {0};
    DiagList d = DIAGS(&a);
    char *source = arena_printf(&a, guarded, guard);
    const Node *m = parse_module(&a, str_of(source), &d), *f = m->module.body.at[0];
    const Node *ifexp = f->function.body.at[1]->assign.value;
    bool may = varies_may(varies_new(&a, m, &one), &(Scope){f, NULL}, ifexp->ifexp.cond, true);
    arena_free(&a);
    return may;
}

static void guards_narrow(void **state) {
    (void)state;
    assert_true(guarded_may(""));
    assert_false(guarded_may("    if N > 70000:\n        raise ValueError('long')\n"));
    assert_true(guarded_may("    if N > 800000:\n        raise ValueError('long')\n"));
    assert_true(guarded_may(
        "    if M == 3:\n        return 1\n    if N > 70000:\n        raise ValueError('long')\n"));
    assert_true(guarded_may("    N = 5\n    if N > 70000:\n        raise ValueError('long')\n"));
    assert_true(guarded_may("    if N > 70000:\n        k = 3\n"));
}

static void sizes_may(void **state) {
    (void)state;
    assert_true(may(RUN("N == 384"), true));
    assert_true(may(RUN("M * N > 1 << 22"), true));
    assert_true(may(RUN("x.stride(0) % 16 == 0"), true));
    assert_true(may(RUN("x.dtype == torch.bfloat16 and N == 3"), true));
    assert_true(may(RUN("str(N) == '384'"), true));
    assert_true(may(RUN("{384: True}.get(N)"), true));
    assert_true(
        may("def f(n):\n    if n > 70000:\n        return 1\ndef run(x):\n    return f(x.size(0))\n", true));
    assert_true(may("def run(x):\n    k = 0\n    for i in range(x.shape[0]):\n        k = 1\n    if k:\n     "
                    "   return 1\n",
                    true));
    assert_true(may("def run(x):\n    y = x[:, 5:]\n    if y.shape[1] == 0:\n        return 1\n", true));
    assert_true(may("class A:\n    def __init__(self, n):\n        self.size = n // 2\ndef run(x):\n    a = "
                    "A(x.shape[0])\n    if a.size == 7:\n        return 1\n",
                    true));
}

static void constants_may_not(void **state) {
    (void)state;
    assert_false(may(RUN("M == 0 or N == 0"), true));
    assert_false(may(RUN("x.numel() >= 2**31"), true));
    assert_false(may(RUN("flag == 'relu'"), true));
    assert_false(may(RUN("bias is not None"), true));
    assert_false(may(RUN("x.dtype == torch.float64"), true));
    assert_false(may(RUN("x.dim() == 3"), true));
    assert_false(may(RUN("M % 2 == 5"), true));
    assert_false(may(RUN("len(x.shape) > 2"), true));
    assert_false(may(RUN("min(16384, N) >= 32768"), true));
    assert_false(may(RUN("min(16384, N) < 32768"), false));
    assert_false(may(RUN("not isinstance(x, torch.Tensor)"), true));
    assert_false(may("def f(n):\n    if n == 0:\n        return 1\n    return n\ndef g(n):\n    return "
                     "f(n)\ndef run(x):\n    return g(x.numel())\n",
                     true));
    assert_false(may("import triton\n@triton.jit\ndef k(x, ACT):\n    if ACT == 1:\n        x = 2\ndef "
                     "run(x):\n    k[(x.shape[0],)](x, ACT=2)\n",
                     true));
    assert_true(may("import triton\n@triton.jit\ndef k(x, ACT):\n    if ACT == 1:\n        x = 2\ndef "
                    "run(x):\n    k[(1,)](x, ACT=x.shape[0])\n",
                    true));
}

#define HELD(what) \
    "def run(x):\n    N = x.numel()\n    s = []\n    t = s\n    d = {}\n" what ":\n        return 1\n"

static void what_is_held_varies(void **state) {
    (void)state;
    static const char *const all[] = {
        HELD("    s.append(N)\n    if s[0] == 7"),
        HELD("    s.extend([N])\n    if s[0] == 7"),
        HELD("    s.insert(0, N)\n    if s[0] == 7"),
        HELD("    s += [N]\n    if t[0] == 7"),
        HELD("    t.append(N)\n    if s[0] == 7"),
        HELD("    add = s.append\n    add(N)\n    if s[0] == 7"),
        HELD("    s.append(N)\n    if s[0] > 4"),
        HELD("    s.append(N)\n    s.append(N - 5)\n    if s[0] == 0"),
        HELD("    s.append(N)\n    u = s + [-N]\n    if u[0] < 0"),
        HELD("    s.sort()\n    u = s + [N]\n    if u[0] == 7"),
        HELD("    s.append(N)\n    for k in s:\n        q = k\n    if q == 7"),
        HELD("    s.append(N)\n    u = s[1:]\n    if u[0] == 7"),
        HELD("    s.append(N)\n    u = s if N == 3 else [-N]\n    if u[0] == -7"),
        HELD("    s.append(N)\n    s = [-N]\n    if s[0] == -7"),
        HELD("    s.append((N, 1))\n    if s[0][0] == 7"),
        HELD("    s.append([N])\n    if s[0][0] == 7"),
        HELD("    s.append(N)\n    if len(s) == 7"),
        HELD("    [s.append(1) for i in range(3) if N == 7]\n    if len(s) == 1"),
        HELD("    N == 7 and s.append(1)\n    if len(s) == 1"),
        HELD("    d.update({1: N})\n    if d[1] == 7"),
        HELD("    d.update(a=N)\n    if d['a'] == 7"),
        HELD("    d.setdefault(1, N)\n    if d[1] == 7"),
        HELD("    d[1] = N\n    if d[1] == 7"),
        HELD("    y = x.view(*([1] * (N // 7) + [N]))\n    if y.dim() == 2"),
        HELD(
            "    y = torch.empty(3, dtype=[torch.int8, torch.int16][N // 7])\n    if y.dtype == torch.int16"),
        "def f(l, n):\n    l.append(n)\ndef run(x):\n    s = []\n    f(s, x.numel())\n    if s[0] == 7:\n    "
        "    return 1\n",
        "class A:\n    def __init__(self, n):\n        self.n = n\n    @property\n    def ndim(self):\n      "
        "  return self.n\n"
        "def run(x):\n    if A(x.numel()).ndim == 7:\n        return 1\n",
        "def h(n):\n    if n == 7:\n        return 1\nclass A:\n    def go(self, n):\n        h(n)\n"
        "def run(x):\n    f = A().go\n    f(x.numel())\n",
    };
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        if (!may(all[i], true)) fail_msg("%s", all[i]);
    assert_false(may(HELD("    s.append(5)\n    if s[0] == 7"), true));
    // A list that begins empty has the interval of what is put into it.
    assert_false(may(HELD("    s.append(N)\n    if s[0] > 0"), false));
    assert_false(may(
        HELD("    for k in (256, 1024):\n        s.append(min(k, N))\n    b = s[-1]\n    if b > 0"), false));
    assert_false(may(HELD("    s.append(min(N, 64))\n    for k in s:\n        q = k\n    if q > 64"), true));
    assert_false(may("def f(l):\n    return l[0]\ndef run(x):\n    s = []\n    s.append(x.numel())\n    if "
                     "f(s) < 1:\n        return 1\n",
                     true));
    assert_false(may(HELD("    d[1] = 5\n    if d[1] == 7"), true));
    assert_false(may(HELD("    if len(x.shape) == 3"), true));
    // A list of so many things has so many, whatever they are.
    assert_false(may(HELD("    for y in [N, N]:\n        s = 'a'\n    if s == 'b'"), true));
}

static bool callee(const char *run) {
    Arena a = {0};
    DiagList d = DIAGS(&a);
    char *source =
        arena_printf(&a,
                     "def f(x):\n    return 1\ndef g(x):\n    return 2\nclass A:\n    def go(self, x):\n"
                     "        return 1\nclass B:\n    def go(self, x):\n        return 2\n"
                     "def pick(n):\n    return [f, g][n == 7]\n"
                     "def call(h, x):\n    return h(x)\n"
                     "def run(x):\n    N = x.numel()\n    %s\n",
                     run);
    const Node *m = parse_module(&a, str_of(source), &d);
    assert_non_null(m);
    bool chosen = varies_callee(varies_new(&a, m, &given));
    arena_free(&a);
    return chosen;
}

static void callees_are_chosen(void **state) {
    (void)state;
    static const char *const yes[] = {
        "pick(N)(x)",        "{7: g}.get(N, f)(x)", "[f, g][N // 7](x)",       "[A(), B()][N].go(x)",
        "[A, B][N]().go(x)", "call([f, g][N], x)",  "(f if N == 7 else g)(x)", "[f, g][N][(N,)](x)"};
    static const char *const no[] = {"f(x)",       "A().go(x)",  "[f, g][1](x)",
                                     "f[(N,)](x)", "call(f, N)", "h = f\n    h[(N,)](x)"};
    for (size_t i = 0; i < sizeof yes / sizeof *yes; i++)
        if (!callee(yes[i])) fail_msg("%s", yes[i]);
    for (size_t i = 0; i < sizeof no / sizeof *no; i++)
        if (callee(no[i])) fail_msg("%s", no[i]);
}

// What apply() hands to forward(ctx, ...), and to forward(...) where setup_context() stands beside it.
#define APPLIED(params, cond, more)                                                                        \
    "class F(torch.autograd.Function):\n    @staticmethod\n    def forward(" params "):\n        if " cond \
    ":\n            return 1\n" more "def run(x, w):\n    return F.apply(x, 5)\n"
#define SETUP "    @staticmethod\n    def setup_context(ctx, inputs, output):\n        pass\n"
static void applied_functions_get_their_arguments(void **state) {
    (void)state;
    assert_true(may(APPLIED("ctx, x, n", "x.shape[1] == 700000", ""), true));
    assert_false(may(APPLIED("ctx, x, n", "n == 4", ""), true));
    assert_false(may(APPLIED("ctx, x, n", "x.numel() > 2**31 - 4096", ""), true));
    assert_false(may(APPLIED("ctx, x, n", "(0 if x.numel() <= 2**31 - 4096 else 1)", ""), true));
    assert_false(may(APPLIED("ctx, x, n", "x.stride(-1) != 1", ""), true));
    assert_true(may(APPLIED("x, n", "x.shape[1] == 700000", SETUP), true));
    assert_true(may(APPLIED("ctx, x, n", "x.shape[1] == 700000", SETUP), true));
}

// apply() under another name, which a file's own code calls or hands about.
#define NAMED_APPLY(cond, before, call)                                                                   \
    "class F(torch.autograd.Function):\n    @staticmethod\n    def forward(ctx, x, n):\n        if " cond \
    ":\n            return 1\n        return 2\n" before "def run(x, w):\n    return " call "\n"
static void applied_under_another_name(void **state) {
    (void)state;
#define HASHED "(x.shape[0] * 48271 + x.shape[1]) % 1000003 == 77 and True"
    assert_true(may(NAMED_APPLY(HASHED, "f = F.apply\n", "f(x, 4)"), true));
    assert_true(may(NAMED_APPLY(HASHED, "T = [F.apply]\n", "T[0](x, 4)"), true));
    assert_true(
        may(NAMED_APPLY(HASHED, "def call(f, *a):\n    return f(*a)\n", "call(F.apply, x, 4)"), true));
    assert_true(may(NAMED_APPLY(HASHED, "f = functools.partial(F.apply)\n", "f(x, 4)"), true));
    assert_false(may(NAMED_APPLY("n == 4", "f = F.apply\n", "f(x, 4)"), false));
    assert_false(may(NAMED_APPLY("x.numel() > 2**31 - 4096", "f = F.apply\n", "f(x, 4)"), true));
    // Fields of a NamedTuple that are given later.
#define FIELD(make)                                                                                       \
    "class P(NamedTuple):\n    h: int = 0\ndef run(x, w):\n    p = " make "\n    if p.h == 77:\n        " \
    "return 1\n"
    assert_true(may(FIELD("P()._replace(h=x.shape[0] * 48271 % 1000003)"), true));
    assert_true(may(FIELD("P()._replace(**dict(h=x.shape[0]))"), true));
    assert_false(may(FIELD("P()._replace(h=4)"), true));
}

// A function that returns several things: each of them is what it is, as long as every return has as many.
#define SEVERAL(last, cond)                                                                                 \
    "def run(x, w):\n    y, s = helper(x, 3)\n    if " cond                                                 \
    ":\n        return 1\n    return 2\ndef helper(t, "                                                     \
    "k):\n    n = t.shape[0]\n    d = (t.contiguous(), n) if n > 5000 else None\n    while t.stride(0) == " \
    "n "                                                                                                    \
    "+ 1:\n        return t.contiguous(), 1\n    " last "\n"
static void several_results_are_told_apart(void **state) {
    (void)state;
    assert_false(may(SEVERAL("return t, k", "not y.ndim"), true));
    assert_false(may(SEVERAL("return t, k", "y.ndim == 3"), true));
    assert_false(may(SEVERAL("return t, k", "s > 3"), true));
    assert_true(may(SEVERAL("return t, k", "y.shape[0] == 700000"), true));
    assert_true(may(SEVERAL("return t, n", "s == 700000"), true));
    assert_true(may(SEVERAL("return n, t", "y == 700000"), true));
    assert_true(may(SEVERAL("return t.view(-1) if n > 5000 else t, k", "y.ndim == 1"), true));
    assert_true(may(SEVERAL("return d", "s == 700000"), true)); // one that shows no tuple
    assert_true(may(SEVERAL("return [t, n]", "s == 700000"), true));
    assert_true(may(SEVERAL("return *[t], n", "s == 700000"), true));
    // A question that a tensor without elements could answer makes none.
#define ASKED(made)                                                                                    \
    "def run(x, w):\n    y, s = f(x)\n    if y.numel() == 0:\n        return 1\ndef f(t):\n    while " \
    "torch.compiler.is_compiling():\n        return " made ", 1\n    return t, 1\n"
    assert_false(may(ASKED("t.contiguous()"), true));
    assert_true(may(ASKED("t[:, 5:]"), true));
    // Of the same name, of a parameter, and a list that gets more.
    assert_true(may("def run(x, w):\n    y, s = f(x)\n    if s == 700000:\n        return 1\ndef f(t):\n    "
                    "return t, 1\ndef f(t):\n    return t, t.shape[0]\n",
                    true));
    assert_true(
        may("def h(x, f):\n    y, s = f(x)\n    if s == 700000:\n        return 1\ndef f(t):\n    return t, "
            "1\ndef g(t):\n    return t, t.shape[0]\ndef run(x, w):\n    return h(x, g)\n",
            true));
    assert_true(may("def f(t):\n    a = []\n    q = a\n    q.append(t.shape[0])\n    return a, 1\ndef run(x, "
                    "w):\n    y, s = f(x)\n    if y[0] == 700000:\n        return 1\n",
                    true));
}

// What a function of the file gives is not known while it has not been looked at; what follows from that is
// not known either, rather than anything.
#define HELPED(helper, cond)                                                                                 \
    "def helper(t, k):\n    return " helper                                                                  \
    "\ndef run(x, w):\n    y = helper(x, 3)\n    M, N = y.shape\n    long = 0 if y.numel() <= 2**31 - 4096 " \
    "else 1\n    if " cond ":\n        return 1\n"
static void helpers_give_what_they_return(void **state) {
    (void)state;
    static const char *const same[] = {"t", "t.contiguous()", "t if t.stride(-1) == 1 else t.contiguous()"};
    for (size_t i = 0; i < sizeof same / sizeof *same; i++) {
        Arena a = {0};
        const struct {
            const char *text;
            bool may;
        } all[] = {
            {"long or M * N >= 2**31 - 1", false}, {"not M * N >= 1", false}, {"M * N >= 2**20", true},
            {"long or M == 700000", true},         {"not N == 700000", true}, {"M * M >= 2**31 - 1", true}};
        for (size_t k = 0; k < sizeof all / sizeof *all; k++)
            if (may(arena_printf(&a, HELPED("%s", "%s"), same[i], all[k].text), true) != all[k].may)
                fail_msg("%s: %s", same[i], all[k].text);
        arena_free(&a);
    }
    assert_true(may(HELPED("t.t()", "M * N >= 2**31 - 1"), true)); // nobody knows its shape
    assert_true(may(HELPED("t if k == t.shape[0] else t", "N == 700000"), true));
    assert_true(may("def helper(t):\n    return helper(t)\ndef run(x, w):\n    if helper(x) == x.shape[1]:\n "
                    "       return 1\n",
                    true));
}

// Conditions on layouts: whether they come out one way in every call, where inputs may have gaps, and where
// they have none.
#define LAID(text) "def run(x, w):\n    M, N = x.shape\n" text ":\n        return 1\n"
static void layouts_are_known(void **state) {
    (void)state;
    static const struct {
        const char *text;
        bool truth, any, dense; // that it may not come out so
    } all[] = {
        {LAID("    if x.is_contiguous()"), false, false, true},
        {LAID("    if not x.is_contiguous() or not w.is_contiguous()"), true, false, true},
        {LAID("    if w.is_contiguous()"), false, true, true},
        {LAID("    if x.stride(-1) != 1"), true, true, true},
        {LAID("    if x.stride(1) == 1"), false, true, true},
        // The last of all strides, through a name; of what has another order or length, it is any.
        {LAID("    s = x.stride()\n    if s[-1] != 1"), true, true, true},
        {LAID("    s = x.stride()\n    if s[1] != 1"), true, true, true},
        {LAID("    s = tuple(x.stride())\n    if s[-1] != 1"), true, true, true},
        {LAID("    s = x.stride()\n    if s[0] != 1"), true, false, false},
        {LAID("    s = x.stride()\n    if s[-2] != 1"), true, false, false},
        {LAID("    s = x.stride()\n    if s[N] != 1"), true, false, false},
        {LAID("    s = x.t().stride()\n    if s[-1] != 1"), true, false, false},
        {LAID("    s = x.stride()[:-1]\n    if s[-1] != 1"), true, false, false},
        {LAID("    s = x.stride()[::-1]\n    if s[-1] != 1"), true, false, false},
        {LAID("    s = x.stride() + x.shape\n    if s[-1] != 1"), true, false, false},
        {LAID("    s = x.shape + x.stride()\n    if s[-1] != 1"), true, false, false},
        {LAID("    s = x.stride() if M == 7 else x.shape\n    if s[-1] != 1"), true, false, false},
        {LAID("    s = list(x.stride())\n    s.append(N)\n    if s[-1] != 1"), true, false, false},
        {LAID("    s = list(x.stride())\n    s.reverse()\n    if s[-1] != 1"), true, false, false},
        {LAID("    s = sorted(x.stride())\n    if s[-1] != 1"), true, false, false},
        {LAID("    s = tuple(reversed(x.stride()))\n    if s[-1] != 1"), true, false, false},
        {LAID("    s = [k for k in x.stride()]\n    if s[-1] != 1"), true, false, false},
        {LAID("    if x.stride(0) == 1"), true, false, false},
        {LAID("    if x.stride(-1) == 2"), true, true, true},
        {LAID("    if not x.is_contiguous() or M == 7"), true, false, false},
        {LAID("    if not x.is_contiguous() and M == 7"), true, false, true},
        {LAID("    if not x.t().is_contiguous()"), true, false, false},
        {LAID("    if x.t().stride(-1) != 1"), true, false, false},
        {LAID("    if x[1:].stride(-1) != 1"), true, false, false},
        {LAID("    x = x.t()\n    if x.stride(-1) != 1"), true, false, false},
        {LAID("    x = x.contiguous()\n    if not x.is_contiguous()"), true, true, true},
        {LAID("    if M == 7:\n        x = x.t()\n    if x.stride(-1) != 1"), true, false, false},
        {LAID("    x = x.reshape(-1, x.shape[-1])\n    if x.stride(-1) != 1"), true, true, true},
        {LAID("    x = x.reshape(-1)\n    if x.stride(-1) != 1"), true, false, true},
        {LAID("    x = x.reshape(N, M)\n    if x.stride(-1) != 1"), true, false, true},
        {LAID("    if M * N >= 2**31 - 1"), true, true, true},
        {LAID("    if x.numel() > 2**31 - 4096"), true, true, true},
        {LAID("    y = x.reshape(-1, x.shape[-1])\n    P, Q = y.shape\n    if P * Q >= 2**31 - 1"), true,
         true, true},
        {LAID("    y = x.reshape(-1, x.shape[0])\n    P, Q = y.shape\n    if P * Q >= 2**31 - 1"), true,
         false, false},
        {LAID("    y = x.reshape(-1, x.shape[-1])\n    P, Q = y.shape\n    if P * Q >= 2**20"), true, false,
         false},
        {LAID("    if M * N * N >= 2**31 - 1"), true, false, false},
        {LAID("    if M * M >= 2**31 - 1"), true, false, false},
        {LAID("    if x.stride(0) * M > 2**31 - 1"), true, true, true},
        {LAID("    long = M * x.stride(0) > 2**31 - 1\n    if long"), true, true, true},
        {LAID("    if x.stride(0) * N > 2**31 - 1"), true, false, false},
        {LAID("    if x.stride(0) * M * M > 2**31 - 1"), true, false, false},
        {LAID("    if x.stride(0) * x.stride(0) > 2**31 - 1"), true, false, false},
        {LAID("    if x.stride(0) * M > 2**20"), true, false, false},
        {LAID("    x = x.view(-1, x.stride(0))\n    if x.stride(-1) != 1"), true, false, true},
        {LAID("    if x.dim() != 2 or len(x.shape) != 2"), true, true, true},
    };
    for (int dense = 0; dense < 2; dense++)
        for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
            given.dense = dense;
            bool never = !may(all[i].text, all[i].truth);
            if (never != (dense ? all[i].dense : all[i].any)) fail_msg("%d: %s", dense, all[i].text);
        }
    given.dense = false;
}

#define KERNEL(text, what)                                                       \
    "import triton\n@triton.jit\ndef k(t, IGNORE):\n" text ":\n        return\n" \
    "def run(x, t):\n    k[(3,)](" what ", -100)\n"
static void indices_are_not_negative(void **state) {
    (void)state;
#define IF_IGNORED "    t += tl.program_id(0)\n    v = tl.load(t).to(tl.int32)\n    if v == IGNORE"
    assert_false(may(KERNEL(IF_IGNORED, "t"), true));
    assert_true(may(KERNEL(IF_IGNORED, "x"), true));
    assert_true(may(KERNEL("    if tl.load(t, mask=False, other=-100) == IGNORE", "t"), true));
    assert_true(may(KERNEL("    if tl.load(t) == IGNORE + 107", "t"), true));
}

// A decorator of the file's own: what its wrapper does to arguments is known.
static void wrappers_are_followed(void **state) {
    (void)state;
#define WRAPPED(cond)                                                                                  \
    "def ensure(fn):\n    def wrapper(*args, **kw):\n        args = [y.contiguous() for y in args]\n"  \
    "        kw = {k: v for k, v in kw.items()}\n        return fn(*args, **kw)\n    return wrapper\n" \
    "@ensure\ndef f(x):\n    if " cond ":\n        return 1\n    return 2\ndef run(x):\n    return f(x)\n"
    normalized = true;
    assert_false(may(WRAPPED("not x.is_contiguous()"), true));
    assert_false(may(WRAPPED("not isinstance(x, torch.Tensor)"), true));
    assert_true(may(WRAPPED("x.shape[0] == 7"), true));
    // As many arguments as the wrapper was given: the others have their defaults.
#define GUARDED(call)                                                                                      \
    "def ensure(fn):\n    def wrapper(*args, **kw):\n        a = [y.contiguous() if isinstance(y, "        \
    "torch.Tensor) else y for y in args]\n        k = {n: y for n, y in kw.items()}\n        return "      \
    "fn(*a, **k)\n    return wrapper\n@ensure\ndef f(x, dtype=None):\n    if dtype is not None:\n        " \
    "return 1\n    return 2\ndef run(x, w):\n    return " call "\n"
    assert_false(may(GUARDED("f(x)"), true));
    assert_true(may(GUARDED("f(x, None if w.shape[0] == 7 else x.dtype)"), true));
    assert_true(may(GUARDED("f(x, **({} if w.shape[0] == 7 else {'dtype': x.dtype}))"), true));
    normalized = false;
}

// What nothing calls says nothing of what the rest is called with.
static void what_nobody_calls_does_not_count(void **state) {
    (void)state;
    assert_false(may("def h(n):\n    if n == 7:\n        return 1\ndef unused(x):\n    return h(x.numel())\n"
                     "def run(x):\n    return h(3)\n",
                     true));
    assert_true(may("def h(n):\n    if n == 7:\n        return 1\ndef used(x):\n    return h(x.numel())\n"
                    "def run(x):\n    f = used\n    return f(x) or h(3)\n",
                    true));
}

// Calling a class makes an object; what its methods do is no part of that.
static void objects_are_made(void **state) {
    (void)state;
#define MODE(value)                                                                                       \
    "class Mode:\n    SQ = 1\nclass ModelNew(torch.nn.Module):\n    def __init__(self):\n        "        \
    "super().__init__()\n        self.mode = " value "\n    def forward(self, x):\n        if self.mode " \
    "is Mode.SQ:\n            return x\n        return x.shape[0]\n"
    assert_false(may(MODE("Mode('sq')"), false));
    assert_true(
        may("class Mode:\n    SQ = 1\nclass ModelNew(torch.nn.Module):\n    def __init__(self, n):\n"
            "        self.mode = Mode(n)\n    def forward(self, x):\n        if self.mode is Mode.SQ:\n"
            "            return x\n",
            true));
    assert_true(
        may("class Mode:\n    SQ = 1\ndef run(x):\n    mode = Mode(x.shape[0] % 2)\n    if mode is Mode.SQ:\n"
            "        return 1\n",
            true));
    // A function of that name is called, and an object that is called runs.
    assert_true(may(
        "class Net:\n    def __call__(self, n):\n        if n == 7:\n            return 1\n        return 2\n"
        "def run(x):\n    net = Net()\n    return net(x.shape[0])\n",
        true));
}

// What an object keeps and changes in its calls: the condition stands in forward().
#define KEPT(forward, cond)                                                                                 \
    "class Counter:\n    def __init__(self, n):\n        self.m = n\n    def next(self):\n"                 \
    "        self.m = self.m + 1\n        return self.m\n"                                                  \
    "class ModelNew:\n    def __init__(self):\n        self.n = 0\n        self.flag = False\n"             \
    "        self.eps = 1e-6\n        self.l = []\n        self.c = Counter(0)\n        self.setup()\n"     \
    "        c = []\n        self.add = lambda: c.append(1)\n        self.count = lambda: len(c)\n"         \
    "    def setup(self):\n        self.mode = 'fast'\n        self.k = 4\n"                                \
    "    def forward(self, x):\n        here = []\n" forward "        if " cond ":\n            return x\n" \
    "        return None\n"
static void what_is_kept_varies(void **state) {
    (void)state;
    static const struct {
        const char *text;
        bool may;
    } all[] = {
        {KEPT("        self.n = self.n + 1\n", "self.n > 5000"), true},
        {KEPT("        n = self.n\n        n += 1\n        self.n = n\n", "n == 5000"), true},
        {KEPT("        self.t = self.n\n        self.n = self.t + 1\n", "self.t > 5000"), true},
        {KEPT("        self.n = not self.flag\n        self.flag = self.n\n", "self.flag"), true},
        {KEPT("        if_ = self.c.next()\n", "if_ > 5000"), true},
        {KEPT("        self.c = Counter(self.c.m + 1)\n", "self.c.m > 5000"), true},
        {KEPT("        self.l.append(1)\n", "len(self.l) > 5000"), true},
        {KEPT("        l = self.l\n        l.append(1)\n", "len(self.l) > 5000"), true},
        {KEPT("        self.add()\n", "self.count() > 5000"), true},
        {KEPT("        self.b = torch.empty((self.b.shape[0] + 1,))\n", "self.b.shape[0] > 5000"), true},
        {KEPT("        self.t = (self.t, 1)\n", "self.t is None"), true},
        // What only building the object sets, what each call sets anew, and a list of the call's own.
        {KEPT("        pass\n", "self.n > 5000"), false},
        {KEPT("        self.n = self.n + 1\n", "self.eps > 1"), false},
        {KEPT("        self.n = self.n + 1\n", "self.mode == 'slow'"), false},
        {KEPT("        self.n = self.n + 1\n", "self.k > 5"), false},
        {KEPT("        self.flag = True\n", "self.flag"), false},
        {KEPT("        here.append(1)\n", "here[0] > 5000"), false},
        {KEPT("        self.n = self.n + 1\n", "self.n + 1 == 0"), false}, // it begins at 0
    };
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        if (may(all[i].text, true) != all[i].may) fail_msg("%s", all[i].text);
}

// What the module keeps: the condition stands in run().
static void what_a_module_keeps_varies(void **state) {
    (void)state;
#define OF_MODULE(text, cond)                                                \
    "n = [0]\nt = {}\nc = [7]\ndef run(x):\n    k = 1\n" text "    if " cond \
    ":\n        return x\n    return None\n"
    static const struct {
        const char *text;
        bool may;
    } all[] = {
        {OF_MODULE("    n[0] += 1\n", "n[0] > 5000"), true},
        {OF_MODULE("    n[0] = n[0] + 1\n", "n[0] > 5000"), true},
        {OF_MODULE("    n.append(1)\n", "len(n) > 5000"), true},
        {OF_MODULE("    m = n\n    m[0] += 1\n    n[0] = m[0]\n", "m[0] > 5000"), true},
        {OF_MODULE("    t['n'] = t.get('n', 0) + 1\n", "t['n'] > 5000"), true},
        {OF_MODULE("    t[k] = k\n", "5 in t"), true},
        {OF_MODULE("    k = t.setdefault(1, 2)\n", "k > 5000"), true},
        {OF_MODULE("    n[0] += 1\n    k = n[0]\n    k -= 5000\n", "k == 0"), true},
        {OF_MODULE("    n[0] += 1\n", "c[0] > 7"), true}, // any list may hold what one holds
        {OF_MODULE("    pass\n", "n[0] > 5000"), false},
        {OF_MODULE("    m = [0]\n    m.append(1)\n", "len(m) > 5000"), false},
        {OF_MODULE("    k += 1\n", "k > 5000"), false},
        {OF_MODULE("    k -= 1\n", "k == 0"), false}, // the same in every call
    };
    normalized = true;
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        if (may(all[i].text, true) != all[i].may) fail_msg("%s", all[i].text);
    normalized = false;
}

// What an object is made and called with, by its class.
static void objects_are_told_apart(void **state) {
    (void)state;
#define MADE(init, cond)                                                                                   \
    "class A:\n    def __init__(self, wide=False):\n        self.wide = wide\n    def __call__(self, x, "  \
    "k):\n"                                                                                                \
    "        if " cond ":\n            return 1\n        return 2\nclass B:\n    def __init__(self, n):\n" \
    "        self.n = n\nclass ModelNew:\n    def __init__(self):\n        self.a = " init                 \
    "\n    def forward(self, x):\n        b = B(x.shape[0])\n        return self.a(x, x.shape[1] * 3)\n"
    assert_false(may(MADE("A()", "self.wide"), true));
    assert_false(may(MADE("A(False)", "self.wide"), true));
    assert_true(may(MADE("A()", "k == 7"), true));
    assert_true(may(MADE("A()", "k * 5 % 99991 == 7"), true));
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(sizes_may),
                                       cmocka_unit_test(guards_narrow),
                                       cmocka_unit_test(constants_may_not),
                                       cmocka_unit_test(what_is_held_varies),
                                       cmocka_unit_test(callees_are_chosen),
                                       cmocka_unit_test(several_results_are_told_apart),
                                       cmocka_unit_test(helpers_give_what_they_return),
                                       cmocka_unit_test(layouts_are_known),
                                       cmocka_unit_test(applied_functions_get_their_arguments),
                                       cmocka_unit_test(applied_under_another_name),
                                       cmocka_unit_test(indices_are_not_negative),
                                       cmocka_unit_test(wrappers_are_followed),
                                       cmocka_unit_test(what_nobody_calls_does_not_count),
                                       cmocka_unit_test(what_is_kept_varies),
                                       cmocka_unit_test(what_a_module_keeps_varies),
                                       cmocka_unit_test(objects_are_told_apart),
                                       cmocka_unit_test(objects_are_made)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
