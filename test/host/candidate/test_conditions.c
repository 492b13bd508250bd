// Conditions of a kernel that follow from the arguments of a launch.
#include "host/candidate/conditions.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

static const char source[] = "@triton.jit\n"
                             "def k(x, N, M, BLOCK):\n"
                             "    n = N // 2\n"
                             "    y = tl.where(N % 96 == 5, 1, 2)\n"
                             "    if n > 100 and M == 9:\n"
                             "        y = 3\n"
                             "    for i in range(0, N, BLOCK):\n"
                             "        n = i\n"
                             "        if n == 7:\n"
                             "            y = 4\n";

static void arguments_decide(void **state) {
    (void)state;
    Arena a = {0};
    DiagList d = DIAGS(&a);
    const Node *m = parse_module(&a, STR(source), &d);
    assert_non_null(m);
    Outcomes *o = NEW(&a, Outcomes);
    o->bytes = sizeof source;
    o->dull = NEWN(&a, uint8_t, sizeof source);
    LaunchArg arg[] = {{.name = STR("x"), .kind = ARG_TENSOR},
                       {.name = STR("N"), .value = {.kind = PY_INT, .i = 101}},
                       {.name = STR("M"), .value = {.kind = PY_INT, .i = 3}},
                       {.name = STR("BLOCK"), .value = {.kind = PY_INT, .i = 64}}};
    for (int i = 1; i < 4; i++) arg[i].kind = ARG_PLAIN;
    Binding b = {.kernel = m->module.body.at[0], .module = m, .arg = arg, .args = 4};
    const int64_t grid[3] = {1, 1, 1};
    conditions_note(o, &b, grid);
    // N % 96 == 5, n > 100, M == 9 and both together; n in the loop is not known.
    assert_int_equal(o->compareds, 4);
    int news = o->news;
    conditions_note(o, &b, grid);
    assert_int_equal(o->news, news);
    arg[1].value.i = 102;
    conditions_note(o, &b, grid);
    assert_int_equal(o->news, news + 1);
    arg[1].value.i = 300; // another comparison, and more turns
    conditions_note(o, &b, grid);
    assert_int_equal(o->news, news + 3);
    arena_free(&a);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(arguments_decide)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
