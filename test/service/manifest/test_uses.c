// Which names of a module a piece of code asks for.
// clang-format off
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
// clang-format on

#include "service/manifest/uses.h"

static bool skips_g(void *arg, const Node *klass, const Node *method) {
    (void)arg, (void)klass;
    return str_is(method->function.name, "g");
}

// The names of the first statement, in order.
static const char *used(Arena *a, const char *source, SkipsMethod *skips) {
    DiagList d = DIAGS(a);
    const Node *module = parse_module(a, str_of(source), &d);
    Names names = {.arena = a};
    Buf out = BUF(a);
    if (!module) fail_msg("does not parse: %s", source);
    names_used(a, &names, module->module.body.at[0], skips, NULL);
    for (int i = 0; i < names.n; i++) buf_printf(&out, "%s%.*s", i ? " " : "", STR_ARG(names.at[i]));
    return buf_cstr(&out);
}

static void expect(const char *source, SkipsMethod *skips, const char *names) {
    Arena a = {0};
    assert_string_equal(used(&a, source, skips), names);
    arena_free(&a);
}

static void test_scopes(void **state) {
    (void)state;
    expect("y = f(x).z\n", NULL, "y f x");
    expect("def f(a, b=N):\n    c = a + g(b)\n    return c\n", NULL, "N g");
    expect("def f(a):\n    def h(b):\n        return a + b + M\n    return h\n", NULL, "M");
    expect("def f():\n    return lambda meta: meta['B'] + k\n", NULL, "k");
    expect("def f():\n    return [i * n for i in range(m) if i > o]\n", NULL, "range m o n");
    expect("@d\ndef f(x: T) -> U:\n    pass\n", NULL, "d T U");
    expect("import torch\n", NULL, "");
}

static void test_classes(void **state) {
    (void)state;
    expect("class C(B):\n    n = N\n    def f(self, x):\n        return x + y + self.n\n", NULL, "B n N y");
    expect("class C:\n    @d\n    def g(self):\n        return y\n    def f(self):\n        return z\n",
           skips_g, "d z");
    expect("class C:\n    def g(self):\n        return y\n", NULL, "y");
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_scopes), cmocka_unit_test(test_classes)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
