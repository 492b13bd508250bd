// Functions of numbers, the math module, and Triton's helpers of launches.
#include "host/doubling.h"
#include "host/world.h"

static void test_python(void **state) {
    (void)state;
    static const char *const bodies[] = {
        "assert int(3.9) == 3 and int(-3.9) == -3 and float(2) == 2.0 and bool([]) is False and str(12) == "
        "'12'",
        "assert math.ceil(1.2) == 2 and math.floor(-1.2) == -2 and math.log2(4096) == 12.0 and "
        "math.sqrt(9.0) == 3.0",
        "assert math.isqrt(99) == 9 and math.gcd(12, 18) == 6 and math.prod((2, 3)) == 6 and math.log(8, 2) "
        "== 3.0",
        "assert triton.cdiv(9, 4) == 3 and triton.cdiv(8, 4) == 2 and triton.next_power_of_2(5) == 8",
        "assert triton.next_power_of_2(1) == 1 and triton.next_power_of_2(1024) == 1024 and "
        "triton.next_power_of_2(0) == 0",
        "assert int(' 12 ') == 12 and int('-0x1F', 16) == -31 and int('0b11', 0) == 3 and int('1_000') == "
        "1000",
        "assert int('00') == 0 and int('z', 36) == 35 and int('+7') == 7 and int('0', 0) == 0",
        "assert float('1e3') == 1000.0 and float(' -2.5\\n') == -2.5 and float('1_0.5') == 10.5 and "
        "float('.5') == "
        "0.5 and float('-Infinity') < 0",
        "assert round(2.5) == 2 and round(2.675, 2) == 2.67 and round(1.25, 1) == 1.2 and round(1250, -2) == "
        "1200 and "
        "round(-1250, -2) == -1200 and round(1350, -2) == 1400 and round(7, 2) == 7",
        "assert torch.finfo(torch.float16).max == 65504.0 and torch.finfo(torch.bfloat16).eps == 2.0 ** -7 "
        "and "
        "torch.finfo(torch.float32).tiny == 2.0 ** -126 and torch.finfo().bits == 32",
        "assert torch.iinfo(torch.int8).min == -128 and torch.iinfo(torch.uint8).max == 255 and "
        "torch.iinfo(torch.int64).max == 9223372036854775807 and torch.iinfo(torch.uint8).min == 0",
        "assert -9223372036854775808 < 0 and 9223372036854775807 > 0",
    };
    EXPECT_OK(bodies);
}

static void test_refusals(void **state) {
    (void)state;
    static const Case cases[] = {
        {DIAG_REFUSED, "values", "y = int(x[0, 0])"},
        {DIAG_REFUSED, "values", "y = float(x[0, 0])"},
        {DIAG_REFUSED, "values", "y = max(x, s)"},
    };
    EXPECT_FAILURES(cases);
}

static void test_what_python_and_torch_raise(void **state) {
    (void)state;
    static const Case cases[] = {
        {DIAG_HOST, "ZeroDivisionError", "y = triton.cdiv(4, 0)"},
        {DIAG_HOST, "OverflowError", "y = int(1e300)"},
        {DIAG_HOST, "math domain", "y = math.log(0)"},
        {DIAG_HOST, "invalid literal", "y = int('')"},
        {DIAG_HOST, "invalid literal", "y = int('1__0')"},
        {DIAG_HOST, "invalid literal", "y = int('_1')"},
        {DIAG_HOST, "invalid literal", "y = int('1_')"},
        {DIAG_HOST, "invalid literal", "y = int('012', 0)"},
        {DIAG_HOST, "invalid literal", "y = int('12', 2)"},
        {DIAG_HOST, "invalid literal", "y = int('- 1')"},
        {DIAG_HOST, "base", "y = int('1', 1)"},
        {DIAG_HOST, "explicit base", "y = int(1, 10)"},
        {DIAG_UNSUPPORTED, "64 bits", "y = int('9223372036854775808')"},
        {DIAG_HOST, "convert string", "y = float('1e')"},
        {DIAG_HOST, "convert string", "y = float('')"},
        {DIAG_HOST, "convert string", "y = float('--1')"},
        {DIAG_HOST, "convert string", "y = float('0x10')"},
        {DIAG_HOST, "convert string", "y = float('1_.0')"},
        {DIAG_HOST, "finfo", "y = torch.finfo(torch.int32)"},
        {DIAG_HOST, "iinfo", "y = torch.iinfo(torch.float32)"},
    };
    EXPECT_FAILURES(cases);
}

static void test_features(void **state) {
    (void)state;
    static const Feature features[] = {
        {"bit_length",
         HOLDS("(8).bit_length() == 4 and (0).bit_length() == 0 and (-5).bit_length() == 3 and 1 "
               "<< (x.shape[1] - 1).bit_length() == 8")},
        {"abs sum zip enumerate divmod range",
         HOLDS(
             "abs(-1) == 1 and list(zip((1,), (2,))) == [(1, 2)] and list(enumerate('a')) == [(0, 'a')] and "
             "divmod(7, 2) == (3, 1) and list(range(2)) == [0, 1]")},
        {"math",
         HOLDS("math.ceil(1.5) == 2 and math.floor(1.5) == 1 and math.log2(8) == 3.0 and math.sqrt(4.0) "
               "== 2.0 and math.prod(x.shape) == 32 and math.inf > 1 and math.pi > 3")},
        {"triton.cdiv, next_power_of_2", HOLDS("triton.cdiv(9, 4) == 3 and triton.next_power_of_2(9) == 16")},
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
