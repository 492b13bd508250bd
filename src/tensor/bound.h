// bound.h - the oracle's tensors: each element is a float64 value v and e, a first-order bound on what an
// honest float32 implementation may be off by: its value lies in [v - kappa*u*e, v + kappa*u*e], u = 2^-24,
// kappa = 2. Rules, constants and their calibration: doc/error-bound.md (propagation rules section 2, growth
// factor section 3). e = +inf means "cannot be judged"; with |v| > FLT_MAX it means that float32 has
// overflowed with v's sign, which functions with limits turn finite again. Tensors are dense, row-major and
// immutable; views copy or share.
//
// The formulas stand beside their functions: bound_rules.h (elementwise), bound_reduce.c and bound_simd.c
// (rows).
//
// dtype is the *nominal* type, what torch would hold. Arithmetic in a nominal half type adds half an ulp of
// that type (doc/error-bound.md section 6); `.float()` is exact; `.to(half)` is a permitted rounding: it only
// marks the tensor `pending`, and the widening of e is added when another operation uses it. A final cast
// therefore costs nothing: the comparison rounds once.
//
// With BoundCtx.rounds, rounding is no permission but what happens, as in eager PyTorch: every result of a
// half type is pending, and what uses it has the rounded values. An element whose interval rounds to one
// value is that value, exactly; only near a tie are both neighbours honest.
//
// Every result remembers how it was made (op, operands, attributes): the proposer reads this trace as a
// graph.
#pragma once
#include "tensor/tensor.h"

#define BOUND_U     0x1p-24
#define BOUND_KAPPA 2.0
double bound_growth(int64_t n); // G(N) = min(N-1, ceil(log2 N) + max(min(N,16), ceil(N/256)))

typedef enum {
#define BOUND(id, torch, kind, doc) BOUND_##id,
#include "tensor/bound.def"
#undef BOUND
    BOUND_COUNT
} BoundOp;
const char *bound_name(BoundOp op);

typedef struct Bound Bound;
struct Bound {
    DType dtype;
    bool pending; // the last operation was a cast to dtype whose rounding is not yet charged
    bool weak;    // a Python scalar that became a tensor: does not promote
    int rank;
    int64_t shape[TENSOR_RANK_MAX];
    int64_t numel;
    double *v; // NULL with BoundCtx.shapes_only, but for literals
    double *e; // NULL: all zero
    // How it was made.
    BoundOp op;
    const Bound *in[4];
    int inputs;
    int64_t attr[TENSOR_RANK_MAX * 2]; // axes, sizes, offsets: see bound.def
    double scalar;                     // LITERAL, FULL and the parameter of clamp
    int input_index;                   // INPUT: which argument of the reference
    const Bound *also; // of what host_reference() gives: the next output; NULL: there is no other
};

// Failures are what torch would raise, or a limit: false with *why set (arena text).
typedef struct {
    Arena *arena;
    const char *why;
    int64_t elements_left; // work limit over all operations of one evaluation
    bool allow_tf32;       // matrix products may read float32 operands with 10 mantissa bits
    bool any_order;        // sums may be made one by one: G(N) = N
    bool rounds;           // results of half types are rounded where they arise
    bool shapes_only;      // nothing is computed: results have a shape and a type, and no values
    int64_t flops;         // of matrix products and convolutions so far
    Str function;          // of a definition, the one that is evaluated; empty: "reference"
} BoundCtx;

// An input: values exactly as stored; subnormals of fp32/bf16/fp64 start with e = |x|/u (may be read as 0).
Bound *bound_input(BoundCtx *c, const Tensor *t, int index);
Bound *bound_literal(BoundCtx *c, double x, bool is_float);

// One entry for all operations: arity and attributes as bound.def documents. NULL with c->why on error.
Bound *bound_apply(BoundCtx *c, BoundOp op, const Bound *const *in, int inputs, const int64_t *attr,
                   int attrs, double scalar);
// e widened by a pending cast: what the comparison must not do, and every other user must.
const Bound *bound_settle(BoundCtx *c, const Bound *b);
