// Which entries of tables have been met, in runs that have raised nothing; and how a key differs from one
// entry.
#include "tile/cover/met_entries.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

static MetEntries m;

static void entries_are_met_in_kept_runs(void **state) {
    (void)state;
    int one, other;
    m = (MetEntries){.aim_table = -1, .aim_entry = -1};
    met_begin(&m, 1);
    assert_int_equal(met_looked_up(&m, 7, &one, 100, 71), -1);
    assert_int_equal(met_looked_up(&m, 7, &other, 10, -1),
                     -1); // another table, looked into at the same place
    met_end(&m, true);
    assert_true(m.tables == 2 && m.table[0].entries == 100 && m.table[1].entries == 10);
    assert_true(met_has(m.table[0].met, 71) && !met_has(m.table[0].met, 70));
    met_begin(&m, 2);
    (void)met_looked_up(&m, 7, &one, 100, 70);
    met_end(&m, false);
    assert_false(met_has(m.table[0].met, 70));
    met_begin(&m, 3);
    (void)met_looked_up(&m, 7, &one, MET_ENTRIES_MAX + 9,
                        MET_ENTRIES_MAX + 3); // longer than there is room for
    met_end(&m, true);
    assert_int_equal(m.table[0].entries, MET_ENTRIES_MAX);
    for (uint32_t at = 100; at < 200; at++) (void)met_looked_up(&m, at, &one, 2, 0);
    assert_int_equal(m.tables, MET_TABLES_MAX);
}

static void a_key_is_told_beside_its_entry(void **state) {
    (void)state;
    m = (MetEntries){.aim_table = 0, .aim_entry = 4};
    met_begin(&m, 1);
    assert_int_equal(met_looked_up(&m, 7, NULL, 9, -1), 4);
    assert_int_equal(met_looked_up(&m, 8, NULL, 9, -1), -1); // another table
    met_key_begin(&m, false);
    met_key_number(&m, 5, 4096);
    met_key_texts(&m, STR("7x61_fp16"), STR("9x512_fp16"));
    met_key_other(&m, true);
    assert_true(m.asked && m.alike && !m.hit && m.numbers == 4);
    assert_true(m.key[0] == 5 && m.want[0] == 4096 && m.key[2] == 61 && m.want[2] == 512);
    met_key_texts(&m, STR("half"), STR("full"));
    assert_false(m.alike);
    met_begin(&m, 2);
    assert_int_equal(met_looked_up(&m, 7, NULL, 3, -1), -1); // shorter now
    assert_true(!m.asked && m.numbers == 0);
    met_told(&m);
    assert_true(met_has(m.table[0].met, 4));
}

// Whether an item's number is the left one or the right one, and whichever it happens to equal: both are to
// be the same. Outside of the turn of the one that is looked for nothing is noted.
static void comparisons_of_an_item_are_its_key(void **state) {
    (void)state;
    for (int sought = 0; sought < 2; sought++) {
        m = (MetEntries){0};
        met_item_begin(&m, sought);
        m.items = 2, m.item[0] = 128, m.item[1] = 1;
        met_compared(&m, 61, 128);
        met_compared(&m, 128, 1); // a size of 1 beside it
        met_compared(&m, 3, 4);
        met_item_equal(&m, 8 * 16, 61, false); // `a * b == n`
        met_item_equal_texts(&m, STR("n128"), STR("n61"), false);
        assert_int_equal(m.numbers, sought ? 3 : 0);
        for (int i = 0; i < m.numbers; i++) assert_int_equal(m.want[i], 0);
        if (sought) assert_true(m.key[0] == -67 && m.key[1] == 127 && m.key[2] == 67);
    }
    met_item_equal(&m, INT64_MIN, 61, false);
    assert_int_equal(m.key[3], INT64_MAX);
}

// Of a loop that goes through all items: `==` tells which it is after, or else a branch does.
static void a_turn_is_wanted_for_what_equals(void **state) {
    (void)state;
    met_item_begin(&m, false);
    assert_false(met_item_wanted(&m));
    m.taken = true;
    assert_true(met_item_wanted(&m));
    met_item_equal(&m, 2, 2, true); // `x.element_size() == 2 and a * b == n`
    met_item_equal(&m, 256, 61, false);
    assert_false(met_item_wanted(&m));
    met_item_begin(&m, false);
    m.items = 1, m.item[0] = 61;
    m.taken = true; // `if n != item: continue`
    met_item_equal(&m, 61, 62, false);
    assert_false(met_item_wanted(&m));
    met_item_equal(&m, 61, 61, true);
    assert_true(met_item_wanted(&m));
}

// A list within another one is a table for each turn around it; what is written is one wherever it is met.
static void loops_within_loops_have_tables_of_their_own(void **state) {
    (void)state;
    static const int display;
    m = (MetEntries){.aim_table = -1};
    met_begin(&m, 1);
    for (uint64_t turn = 1; turn <= 3; turn++) {
        m.around = turn;
        met_looked_up(&m, 7, NULL, 8, -1);
        met_looked_up(&m, 8, &display, 8, -1);
    }
    assert_int_equal(m.tables, 4);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(entries_are_met_in_kept_runs),
                                       cmocka_unit_test(a_key_is_told_beside_its_entry),
                                       cmocka_unit_test(comparisons_of_an_item_are_its_key),
                                       cmocka_unit_test(a_turn_is_wanted_for_what_equals),
                                       cmocka_unit_test(loops_within_loops_have_tables_of_their_own)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
