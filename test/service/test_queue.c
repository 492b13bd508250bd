// Who goes next: full draws first, but nobody is overtaken for ever.
// clang-format off
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
// clang-format on
#include "service/queue.h"
#include <stdlib.h>

typedef struct {
    QueueItem item;
    int op, number;
} Job;

static Op ops[64];
static Queue queue;
static int numbers;

static void put_as(int op, int n, bool patient) {
    for (int i = 0; i < n; i++) {
        Job *j = calloc(1, sizeof *j);
        *j = (Job){.item.patient = patient, .op = op, .number = numbers++};
        queue_put(&queue, &(QueueKey){.op = &ops[op]}, &j->item);
    }
}

static void put(int op, int n) { put_as(op, n, false); }

// The op that goes next and how many; -1 when none may.
static int take(bool partial, int *n) {
    QueueKey key;
    QueueItem *item[DRAW_SHARE_MAX];
    *n = queue_take(&queue, partial, &key, item);
    int op = *n ? (int)(key.op - ops) : -1, last = -1;
    for (int i = 0; i < *n; i++) {
        Job *j = (Job *)item[i];
        assert_int_equal(j->op, op);
        assert_true(j->number > last); // in order of arrival
        last = j->number;
        free(j);
    }
    return op;
}

static int start(void **state) {
    (void)state;
    queue = (Queue){0};
    numbers = 0;
    return 0;
}

static int end(void **state) {
    (void)state;
    for (int n; take(true, &n) >= 0;) {}
    assert_int_equal(queue.count, 0);
    queue_free(&queue);
    return 0;
}

static void an_empty_queue_gives_nothing(void **state) {
    (void)state;
    int n;
    assert_int_equal(take(true, &n), -1);
}

static void at_most_a_draw_of_one_group(void **state) {
    (void)state;
    int n;
    put(0, 10);
    put(1, 3);
    put(0, DRAW_SHARE_MAX - 5);
    assert_int_equal(take(true, &n), 0);
    assert_int_equal(n, DRAW_SHARE_MAX);
    assert_int_equal(take(true, &n), 1);
    assert_int_equal(n, 3);
    assert_int_equal(take(true, &n), 0);
    assert_int_equal(n, 5);
}

static void what_differs_in_options_never_shares(void **state) {
    (void)state;
    static const QueueKey keys[] = {{.op = &ops[0]},
                                    {.op = &ops[1]},
                                    {.op = &ops[0], .level = LEVEL_FULL},
                                    {.op = &ops[0], .filter = {.m = 8}},
                                    {.op = &ops[0], .filter = {.n = 8}},
                                    {.op = &ops[0], .filter = {.dtype = 1}}};
    enum { KEYS = sizeof keys / sizeof *keys };
    Job job[2][KEYS] = {0};
    for (int k = 0; k < 2; k++)
        for (int i = 0; i < KEYS; i++) queue_put(&queue, &keys[i], &job[k][i].item);
    for (int i = 0; i < KEYS; i++) {
        QueueKey key;
        QueueItem *item[DRAW_SHARE_MAX];
        assert_int_equal(queue_take(&queue, true, &key, item), 2);
        assert_memory_equal(&key, &keys[i], sizeof key);
        assert_ptr_equal(item[0], &job[0][i]);
        assert_ptr_equal(item[1], &job[1][i]);
    }
}

static void what_would_not_fill_a_draw_waits_while_told(void **state) {
    (void)state;
    int n;
    put(0, DRAW_SHARE_MAX - 1);
    assert_int_equal(take(false, &n), -1);
    put(1, DRAW_SHARE_MAX);
    assert_int_equal(take(false, &n), 1);
    put(0, 1);
    assert_int_equal(take(false, &n), 0);
    assert_int_equal(n, DRAW_SHARE_MAX);
}

static void a_full_draw_goes_first_but_not_for_ever(void **state) {
    (void)state;
    int n, overtaken = 0;
    put(0, 1); // rare
    for (;; overtaken++) {
        put(1, DRAW_SHARE_MAX);
        if (take(overtaken % 2, &n) == 0) break;
        assert_int_equal(n, DRAW_SHARE_MAX);
        assert_true(overtaken < 100);
    }
    assert_int_equal(overtaken, QUEUE_OVERTAKES);
    assert_int_equal(n, 1);
}

static void many_rare_ops_all_get_their_turn(void **state) {
    (void)state;
    enum { RARE = 40 };
    int n, turn[RARE + 1] = {0};
    for (int i = 1; i <= RARE; i++) put(i, 1);
    for (int round = 0; round < RARE + 3 * QUEUE_OVERTAKES; round++) {
        put(0, DRAW_SHARE_MAX); // always one that is full
        turn[take(true, &n)]++;
    }
    for (int i = 1; i <= RARE; i++) assert_int_equal(turn[i], 1);
}

static void patient_ones_wait_for_company_but_not_for_ever(void **state) {
    (void)state;
    int n, passed = 0;
    put_as(0, 1, true);
    for (;; passed++) {
        put(1, 1);
        if (take(true, &n) == 0) break;
        assert_true(passed < 100);
    }
    assert_int_equal(passed, QUEUE_PATIENCE);
    assert_int_equal(n, 1);
    assert_int_equal(take(true, &n), 1);
}

static void patient_ones_go_when_they_are_enough_or_alone(void **state) {
    (void)state;
    int n;
    put_as(0, QUEUE_ENOUGH - 1, true);
    put(1, 2);
    assert_int_equal(take(true, &n), 1);
    assert_int_equal(take(true, &n), 0); // nobody else is there
    assert_int_equal(n, QUEUE_ENOUGH - 1);
    put_as(0, QUEUE_ENOUGH, true);
    put(1, 1);
    assert_int_equal(take(true, &n), 0);
    assert_int_equal(n, QUEUE_ENOUGH);
    put_as(2, 1, true); // one that is in a hurry takes its group along
    put(2, 1);
    put(1, 1);
    assert_int_equal(take(true, &n), 1);
    assert_int_equal(take(true, &n), 2);
    assert_int_equal(n, 2);
}

int main(void) {
#define TEST(f) cmocka_unit_test_setup_teardown(f, start, end)
    const struct CMUnitTest tests[] = {
        TEST(an_empty_queue_gives_nothing),
        TEST(at_most_a_draw_of_one_group),
        TEST(what_differs_in_options_never_shares),
        TEST(what_would_not_fill_a_draw_waits_while_told),
        TEST(a_full_draw_goes_first_but_not_for_ever),
        TEST(many_rare_ops_all_get_their_turn),
        TEST(patient_ones_wait_for_company_but_not_for_ever),
        TEST(patient_ones_go_when_they_are_enough_or_alone),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
