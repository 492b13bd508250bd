// run_kernel.h - runs a kernel file in the VM on small random inputs and holds every element against the
// reference's own bound: much less than the referee does, but with nothing between the kernel and the test.
#pragma once
#include "host/host.h"
#include "smith_test.h"
#include <math.h>

enum { STEPS = 1 << 28 };

typedef struct {
    Tensor t[OP_INPUTS_MAX];
    const Bound *b[OP_INPUTS_MAX];
} Inputs;

static inline double draw(const OpInput *in, int64_t indices, bool first_of_row, Rng *r) {
    if (in->range_dim >= 0) return (double)rng_below(r, (uint64_t)indices);
    if (in->ranged && !in->any_float && !dtype_is_float(in->dtype))
        return (double)rng_between(r, (int64_t)in->range_lo, (int64_t)in->range_hi);
    if (in->ranged) return in->range_lo + rng_unit(r) * (in->range_hi - in->range_lo);
    if (in->neg_inf && in->keep < 0 && !first_of_row && rng_below(r, 8) == 0) return -INFINITY;
    return rng_normal(r) * in->scale_hi / 4;
}

// Rows lie further apart than they are long, by a different gap for each argument, and start at an odd
// offset.
static inline void make_input(Arena *a, StorageTable *table, BoundCtx *c, const Op *op, int k,
                              const int64_t *dims, DType t, bool strided, double scale, Rng *r, Inputs *out) {
    const OpInput *in = &op->input[k];
    Tensor x = {.dtype = in->any_float ? t : in->dtype, .rank = in->rank};
    for (int d = 0; d < in->rank; d++) x.shape[d] = in->dim[d] >= 0 ? dims[in->dim[d]] : in->size[d];
    tensor_contiguous_strides(&x);
    if (strided && in->rank == 2) x.stride[0] += 3 + 2 * k;
    x.offset = strided ? 1 + k : 0;
    int64_t rows = in->rank == 2 ? x.shape[0] : 1, cols = in->rank ? x.shape[in->rank - 1] : 1;
    int64_t step = in->rank == 2 ? x.stride[0] : 0, size = dtype_bytes(x.dtype),
            total = x.offset + rows * (step ? step : cols) + cols + 8;
    uint8_t *data = NEWN(a, uint8_t, (size_t)(total * size));
    for (int64_t i = 0; i < rows; i++)
        for (int64_t j = 0; j < cols; j++)
            dtype_store(x.dtype, data + (x.offset + i * step + j) * size,
                        (in->ranged || in->range_dim >= 0 || in->role != ROLE_DATA ? 1 : scale) *
                            draw(in, in->range_dim >= 0 ? dims[in->range_dim] : 1, j == 0, r));
    assert_true(storage_wrap(table, x.dtype, data, (size_t)(total * size), &x.storage));
    tensor_expose(&x, SHADOW_ALLOC | SHADOW_INIT);
    out->t[k] = x;
    out->b[k] = bound_input(c, &x, k);
    assert_non_null(out->b[k]);
}

// error-bound.md section 1: rnd(v - b) <= o <= rnd(v + b); an infinity or NaN only where the reference has
// it.
static inline bool acceptable(DType t, double o, double v, double e) {
    if (v != v) return o != o;
    if (e == INFINITY) return true;
    double b = BOUND_KAPPA * BOUND_U * e;
    if (o != o) return false;
    return o >= dtype_round(t, v - b) && o <= dtype_round(t, v + b);
}

static int64_t judged, elements; // how many could be judged, and were compared

// NULL when every element is right, else what is wrong.
static inline const char *compare(Arena *a, const Tensor *got, const Bound *want) {
    if (got->rank != want->rank || got->dtype != want->dtype) return "wrong rank or type";
    for (int d = 0; d < want->rank; d++)
        if (got->shape[d] != want->shape[d]) return "wrong shape";
    int64_t index[TENSOR_RANK_MAX] = {0};
    for (int64_t i = 0; i < want->numel; i++) {
        int64_t at = tensor_at(got, index) * dtype_bytes(got->dtype);
        for (int b = 0; b < dtype_bytes(got->dtype); b++)
            if (!(got->storage->shadow[at + b] & SHADOW_STORED))
                return arena_printf(a, "element %lld was not stored", (long long)i);
        double out = dtype_load(got->dtype, got->storage->data + at);
        double e = want->e ? want->e[i] : 0;
        if (!acceptable(got->dtype, out, want->v[i], e))
            return arena_printf(a, "element %lld is %.9g, not %.9g +- %.3g", (long long)i, out, want->v[i],
                                BOUND_KAPPA * BOUND_U * e);
        elements++;
        judged += e != INFINITY;
        for (int d = want->rank - 1; d >= 0; d--) {
            if (++index[d] < want->shape[d]) break;
            index[d] = 0;
        }
    }
    return NULL;
}

typedef struct {
    int64_t m, n;
    DType dtype;
    bool strided;
    double scale; // of data without a range
} Shape;

// NULL when the kernel computes what the op's reference says, else what is wrong.
static inline const char *run_one(Arena *a, const Op *op, const Node *module, Str source, Shape s,
                                  uint64_t seed) {
    DiagList d = DIAGS(a);
    Machine *m = NEW(a, Machine);
    machine_init(m, a, &d, STEPS);
    m->order.seed = seed;
    BoundCtx c = {.arena = a, .elements_left = 1 << 24};
    Rng r = rng_at(seed, 1);
    Inputs in = {0};
    int64_t dims[OP_DIMS_MAX] = {0};
    if (op->rows_dim >= 0) dims[op->rows_dim] = s.m;
    dims[op->row_dim] = s.n;
    op_sizes_fit(op, dims);
    for (int k = 0; k < op->inputs; k++)
        make_input(a, &m->storages, &c, op, k, dims, s.dtype, s.strided, s.scale, &r, &in);
    const Bound *want = host_reference(&c, op->module, in.b, op->inputs, 1 << 20, &d);
    if (!want) return diag_first(&d)->msg;
    Tensor out;
    if (host_run(m, code_cache_new(a), module, in.t, op->inputs, &out)) return compare(a, &out, want);
    Buf b = BUF(a);
    diag_render(&b, "kernel", source, diag_first(&d));
    return buf_cstr(&b);
}
