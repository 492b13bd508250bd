#include "service/queue.h"

#include <stdlib.h>

struct QueueGroup {
    QueueGroup *next;
    QueueKey key;
    QueueItem *first, **last;
    int count, overtaken;
    int hasty; // items that are not patient
};

enum { QUEUE_SPARE = 64 };

static bool same_key(const QueueKey *a, const QueueKey *b) {
    return a->op == b->op && a->level == b->level && a->filter.m == b->filter.m &&
           a->filter.n == b->filter.n && a->filter.dtype == b->filter.dtype &&
           a->every_size == b->every_size && a->replay == b->replay && (!a->replay || a->seed == b->seed);
}

static QueueGroup *group_new(Queue *q, const QueueKey *key) {
    QueueGroup *g = q->spare;
    if (g) {
        q->spare = g->next;
        q->spares--;
    } else if (!(g = malloc(sizeof *g))) {
        abort();
    }
    *g = (QueueGroup){.next = q->groups, .key = *key};
    g->last = &g->first;
    return q->groups = g;
}

static void group_drop(Queue *q, QueueGroup *g) {
    QueueGroup **at = &q->groups;
    while (*at != g) at = &(*at)->next;
    *at = g->next;
    if (q->spares == QUEUE_SPARE) return free(g);
    g->next = q->spare;
    q->spare = g;
    q->spares++;
}

void queue_put(Queue *q, const QueueKey *key, QueueItem *item) {
    QueueGroup *g = q->groups;
    while (g && !same_key(&g->key, key)) g = g->next;
    if (!g) g = group_new(q, key);
    item->next = NULL;
    item->order = q->arrivals++;
    *g->last = item;
    g->last = &item->next;
    g->count += 1 + item->with;
    g->hasty += !item->patient;
    q->count += 1 + item->with;
}

typedef bool Which(const QueueGroup *g);
static bool any(const QueueGroup *g) { return g != NULL; }
static bool is_full(const QueueGroup *g) { return g->count >= DRAW_SHARE_MAX; }
static bool waits_no_longer(const QueueGroup *g) {
    return g->hasty > 0 || g->count >= QUEUE_ENOUGH || g->overtaken >= QUEUE_PATIENCE;
}

// The group whose first item has waited longest, of those.
static QueueGroup *oldest(const Queue *q, Which *which) {
    QueueGroup *best = NULL;
    for (QueueGroup *g = q->groups; g; g = g->next)
        if (which(g) && (!best || g->first->order < best->first->order)) best = g;
    return best;
}

static QueueGroup *choose(const Queue *q, bool partial) {
    QueueGroup *first = oldest(q, waits_no_longer), *full = oldest(q, is_full);
    if (!first) first = oldest(q, any);
    if (!first || first == full || first->overtaken >= QUEUE_OVERTAKES) return first;
    if (!full) return partial ? first : NULL;
    return full;
}

int queue_take(Queue *q, bool partial, QueueKey *key, QueueItem *out[DRAW_SHARE_MAX]) {
    QueueGroup *g = choose(q, partial);
    if (!g) return 0;
    *key = g->key;
    for (QueueGroup *other = q->groups; other; other = other->next)
        other->overtaken += other->first->order < g->first->order;
    int n = 0, taken = 0;
    while (g->first && taken + 1 + g->first->with <= DRAW_SHARE_MAX) {
        taken += 1 + g->first->with;
        out[n++] = g->first;
        g->hasty -= !g->first->patient;
        g->first = g->first->next;
    }
    g->count -= taken;
    g->overtaken = 0;
    q->count -= taken;
    if (!g->first) group_drop(q, g);
    return n;
}

void queue_free(Queue *q) {
    for (QueueGroup *list = q->groups, *next; list; list = next) {
        next = list->next;
        free(list);
    }
    for (QueueGroup *list = q->spare, *next; list; list = next) {
        next = list->next;
        free(list);
    }
    *q = (Queue){0};
}
