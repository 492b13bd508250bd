// Triton's type rules: promotion, weak scalars, casts, broadcasting.
#include "tile/golden.h"

static void test_golden(void **state) {
    (void)state;
    golden("promote");
}

static void test_golden_fp8(void **state) {
    (void)state;
    golden("fp8");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_golden),
        cmocka_unit_test(test_golden_fp8),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
