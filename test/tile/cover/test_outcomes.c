// What is news is news once; comparisons remember both sides and whether their operands moved.
#include "tile/cover/outcomes.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

static const uint8_t dull[10] = {[7] = 1};

static void news_come_once(void **state) {
    (void)state;
    Arena a = {0};
    Outcomes *o = outcomes_new(&a, dull, sizeof dull);
    outcomes_begin(o, 0, 1);
    outcome_seen(o, 3, 1);
    outcome_seen(o, 3, 1);
    outcome_seen(o, 3, 2);
    outcome_seen(o, 7, 1);   // dull
    outcome_seen(o, 900, 1); // not in the source
    outcomes_end(o, true);
    assert_true(o->news == 2 && o->freshes == 2 && outcomes_have(o, o->fresh, 2));
    outcomes_begin(o, 1, 1);
    outcome_compared(o, 4, 5, 9, false);
    outcome_compared(o, 4, 6, 9, false);
    outcomes_end(o, true);
    assert_int_equal(o->news, 1);
    assert_true(o->compareds == 1 && o->compared[0].sides == 1 && o->compared[0].moved[0] &&
                !o->compared[0].moved[1]);
    for (int kept = 0; kept < 2;
         kept++) { // what comes out in a run that raises is no news, and is news later
        outcomes_begin(o, 2, 1);
        outcome_compared(o, 4, 9, 9, true);
        outcomes_end(o, kept);
        assert_true(o->news == kept && o->compared[0].sides == (kept ? 3 : 1) && o->compared[0].refused == 1);
    }
    outcome_number(o, 5);
    outcome_number(o, 5);
    assert_int_equal(o->numbers, 1);
    outcome_seen(NULL, 1, 1);
    outcome_compared(NULL, 1, 1, 1, true);
    outcome_part(NULL, 1, 1, 1, 1);
    outcome_texts(NULL, 1, STR("1"), STR("1"));
    outcome_computed(NULL, 1, 1, 1, 1);
    outcome_number(NULL, 1);
    outcomes_begin(o, 3, 1);
    for (uint32_t i = 0; i < 3 * OUTCOMES_MAX; i++) outcome_seen(o, 3, 100 + i); // full: no more, and no end
    outcomes_end(o, true);
    assert_int_equal(o->seens, OUTCOMES_MAX / 2);
    arena_free(&a);
}

static void parts_of_texts_and_numbers(void **state) {
    (void)state;
    Arena a = {0};
    Outcomes *o = outcomes_new(&a, dull, sizeof dull);
    outcomes_begin(o, 0, 1);
    outcome_texts(o, 2, STR("37x1009"), STR("37x61"));
    outcome_computed(o, 3, 5, 7, 0);
    outcomes_end(o, true);
    assert_int_equal(o->compareds, 3);
    assert_true(o->compared[0].sides == 2 && o->compared[0].part == 1);
    assert_true(o->compared[1].sides == 1 && o->compared[1].value[0] == 1009 &&
                o->compared[1].value[1] == 61);
    assert_true(o->compared[2].product && o->compared[2].sides == 1);
    assert_int_equal(o->numbers, 3);
    arena_free(&a);
}

// Two outcomes are a pair if both places have others; a pair that has come once is no news.
static void pairs_come_once(void **state) {
    (void)state;
    static const bool run[][3] = {
        {false, false, 0}, {true, false, 0}, {false, true, 0}, {true, true, 1}, {true, true, 0}};
    Arena a = {0};
    Outcomes *o = outcomes_new(&a, dull, sizeof dull);
    for (int pass = 0; pass < 2; pass++) {
        for (size_t i = 0; i < sizeof run / sizeof *run - 2; i++) {
            outcomes_begin(o, (int)i, 1);
            outcome_seen(o, 1, run[i][0]);
            outcome_seen(o, 2, run[i][1]);
            outcome_seen(o, 3, 1); // always the same
            outcomes_end(o, true);
        }
        o->pairing = true;
    }
    assert_int_equal(o->pairs, 3);
    for (size_t i = 3; i < sizeof run / sizeof *run; i++) {
        outcomes_begin(o, (int)i, 1);
        outcome_seen(o, 1, run[i][0]);
        outcome_seen(o, 2, run[i][1]);
        outcomes_end(o, true);
        assert_int_equal(o->new_pairs, run[i][2]);
    }
    arena_free(&a);
}

// Of what runs meet, cases that have been drawn alone need no others: a call that was tried is told to
// nobody.
static void entries_are_met_by_cases(void **state) {
    (void)state;
    Arena a = {0};
    Outcomes *o = outcomes_new(&a, NEWN(&a, uint8_t, 10), 10);
    for (int drawn = 0; drawn < 2; drawn++) {
        o->drawn = drawn;
        outcomes_begin(o, 0, 1);
        (void)outcome_looked_up(o, 7, NULL, 4, 2);
        outcomes_end(o, true);
        assert_int_equal(met_has(o->met.table[0].met, 2), drawn);
    }
    arena_free(&a);
}

// A place and way is found again among many, and every word of a candidate counts as told.
static void what_was_seen_is_found_again(void **state) {
    (void)state;
    enum { PLACES = 700 };
    Arena a = {0};
    Outcomes *o = outcomes_new(&a, NEWN(&a, uint8_t, PLACES), PLACES);
    uint64_t signature[2];
    for (int run = 0; run < 2; run++) {
        outcomes_begin(o, 0, 1);
        for (uint32_t i = 0; i < PLACES; i++) outcome_seen(o, i, i % 3);
        outcomes_end(o, true);
        signature[run] = o->signature;
    }
    assert_true(o->seens == PLACES && signature[0] == signature[1] && o->told == 2 * PLACES);
    outcome_signs(o, 1);
    (void)outcome_looked_up(o, 7, NULL, 4, 2);
    outcome_number(o, 5);
    assert_int_equal(o->told, 2 * PLACES + 3);
    arena_free(&a);
}

static void one_run_that_shows_nothing_unsettles(void **state) {
    (void)state;
    Arena a = {0};
    Outcomes *o = outcomes_new(&a, dull, sizeof dull);
    for (int run = 0; run < 3; run++) {
        outcomes_begin(o, run, 1);
        (run == 1 ? outcome_compared : outcome_settled)(o, 4, 9 + run, 9 + run, true);
        outcomes_end(o, true);
        assert_true(o->compareds == 1 && o->compared[0].unsettled == (run > 0));
        assert_int_equal(o->compared[0].sides, 2);
    }
    outcome_settled(NULL, 4, 1, 1, true);
    arena_free(&a);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(news_come_once),
                                       cmocka_unit_test(parts_of_texts_and_numbers),
                                       cmocka_unit_test(what_was_seen_is_found_again),
                                       cmocka_unit_test(one_run_that_shows_nothing_unsettles),
                                       cmocka_unit_test(pairs_come_once),
                                       cmocka_unit_test(entries_are_met_by_cases)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
