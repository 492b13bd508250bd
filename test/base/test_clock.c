// Two clocks: one that always goes on, one that goes on while this thread works.
#include "base/clock.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <time.h>

#include <cmocka.h>

static void both_go_forward(void **state) {
    (void)state;
    double seen = clock_seconds(), worked = clock_worked();
    for (int i = 0; i < 1000; i++) {
        double now = clock_seconds(), had = clock_worked();
        assert_true(now >= seen && had >= worked);
        seen = now, worked = had;
    }
}

static void sleep_is_no_work(void **state) {
    (void)state;
    double seen = clock_seconds(), worked = clock_worked();
    const struct timespec nap = {.tv_nsec = 60000000};
    nanosleep(&nap, NULL);
    assert_true(clock_seconds() - seen >= 0.05);
    assert_true(clock_worked() - worked < 0.05);
}

static void work_is_work(void **state) {
    (void)state;
    double seen = clock_seconds(), worked = clock_worked();
    while (clock_worked() - worked < 0.01) {} // ends: the thread's own clock runs while it spins
    assert_true(clock_seconds() - seen >= 0.009);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(both_go_forward),
        cmocka_unit_test(sleep_is_no_work),
        cmocka_unit_test(work_is_work),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
