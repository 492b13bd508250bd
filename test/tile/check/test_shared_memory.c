// What the loads of a loop need of shared memory.
#include "tile/golden.h"

static void test_golden(void **state) {
    (void)state;
    golden("shared_memory");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_golden),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
