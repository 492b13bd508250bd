#include "judge/sized_draws.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "cases/draw.h"
#include "judge/decide/compare.h"

// What draws take that nobody uses at the moment. Others are freed when the last one leaves them, and made
// again for the next.
static const int64_t kept_most = (int64_t)384 << 20;

// Of the draw with calls that goes with one of a key, which are counted.
#define KEY_WITH_CALLS ((uint64_t)1 << 63)

typedef struct Entry Entry;
struct Entry {
    SizedDraw made; // first: a SizedDraw is its entry
    SizedAsk ask;
    Arena arena;
    pthread_mutex_t making;
    bool is_made, kept;
    int users;
    Entry *next;
};

struct SizedDraws {
    pthread_mutex_t lock; // of the list, and of what its entries say of users
    Entry *first;
    int64_t bytes; // of the entries that are kept
};

SizedDraws *sized_draws_open(void) {
    SizedDraws *s = calloc(1, sizeof *s);
    if (!s) abort();
    pthread_mutex_init(&s->lock, NULL);
    return s;
}

static void entry_free(Entry *d) {
    if (d->is_made) draw_free(&d->made.draw);
    pthread_mutex_destroy(&d->making);
    arena_free(&d->arena);
    free(d);
}

void sized_draws_close(SizedDraws *s) {
    if (!s) return;
    for (Entry *d = s->first, *next; d; d = next) {
        next = d->next;
        entry_free(d);
    }
    pthread_mutex_destroy(&s->lock);
    free(s);
}

static Entry *entry_new(const SizedAsk *ask) {
    Entry *d = calloc(1, sizeof *d);
    if (!d) abort();
    d->ask = *ask;
    d->users = 1;
    pthread_mutex_init(&d->making, NULL);
    return d;
}

static bool same_ask(const SizedAsk *a, const SizedAsk *b) {
    return a->domain == b->domain && a->level == b->level && a->seed == b->seed && a->most == b->most &&
           !a->calls_of == !b->calls_of;
}

static Entry *entry_of(SizedDraws *s, const SizedAsk *ask) {
    pthread_mutex_lock(&s->lock);
    Entry *d = s->first;
    while (d && !same_ask(&d->ask, ask)) d = d->next;
    if (d) {
        d->users++;
    } else {
        d = entry_new(ask);
        d->next = s->first;
        s->first = d;
    }
    pthread_mutex_unlock(&s->lock);
    return d;
}

static DrawRequest request_of(Entry *d, const SizedAsk *q) {
    const Domain *m = q->domain;
    if (q->calls_of) return *q->calls_of->left;
    PlannedCase *plan;
    d->made.cases = m->kind->cases(&d->arena, m, &(PlanRequest){.level = q->level, .seed = q->seed}, &plan);
    if (q->most > 0 && q->most < d->made.cases) d->made.cases = q->most;
    d->made.plan = plan;
    return (DrawRequest){.op = m->op,
                         .domain = m,
                         .level = q->level,
                         .seed = q->seed,
                         .plan = plan,
                         .cases = d->made.cases,
                         .more = true,
                         .called_once = q->most > 0,
                         .calls_later = q->most == 0};
}

// What `calls_of` points to is there as long as its caller: another one's may be gone.
static bool make(Entry *d, const SizedAsk *ask, Err *e) {
    const DrawRequest q = request_of(d, ask);
    Pool *alone = pool_open(1); // candidates are judged side by side already
    bool ok = draw_make(&d->arena, alone, &q, &d->made.draw, e);
    if (ok && ask->calls_of && ask->calls_of->key) { // that is shared by many: so is this one
        draw_share(&d->made.draw, alone, compare_round);
        d->made.draw.key = ask->calls_of->key | KEY_WITH_CALLS;
    }
    pool_close(alone);
    return ok;
}

static int64_t bytes_of(const Draw *d) {
    int64_t n = (int64_t)d->bytes;
    for (int i = 0; i < d->cases; i++) n += answer_numel(d->truth[i].expected) * 2 * (int64_t)sizeof(double);
    for (int i = 0; i < d->calls; i++) n += answer_numel(d->called[i].expected) * 2 * (int64_t)sizeof(double);
    return n;
}

static void keep_if_room(SizedDraws *s, Entry *d) {
    int64_t bytes = bytes_of(&d->made.draw);
    pthread_mutex_lock(&s->lock);
    d->kept = s->bytes + bytes <= kept_most;
    if (d->kept) s->bytes += bytes;
    pthread_mutex_unlock(&s->lock);
}

const SizedDraw *sized_draw_take(SizedDraws *s, const SizedAsk *ask, Err *e) {
    Entry *d = s ? entry_of(s, ask) : entry_new(ask);
    pthread_mutex_lock(&d->making);
    if (!d->is_made) {
        d->is_made = make(d, ask, e);
        if (s && d->is_made) keep_if_room(s, d);
    }
    bool ok = d->is_made;
    pthread_mutex_unlock(&d->making);
    if (ok) return &d->made;
    sized_draw_leave(s, &d->made);
    return NULL;
}

void sized_draw_leave(SizedDraws *s, const SizedDraw *made) {
    Entry *d = (Entry *)(uintptr_t)made; // its first member
    if (s) {
        pthread_mutex_lock(&s->lock);
        bool stays = --d->users > 0 || d->kept;
        Entry **at = &s->first;
        while (!stays && *at != d) at = &(*at)->next;
        if (!stays) *at = d->next;
        pthread_mutex_unlock(&s->lock);
        if (stays) return;
    }
    entry_free(d);
}
