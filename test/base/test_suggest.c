// Near names: how many slips lie between two, and which of many is meant.
#include "base/suggest.h"
#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

static int slips(const char *a, const char *b) { return edit_distance(str_of(a), str_of(b)); }

static void test_slips(void **state) {
    (void)state;
    assert_int_equal(slips("", ""), 0);
    assert_int_equal(slips("level", "level"), 0);
    assert_int_equal(slips("level", "leve"), 1);
    assert_int_equal(slips("level", "levvel"), 1);
    assert_int_equal(slips("level", "lebel"), 1);
    assert_int_equal(slips("level", "lveel"), 1); // neighbours in each other's place are one slip
    assert_int_equal(slips("ca", "abc"), 3);      // and no letter is touched twice
    assert_int_equal(slips("abc", ""), 3);
    assert_int_equal(slips("kitten", "sitting"), 3);
    assert_int_equal(slips("sitting", "kitten"), 3);
}

static void test_long_names_count_by_their_start(void **state) {
    (void)state;
    char a[200], b[200];
    memset(a, 'x', sizeof a);
    memset(b, 'x', sizeof b);
    b[100] = 'y';
    assert_int_equal(edit_distance((Str){a, sizeof a}, (Str){b, sizeof b}), 0);
    b[10] = 'y';
    assert_int_equal(edit_distance((Str){a, sizeof a}, (Str){b, sizeof b}), 1);
}

static Str nearest(const char *typed, const char *const *names) {
    Nearest n = nearest_to(str_of(typed));
    for (; *names; names++) nearest_offer(&n, str_of(*names));
    return n.best;
}

static void test_nearest(void **state) {
    (void)state;
    static const char *const names[] = {"--seed", "--shape", "--state", "--stream", NULL};
    assert_true(str_is(nearest("--shpae", names), "--shape"));
    assert_true(str_is(nearest("--stat", names), "--state"));
    assert_true(str_is(nearest("--streams", names), "--stream"));
    assert_int_equal(nearest("--bogus", names).len, 0); // far from all
    static const char *const two[] = {"abcd", "abce", NULL};
    assert_true(str_is(nearest("abcf", two), "abcd")); // the first of equally near ones
    static const char *const shorts[] = {"up", NULL};
    assert_int_equal(nearest("on", shorts).len, 0); // one slip in two letters is another word
}

static void test_words(void **state) {
    (void)state;
    Arena a = {0};
    Nearest n = nearest_to(STR("refere"));
    assert_string_equal(nearest_words(&a, &n), "");
    assert_true(nearest_offer(&n, STR("referee")));
    assert_false(nearest_offer(&n, STR("ref")));
    assert_string_equal(nearest_words(&a, &n), "; did you mean referee?");
    arena_free(&a);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_slips),
        cmocka_unit_test(test_long_names_count_by_their_start),
        cmocka_unit_test(test_nearest),
        cmocka_unit_test(test_words),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
