// bound_impl.h - what the files of the oracle share; nobody else includes it.
// Operands arrive settled (bound_settle) unless the operation carries a pending cast through; the caller
// records how a result was made.
#pragma once
#include "tensor/bound_simd.h"

typedef struct {
    BoundOp op;
    const Bound *in[4];
    int inputs;
    const int64_t *attr;
    int attrs;
    double scalar;
} BoundCall;

Bound *bound_elementwise(BoundCtx *c, const BoundCall *call); // UNARY, BINARY, TERNARY
Bound *bound_reduce(BoundCtx *c, const BoundCall *call);      // REDUCE, ROW
Bound *bound_matmul(BoundCtx *c, const BoundCall *call);      // MATMUL
Bound *bound_window(BoundCtx *c, const BoundCall *call);      // WINDOW
Bound *bound_shape(BoundCtx *c, const BoundCall *call);       // SHAPE
Bound *bound_random(BoundCtx *c, const BoundCall *call);      // RANDOM

// Always NULL: records why the evaluation cannot go on.
Bound *bound_fail(BoundCtx *c, const char *fmt, ...) PRINTF(2, 3);
bool bound_charge(BoundCtx *c, int64_t elements); // takes from elements_left
// A result of that shape, its elements charged, with room for v and none for e. NULL on a limit.
Bound *bound_new(BoundCtx *c, DType t, const int64_t *shape, int rank);
// The same values under another shape of as many elements; shares v and e. Not charged.
Bound *bound_alias(BoundCtx *c, const Bound *b, const int64_t *shape, int rank);
double *bound_room(BoundCtx *c, int64_t n); // not zeroed
// The e of an operand of a product as a matrix unit may read it; NULL: all zero.
double *bound_as_read(BoundCtx *c, const Bound *x);
// Charges the rounding of every element to b's nominal type, if that is narrower than float32.
void bound_round(BoundCtx *c, Bound *b, bool only_exact);
// The dtype of an operation on these operands by torch's three tiers: tensors, zero-dimensional ones,
// scalars.
bool bound_promote(BoundCtx *c, const Bound *const *in, int inputs, DType *out);
static inline bool dtype_is_half(DType t) { return t == DT_F16 || t == DT_BF16; }
// An axis in -rank..rank-1; a zero-dimensional tensor has one axis, like in torch.
bool bound_axis(BoundCtx *c, const Bound *b, int64_t axis, int *out);
