// Dotted paths of Triton, imports, and what to write instead.
#include "tile/golden.h"

static void test_golden(void **state) {
    (void)state;
    golden("triton_names");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_golden),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
