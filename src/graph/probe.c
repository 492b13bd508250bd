// Evaluating a reference on a few tiny inputs of different shapes and types, for its traces.
#include "graph/graph_build.h"
#include "host/host.h"

#include <math.h>

enum { EVALUATION_STEPS = 1 << 20, EVALUATION_ELEMENTS = 1 << 22 };

// Sizes of one dimension: multiples of what the definition asks for, `wish` or more where it allows.
static void probe_sizes(const OpDim *d, int64_t wish, const int64_t more[PROBES], int64_t out[PROBES]) {
    int64_t unit = d->multiple_of > 0 ? d->multiple_of : 1;
    int64_t low = (d->min + unit - 1) / unit, high = d->max / unit, k = (wish + unit - 1) / unit;
    if (low < 1) low = 1;
    if (high < low) high = low;
    if (k < low) k = low;
    if (k > high - more[2]) k = low;
    for (int i = 0; i < PROBES; i++) out[i] = unit * (k + more[i] % (high - k + 1));
}

static double probe_value(const OpInput *in, int64_t i, int64_t indices) {
    double part = (double)(1 + i * 7 % 11) / 16;
    if (in->range_dim >= 0) return (double)(i % indices);
    if (!in->ranged) return part;
    double x = in->range_lo + part * (in->range_hi - in->range_lo);
    return dtype_is_float(in->dtype) || in->any_float ? x : floor(x);
}

static Bound *probe_input(BoundCtx *c, const Op *op, int index, const int64_t *dims, DType t) {
    const OpInput *in = &op->input[index];
    Tensor x = {.dtype = in->any_float ? t : in->dtype, .rank = in->rank};
    int64_t n = 0;
    for (int d = 0; d < in->rank; d++) x.shape[d] = in->dim[d] >= 0 ? dims[in->dim[d]] : in->size[d];
    if (!shape_numel(x.shape, x.rank, &n) || n > c->elements_left) return NULL;
    tensor_contiguous_strides(&x);
    Storage *s = NEW(c->arena, Storage);
    *s = (Storage){.bytes = (size_t)(n * dtype_bytes(x.dtype)), .dtype = x.dtype, .read_only = true, .id = 1};
    s->data = NEWN(c->arena, uint8_t, s->bytes + 1);
    x.storage = s;
    int64_t indices = in->range_dim >= 0 ? dims[in->range_dim] : 1;
    for (int64_t i = 0; i < n; i++)
        dtype_store(x.dtype, s->data + i * dtype_bytes(x.dtype), probe_value(in, i, indices));
    return bound_input(c, &x, index);
}

static const Bound *probe(Arena *a, const Op *op, const Probes *p, int i, Err *e) {
    DType t = p->dtype[i];
    BoundCtx c = {.arena = a, .elements_left = EVALUATION_ELEMENTS};
    DiagList diags = DIAGS(a);
    const Bound *in[OP_INPUTS_MAX];
    int64_t dims[OP_DIMS_MAX] = {0};
    if (op->rows_dim >= 0) dims[op->rows_dim] = p->rows[i];
    dims[op->row_dim] = p->cols[i];
    op_sizes_fit(op, dims);
    for (int k = 0; k < op->inputs; k++) {
        in[k] = probe_input(&c, op, k, dims, t);
        if (!in[k]) {
            err_record(e, ERR_INPUT, "the smallest inputs of the op are too large to look at");
            return NULL;
        }
    }
    const Bound *r = host_reference(&c, op->module, in, op->inputs, EVALUATION_STEPS, &diags);
    const Diag *first = diag_first(&diags);
    if (!r)
        err_record(e, ERR_INPUT, "the reference fails on a %lld x %lld input (line %d): %s",
                   (long long)p->rows[i], (long long)p->cols[i],
                   first ? line_col(op->source, first->span.at).line : 0,
                   first   ? first->msg
                   : c.why ? c.why
                           : "no reason");
    return r;
}

bool graph_trace(Arena *a, const Op *op, Graph *out, Err *e) {
    static const int64_t more_rows[PROBES] = {0, 3, 1, 4}, more_cols[PROBES] = {0, 5, 10, 3};
    static const int64_t few_rows[PROBES] = {0, 2, 1, 3}, few_cols[PROBES] = {0, 1, 3, 2};
    Probes p = {.dtype = {DT_F32, DT_F16, DT_BF16, DT_F32}};
    if (!op_returns_one(op))
        return err_set(
            e, ERR_INPUT,
            "the grammar smith writes kernels that return one tensor; %.*s has %s: use a model or a "
            "program as smith",
            STR_ARG(op->name), op->outputs > 1 ? "several outputs" : "an input changed in place");
    if (!graph_dims_fit(op, e)) return false;
    const OpDim *cols = &op->dim[op->row_dim];
    bool wide = cols->multiple_of > 64 || cols->min > 4096;
    probe_sizes(cols, 20, wide ? few_cols : more_cols, p.cols);
    if (op->rows_dim >= 0) {
        probe_sizes(&op->dim[op->rows_dim], 3, wide ? few_rows : more_rows, p.rows);
        if (p.rows[0] == p.rows[1])
            return err_set(e, ERR_INPUT, "the grammar smith needs a free number of rows");
    }
    Arena scratch = {0};
    const Bound *result[PROBES];
    bool ok = true;
    for (int i = 0; i < PROBES && ok; i++) {
        result[i] = probe(&scratch, op, &p, i, e);
        ok = result[i] != NULL;
    }
    ok = ok && graph_read(a, op, &p, result, out, e);
    arena_free(&scratch);
    return ok;
}
