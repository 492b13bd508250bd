// case.h - what a draw consists of: cases with their inputs and right answers, calls of one object. Filled in
// by draw_make() (cases/draw.h).
#pragma once
#include "base/sealed.h"
#include "cases/values/class.h"
#include "op/op.h"
#include "sandbox/wire.h"
#include "tensor/bound.h"

typedef enum { LEVEL_QUICK, LEVEL_FULL, LEVEL_COUNT } Level;
enum { TWIN_SLICES_MAX = 8 };
typedef struct Domain Domain;           // domain.h
typedef struct PlannedCase PlannedCase; // plan.h

// What the parent knows about a case and the child does not.
typedef struct {
    DType dtype; // of the floating inputs
    int64_t dim[OP_DIMS_MAX];
    // Bit i: input i has gaps between what its last axis holds, or its base is not where its storage begins;
    // in a contiguous domain the latter alone.
    uint64_t strided;
    bool hidden;         // feedback does not tell its size
    int over;            // the reduction whose lines have classes
    uint8_t *line_class; // of each line that has a class of its own
    int64_t lines, slices;
    int64_t first_slice; // of a part of a tensor's slices (production.c): the number of its first one
    // Of a twin: slice s is slice twin_slice[s] of the case before it. `alike`: so is the right output, bit
    // for bit, in all twins of the draw. Slices of both are marked with their number.
    bool twin, twinned;
    uint8_t alike; // bit k: of output k
    uint8_t twin_slice[TWIN_SLICES_MAX];
    // Of a case that is another one moved, as Op.invariant[moved - 1] says: case `base`, its slice s (or all
    // of an input without slices) by moved_by[s]. 0: none.
    int relation, base;
    double *moved_by;
    const Bound *expected; // values and bounds; dtype and shape of the right answer: of the first output,
                           // the others follow by Bound.also
    const struct Rounded *rounded; // of them (compare.h), after draw_share(); else NULL
} CaseTruth;

// An element of an input that some elements of the right answer depend on: with another value there, nothing
// would be right for both. What does not come from it, directly or through other tensors, is right by luck.
typedef struct {
    int case_index, input;
    int64_t element;        // row-major
    int bit;                // its mark
    const uint8_t *depends; // for each element of the answer, one output behind the other
} Dependence;
enum { DEPENDENCES_MAX = 16 };

// What the parent knows about a call on an object that has been called before (calls.h).
typedef struct {
    const Bound *expected;
    int64_t dim[OP_DIMS_MAX];
    DType dtype;      // of the floating inputs
    uint64_t strided; // as a case's
    bool moved;       // its values are those of the case, elsewhere
    int change;       // not 0: which other values of the same shape it has (calls.c)
    int64_t slice;    // where it has others in one slice: which; -1: any
    int behind;       // 1 + the call before it that may have left something under its keys; 0: none
} CallTruth;

typedef struct DrawRequest DrawRequest; // draw.h
typedef struct {
    const Domain *domain;
    const Op *op; // the domain's
    Level level;
    uint64_t seed; // that its cases came from: the one asked for, or one that follows from it
    int cases;
    const CaseSpec *spec; // as in the mapping, with inputs of their own
    CaseTruth *truth;
    const CallSpec *call;
    CallTruth *called;
    int calls;
    const DrawRequest *left; // not NULL: the calls are left out, and this makes the same draw with them
    Sealed memory;           // of the inputs
    int fd;                  // its descriptor
    uint64_t key;            // ForkJob.draw_key: of these very inputs; 0: judged too seldom to have one
    const uint8_t *mapping;  // read-only here too
    size_t bytes, output_bytes;
    Arena *kept; // expected values, one arena for each worker that made them
    int kepts;
    int64_t input_elements;
    Dependence dependence[DEPENDENCES_MAX];
    int dependences;
    int traffic_case; // whose counters a verdict reports
    double seconds_inputs, seconds_oracle;
} Draw;

// An input of a case as a view of the mapping's bytes; *storage, which it points to, is filled in.
Tensor draw_input(const uint8_t *mapping, const CaseTensor *t, Storage *storage);

// Restrict a draw to one shape or dtype (0 / -1: all). For `mint --shape`, `--dtype` and the stream's fields.
typedef struct {
    int64_t m, n;    // number of slices, length of their lines
    int dtype;       // DType or -1
    int64_t longest; // of lines, where a candidate refuses others; 0: all
} DrawFilter;

// The reference on a case of a mapping, as many outputs as the op has; `other`, if not NULL, stands for the
// bytes of one input. NULL with a finding. The result lives in the arena.
typedef struct {
    int input;
    const uint8_t *data;
} OtherBytes;
const Bound *draw_reference(Arena *a, const Op *op, const uint8_t *mapping, const CaseSpec *spec,
                            const OtherBytes *other, DiagList *diags);
// Elements of all outputs together.
static inline int64_t answer_numel(const Bound *b) {
    int64_t n = 0;
    for (; b; b = b->also) n += b->numel;
    return n;
}
