// Rows of op.def: reductions and scans.
#include "tile/check/checker.h"
#include <inttypes.h>

bool check_axis(Checker *c, const Node *at, const Val *v, int rank, int *out) {
    if (!val_is_py(v, PY_INT))
        return checker_fail(c, at, "TypeError", "an axis must be a constexpr integer, got %s",
                            val_text(c, v));
    int64_t axis = v->py.i;
    if (axis < -rank || axis >= rank)
        return checker_fail(c, at, "ValueError", "invalid axis %" PRId64 ". Expected %d <= axis < %d", axis,
                            -rank, rank);
    *out = (int)(axis < 0 ? axis + rank : axis);
    return true;
}

bool check_flag(Checker *c, const Node *at, const Val *v, bool *out) {
    if (v->kind == VAL_PY) return *out = py_truth(v->py), true;
    return checker_fail(c, at, "TypeError", "an option must be constexpr, got %s", val_text(c, v));
}

static bool tensor_argument(Checker *c, const Node *at, const Val *v) {
    if (!val_is_tensor(v))
        return checker_fail(c, at, "AttributeError", "'%s' object has no attribute 'dtype'", val_class(v));
    if (v->t.type.pointer) return checker_unsupported(c, at, "reductions of pointers");
    return true;
}

// keep_dims of a reduction over all axes leaves every axis with one lane.
bool check_keep_dims(Checker *c, const Node *at, Val *v, int axis, int rank) {
    if (axis >= 0 && v->t.type.rank > 0) return check_expand(c, at, v, axis, v);
    int ones[TILE_RANK_MAX];
    for (int i = 0; i < rank; i++) ones[i] = 1;
    return check_reshape(c, at, v, ones, rank, v);
}

static bool reduce(Call *k, InsnOp op, const Val *v, const Val *axis_value, const Val *keep_value, Val *out) {
    Checker *c = k->c;
    const Node *at = k->at;
    const TileType *t = &v->t.type;
    bool keep_dims;
    int axis = -1;
    if (!check_flag(c, at, keep_value, &keep_dims)) return false;
    if (val_is_none(axis_value)) {
        if (t->rank == 0)
            return checker_fail(c, at, "AttributeError", "'dtype' object has no attribute 'numel'");
    } else if (!check_axis(c, at, axis_value, t->rank, &axis)) {
        return false;
    }
    TileType r = {.elem = op == INSN_ARGMAX || op == INSN_ARGMIN ? DT_I32 : t->elem};
    for (int i = 0; axis >= 0 && i < t->rank; i++)
        if (i != axis) r.shape[r.rank++] = t->shape[i];
    return checker_result(c, at, r, insn(op, -1, v->t.reg, -1, -1, axis), out) &&
           (!keep_dims || check_keep_dims(c, at, out, axis, t->rank));
}

// int8, int16 and bool go to 32 bits of the same sign.
static bool sum_type(Checker *c, const Node *at, Val *v, const Val *dtype) {
    DType t = v->t.type.elem, to = t;
    if (!val_is_none(dtype)) {
        if (!check_dtype(c, at, dtype, &to)) return false;
    } else if (!dtype_is_float(t) && dtype_bits(t) < 32) {
        to = dtype_is_signed(t) ? DT_I32 : DT_U32;
    }
    return check_cast(c, at, v, to, v);
}

bool check_sum(Call *k, Val *out) {
    Val v = k->arg[0];
    return tensor_argument(k->c, k->at, &v) && sum_type(k->c, k->at, &v, &k->arg[3]) &&
           reduce(k, INSN_SUM, &v, &k->arg[1], &k->arg[2], out);
}

bool check_xor_sum(Call *k, Val *out) {
    const Val *v = &k->arg[0];
    if (!tensor_argument(k->c, k->at, v)) return false;
    if (dtype_is_float(v->t.type.elem))
        return checker_fail(k->c, k->at, "CompileTimeAssertionFailure",
                            "xor_sum only supported for integers");
    return reduce(k, INSN_XORSUM, v, &k->arg[1], &k->arg[2], out);
}

bool check_reduce_or(Call *k, Val *out) {
    const Val *v = &k->arg[0];
    if (!tensor_argument(k->c, k->at, v)) return false;
    if (dtype_is_float(v->t.type.elem))
        return checker_fail(k->c, k->at, "CompileTimeAssertionFailure",
                            "reduce_or only supported for integers");
    return reduce(k, INSN_ORSUM, v, &k->arg[1], &k->arg[2], out);
}

// ---- max, min ----

static bool bf16_to_fp32(Checker *c, const Node *at, Val *v) {
    return v->t.type.elem != DT_BF16 || check_cast(c, at, v, DT_F32, v);
}
static bool to_32_bits(Checker *c, const Node *at, Val *v) {
    DType t = v->t.type.elem;
    return dtype_bits(t) >= 32 || check_cast(c, at, v, dtype_is_float(t) ? DT_F32 : DT_I32, v);
}

static bool index_axis(Call *k, const Val *v, const Val *axis) {
    int found;
    if (val_is_none(axis))
        return checker_fail(k->c, k->at, "TypeError",
                            "tuple indices must be integers or slices, not NoneType");
    return check_axis(k->c, k->at, axis, v->t.type.rank, &found);
}

// The index: of equal lanes the first, or, where the program does not ask for that, any: here the last.
static bool reduce_index(Call *k, InsnOp op, const Val *v, const Val *ties, const Val *keep, Val *out) {
    Checker *c = k->c;
    bool left;
    int axis;
    if (!check_flag(c, k->at, ties, &left)) return false;
    if (left) return reduce(k, op, v, &k->arg[1], keep, out);
    Val turned, last;
    if (!check_axis(c, k->at, &k->arg[1], v->t.type.rank, &axis)) return false;
    last = val_int(v->t.type.shape[axis] - 1);
    return checker_result(c, k->at, v->t.type, insn(INSN_FLIP, -1, v->t.reg, -1, -1, axis), &turned) &&
           reduce(k, op, &turned, &k->arg[1], keep, &turned) &&
           check_binary(c, k->at, OPER_SUB, &last, &turned, out);
}

static bool largest(Call *k, InsnOp value, InsnOp index, Val *out) {
    Checker *c = k->c;
    Val v = k->arg[0];
    bool indices;
    if (!tensor_argument(c, k->at, &v) || !bf16_to_fp32(c, k->at, &v) ||
        !check_flag(c, k->at, &k->arg[2], &indices))
        return false;
    if (!indices) return to_32_bits(c, k->at, &v) && reduce(k, value, &v, &k->arg[1], &k->arg[4], out);
    Val *pair = NEWN(c->arena, Val, 2);
    if (!index_axis(k, &v, &k->arg[1]) || !reduce(k, value, &v, &k->arg[1], &k->arg[4], &pair[0]) ||
        !reduce_index(k, index, &v, &k->arg[3], &k->arg[4], &pair[1]))
        return false;
    return *out = val_tuple(pair, 2), true;
}
bool check_max(Call *k, Val *out) { return largest(k, INSN_RMAX, INSN_ARGMAX, out); }
bool check_min(Call *k, Val *out) { return largest(k, INSN_RMIN, INSN_ARGMIN, out); }

static bool largest_index(Call *k, InsnOp op, Val *out) {
    Val v = k->arg[0];
    return tensor_argument(k->c, k->at, &v) && bf16_to_fp32(k->c, k->at, &v) &&
           index_axis(k, &v, &k->arg[1]) && reduce_index(k, op, &v, &k->arg[2], &k->arg[3], out);
}
bool check_argmax(Call *k, Val *out) { return largest_index(k, INSN_ARGMAX, out); }
bool check_argmin(Call *k, Val *out) { return largest_index(k, INSN_ARGMIN, out); }

// ---- scans ----

static bool scan(Call *k, InsnOp op, Val *v, Val *out) {
    int axis, rank = v->t.type.rank;
    bool reverse;
    return check_axis(k->c, k->at, &k->arg[1], rank, &axis) &&
           check_flag(k->c, k->at, &k->arg[2], &reverse) &&
           checker_result(k->c, k->at, v->t.type, insn(op, -1, v->t.reg, -1, -1, axis + (reverse ? 16 : 0)),
                          out);
}
bool check_cumsum(Call *k, Val *out) {
    Val v = k->arg[0];
    return tensor_argument(k->c, k->at, &v) && bf16_to_fp32(k->c, k->at, &v) &&
           sum_type(k->c, k->at, &v, &k->arg[3]) && scan(k, INSN_CUMSUM, &v, out);
}
bool check_cumprod(Call *k, Val *out) {
    Val v = k->arg[0];
    return tensor_argument(k->c, k->at, &v) && bf16_to_fp32(k->c, k->at, &v) &&
           scan(k, INSN_CUMPROD, &v, out);
}

// z = x - max(x, dim); num = exp(z); den = sum(num, dim); fdiv(num, den)
bool check_softmax(Call *k, Val *out) {
    Checker *c = k->c;
    Val v = k->arg[0], dim = val_is_none(&k->arg[1]) ? val_int(0) : k->arg[1], none = val_none();
    Val top, z, num, den, wide = v;
    if (!tensor_argument(c, k->at, &v) || !bf16_to_fp32(c, k->at, &wide) || !to_32_bits(c, k->at, &wide) ||
        !reduce(k, INSN_RMAX, &wide, &dim, &k->arg[2], &top) ||
        !check_binary(c, k->at, OPER_SUB, &v, &top, &z) || !check_float_unary(c, k->at, INSN_EXP, &z, &num))
        return false;
    den = num;
    return sum_type(c, k->at, &den, &none) && reduce(k, INSN_SUM, &den, &dim, &k->arg[2], &den) &&
           check_promote(c, k->at, &num, &den, NO_ARITHMETIC) &&
           check_binary_insn(c, k->at, INSN_DIV, &num, &den, out);
}
