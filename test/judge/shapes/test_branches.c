// Sizes found by a child that explores, and the verdicts that follow from what is found or is not.
#include "judge/shapes/branches.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "judge/silu_judged.h"

static void branches_are_taken(void **state) {
    (void)state;
    Arena a = {0};
    Verdict v = judged(&a, KERNEL("    if M == 7 and N == 389:\n        s = 1.5\n"));
    assert_int_equal(status_class(v.decision.status), CLASS_REJECTED);
    v = judged(&a, KERNEL("    if M == 7 and N == 389:\n        s = 2.0 - 1.0\n"));
    assert_int_equal(v.decision.status, STATUS_ok);
    v = judged(&a, KERNEL("    if M * N > 1 << 28:\n        s = 1.0\n"));
    assert_int_equal(v.decision.status, STATUS_unreached);
    assert_false(verdict_accepted(&v));
    assert_int_equal(status_class(v.decision.status), CLASS_UNDECIDED);
    assert_non_null(
        strstr(v.decision.feedback, "line 15, which the condition on line 14 decides (`M * N > 1 << 28`)"));
    arena_free(&a);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(branches_are_taken)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
