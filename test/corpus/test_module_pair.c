// KernelBook's pairs as references in module form.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

#include "base/arena.h"
#include "base/clock.h"
#include "corpus/module_pair.h"

static bool holds(Str text, const char *what) { return memmem(text.p, text.len, what, strlen(what)) != NULL; }

static void a_pair_gets_its_names(void **state) {
    (void)state;
    Arena a = {0};
    ModulePair p;
    const Str module =
        STR("import torch\n\nclass Part(nn.Module):\n    pass\n\nclass Sum(nn.Module):\n    pass\n");
    const Str kernels = STR("class PartNew(nn.Module):\n    pass\n\nclass SumNew(nn.Module):\n    pass\n");
    assert_true(module_pair(&a, module, kernels, &p));
    assert_true(str_is(p.name, "Sum")); // the last one
    assert_true(holds(p.reference, "class Model(torch.nn.Module)") &&
                holds(p.reference, "= Sum(*args, **kwargs)"));
    assert_true(holds(p.candidate, "class ModelNew(torch.nn.Module)") &&
                holds(p.candidate, "= SumNew(*args"));
    // Names that are there already stay.
    assert_true(module_pair(&a, STR("class Model(nn.Module):\n"), STR("class ModelNew(nn.Module):\n"), &p));
    assert_true(str_is(p.reference, "class Model(nn.Module):\n"));
    arena_free(&a);
}

static void others_are_none(void **state) {
    (void)state;
    Arena a = {0};
    ModulePair p;
    assert_false(module_pair(&a, STR("class Sum(nn.Module):\n"), STR("class Sum(nn.Module):\n"), &p));
    assert_false(module_pair(&a, STR("class Sum(nn.Module):\n"), STR("class OtherNew(nn.Module):\n"), &p));
    assert_false(
        module_pair(&a, STR("class Sum(nn.Module):\n"), STR("# class SumNew\n  class SumNew:\n"), &p));
    assert_false(module_pair(&a, STR(""), STR("class New(nn.Module):\nclass "), &p));
    arena_free(&a);
}

// Megabytes of classes, of which none is of the other text, take no longer than reading them.
static void many_classes_are_no_long_search(void **state) {
    (void)state;
    enum { CLASSES = 100000 };
    Arena a = {0};
    Buf module = BUF(&a), kernels = BUF(&a);
    ModulePair p;
    for (int i = 0; i < CLASSES; i++)
        buf_printf(&module, "class A%d:\n", i), buf_printf(&kernels, "class B%dNew:\n", i);
    const double from = clock_seconds();
    assert_false(module_pair(&a, buf_str(&module), buf_str(&kernels), &p));
    buf_puts(&kernels, "class A77777New:\nclass ANew:\n");
    assert_true(module_pair(&a, buf_str(&module), buf_str(&kernels), &p) && str_is(p.name, "A77777"));
    assert_true(clock_seconds() - from < 20); // a search of each among all of them takes minutes
    arena_free(&a);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_pair_gets_its_names),
        cmocka_unit_test(others_are_none),
        cmocka_unit_test(many_classes_are_no_long_search),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
