// next(iter(x)): which are first items, and which would step through something that others may hold.
#include "host/policy/screen.h"
#include "host/support.h"

static bool refused(const char *source) {
    Arena a = {0};
    DiagList d = DIAGS(&a);
    Node *module = (Node *)(uintptr_t)parsed(&a, source);
    bool ok = host_normalize(&a, module, &d) && host_screen(module, &d);
    arena_free(&a);
    return !ok;
}

#define TAKES(expr) "def run(x, t=None):\n    return " expr "\n"
static void first_items_are_told(void **state) {
    (void)state;
    static const char *const first[] = {
        "next(iter(t))",         "next(iter(t), 3)", "next(i for i in t)", "next((i for i in t), None)",
        "next(reversed(t))",     "next(zip(t, t))",  "next(enumerate(t))", "next(map(len, t))",
        "next(iter(t.values()))"};
    for (size_t i = 0; i < sizeof first / sizeof *first; i++) {
        Arena a = {0};
        if (refused(arena_printf(&a, TAKES("%s"), first[i]))) fail_msg("%s", first[i]);
        arena_free(&a);
    }
    static const char *const other[] = {"next(t)",
                                        "iter(t)",
                                        "next(iter(t, 3))",
                                        "next([i for i in t])",
                                        "next(*iter(t))",
                                        "next(iter(*t))",
                                        "next(iter(t), 1, 2)",
                                        "(next, t)",
                                        "next(iter(t), default=3)"};
    for (size_t i = 0; i < sizeof other / sizeof *other; i++) {
        Arena a = {0};
        if (!refused(arena_printf(&a, TAKES("%s"), other[i]))) fail_msg("%s", other[i]);
        arena_free(&a);
    }
    // The file's own: nothing is rewritten.
    assert_false(refused("def next(n):\n    return n\n" TAKES("next(x)")));
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(first_items_are_told)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
