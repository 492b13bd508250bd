#include "cases/columns.h"

#include <math.h>
#include <string.h>

typedef struct {
    DType dtype;
    int64_t n;
    uint8_t *judged;
} ColumnSet;

struct Columns {
    Arena *arena;
    bool by_row; // the op has rows
    ColumnSet *set;
    int sets;
};

Columns *columns_open(Arena *a, const Draw *d) {
    Columns *c = NEW(a, Columns);
    *c = (Columns){.arena = a, .by_row = d->op->rows_dim >= 0, .set = NEWN(a, ColumnSet, (size_t)d->cases)};
    return c;
}

static ColumnSet *set_of(Columns *c, const Bound *b) {
    int64_t n = b->rank ? b->shape[b->rank - 1] : 1;
    if (b->rank == 1 && c->by_row) n = 1; // one value a row: the column is the value
    for (int i = 0; i < c->sets; i++)
        if (c->set[i].dtype == b->dtype && c->set[i].n == n) return &c->set[i];
    ColumnSet *s = &c->set[c->sets++];
    *s = (ColumnSet){b->dtype, n, NEWN(c->arena, uint8_t, (size_t)n)};
    return s;
}

void columns_note(Columns *c, const Bound *b, const uint8_t *judged) {
    ColumnSet *s = set_of(c, b);
    if (!judged && b->numel > 0) memset(s->judged, 1, (size_t)s->n);
    for (int64_t at = 0; judged && s->n > 0 && at < b->numel; at += s->n)
        for (int64_t k = 0; k < s->n; k++) s->judged[k] |= judged[at + k];
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

bool columns_judgeable(const Draw *d) {
    Arena a = {0};
    Columns *c = columns_open(&a, d);
    for (int i = 0; i < d->cases; i++) {
        const Bound *b = d->truth[i].expected;
        int64_t unjudged = 0;
        for (int64_t k = 0; b->e && k < b->numel; k++) unjudged += !(b->e[k] < INFINITY) && !isnan(b->v[k]);
        uint8_t *judged = unjudged ? arena_raw(&a, (size_t)b->numel, 1) : NULL;
        for (int64_t k = 0; judged && k < b->numel; k++) judged[k] = b->e[k] < INFINITY || isnan(b->v[k]);
        columns_note(c, b, judged);
    }
    bool all = columns_all(c);
    arena_free(&a);
    return all;
}
