// plan.h - which cases a draw consists of: row lengths, row counts, dtypes, layouts, and which class each row
// gets. Depends on the op's domain, the level, the filter and (for hidden cases) the seed; never on a
// candidate.
#pragma once
#include "cases/draw.h"
#include "sandbox/coverage.h"
#include "sandbox/explore.h"

struct PlannedCase {
    DType dtype; // of the floating inputs
    int64_t dim[OP_DIMS_MAX];
    uint8_t strided; // bit i: input i has gaps between its rows; 0: all are dense
    bool hidden;
    bool negated; // inputs of both signs are negative here, and no row holds -inf
    bool wide;    // rows take the classes that only very wide rows make hard, not the rotation's
    bool
        twin; // has rows of the case before it, at other places and some of them twice; same sizes and layout
    // 1 + index into Op.invariant: the rows of the last case before it that has 0 here, moved (metamorphic.h)
    int relation;
    int64_t first_row; // position in the rotation of classes: row r gets class number (first_row + r)
    // A part of a case of another draw from the same seed, for explanations: what is drawn for row r is what
    // was drawn there for row skip + r. Row lengths may differ, and the values with them.
    int as_case; // the number of that case, from 1; 0: no part
    int64_t skip;
    bool usual_processors;
    const float *written; // not NULL: rows are made of these numbers (CLASS_written)
    int writtens;
};

// Cases in the order they are judged: shortest rows first. At most WIRE_CASES_MAX.
int plan_cases(Arena *a, const Op *op, Level level, uint64_t seed, const DrawFilter *filter,
               PlannedCase **out);
// More cases, small ones, for sizes that a candidate compares its own with: as row length, as number of rows
// and as both, where the plan of `d` has none; for the integers that it writes down; and rows of values that
// it writes down. *tried: how many of c->size, in order, found room.
int plan_sizes(Arena *a, const Draw *d, const DrawFilter *filter, const Coverage *c, PlannedCase **out,
               int *tried);
// For sizes that a candidate compares with and that are longer than any planned row: rows of that length. A
// candidate may refuse these (raise an error, say), but not answer wrongly.
int plan_beyond(Arena *a, const Draw *d, const DrawFilter *filter, const Coverage *c, PlannedCase **out,
                int64_t tried[COVERAGE_BEYOND_MAX], int *tries);
// Cases of these very sizes, in every dtype and both layouts where they are small; otherwise in one way of
// those in which they were found.
int plan_points(Arena *a, const Draw *d, const DrawFilter *filter, const ExplorePoints *points,
                PlannedCase **out);
// Cases for every size from *next to `last`, until the draw is full: as row length in each dtype, and up to
// EVERY_ROWS as number of short rows. *next becomes the first size without a case. It does not move if one
// size alone is too large for a CPU. Sizes are rounded into the domain. Returns 0 if the domain has no more.
enum { EVERY_ROWS = 1024, EVERY_SIZE_MOST = 65536 };
int plan_every_size(Arena *a, const Op *op, uint64_t seed, const DrawFilter *filter, int64_t *next,
                    int64_t last, PlannedCase **out);
// A base case and its metamorphic twins for each dtype, as in every plan at level full. 0: none declared.
int plan_metamorphic(Arena *a, const Op *op, uint64_t seed, PlannedCase **out);
// The case whose traffic is reported: the contiguous one of the longest ordinary row, in a half type if any.
int plan_traffic_case(const PlannedCase *c, int n, const Op *op);

// The classes that a data input of this dtype may be drawn from, in rotation order.
int plan_classes(const Op *op, DType dtype, ClassId out[CLASS_COUNT]);
// The class of every row of a case; CLASS_range where no input is drawn by class.
void plan_row_classes(const Op *op, const PlannedCase *c, int64_t rows, uint8_t *out);
bool plan_is_data(const OpInput *in);
int plan_data_inputs(const Op *op); // floating inputs of role data that have rows
// Rounds sizes into the op's domain.
void plan_fit(const Op *op, int64_t dim[OP_DIMS_MAX]);
