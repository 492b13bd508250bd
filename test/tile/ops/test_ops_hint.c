// Rows of op.def in ops_hint.c: what is taken, with which type, and what is said of the rest.
#include "tile/golden.h"

static void test_golden(void **state) {
    (void)state;
    golden("ops_hint");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_golden),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
