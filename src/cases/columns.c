#include "cases/columns.h"

#include "cases/domain/domain.h"

#include <math.h>
#include <string.h>

typedef struct {
    int output;
    DType dtype;
    int64_t n; // of the positions that the domain names
    uint8_t *judged;
} ColumnSet;

struct Columns {
    Arena *arena;
    const Domain *domain;
    ColumnSet *set;
    int sets;
};

Columns *columns_open(Arena *a, const Draw *d) {
    Columns *c = NEW(a, Columns);
    *c = (Columns){
        .arena = a, .domain = d->domain, .set = NEWN(a, ColumnSet, (size_t)(d->cases * d->op->outputs))};
    return c;
}

static ColumnSet *set_of(Columns *c, int output, const Bound *b, int64_t n) {
    for (int i = 0; i < c->sets; i++)
        if (c->set[i].output == output && c->set[i].dtype == b->dtype && c->set[i].n == n) return &c->set[i];
    ColumnSet *s = &c->set[c->sets++];
    *s = (ColumnSet){output, b->dtype, n, NEWN(c->arena, uint8_t, (size_t)n)};
    return s;
}

void columns_note(Columns *c, int output, const Bound *b, const uint8_t *judged) {
    Positions of = c->domain->kind->positions(c->domain, output, b);
    ColumnSet *s = set_of(c, output, b, of.n);
    int64_t n = of.n, inner = of.inner;
    if (!judged && b->numel > 0) memset(s->judged, 1, (size_t)n);
    for (int64_t at = 0; judged && n > 0 && at < b->numel; at += n * inner)
        for (int64_t k = 0; k < n; k++)
            for (int64_t i = 0; i < inner; i++) s->judged[k] |= judged[at + k * inner + i];
}

int64_t columns_first_unjudged(const Columns *c, int64_t *of) {
    for (int i = 0; i < c->sets; i++) {
        const ColumnSet *s = &c->set[i];
        const uint8_t *free = s->n > 0 ? memchr(s->judged, 0, (size_t)s->n) : NULL;
        if (free) return *of = s->n, free - s->judged;
    }
    return *of = 0, -1;
}

bool columns_all(const Columns *c) {
    int64_t of;
    return columns_first_unjudged(c, &of) < 0;
}

static void note_judgeable(Columns *c, int output, const Bound *b) {
    int64_t unjudged = 0;
    for (int64_t k = 0; b->e && k < b->numel; k++) unjudged += !(b->e[k] < INFINITY) && !isnan(b->v[k]);
    uint8_t *judged = unjudged ? arena_raw(c->arena, (size_t)b->numel, 1) : NULL;
    for (int64_t k = 0; judged && k < b->numel; k++) judged[k] = b->e[k] < INFINITY || isnan(b->v[k]);
    columns_note(c, output, b, judged);
}

bool columns_judgeable(const Draw *d) {
    Arena a = {0};
    Columns *c = columns_open(&a, d);
    for (int i = 0; i < d->cases; i++) {
        const Bound *b = d->truth[i].expected;
        for (int k = 0; b; k++, b = b->also) note_judgeable(c, k, b);
    }
    bool all = columns_all(c);
    arena_free(&a);
    return all;
}
