// Conditions on more elements than anybody draws: where all programs can run, wrong values are found and a
// right line counts as reached; where a few run, it does not.
#include "judge/shapes/large_points.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "judge/silu_judged.h"

static void all_programs_run(void **state) {
    (void)state;
    Arena a = {0};
    Verdict v = judged(&a, KERNEL("    if M * N == 4099 * 1013:\n        s = 1.01\n"));
    assert_int_equal(status_class(v.decision.status), CLASS_REJECTED);
    v = judged(&a, KERNEL("    if M * N == 4099 * 1013:\n        s = 2.0 - 1.0\n"));
    assert_int_equal(v.decision.status, STATUS_ok);
    arena_free(&a);
}

static void a_few_programs_run(void **state) {
    (void)state;
    Arena a = {0};
    Verdict v = judged(&a, KERNEL("    if M * N == 37037111:\n        rows = M - 1\n"));
    assert_int_equal(v.decision.status, STATUS_uncovered_output);
    v = judged(&a, KERNEL("    if M * N == 37037111:\n        s = 1.01\n"));
    assert_int_equal(status_class(v.decision.status), CLASS_REJECTED);
    v = judged(&a, KERNEL("    if M * N == 37037111:\n        s = 2.0 - 1.0\n"));
    assert_int_equal(v.decision.status, STATUS_unreached);
    arena_free(&a);
}

// More entries of a table than there may be other points, each of them of many rows: all have to be right.
static void entries_run(void **state) {
    (void)state;
    Arena a = {0};
#define SHAPES(last)                                                                                       \
    "    s = {(700, 2048): 1.0, (800, 2048): 1.0, (900, 2048): 1.0, (1000, 2048): 1.0, (1100, 2048): 1.0," \
    " (1200, 2048): 1.0, (1300, 2048): 1.0, (1400, 2048): 1.0, (1500, 2048): " last "}.get((M, N), 1.0)\n"
    Verdict v = judged(&a, KERNEL(SHAPES("1.01")));
    assert_int_equal(status_class(v.decision.status), CLASS_REJECTED);
    v = judged(&a, KERNEL(SHAPES("1.0")));
    assert_int_equal(v.decision.status, STATUS_ok);
    arena_free(&a);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(all_programs_run),
                                       cmocka_unit_test(a_few_programs_run), cmocka_unit_test(entries_run)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
