#include "measure/cell_shared.h"

#include <pthread.h>
#include <stdlib.h>

#include "base/clock.h"
#include "base/numeric/rng.h"

// As many as the cells of one program may be, or less where they are large.
enum { KEPT_MAX = 9, YARDSTICKS_MAX = 64 };
static const int64_t kept_bytes = (int64_t)2 << 30;
static const double yardstick_seconds = 60;

typedef struct {
    Sha256 op;
    int process, inputs;
    int64_t input[TIMING_INPUTS_MAX], output;
    Figure figure, copy;
    double at;
} Yardstick;

struct CellShared {
    pthread_mutex_t lock;
    SharedDraw *draw[KEPT_MAX];
    int draws;
    Yardstick yardstick[YARDSTICKS_MAX];
    int yardsticks; // put so far
};

CellShared *cell_shared_open(void) {
    CellShared *s = calloc(1, sizeof *s);
    if (!s) abort();
    pthread_mutex_init(&s->lock, NULL);
    return s;
}

static void draw_free_shared(SharedDraw *d) {
    repeated_free(&d->r);
    arena_free(&d->arena);
    free(d);
}

// With the lock: it serves no new program.
static void drop(CellShared *s, int i) {
    SharedDraw *d = s->draw[i];
    s->draw[i] = s->draw[--s->draws];
    d->kept = false;
    if (!d->users) draw_free_shared(d);
}

void cell_shared_close(CellShared *s) {
    if (!s) return;
    while (s->draws) drop(s, 0);
    pthread_mutex_destroy(&s->lock);
    free(s);
}

// ---- draws

RepeatedMade cell_draw(Arena *a, const Op *op, CellPlace place, Repeated *out, Err *e) {
    uint64_t seed;
    *out = (Repeated){.fd = -1, .block.fd = -1};
    if (!rng_entropy(&seed, sizeof seed, e)) return REPEATED_FAILED;
    const int64_t fixed[OP_DIMS_MAX] = {0}; // a module's sizes are its own
    const RepeatedRequest q = {.op = op,
                               .dim = op->form ? fixed : NULL,
                               .seed = seed >> 1,
                               .dtype = place.dtype,
                               .slices = place.rows,
                               .length = place.columns,
                               .steps = 1};
    return repeated_make(a, &q, out, e);
}

static bool is_of(const SharedDraw *d, const Op *op) { return memcmp(&d->op, &op->hash, sizeof d->op) == 0; }

static bool same_place(CellPlace a, CellPlace b) {
    return a.rows == b.rows && a.columns == b.columns && a.dtype == b.dtype;
}

double cell_shared_drawn(CellShared *s, const Op *op) {
    double from = 0;
    pthread_mutex_lock(&s->lock);
    for (int i = 0; i < s->draws; i++)
        if (is_of(s->draw[i], op) && (from == 0 || s->draw[i]->from < from)) from = s->draw[i]->from;
    pthread_mutex_unlock(&s->lock);
    return from;
}

// With the lock. One that cannot serve is of no use to those that come later, either.
static SharedDraw *find(CellShared *s, const Op *op, CellPlace place, double fixed) {
    for (int i = 0; i < s->draws; i++) {
        SharedDraw *d = s->draw[i];
        if (!is_of(d, op) || !same_place(d->place, place)) continue;
        if (fixed < d->from && d->served < DRAW_SHARE_MAX) return d;
        drop(s, i);
        return NULL;
    }
    return NULL;
}

static void keep(CellShared *s, SharedDraw *d) {
    int64_t bytes = (int64_t)d->r.bytes;
    for (int i = 0; i < s->draws; i++) bytes += (int64_t)s->draw[i]->r.bytes;
    while (s->draws && (s->draws == KEPT_MAX || bytes > kept_bytes)) {
        int oldest = 0;
        for (int i = 1; i < s->draws; i++)
            if (s->draw[i]->from < s->draw[oldest]->from) oldest = i;
        bytes -= (int64_t)s->draw[oldest]->r.bytes;
        drop(s, oldest);
    }
    d->kept = true;
    s->draw[s->draws++] = d;
}

const SharedDraw *cell_shared_draw(CellShared *s, const Op *op, CellPlace place, double fixed, Err *e) {
    pthread_mutex_lock(&s->lock);
    SharedDraw *d = find(s, op, place, fixed);
    if (d) d->users++, d->served++;
    pthread_mutex_unlock(&s->lock);
    if (d) return d;
    d = calloc(1, sizeof *d);
    if (!d) abort();
    *d = (SharedDraw){.from = clock_seconds(), .op = op->hash, .place = place, .users = 1, .served = 1};
    d->made = cell_draw(&d->arena, op, place, &d->r, e);
    d->r.block.op = NULL; // it may not live as long
    if (d->made == REPEATED_FAILED) {
        draw_free_shared(d);
        return NULL;
    }
    pthread_mutex_lock(&s->lock);
    keep(s, d);
    pthread_mutex_unlock(&s->lock);
    return d;
}

void cell_shared_give_back(CellShared *s, const SharedDraw *d) {
    SharedDraw *own = (SharedDraw *)(uintptr_t)d;
    pthread_mutex_lock(&s->lock);
    bool last = --own->users == 0 && !own->kept;
    pthread_mutex_unlock(&s->lock);
    if (last) draw_free_shared(own);
}

// ---- times of streaming

static bool same_job(const Yardstick *y, const CellRequest *q, const TimingJob *job) {
    bool same = memcmp(&y->op, &q->op->hash, sizeof y->op) == 0 &&
                y->process == measurer_processes(q->measurer) && y->inputs == job->inputs &&
                y->output == timing_output_bytes(job);
    for (int i = 0; same && i < job->inputs; i++) same = y->input[i] == job->input[i].bytes;
    return same;
}

bool cell_shared_yardstick(CellShared *s, const CellRequest *q, const TimingJob *job, Figure *out,
                           Figure *copy) {
    double now = clock_seconds();
    for (int i = 0; i < s->yardsticks && i < YARDSTICKS_MAX; i++) {
        const Yardstick *y = &s->yardstick[i];
        if (now - y->at > yardstick_seconds || !same_job(y, q, job)) continue;
        *out = y->figure;
        *copy = y->copy;
        return true;
    }
    return false;
}

void cell_shared_yardstick_put(CellShared *s, const CellRequest *q, const TimingJob *job, const Figure *f,
                               const Figure *copy) {
    Yardstick *y = &s->yardstick[s->yardsticks++ % YARDSTICKS_MAX];
    *y = (Yardstick){.op = q->op->hash,
                     .process = measurer_processes(q->measurer),
                     .inputs = job->inputs,
                     .output = timing_output_bytes(job),
                     .figure = *f,
                     .copy = *copy,
                     .at = clock_seconds()};
    for (int i = 0; i < job->inputs; i++) y->input[i] = job->input[i].bytes;
}
