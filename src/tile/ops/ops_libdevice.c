// Rows of op.def: libdevice. Its functions know exact types; nothing is converted to fit, but numbers become
// tensors.
#include "tile/check/checker.h"
#include <math.h>

// The arguments as tensors of one shape and one type out of fp32, fp64 and, where asked for, int32 and int64.
static bool arguments(Call *k, int n, bool ints, Val *v) {
    Checker *c = k->c;
    bool known = true;
    for (int i = 0; i < n; i++) {
        if (!check_to_tensor(c, k->at, &k->arg[i], &v[i])) return false;
        const TileType *t = &v[i].t.type;
        known &=
            !t->pointer && t->elem == v[0].t.type.elem &&
            (t->elem == DT_F32 || t->elem == DT_F64 || (ints && (t->elem == DT_I32 || t->elem == DT_I64)));
    }
    if (!known) {
        Buf got = BUF(c->arena);
        for (int i = 0; i < n; i++) buf_printf(&got, "%s%s", i ? ", " : "", val_type_text(c, &v[i]));
        return checker_fail(c, k->at, "ValueError",
                            "input arg type does not match. Expect one of %sfp32 and fp64, got (%s)",
                            ints ? "int32, int64, " : "", buf_cstr(&got));
    }
    for (int round = 0; round < 2; round++) // pairs until nothing grows any more
        for (int i = 1; i < n; i++)
            if (!check_broadcast(c, k->at, &v[0], &v[i]) || !check_broadcast(c, k->at, &v[i - 1], &v[i]))
                return false;
    return true;
}

static bool unary(Call *k, InsnOp op, Val *out) {
    Val v;
    return arguments(k, 1, op == INSN_ABS, &v) &&
           checker_result(k->c, k->at, v.t.type, insn(op, -1, v.t.reg, -1, -1, 0), out);
}
static bool binary(Call *k, InsnOp op, Val *out) {
    Val v[2];
    return arguments(k, 2, false, v) && check_binary_insn(k->c, k->at, op, &v[0], &v[1], out);
}
#define ROW(id, kind, op) \
    bool check_ld_##id(Call *k, Val *out) { return kind(k, INSN_##op, out); }
ROW(round, unary, ROUND)
ROW(rint, unary, RINT)
ROW(trunc, unary, TRUNC)
ROW(floor, unary, FLOOR)
ROW(ceil, unary, CEIL)
ROW(sqrt, unary, SQRT)
ROW(sqrt_rn, unary, SQRT)
ROW(rsqrt_rn, unary, RSQRT)
ROW(log, unary, LOG)
ROW(log2, unary, LOG2)
ROW(exp2, unary, EXP2)
ROW(sin, unary, SIN)
ROW(cos, unary, COS)
ROW(abs, unary, ABS)
ROW(add_rn, binary, ADD)
ROW(sub_rn, binary, SUB)
ROW(mul_rn, binary, MUL)
ROW(div_rn, binary, DIV)
ROW(fmod, binary, MOD)

bool check_ld_llrint(Call *k, Val *out) {
    return unary(k, INSN_RINT, out) && check_cast(k->c, k->at, out, DT_I64, out);
}
bool check_ld_llround(Call *k, Val *out) {
    return unary(k, INSN_ROUND, out) && check_cast(k->c, k->at, out, DT_I64, out);
}

bool check_ld_fma(Call *k, Val *out) {
    Val v[3];
    if (!arguments(k, 3, false, v)) return false;
    Val ab = {.kind = VAL_TENSOR, .t = {check_joint_type(&v[0], &v[1]), -1}};
    return checker_result(k->c, k->at, check_joint_type(&ab, &v[2]),
                          insn(INSN_FMA, -1, v[0].t.reg, v[1].t.reg, v[2].t.reg, 0), out);
}

// isnan: x != x. isinf: |x| == inf. finite: |x| < inf.
static bool against_infinity(Call *k, InsnOp op, Val *out) {
    Val size, inf;
    return unary(k, INSN_ABS, &size) && type_is_float(&size.t.type) &&
           checker_constant(k->c, k->at, size.t.type.elem, (PyValue){.kind = PY_FLOAT, .f = INFINITY},
                            &inf) &&
           check_binary_insn(k->c, k->at, op, &size, &inf, out);
}
static bool only_floats(Call *k) {
    Val v;
    return arguments(k, 1, false, &v);
}
bool check_ld_isnan(Call *k, Val *out) {
    Val v;
    return arguments(k, 1, false, &v) && check_binary_insn(k->c, k->at, INSN_NE, &v, &v, out);
}
bool check_ld_isinf(Call *k, Val *out) { return only_floats(k) && against_infinity(k, INSN_EQ, out); }
bool check_ld_isfinite(Call *k, Val *out) { return only_floats(k) && against_infinity(k, INSN_LT, out); }

// By the bits: |x| with the sign bit of y.
bool check_ld_copysign(Call *k, Val *out) {
    Checker *c = k->c;
    Val v[2], sign, mask;
    if (!arguments(k, 2, false, v)) return false;
    DType elem = v[0].t.type.elem, bits = elem == DT_F64 ? DT_I64 : DT_I32;
    TileType tx = v[0].t.type, ty = v[1].t.type;
    tx.elem = ty.elem = bits;
    PyValue top = {.kind = PY_INT, .i = elem == DT_F64 ? INT64_MIN : INT32_MIN};
    if (!checker_constant(c, k->at, bits, top, &mask) ||
        !checker_result(c, k->at, v[0].t.type, insn(INSN_ABS, -1, v[0].t.reg, -1, -1, 0), &v[0]) ||
        !checker_result(c, k->at, tx, insn(INSN_BITCAST, -1, v[0].t.reg, -1, -1, 0), &v[0]) ||
        !checker_result(c, k->at, ty, insn(INSN_BITCAST, -1, v[1].t.reg, -1, -1, 0), &v[1]) ||
        !check_binary_insn(c, k->at, INSN_AND, &v[1], &mask, &sign) ||
        !check_binary_insn(c, k->at, INSN_OR, &v[0], &sign, out))
        return false;
    TileType r = out->t.type;
    r.elem = elem;
    return checker_result(c, k->at, r, insn(INSN_BITCAST, -1, out->t.reg, -1, -1, 0), out);
}

// ---- functions of math.def ----

static bool by_table(Call *k, MathFn fn, Val *v, TileType elem, Val *out) {
    int n = math_info[fn].operands;
    TileType t = v[0].t.type;
    for (int i = 1; i < n; i++) {
        Val so_far = {.kind = VAL_TENSOR, .t = {t, -1}};
        t = check_joint_type(&so_far, &v[i]);
    }
    t.elem = elem.elem;
    return checker_result(
        k->c, k->at, t, insn(INSN_MATH, -1, v[0].t.reg, n > 1 ? v[1].t.reg : -1, n > 2 ? v[2].t.reg : -1, fn),
        out);
}
static bool real(Call *k, MathFn fn, int n, Val *out) {
    Val v[3];
    return arguments(k, n, false, v) && by_table(k, fn, v, v[0].t.type, out);
}
#define REAL(id, fn, n) \
    bool check_ld_##id(Call *k, Val *out) { return real(k, MATH_##fn, n, out); }
REAL(tan, TAN, 1)
REAL(asin, ASIN, 1)
REAL(acos, ACOS, 1)
REAL(atan, ATAN, 1)
REAL(sinh, SINH, 1)
REAL(cosh, COSH, 1)
REAL(asinh, ASINH, 1)
REAL(acosh, ACOSH, 1)
REAL(atanh, ATANH, 1)
REAL(exp10, EXP10, 1)
REAL(log10, LOG10, 1)
REAL(cbrt, CBRT, 1)
REAL(erfc, ERFC, 1)
REAL(erfcx, ERFCX, 1)
REAL(erfinv, ERFINV, 1)
REAL(erfcinv, ERFCINV, 1)
REAL(lgamma, LGAMMA, 1)
REAL(tgamma, TGAMMA, 1)
REAL(sinpi, SINPI, 1)
REAL(cospi, COSPI, 1)
REAL(rcbrt, RCBRT, 1)
REAL(normcdf, NORMCDF, 1)
REAL(normcdfinv, NORMCDFINV, 1)
REAL(logb, LOGB, 1)
REAL(rcp_rn, RCP, 1)
REAL(atan2, ATAN2, 2)
REAL(hypot, HYPOT, 2)
REAL(rhypot, RHYPOT, 2)
REAL(fdim, FDIM, 2)
REAL(remainder, REMAINDER, 2)
REAL(norm3d, NORM3, 3)
REAL(rnorm3d, RNORM3, 3)

// Tensors of one shape whose types are those of one of the rows, in which DT_BOOL ends the list.
static bool typed(Call *k, int n, const DType (*row)[4], int rows, Val *v, int *found) {
    Checker *c = k->c;
    for (int i = 0; i < n; i++)
        if (!check_to_tensor(c, k->at, &k->arg[i], &v[i])) return false;
    *found = -1;
    for (int r = 0; r < rows && *found < 0; r++) {
        bool all = true;
        for (int i = 0; i < n; i++) all = all && !v[i].t.type.pointer && v[i].t.type.elem == row[r][i];
        if (all) *found = r;
    }
    if (*found < 0) {
        Buf want = BUF(c->arena), got = BUF(c->arena);
        for (int r = 0; r < rows; r++)
            for (int i = 0; i < n; i++)
                buf_printf(&want, "%s%s%s",
                           i   ? ", "
                           : r ? ", ("
                               : "(",
                           dtype_info[row[r][i]].triton, i == n - 1 ? ")" : "");
        for (int i = 0; i < n; i++) buf_printf(&got, "%s%s", i ? ", " : "", val_type_text(c, &v[i]));
        return checker_fail(c, k->at, "ValueError",
                            "input arg type does not match. Expect one of %s, got (%s)", buf_cstr(&want),
                            buf_cstr(&got));
    }
    for (int round = 0; round < 2; round++)
        for (int i = 1; i < n; i++)
            if (!check_broadcast(c, k->at, &v[0], &v[i]) || !check_broadcast(c, k->at, &v[i - 1], &v[i]))
                return false;
    return true;
}

static const DType floats[][4] = {{DT_F32, DT_F32}, {DT_F64, DT_F64}}, ints[][4] = {{DT_I32}, {DT_I64}},
                   pairs[][4] = {{DT_I32, DT_I32}, {DT_U32, DT_U32}, {DT_I64, DT_I64}, {DT_U64, DT_U64}},
                   scaled[][4] = {{DT_F32, DT_I32}, {DT_F64, DT_I32}},
                   sums[][4] = {{DT_I32, DT_I32, DT_U32}, {DT_U32, DT_U32, DT_U32}},
                   three[][4] = {{DT_I32, DT_I32, DT_I32}};
static const TileType int32 = {.elem = DT_I32};

bool check_ld_ldexp(Call *k, Val *out) {
    Val v[3];
    int row;
    return typed(k, 2, scaled, 2, v, &row) && by_table(k, MATH_LDEXP, v, v[0].t.type, out);
}
bool check_ld_ilogb(Call *k, Val *out) {
    Val v[3];
    int row;
    return typed(k, 1, floats, 2, v, &row) && by_table(k, MATH_ILOGB, v, int32, out);
}
bool check_ld_nextafter(Call *k, Val *out) {
    Val v[3];
    int row;
    return typed(k, 2, floats, 2, v, &row) &&
           by_table(k, row ? MATH_NEXT64 : MATH_NEXT32, v, v[0].t.type, out);
}
bool check_ld_mulhi(Call *k, Val *out) {
    static const MathFn fn[] = {MATH_MULHI32, MATH_UMULHI32, MATH_MULHI64, MATH_UMULHI64};
    Val v[3];
    int row;
    return typed(k, 2, pairs, 4, v, &row) && by_table(k, fn[row], v, v[0].t.type, out);
}
static bool bits(Call *k, MathFn narrow, MathFn wide, bool same, Val *out) {
    Val v[3];
    int row;
    return typed(k, 1, ints, 2, v, &row) &&
           by_table(k, row ? wide : narrow, v, same ? v[0].t.type : int32, out);
}
bool check_ld_clz(Call *k, Val *out) { return bits(k, MATH_CLZ32, MATH_CLZ64, false, out); }
bool check_ld_popc(Call *k, Val *out) { return bits(k, MATH_POPC32, MATH_POPC64, false, out); }
bool check_ld_ffs(Call *k, Val *out) { return bits(k, MATH_FFS, MATH_FFS, false, out); }
bool check_ld_brev(Call *k, Val *out) { return bits(k, MATH_BREV32, MATH_BREV64, true, out); }
static bool average(Call *k, MathFn fn, Val *out) {
    Val v[3];
    int row;
    return typed(k, 2, pairs, 2, v, &row) && by_table(k, fn, v, v[0].t.type, out);
}
bool check_ld_hadd(Call *k, Val *out) { return average(k, MATH_HADD, out); }
bool check_ld_rhadd(Call *k, Val *out) { return average(k, MATH_RHADD, out); }
bool check_ld_sad(Call *k, Val *out) {
    Val v[3];
    int row;
    return typed(k, 3, sums, 2, v, &row) && by_table(k, MATH_SAD, v, v[0].t.type, out);
}
bool check_ld_byte_perm(Call *k, Val *out) {
    Val v[3];
    int row;
    return typed(k, 3, three, 1, v, &row) && by_table(k, MATH_BYTE_PERM, v, int32, out);
}

static bool as_bits(Call *k, DType from, DType to, Val *out) {
    const DType row[1][4] = {{from}};
    Val v[3];
    int found;
    if (!typed(k, 1, row, 1, v, &found)) return false;
    TileType t = v[0].t.type;
    t.elem = to;
    return checker_result(k->c, k->at, t, insn(INSN_BITCAST, -1, v[0].t.reg, -1, -1, 0), out);
}
#define AS_BITS(id, from, to) \
    bool check_ld_##id(Call *k, Val *out) { return as_bits(k, DT_##from, DT_##to, out); }
AS_BITS(float_as_int, F32, I32)
AS_BITS(float_as_uint, F32, I32)
AS_BITS(int_as_float, I32, F32)
AS_BITS(uint_as_float, U32, F32)
AS_BITS(double_as_longlong, F64, I64)
AS_BITS(longlong_as_double, I64, F64)

bool check_ld_signbit(Call *k, Val *out) {
    Val v[3], zero;
    int row;
    if (!typed(k, 1, floats, 2, v, &row)) return false;
    TileType t = v[0].t.type;
    t.elem = row ? DT_I64 : DT_I32;
    return checker_result(k->c, k->at, t, insn(INSN_BITCAST, -1, v[0].t.reg, -1, -1, 0), out) &&
           checker_constant(k->c, k->at, t.elem, (PyValue){.kind = PY_INT}, &zero) &&
           check_binary_insn(k->c, k->at, INSN_LT, out, &zero, out) &&
           check_cast(k->c, k->at, out, DT_I32, out);
}
bool check_ld_saturatef(Call *k, Val *out) {
    Val v[3], zero, one;
    int row;
    return typed(k, 1, floats, 1, v, &row) &&
           checker_constant(k->c, k->at, DT_F32, (PyValue){.kind = PY_FLOAT}, &zero) &&
           checker_constant(k->c, k->at, DT_F32, (PyValue){.kind = PY_FLOAT, .f = 1}, &one) &&
           check_binary_insn(k->c, k->at, INSN_MAX, &v[0], &zero, out) &&
           check_binary_insn(k->c, k->at, INSN_MIN, out, &one, out);
}
