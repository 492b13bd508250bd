// What Python's operators do to values, and what they refuse of tensors.
#include "host/doubling.h"
#include "host/world.h"

static void test_python(void **state) {
    (void)state;
    static const char *const bodies[] = {
        "assert 7 // 2 == 3 and -7 // 2 == -4 and -7 % 3 == 2 and 7 / 2 == 3.5 and 2 ** -1 == 0.5",
        "assert 1 < 2 <= 2 and not 1 > 2 and 3 in (1, 3) and 4 not in [1] and 'a' in {'a': 1} and 2 in "
        "range(0, 9, 2)",
        "assert (1, 2) + (3,) == (1, 2, 3) and [0] * 3 == [0, 0, 0] and (1, 2) < (1, 3) and 'ab' + 'c' == "
        "'abc'",
        "assert None is None and (x is x) and x is not s and not (x is None)",
    };
    EXPECT_OK(bodies);
}

static void test_refusals(void **state) {
    (void)state;
    static const Case cases[] = {
        {DIAG_REFUSED, "do it in a kernel", "y = x + 1"}, {DIAG_REFUSED, "do it in a kernel", "y = 2 * x"},
        {DIAG_REFUSED, "do it in a kernel", "y = -x"},    {DIAG_REFUSED, "do it in a kernel", "x += 1"},
        {DIAG_REFUSED, "do it in a kernel", "y = x @ x"}, {DIAG_REFUSED, "compare tensors", "y = x > 0"},
        {DIAG_REFUSED, "compare tensors", "y = x == x"},  {DIAG_REFUSED, "values", "y = math.exp(x)"},
        {DIAG_REFUSED, "kernel", "y = abs(x)"},
    };
    EXPECT_FAILURES(cases);
}

static void test_what_python_and_torch_raise(void **state) {
    (void)state;
    static const Case cases[] = {
        {DIAG_HOST, "ZeroDivisionError", "y = 1 // 0"},
        {DIAG_HOST, "ZeroDivisionError", "y = 1 % 0"},
        {DIAG_HOST, "OverflowError", "y = 9223372036854775807 + 1"},
        {DIAG_HOST, "OverflowError", "y = 10 ** 10 ** 10"},
        {DIAG_HOST, "OverflowError", "y = 99999999999999999999"},
        {DIAG_HOST, "TypeError: unsupported operand type(s) for +: 'int' and 'str'", "y = 1 + 'a'"},
        {DIAG_HOST, "TypeError: unsupported operand type(s) for -: 'list' and 'int'", "y = [1] - 1"},
        // Python has these.
        {DIAG_UNSUPPORTED, "of two values of type 'set'", "y = {1} & {2}"},
        {DIAG_UNSUPPORTED, "of two values of type 'set'", "y = {1} - {2}"},
        {DIAG_UNSUPPORTED, "of two values of type 'dict'", "y = {1: 2} | {2: 3}"},
        {DIAG_HOST, "TypeError: unsupported operand type(s) for -: 'dict'", "y = {1: 2} - {2: 3}"},
        {DIAG_HOST, "can only concatenate tuple", "y = x.view(-1).stride() + [1]"},
        {DIAG_HOST, "not supported between", "y = 1 < 'a'"},
    };
    EXPECT_FAILURES(cases);
}

static void test_features(void **state) {
    (void)state;
    static const Feature features[] = {
        {"map",
         HOLDS("tuple(map(int, (1.5, 2))) == (1, 2) and list(map(lambda a, b: a + b, [1, 2, 3], [4, 5])) "
               "== [5, 7]")},
        {"list", HOLDS("[1, 2] + [3] == [1, 2, 3] and [1, 2, 3][-1] == 3 and [1, 2, 3][:2] == [1, 2] and "
                       "len([1]) == 1 and 1 in [1]")},
        {"dict", HOLDS("{'a': 1}['a'] == 1 and {'a': 1}.get('b', 2) == 2 and 'a' in {'a': 1} and {'a': 1} == "
                       "dict(a=1)")},
        {"tuple", HOLDS("(1, 2) + (3,) == (1, 2, 3) and (1, 2) < (1, 3) and tuple([1]) == (1,)")},
    };
    RUN_FEATURES(features);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_python),
        cmocka_unit_test(test_refusals),
        cmocka_unit_test(test_what_python_and_torch_raise),
        cmocka_unit_test(test_features),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
