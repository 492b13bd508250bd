// Which conditions can come out otherwise in another call: the condition of each file's only `if`.
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
        if (n->kind == NODE_FUNCTION && (found = find_if(&n->function.body, function))) {
            if (!*function) *function = n;
            return found;
        }
    }
    return NULL;
}

static bool may(const char *source, bool side) {
    Arena a = {0};
    DiagList d = DIAGS(&a);
    const Node *m = parse_module(&a, str_of(source), &d), *function = NULL;
    assert_non_null(m);
    const Node *branch = find_if(&m->module.body, &function);
    assert_non_null(branch);
    Varies *v = varies_new(&a, m, &one);
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

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(sizes_may), cmocka_unit_test(guards_narrow),
                                       cmocka_unit_test(constants_may_not)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
