// plan.h - which cases a draw consists of: lengths of lines, numbers of slices, dtypes, layouts, and which
// class each line gets (domain.h says what lines and slices are). Depends on the op's domain, the level, the
// filter and (for hidden cases) the seed; never on a candidate.
#pragma once
#include "cases/domain/case.h"
#include "sandbox/child/coverage.h"
#include "sandbox/child/explore.h"

struct PlannedCase {
    DType dtype; // of the floating inputs
    int64_t dim[OP_DIMS_MAX];
    int over;           // the reduction whose lines have classes
    uint64_t strided;   // bit i: input i has gaps; 0: all are dense
    int64_t row_stride; // of inputs with gaps, where it is as large as a row; 0: as the layout says
    bool hidden;
    bool negated; // inputs of both signs are negative here, and no line holds -inf
    bool wide;    // lines take the classes that only very long ones make hard, not the rotation's
    bool flat;    // all lines are large constants but for their last bits
    // Not 0: lines from number EXTREME_LINES on are ordinary ones whose greatest and least value, by turns,
    // lies at this element or behind it, once.
    int64_t extremes;
    bool twin; // has slices of the case before it, at other places and some of them twice; same sizes and
               // layout
    // 1 + index into Op.invariant: the slices of the last case before it that has 0 here, moved
    // (metamorphic.h)
    int relation;
    int64_t first_line; // position in the rotation of classes: line r gets class number (first_line + r)
    // A part of a case of another draw from the same seed, for explanations: what is drawn for slice s is
    // what was drawn there for slice skip + s; slices come first there. Lengths may differ, and the values
    // with them.
    int as_case; // the number of that case, from 1; 0: no part
    int64_t skip;
    // Not 0: stands for its number in the draw where values are drawn. What is drawn is the same wherever the
    // case stands then, and whatever else is planned.
    uint32_t place;
    int32_t processors;   // of the GPU that host code sees; 0: drawn
    const float *written; // not NULL: lines are made of these numbers (CLASS_written)
    int writtens;
};

enum { EXTREME_LINES = 3 };

typedef struct {
    Level level;
    uint64_t seed;
    const DrawFilter *filter; // NULL: all shapes and dtypes
} PlanRequest;
// Cases in the order they are judged: shortest lines first. At most WIRE_CASES_MAX.
int plan_cases(Arena *a, const Domain *m, const PlanRequest *q, PlannedCase **out);
// More cases, small ones, for sizes that a candidate compares its own with: as length, as number of slices
// and as both, where the plan of `d` has none; for the integers that it writes down; and lines of values that
// it writes down. *tried: how many of c->size, in order, found room. The cases of a number hang on the draw
// and that number alone: candidates that have it in common share them (case_memory.h).
int plan_sizes(Arena *a, const Draw *d, const DrawFilter *filter, const Coverage *c, PlannedCase **out,
               int *tried);
// For sizes that a candidate compares with and that are longer than any planned line: lines of that length. A
// candidate may refuse these (raise an error, say), but not answer wrongly.
typedef struct {
    int64_t size[COVERAGE_BEYOND_MAX];
    int n;
} BeyondTried;
int plan_beyond(Arena *a, const Draw *d, const DrawFilter *filter, const Coverage *c, PlannedCase **out,
                BeyondTried *tried);
// Cases of these very sizes, in every dtype and both layouts where they are small; otherwise in one way of
// those in which they were found. From number *next on, as many as one draw holds.
int plan_points(Arena *a, const Draw *d, const DrawFilter *filter, const ExplorePoints *points, int *next,
                PlannedCase **out);
// The same of points that are entries of tables, from number *next on, as many as one draw holds. matters:
// some line is unreached, which may hang on an entry of a written table. Otherwise these are options of
// launches mostly, and have one case each, in the first draw alone.
typedef struct {
    const ExplorePoints *points;
    bool matters;
} EntryPoints;
int plan_entries(Arena *a, const Draw *d, const DrawFilter *filter, const EntryPoints *q, int *next,
                 PlannedCase **out);
// Cases for every size from *next to `last`, until the draw is full: as length in each dtype, and up to
// EVERY_ROWS as number of slices of short lines. *next becomes the first size without a case. It does not
// move if one size alone is too large for a CPU. Sizes are rounded into the domain. Returns 0 if the domain
// has no more.
enum { EVERY_ROWS = 1024, EVERY_SIZE_MOST = 65536 };
// Longer lines a candidate may refuse by an error of its own, as libraries do that hold a line in one block.
enum { LONGEST_SURE = 65536 };
typedef struct {
    uint64_t seed;
    const DrawFilter *filter;
    int64_t last;
} EverySize;
int plan_every_size(Arena *a, const Domain *m, const EverySize *q, int64_t *next, PlannedCase **out);
// A base case and its metamorphic twins for each dtype, as in every plan at level full. 0: none declared.
int plan_metamorphic(Arena *a, const Domain *m, uint64_t seed, PlannedCase **out);
// The case whose traffic is reported: the contiguous one of the longest ordinary line, in a half type if any.
int plan_traffic_case(const PlannedCase *c, int n, const Domain *m);

// The classes that a data input of this dtype may be drawn from, in rotation order.
int plan_classes(const Op *op, DType dtype, ClassId out[CLASS_COUNT]);
// The class of every line of a case; CLASS_range where no input is drawn by class.
void plan_line_classes(const Op *op, const PlannedCase *c, int64_t lines, uint8_t *out);
bool plan_is_data(const OpInput *in);
int plan_data_inputs(const Op *op); // floating inputs of role data without a range
// Rounds sizes into the op's domain.
void plan_fit(const Op *op, int64_t dim[OP_DIMS_MAX]);
