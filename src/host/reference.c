#include "host/api.h"

// A reference's operations: torch's signatures on top of the primitives of tensor/bound.h. What torch fuses
// into one call is composed here from primitives that have their own error rules.

static bool bound_fail(Interp *in, Span at) {
    return host_raise(in, at, "%s", in->bound->why ? in->bound->why : "the operation failed");
}

// Numbers become literals.
static bool as_bound(Interp *in, Span at, Value v, const Bound **out) {
    double x;
    if (v.kind == V_BOUND) return *out = v.bound, true;
    if (!value_as_number(v, &x))
        return host_raise(in, at, "TypeError: expected a tensor or a number, not %s", value_type(v));
    *out = bound_literal(in->bound, x, v.kind == V_FLOAT);
    return *out || bound_fail(in, at);
}

bool bound_do(Interp *in, Span at, BoundOp op, const Value *operand, int n, const int64_t *attr, int attrs,
              double scalar, Value *out) {
    const Bound *b[4];
    if (!host_step(in, at)) return false;
    for (int i = 0; i < n; i++)
        if (!as_bound(in, at, operand[i], &b[i])) return false;
    const Bound *made = bound_apply(in->bound, op, b, n, attr, attrs, scalar);
    *out = value_bound(made);
    return made || bound_fail(in, at);
}

static bool apply1(Call *c, BoundOp op, Value a, Value *out) {
    return bound_do(c->in, c->at, op, &a, 1, NULL, 0, 0, out);
}
static bool apply2(Call *c, BoundOp op, Value a, Value b, Value *out) {
    Value operand[2] = {a, b};
    return bound_do(c->in, c->at, op, operand, 2, NULL, 0, 0, out);
}
static bool apply3(Call *c, BoundOp op, Value x, Value y, Value z, Value *out) {
    Value operand[3] = {x, y, z};
    return bound_do(c->in, c->at, op, operand, 3, NULL, 0, 0, out);
}
static bool applied(Call *c, BoundOp op, Value a, double scalar, Value *out) {
    return bound_do(c->in, c->at, op, &a, 1, NULL, 0, scalar, out);
}
static bool applied_axis(Call *c, BoundOp op, Value a, int axis, Value *out) {
    int64_t attr[1] = {axis};
    return bound_do(c->in, c->at, op, &a, 1, attr, 1, 0, out);
}
static bool cast(Call *c, Value a, DType t, Value *out) {
    int64_t attr[1] = {t};
    if (a.bound->dtype == t) return *out = a, true;
    return bound_do(c->in, c->at, BOUND_CAST, &a, 1, attr, 1, 0, out);
}

static bool need_bound(Call *c, int i) {
    if (c->arg[i].kind == V_BOUND) return true;
    return host_raise(c->in, c->at, "TypeError: %.*s(): argument %d must be Tensor, not %s", STR_ARG(c->name),
                      i + 1, value_type(c->arg[i]));
}
static bool need_number(Call *c, int i, double *out) {
    if (value_as_number(c->arg[i], out)) return true;
    return host_raise(c->in, c->at, "TypeError: %.*s(): argument %d must be a number, not %s",
                      STR_ARG(c->name), i + 1, value_type(c->arg[i]));
}
static bool need_flag(Call *c, int i, bool *out) { return value_truth(c->in, c->at, c->arg[i], out); }
static bool need_none(Call *c, int i, const char *what) {
    return c->arg[i].kind == V_NONE ||
           host_unsupported(c->in, c->at, "%.*s(): %s is not available here", STR_ARG(c->name), what);
}

// --- operators ---

// torch.matmul also takes vectors and repeats batches; here both operands are matrices, or batches of one
// size.
static bool matmul(Interp *in, Span at, Value l, Value r, Value *out) {
    if (l.kind != V_BOUND || r.kind != V_BOUND)
        return host_raise(in, at, "TypeError: unsupported operand type(s) for @: '%s' and '%s'",
                          value_type(l), value_type(r));
    int a = l.bound->rank, b = r.bound->rank;
    if (a != b || a < 2 || a > 3)
        return host_unsupported(in, at,
                                "a matrix product of tensors of %d and %d dimensions: 2 and 2, or 3 and 3, "
                                "are available",
                                a, b);
    return bound_do(in, at, BOUND_MATMUL, (Value[]){l, r}, 2, NULL, 0, 0, out);
}
bool api_matmul(Call *c, Value *out) { return matmul(c->in, c->at, c->arg[0], c->arg[1], out); }

bool bound_binary(Interp *in, Span at, Oper op, Value l, Value r, Value *out) {
    static const struct {
        Oper from;
        BoundOp to;
    } table[] = {{OPER_ADD, BOUND_ADD},         {OPER_SUB, BOUND_SUB}, {OPER_MUL, BOUND_MUL},
                 {OPER_DIV, BOUND_DIV},         {OPER_POW, BOUND_POW}, {OPER_LT, BOUND_LT},
                 {OPER_LE, BOUND_LE},           {OPER_GT, BOUND_GT},   {OPER_GE, BOUND_GE},
                 {OPER_EQ, BOUND_EQ},           {OPER_NE, BOUND_NE},   {OPER_BITAND, BOUND_LOGICAL_AND},
                 {OPER_BITOR, BOUND_LOGICAL_OR}};
    Value operand[2] = {l, r};
    double x;
    bool bits = op == OPER_BITAND || op == OPER_BITOR;
    for (int i = 0; i < 2; i++) {
        if (bits && !(operand[i].kind == V_BOOL ||
                      (operand[i].kind == V_BOUND && operand[i].bound->dtype == DT_BOOL)))
            return host_unsupported(in, at, "`%s` is available for boolean tensors alone", oper_text(op));
        if (operand[i].kind != V_BOUND && !value_as_number(operand[i], &x))
            return host_raise(in, at, "TypeError: unsupported operand type(s) for %s: '%s' and '%s'",
                              oper_text(op), value_type(l), value_type(r));
    }
    if (op == OPER_POW && r.kind == V_BOUND) {
        if (value_as_number(l, &x) && x == 2) return bound_do(in, at, BOUND_EXP2, &r, 1, NULL, 0, 0, out);
        return host_unsupported(in, at, "a power with a tensor as exponent is available for base 2 alone");
    }
    if (op == OPER_MATMUL) return matmul(in, at, l, r, out);
    for (size_t i = 0; i < sizeof table / sizeof *table; i++)
        if (table[i].from == op) return bound_do(in, at, table[i].to, operand, 2, NULL, 0, 0, out);
    return host_refuse(in, at, "`%s` on tensors is not among a reference's operations", oper_text(op));
}

bool bound_unary(Interp *in, Span at, Oper op, Value v, Value *out) {
    if (op == OPER_NEG) return bound_do(in, at, BOUND_NEG, &v, 1, NULL, 0, 0, out);
    if (op == OPER_POS) return *out = v, true;
    if (op == OPER_INVERT && v.bound->dtype == DT_BOOL)
        return bound_do(in, at, BOUND_LOGICAL_NOT, &v, 1, NULL, 0, 0, out);
    return host_refuse(in, at, "`%s` on tensors is not among a reference's operations", oper_text(op));
}

bool api_bound_unary(Call *c, Value *out) {
    return need_bound(c, 0) && apply1(c, c->row->op, c->arg[0], out);
}

bool api_bound_binary(Call *c, Value *out) {
    if (c->row->op == BOUND_POW) return bound_binary(c->in, c->at, OPER_POW, c->arg[0], c->arg[1], out);
    return (c->arg[0].kind == V_BOUND || need_bound(c, 1)) &&
           apply2(c, c->row->op, c->arg[0], c->arg[1], out);
}

bool api_add(Call *c, Value *out) {
    Value other = c->arg[1];
    double alpha;
    bool minus = str_ends(c->name, "sub");
    if (!need_bound(c, 0) || !need_number(c, 2, &alpha)) return false;
    if (alpha != 1 && !apply2(c, BOUND_MUL, c->arg[2], other, &other)) return false;
    return apply2(c, minus ? BOUND_SUB : BOUND_ADD, c->arg[0], other, out);
}

// --- activations ---

bool api_activation(Call *c, Value *out) { return need_bound(c, 0) && apply1(c, c->row->op, c->arg[0], out); }

bool api_gelu(Call *c, Value *out) {
    Value how = c->arg[1];
    if (!need_bound(c, 0)) return false;
    if (how.kind == V_STR && str_is(how.s, "tanh")) return apply1(c, BOUND_GELU_TANH, c->arg[0], out);
    if (how.kind == V_STR && str_is(how.s, "none")) return apply1(c, BOUND_GELU_ERF, c->arg[0], out);
    return host_raise(c->in, c->at, "RuntimeError: approximate argument must be either none or tanh.");
}

bool api_softplus(Call *c, Value *out) {
    double beta, threshold;
    if (!need_bound(c, 0) || !need_number(c, 1, &beta) || !need_number(c, 2, &threshold)) return false;
    if (beta != 1 || threshold != 20)
        return host_unsupported(c->in, c->at, "softplus is available with beta=1 and threshold=20 alone");
    return apply1(c, BOUND_SOFTPLUS, c->arg[0], out);
}

bool api_mish(Call *c, Value *out) {
    Value v;
    return need_bound(c, 0) && apply1(c, BOUND_SOFTPLUS, c->arg[0], &v) && apply1(c, BOUND_TANH, v, &v) &&
           apply2(c, BOUND_MUL, c->arg[0], v, out);
}

// x where x > 0, else `below`, which may be +inf or anything else there.
static bool positive_or(Call *c, Value x, Value below, Value *out) {
    Value positive;
    return apply2(c, BOUND_GT, x, value_int(0), &positive) && apply3(c, BOUND_WHERE, positive, x, below, out);
}

bool api_leaky_relu(Call *c, Value *out) {
    double slope;
    Value below;
    return need_bound(c, 0) && need_number(c, 1, &slope) &&
           apply2(c, BOUND_MUL, c->arg[0], value_float(slope), &below) &&
           positive_or(c, c->arg[0], below, out);
}

// alpha * (e^min(x, 0) - 1): limited first, so that the branch that is not taken stays finite.
static bool elu(Call *c, Value x, double alpha, Value *out) {
    Value below;
    return applied(c, BOUND_CLAMP_MAX, x, 0, &below) && apply1(c, BOUND_EXPM1, below, &below) &&
           (alpha == 1 || apply2(c, BOUND_MUL, below, value_float(alpha), &below)) &&
           positive_or(c, x, below, out);
}
bool api_elu(Call *c, Value *out) {
    double alpha;
    return need_bound(c, 0) && need_number(c, 1, &alpha) && elu(c, c->arg[0], alpha, out);
}
bool api_selu(Call *c, Value *out) {
    return need_bound(c, 0) && elu(c, c->arg[0], 1.6732632423543772848170429916717, out) &&
           apply2(c, BOUND_MUL, *out, value_float(1.0507009873554804934193349852946), out);
}

static bool limit(Call *c, Value x, double lo, double hi, Value *out) {
    return applied(c, BOUND_CLAMP_MIN, x, lo, out) && applied(c, BOUND_CLAMP_MAX, *out, hi, out);
}
bool api_hardtanh(Call *c, Value *out) {
    double lo, hi;
    return need_bound(c, 0) && need_number(c, 1, &lo) && need_number(c, 2, &hi) &&
           limit(c, c->arg[0], lo, hi, out);
}
bool api_relu6(Call *c, Value *out) { return need_bound(c, 0) && limit(c, c->arg[0], 0, 6, out); }
bool api_hardsigmoid(Call *c, Value *out) {
    return need_bound(c, 0) && apply2(c, BOUND_ADD, c->arg[0], value_float(3), out) &&
           limit(c, *out, 0, 6, out) && apply2(c, BOUND_DIV, *out, value_float(6), out);
}
bool api_hardswish(Call *c, Value *out) {
    return api_hardsigmoid(c, out) && apply2(c, BOUND_MUL, c->arg[0], *out, out);
}
bool api_softsign(Call *c, Value *out) {
    return need_bound(c, 0) && apply1(c, BOUND_ABS, c->arg[0], out) &&
           apply2(c, BOUND_ADD, *out, value_float(1), out) && apply2(c, BOUND_DIV, c->arg[0], *out, out);
}
bool api_logsigmoid(Call *c, Value *out) {
    return need_bound(c, 0) && apply1(c, BOUND_NEG, c->arg[0], out) && apply1(c, BOUND_SOFTPLUS, *out, out) &&
           apply1(c, BOUND_NEG, *out, out);
}

static bool part(Call *c, Value x, int axis, int64_t from, int64_t to, Value *out) {
    int64_t attr[4] = {axis, from, to, 1};
    return bound_do(c->in, c->at, BOUND_SLICE, &x, 1, attr, 4, 0, out);
}
bool api_glu(Call *c, Value *out) {
    int axis;
    Value a, b;
    if (!need_bound(c, 0) || !shape_axis(c->in, c->at, c->arg[1], c->arg[0].bound->rank, &axis)) return false;
    if (c->arg[0].bound->rank == 0)
        return host_raise(c->in, c->at, "RuntimeError: glu does not support 0-dimensional tensors");
    int64_t n = c->arg[0].bound->shape[axis];
    if (n % 2)
        return host_raise(c->in, c->at,
                          "RuntimeError: Halving dimension must be even, but dimension %d is size %lld", axis,
                          (long long)n);
    return part(c, c->arg[0], axis, 0, n / 2, &a) && part(c, c->arg[0], axis, n / 2, n, &b) &&
           apply1(c, BOUND_SIGMOID, b, &b) && apply2(c, BOUND_MUL, a, b, out);
}

// --- choices ---

static bool clamp_to(Call *c, BoundOp op, Value limit_, Value *out) { // *out is limited in place
    double x;
    if (limit_.kind == V_NONE) return true;
    if (limit_.kind == V_BOUND)
        return apply2(c, op == BOUND_CLAMP_MIN ? BOUND_MAXIMUM : BOUND_MINIMUM, *out, limit_, out);
    if (!value_as_number(limit_, &x))
        return host_raise(c->in, c->at, "TypeError: clamp(): limits must be numbers or tensors");
    return applied(c, op, *out, x, out);
}
bool api_clamp(Call *c, Value *out) {
    if (!need_bound(c, 0)) return false;
    if (c->arg[1].kind == V_NONE && c->arg[2].kind == V_NONE)
        return host_raise(c->in, c->at,
                          "RuntimeError: torch.clamp: At least one of 'min' or 'max' must not be None");
    *out = c->arg[0];
    return clamp_to(c, BOUND_CLAMP_MIN, c->arg[1], out) && clamp_to(c, BOUND_CLAMP_MAX, c->arg[2], out);
}
bool api_clamp_one(Call *c, Value *out) {
    return need_bound(c, 0) && (*out = c->arg[0], clamp_to(c, c->row->op, c->arg[1], out));
}
bool api_where(Call *c, Value *out) {
    return need_bound(c, 0) && apply3(c, BOUND_WHERE, c->arg[0], c->arg[1], c->arg[2], out);
}
bool api_masked_fill(Call *c, Value *out) {
    return need_bound(c, 1) && apply3(c, BOUND_WHERE, c->arg[1], c->arg[2], c->arg[0], out);
}
bool api_lerp(Call *c, Value *out) {
    return need_bound(c, 0) && apply2(c, BOUND_SUB, c->arg[1], c->arg[0], out) &&
           apply2(c, BOUND_MUL, c->arg[2], *out, out) && apply2(c, BOUND_ADD, c->arg[0], *out, out);
}
bool api_addcmul(Call *c, Value *out) {
    double value;
    return need_bound(c, 0) && need_number(c, 3, &value) && apply2(c, BOUND_MUL, c->arg[1], c->arg[2], out) &&
           (value == 1 || apply2(c, BOUND_MUL, *out, c->arg[3], out)) &&
           apply2(c, BOUND_ADD, c->arg[0], *out, out);
}

// --- types ---

bool api_to(Call *c, Value *out) {
    if (c->arg[1].kind == V_DTYPE) return cast(c, c->arg[0], c->arg[1].dtype.t, out);
    if (c->arg[1].kind == V_BOUND) return cast(c, c->arg[0], c->arg[1].bound->dtype, out);
    if (c->arg[1].kind == V_NONE || c->arg[1].kind == V_DEVICE) return *out = c->arg[0], true;
    return host_raise(c->in, c->at, "TypeError: to(): expected a torch.dtype, not %s", value_type(c->arg[1]));
}
bool api_cast(Call *c, Value *out) {
    DType t;
    if (!dtype_by_torch_name(c->name, &t))
        return host_unsupported(c->in, c->at, ".%.*s() is not available here", STR_ARG(c->name));
    return cast(c, c->arg[0], t, out);
}
bool api_type_as(Call *c, Value *out) {
    return need_bound(c, 1) && cast(c, c->arg[0], c->arg[1].bound->dtype, out);
}
bool api_same(Call *c, Value *out) { return *out = c->arg[0], true; }

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
    return shape_reshape(c->in, c->at, out->x, size, n_kept + 1, true, &out->x);
}

static bool reduction_run(Call *c, const Reduction *r, BoundOp op, bool keepdim, int64_t correction,
                          Value *out) {
    int64_t attr[3] = {r->axis, r->merged ? 0 : keepdim, correction};
    if (!bound_do(c->in, c->at, op, &r->x, 1, attr, op == BOUND_VAR ? 3 : 2, 0, out)) return false;
    if (!r->merged || !keepdim) return true;
    return shape_reshape(c->in, c->at, *out, r->keep, r->keep_rank, true, out);
}

static bool reduced(Call *c, BoundOp op, Value x, Value dim, bool keepdim, Value *out) {
    Reduction r;
    return reduction_plan(c, x, dim, &r) && reduction_run(c, &r, op, keepdim, 0, out);
}

bool api_reduce(Call *c, Value *out) {
    bool keepdim, typed = strstr(c->row->signature, "dtype") != NULL;
    if (!need_bound(c, 0) || !need_flag(c, 2, &keepdim) || (typed && !cast_given(c, c->arg[3], &c->arg[0])))
        return false;
    return reduced(c, c->row->op, c->arg[0], c->arg[1], keepdim, out);
}

bool api_argmin(Call *c, Value *out) {
    bool keepdim;
    Value minus;
    return need_bound(c, 0) && need_flag(c, 2, &keepdim) && apply1(c, BOUND_NEG, c->arg[0], &minus) &&
           reduced(c, BOUND_ARGMAX, minus, c->arg[1], keepdim, out);
}

// max() and min(): of all, of two tensors, or (values, indices) over one dimension.
bool api_extreme(Call *c, Value *out) {
    bool keepdim, max = c->row->op == BOUND_AMAX;
    Value signed_, values, indices;
    if (!need_bound(c, 0) || !need_flag(c, 2, &keepdim)) return false;
    if (c->arg[1].kind == V_BOUND)
        return apply2(c, max ? BOUND_MAXIMUM : BOUND_MINIMUM, c->arg[0], c->arg[1], out);
    if (c->arg[1].kind == V_NONE) return reduced(c, c->row->op, c->arg[0], NONE_VALUE, false, out);
    if (value_is_seq(c->arg[1]))
        return host_raise(c->in, c->at, "TypeError: %.*s() takes one dim; use torch.amax", STR_ARG(c->name));
    signed_ = c->arg[0];
    if (!reduced(c, c->row->op, c->arg[0], c->arg[1], keepdim, &values) ||
        (!max && !apply1(c, BOUND_NEG, signed_, &signed_)) ||
        !reduced(c, BOUND_ARGMAX, signed_, c->arg[1], keepdim, &indices) ||
        !seq_new(c->in, c->at, V_TUPLE, 2, out))
        return false;
    out->seq->flavour = SEQ_PAIR;
    out->seq->at[0] = values;
    out->seq->at[1] = indices;
    return true;
}
bool api_pair_part(Call *c, Value *out) { return *out = c->arg[0].seq->at[str_is(c->name, "indices")], true; }

// var(dim, unbiased, keepdim, correction=); var(False) is unbiased=False over everything.
bool api_var(Call *c, Value *out) {
    bool keepdim, unbiased = true;
    int64_t correction;
    Reduction r;
    if (!need_bound(c, 0) || !need_flag(c, 3, &keepdim)) return false;
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
    if (!need_bound(c, 0) || !need_flag(c, 3, &keepdim)) return false;
    if (!value_as_number(c->arg[1], &p) || p != 2)
        return host_unsupported(c->in, c->at, "norms are available with p=2 alone");
    return root_of_squares(c, c->arg[0], c->arg[2], keepdim, out);
}

// --- along rows ---

static bool along(Call *c, Value dim, Value dtype, Value *out) {
    int axis;
    if (!need_bound(c, 0) || !cast_given(c, dtype, &c->arg[0])) return false;
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
    return bound_do(c->in, c->at, BOUND_GATHER, operand, 2, attr, 1, 0, out);
}
bool api_gather(Call *c, Value *out) {
    int axis;
    return need_bound(c, 0) && need_bound(c, 2) &&
           shape_axis(c->in, c->at, c->arg[1], c->arg[0].bound->rank, &axis) &&
           gathered(c, c->arg[0], axis, c->arg[2], out);
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
        if (!bound_do(c->in, c->at, BOUND_CAT, four, k, attr, 1, 0, out)) return false;
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
        if (!shape_reshape(c->in, c->at, list.seq->at[i], size, rank + 1, true, &list.seq->at[i]))
            return false;
    }
    return joined(c, list.seq->at, list.seq->n, axis, out);
}

// --- sources ---

static bool filled(Call *c, const int64_t *size, int rank, double x, DType t, Value dtype, Value *out) {
    for (int i = 0; i < rank; i++)
        if (size[i] < 0)
            return host_raise(c->in, c->at,
                              "RuntimeError: Trying to create tensor with negative dimension %lld",
                              (long long)size[i]);
    if (!shape_sane(size, rank)) return host_raise(c->in, c->at, "RuntimeError: the sizes are too large");
    if (dtype.kind == V_DTYPE) t = dtype.dtype.t;
    if (dtype.kind != V_DTYPE && dtype.kind != V_NONE)
        return host_raise(c->in, c->at, "TypeError: dtype must be torch.dtype, not %s", value_type(dtype));
    if (!bound_do(c->in, c->at, BOUND_FULL, NULL, 0, size, rank, x, out)) return false;
    return cast(c, *out, t, out);
}
bool api_ref_full(Call *c, Value *out) {
    int64_t size[TENSOR_RANK_MAX];
    int rank;
    double x;
    DType t = c->arg[1].kind == V_INT ? DT_I64 : c->arg[1].kind == V_BOOL ? DT_BOOL : DT_F32;
    return shape_sizes(c->in, c->at, &c->arg[0], 1, size, &rank) && need_number(c, 1, &x) &&
           filled(c, size, rank, x, t, c->arg[2], out);
}
static double named_value(const Call *c) { return memmem(c->name.p, c->name.len, "ones", 4) ? 1 : 0; }
bool api_ref_zeros(Call *c, Value *out) {
    int64_t size[TENSOR_RANK_MAX];
    int rank;
    return shape_sizes(c->in, c->at, c->rest, c->rests, size, &rank) &&
           filled(c, size, rank, named_value(c), DT_F32, c->arg[1], out);
}
bool api_ref_like(Call *c, Value *out) {
    return need_bound(c, 0) && filled(c, value_shape(c->arg[0]), value_rank(c->arg[0]), named_value(c),
                                      value_elem(c->arg[0]), c->arg[1], out);
}
bool api_ref_full_like(Call *c, Value *out) {
    double x;
    return need_bound(c, 0) && need_number(c, 1, &x) &&
           filled(c, value_shape(c->arg[0]), value_rank(c->arg[0]), x, value_elem(c->arg[0]), c->arg[2], out);
}
bool api_ref_tensor(Call *c, Value *out) {
    double x;
    DType t = c->arg[0].kind == V_INT ? DT_I64 : c->arg[0].kind == V_BOOL ? DT_BOOL : DT_F32;
    return need_number(c, 0, &x) && filled(c, NULL, 0, x, t, c->arg[1], out);
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
    return bound_do(c->in, c->at, BOUND_ARANGE, NULL, 0, attr, 2, 0, out) && cast_given(c, c->arg[3], out);
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
    return need_bound(c, i) && cast(c, w, work, &w) && apply2(c, op, *v, w, v);
}

bool api_rms_norm(Call *c, Value *out) {
    static const double epsilon[DT_COUNT] = {
        [DT_F16] = 0x1p-10, [DT_BF16] = 0x1p-7, [DT_F32] = 0x1p-23, [DT_F64] = 0x1p-52};
    Value dims, x, mean;
    if (!need_bound(c, 0) || !normalized_dims(c, &dims)) return false;
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
    if (!need_bound(c, 0) || !normalized_dims(c, &dims) || !need_number(c, 4, &eps)) return false;
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
    if (!need_bound(c, 0) || !need_number(c, 1, &p) || !need_number(c, 3, &eps)) return false;
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
    if (!shape_reshape(c->in, c->at, index, size, rank, true, &index) ||
        !gathered(c, log_p, axis, index, &one) ||
        !shape_reshape(c->in, c->at, one, t->shape, t->rank, true, &one) || !apply1(c, BOUND_NEG, one, out))
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
    if (!need_bound(c, 0) || !need_bound(c, 1) || !need_none(c, 2, "weight") ||
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
