// Rows of op.def: arithmetic, lane by lane.
#include "tile/check/checker.h"

// ---- functions of one float ----

static bool float_argument(Checker *c, const Node *at, const Val *v, bool f64, Val *out) {
    if (!check_to_tensor(c, at, v, out)) return false;
    const TileType *t = &out->t.type;
    if (!t->pointer && (t->elem == DT_F32 || (f64 && t->elem == DT_F64))) return true;
    TileType s = {.elem = t->elem, .pointer = t->pointer};
    return checker_fail(c, at, "ValueError", "Expected dtype %s but got %s",
                        f64 ? "['fp32', 'fp64']" : "['fp32']", type_text(c, &s));
}

bool check_float_unary(Checker *c, const Node *at, InsnOp op, const Val *x, Val *out) {
    Val v;
    return float_argument(c, at, x, true, &v) &&
           checker_result(c, at, v.t.type, insn(op, -1, v.t.reg, -1, -1, 0), out);
}
#define FLOAT_UNARY(id, op) \
    bool check_##id(Call *k, Val *out) { return check_float_unary(k->c, k->at, INSN_##op, &k->arg[0], out); }
FLOAT_UNARY(exp, EXP)
FLOAT_UNARY(exp2, EXP2)
FLOAT_UNARY(log, LOG)
FLOAT_UNARY(log2, LOG2)
FLOAT_UNARY(sqrt, SQRT)
FLOAT_UNARY(rsqrt, RSQRT)
FLOAT_UNARY(sin, SIN)
FLOAT_UNARY(cos, COS)
FLOAT_UNARY(erf, ERF)
FLOAT_UNARY(floor, FLOOR)
FLOAT_UNARY(ceil, CEIL)
FLOAT_UNARY(ld_tanh, TANH)
FLOAT_UNARY(ld_exp, EXP)
FLOAT_UNARY(ld_expm1, EXPM1)
FLOAT_UNARY(ld_log1p, LOG1P)
FLOAT_UNARY(ld_rsqrt, RSQRT)
FLOAT_UNARY(ld_erf, ERF)

bool check_sqrt_rn(Call *k, Val *out) {
    Val v;
    return float_argument(k->c, k->at, &k->arg[0], false, &v) &&
           checker_result(k->c, k->at, v.t.type, insn(INSN_SQRT, -1, v.t.reg, -1, -1, 0), out);
}

bool check_abs(Call *k, Val *out) {
    Val v;
    if (!check_to_tensor(k->c, k->at, &k->arg[0], &v)) return false;
    if (v.t.type.pointer)
        return checker_fail(k->c, k->at, "AssertionError", "Unexpected dtype %s", val_type_text(k->c, &v));
    if (!dtype_is_float(v.t.type.elem) && !dtype_is_signed(v.t.type.elem)) return *out = v, true;
    return checker_result(k->c, k->at, v.t.type, insn(INSN_ABS, -1, v.t.reg, -1, -1, 0), out);
}

// ---- two and three operands ----

bool check_ld_pow(Call *k, Val *out) {
    Val x, y;
    if (!check_to_tensor(k->c, k->at, &k->arg[0], &x) || !check_to_tensor(k->c, k->at, &k->arg[1], &y))
        return false;
    DType tx = x.t.type.elem, ty = y.t.type.elem;
    // libdevice has pow(fp32, fp32), pow(fp64, fp64) and the same with an int32 exponent, which is exact in
    // either.
    bool known = !x.t.type.pointer && !y.t.type.pointer && (tx == DT_F32 || tx == DT_F64) &&
                 (ty == tx || ty == DT_I32);
    if (!known)
        return checker_fail(k->c, k->at, "ValueError",
                            "input arg type does not match. Expect one of fp32 and fp64, got (%s, %s)",
                            val_type_text(k->c, &x), val_type_text(k->c, &y));
    if (ty == DT_I32 && tx == DT_F32) { // an int32 may have more digits than float32
        Val wide;
        return check_cast(k->c, k->at, &x, DT_F64, &x) && check_cast(k->c, k->at, &y, DT_F64, &y) &&
               check_broadcast(k->c, k->at, &x, &y) &&
               check_binary_insn(k->c, k->at, INSN_POW, &x, &y, &wide) &&
               check_cast(k->c, k->at, &wide, DT_F32, out);
    }
    return check_cast(k->c, k->at, &y, tx, &y) && check_broadcast(k->c, k->at, &x, &y) &&
           check_binary_insn(k->c, k->at, INSN_POW, &x, &y, out);
}

static bool float_division(Call *k, bool f32_only, Val *out) {
    Val x, y;
    if (!check_to_tensor(k->c, k->at, &k->arg[0], &x) || !check_to_tensor(k->c, k->at, &k->arg[1], &y))
        return false;
    if (f32_only &&
        (!float_argument(k->c, k->at, &x, false, &x) || !float_argument(k->c, k->at, &y, false, &y)))
        return false;
    if (!type_is_float(&x.t.type) || !type_is_float(&y.t.type))
        return checker_fail(k->c, k->at, "TypeError", "both operands of fdiv must have floating scalar type");
    if (!check_promote(k->c, k->at, &x, &y, NO_ARITHMETIC)) return false;
    if (x.t.type.elem != y.t.type.elem) // LLVM would refuse the mixed division that Triton builds
        return checker_fail(k->c, k->at, "TypeError",
                            "both operands of fdiv must have the same type, got %s and %s",
                            dtype_info[x.t.type.elem].triton, dtype_info[y.t.type.elem].triton);
    return check_binary_insn(k->c, k->at, INSN_DIV, &x, &y, out);
}
bool check_fdiv(Call *k, Val *out) { return float_division(k, false, out); }
bool check_div_rn(Call *k, Val *out) { return float_division(k, true, out); }

// tl.add and the like: the operators, with real tensors for numbers.
static bool by_name(Call *k, Oper op, Val *out) {
    Val x, y;
    return check_to_tensor(k->c, k->at, &k->arg[0], &x) && check_to_tensor(k->c, k->at, &k->arg[1], &y) &&
           check_binary(k->c, k->at, op, val_is_number(&k->arg[0]) ? &k->arg[0] : &x,
                        val_is_number(&k->arg[1]) && !val_is_number(&k->arg[0]) ? &k->arg[1] : &y, out);
}
bool check_add(Call *k, Val *out) { return by_name(k, OPER_ADD, out); }
bool check_sub(Call *k, Val *out) { return by_name(k, OPER_SUB, out); }
bool check_mul(Call *k, Val *out) { return by_name(k, OPER_MUL, out); }
bool check_logical_and(Call *k, Val *out) {
    return check_logical(k->c, k->at, false, &k->arg[0], &k->arg[1], out);
}
bool check_logical_or(Call *k, Val *out) {
    return check_logical(k->c, k->at, true, &k->arg[0], &k->arg[1], out);
}

bool check_umulhi(Call *k, Val *out) {
    Checker *c = k->c;
    Val v[2] = {k->arg[0], k->arg[1]};
    for (int i = 0; i < 2; i++) {
        const TileType *t = &v[i].t.type;
        bool whole = !val_is_tensor(&v[i]) || (!t->pointer && (t->elem == DT_I32 || t->elem == DT_I64 ||
                                                               t->elem == DT_U32 || t->elem == DT_U64));
        if (!whole)
            return checker_fail(c, k->at, "ValueError",
                                "Expected dtype ['int32', 'int64', 'uint32', 'uint64'] but got %s",
                                type_text(c, &(TileType){.elem = t->elem, .pointer = t->pointer}));
        if (!check_to_tensor(c, k->at, &v[i], &v[i])) return false;
    }
    if (!check_promote(c, k->at, &v[0], &v[1], 0)) return false;
    TileType t = check_joint_type(&v[0], &v[1]);
    if (!dtype_is_int(t.elem))
        return checker_fail(c, k->at, "TypeError", "unexpected type %s", type_text(c, &t));
    MathFn fn = dtype_bits(t.elem) == 64 ? MATH_UMULHI64 : MATH_UMULHI32;
    return checker_result(c, k->at, t, insn(INSN_MATH, -1, v[0].t.reg, v[1].t.reg, -1, fn), out);
}

static bool ternary(Call *k, InsnOp op, const Val *const in[3], TileType elem, Val *out) {
    const Val *a = in[0], *b = in[1], *c = in[2];
    Val ab = {.kind = VAL_TENSOR, .t = {check_joint_type(a, b), -1}};
    TileType t = check_joint_type(&ab, c);
    t.elem = elem.elem;
    t.pointer = elem.pointer;
    return checker_result(k->c, k->at, t, insn(op, -1, a->t.reg, b->t.reg, c->t.reg, 0), out);
}

// All three to one shape: pairs until nothing grows any more.
static bool broadcast3(Call *k, Val *a, Val *b, Val *c) {
    return check_broadcast(k->c, k->at, a, b) && check_broadcast(k->c, k->at, b, c) &&
           check_broadcast(k->c, k->at, a, b) && check_broadcast(k->c, k->at, a, c);
}

bool check_fma(Call *k, Val *out) {
    Val x, y, z;
    if (!check_to_tensor(k->c, k->at, &k->arg[0], &x) || !check_to_tensor(k->c, k->at, &k->arg[1], &y) ||
        !check_to_tensor(k->c, k->at, &k->arg[2], &z))
        return false;
    if (!check_promote(k->c, k->at, &x, &y, 0) || !check_promote(k->c, k->at, &z, &x, 0) ||
        !check_promote(k->c, k->at, &z, &y, 0) || !broadcast3(k, &x, &y, &z))
        return false;
    if (!type_is_float(&x.t.type))
        return checker_fail(k->c, k->at, "TypeError", "unexpected type %s", val_type_text(k->c, &x));
    return ternary(k, INSN_FMA, (const Val *const[3]){&x, &y, &z}, x.t.type, out);
}

bool check_where(Call *k, Val *out) {
    Val cond, x = k->arg[1], y = k->arg[2];
    if (!check_to_tensor(k->c, k->at, &k->arg[0], &cond)) return false;
    if (cond.t.type.pointer || cond.t.type.elem != DT_BOOL)
        checker_warn(k->c, k->at,
                     "tl.where with a non-boolean condition is deprecated and will error out in a future "
                     "triton release. Got %s",
                     val_type_text(k->c, &cond));
    if (!check_cast(k->c, k->at, &cond, DT_BOOL, &cond)) return false;
    if (!check_promote(k->c, k->at, &x, &y, ALLOW_LEFT_POINTER | ALLOW_RIGHT_POINTER)) return false;
    if (x.t.type.pointer != y.t.type.pointer)
        return checker_fail(k->c, k->at, "TypeError", "tl.where needs two values of one type, got %s and %s",
                            val_type_text(k->c, &x), val_type_text(k->c, &y));
    TileType elem = x.t.type;
    return broadcast3(k, &cond, &x, &y) &&
           ternary(k, INSN_WHERE, (const Val *const[3]){&cond, &x, &y}, elem, out);
}

// ---- maximum, minimum, clamp: numbers become real tensors, bf16 is compared as fp32 ----

static bool extreme_argument(Call *k, const Val *v, Val *out) {
    return check_to_tensor(k->c, k->at, v, out) &&
           (out->t.type.pointer || out->t.type.elem != DT_BF16 || check_cast(k->c, k->at, out, DT_F32, out));
}
static bool propagates_nan(Call *k, const Val *v, int64_t *out) {
    *out = 0;
    if (val_is_none(v)) return true;
    if (!val_is_py(v, PY_STR) || (!str_is(v->py.s, "ALL") && !str_is(v->py.s, "NONE")))
        return checker_fail(k->c, k->at, "ValueError", "propagate_nan must be a tl.PropagateNan, got %s",
                            val_text(k->c, v));
    *out = str_is(v->py.s, "ALL");
    return true;
}
static bool extreme(Call *k, InsnOp op, const Val *l, const Val *r, int64_t nan, Val *out) {
    TileType t = check_joint_type(l, r);
    if (!type_is_float(&t)) nan = 0;
    return checker_result(k->c, k->at, t, insn(op, -1, l->t.reg, r->t.reg, -1, nan), out);
}
static bool two_extreme(Call *k, InsnOp op, Val *out) {
    Val x, y;
    int64_t nan;
    if (!extreme_argument(k, &k->arg[0], &x) || !extreme_argument(k, &k->arg[1], &y) ||
        !propagates_nan(k, &k->arg[2], &nan) || !check_promote(k->c, k->at, &x, &y, 0))
        return false;
    for (int i = 0; i < 2 && !type_is_float(&x.t.type); i++) check_note_compared(k->c, &k->arg[i]);
    return extreme(k, op, &x, &y, nan, out);
}
bool check_maximum(Call *k, Val *out) { return two_extreme(k, INSN_MAX, out); }
bool check_minimum(Call *k, Val *out) { return two_extreme(k, INSN_MIN, out); }

bool check_clamp(Call *k, Val *out) {
    Val x, lo, hi, y;
    int64_t nan;
    if (!extreme_argument(k, &k->arg[0], &x) || !extreme_argument(k, &k->arg[1], &lo) ||
        !extreme_argument(k, &k->arg[2], &hi) || !propagates_nan(k, &k->arg[3], &nan))
        return false;
    if (!check_promote(k->c, k->at, &lo, &hi, 0) || !check_promote(k->c, k->at, &x, &lo, 0) ||
        !check_promote(k->c, k->at, &x, &hi, 0) || !check_cast(k->c, k->at, &lo, x.t.type.elem, &lo) ||
        !broadcast3(k, &x, &lo, &hi))
        return false;
    if (!type_is_float(&x.t.type))
        return checker_fail(k->c, k->at, "TypeError",
                            "Unexpected dtype %s. Only floating point clamp is supported",
                            dtype_info[x.t.type.elem].triton);
    return extreme(k, INSN_MAX, &x, &lo, nan, &y) && extreme(k, INSN_MIN, &y, &hi, nan, out);
}

// ---- compound functions, in the order of Triton's own source ----

bool check_sigmoid(Call *k, Val *out) {
    Val minus, e, one = val_int(1), sum;
    return check_unary(k->c, k->at, OPER_NEG, &k->arg[0], &minus) &&
           check_float_unary(k->c, k->at, INSN_EXP, &minus, &e) &&
           check_binary(k->c, k->at, OPER_ADD, &one, &e, &sum) &&
           check_binary(k->c, k->at, OPER_DIV, &one, &sum, out);
}

bool check_cdiv(Call *k, Val *out) {
    Val one = val_int(1), sum, top, ratio;
    return check_binary(k->c, k->at, OPER_ADD, &k->arg[0], &k->arg[1], &sum) &&
           check_binary(k->c, k->at, OPER_SUB, &sum, &one, &top) &&
           check_binary(k->c, k->at, OPER_FLOORDIV, &top, &k->arg[1], &ratio) &&
           check_decay(k->c, k->at, &ratio, out);
}

// The host's functions: plain Python, which a tensor cannot enter.
static bool host_numbers(Call *k, int n) {
    for (int i = 0; i < n; i++) {
        if (val_is_tensor(&k->arg[i]))
            return checker_fail(k->c, k->at, "ValueError",
                                "Did you forget to add @triton.jit ? (`_semantic` argument must be provided "
                                "outside of JIT functions.)");
        if (!val_is_py(&k->arg[i], PY_INT))
            return checker_fail(k->c, k->at, "TypeError", "triton.%.*s needs integers, got %s",
                                STR_ARG(k->name), val_text(k->c, &k->arg[i]));
    }
    return true;
}
bool check_host_cdiv(Call *k, Val *out) {
    Val one = val_int(1), sum, top;
    return host_numbers(k, 2) && check_binary(k->c, k->at, OPER_ADD, &k->arg[0], &k->arg[1], &sum) &&
           check_binary(k->c, k->at, OPER_SUB, &sum, &one, &top) &&
           check_binary(k->c, k->at, OPER_FLOORDIV, &top, &k->arg[1], out);
}
bool check_next_power_of_2(Call *k, Val *out) {
    if (!host_numbers(k, 1)) return false;
    int64_t n = k->arg[0].py.i, p = 1;
    if (n > (int64_t)1 << 62)
        return checker_fail(k->c, k->at, NULL, "OverflowError: integer does not fit 64 bits");
    while (p < n) p *= 2;
    return *out = val_int(n <= 0 ? 0 : p), true;
}
