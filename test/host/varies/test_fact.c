// Intervals: arithmetic keeps what it can, and what is not known is never taken for known.
#include "host/varies/fact.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

static Fact n(int64_t lo, int64_t hi) { return fact_number(0, lo, hi); }

static void is(Fact f, int64_t lo, int64_t hi) {
    assert_int_equal(f.kind, FACT_NUMBER);
    assert_true(f.lo == lo && f.hi == hi);
}

static void arithmetic_is_bounded(void **state) {
    (void)state;
    is(fact_binary(OPER_ADD, n(1, 5), n(2, 3)), 3, 8);
    is(fact_binary(OPER_SUB, n(1, 5), n(2, 3)), -2, 3);
    is(fact_binary(OPER_MUL, n(-2, 5), n(3, 4)), -8, 20);
    is(fact_binary(OPER_FLOORDIV, n(10, 20), n(3, 5)), 2, 6);
    is(fact_binary(OPER_MOD, n(0, 100), n(7, 7)), 0, 6);
    is(fact_binary(OPER_MOD, n(0, 3), n(7, 7)), 0, 3);
    is(fact_binary(OPER_SHL, n(1, 1), n(22, 22)), 1 << 22, 1 << 22);
    is(fact_binary(OPER_POW, n(2, 2), n(31, 31)), (int64_t)1 << 31, (int64_t)1 << 31);
    is(fact_binary(OPER_MUL, n(1, FACT_FAR), n(1, FACT_FAR)), 1, FACT_FAR);
    is(fact_binary(OPER_MOD, n(-5, 5), n(7, 7)), -FACT_FAR, FACT_FAR);
    assert_int_equal(fact_binary(OPER_ADD, n(1, 1), fact_other(FACT_VARIES)).how, FACT_VARIES);
}

static void comparisons_are_sure_or_unknown(void **state) {
    (void)state;
    assert_int_equal(fact_compare(OPER_EQ, n(1, 9), n(0, 0)), TRUTH_NEVER);
    assert_int_equal(fact_compare(OPER_EQ, n(4, 4), n(4, 4)), TRUTH_ALWAYS);
    assert_int_equal(fact_compare(OPER_EQ, n(1, 9), n(4, 4)), TRUTH_UNKNOWN);
    assert_int_equal(fact_compare(OPER_GE, n(1, 16384), n(32768, 32768)), TRUTH_NEVER);
    assert_int_equal(fact_compare(OPER_LT, n(1, 9), n(10, 10)), TRUTH_ALWAYS);
    assert_int_equal(fact_compare(OPER_GE, n(1, 9), n(9, 9)), TRUTH_UNKNOWN);
    assert_int_equal(fact_compare(OPER_LT, n(FACT_FAR, FACT_FAR), n(1, FACT_FAR)), TRUTH_UNKNOWN);
    assert_int_equal(fact_compare(OPER_EQ, fact_other(0), n(1, 1)), TRUTH_UNKNOWN);
    assert_int_equal(fact_truth(n(1, 5)), TRUTH_ALWAYS);
    assert_int_equal(fact_truth(n(0, 5)), TRUTH_UNKNOWN);
}

static void functions_are_known(void **state) {
    (void)state;
    Fact f, two[] = {n(1, 100), fact_other(FACT_VARIES)}, ab[] = {n(1, 1000), n(16, 16)};
    assert_true(fact_call(STR("min"), two, 2, &f));
    is(f, -FACT_FAR, 100);
    assert_true(fact_call(STR("cdiv"), ab, 2, &f));
    is(f, 1, 63);
    assert_true(fact_call(STR("next_power_of_2"), ab, 1, &f));
    is(f, 1, 1024);
    Fact none = n(0, 100), below = n(-5, 100);
    assert_true(fact_call(STR("next_power_of_2"), &none, 1, &f)); // of 0 it is 0
    is(f, 0, 128);
    assert_true(fact_call(STR("next_power_of_2"), &below, 1, &f));
    is(f, -FACT_FAR, 128);
    // Numbers beyond the limits are all one number here.
    Fact deep = n(-FACT_FAR, -FACT_FAR);
    assert_int_equal(fact_compare(OPER_LT, deep, deep), TRUTH_UNKNOWN);
    assert_int_equal(fact_compare(OPER_LE, deep, deep), TRUTH_UNKNOWN);
    assert_int_equal(fact_compare(OPER_LE, n(3, 4), n(4, 9)), TRUTH_ALWAYS);
    assert_true(fact_call(STR("range"), ab, 1, &f));
    assert_int_equal(f.kind, FACT_NUMBERS);
    assert_false(fact_call(STR("cdiv"), two, 2, &f));
    assert_false(fact_call(STR("load"), two, 1, &f));
}

static void what_wraps_may_be_negative(void **state) {
    (void)state;
    Fact n = fact_number(FACT_VARIES, 1, FACT_ELEMENTS - 1), by = fact_number(0, 65521, 65521),
         large = fact_binary(OPER_MUL, n, fact_number(0, 40503, 40503)),
         rest = fact_binary(OPER_MOD, large, by);
    assert_true(rest.lo == 0 && rest.hi == 65520);
    rest = fact_wrapped(OPER_MOD, large, rest);
    assert_true(rest.lo == -65520 && rest.hi == 65520);
    assert_true(fact_wrapped(OPER_MOD, n, fact_binary(OPER_MOD, n, by)).lo == 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_wraps_may_be_negative), cmocka_unit_test(arithmetic_is_bounded),
        cmocka_unit_test(comparisons_are_sure_or_unknown), cmocka_unit_test(functions_are_known)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
