// A launch's arguments by Python's rules.
#include "tile/golden.h"

static void test_golden(void **state) {
    (void)state;
    golden("bind");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_golden),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
