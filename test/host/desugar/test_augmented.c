// Augmented assignment of host code as the assignment that it is, where nobody can tell the two apart.
#include "host/normalized.h"
#include "host/world.h"

#define BODY(statement)                                                             \
    "def f(t, i):\n    return t\ndef run(x):\n    t, i = [1, 2], 1\n    " statement \
    "\n    f(t, i)\n    return x\n"
#define METHOD(statement)                                                                                   \
    "import torch.nn as nn\nclass ModelNew(nn.Module):\n    def __init__(self):\n        "                  \
    "super().__init__()\n"                                                                                  \
    "        self.n = 0\n        self.t = {}\n    def forward(self, x):\n        i = 1\n        " statement \
    "\n        return x\n"

static void it_is_written_out(void **state) {
    (void)state;
    HAS(BODY("i -= 1"), "i = i - 1");
    HAS(BODY("i //= 7 + i"), "i = i // (7 + i)");
    HAS(BODY("t += [i]"), "t = t + [i]");
    HAS(BODY("t[i] += 1"), "t[i] = t[i] + 1");
    HAS(BODY("t[x.size(0) - 1] += len(t)"), "t[x.size(0) - 1] = t[x.size(0) - 1] + len(t)");
    HAS(METHOD("self.n += 1"), "self.n = self.n + 1");
    HAS(METHOD("self.n += self.more()"), "self.n = self.n + self.more()");
    HAS(METHOD("self.t[i] |= 4"), "self.t[i] = self.t[i] | 4");
    // What is evaluated twice must change nothing.
    HAS(BODY("t[t.pop()] += 1"), "t[t.pop()] += 1");
    HAS(BODY("t[f(t, 0)] += 1"), "+=");
    HAS(BODY("t[i] += (i := 0)"), "+=");
    HAS(METHOD("self.t[i] += self.more()"), "+=");
    HAS(METHOD("self.more().n += 1"), "+=");
    HAS("def len(t):\n    return t.pop()\n" BODY("t[len(t)] += 1"), "t[len(t)] += 1");
    // Kernels have their own rules.
    HAS("import triton\n@triton.jit\ndef k(x):\n    i = 0\n    i += 1\ndef run(x):\n    k[(1,)](x)\n    "
        "return x\n",
        "i += 1");
}

// Runs what host_normalize() makes of it.
static bool runs(World *w, const char *source) {
    Node *module = (Node *)(uintptr_t)parsed(&w->arena, source);
    return host_normalize(&w->arena, module, &w->d) && host_screen(module, &w->d) &&
           host_run(&w->m, NULL, module, w->in, 3, &w->out);
}

static void it_does_the_same(void **state) {
    (void)state;
    static const char *const bodies[] = {
        "n = 7\nn -= 2\nn *= 3\nn //= 2\nn %= 4\nn <<= 3\nassert n == 24",
        "l = [1]\nm = l\nm += [2]\nm += m\nassert l is m and l == [1, 2, 1, 2]", // in place
        "l = [1]\nm = l\nm = m + [2]\nassert l == [1]",                          // another list
        "l = [1]\nl += (2, 3)\nl += 'ab'\nassert l == [1, 2, 3, 'a', 'b']",
        "t = (1,)\nu = t\nt += (2,)\nassert u == (1,) and t == (1, 2)",
        "d = {'a': [1]}\nd['a'] += [2]\nd['b'] = 1\nd['b'] += 1\nassert d == {'a': [1, 2], 'b': 2}",
        "l = [0, 0]\nl[x.shape[0] // 4] += 5\nassert l == [0, 5]",
        "s = 'a'\ns += 'b'\nassert s == 'ab'",
    };
    for (size_t i = 0; i < sizeof bodies / sizeof *bodies; i++) {
        World w;
        world_open(&w, 1 << 22);
        const char *source = program(&w.arena, bodies[i]);
        if (!runs(&w, source)) fail_msg("%s\n%s", w.d.count ? w.d.at[0].msg : "?", source);
        world_close(&w);
    }
    static const Case cases[] = {
        {DIAG_HOST, "UnboundLocalError", "n += 1"},
        {DIAG_HOST, "KeyError", "d = {}\nd['a'] += 1"},
        {DIAG_HOST, "TypeError", "l = [1]\nl += 1"},
        {DIAG_REFUSED, "compute on tensors (`+`)", "x += 1"},
        {DIAG_REFUSED, "written by kernels", "l = [x]\nl[0][0] = 1"},
        {DIAG_UNSUPPORTED, "in two statements", "l = [1, 2, 3]\nl[l.pop() - 3] += 1"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        World w;
        world_open(&w, 1 << 22);
        const char *source = program(&w.arena, cases[i].body);
        if (runs(&w, source)) fail_msg("no finding, expected %s:\n%s", cases[i].part, source);
        expect_finding(&w.d, cases[i].kind, cases[i].part, source);
        world_close(&w);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(it_is_written_out),
                                       cmocka_unit_test(it_does_the_same)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
