// Groups of a stream: who climbs, who waits, who leaves. Members are numbers; the test is the service.
// clang-format off
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
// clang-format on
#include "service/stream_groups.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

enum { MEMBERS = 4096, BYTES = 100 };
static StreamGroups *groups;
static GroupMember member[MEMBERS];
// What the groups have said, in order: "c3" for 3 climbs, "s3", "x3", "l3" for one that leaves as second, at
// a stop, or lost.
static char said[256];

static void say(char what, int i) {
    size_t n = strlen(said);
    snprintf(said + n, sizeof said - n, "%s%c%d", n ? " " : "", what, i);
}
static void climb(void *arg) { say('c', (int)((GroupMember *)arg - member)); }
static void leave(void *arg, GroupEnd why) { say("sxl"[why], (int)((GroupMember *)arg - member)); }

static void expect(const char *what) {
    assert_string_equal(said, what);
    said[0] = 0;
}
static void expect_load(int n, int open) {
    GroupLoad l = groups_load(groups);
    assert_int_equal(l.n, n);
    assert_int_equal(l.open, open);
    assert_int_equal(l.bytes, (n - open) * BYTES);
}

static bool join_as(const char *name, int of, char same, int i) {
    member[i] = (GroupMember){.arg = &member[i], .bytes = BYTES};
    GroupAsked a = {.name = str_of(name), .of = of};
    a.same.byte[31] = (uint8_t)same;
    return groups_join(groups, &a, &member[i]);
}
static void join(const char *name, int of, int i) { assert_true(join_as(name, of, 'a', i)); }
static void yes(int i, double ratio, int64_t launches) {
    groups_hold(groups, &member[i], &(GroupRank){ratio, launches});
}
static void no(int i) { groups_miss(groups, &member[i]); }
static void full(int i, bool accepted) { groups_judged(groups, &member[i], accepted); }

static int start(void **state) {
    (void)state;
    groups = groups_open(&(GroupCalls){climb, leave});
    said[0] = 0;
    return 0;
}
static int end(void **state) {
    (void)state;
    groups_close(groups);
    groups = NULL;
    return 0;
}

static void the_best_climbs_when_all_are_answered(void **state) {
    (void)state;
    for (int i = 0; i < 4; i++) join("g", 4, i);
    expect_load(0, 0); // complete: it waits for answers alone
    yes(0, 1.5, 1);
    no(1);
    yes(2, 1.25, 1);
    expect("");
    expect_load(2, 0);
    yes(3, 2, 1);
    expect("c2");
    full(2, true);
    expect("s3 s0");
    assert_true(member[2].best && !member[0].best && !member[3].best);
    expect_load(0, 0);
}

static void answers_may_come_before_members(void **state) {
    (void)state;
    join("g", 2, 0);
    expect_load(1, 1);
    yes(0, 1, 1);
    expect_load(2, 1);
    join("g", 2, 1);
    expect("");
    no(1);
    expect("c0");
    full(0, true);
    expect("");
}

static void the_rank_is_bytes_launches_arrival(void **state) {
    (void)state;
    for (int i = 0; i < 6; i++) join("g", 6, i);
    yes(5, 1, 2);
    yes(4, 1, 1);
    yes(3, 0, 1); // not known
    yes(2, 1, 1);
    yes(1, 3, 1);
    yes(0, 0, 0);
    // Whoever full does not accept makes room for the next one.
    static const char *const order[] = {"c2", "c4", "c5", "c1", "c0", "c3"};
    for (int i = 0; i < 6; i++) {
        expect(order[i]);
        full(order[i][1] - '0', false);
    }
    expect("");
    expect_load(0, 0);
    assert_false(member[2].best);
}

static void a_group_of_wrong_ones_is_over(void **state) {
    (void)state;
    join("g", 2, 0);
    no(0);
    expect_load(1, 1); // one is awaited
    join("g", 2, 1);
    no(1);
    expect("");
    expect_load(0, 0);
    join("g", 1, 2); // the name is free again
    yes(2, 1, 1);
    expect("c2");
    full(2, true);
}

static void groups_do_not_mix(void **state) {
    (void)state;
    join("g", 2, 0);
    join("h", 2, 1);
    assert_false(join_as("g", 3, 'a', 9)); // not the same number
    assert_false(join_as("g", 2, 'b', 9)); // not of the same op
    join("h", 2, 2);
    join("g", 2, 3);
    yes(0, 1, 1);
    yes(1, 1, 1);
    yes(2, 1, 1);
    expect("c1");
    yes(3, 1, 1);
    expect("c0");
    // A full one's name may be another's.
    join("g", 1, 4);
    yes(4, 1, 1);
    expect("c4");
    full(0, true);
    expect("s3");
    full(1, false);
    expect("c2");
    full(2, true);
    full(4, true);
    expect("");
    expect_load(0, 0);
}

static void what_waits_in_vain_is_cut(void **state) {
    (void)state;
    join("g", 3, 0);
    yes(0, 2, 1);
    join("g", 3, 1);
    join("h", 3, 2);
    no(2);
    join("i", 3, 3);
    yes(3, 1, 1);
    expect_load(5, 3);
    groups_cut(groups, 2, 1 << 20);
    expect(""); // of g one has no answer yet; h held nothing, and i is few enough
    expect_load(3, 1);
    yes(1, 1, 1);
    expect("c1");
    full(1, true);
    expect("s0");
    groups_cut(groups, 2, BYTES);
    expect("");
    groups_cut(groups, 2, BYTES - 1); // bytes count, too
    expect("c3");
    // Members that come too late are a group of their own.
    join("i", 3, 4);
    yes(4, 1, 1);
    groups_cut(groups, 0, 0);
    expect("c4");
    full(3, true);
    full(4, false);
    expect("");
    expect_load(0, 0);
}

static void a_stop_lets_nothing_climb(void **state) {
    (void)state;
    join("g", 4, 0);
    join("g", 4, 1);
    join("g", 4, 2);
    yes(0, 1, 1);
    for (int i = 3; i < 6; i++) join("h", 3, i);
    for (int i = 3; i < 6; i++) yes(i, 1, i);
    expect("c3");
    groups_stop(groups);
    expect("x5 x4 x0");
    no(1);
    yes(2, 1, 1); // it was under way
    expect("x2");
    full(3, false);
    expect("");
    expect_load(0, 0);
}

static void what_is_held_at_the_end_is_lost(void **state) {
    (void)state;
    join("g", 3, 0);
    join("g", 3, 1);
    yes(1, 1, 1);
    join("h", 1, 2);
    yes(2, 1, 1);
    expect("c2"); // its answer never comes
    groups_close(groups);
    expect("l1");
    groups = groups_open(&(GroupCalls){climb, leave});
}

// ---- from several threads

enum { THREADS = 4, OF = 8, ROUNDS = 100 };
static atomic_int climbed, left;
static void climb_counted(void *arg) {
    atomic_fetch_add(&climbed, 1);
    const GroupMember *m = arg;
    groups_judged(groups, (GroupMember *)arg, m->launches > 1); // the first of each is refused
}
static void leave_counted(void *arg, GroupEnd why) {
    (void)arg;
    atomic_fetch_add(&left, why == GROUP_SECOND);
}
static void *answer_some(void *arg) {
    int first = *(int *)arg;
    for (int i = first; i < ROUNDS * OF; i += THREADS)
        if (i % OF == 0)
            no(i);
        else
            yes(i, 1, i % OF);
    return NULL;
}

static void threads_answer_at_once(void **state) {
    (void)state;
    groups_close(groups);
    groups = groups_open(&(GroupCalls){climb_counted, leave_counted});
    char name[16];
    for (int i = 0; i < ROUNDS * OF; i++) {
        snprintf(name, sizeof name, "%d", i / OF);
        join(name, OF, i);
    }
    pthread_t thread[THREADS];
    int first[THREADS];
    for (int t = 0; t < THREADS; t++) {
        first[t] = t;
        assert_int_equal(pthread_create(&thread[t], NULL, answer_some, &first[t]), 0);
    }
    for (int t = 0; t < THREADS; t++) pthread_join(thread[t], NULL);
    assert_int_equal(climbed, 2 * ROUNDS);
    assert_int_equal(left, (OF - 3) * ROUNDS);
    expect_load(0, 0);
}

int main(void) {
#define TEST(f) cmocka_unit_test_setup_teardown(f, start, end)
    const struct CMUnitTest tests[] = {
        TEST(the_best_climbs_when_all_are_answered),
        TEST(answers_may_come_before_members),
        TEST(the_rank_is_bytes_launches_arrival),
        TEST(a_group_of_wrong_ones_is_over),
        TEST(groups_do_not_mix),
        TEST(what_waits_in_vain_is_cut),
        TEST(a_stop_lets_nothing_climb),
        TEST(what_is_held_at_the_end_is_lost),
        TEST(threads_answer_at_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
