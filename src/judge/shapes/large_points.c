#include "judge/shapes/large_points.h"

#include "base/numeric/rng.h"
#include "cases/domain/domain.h"

enum { POINTS_MOST = 6, PROGRAM = 1024 };
static const int64_t lanes_most = (int64_t)1 << 26;

// At least, if each row has a program of its own.
static int64_t lanes(const Domain *m, const int64_t *dim) {
    int64_t n = domain_length(m, dim), rows = domain_slices(m, dim), all;
    if (n < PROGRAM) n = PROGRAM;
    return __builtin_mul_overflow(n, rows, &all) ? INT64_MAX : all;
}

void large_points_judge(const ProductionRequest *q, int dtype, const ExplorePoints *points, Verdict *v) {
    const Domain *m = q->draw->domain;
    bool any_float = domain_any_float(m);
    for (int i = 0; i < points->n && i < POINTS_MOST; i++) {
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
