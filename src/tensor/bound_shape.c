// Operations that only move elements. Nothing rounds, so a pending cast stays pending; values are shared
// where the order of elements stays the same.
#include "tensor/bound_impl.h"
#include <inttypes.h>
#include <string.h>

// Copies a strided view of `a` into `out`: out[i...] = a[base + sum i * step].
static void copy_strided(const Bound *a, int64_t base, const int64_t *step, Bound *out) {
    int64_t index[TENSOR_RANK_MAX] = {0}, length = 1, inner = 1, at = base;
    if (out->numel == 0) return;
    if (out->rank > 0) {
        length = out->shape[out->rank - 1];
        inner = step[out->rank - 1];
    }
    for (int64_t to = 0; to < out->numel; to += length) {
        for (int64_t i = 0; i < length; i++) out->v[to + i] = a->v[at + i * inner];
        for (int64_t i = 0; a->e && i < length; i++) out->e[to + i] = a->e[at + i * inner];
        for (int d = out->rank - 2; d >= 0; d--) {
            at += step[d];
            if (++index[d] < out->shape[d]) break;
            at -= step[d] * out->shape[d];
            index[d] = 0;
        }
    }
}

static Bound *moved(BoundCtx *c, const Bound *a, const int64_t *shape, int rank, int64_t base,
                    const int64_t *step) {
    Bound *out = bound_new(c, a->dtype, shape, rank);
    if (!out) return NULL;
    out->pending = a->pending;
    if (c->shapes_only) return out;
    if (a->e) out->e = bound_room(c, out->numel);
    copy_strided(a, base, step, out);
    return out;
}

static void steps_of(const Bound *a, int64_t *step) {
    int64_t next = 1;
    for (int d = a->rank - 1; d >= 0; d--) {
        step[d] = next;
        next *= a->shape[d];
    }
}

// View rules of tensor.c on a dense tensor: any shape of as many elements, one size may be -1.
static Bound *shape_RESHAPE(BoundCtx *c, const BoundCall *call) {
    const Bound *a = call->in[0];
    Tensor dense = {.dtype = a->dtype, .rank = a->rank}, view = {0};
    memcpy(dense.shape, a->shape, sizeof dense.shape);
    tensor_contiguous_strides(&dense);
    if (!tensor_view(&dense, call->attr, call->attrs, &view))
        return bound_fail(c, "the shape does not fit the elements");
    return bound_alias(c, a, view.shape, view.rank);
}

static Bound *shape_TRANSPOSE(BoundCtx *c, const BoundCall *call) {
    const Bound *a = call->in[0];
    int d0, d1;
    if (call->attrs != 2) return bound_fail(c, "transpose takes two dimensions");
    if (!bound_axis(c, a, call->attr[0], &d0) || !bound_axis(c, a, call->attr[1], &d1)) return NULL;
    int64_t shape[TENSOR_RANK_MAX], step[TENSOR_RANK_MAX];
    memcpy(shape, a->shape, sizeof shape);
    steps_of(a, step);
    if (a->rank == 0 || d0 == d1) return bound_alias(c, a, shape, a->rank);
    shape[d0] = a->shape[d1], shape[d1] = a->shape[d0];
    int64_t s = step[d0];
    step[d0] = step[d1], step[d1] = s;
    return moved(c, a, shape, a->rank, 0, step);
}

static Bound *shape_EXPAND(BoundCtx *c, const BoundCall *call) {
    const Bound *a = call->in[0];
    int rank = call->attrs, missing = rank - a->rank;
    if (rank > TENSOR_RANK_MAX || missing < 0) return bound_fail(c, "expand: too few or too many sizes");
    int64_t own[TENSOR_RANK_MAX], shape[TENSOR_RANK_MAX] = {0}, step[TENSOR_RANK_MAX] = {0};
    steps_of(a, own);
    for (int d = 0; d < rank; d++) {
        int64_t have = d < missing ? 1 : a->shape[d - missing];
        shape[d] = call->attr[d] == -1 && d >= missing ? have : call->attr[d];
        step[d] = have == 1 ? 0 : own[d - missing];
        if (shape[d] != have && have != 1)
            return bound_fail(c, "expand: size %" PRId64 " cannot become %" PRId64, have, shape[d]);
    }
    return moved(c, a, shape, rank, 0, step);
}

static int64_t between(int64_t x, int64_t low, int64_t high) { return x < low ? low : x > high ? high : x; }

// Python's rule: both ends are clipped to the axis, negative ones count from its end.
static Bound *shape_SLICE(BoundCtx *c, const BoundCall *call) {
    const Bound *a = call->in[0];
    int axis;
    if (call->attrs != 4 || call->attr[3] < 1) return bound_fail(c, "a slice needs a step of at least 1");
    if (a->rank == 0) return bound_fail(c, "a slice of a tensor without dimensions");
    if (!bound_axis(c, a, call->attr[0], &axis)) return NULL;
    int64_t n = a->shape[axis], start = call->attr[1], stop = call->attr[2], stride = call->attr[3];
    start = between(start < 0 ? between(start, -n, -1) + n : start, 0, n);
    stop = between(stop < 0 ? between(stop, -n - 1, -1) + n : stop, 0, n);
    int64_t shape[TENSOR_RANK_MAX], step[TENSOR_RANK_MAX];
    memcpy(shape, a->shape, sizeof shape);
    steps_of(a, step);
    shape[axis] = stop > start ? (stop - start - 1) / stride + 1 : 0;
    int64_t base = start * step[axis];
    step[axis] = shape[axis] > 1 ? step[axis] * stride : 0; // no step is taken: the product may not overflow
    return moved(c, a, shape, a->rank, base, step);
}

static Bound *shape_SELECT(BoundCtx *c, const BoundCall *call) {
    const Bound *a = call->in[0];
    int axis;
    if (call->attrs != 2 || a->rank == 0) return bound_fail(c, "an index into a tensor without dimensions");
    if (!bound_axis(c, a, call->attr[0], &axis)) return NULL;
    int64_t n = a->shape[axis], at = call->attr[1];
    if (at < -n || at >= n)
        return bound_fail(c, "index %" PRId64 " is out of bounds for dimension %d of size %" PRId64, at, axis,
                          n);
    int64_t own[TENSOR_RANK_MAX], shape[TENSOR_RANK_MAX] = {0}, step[TENSOR_RANK_MAX] = {0};
    steps_of(a, own);
    int rank = 0;
    for (int d = 0; d < a->rank; d++) {
        if (d == axis) continue;
        shape[rank] = a->shape[d];
        step[rank++] = own[d];
    }
    return moved(c, a, shape, rank, (at < 0 ? at + n : at) * own[axis], step);
}

// --- Gather --------------------------------------------------------------------------------------

static bool gather_fits(BoundCtx *c, const Bound *a, const Bound *index, int axis) {
    if (index->dtype != DT_I64) return bound_fail(c, "gather: the index is not int64"), false;
    if (index->rank != a->rank) return bound_fail(c, "gather: index and input differ in rank"), false;
    for (int d = 0; d < a->rank; d++)
        if (d != axis && index->shape[d] > a->shape[d])
            return bound_fail(c, "gather: the index is larger than the input in dimension %d", d), false;
    return true;
}

static Bound *shape_GATHER(BoundCtx *c, const BoundCall *call) {
    const Bound *a = call->in[0], *index = call->in[1];
    int axis;
    if (call->attrs != 1) return bound_fail(c, "gather takes one dimension");
    if (!bound_axis(c, a, call->attr[0], &axis) || !gather_fits(c, a, index, axis)) return NULL;
    Bound *out = bound_new(c, a->dtype, index->shape, index->rank);
    if (!out || c->shapes_only) return out;
    if (a->e || index->e) out->e = bound_room(c, out->numel);
    out->pending = a->pending;
    int64_t step[TENSOR_RANK_MAX] = {0}, at[TENSOR_RANK_MAX] = {0}, size = a->rank ? a->shape[axis] : 1;
    steps_of(a, step);
    for (int64_t i = 0; i < out->numel; i++) {
        double k = index->v[i];
        if (!(k >= 0 && k < (double)size))
            return bound_fail(c, "gather: index %.0f is out of bounds for dimension %d of size %" PRId64, k,
                              axis, size);
        int64_t from = a->rank ? (int64_t)k * step[axis] : 0;
        for (int d = 0; d < a->rank; d++)
            if (d != axis) from += at[d] * step[d];
        out->v[i] = a->v[from];
        // An index that is not certain says nothing about the element.
        if (out->e) out->e[i] = index->e && index->e[i] > 0 ? RULE_INF : a->e ? a->e[from] : 0;
        for (int d = out->rank - 1; d >= 0; d--) {
            if (++at[d] < out->shape[d]) break;
            at[d] = 0;
        }
    }
    return out;
}

// --- Concatenation -------------------------------------------------------------------------------

// Parts whose casts are all pending in one type stay pending; otherwise each is settled.
static bool cat_parts(BoundCtx *c, const BoundCall *call, int axis, const Bound **part, DType *t,
                      int64_t *total) {
    bool pending = true;
    *total = 0;
    if (!bound_promote(c, call->in, call->inputs, t)) return false;
    for (int i = 0; i < call->inputs; i++) {
        const Bound *a = call->in[i];
        pending = pending && a->pending && a->dtype == *t;
        if (a->rank != call->in[0]->rank || a->rank == 0)
            return bound_fail(c, "cat: ranks differ or are 0"), false;
        for (int d = 0; d < a->rank; d++)
            if (d != axis && a->shape[d] != call->in[0]->shape[d])
                return bound_fail(c, "cat: sizes differ in dimension %d", d), false;
        if (__builtin_add_overflow(*total, a->shape[axis], total))
            return bound_fail(c, "cat: too large"), false;
    }
    for (int i = 0; i < call->inputs; i++) part[i] = pending ? call->in[i] : bound_settle(c, call->in[i]);
    return true;
}

static void copy_part(double *out, int64_t out_block, const double *in, int64_t block, int64_t outer) {
    for (int64_t o = 0; o < outer && block > 0; o++) {
        if (in)
            memcpy(out + o * out_block, in + o * block, (size_t)block * sizeof *out);
        else
            memset(out + o * out_block, 0, (size_t)block * sizeof *out);
    }
}

static Bound *shape_CAT(BoundCtx *c, const BoundCall *call) {
    const Bound *part[4] = {0};
    int axis;
    int64_t total = 0, shape[TENSOR_RANK_MAX], outer = 1, inner = 1, at = 0;
    DType t;
    if (call->attrs != 1) return bound_fail(c, "cat takes one dimension");
    if (!bound_axis(c, call->in[0], call->attr[0], &axis)) return NULL;
    if (!cat_parts(c, call, axis, part, &t, &total)) return NULL;
    memcpy(shape, part[0]->shape, sizeof shape);
    shape[axis] = total;
    Bound *out = bound_new(c, t, shape, part[0]->rank);
    if (!out) return NULL;
    bool any = false, all_pending = true, converts = false;
    for (int i = 0; i < call->inputs; i++) {
        any = any || part[i]->e;
        all_pending = all_pending && part[i]->pending;
        converts = converts || part[i]->dtype != t;
    }
    out->pending = all_pending;
    if (c->shapes_only) return out;
    if (any) out->e = bound_room(c, out->numel);
    for (int d = 0; d < axis; d++) outer *= shape[d];
    for (int d = axis + 1; d < out->rank; d++) inner *= shape[d];
    for (int i = 0; i < call->inputs; i++) {
        int64_t block = part[i]->shape[axis] * inner;
        copy_part(out->v + at, total * inner, part[i]->v, block, outer);
        if (any) copy_part(out->e + at, total * inner, part[i]->e, block, outer);
        at += block;
    }
    if (converts && dtype_is_float(t)) bound_round(c, out, false);
    return out;
}

#define MOVE_SOURCE(id)
#define MOVE_UNARY(id)
#define MOVE_BINARY(id)
#define MOVE_TERNARY(id)
#define MOVE_REDUCE(id)
#define MOVE_MATMUL(id)
#define MOVE_RANDOM(id)
#define MOVE_WINDOW(id)
#define MOVE_ROW(id)
#define MOVE_SHAPE(id) [BOUND_##id] = shape_##id,
Bound *bound_shape(BoundCtx *c, const BoundCall *call) {
#define BOUND(id, torch, kind, doc) MOVE_##kind(id)
    static Bound *(*const move[BOUND_COUNT])(BoundCtx *, const BoundCall *) = {
#include "tensor/bound.def"
    };
#undef BOUND
    return move[call->op](c, call);
}
