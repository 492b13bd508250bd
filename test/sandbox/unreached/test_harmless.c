// What cannot matter whether it is reached: the last assignment of each file, which no case has run, or the
// arm of its conditional expression behind `else`.
#include "host/host.h"
#include "sandbox/unreached/harmless.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

typedef struct {
    const Node *last, *arm; // an assignment, a conditional expression
} Found;
static void find(void *arg, const Node *n) {
    Found *f = arg;
    if (n->kind == NODE_ASSIGN) f->last = n;
    if (n->kind == NODE_IFEXP) f->arm = n;
    node_each_child(n, find, f);
}

// The text after `ran` is what no case has come to.
static bool harmless(const char *source, const char *ran) {
    Arena a = {0};
    DiagList d = DIAGS(&a);
    Node *m = parse_module(&a, str_of(source), &d);
    assert_non_null(m);
    if (!host_normalize(&a, m, &d)) fail_msg("%s: %s", d.at[0].msg, source);
    size_t n = strlen(source);
    Cover c = {.n = n, .at = NEWN(&a, uint8_t, n + 1)};
    const char *end = strstr(source, ran);
    assert_non_null(end);
    for (size_t i = 0; i < (size_t)(end - source); i++) c.at[i] = COVER_HOST;
    Harmless *h = harmless_new(&a, m, &c);
    Found f = {0};
    find(&f, m);
    bool is = f.arm ? harmless_arm(h, f.arm, f.arm->ifexp.otherwise) : harmless_statement(h, f.last);
    arena_free(&a);
    return is;
}

#define MODEL(init, body)                                                                             \
    "class ModelNew:\n    def __init__(self):\n        " init "\n    def forward(self, x):\n        " \
    "self.n = self.n + 1\n        " body
static void what_only_counts(void **state) {
    (void)state;
#define RESET(more) MODEL("self.n = 0", more "\n        if self.n > 9:\n            self.n = 7\n")
    assert_true(harmless(RESET("pass"), "self.n = 7"));
    assert_true(harmless(RESET("self.m = self.n * 2"), "self.n = 7")); // nobody reads that either
    assert_false(harmless(RESET("y = self.n"), "self.n = 7"));
    assert_false(harmless(RESET("if self.n > 4: return x"), "self.n = 7"));
    assert_false(harmless(RESET("self.m = self.n\n        return self.m"), "self.n = 7"));
    assert_false(harmless(RESET("f(self.n)"), "self.n = 7"));
    assert_false(harmless(RESET("while self.n > 2: pass"), "self.n = 7"));
    assert_false(harmless(RESET("t = [self.n]"), "self.n = 7"));
    // What is put there may do something, or extend a list that others hold.
    assert_false(harmless(MODEL("self.n = 0", "if self.n > 9:\n            self.n = f(x)\n"), "self.n = f"));
    assert_false(harmless("class A:\n    @property\n    def p(self):\n        return 1\n" MODEL(
                              "self.n = 0", "if self.n > 9:\n            self.n = self.p\n"),
                          "self.n = self.p"));
    assert_false(
        harmless(MODEL("self.n = self.l = [0]", "if len(self.l) > 9:\n            self.n += self.l\n"),
                 "self.n += self.l"));
    assert_true(
        harmless("t = [0]\ndef run(x):\n    t[0] += 1\n    if t[0] > 9:\n        t[0] = 0\n", "t[0] = 0"));
    assert_false(harmless(
        "t = [0]\ndef run(x):\n    t[0] += 1\n    f(t)\n    if t[0] > 9:\n        t[0] = 0\n", "t[0] = 0"));
    assert_false(harmless("def run(x):\n    t = [0]\n    if x.n > 9:\n        t[0] = 0\n", "t[0] = 0"));
}

#define KERNEL      "@triton.jit\ndef k(a, B: tl.constexpr):\n    pass\n"
#define LAUNCH(how) "def run(x):\n    n = x.shape[0]\n    k[(1,)](x, B=1, " how ")\n"
static void options_of_launches(void **state) {
    (void)state;
    assert_true(harmless(KERNEL LAUNCH("num_warps=4 if n < 9 else 8"), "8"));
    assert_false(harmless(KERNEL LAUNCH("num_warps=4 if n < 9 else 2"), "2)"));
    assert_true(harmless(KERNEL LAUNCH("num_stages=3 if n < 9 else 0"), "0)\n"));
    assert_false(harmless(KERNEL LAUNCH("C=4 if n < 9 else 8"), "8"));
    assert_false(harmless(KERNEL LAUNCH("num_warps=4 if n < 9 else n"), "n)"));
    assert_false(
        harmless("@triton.heuristics({'B': f})\n" KERNEL LAUNCH("num_warps=4 if n < 9 else 8"), "8"));
    assert_false(
        harmless("@triton.jit\ndef k(a, B: tl.constexpr, num_warps: tl.constexpr):\n    pass\n" LAUNCH(
                     "num_warps=4 if n < 9 else 8"),
                 "8"));
#define NAMED(more, to) \
    "def run(x):\n    w = 4\n" more "    k[(1,)](x, B=1, num_warps=w)\n    if x.n > 9:\n        w = " to "\n"
    assert_true(harmless(KERNEL NAMED("", "16"), "w = 16"));
    assert_false(harmless(KERNEL NAMED("", "2"), "w = 2"));
    assert_false(harmless(KERNEL NAMED("    f(w)\n", "16"), "w = 16"));
    assert_false(harmless(KERNEL NAMED("    g = lambda: w\n", "16"), "w = 16"));
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(what_only_counts),
                                       cmocka_unit_test(options_of_launches)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
