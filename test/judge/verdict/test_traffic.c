// How much a kernel moves, in units of the fewest possible bytes.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "judge/verdict/traffic.h"

static void everything_that_moves_counts(void **state) {
    (void)state;
    Traffic v = {.bytes_ideal = 64};
    assert_true(traffic_ratio(&v) == 0);
    v.count.bytes_loaded = 32;
    v.count.bytes_stored = 32;
    assert_true(traffic_ratio(&v) == 1);
    v.count.bytes_copied = 64; // the host's copies too
    assert_true(traffic_ratio(&v) == 2);
    v.count.launches = v.count.programs = 1000; // and nothing else
    assert_true(traffic_ratio(&v) == 2);
}

static void nothing_was_measured(void **state) {
    (void)state;
    Traffic v = {.bytes_ideal = 0};
    v.count.bytes_loaded = 32;
    assert_true(traffic_ratio(&v) == 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(everything_that_moves_counts),
        cmocka_unit_test(nothing_was_measured),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
