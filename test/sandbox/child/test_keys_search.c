// Shapes that meet under one key: of made-up candidates that keep something, each under another key.
#include "sandbox/child/keys_search.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>

#include <cmocka.h>

typedef enum {
    LOW_BITS,
    REMAINDER,
    PRODUCT,
    SUM,
    DIGITS,
    QUOTIENT,
    MINIMUM,
    HASH,
    BYTES,
    STRIDE,
    ROWS,
    NUMBER_OF_THE_SOURCE,
    PRODUCT_WITH_ONE_MORE,
    SQUARES,
    WARM, // low bits, found from the fourth call on
    LEFT, // the same, in a tensor: only a launch gets them
    WRONG_KEYS,
    EXACT = WRONG_KEYS,
    LENGTH_ALONE,
    NO_KEY,
    COUNTER,
} Which;

static Which which;
static int calls, most_calls;
static bool by_difference; // the key is put into an object, and no look-up finds it

static int64_t key_of(const KeyCall *c) {
    static const int64_t bytes[] = {2, 2, 4};
    int64_t m = c->at.size[0], n = c->at.size[1];
    char text[64];
    long long digits;
    switch (which) {
    case LOW_BITS:
    case WARM:
    case LEFT: return n & 4095;
    case PRODUCT_WITH_ONE_MORE: return m * (n + 1);
    case SQUARES: return m * m + n * n;
    case REMAINDER: return n % 4099;
    case PRODUCT: return m * n;
    case SUM: return (m + n) % 8191;
    case DIGITS:
        snprintf(text, sizeof text, "%lld%lld", (long long)m, (long long)n);
        return sscanf(text, "%lld", &digits) == 1 ? digits : 0;
    case QUOTIENT: return n / 64;
    case MINIMUM: return n < 4096 ? n : 4096;
    case HASH: return (m * 31 + n * 40503) % 65521;
    case BYTES: return n * bytes[c->way % EXPLORE_GAPS];
    case STRIDE: return c->way >= EXPLORE_GAPS ? n + c->at.gap : n;
    case ROWS: return m % 2003 * 1000000 + n;
    case NUMBER_OF_THE_SOURCE: return n % 30011;
    default: return n;
    }
}

// What is kept is a grid: one program for each 16 elements of a row.
static int64_t grid_of(const KeyCall *c) {
    return c->at.size[0] * 1000000 + (c->at.size[1] + 15) / 16 * 8 +
           (which == BYTES ? c->way % EXPLORE_GAPS : 0);
}

static int made_up(void *arg, const KeyCall *call, int n, KeyHeard *heard) {
    (void)arg;
    int64_t kept = -1, grid = 0, made = 0;
    calls += n;
    for (int i = 0; i < n; i++) {
        KeyHeard *h = &heard[i];
        *h = (KeyHeard){0};
        int64_t key = key_of(&call[i]), m = call[i].at.size[0];
        if (which == EXACT) key = key * 100000 + m;
        KeyNote note = {.at = 9, .key = (uint64_t)key * 2 + 1, .found = (uint64_t)key * 2 + 1, .parts = 1};
        note.part[0] = key;
        if (which == EXACT) note.parts = 2, note.part[0] = m, note.part[1] = call[i].at.size[1];
        bool found = i > (which == WARM ? 3 : 0) && key == kept;
        if (which == NO_KEY || which == COUNTER) {
            h->asked = (uint64_t)(grid_of(&call[i]) + (which == COUNTER ? i : 0));
            continue;
        }
        note.launched = which == LEFT;
        if (by_difference) note.put = true;
        if (note.put ? !found : found || which == LEFT) h->note[h->notes++] = note;
        if (!found) grid = which == LENGTH_ALONE ? call[i].at.size[1] : grid_of(&call[i]), made = key;
        kept = made;
        h->asked = h->traced = (uint64_t)grid;
        if (which == LEFT) h->asked = (uint64_t)grid_of(&call[i]);
    }
    return n;
}

static ExplorePoints *search(Arena *a, int pairs) {
    DiagList d = DIAGS(a);
    ExploreDomain domain = {.inputs = 1, .dims = 2, .slices = 0, .length = 1, .pairs = pairs, .turn = 77};
    domain.input[0].rank = 2;
    domain.input[0].dtype = -1;
    domain.input[0].dim[1] = 1;
    for (int i = 0; i < 2; i++) domain.dim[i].of = -1;
    ExplorePoints *p = NEW(a, ExplorePoints);
    calls = 0;
    const Node *module = parse_module(a, STR("x = 30011\n"), &d);
    keys_search(a, &(KeySearcher){&domain, module, made_up, NULL, NULL}, p);
    assert_true(keys_are_pairs(p) && keys_are_small(&domain, p) && p->n <= 2 * pairs);
    if (calls > most_calls) most_calls = calls;
    return p;
}

static int way_of(const ExplorePoints *p, int i) {
    int way = 0;
    while (!(p->ways[i] >> way & 1)) way++;
    return way;
}

// Some pair has one key and other grids; and all pairs have one key, or are shapes of other orders.
static bool meets(const ExplorePoints *p) {
    bool any = false;
    for (int i = 0; i < p->n; i += 2) {
        KeyCall c[2];
        for (int k = 0; k < 2; k++) {
            c[k] = (KeyCall){.at.gap = p->gap[i + k], .way = way_of(p, i + k)};
            memcpy(c[k].at.size, p->size[i + k], sizeof c[k].at.size);
        }
        if ((p->before[i] > 1) != (which == WARM)) return false;
        any |= key_of(&c[0]) == key_of(&c[1]) && grid_of(&c[0]) != grid_of(&c[1]);
    }
    return any;
}

static void shapes_meet_under_one_key(void **state) {
    (void)state;
    for (int turn = 0; turn < 4 * WRONG_KEYS; turn++) {
        Arena a = {0};
        bool few = turn & 1;
        which = (Which)(turn / 4);
        by_difference = turn >> 1 & 1 && which != WARM && which != LEFT;
        if (!meets(search(&a, few ? KEYS_PAIRS_FEW : KEYS_PAIRS_MAX)))
            fail_msg("key %d, few %d, put %d", (int)which, few, by_difference);
        arena_free(&a);
    }
    by_difference = false;
}

static void a_key_of_both_sizes_has_no_pair(void **state) {
    (void)state;
    Arena a = {0};
    which = EXACT;
    assert_int_equal(search(&a, KEYS_PAIRS_MAX)->n, 0);
    assert_true(calls < 700); // its sizes stand in the key: nothing is to be looked for
    // What follows from the length alone may be kept under it.
    which = LENGTH_ALONE;
    assert_int_equal(search(&a, KEYS_PAIRS_MAX)->n, 0);
    which = NO_KEY;
    assert_int_equal(search(&a, KEYS_PAIRS_MAX)->n, 0);
    assert_true(calls < 100);
    arena_free(&a);
}

// Calls that differ from one another for another reason end the search all the same.
static void a_search_is_bounded(void **state) {
    (void)state;
    Arena a = {0};
    which = COUNTER;
    assert_true(search(&a, KEYS_PAIRS_MAX)->n > 0);
    assert_true(calls < 100);
    assert_true(most_calls > 0 && most_calls < 2 * 6000 + 4 * 256 * 12);
    arena_free(&a);
}

static void the_same_whenever_it_is_made(void **state) {
    (void)state;
    Arena a = {0};
    which = HASH;
    ExplorePoints *x = search(&a, KEYS_PAIRS_MAX), *y = search(&a, KEYS_PAIRS_MAX);
    assert_memory_equal(x, y, sizeof *x);
    arena_free(&a);
}

static void what_is_no_pair_is_not_believed(void **state) {
    (void)state;
    Arena a = {0};
    ExplorePoints *p = NEW(&a, ExplorePoints);
    *p = (ExplorePoints){.n = 2, .ways = {1, 2}};
    assert_true(keys_are_pairs(p));
    p->ways[1] = 3;
    assert_false(keys_are_pairs(p));
    p->ways[1] = 2;
    p->n = 1;
    assert_false(keys_are_pairs(p));
    p->n = 2;
    p->entry[0] = EXPLORE_WRITTEN_ENTRY;
    assert_false(keys_are_pairs(p));
    p->entry[0] = EXPLORE_NO_ENTRY;
    p->n = 2 * KEYS_PAIRS_MAX + 2;
    for (int i = 0; i < p->n; i++) p->ways[i] = 1;
    assert_false(keys_are_pairs(p));
    arena_free(&a);
}

// A child that tells large shapes, or many, would have its parent draw them.
static void what_is_large_is_not_believed(void **state) {
    (void)state;
    Arena a = {0};
    ExploreDomain d = {.inputs = 1, .dims = 2, .slices = 0, .length = 1};
    d.input[0].rank = 2;
    d.input[0].dim[1] = 1;
    ExplorePoints *p = NEW(&a, ExplorePoints);
    *p = (ExplorePoints){.n = 1, .ways = {1}, .size = {{1 << 10, 1 << 10}}};
    assert_true(keys_are_small(&d, p));
    p->size[0][1]++;
    assert_false(keys_are_small(&d, p));
    p->size[0][1] = 4;
    p->ways[0] = 1 << EXPLORE_GAPS;
    p->gap[0] = 1 << 10;
    assert_true(keys_are_small(&d, p));
    p->gap[0] = EXPLORE_GAP_MOST;
    assert_false(keys_are_small(&d, p));
    *p = (ExplorePoints){.n = 5};
    for (int i = 0; i < p->n; i++) p->ways[i] = 1, p->size[i][0] = p->size[i][1] = 1 << 10;
    assert_false(keys_are_small(&d, p));
    arena_free(&a);
}

// An object that was made for weights or rows of a length has no others.
static void an_object_has_its_own_weights(void **state) {
    (void)state;
    ExploreDomain d = {.inputs = 2, .dims = 2, .slices = 0, .length = 1};
    d.input[0].rank = 2;
    d.input[0].dim[1] = 1;
    d.input[1].rank = 1;
    d.input[1].dim[0] = 1;
    d.input[0].dtype = d.input[1].dtype = -1;
    KeyCall x = {.at.size = {3, 61}}, y = x;
    assert_true(keys_of_one_object(&d, &x, &y));
    y.at.size[0] = 5;
    assert_true(keys_of_one_object(&d, &x, &y));
    y.way = EXPLORE_GAPS;
    assert_true(keys_of_one_object(&d, &x, &y));
    y.way = 1;
    assert_false(keys_of_one_object(&d, &x, &y));
    y.way = 0;
    y.at.size[1] = 62;
    assert_false(keys_of_one_object(&d, &x, &y));
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(shapes_meet_under_one_key),
                                       cmocka_unit_test(a_key_of_both_sizes_has_no_pair),
                                       cmocka_unit_test(a_search_is_bounded),
                                       cmocka_unit_test(the_same_whenever_it_is_made),
                                       cmocka_unit_test(what_is_no_pair_is_not_believed),
                                       cmocka_unit_test(what_is_large_is_not_believed),
                                       cmocka_unit_test(an_object_has_its_own_weights)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
