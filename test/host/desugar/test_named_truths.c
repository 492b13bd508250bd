// bool, any and their like where they are not called become functions of the file.
#include "host/policy/screen.h"
#include "host/support.h"

// Whether a function stands for `name`, and whether the file is still a kernel file.
static bool stands_for(const char *source, const char *name) {
    Arena a = {0};
    DiagList d = DIAGS(&a);
    Node *module = (Node *)(uintptr_t)parsed(&a, source);
    if (!host_normalize(&a, module, &d) || !host_screen(module, &d)) fail_msg("%s: %s", source, d.at[0].msg);
    bool found = module_function(module, str_of(arena_printf(&a, "<%s>", name))) != NULL;
    arena_free(&a);
    return found;
}

#define RUN(expr) "def run(x, t=(1,)):\n    return " expr "\n"
static void names_become_functions(void **state) {
    (void)state;
    static const struct {
        const char *source, *name;
        bool is;
    } all[] = {
        {RUN("map(bool, t)"), "bool", true},
        {RUN("{'f': any}['f'](t)"), "any", true},
        {RUN("[all][0](t)"), "all", true},
        {RUN("map(min, t, t)"), "min", true},
        {RUN("(max, 1)[0](t)"), "max", true},
        {RUN("str(t).startswith"), "startswith", true},
        {"T = {'f': bool}\n" RUN("T['f'](x)"), "bool", true},
        {"def f(n, g=bool):\n    return g(n)\n" RUN("f(x)"), "bool", true},
        {RUN("bool(t)"), "bool", false},
        {RUN("min(t)"), "min", false},
        {RUN("str(t).startswith('a')"), "startswith", false},
        {RUN("isinstance(t, bool)"), "bool", false},
        {RUN("isinstance(t, (int, bool))"), "bool", false},
        {"def f(n: bool) -> bool:\n    m: bool = n\n    return m\n" RUN("f(x)"), "bool", false},
        {"def any(n):\n    return n\n" RUN("map(any, t)"), "any", false}, // the file's own
        {"def f(bool):\n    return map(bool, (1,))\n" RUN("f(x)"), "bool", false},
    };
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        if (stands_for(all[i].source, all[i].name) != all[i].is) fail_msg("%s", all[i].source);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(names_become_functions)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
