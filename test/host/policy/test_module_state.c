// Lists and dictionaries of a module that calls may change: which they are, what they may hold, and when they
// are at hand. The same text changed in one place is refused.
#include "host/policy/screen.h"
#include "host/support.h"
#include "host/world.h"

static Node *ready(Arena *a, const char *source, DiagList *d) {
    Node *module = (Node *)(uintptr_t)parsed(a, source);
    return host_normalize(a, module, d) ? module : NULL;
}

static void names_are_found(void **state) {
    (void)state;
#define STORES(statement) "def run(x):\n    " statement "\n    return x\n"
    static const struct {
        const char *source;
        bool kept;
    } all[] = {
        {"t = {}\n" STORES("t[1] = 2"), true},
        {"t = dict()\n" STORES("t['a'] = 2"), true},
        {"t = list()\n" STORES("t.append(2)"), true},
        {"t = [0, -1.5, 'a', None, True]\n" STORES("t[0] += 1"), true},
        {"t: dict = {'n': 0, 2: 'b'}\n" STORES("t.update(n=1)"), true},
        {"t = {}\n" STORES("a, t[1] = 1, 2"), true},
        {"t = {}\n" STORES("for t[1] in (1, 2):\n        pass"), true},
        {"t = {}\ndef f():\n    def g():\n        t[1] = 2\n    return g\n" STORES("f()()"), true},
        {"t = {}\n" STORES("t[1]"), false},                 // nobody changes it
        {"t = {}\n" STORES("t = {}\n    t[1] = 2"), false}, // a local one
        {"t = {}\nt = {}\n" STORES("t[1] = 2"), false},     // bound twice
        {"t = {}\n" STORES("f = lambda t: 1\n    t[1] = 2"), false},
        {"t = {'a': []}\n" STORES("t[1] = 2"), false}, // not plain
        {"t = {'a': x}\n" STORES("t[1] = 2"), false},
        {"t = [i for i in (1, 2)]\n" STORES("t[1] = 2"), false},
        {"def dict():\n    return 1\nt = dict()\n" STORES("t[1] = 2"), false},
        {"t = (1, 2)\n" STORES("t[1] = 2"), false},
    };
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        Arena a = {0};
        DiagList d = DIAGS(&a);
        Names names = {.arena = &a};
        const Node *module = ready(&a, all[i].source, &d);
        assert_non_null(module);
        names_of_state(&names, module);
        if (names_have(&names, STR("t")) != all[i].kept) fail_msg("%s", all[i].source);
        arena_free(&a);
    }
}

typedef struct {
    DiagKind kind; // DIAG_COUNT: all is well
    const char *part, *source;
} Program;
#define IN_RUN(text) "def run(x, s, t):\n" text "    return x\n"

// Two calls of one program.
static void two_calls(const Program *p) {
    World w;
    world_open(&w, 1 << 22);
    Node *module = ready(&w.arena, p->source, &w.d);
    HostProgram *host = module && host_screen(module, &w.d) ? host_program(&w.m, NULL, module) : NULL;
    bool ok = host && host_build(host, w.in, 3) && host_call(host, w.in, 3, &w.out) &&
              host_call(host, w.in, 3, &w.out);
    if (ok != (p->kind == DIAG_COUNT))
        fail_msg("%s\n%s", w.d.count ? w.d.at[0].msg : "no finding", p->source);
    if (!ok) expect_finding(&w.d, p->kind, p->part, p->source);
    world_close(&w);
}

static void it_lasts_from_call_to_call(void **state) {
    (void)state;
    static const Program all[] = {
        {DIAG_COUNT, "", "n = [0]\n" IN_RUN("    n[0] += 1\n    assert n[0] < 3\n")},
        {DIAG_HOST, "AssertionError", "n = [0]\n" IN_RUN("    n[0] += 1\n    assert n[0] < 2\n")},
        {DIAG_HOST, "AssertionError", "n = []\n" IN_RUN("    n.append(x.shape)\n    assert len(n) < 2\n")},
        {DIAG_HOST, "AssertionError",
         "n = {}\n" IN_RUN(
             "    assert x.shape not in n\n    n[x.shape] = (x.dtype, x.device, ('a', 1.5))\n")},
        // Another name for it is the same one.
        {DIAG_HOST, "AssertionError",
         "n = [0]\n" IN_RUN("    m = n\n    m[0] += 1\n    n[0] = m[0]\n    assert n[0] < 2\n")},
        // Nothing but numbers and the like: no tensors, nothing that could hold one later.
        {DIAG_REFUSED, "not Tensor", "n = {}\n" IN_RUN("    n['x'] = x\n")},
        {DIAG_REFUSED, "not Tensor", "n = {}\n" IN_RUN("    n[x] = 1\n")},
        {DIAG_REFUSED, "not tuple", "n = []\n" IN_RUN("    n.append((1, x))\n")},
        {DIAG_REFUSED, "not list", "n = {}\n" IN_RUN("    n[1] = []\n")},
        {DIAG_REFUSED, "not function", "n = {}\n" IN_RUN("    n[1] = lambda: x\n")},
        {DIAG_REFUSED, "not list", "n = [0]\n" IN_RUN("    n[0] = n\n")},
        {DIAG_REFUSED, "not Tensor", "n = [0]\n" IN_RUN("    n.extend([x])\n")},
        {DIAG_REFUSED, "not Tensor", "n = [0]\n" IN_RUN("    n.insert(0, x)\n")},
        {DIAG_REFUSED, "not Tensor", "n = {}\n" IN_RUN("    n.setdefault(1, x)\n")},
        {DIAG_REFUSED, "not Tensor", "n = {}\n" IN_RUN("    n.update(a=x)\n")},
        // What nobody stores to stays as it was read.
        {DIAG_REFUSED, "copy it", "n = [0]\n" IN_RUN("    m = n\n    m.append(1)\n")},
        {DIAG_REFUSED, "that the module binds once", "n = {'a': [0]}\n" IN_RUN("    n['a'][0] = 1\n")},
        {DIAG_REFUSED, "that the module binds once", "def f(n):\n    n[0] = 1\n" IN_RUN("    f([0])\n")},
        {DIAG_REFUSED, "that the module binds once", "n = {}\nn[1] = 2\n" IN_RUN("    n[1] = 2\n")},
        // In calls alone.
        {DIAG_REFUSED, "in calls alone",
         "n = [0]\ndef f():\n    n[0] += 1\n    return n[0]\nN = f()\n" IN_RUN("    f()\n")},
        {DIAG_REFUSED, "in calls alone", "n = [0]\nm = n\n" IN_RUN("    n[0] += 1\n")},
        {DIAG_REFUSED, "in calls alone", "n = [0]\nm = [n]\n" IN_RUN("    n[0] += 1\n")},
        {DIAG_REFUSED, "in calls alone",
         "n = [0]\ndef f(m=n):\n    return m[0]\n" IN_RUN("    f()\n    n[0] += 1\n")},
        {DIAG_REFUSED, "in calls alone",
         "n = [0]\nclass C:\n    m = n\n" IN_RUN("    n[0] += 1\n    C.m[0]\n")},
        {DIAG_REFUSED, "in calls alone",
         "import functools\nn = [0]\n@functools.cache\ndef f():\n    return n[0]\n" IN_RUN(
             "    n[0] += 1\n    f()\n")},
        {DIAG_REFUSED, "in calls alone",
         "import torch.nn as nn\nn = [0]\nclass ModelNew(nn.Module):\n    def __init__(self):\n"
         "        super().__init__()\n        n[0] += 1\n    def forward(self, x, s, t):\n        return "
         "x\n"},
    };
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) two_calls(&all[i]);
}

static void classes_hold_state(void **state) {
    (void)state;
#define CLASS(body, method) "class A:\n    " body "\n    def f(self):\n        " method "\n"
    static const struct {
        const char *source;
        bool kept, value;
    } all[] = {
        {CLASS("t = {}", "self.t[1] = 2"), true, true},
        {CLASS("t: dict = {}", "A.t.pop(1)"), true, true},
        {CLASS("t = [0]", "del self.t[0]"), true, true},
        {CLASS("t = set()", "self.t.add(1)"), true, true},
        {CLASS("t = {1: 2}", "return self.t[1]"), false, true},
        {CLASS("t = {}", "return self.t"), false, true},
        {CLASS("t = 3", "return self.t"), false, true},
        {CLASS("t: int = 3", "return self.t"), false, true},
        {CLASS("t = {1: f()}", "self.t[1] = 2"), false, false},
        {CLASS("t = f()", "self.t[1] = 2"), false, false},
    };
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        Arena a = {0};
        Node *module = (Node *)(uintptr_t)parsed(&a, all[i].source);
        class_state_normalize(&a, module);
        const Node *s = module->module.body.at[0]->klass.body.at[0];
        bool kept = s->kind == NODE_ASSIGN ? s->assign.kept : s->annassign.kept;
        if (kept != all[i].kept || is_class_value(s) != all[i].value) fail_msg("%s", all[i].source);
        arena_free(&a);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(names_are_found),
                                       cmocka_unit_test(classes_hold_state),
                                       cmocka_unit_test(it_lasts_from_call_to_call)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
