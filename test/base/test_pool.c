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

// Loops of a host that others help with: every item once, by one who has a seat.
enum { SEATS = 3, LOOPS = 400 };
typedef struct {
    Pool *host;
    Loop loop;
    atomic_int here, joined;
    atomic_bool over;
} Hosted;
static void host_or_guest(void *arg, size_t item, int worker) {
    Hosted *h = arg;
    (void)worker;
    while (item && !h->over) // a guest, until sent away; some find no seat
        if (pool_join(h->host))
            h->joined++;
        else
            usleep(20);
    if (item) return;
    pool_admit(h->host);
    for (int i = 0; i < 2000 && pool_guests(h->host) >= 0; i++) usleep(50);
    for (int i = 0; i < LOOPS; i++) {
        memset(&h->loop, 0, sizeof h->loop);
        h->loop.size = SEATS;
        pool_run(h->host, ITEMS / 10, visit, &h->loop);
        for (size_t k = 0; k < ITEMS / 10; k++) h->here += h->loop.seen[k] == 1;
        if (i % 50 == 0) usleep(100); // guests fall asleep
    }
    pool_dismiss(h->host);
    h->over = true;
}

static void test_guests_help(void **state) {
    (void)state;
    Pool *p = pool_open(6);
    Hosted h = {.host = pool_open_host(SEATS)};
    assert_int_equal(pool_size(h.host), SEATS);
    assert_false(pool_join(h.host)); // closed
    assert_true(pool_guests(h.host) < 0);
    for (int round = 0; round < 3; round++) {
        h.here = h.joined = 0;
        h.over = false;
        pool_run(p, 6, host_or_guest, &h);
        assert_int_equal(h.here, LOOPS * (ITEMS / 10));
        assert_int_equal(h.loop.wrong, 0);
        assert_int_equal(h.joined, SEATS - 1);
        assert_true(pool_guests(h.host) < 0);
    }
    pool_close(p);
    pool_close(h.host);
}

// A guest really works at the same time as its host.
static void meet_as_guest(void *arg, size_t item, int worker) {
    Hosted *h = arg;
    (void)worker;
    if (item) {
        while (!pool_join(h->host)) usleep(20);
        return;
    }
    pool_admit(h->host);
    while (!pool_guests(h->host)) usleep(20);
    atomic_int here = 0;
    pool_run(h->host, 2, meet, &here);
    pool_dismiss(h->host);
}
static void test_a_guest_works_at_once(void **state) {
    (void)state;
    Pool *p = pool_open(2);
    Hosted h = {.host = pool_open_host(2)};
    for (int i = 0; i < 20; i++) pool_run(p, 2, meet_as_guest, &h);
    pool_close(p);
    pool_close(h.host);
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
        cmocka_unit_test(test_guests_help),     cmocka_unit_test(test_a_guest_works_at_once),
        cmocka_unit_test(test_default_size),
    };
    return cmocka_run_group_tests_name("pool", tests, NULL, NULL);
}
