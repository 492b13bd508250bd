// Entries of tables, each of them at a point of its own: by lengths, pairs, steps, limits and dtypes.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "sandbox/child/explore.h"

enum { ENTRIES = 100 };
typedef enum { LENGTHS, PAIRS, STEPS, LIMITS, DTYPES, ENDS, RESTS, VISITS, OTHERS, NOBODY } Table;
static Outcomes *outcomes;
static Table table;
static int display; // stands for what a table was written as

static int64_t length_of(int i) { return 64 + 640 * (int64_t)i + i % 7; }
static int64_t slices_of(int i) { return 1 + 37 * (int64_t)(i % 10); }

// One key beside the entry that is looked for, of `numbers` numbers.
static void look_up(const void *made, int found, const int64_t *key, const int64_t *want, int numbers,
                    bool alike) {
    int aim = outcome_looked_up(outcomes, 1, made, ENTRIES, found);
    if (aim < 0) return;
    met_key_begin(&outcomes->met, aim == found);
    for (int i = 0; i < numbers; i++) met_key_number(&outcomes->met, key[i], want[i]);
    met_key_other(&outcomes->met, alike);
}

static bool candidate(void *arg, const ExplorePoint *p, int way) {
    (void)arg;
    int64_t m = p->size[0], n = p->size[1];
    int aim = outcomes->met.aim_entry, found = -1;
    int64_t key[2] = {n, m}, want[2] = {length_of(aim), slices_of(aim)};
    switch (table) {
    case LENGTHS: // TABLE.get(N)
    case DTYPES:  // TABLE.get((N, x.dtype)), of bfloat16 alone
        for (int i = 0; i < ENTRIES; i++)
            if (n == length_of(i) && (table == LENGTHS || way == 1)) found = i;
        look_up(&display, found, key, want, 1, table == LENGTHS || way == 1);
        break;
    case PAIRS: // TABLE.get((N, M))
        for (int i = 0; i < ENTRIES; i++)
            if (n == length_of(i) && m == slices_of(i)) found = i;
        look_up(&display, found, key, want, 2, true);
        break;
    case STEPS: // LIST[min((N - 1) // 128, 99)]
        found = n - 1 < 128 * (ENTRIES - 1) ? (int)((n - 1) / 128) : ENTRIES - 1;
        look_up(&display, found, &(int64_t){found}, &(int64_t){aim}, 1, true);
        break;
    case LIMITS: // for limit in LIMITS: if N <= limit: break
        for (int i = 0; i < ENTRIES && found < 0; i++) {
            if (i == aim)
                met_key_begin(&outcomes->met, false), met_key_number(&outcomes->met, n, length_of(i));
            if (n <= length_of(i)) found = i;
        }
        if (outcome_looked_up(outcomes, 1, NULL, ENTRIES, found) == found) outcomes->met.hit |= found >= 0;
        break;
    case ENDS: // LIST[i] if i < 100, where i follows the logarithm of N
        while (found + 1 < ENTRIES && length_of(found + 1) < n) found++;
        if (n <= length_of(ENTRIES - 1))
            look_up(&display, found + 1, &(int64_t){found + 1}, &(int64_t){aim}, 1, true);
        break;
    case RESTS: // TABLE.get(divmod(N, 64)): of the quotient i and the remainder 63 - i % 5
        key[0] = n / 64, key[1] = n % 64;
        want[0] = aim + 1, want[1] = 63 - aim % 5;
        found = key[0] <= ENTRIES && key[1] == 63 - (key[0] - 1) % 5 ? (int)key[0] - 1 : -1;
        look_up(&display, found, key, want, 2, true);
        break;
    case VISITS: // LIST[i], and then LIST[99] in every call: it does not end at the entry that it meets
        found = n < ENTRIES - 1 ? (int)n : ENTRIES - 1;
        look_up(&display, found, &(int64_t){found}, &(int64_t){aim}, 1, true);
        if (outcome_looked_up(outcomes, 1, &display, ENTRIES, ENTRIES - 1) >= 0)
            met_key_begin(&outcomes->met, aim == ENTRIES - 1),
                met_key_number(&outcomes->met, ENTRIES - 1, aim);
        break;
    case OTHERS: // for n, m in LIST: if other == 3 or n == N and m == M
        for (int i = 0; i < ENTRIES; i++) {
            bool same = n == length_of(i);
            if (i == aim) met_key_begin(&outcomes->met, false), met_key_number(&outcomes->met, 5, 0);
            if (i == aim) met_key_number(&outcomes->met, n - length_of(i), 0);
            if (i == aim && same) met_key_number(&outcomes->met, m - (2000 + i), 0);
            if (same && outcome_looked_up(outcomes, 1, NULL, ENTRIES, i) == i) outcomes->met.hit = true;
            found = same ? i : found;
        }
        if (found < 0) outcome_looked_up(outcomes, 1, NULL, ENTRIES, -1);
        break;
    case NOBODY: look_up(&display, -1, &(int64_t){12345}, want, 1, true); break;
    }
    return true;
}

// How many entries have points, of which each has another one; `news`: how many other points there are.
static int entries_of(Table which, ExploreEntry as, int *news) {
    Arena a = {0};
    DiagList d = DIAGS(&a);
    ExploreDomain domain = {.inputs = 1,
                            .dims = 2,
                            .slices = 0,
                            .length = 1,
                            .seeds = 1,
                            .seed = {{5, 61}},
                            .seed_processors = {132}};
    domain.input[0].rank = 2;
    domain.input[0].dim[1] = 1;
    for (int i = 0; i < 2; i++) domain.dim[i].of = -1;
    outcomes = outcomes_new(&a, NEWN(&a, uint8_t, 10), 10);
    table = which;
    ExplorePoints *points = NEW(&a, ExplorePoints);
    explore_search(
        &a, &(Explorer){&domain, outcomes, parse_module(&a, STR("x = 7\n"), &d), candidate, NULL, NULL},
        points);
    int entries = 0;
    *news = 0;
    for (int i = 0; i < points->n; i++) {
        entries += points->entry[i] == as;
        *news += points->entry[i] == EXPLORE_NO_ENTRY;
        if (which == OTHERS && points->entry[i]) assert_in_range(points->size[i][0], 2000, 2000 + ENTRIES);
        if (which == DTYPES) assert_int_equal(points->ways[i], 2);
        // What the key leaves open is small: a case of each entry is to be cheap.
        if (which == LENGTHS && points->size[i][1] > 8192) assert_in_range(points->size[i][0], 1, 3);
    }
    arena_free(&a);
    return entries;
}

static void each_entry_has_a_point(void **state) {
    (void)state;
    int news;
    assert_int_equal(entries_of(LENGTHS, EXPLORE_WRITTEN_ENTRY, &news), ENTRIES);
    assert_int_equal(news, 0);
    assert_int_equal(entries_of(PAIRS, EXPLORE_WRITTEN_ENTRY, &news), ENTRIES);
    assert_int_equal(entries_of(STEPS, EXPLORE_WRITTEN_ENTRY, &news),
                     ENTRIES - 1); // the draw's case has met one
    assert_int_equal(entries_of(LIMITS, EXPLORE_COMPUTED_ENTRY, &news), ENTRIES - 1);
    assert_int_equal(entries_of(DTYPES, EXPLORE_WRITTEN_ENTRY, &news), ENTRIES);
    assert_int_equal(entries_of(ENDS, EXPLORE_WRITTEN_ENTRY, &news), ENTRIES - 1);
    assert_int_equal(entries_of(RESTS, EXPLORE_WRITTEN_ENTRY, &news), ENTRIES);
    assert_int_equal(entries_of(OTHERS, EXPLORE_COMPUTED_ENTRY, &news), ENTRIES);
    assert_in_range(entries_of(VISITS, EXPLORE_WRITTEN_ENTRY, &news), ENTRIES - 4, ENTRIES);
}

static void a_key_that_no_size_moves_has_none(void **state) {
    (void)state;
    int news;
    assert_int_equal(entries_of(NOBODY, EXPLORE_WRITTEN_ENTRY, &news), 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(each_entry_has_a_point),
                                       cmocka_unit_test(a_key_that_no_size_moves_has_none)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
