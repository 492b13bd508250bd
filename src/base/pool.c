#include "base/pool.h"
#include <assert.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <time.h>

enum { THREADS_MAX = 256, SHARES = 32 }; // SHARES: how often a thread takes items, at least

typedef struct {
    Pool *pool;
    int index;
    pthread_t thread;
    void *scratch;
    size_t scratch_bytes;
} Worker;

// A loop is open to workers from its start until its caller finds no item left: who comes in time takes
// items, who comes late (it slept, or the machine was busy) is not waited for. `gate` holds the number of the
// loop, whether it is open, and how many workers are inside; what a loop is about (n, fn, arg) changes only
// while nobody can be inside. Threads with nothing to do watch the gate for a while before they sleep: loops
// that follow each other closely cost a microsecond, and a pool that rests costs nothing.
enum { WATCH_NS = 50000, INSIDE = 0xffff, OPEN = 0x10000, LOOP = 0x20000 };
struct Pool {
    int size; // the caller included, as worker 0
    _Atomic uint64_t gate;
    atomic_size_t next; // item
    size_t n;
    void (*fn)(void *arg, size_t item, int worker);
    void *arg;
    // Sleeping: whoever sleeps says so first and looks at the gate again, under the lock.
    pthread_mutex_t lock;
    pthread_cond_t begin, done;
    atomic_int asleep;       // workers
    atomic_bool owner_waits; // the caller, for those inside
    atomic_bool quit;
    // Of a host: who has a seat, as bits, and the number of its admissions, odd while it admits.
    bool host;
    atomic_uint seats;
    atomic_uint session;
    Worker worker[];
};

static void take_items(Pool *p, int worker) {
    size_t n = p->n;
    // Of very many items several at a time: threads would wait for the counter more than they work.
    const size_t many = n / ((size_t)p->size * SHARES), step = many ? many : 1;
    for (;;) {
        size_t item = atomic_fetch_add_explicit(&p->next, step, memory_order_relaxed);
        if (item >= n) return;
        for (size_t end = n - item < step ? n : item + step; item < end; item++) p->fn(p->arg, item, worker);
    }
}

static uint64_t now_ns(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

static bool over(Pool *p, unsigned session) {
    return atomic_load_explicit(&p->quit, memory_order_relaxed) || atomic_load(&p->session) != session;
}

// Watches until the gate, of which `mask` is looked at, is no longer `was`; false when that took too long.
static bool watch(Pool *p, uint64_t mask, uint64_t was, unsigned session) {
    uint64_t end = 0;
    for (int i = 0;; i++) {
        if ((atomic_load_explicit(&p->gate, memory_order_acquire) & mask) != was) return true;
        if (over(p, session)) return true;
#ifdef __x86_64__
        __builtin_ia32_pause();
#endif
        if (i % 32) continue;
        uint64_t t = now_ns();
        if (!end) end = t + WATCH_NS;
        if (t > end) return false;
    }
}

static const uint64_t NUMBER = ~(uint64_t)(INSIDE | OPEN);

static void sleep_until_next(Pool *p, uint64_t seen, unsigned session) {
    pthread_mutex_lock(&p->lock);
    atomic_fetch_add(&p->asleep, 1);
    while ((atomic_load(&p->gate) & NUMBER) == seen && !over(p, session))
        pthread_cond_wait(&p->begin, &p->lock);
    atomic_fetch_sub(&p->asleep, 1);
    pthread_mutex_unlock(&p->lock);
}

// Takes part in loops until the session is over. seen: a loop that is not of interest.
static void serve(Pool *p, int worker, uint64_t seen, unsigned session) {
    for (;;) {
        if (!watch(p, NUMBER, seen, session)) sleep_until_next(p, seen, session);
        if (over(p, session)) return;
        uint64_t gate = atomic_load_explicit(&p->gate, memory_order_acquire);
        seen = gate & NUMBER;
        bool in = false;
        while (!in && gate & OPEN && (gate & NUMBER) == seen)
            in = atomic_compare_exchange_weak(&p->gate, &gate, gate + 1);
        if (!in) continue;
        take_items(p, worker);
        if ((atomic_fetch_sub(&p->gate, 1) & (INSIDE | OPEN)) != 1 || !atomic_load(&p->owner_waits)) continue;
        pthread_mutex_lock(&p->lock); // the last one out of a closed loop
        pthread_cond_signal(&p->done);
        pthread_mutex_unlock(&p->lock);
    }
}

static void *worker_main(void *arg) {
    const Worker *w = arg;
    serve(w->pool, w->index, 0, 0);
    return NULL;
}

static int cores(void) {
    cpu_set_t set;
    if (sched_getaffinity(0, sizeof set, &set) != 0) return 1;
    return CPU_COUNT(&set);
}

static Pool *pool_new(int workers) {
    Pool *p = calloc(1, sizeof *p + (size_t)workers * sizeof p->worker[0]);
    if (!p) abort();
    p->size = 1;
    pthread_mutex_init(&p->lock, NULL);
    pthread_cond_init(&p->begin, NULL);
    pthread_cond_init(&p->done, NULL);
    return p;
}

Pool *pool_open(int threads) {
    if (threads <= 0) threads = cores();
    if (threads < 1) threads = 1;
    if (threads > THREADS_MAX) threads = THREADS_MAX;
    Pool *p = pool_new(threads);
    // A machine that refuses threads gets a smaller pool, not a failure.
    for (; p->size < threads; p->size++) {
        Worker *w = &p->worker[p->size];
        *w = (Worker){.pool = p, .index = p->size};
        if (pthread_create(&w->thread, NULL, worker_main, w) != 0) break;
    }
    return p;
}

int pool_size(const Pool *p) { return p->size; }

void pool_run(Pool *p, size_t n, void (*fn)(void *arg, size_t item, int worker), void *arg) {
    if (p->size == 1 || n <= 1 || (p->host && !atomic_load_explicit(&p->seats, memory_order_relaxed))) {
        for (size_t i = 0; i < n; i++) fn(arg, i, 0);
        return;
    }
    uint64_t gate = atomic_load_explicit(&p->gate, memory_order_relaxed);
    assert(!(gate & (OPEN | INSIDE))); // a loop inside a loop of the same pool would wait for itself
    p->n = n;
    p->fn = fn;
    p->arg = arg;
    atomic_store_explicit(&p->next, 0, memory_order_relaxed);
    atomic_store(&p->gate, (gate & NUMBER) + LOOP + OPEN);
    if (atomic_load(&p->asleep)) {
        pthread_mutex_lock(&p->lock);
        pthread_cond_broadcast(&p->begin);
        pthread_mutex_unlock(&p->lock);
    }

    take_items(p, 0);

    if (!((atomic_fetch_and(&p->gate, ~(uint64_t)OPEN)) & INSIDE)) return;
    for (;;) {
        uint64_t inside = atomic_load_explicit(&p->gate, memory_order_acquire) & INSIDE;
        if (!inside) return;
        if (watch(p, INSIDE, inside, atomic_load(&p->session))) continue;
        pthread_mutex_lock(&p->lock);
        atomic_store(&p->owner_waits, true);
        while (atomic_load(&p->gate) & INSIDE) pthread_cond_wait(&p->done, &p->lock);
        atomic_store(&p->owner_waits, false);
        pthread_mutex_unlock(&p->lock);
    }
}

void *pool_scratch(Pool *p, int worker, size_t bytes) {
    Worker *w = &p->worker[worker];
    if (w->scratch_bytes >= bytes) return w->scratch;
    free(w->scratch);
    w->scratch_bytes = (bytes + 63) / 64 * 64;
    w->scratch = aligned_alloc(64, w->scratch_bytes);
    if (!w->scratch) abort();
    return w->scratch;
}

void pool_close(Pool *p) {
    pthread_mutex_lock(&p->lock);
    atomic_store(&p->quit, true);
    pthread_cond_broadcast(&p->begin);
    pthread_mutex_unlock(&p->lock);
    for (int i = 1; i < p->size && !p->host; i++) pthread_join(p->worker[i].thread, NULL);
    for (int i = 0; i < p->size; i++) free(p->worker[i].scratch);
    pthread_mutex_destroy(&p->lock);
    pthread_cond_destroy(&p->begin);
    pthread_cond_destroy(&p->done);
    free(p);
}

// ---- hosts

Pool *pool_open_host(int seats) {
    assert(seats >= 1 && seats <= POOL_SEATS_MAX);
    Pool *p = pool_new(seats);
    p->size = seats;
    p->host = true;
    return p;
}

bool pool_is_host(const Pool *p) { return p->host; }

void pool_admit(Pool *p) {
    assert(p->host && !(atomic_load(&p->session) & 1));
    atomic_fetch_add(&p->session, 1);
}

void pool_dismiss(Pool *p) {
    assert(p->host && atomic_load(&p->session) & 1);
    atomic_fetch_add(&p->session, 1);
    pthread_mutex_lock(&p->lock);
    pthread_cond_broadcast(&p->begin);
    pthread_mutex_unlock(&p->lock);
}

int pool_guests(const Pool *p) {
    int guests = __builtin_popcount(atomic_load_explicit(&p->seats, memory_order_relaxed));
    return atomic_load(&p->session) & 1 && guests + 1 < p->size ? guests : -1;
}

// A seat, which is the number of a worker; 0, the caller's: there is none.
static int seat_take(Pool *p) {
    unsigned taken = atomic_load(&p->seats);
    for (int seat = 1; seat < p->size;) {
        if (taken >> seat & 1)
            seat++;
        else if (atomic_compare_exchange_weak(&p->seats, &taken, taken | 1u << seat))
            return seat;
        else
            seat = 1;
    }
    return 0;
}

bool pool_join(Pool *p) {
    const unsigned session = atomic_load(&p->session);
    int seat = session & 1 ? seat_take(p) : 0;
    if (!seat) return false;
    serve(p, seat, NUMBER, session); // no loop has that number: one that runs is joined, too
    atomic_fetch_and(&p->seats, ~(1u << seat));
    return true;
}
