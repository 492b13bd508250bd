#include "judge/shapes/large_points.h"

#include "base/numeric/rng.h"
#include "cases/domain/domain.h"

enum { POINTS_MOST = 6, ENTRIES_MOST = 128, PROGRAM = 1024 };
// Of more than the first only windows of rows are run, and what is reached there is not counted; entries of
// tables, of which there may be many, have so many together.
static const int64_t lanes_most = (int64_t)1 << 26, lanes_of_entries = (int64_t)1 << 30;

// At least, if each row has a program of its own.
static int64_t lanes(const Domain *m, const int64_t *dim) {
    int64_t n = domain_length(m, dim), rows = domain_slices(m, dim), all;
    if (n < PROGRAM) n = PROGRAM;
    return __builtin_mul_overflow(n, rows, &all) ? INT64_MAX : all;
}

typedef struct {
    bool matters; // entries of written tables, too
    int others, entries;
    int64_t lanes; // of entries
} Judged;

// Whether it is one of as many as there is time for.
static bool is_judged(const Domain *m, const ExplorePoints *p, int i, Judged *had) {
    if (!p->entry[i]) return had->others++ < POINTS_MOST;
    if (p->entry[i] == EXPLORE_WRITTEN_ENTRY && !had->matters) return false;
    int64_t all = lanes(m, p->size[i]);
    if (had->entries == ENTRIES_MOST || all > lanes_most || had->lanes + all > lanes_of_entries) return false;
    had->entries++;
    had->lanes += all;
    return true;
}

void large_points_judge(const ProductionRequest *q, int dtype, const ExplorePoints *points, Verdict *v) {
    const Domain *m = q->draw->domain;
    bool any_float = domain_any_float(m);
    Judged had = {.matters = unreached_any(&v->evidence.coverage.unreached)};
    for (int i = 0; i < points->n; i++) {
        if (!is_judged(m, points, i, &had)) continue;
        LargeShapeAsked asked = {.windows = lanes(m, points->size[i]) > lanes_most};
        memcpy(asked.dim, points->size[i], sizeof asked.dim);
        if (asked.windows && domain_slices(m, asked.dim) < 2 * WINDOWS * WINDOW_ROWS) continue;
        bool in_all = asked.windows && any_float && dtype < 0, done = false;
        for (int way = 0; way < EXPLORE_GAPS && !done && verdict_accepted(v); way++) {
            Err e = {0};
            if (!in_all && !(points->ways[i] >> way & 1)) continue;
            asked.dtype = !any_float ? DT_F32 : dtype >= 0 ? (DType)dtype : explore_dtype(way);
            asked.seed = rng_mix(q->draw->seed, 0x6d616e79 + (uint64_t)(i * EXPLORE_GAPS + way));
            if (!production_one(q, &asked, v, &e)) continue; // nothing was judged: no line counts as reached
            done = !in_all;
        }
    }
}
