#include "base/pool.h"
#include <assert.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>

enum { THREADS_MAX = 256 };

typedef struct {
    Pool *pool;
    int index;
    pthread_t thread;
    void *scratch;
    size_t scratch_bytes;
} Worker;

// `round` counts loops: a worker that sleeps knows by it that a new one began. Everything under `lock` but
// `next`, from which items are taken.
struct Pool {
    int size; // the caller included, as worker 0
    pthread_mutex_t lock;
    pthread_cond_t begin, done;
    unsigned long round;
    int busy; // workers that have not finished this round
    bool quit;
    size_t n;
    void (*fn)(void *arg, size_t item, int worker);
    void *arg;
    atomic_size_t next;
    Worker worker[];
};

static void take_items(Pool *p, int worker) {
    size_t n = p->n;
    for (;;) {
        size_t item = atomic_fetch_add_explicit(&p->next, 1, memory_order_relaxed);
        if (item >= n) return;
        p->fn(p->arg, item, worker);
    }
}

static void *worker_main(void *arg) {
    Worker *w = arg;
    Pool *p = w->pool;
    unsigned long seen = 0;
    pthread_mutex_lock(&p->lock);
    for (;;) {
        while (p->round == seen && !p->quit) pthread_cond_wait(&p->begin, &p->lock);
        if (p->quit) break;
        seen = p->round;
        pthread_mutex_unlock(&p->lock);
        take_items(p, w->index);
        pthread_mutex_lock(&p->lock);
        if (--p->busy == 0) pthread_cond_signal(&p->done);
    }
    pthread_mutex_unlock(&p->lock);
    return NULL;
}

static int cores(void) {
    cpu_set_t set;
    if (sched_getaffinity(0, sizeof set, &set) != 0) return 1;
    return CPU_COUNT(&set);
}

Pool *pool_open(int threads) {
    if (threads <= 0) threads = cores();
    if (threads < 1) threads = 1;
    if (threads > THREADS_MAX) threads = THREADS_MAX;
    Pool *p = calloc(1, sizeof *p + (size_t)threads * sizeof p->worker[0]);
    if (!p) abort();
    p->size = 1;
    pthread_mutex_init(&p->lock, NULL);
    pthread_cond_init(&p->begin, NULL);
    pthread_cond_init(&p->done, NULL);
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
    if (p->size == 1 || n <= 1) {
        for (size_t i = 0; i < n; i++) fn(arg, i, 0);
        return;
    }
    pthread_mutex_lock(&p->lock);
    assert(p->busy == 0); // a loop inside a loop of the same pool would wait for itself
    p->n = n;
    p->fn = fn;
    p->arg = arg;
    atomic_store_explicit(&p->next, 0, memory_order_relaxed);
    p->busy = p->size - 1;
    p->round++;
    pthread_cond_broadcast(&p->begin);
    pthread_mutex_unlock(&p->lock);

    take_items(p, 0);

    pthread_mutex_lock(&p->lock);
    while (p->busy) pthread_cond_wait(&p->done, &p->lock);
    pthread_mutex_unlock(&p->lock);
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
    p->quit = true;
    pthread_cond_broadcast(&p->begin);
    pthread_mutex_unlock(&p->lock);
    for (int i = 1; i < p->size; i++) pthread_join(p->worker[i].thread, NULL);
    for (int i = 0; i < p->size; i++) free(p->worker[i].scratch);
    pthread_mutex_destroy(&p->lock);
    pthread_cond_destroy(&p->begin);
    pthread_cond_destroy(&p->done);
    free(p);
}
