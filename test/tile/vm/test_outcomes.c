// What is news is news once; comparisons remember both sides and whether their operands moved.
#include "tile/vm/outcomes.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

static void news_come_once(void **state) {
    (void)state;
    static Outcomes o;
    static const uint8_t dull[10] = {[7] = 1};
    o.dull = dull;
    o.bytes = sizeof dull;
    outcome_seen(&o, 3, 1);
    outcome_seen(&o, 3, 1);
    outcome_seen(&o, 3, 2);
    assert_int_equal(o.news, 2);
    outcome_seen(&o, 7, 1);   // dull
    outcome_seen(&o, 900, 1); // not in the source
    assert_int_equal(o.news, 2);
    outcome_compared(&o, 4, 5, 9, false);
    outcome_compared(&o, 4, 6, 9, false);
    assert_int_equal(o.news, 3);
    assert_true(o.compareds == 1 && o.compared[0].sides == 1 && o.compared[0].moved[0] &&
                !o.compared[0].moved[1]);
    outcome_compared(&o, 4, 9, 9, true);
    assert_true(o.news == 4 && o.compared[0].sides == 3);
    outcome_number(&o, 5);
    outcome_number(&o, 5);
    assert_int_equal(o.numbers, 1);
    outcome_seen(NULL, 1, 1);
    outcome_compared(NULL, 1, 1, 1, true);
    outcome_number(NULL, 1);
    for (uint32_t i = 0; i < 3 * OUTCOMES_MAX; i++) outcome_seen(&o, 3, 100 + i); // full: no more, and no end
    assert_int_equal(o.seens, OUTCOMES_MAX / 2);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(news_come_once)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
