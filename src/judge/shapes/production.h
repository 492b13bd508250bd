// production.h - whether a kernel is right on shapes as large as those that it will be used on. An accepted
// candidate at level full also gets the op's usual shape, many rows (70,000 and more, and more than 2^24
// elements) and wide rows (more than 131,072 columns). Every program runs, with all checks; rows are copies
// of a drawn block (repeated.h), and every one of them is compared. Of 70,000 rows of 8,193 columns nobody
// could run all: there a few programs of each launch run on memory that is not there (large_tensors.h), and
// what counts is what follows from sizes: addresses, the grid, types.
//
// A finding or a wrong value is a rejection (rule "production" where no other rule says what is wrong). A
// candidate that raises an error of its own narrows its domain: that is told, and no rejection. So is a shape
// that takes more than the budget; a candidate for which none could be judged is `unsupported`.
#pragma once
#include "base/numeric/rng.h"
#include "judge/shapes/asked_ahead.h"
#include "judge/verdict/verdict.h"

// The shapes of a draw, made when the first candidate needs them, for all of its candidates.
typedef struct ProductionShapes ProductionShapes;
ProductionShapes *production_open(void);
void production_close(ProductionShapes *s);

typedef struct {
    ForkServers *fork_servers;
    ProductionShapes *shapes;
    Arena *a; // texts of the verdict
    const Draw *draw;
    Str source;
    Extras extras;
} ProductionRequest;
// One shape of an accepted candidate's. What it says of lines that were reached counts where all programs
// have run. False where the machine, or the reference, has an end before: nothing was judged.
typedef struct {
    int64_t dim[OP_DIMS_MAX];
    int64_t slices, length; // where not 0, instead of `dim`: a domain without such sizes has nothing to judge
    int64_t extremes;       // PlannedCase.extremes
    DType dtype;
    uint64_t seed;
    bool windows; // a few programs of each launch
    bool noted;   // what came of it is told in v->evidence.production
} LargeShapeAsked;
MUST_CHECK bool production_one(const ProductionRequest *q, const LargeShapeAsked *asked, Verdict *v, Err *e);

// A prime, of `least` or more: no block of a kernel divides it, and no period of its own fits.
int64_t production_prime(Rng *r, int64_t least, int64_t most);

// The shapes of every candidate, to be asked ahead.
typedef struct {
    int number[PRODUCTION_SHAPES_MAX];
} ProductionAhead;
void production_ahead(const ProductionRequest *q, Ahead *w, ProductionAhead *out);
// Of an accepted candidate: fills in v->evidence.production, or changes the verdict. A shape for which the
// system has no memory, or the reference no end, is not known.
void production_judge(const ProductionRequest *q, const Ahead *w, const ProductionAhead *asked, Verdict *v);
