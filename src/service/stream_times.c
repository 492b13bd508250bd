#include "service/stream_times.h"

#include <pthread.h>
#include <stdlib.h>
#include <time.h>

#include "base/clock.h"
#include "measure/cell_shared.h"
#include "service/taken_back.h"

enum { PREPARED = 3 }; // programs that wait for the GPU

typedef struct {
    TimesAsk *first, *last;
    int n;
} List;

struct StreamTimes {
    Service *service;
    Measurer *measurer;
    TimerOptions options;
    void (*roused)(void *);
    void *arg;
    pthread_t preparer, measuring;
    // ---- of the preparer, until something is ready
    Arena arena;
    Timer timer;
    Sha256 last; // the op of what was prepared last
    double last_drawn;
    CellShared *shared;
    bool opened;
    Err closed; // why there is no timer
    // ---- of all, with the lock
    pthread_mutex_t lock;
    pthread_cond_t stirred;
    List asked, ready;
    int busy; // being prepared or measured
    bool stopped, ending, tried;
    Err lost; // what could not be recorded
};

static void list_put(List *l, TimesAsk *q) {
    q->next = NULL;
    if (l->last)
        l->last->next = q;
    else
        l->first = q;
    l->last = q;
    l->n++;
}

static TimesAsk *list_take(List *l) {
    TimesAsk *q = l->first;
    if (!q) return NULL;
    l->first = q->next;
    if (!l->first) l->last = NULL;
    l->n--;
    return q;
}

// ---- answers

static void finish(StreamTimes *t, TimesAsk *q) {
    if (q->cells) cells_free(q->cells);
    q->cells = NULL;
    arena_free(&q->arena);
    q->timed(q->arg, q);
    pthread_mutex_lock(&t->lock);
    t->busy--;
    pthread_cond_broadcast(&t->stirred);
    pthread_mutex_unlock(&t->lock);
    t->roused(t->arg);
}

static void finish_without(StreamTimes *t, TimesAsk *q, const char *why) {
    json_object_set_new(q->verdict, "times", times_json(t->opened ? &t->timer : NULL, NULL, 0, why));
    finish(t, q);
}

static void tell(StreamTimes *t, TimesAsk *q) {
    const CellTimes *cell[TIMED_CELLS_MAX], *wrong = cells_refute(q->cell, q->places);
    Err e = {0};
    for (int i = 0; i < q->places; i++) cell[i] = &q->cell[i];
    if (wrong && !service_take_back(t->service, &(TakenBack){q->op, q->filter, q->source, &t->timer, wrong},
                                    q->verdict, &e)) {
        pthread_mutex_lock(&t->lock);
        t->lost = e;
        pthread_mutex_unlock(&t->lock);
    }
    json_object_set_new(q->verdict, "times", times_json(&t->timer, cell, q->places, NULL));
}

// ---- the two threads

// Whatever can share the last one's draws, before the first that waits: such are few, as they all were asked
// before those were made, so nothing waits for long. With the lock.
static TimesAsk *take_alike(StreamTimes *t) {
    for (TimesAsk **at = &t->asked.first, *before = NULL; *at; before = *at, at = &before->next) {
        TimesAsk *q = *at;
        if (q->fixed >= t->last_drawn || memcmp(&q->op->hash, &t->last, sizeof t->last) != 0) continue;
        *at = q->next;
        if (t->asked.last == q) t->asked.last = before;
        t->asked.n--;
        return q;
    }
    return list_take(&t->asked);
}

// The next one of a list, as soon as there is one; NULL: none will come.
static TimesAsk *next_asked(StreamTimes *t) {
    pthread_mutex_lock(&t->lock);
    while (!(t->ending && !t->asked.n) && (!t->asked.n || (t->ready.n >= PREPARED && !t->stopped)))
        pthread_cond_wait(&t->stirred, &t->lock);
    TimesAsk *q = take_alike(t);
    if (q) t->busy++;
    pthread_mutex_unlock(&t->lock);
    return q;
}

static TimesAsk *next_ready(StreamTimes *t) {
    pthread_mutex_lock(&t->lock);
    while (!t->ready.n && !(t->ending && !t->asked.n && !t->busy)) pthread_cond_wait(&t->stirred, &t->lock);
    TimesAsk *q = list_take(&t->ready);
    pthread_cond_broadcast(&t->stirred);
    pthread_mutex_unlock(&t->lock);
    return q;
}

static bool is_stopped(StreamTimes *t) {
    pthread_mutex_lock(&t->lock);
    bool stopped = t->stopped;
    pthread_mutex_unlock(&t->lock);
    return stopped;
}

static bool timer_ready(StreamTimes *t) {
    if (!t->measurer && !t->tried) t->tried = !err_set(&t->closed, ERR_IO, "nothing is timed here");
    if (!t->tried)
        t->opened = timer_open(&t->arena, service_referee(t->service), t->measurer, &t->options, &t->timer,
                               &t->closed);
    t->tried = true;
    return t->opened;
}

static void *prepare(void *arg) {
    StreamTimes *t = arg;
    for (TimesAsk *q; (q = next_asked(t));) {
        if (is_stopped(t)) {
            finish_without(t, q, "the referee was asked to stop before this was timed");
            continue;
        }
        if (!timer_ready(t)) {
            finish_without(t, q, t->closed.msg);
            continue;
        }
        CellRequest *r = NEW(&q->arena, CellRequest);
        *r = timer_request(&t->timer, q->op, q->source);
        r->shared = t->shared;
        r->fixed = q->fixed;
        r->rounding = json_str(json_object_get(q->verdict, "rounding"));
        q->cells = cells_prepare(&q->arena, r, q->place, q->places, q->cell);
        t->last = q->op->hash;
        t->last_drawn = cell_shared_drawn(t->shared, q->op);
        pthread_mutex_lock(&t->lock);
        list_put(&t->ready, q);
        pthread_cond_broadcast(&t->stirred);
        pthread_mutex_unlock(&t->lock);
    }
    return NULL;
}

static void *measure(void *arg) {
    StreamTimes *t = arg;
    for (TimesAsk *q; (q = next_ready(t));) {
        for (int i = 0; i < q->places; i++) cells_measure(q->cells, i);
        tell(t, q);
        finish(t, q);
    }
    return NULL;
}

// ---- from outside

StreamTimes *stream_times_open(Service *s, Measurer *m, const TimerOptions *o, void (*roused)(void *),
                               void *arg) {
    StreamTimes *t = calloc(1, sizeof *t);
    if (!t) abort();
    *t = (StreamTimes){.service = s, .measurer = m, .options = *o, .roused = roused, .arg = arg};
    t->shared = cell_shared_open();
    pthread_mutex_init(&t->lock, NULL);
    pthread_cond_init(&t->stirred, NULL);
    if (pthread_create(&t->preparer, NULL, prepare, t) != 0 ||
        pthread_create(&t->measuring, NULL, measure, t) != 0)
        abort();
    return t;
}

void stream_times_ask(StreamTimes *t, TimesAsk *q) {
    pthread_mutex_lock(&t->lock);
    q->fixed = clock_seconds();
    list_put(&t->asked, q);
    pthread_cond_broadcast(&t->stirred);
    pthread_mutex_unlock(&t->lock);
}

bool stream_times_room(StreamTimes *t) {
    pthread_mutex_lock(&t->lock);
    bool room = t->asked.n < TIMED_WAITING;
    pthread_mutex_unlock(&t->lock);
    return room;
}

void stream_times_stop(StreamTimes *t) {
    pthread_mutex_lock(&t->lock);
    t->stopped = true;
    pthread_cond_broadcast(&t->stirred);
    pthread_mutex_unlock(&t->lock);
}

bool stream_times_wait(StreamTimes *t, int ms) {
    struct timespec until;
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_nsec += (long)ms * 1000000;
    until.tv_sec += until.tv_nsec / 1000000000;
    until.tv_nsec %= 1000000000;
    pthread_mutex_lock(&t->lock);
    bool done = !t->asked.n && !t->ready.n && !t->busy;
    if (!done) pthread_cond_timedwait(&t->stirred, &t->lock, &until);
    pthread_mutex_unlock(&t->lock);
    return done;
}

bool stream_times_close(StreamTimes *t, Err *e) {
    if (!t) return true;
    pthread_mutex_lock(&t->lock);
    t->ending = true;
    pthread_cond_broadcast(&t->stirred);
    pthread_mutex_unlock(&t->lock);
    pthread_join(t->preparer, NULL);
    pthread_join(t->measuring, NULL);
    bool ok = t->lost.code == ERR_NONE;
    if (!ok) *e = t->lost;
    if (t->opened) timer_close(&t->timer);
    cell_shared_close(t->shared);
    arena_free(&t->arena);
    pthread_mutex_destroy(&t->lock);
    pthread_cond_destroy(&t->stirred);
    free(t);
    return ok;
}
