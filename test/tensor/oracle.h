// oracle.h - shorthand for the tests of the oracle: one context, tensors from arrays, operations as
// expressions. Included by one test program each, after cmocka.h.
#pragma once
#include "base/numeric/rng.h"
#include "tensor/bound.h"
#include <math.h>
#include <stdlib.h>

#define KU (BOUND_KAPPA * BOUND_U)
static __attribute__((unused)) const double infinity = (double)INFINITY;

// An error of any size, from u to about four times what it belongs to.
static __attribute__((unused)) double spread(Rng *r) {
    return ldexp(1, (int)rng_between(r, 0, 26)) * rng_unit(r);
}

static Arena arena;
static StorageTable storages;
static BoundCtx ctx;

static __attribute__((unused)) int oracle_setup(void **state) {
    (void)state;
    storages = (StorageTable){.arena = &arena};
    ctx = (BoundCtx){.arena = &arena, .elements_left = (int64_t)1 << 40};
    return 0;
}
static __attribute__((unused)) int oracle_teardown(void **state) {
    (void)state;
    arena_free(&arena);
    return 0;
}

// A dense input of float64 values, rounded to t. Its storage table is forgotten at once: the bytes stay.
static __attribute__((unused)) const Bound *input(DType t, int rank, const int64_t *shape, const double *v) {
    Tensor x = {.dtype = t, .rank = rank};
    if (rank) memcpy(x.shape, shape, (size_t)rank * sizeof *shape);
    tensor_contiguous_strides(&x);
    size_t n = (size_t)tensor_numel(&x), size = n * (size_t)dtype_bytes(t);
    void *raw = arena_alloc(&arena, size + 1, 1, 8);
    dtype_store_row(t, raw, 1, v, n);
    storages.count = 0;
    if (!storage_wrap(&storages, t, raw, size, &x.storage)) abort();
    const Bound *b = bound_input(&ctx, &x, 0);
    if (!b) abort();
    return b;
}
#define INPUT(t, v, ...) \
    input((t), (int)(sizeof((int64_t[]){__VA_ARGS__}) / sizeof(int64_t)), (int64_t[]){__VA_ARGS__}, (v))

static __attribute__((unused)) const Bound *lit(double x) { return bound_literal(&ctx, x, true); }
static __attribute__((unused)) const Bound *whole(int64_t x) { return bound_literal(&ctx, (double)x, false); }

typedef struct {
    int n;
    int64_t at[10];
} Attrs;
#define ATTRS(...) ((Attrs){(int)(sizeof((int64_t[]){__VA_ARGS__}) / sizeof(int64_t)), {__VA_ARGS__}})
static const Attrs no_attrs;

static __attribute__((unused)) const Bound *try_op(BoundOp op, Attrs a, double scalar, int n,
                                                   const Bound *const *in) {
    ctx.why = NULL;
    return bound_apply(&ctx, op, in, n, a.at, a.n, scalar);
}
static __attribute__((unused)) const Bound *must(const Bound *b) {
    if (!b) fail_msg("%s", ctx.why);
    return b;
}
#define OPERANDS(...) \
    (int)(sizeof((const Bound *[]){__VA_ARGS__}) / sizeof(Bound *)), (const Bound *[]) { __VA_ARGS__ }
#define OP(id, ...)             must(try_op(BOUND_##id, no_attrs, 0, OPERANDS(__VA_ARGS__)))
#define OPA(id, attrs, ...)     must(try_op(BOUND_##id, (attrs), 0, OPERANDS(__VA_ARGS__)))
#define OPS(id, scalar, ...)    must(try_op(BOUND_##id, no_attrs, (scalar), OPERANDS(__VA_ARGS__)))
#define TO(t, x)                OPA(CAST, ATTRS(t), (x))
#define REFUSED(id, attrs, ...) assert_null(try_op(BOUND_##id, (attrs), 0, OPERANDS(__VA_ARGS__)))

static __attribute__((unused)) double err_at(const Bound *b, int64_t i) { return b->e ? b->e[i] : 0; }
static __attribute__((unused)) double low_at(const Bound *b, int64_t i) {
    return b->v[i] - KU * err_at(b, i);
}
static __attribute__((unused)) double high_at(const Bound *b, int64_t i) {
    return b->v[i] + KU * err_at(b, i);
}
