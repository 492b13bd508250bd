// Conditions on the layout of inputs: which are settled by the domain, and in which function.
#include "sandbox/settled.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

static Arena a;

// Of the first `if` in the function that stands at `path` of the module's statements.
static Settled of(const char *text, bool contiguous) {
    DiagList d = DIAGS(&a);
    const Node *module = parse_module(&a, str_of(text), &d);
    if (!module) fail_msg("%s", text);
    const Nodes *body = &module->module.body;
    for (int i = 0; i < body->n; i++) {
        const Node *f = body->at[i];
        if (f->kind == NODE_CLASS) f = f->klass.body.at[0];
        for (int k = 0; f->kind == NODE_FUNCTION && k < f->function.body.n; k++)
            if (f->function.body.at[k]->kind == NODE_IF)
                return settled_layout(&a, module, f, f->function.body.at[k]->branch.cond, contiguous);
    }
    fail_msg("no condition: %s", text);
    return SETTLED_NOT;
}

static Settled in_run(const char *cond, bool contiguous) {
    return of(
        arena_printf(&a, "def run(x, w):\n    if %s:\n        x = x.contiguous()\n    return x\n", cond),
        contiguous);
}

static void conditions(void **state) {
    (void)state;
    static const struct {
        const char *cond;
        Settled any, contiguous;
    } all[] = {
        {"x.is_contiguous()", SETTLED_NOT, SETTLED_TRUE},
        {"not x.is_contiguous()", SETTLED_NOT, SETTLED_FALSE},
        {"not x.is_contiguous() or not w.is_contiguous()", SETTLED_NOT, SETTLED_FALSE},
        {"x.is_contiguous() and w.is_contiguous()", SETTLED_NOT, SETTLED_TRUE},
        {"x.stride(-1) != 1", SETTLED_FALSE, SETTLED_FALSE},
        {"x.stride(-1) == 1", SETTLED_TRUE, SETTLED_TRUE},
        {"not x.is_contiguous() or x.stride(-1) != 1", SETTLED_NOT, SETTLED_FALSE},
        // Something else may decide.
        {"not x.is_contiguous() or x.shape[0] == 7", SETTLED_NOT, SETTLED_NOT},
        {"x.is_contiguous() and x.shape[0] == 7", SETTLED_NOT, SETTLED_NOT},
        {"not x.is_contiguous() and x.shape[0] == 7", SETTLED_NOT, SETTLED_FALSE},
        {"x.t().is_contiguous()", SETTLED_NOT, SETTLED_NOT},
        {"y.is_contiguous()", SETTLED_NOT, SETTLED_NOT},
        {"x.stride(0) != 1", SETTLED_NOT, SETTLED_NOT},
        {"x.stride(-1) > 1", SETTLED_NOT, SETTLED_NOT},
        {"x.stride(-1) != 2", SETTLED_NOT, SETTLED_NOT},
        {"x.t().stride(-1) != 1", SETTLED_NOT, SETTLED_NOT},
    };
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        if (in_run(all[i].cond, false) != all[i].any || in_run(all[i].cond, true) != all[i].contiguous)
            fail_msg("%s", all[i].cond);
}

static void names_that_may_be_something_else(void **state) {
    (void)state;
#define IF "    if x.is_contiguous():\n        return x\n"
    assert_int_equal(of("def run(x):\n" IF, true), SETTLED_TRUE);
    assert_int_equal(
        of("class ModelNew(nn.Module):\n    def forward(self, x):\n        if x.is_contiguous():\n"
           "            return x\n",
           true),
        SETTLED_TRUE);
    static const char *const not [] = {
        "def run(x):\n    x = x.t()\n" IF,
        "def run(x):\n" IF "    x = x.t()\n",
        "def run(x):\n    for x in range(3):\n        pass\n" IF,
        "def run(x):\n    x += 1\n" IF,
        "def run(x):\n    x, y = x.shape\n" IF,
        "def run(x):\n    (x := x.t())\n" IF,
        "def run(x):\n    def f(x):\n        return x\n" IF,
        "def run(x=None):\n" IF,
        "def run(*x):\n" IF,
        "def other(x):\n" IF,                             // whatever it is given
        "def run(x):\n" IF "def f(x):\n    run(x.t())\n", // by itself, or by others
        "@wrapped\ndef run(x):\n" IF,
    };
    for (size_t i = 0; i < sizeof not / sizeof *not ; i++)
        if (of(not [i], true) != SETTLED_NOT) fail_msg("%s", not [i]);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(conditions),
                                       cmocka_unit_test(names_that_may_be_something_else)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
