// Learning rates: each schedule at its ends and in the middle.
#include "making.h"
#include "train/schedule.h"

static void rates_go_as_they_are_called(void **state) {
    (void)state;
    static const struct {
        ScheduleKind kind;
        double middle, last;
    } want[] = {{SCHEDULE_cosine, 0.55, 0.1},
                {SCHEDULE_linear, 0.55, 0.1},
                {SCHEDULE_constant, 1, 1},
                {SCHEDULE_wsd, 1, 0.1}};
    assert_int_equal(sizeof want / sizeof *want, SCHEDULES);
    for (int i = 0; i < SCHEDULES; i++) {
        Schedule s = {want[i].kind, 2.0, 0.1, 10, 111};
        assert_true(fabs(schedule_rate(&s, 1) - 0.2) < 1e-12 && fabs(schedule_rate(&s, 10) - 2) < 1e-12);
        assert_true(fabs(schedule_rate(&s, 11) - 2) < 1e-12);
        assert_true(fabs(schedule_rate(&s, 61) - 2 * want[i].middle) < 1e-9);
        assert_true(fabs(schedule_rate(&s, 111) - 2 * want[i].last) < 1e-9);
    }
    Schedule wsd = {SCHEDULE_wsd, 1, 0, 0, 101}; // left is 0.1 at step 91
    assert_true(fabs(schedule_rate(&wsd, 91) - 0.5) < 1e-9);
}

static void names_are_known_or_listed(void **state) {
    (void)state;
    ScheduleKind k;
    Err e = {0};
    assert_true(schedule_named("linear", &k, &e) && k == SCHEDULE_linear);
    assert_false(schedule_named("cosinus", &k, &e));
    assert_non_null(strstr(e.msg, "cosine, linear, constant, wsd"));
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(rates_go_as_they_are_called),
                                       cmocka_unit_test(names_are_known_or_listed)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
