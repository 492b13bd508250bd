#include "judge/sized_draws.h"

#include <pthread.h>
#include <stdlib.h>

#include "cases/plan.h"

// Of one round. Drawing is most of what judging a long case takes, and its numbers take most of the memory.
enum { KEPT_BYTES = 768 << 20 };

typedef struct SizedDraw {
    struct SizedDraw *next;
    Arena arena;
    const Domain *of;
    uint64_t seed;
    Level level;
    PlannedCase *plan;
    int cases;
    Draw draw;
} SizedDraw;

struct SizedDraws {
    pthread_mutex_t lock; // while one is drawn, too: who wants the same waits for it
    SizedDraw *first;
    size_t bytes;
};

SizedDraws *sized_draws_open(void) {
    SizedDraws *s = calloc(1, sizeof *s);
    if (!s) abort();
    pthread_mutex_init(&s->lock, NULL);
    return s;
}

static void drop(SizedDraw *d) {
    draw_free(&d->draw);
    arena_free(&d->arena);
    free(d);
}

void sized_draws_close(SizedDraws *s) {
    if (!s) return;
    for (SizedDraw *d = s->first, *next; d; d = next) {
        next = d->next;
        drop(d);
    }
    pthread_mutex_destroy(&s->lock);
    free(s);
}

static SizedDraw *made(const Domain *of, Level level, uint64_t seed, Err *e) {
    SizedDraw *d = calloc(1, sizeof *d);
    if (!d) abort();
    d->of = of;
    d->seed = seed;
    d->level = level;
    d->cases = of->kind->cases(&d->arena, of, &(PlanRequest){.level = level, .seed = seed}, &d->plan);
    Pool *alone = pool_open(1); // candidates are judged side by side already
    bool ok = draw_make(&d->arena, alone,
                        &(DrawRequest){.op = of->op,
                                       .domain = of,
                                       .level = level,
                                       .seed = seed,
                                       .plan = d->plan,
                                       .cases = d->cases,
                                       .more = true},
                        &d->draw, e);
    pool_close(alone);
    if (ok) return d;
    arena_free(&d->arena);
    free(d);
    return NULL;
}

static size_t bytes_of(const SizedDraw *d) {
    size_t n = d->draw.bytes + d->arena.total;
    for (int i = 0; i < d->draw.kepts; i++) n += d->draw.kept[i].total;
    return n;
}

static SizedDraw *kept(const SizedDraws *s, const Domain *of, Level level, uint64_t seed) {
    SizedDraw *d = s->first;
    while (d && (d->of != of || d->seed != seed || d->level != level)) d = d->next;
    return d;
}

bool sized_draws_take(SizedDraws *s, const Domain *of, Level level, uint64_t seed, SizedOn *out, Err *e) {
    SizedDraw *d = NULL;
    bool keep = false;
    if (s) pthread_mutex_lock(&s->lock);
    if (s) d = kept(s, of, level, seed), keep = d != NULL;
    if (!d) d = made(of, level, seed, e);
    if (d && s && !keep && s->bytes + bytes_of(d) <= KEPT_BYTES) {
        keep = true;
        s->bytes += bytes_of(d);
        d->next = s->first;
        s->first = d;
    }
    if (s) pthread_mutex_unlock(&s->lock);
    if (d) *out = (SizedOn){&d->draw, d->plan, d->cases, keep ? NULL : d};
    return d != NULL;
}

void sized_draws_leave(SizedOn *on) {
    if (on->own) drop(on->own);
    *on = (SizedOn){0};
}
