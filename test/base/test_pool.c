// Every item once, by a worker that exists, whatever the number of threads; run under ThreadSanitizer as
// well.
#include "base/numeric/rng.h"
#include "base/pool.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

enum { ITEMS = 5000, THREADS = 9 };
typedef struct {
    int size;
    unsigned char seen[ITEMS]; // by whoever got the item; a second one would be a race as well
    size_t by_worker[THREADS]; // each worker its own, without atomics
    size_t last[THREADS];
    atomic_int wrong;
} Loop;

static void visit(void *arg, size_t item, int worker) {
    Loop *l = arg;
    if (worker < 0 || worker >= l->size) {
        l->wrong++;
        return;
    }
    l->seen[item]++;
    if (l->by_worker[worker]++ && item <= l->last[worker]) l->wrong++; // handed out in order
    l->last[worker] = item;
}

static void test_every_item_once(void **state) {
    (void)state;
    for (int threads = 1; threads <= THREADS; threads += 2) {
        Pool *p = pool_open(threads);
        assert_int_equal(pool_size(p), threads);
        Rng r = rng_at((uint64_t)threads, 0);
        for (int round = 0; round < 60; round++) {
            size_t n = round < 3 ? (size_t)round : rng_below(&r, ITEMS);
            static Loop l;
            memset(&l, 0, sizeof l);
            l.size = threads;
            pool_run(p, n, visit, &l);
            assert_int_equal(l.wrong, 0);
            size_t sum = 0;
            for (int i = 0; i < THREADS; i++) sum += l.by_worker[i];
            assert_int_equal(sum, n);
            for (size_t i = 0; i < ITEMS; i++)
                if (l.seen[i] != (i < n))
                    fail_msg("%d threads, item %zu of %zu: %d times", threads, i, n, l.seen[i]);
        }
        pool_close(p);
    }
}

static void count(void *arg, size_t item, int worker) {
    (void)item, (void)worker;
    atomic_fetch_add((atomic_size_t *)arg, 1);
}

static void test_many_short_loops(void **state) {
    (void)state;
    Pool *p = pool_open(4);
    atomic_size_t total = 0;
    for (int i = 0; i < 2000; i++) pool_run(p, 4, count, &total);
    assert_int_equal(total, 8000);
    pool_close(p);
}

// Two items that wait for each other end only if two threads really work at the same time.
static void meet(void *arg, size_t item, int worker) {
    (void)item, (void)worker;
    atomic_int *here = arg;
    atomic_fetch_add(here, 1);
    while (atomic_load(here) < 2) {}
}

static void test_two_at_once(void **state) {
    (void)state;
    Pool *p = pool_open(2);
    for (int i = 0; i < 30; i++) { // the other thread watches, sleeps, or is about to
        usleep(i % 3 * 40);
        atomic_int here = 0;
        pool_run(p, 2, meet, &here);
        assert_int_equal(here, 2);
    }
    pool_close(p);
}

static void fill(void *arg, size_t item, int worker) {
    memset(pool_scratch(arg, worker, item * 100 + 1), (int)item, item * 100 + 1);
}

static void test_scratch_is_ones_own(void **state) {
    (void)state;
    Pool *p = pool_open(3);
    pool_run(p, 200, fill, p); // a race, were two workers to share it
    assert_true((uintptr_t)pool_scratch(p, 0, 100) % 64 == 0);
    pool_close(p);
}

static void test_default_size(void **state) {
    (void)state;
    Pool *p = pool_open(0);
    assert_true(pool_size(p) >= 1);
    atomic_size_t total = 0;
    pool_run(p, 100, count, &total);
    assert_int_equal(total, 100);
    pool_close(p);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_item_once), cmocka_unit_test(test_many_short_loops),
        cmocka_unit_test(test_two_at_once),     cmocka_unit_test(test_scratch_is_ones_own),
        cmocka_unit_test(test_default_size),
    };
    return cmocka_run_group_tests_name("pool", tests, NULL, NULL);
}
