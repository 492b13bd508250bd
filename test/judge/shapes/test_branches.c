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

// A chain of 64 conditions, more than one draw has room for: the last one's factor is what a test says.
static const char *chain(Arena *a, const char *last) {
    Buf lines = BUF(a);
    for (int i = 0; i < 64; i++)
        buf_printf(&lines, "    %s N == %d:\n        s = %s\n", i ? "elif" : "if", 130 + 33 * i,
                   i < 63 ? "2.0 - 1.0" : last);
    const char *head = KERNEL("    %%\n"), *at = strstr(head, "    %%\n");
    Buf all = BUF(a);
    buf_printf(&all, "%.*s%s%s", (int)(at - head), head, buf_cstr(&lines), at + strlen("    %%\n"));
    return buf_cstr(&all);
}

static void long_chains_are_taken(void **state) {
    (void)state;
    Arena a = {0};
    Verdict v = judged(&a, chain(&a, "1.5"));
    assert_int_equal(status_class(v.decision.status), CLASS_REJECTED);
    v = judged(&a, chain(&a, "2.0 - 1.0"));
    assert_int_equal(v.decision.status, STATUS_ok);
    arena_free(&a);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(branches_are_taken),
                                       cmocka_unit_test(long_chains_are_taken)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
