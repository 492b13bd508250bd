// What the text that stands for @pointwise_dynamic calls (host/normalize/pointwise.c): torch's types of
// results, shapes that several tensors have together, and how far apart neighbours lie. No file can write
// their names.
#include "host/python/api.h"

enum { STEPS = 4 }; // dimensions of the kernel's indices

// ---- types, as torch._prims_common.elementwise_dtypes gives them

typedef enum { KIND_BOOL, KIND_INT, KIND_FLOAT } NumberKind;

static NumberKind kind_of_dtype(DType t) {
    return t == DT_BOOL ? KIND_BOOL : dtype_is_float(t) ? KIND_FLOAT : KIND_INT;
}

static bool kind_of(Call *c, Value v, NumberKind *out) {
    switch (v.kind) {
    case V_TENSOR: return *out = kind_of_dtype(v.tensor->t.dtype), true;
    case V_BOOL: return *out = KIND_BOOL, true;
    case V_INT: return *out = KIND_INT, true;
    case V_FLOAT: return *out = KIND_FLOAT, true;
    default:
        return host_raise(c->in, c->at,
                          "ValueError: Unexpected type %s when computing elementwise type promotion!",
                          value_type(v));
    }
}

// Types of one line are as high as each other: together they are the first one of the next line.
static const DType order[][2] = {{DT_BOOL, DT_BOOL}, {DT_U8, DT_I8},    {DT_I16, DT_I16}, {DT_I32, DT_I32},
                                 {DT_I64, DT_I64},   {DT_F16, DT_BF16}, {DT_F32, DT_F32}, {DT_F64, DT_F64}};
static bool higher(Call *c, int *have, DType b) {
    if (*have < 0 || *have == (int)b) return *have = (int)b, true;
    DType a = (DType)*have;
    for (size_t i = 0; i < sizeof order / sizeof *order; i++) {
        bool has_a = order[i][0] == a || order[i][1] == a, has_b = order[i][0] == b || order[i][1] == b;
        if (!has_a && !has_b) continue;
        *have = has_a && has_b ? (int)order[i + 1][0] : has_a ? (int)b : (int)a;
        return true;
    }
    return host_raise(c->in, c->at,
                      "RuntimeError: Unexpected dtypes when computing elementwise type promotion!");
}

// Of the tensors of that kind the highest; those without dimensions count where there is no other one.
static bool highest(Call *c, const Value *arg, int n, NumberKind kind, DType standard, DType *out) {
    int some = -1, none = -1;
    for (int i = 0; i < n; i++) {
        if (arg[i].kind != V_TENSOR || kind_of_dtype(arg[i].tensor->t.dtype) != kind) continue;
        if (!higher(c, arg[i].tensor->t.rank ? &some : &none, arg[i].tensor->t.dtype)) return false;
    }
    return *out = some >= 0 ? (DType)some : none >= 0 ? (DType)none : standard, true;
}

bool api_pointwise_type(Call *c, Value *out) {
    Str method = c->arg[0].s;
    NumberKind top = KIND_BOOL, kind = KIND_BOOL;
    DType t = DT_BOOL;
    int n = 0;
    Value *arg = HOST_NEW(c->in, c->at, Value, c->rests + 1);
    if (!arg) return false;
    for (int i = 0; i < c->rests; i++)
        if (c->rest[i].kind != V_NONE) arg[n++] = c->rest[i];
    for (int i = 0; i < n; i++) {
        if (!kind_of(c, arg[i], &kind)) return false;
        if (kind > top) top = kind;
    }
    if (top == KIND_FLOAT && !highest(c, arg, n, KIND_FLOAT, DT_F32, &t)) return false;
    if (top == KIND_INT && !highest(c, arg, n, KIND_INT, DT_I64, &t)) return false;
    if (str_is(method, "INT_TO_FLOAT") && !dtype_is_float(t)) t = DT_F32;
    if (str_is(method, "BOOL_TO_LONG") && t == DT_BOOL) t = DT_I64;
    if (str_is(method, "ALWAYS_BOOL")) t = DT_BOOL;
    return *out = value_dtype(t, false), true;
}

bool api_promote_types(Call *c, Value *out) {
    if (c->arg[0].kind != V_DTYPE || c->arg[1].kind != V_DTYPE)
        return host_raise(c->in, c->at, "TypeError: promote_types() wants two dtypes, not %s and %s",
                          value_type(c->arg[0]), value_type(c->arg[1]));
    int have = (int)c->arg[0].dtype.t;
    if (!higher(c, &have, c->arg[1].dtype.t)) return false;
    return *out = value_dtype((DType)have, false), true;
}

// ---- shapes

// Each argument is a tensor where one is asked for, and nothing else is.
bool api_pointwise_check(Call *c, Value *out) {
    const Seq *arg = c->arg[0].seq, *tensor = c->arg[1].seq;
    *out = NONE_VALUE;
    for (int i = 0; i < arg->n; i++)
        if ((arg->at[i].kind == V_TENSOR) != tensor->at[i].b)
            return host_raise(c->in, c->at,
                              "ValueError: Error: Element at index %d is incorrect. Expected %s, but got %s.",
                              i, tensor->at[i].b ? "True" : "False", tensor->at[i].b ? "False" : "True");
    return true;
}

static bool same_shape(const Tensor *t, const int64_t *shape, int rank) {
    return t->rank == rank && (rank == 0 || memcmp(t->shape, shape, sizeof *shape * (size_t)rank) == 0);
}

// The shape of both, as far as it has come; sizes are counted from the end.
static bool broadcast(Call *c, const Tensor *t, int64_t *shape, int *rank) {
    int more = t->rank - *rank;
    if (more > 0) {
        memmove(shape + more, shape, sizeof *shape * (size_t)*rank);
        memcpy(shape, t->shape, sizeof *shape * (size_t)more);
        *rank = t->rank;
    }
    for (int i = 0, at = *rank - t->rank; i < t->rank; i++, at++) {
        if (shape[at] == 1)
            shape[at] = t->shape[i];
        else if (t->shape[i] != 1 && t->shape[i] != shape[at])
            return host_raise(c->in, c->at,
                              "ValueError: Unbroadcastable shapes: %lld and %lld in dimension %d",
                              (long long)shape[at], (long long)t->shape[i], at);
    }
    return true;
}

bool api_broadcast_shapes(Call *c, Value *out) {
    int64_t shape[TENSOR_RANK_MAX];
    int rank = 0;
    for (int i = 0; i < c->rests; i++) {
        const Value *v = &c->rest[i];
        if (!value_is_seq(*v) || v->seq->n > TENSOR_RANK_MAX)
            return host_raise(c->in, c->at, "TypeError: broadcast_shapes() wants shapes, not %s",
                              value_type(*v));
        Tensor t = {.rank = v->seq->n};
        for (int k = 0; k < t.rank; k++) {
            if (v->seq->at[k].kind != V_INT)
                return host_raise(c->in, c->at, "TypeError: a shape holds integers, not %s",
                                  value_type(v->seq->at[k]));
            t.shape[k] = v->seq->at[k].i;
        }
        if (!broadcast(c, &t, shape, &rank)) return false;
    }
    if (!seq_new(c->in, c->at, V_TUPLE, rank, out)) return false;
    for (int k = 0; k < rank; k++) out->seq->at[k] = value_int(shape[k]);
    out->seq->flavour = SEQ_SIZE;
    return true;
}

static bool overlaps_itself(const Tensor *t) {
    for (int i = 0; i < t->rank; i++)
        if (t->shape[i] > 1 && t->stride[i] == 0) return true;
    return false;
}

// (shape, the first tensor that has it or None), of inputs and of those outputs that are given.
bool api_pointwise_task(Call *c, Value *out) {
    const Seq *in = c->arg[0].seq, *given = c->arg[1].seq;
    int64_t shape[TENSOR_RANK_MAX];
    int rank = 0;
    Value size, like = NONE_VALUE;
    for (int i = 0; i < in->n; i++)
        if (!broadcast(c, &in->at[i].tensor->t, shape, &rank)) return false;
    for (int i = 0; i < given->n; i++) {
        if (given->at[i].kind == V_NONE) continue;
        if (given->at[i].kind != V_TENSOR)
            return host_raise(c->in, c->at, "TypeError: out%d must be a Tensor, not %s", i,
                              value_type(given->at[i]));
        const Tensor *t = &given->at[i].tensor->t;
        if (!same_shape(t, shape, rank))
            return host_raise(c->in, c->at, "RuntimeError: out tensor at index %d shape is invalid", i);
        if (overlaps_itself(t))
            return host_raise(
                c->in, c->at,
                "RuntimeError: Pointwise Input arguments should not have internal overlapping.");
        if (like.kind == V_NONE) like = given->at[i];
    }
    for (int i = 0; i < in->n && like.kind == V_NONE; i++)
        if (same_shape(&in->at[i].tensor->t, shape, rank)) like = in->at[i];
    return seq_of_ints(c->in, c->at, V_TUPLE, shape, rank, &size) && pair_new(c->in, c->at, size, like, out);
}

// ---- steps

// Dimensions that lie behind one another in every tensor are one.
static int joined(int64_t *shape, int64_t (*step)[TENSOR_RANK_MAX], int tensors, int rank) {
    int to = 0;
    for (int d = 0; d < rank; d++) {
        if (shape[d] == 1) continue;
        bool behind = to > 0;
        for (int k = 0; behind && k < tensors; k++) behind = step[k][to - 1] == step[k][d] * shape[d];
        if (!behind) {
            shape[to] = shape[d];
            for (int k = 0; k < tensors; k++) step[k][to] = step[k][d];
            to++;
            continue;
        }
        shape[to - 1] *= shape[d]; // no more than all elements
        for (int k = 0; k < tensors; k++) step[k][to - 1] = step[k][d];
    }
    return to;
}

// (rank, elements, the last three of four sizes, four steps of each tensor), for a kernel that goes through
// all elements in their order.
bool api_pointwise_steps(Call *c, Value *out) {
    enum { TENSORS_MAX = 16 };
    const Seq *all = c->arg[1].seq;
    int64_t shape[TENSOR_RANK_MAX], step[TENSORS_MAX][TENSOR_RANK_MAX], flat[5 + STEPS * TENSORS_MAX];
    int rank = c->arg[0].seq->n, n = 0;
    if (all->n > TENSORS_MAX)
        return host_unsupported(c->in, c->at, "pointwise_dynamic with more than %d tensors", TENSORS_MAX);
    int64_t elements = 1;
    for (int d = 0; d < rank; d++) shape[d] = c->arg[0].seq->at[d].i, elements *= shape[d];
    for (int k = 0; k < all->n; k++) {
        const Tensor *t = &all->at[k].tensor->t;
        for (int d = 0; d < rank; d++) {
            int own = d - (rank - t->rank);
            step[k][d] = own < 0 || (t->shape[own] == 1 && shape[d] > 1) ? 0 : t->stride[own];
        }
    }
    rank = elements ? joined(shape, step, all->n, rank) : 0;
    if (rank > STEPS)
        return host_unsupported(c->in, c->at,
                                "pointwise_dynamic of tensors whose layouts differ in more than %d "
                                "dimensions",
                                STEPS);
    flat[n++] = rank < 2 ? 1 : STEPS;
    flat[n++] = elements;
    for (int i = 1; i < STEPS; i++) flat[n++] = i < STEPS - rank ? 1 : shape[i - (STEPS - rank)];
    for (int k = 0; k < all->n; k++)
        for (int i = 0; i < STEPS; i++) flat[n++] = i < STEPS - rank ? 0 : step[k][i - (STEPS - rank)];
    return seq_of_ints(c->in, c->at, V_TUPLE, flat, n, out);
}
