// planner.h - what the plans of a draw are made with: a case after the other, each of a shape, with its
// layout and its part of the classes. Of plan.c and plan_sizes.c alone.
#pragma once
#include "base/numeric/rng.h"
#include "cases/domain/domain.h"
#include "cases/domain/plan.h"

// Classes of values that a very long line has; the last one only where it is admitted.
enum { WIDE_ALL = 7, WIDE_CLASSES = WIDE_ALL - 1 };
static const DType float_types[] = {DT_F32, DT_F16, DT_BF16};

typedef struct {
    int64_t n, m; // length of the lines, number of slices
    bool strided;
} Shape;

typedef struct {
    const Domain *domain;
    const Op *op;
    PlannedCase *at;
    int n;
    int64_t rotation[DT_COUNT]; // lines handed out so far in each dtype
    uint64_t layouts;           // strided cases so far, from a start that the seed chooses
} Planner;

// What a case is to be, before its sizes are rounded into the domain and the rest is drawn.
typedef struct {
    DType dtype;
    int64_t m, n; // slices, length
    bool strided, hidden, wide;
    bool again; // one more of its shape, for the classes that the others had no rows for
} Wish;

Planner planner_begin(Arena *a, const Domain *m, uint64_t seed);
// Adds a case, unless there is one of the same kind or no room is left.
void planner_add(Planner *p, Wish w, Rng *r);
// Which inputs of a strided case have gaps: all of them, one alone, all but one, in turn. So that what holds
// for one operand is not taken to hold for another.
uint64_t planner_strided(const Op *op, uint64_t turn);
void planner_sort(PlannedCase *c, int n, const Domain *m); // by the lengths of their lines; stable

static inline int64_t lines_in(const Domain *m, const PlannedCase *c) {
    return m->kind->lines(m, c->over, c->dim);
}
static inline int64_t length_of(const PlannedCase *c, const Domain *m) { return domain_length(m, c->dim); }
