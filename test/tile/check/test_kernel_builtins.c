// Python's few builtins inside kernels.
#include "tile/golden.h"

static void test_golden(void **state) {
    (void)state;
    golden("kernel_builtins");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_golden),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
