// The line of progress: how fast, and when it will be done.
#include "base/progress.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>

#include <cmocka.h>

static char text[40];
static const char *rate(size_t done, size_t total, double seconds) {
    progress_rate(text, sizeof text, done, total, seconds);
    return text;
}

static void test_rate_and_eta(void **state) {
    (void)state;
    assert_string_equal(rate(0, 100, 5), "");    // nothing is known
    assert_string_equal(rate(50, 100, 0.5), ""); // nor in the first second
    assert_string_equal(rate(50, 100, 5), "  10/s  ETA 0:05");
    assert_string_equal(rate(1, 3, 2), "  0.5/s  ETA 0:04");
    assert_string_equal(rate(100, 100, 5), "  20/s"); // done: nothing to wait for
    assert_string_equal(rate(1, 11, 600), "  0.1/min  ETA 1:40:00");
    assert_string_equal(rate(5000000, 10000000, 10), "  500k/s  ETA 0:10");
}

static void test_long_waits_fit(void **state) {
    (void)state;
    assert_string_equal(rate(1, SIZE_MAX, 1e9), "  0.0/min"); // an ETA in ages is none
    char small[8];
    progress_rate(small, sizeof small, 50, 100, 5);
    assert_string_equal(small, "  10/s "); // cut, not beyond
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rate_and_eta),
        cmocka_unit_test(test_long_waits_fit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
