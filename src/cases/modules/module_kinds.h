// module_kinds.h - kinds of values for the inputs of a module. What a row looks like matters as much as its
// size (class.def): a large mean, one constant, a spike, values that overflow an exponential. Nobody says
// along which axes a module reduces, so a case chooses: lines run along some axes of one input, and each line
// has a class of its own. All other inputs of that case are ordinary wide ones.
#pragma once
#include "cases/domain/domain.h"
#include "cases/domain/lines.h"

// How far a case goes. Where the answer of one cannot be judged, the next one is drawn.
typedef enum {
    KINDS_INFINITE,     // some elements are infinite
    KINDS_NEGATIVE_INF, // and those negative
    KINDS_ALL,          // means of 1000, values from 1e-6 to 1200, lines of zeros
    KINDS_NONZERO,      // the same without zeros: what divides by a norm
    KINDS_POSITIVE,     // the same, all of them positive: what takes a logarithm
    KINDS_NEAR,         // up to 32
    KINDS_NEAR_POSITIVE,
    KINDS_NONE // ordinary wide values
} KindsReach;

// Reductions of an op whose inputs are drawn by kind: bit i of `random` for input i. The first one has no
// input by class, and its lines run along last axes. The others are in turn of each such input, along several
// sets of axes; by_class marks the input.
int module_kinds_axes(Arena *a, const Op *op, uint64_t random, const Reduction **out);
// The input that a reduction's lines are classes of; -1: none.
int module_kinds_input(const Op *op, const Reduction *of);

typedef struct {
    const Op *op;
    const Reduction *of;
    int input;
    KindsReach reach;
    uint64_t seed;
    const CaseTensor *tensor;
} KindsRequest;
// Into `map`. cls[r]: the class of line r.
void module_kinds_draw(Arena *scratch, const KindsRequest *q, uint8_t *map, uint8_t *cls);
// Over what lies in `map`: two of four places of the first axis, and two of eight of the second one, get one
// large value, whose copies are some thousandths apart or differ in their last bits. Whatever axes a module
// reduces along, the mean of squares and the square of the mean are next to each other there: a variance that
// is the difference of both is lost. False: values of that reach are smaller, and nothing was written.
bool module_kinds_flatten(Arena *scratch, const KindsRequest *q, uint8_t *map, uint8_t *cls);
// The line of an input of that shape that an element of the answer belongs to: the answer has the input's
// axes, or those that no line runs along. -1: nothing says it.
int64_t module_kinds_line(const OpInput *in, const LineAxes *axes, const Bound *answer, int64_t element);
