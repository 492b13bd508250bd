// A reference's operations on whole rows and tensors: reductions, softmax and its kin, gathers, joining,
// making, norms and losses.
#include "host/reference/reference.h"

static bool need_flag(Call *c, int i, bool *out) { return value_truth(c->in, c->at, c->arg[i], out); }
static bool need_none(Call *c, int i, const char *what) {
    return c->arg[i].kind == V_NONE ||
           host_unsupported(c->in, c->at, "%.*s(): %s is not available here", STR_ARG(c->name), what);
}

static bool cast_given(Call *c, Value dtype, Value *v) { // dtype=None leaves it
    if (dtype.kind == V_NONE) return true;
    if (dtype.kind != V_DTYPE)
        return host_raise(c->in, c->at, "TypeError: dtype must be torch.dtype, not %s", value_type(dtype));
    return cast(c, *v, dtype.dtype.t, v);
}

// --- reductions ---

// Brings the dimensions named by `dim` (None: all) together as the last one; `keep` is the shape with ones in
// their places. A single dimension is left where it is: *axis.
typedef struct {
    Value x;
    int axis;
    bool merged;
    int64_t keep[TENSOR_RANK_MAX], drop[TENSOR_RANK_MAX];
    int keep_rank, drop_rank;
} Reduction;

static bool reduction_plan(Call *c, Value x, Value dim, Reduction *out) {
    const Value *at = value_is_seq(dim) ? dim.seq->at : &dim;
    int n = value_is_seq(dim) ? dim.seq->n : 1, rank = x.bound->rank, count = 0;
    bool gone[TENSOR_RANK_MAX + 1] = {0};
    *out = (Reduction){.x = x, .keep_rank = rank};
    bool all = dim.kind == V_NONE || n == 0;
    for (int i = 0; i < rank && all; i++) gone[i] = true;
    for (int i = 0; i < n && !all; i++) {
        int axis;
        if (!shape_axis(c->in, c->at, at[i], rank, &axis)) return false;
        if (gone[axis])
            return host_raise(c->in, c->at, "RuntimeError: dim %d appears multiple times in the list of dims",
                              axis);
        gone[axis] = true;
    }
    int64_t merged = 1;
    for (int i = 0; i < rank; i++) {
        out->keep[i] = gone[i] ? 1 : x.bound->shape[i];
        if (!gone[i]) out->drop[out->drop_rank++] = x.bound->shape[i];
        count += gone[i];
        if (gone[i]) out->axis = i, merged *= x.bound->shape[i];
    }
    if (count == 1) return true;
    out->merged = true;
    // Stable: the kept dimensions keep their order, the others follow.
    for (int i = rank - 1, end = rank - 1; i >= 0; i--) {
        if (!gone[i]) continue;
        for (int k = i; k < end; k++)
            if (!shape_transpose(c->in, c->at, out->x, k, k + 1, &out->x)) return false;
        end--;
    }
    int64_t size[TENSOR_RANK_MAX + 1];
    int n_kept = out->drop_rank;
    memcpy(size, out->drop, sizeof out->drop);
    size[n_kept] = merged;
    out->axis = n_kept;
    return shape_reshape(c->in, c->at, out->x, size, n_kept + 1, &out->x);
}

static bool reduction_run(Call *c, const Reduction *r, BoundOp op, bool keepdim, int64_t correction,
                          Value *out) {
    int64_t attr[3] = {r->axis, r->merged ? 0 : keepdim, correction};
    if (!bound_do(
            c->in, c->at,
            &(BoundStep){
                .op = op, .operand = &r->x, .operands = 1, .attr = attr, .attrs = op == BOUND_VAR ? 3 : 2},
            out))
        return false;
    if (!r->merged || !keepdim) return true;
    return shape_reshape(c->in, c->at, *out, r->keep, r->keep_rank, out);
}

static bool reduced(Call *c, BoundOp op, Value x, Value dim, bool keepdim, Value *out) {
    Reduction r;
    return reduction_plan(c, x, dim, &r) && reduction_run(c, &r, op, keepdim, 0, out);
}

bool api_reduce(Call *c, Value *out) {
    bool keepdim, typed = strstr(c->row->signature, "dtype") != NULL;
    if (!need_tensor(c, 0) || !need_flag(c, 2, &keepdim) || (typed && !cast_given(c, c->arg[3], &c->arg[0])))
        return false;
    return reduced(c, c->row->op, c->arg[0], c->arg[1], keepdim, out);
}

bool api_argmin(Call *c, Value *out) {
    bool keepdim;
    Value minus;
    return need_tensor(c, 0) && need_flag(c, 2, &keepdim) && apply1(c, BOUND_NEG, c->arg[0], &minus) &&
           reduced(c, BOUND_ARGMAX, minus, c->arg[1], keepdim, out);
}

// max() and min(): of all, of two tensors, or (values, indices) over one dimension.
bool api_extreme(Call *c, Value *out) {
    bool keepdim, max = c->row->op == BOUND_AMAX;
    Value signed_, values, indices;
    if (!need_tensor(c, 0) || !need_flag(c, 2, &keepdim)) return false;
    if (c->arg[1].kind == V_BOUND)
        return apply2(c, max ? BOUND_MAXIMUM : BOUND_MINIMUM, c->arg[0], c->arg[1], out);
    if (c->arg[1].kind == V_NONE) return reduced(c, c->row->op, c->arg[0], NONE_VALUE, false, out);
    if (value_is_seq(c->arg[1]))
        return host_raise(c->in, c->at, "TypeError: %.*s() takes one dim; use torch.amax", STR_ARG(c->name));
    signed_ = c->arg[0];
    if (!reduced(c, c->row->op, c->arg[0], c->arg[1], keepdim, &values) ||
        (!max && !apply1(c, BOUND_NEG, signed_, &signed_)) ||
        !reduced(c, BOUND_ARGMAX, signed_, c->arg[1], keepdim, &indices) ||
        !pair_new(c->in, c->at, values, indices, out))
        return false;
    out->seq->flavour = SEQ_PAIR;
    return true;
}
bool api_pair_part(Call *c, Value *out) { return *out = c->arg[0].seq->at[str_is(c->name, "indices")], true; }

// var(dim, unbiased, keepdim, correction=); var(False) is unbiased=False over everything.
bool api_var(Call *c, Value *out) {
    bool keepdim, unbiased = true;
    int64_t correction;
    Reduction r;
    if (!need_tensor(c, 0) || !need_flag(c, 3, &keepdim)) return false;
    if (c->arg[1].kind == V_BOOL) c->arg[2] = c->arg[1], c->arg[1] = NONE_VALUE;
    if (c->arg[2].kind != V_NONE && !need_flag(c, 2, &unbiased)) return false;
    correction = unbiased;
    if (c->arg[4].kind != V_NONE && !value_as_int(c->arg[4], &correction))
        return host_raise(c->in, c->at, "TypeError: correction must be a number");
    if (correction != 0 && correction != 1)
        return host_unsupported(c->in, c->at, "correction is 0 or 1 here");
    if (!reduction_plan(c, c->arg[0], c->arg[1], &r) ||
        !reduction_run(c, &r, BOUND_VAR, keepdim, correction, out))
        return false;
    return !str_ends(c->name, "std") || apply1(c, BOUND_SQRT, *out, out);
}

static bool root_of_squares(Call *c, Value x, Value dim, bool keepdim, Value *out) {
    return apply1(c, BOUND_SQUARE, x, out) && reduced(c, BOUND_SUM, *out, dim, keepdim, out) &&
           apply1(c, BOUND_SQRT, *out, out);
}
bool api_norm(Call *c, Value *out) {
    double p;
    bool keepdim;
    if (!need_tensor(c, 0) || !need_flag(c, 3, &keepdim)) return false;
    if (!value_as_number(c->arg[1], &p) || p != 2)
        return host_unsupported(c->in, c->at, "norms are available with p=2 alone");
    return root_of_squares(c, c->arg[0], c->arg[2], keepdim, out);
}

// --- along rows ---

static bool along(Call *c, Value dim, Value dtype, Value *out) {
    int axis;
    if (!need_tensor(c, 0) || !cast_given(c, dtype, &c->arg[0])) return false;
    if (!shape_axis(c->in, c->at, dim, c->arg[0].bound->rank, &axis)) return false;
    return applied_axis(c, c->row->op, c->arg[0], axis, out);
}
bool api_row(Call *c, Value *out) { return along(c, c->arg[1], c->arg[2], out); }
bool api_row_f(Call *c, Value *out) {
    if (c->arg[1].kind == V_NONE) return host_raise(c->in, c->at, "%.*s() needs dim= here", STR_ARG(c->name));
    return along(c, c->arg[1], c->arg[3], out);
}

static bool gathered(Call *c, Value x, int axis, Value index, Value *out) {
    Value operand[2] = {x, index};
    int64_t attr[1] = {axis};
    return bound_do(
        c->in, c->at,
        &(BoundStep){.op = BOUND_GATHER, .operand = operand, .operands = 2, .attr = attr, .attrs = 1}, out);
}
bool api_gather(Call *c, Value *out) {
    int axis;
    return need_tensor(c, 0) && need_tensor(c, 2) &&
           shape_axis(c->in, c->at, c->arg[1], c->arg[0].bound->rank, &axis) &&
           gathered(c, c->arg[0], axis, c->arg[2], out);
}

// A gather of whole places: the index stands along one dimension and repeats along the others.
bool api_index_select(Call *c, Value *out) {
    int axis;
    if (!need_tensor(c, 0) || !need_tensor(c, 2)) return false;
    const Bound *x = c->arg[0].bound, *index = c->arg[2].bound;
    if (!shape_axis(c->in, c->at, c->arg[1], x->rank, &axis)) return false;
    if (index->rank != 1 || x->rank == 0 || (index->dtype != DT_I64 && index->dtype != DT_I32))
        return host_raise(c->in, c->at,
                          "index_select(): index is a list of int32 or int64, of one dimension");
    int64_t along[TENSOR_RANK_MAX], all[TENSOR_RANK_MAX];
    for (int d = 0; d < x->rank; d++) {
        along[d] = d == axis ? index->numel : 1;
        all[d] = d == axis ? index->numel : x->shape[d];
    }
    Value i;
    return cast(c, c->arg[2], DT_I64, &i) &&
           bound_do(c->in, c->at,
                    &(BoundStep){
                        .op = BOUND_RESHAPE, .operand = &i, .operands = 1, .attr = along, .attrs = x->rank},
                    &i) &&
           bound_do(
               c->in, c->at,
               &(BoundStep){.op = BOUND_EXPAND, .operand = &i, .operands = 1, .attr = all, .attrs = x->rank},
               &i) &&
           gathered(c, c->arg[0], axis, i, out);
}

bool api_rand4x(Call *c, Value *out) {
    Value operand[2] = {c->arg[0], c->arg[1]};
    if (!need_tensor(c, 1) || !seq_new(c->in, c->at, V_TUPLE, 4, out)) return false;
    for (int64_t i = 0; i < 4; i++)
        if (!bound_do(
                c->in, c->at,
                &(BoundStep){.op = BOUND_RAND, .operand = operand, .operands = 2, .attr = &i, .attrs = 1},
                &out->seq->at[i]))
            return false;
    return true;
}

// --- joining ---

static bool joined(Call *c, const Value *part_, int n, int axis, Value *out) {
    int64_t attr[1] = {axis};
    *out = part_[0];
    // CAT takes four at a time: the result so far and three more.
    for (int i = 1; i < n;) {
        Value four[4] = {*out};
        int k = 1;
        while (k < 4 && i < n) four[k++] = part_[i++];
        if (!bound_do(c->in, c->at,
                      &(BoundStep){.op = BOUND_CAT, .operand = four, .operands = k, .attr = attr, .attrs = 1},
                      out))
            return false;
    }
    return true;
}

static bool join_list(Call *c, Value *list) {
    if (!value_is_seq(c->arg[0]))
        return host_raise(c->in, c->at,
                          "TypeError: %.*s(): argument 'tensors' must be tuple of Tensors, not %s",
                          STR_ARG(c->name), value_type(c->arg[0]));
    const Seq *s = c->arg[0].seq;
    if (s->n == 0) return host_raise(c->in, c->at, "RuntimeError: expected a non-empty list of Tensors");
    if (!seq_new(c->in, c->at, V_LIST, s->n, list)) return false;
    for (int i = 0; i < s->n; i++) {
        if (s->at[i].kind != V_BOUND)
            return host_raise(c->in, c->at, "TypeError: expected Tensor as element %d, but got %s", i,
                              value_type(s->at[i]));
        list->seq->at[i] = s->at[i];
    }
    return true;
}

bool api_cat(Call *c, Value *out) {
    Value list;
    int axis;
    return join_list(c, &list) && shape_axis(c->in, c->at, c->arg[1], list.seq->at[0].bound->rank, &axis) &&
           joined(c, list.seq->at, list.seq->n, axis, out);
}

bool api_stack(Call *c, Value *out) {
    Value list;
    int axis;
    if (!join_list(c, &list)) return false;
    int rank = list.seq->at[0].bound->rank;
    if (!shape_axis(c->in, c->at, c->arg[1], rank + 1, &axis)) return false;
    if (rank == TENSOR_RANK_MAX)
        return host_unsupported(c->in, c->at, "tensors have at most %d dimensions here", TENSOR_RANK_MAX);
    for (int i = 0; i < list.seq->n; i++) {
        const Bound *b = list.seq->at[i].bound, *first = list.seq->at[0].bound;
        int64_t size[TENSOR_RANK_MAX];
        // The first one has its new dimension by now.
        bool same = b->rank == rank;
        for (int k = 0; same && k < rank; k++)
            same = b->shape[k] == (i ? first->shape[k + (k >= axis)] : b->shape[k]);
        if (!same)
            return host_raise(c->in, c->at, "RuntimeError: stack expects each tensor to be equal size");
        for (int k = 0; k <= rank; k++) size[k] = k == axis ? 1 : b->shape[k - (k > axis)];
        if (!shape_reshape(c->in, c->at, list.seq->at[i], size, rank + 1, &list.seq->at[i])) return false;
    }
    return joined(c, list.seq->at, list.seq->n, axis, out);
}

// --- sources ---

typedef struct {
    const int64_t *size;
    int rank;
    double x;
    DType t; // unless the call names another
} Filled;

static bool filled(Call *c, const Filled *f, Value dtype, Value *out) {
    const int64_t *size = f->size;
    int rank = f->rank;
    DType t = f->t;
    for (int i = 0; i < rank; i++)
        if (size[i] < 0)
            return host_raise(c->in, c->at,
                              "RuntimeError: Trying to create tensor with negative dimension %lld",
                              (long long)size[i]);
    if (!shape_sane(size, rank)) return host_raise(c->in, c->at, "RuntimeError: the sizes are too large");
    if (dtype.kind == V_DTYPE) t = dtype.dtype.t;
    if (dtype.kind != V_DTYPE && dtype.kind != V_NONE)
        return host_raise(c->in, c->at, "TypeError: dtype must be torch.dtype, not %s", value_type(dtype));
    if (!bound_do(c->in, c->at, &(BoundStep){.op = BOUND_FULL, .attr = size, .attrs = rank, .scalar = f->x},
                  out))
        return false;
    return cast(c, *out, t, out);
}
bool api_ref_full(Call *c, Value *out) {
    int64_t size[TENSOR_RANK_MAX];
    int rank;
    double x;
    DType t = c->arg[1].kind == V_INT ? DT_I64 : c->arg[1].kind == V_BOOL ? DT_BOOL : DT_F32;
    return shape_sizes(c->in, c->at, &c->arg[0], 1, size, &rank) && need_number(c, 1, &x) &&
           filled(c, &(Filled){size, rank, x, t}, c->arg[2], out);
}
static double named_value(const Call *c) { return memmem(c->name.p, c->name.len, "ones", 4) ? 1 : 0; }
bool api_ref_zeros(Call *c, Value *out) {
    int64_t size[TENSOR_RANK_MAX];
    int rank;
    return shape_sizes(c->in, c->at, c->rest, c->rests, size, &rank) &&
           filled(c, &(Filled){size, rank, named_value(c), DT_F32}, c->arg[1], out);
}
bool api_ref_like(Call *c, Value *out) {
    return need_tensor(c, 0) && filled(c,
                                       &(Filled){value_shape(c->arg[0]), value_rank(c->arg[0]),
                                                 named_value(c), value_elem(c->arg[0])},
                                       c->arg[1], out);
}
bool api_ref_full_like(Call *c, Value *out) {
    double x;
    return need_tensor(c, 0) && need_number(c, 1, &x) &&
           filled(c, &(Filled){value_shape(c->arg[0]), value_rank(c->arg[0]), x, value_elem(c->arg[0])},
                  c->arg[2], out);
}
bool api_ref_tensor(Call *c, Value *out) {
    double x;
    DType t = c->arg[0].kind == V_INT ? DT_I64 : c->arg[0].kind == V_BOOL ? DT_BOOL : DT_F32;
    return need_number(c, 0, &x) && filled(c, &(Filled){NULL, 0, x, t}, c->arg[1], out);
}
bool api_ref_arange(Call *c, Value *out) {
    int64_t start = 0, stop, step, attr[2];
    const char *what = "arange is available for integers with step 1 here";
    if (!value_as_int(c->arg[0], &stop) || !value_as_int(c->arg[2], &step) || step != 1)
        return host_unsupported(c->in, c->at, "%s", what);
    if (c->arg[1].kind != V_NONE) {
        start = stop;
        if (!value_as_int(c->arg[1], &stop)) return host_unsupported(c->in, c->at, "%s", what);
    }
    if (stop < start)
        return host_raise(c->in, c->at,
                          "RuntimeError: upper bound and lower bound inconsistent with step sign");
    attr[0] = start;
    attr[1] = stop;
    return bound_do(c->in, c->at, &(BoundStep){.op = BOUND_ARANGE, .attr = attr, .attrs = 2}, out) &&
           cast_given(c, c->arg[3], out);
}

// --- norms and losses ---

// Half types are computed in float32 by torch and rounded once.
static DType work_type(DType t) { return t == DT_F16 || t == DT_BF16 ? DT_F32 : t; }

// normalized_shape names the last dimensions; *dims lists them as negative axes.
static bool normalized_dims(Call *c, Value *dims) {
    int64_t size[TENSOR_RANK_MAX], axes[TENSOR_RANK_MAX];
    int n;
    const Bound *x = c->arg[0].bound;
    if (!shape_sizes(c->in, c->at, &c->arg[1], 1, size, &n)) return false;
    bool fits = n > 0 && n <= x->rank;
    for (int i = 0; fits && i < n; i++) fits = size[i] == x->shape[x->rank - n + i];
    if (!fits)
        return host_raise(
            c->in, c->at,
            "RuntimeError: Given normalized_shape, expected input with the same last dimensions");
    for (int i = 0; i < n; i++) axes[i] = i - n;
    return seq_of_ints(c->in, c->at, V_TUPLE, axes, n, dims);
}

static bool scale_by(Call *c, int i, BoundOp op, DType work, Value *v) {
    Value w = c->arg[i];
    if (w.kind == V_NONE) return true;
    return need_tensor(c, i) && cast(c, w, work, &w) && apply2(c, op, *v, w, v);
}

bool api_rms_norm(Call *c, Value *out) {
    static const double epsilon[DT_COUNT] = {
        [DT_F16] = 0x1p-10, [DT_BF16] = 0x1p-7, [DT_F32] = 0x1p-23, [DT_F64] = 0x1p-52};
    Value dims, x, mean;
    if (!need_tensor(c, 0) || !normalized_dims(c, &dims)) return false;
    DType t = c->arg[0].bound->dtype, work = work_type(t);
    double eps = epsilon[work];
    if (c->arg[3].kind != V_NONE && !need_number(c, 3, &eps)) return false;
    return cast(c, c->arg[0], work, &x) && apply1(c, BOUND_SQUARE, x, &mean) &&
           reduced(c, BOUND_MEAN, mean, dims, true, &mean) &&
           apply2(c, BOUND_ADD, mean, value_float(eps), &mean) && apply1(c, BOUND_RSQRT, mean, &mean) &&
           apply2(c, BOUND_MUL, x, mean, &x) && scale_by(c, 2, BOUND_MUL, work, &x) && cast(c, x, t, out);
}

bool api_layer_norm(Call *c, Value *out) {
    Value dims, x, mean, var;
    double eps;
    if (!need_tensor(c, 0) || !normalized_dims(c, &dims) || !need_number(c, 4, &eps)) return false;
    DType t = c->arg[0].bound->dtype, work = work_type(t);
    return cast(c, c->arg[0], work, &x) && reduced(c, BOUND_MEAN, x, dims, true, &mean) &&
           apply2(c, BOUND_SUB, x, mean, &x) && apply1(c, BOUND_SQUARE, x, &var) &&
           reduced(c, BOUND_MEAN, var, dims, true, &var) &&
           apply2(c, BOUND_ADD, var, value_float(eps), &var) && apply1(c, BOUND_RSQRT, var, &var) &&
           apply2(c, BOUND_MUL, x, var, &x) && scale_by(c, 2, BOUND_MUL, work, &x) &&
           scale_by(c, 3, BOUND_ADD, work, &x) && cast(c, x, t, out);
}

bool api_normalize(Call *c, Value *out) {
    double p, eps;
    Value norm;
    if (!need_tensor(c, 0) || !need_number(c, 1, &p) || !need_number(c, 3, &eps)) return false;
    if (p != 2) return host_unsupported(c->in, c->at, "norms are available with p=2 alone");
    return root_of_squares(c, c->arg[0], c->arg[2], true, &norm) &&
           applied(c, BOUND_CLAMP_MIN, norm, eps, &norm) && apply2(c, BOUND_DIV, c->arg[0], norm, out);
}

// -log_p[target] over the class dimension (the second, or the only one), then the reduction.
static bool picked_loss(Call *c, Value log_p, int axis, Value *out) {
    Value index = c->arg[1], one;
    int64_t size[TENSOR_RANK_MAX];
    const Bound *t = index.bound;
    int rank = log_p.bound->rank;
    double ignore;
    if (!need_number(c, 4, &ignore)) return false;
    if (ignore >= 0) return host_unsupported(c->in, c->at, "ignore_index is not available here");
    if (dtype_is_float(t->dtype) || t->rank != rank - 1)
        return host_raise(c->in, c->at, "RuntimeError: expected class indices: a %dD integer target",
                          rank - 1);
    for (int k = 0; k < rank; k++) size[k] = k == axis ? 1 : t->shape[k - (k > axis)];
    if (!shape_reshape(c->in, c->at, index, size, rank, &index) || !gathered(c, log_p, axis, index, &one) ||
        !shape_reshape(c->in, c->at, one, t->shape, t->rank, &one) || !apply1(c, BOUND_NEG, one, out))
        return false;
    Value how = c->arg[6];
    if (how.kind == V_STR && str_is(how.s, "none")) return true;
    if (how.kind == V_STR && str_is(how.s, "mean"))
        return t->rank == 0 || reduced(c, BOUND_MEAN, *out, NONE_VALUE, false, out);
    if (how.kind == V_STR && str_is(how.s, "sum"))
        return t->rank == 0 || reduced(c, BOUND_SUM, *out, NONE_VALUE, false, out);
    return host_raise(c->in, c->at, "ValueError: reduction must be 'none', 'mean' or 'sum'");
}

static bool loss_args(Call *c, int *axis) {
    if (!need_tensor(c, 0) || !need_tensor(c, 1) || !need_none(c, 2, "weight") ||
        !need_none(c, 3, "size_average") || !need_none(c, 5, "reduce"))
        return false;
    if (c->arg[0].bound->rank == 0)
        return host_raise(c->in, c->at, "RuntimeError: expected at least 1 dimension");
    *axis = c->arg[0].bound->rank > 1;
    return true;
}
bool api_nll_loss(Call *c, Value *out) {
    int axis;
    return loss_args(c, &axis) && picked_loss(c, c->arg[0], axis, out);
}
bool api_cross_entropy(Call *c, Value *out) {
    int axis;
    Value x;
    if (!loss_args(c, &axis)) return false;
    DType t = c->arg[0].bound->dtype;
    return cast(c, c->arg[0], work_type(t), &x) && applied_axis(c, BOUND_LOG_SOFTMAX, x, axis, &x) &&
           picked_loss(c, x, axis, &x) && cast(c, x, t, out);
}
