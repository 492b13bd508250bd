// Rows of op.def: libdevice. Its functions know exact types; nothing is converted to fit, but numbers become
// tensors.
#include "tile/checker.h"
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
           checker_result(k->c, k->at, op, v.t.type, v.t.reg, -1, -1, 0, out);
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
    return checker_result(k->c, k->at, INSN_FMA, check_joint_type(&ab, &v[2]), v[0].t.reg, v[1].t.reg,
                          v[2].t.reg, 0, out);
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
        !checker_result(c, k->at, INSN_ABS, v[0].t.type, v[0].t.reg, -1, -1, 0, &v[0]) ||
        !checker_result(c, k->at, INSN_BITCAST, tx, v[0].t.reg, -1, -1, 0, &v[0]) ||
        !checker_result(c, k->at, INSN_BITCAST, ty, v[1].t.reg, -1, -1, 0, &v[1]) ||
        !check_binary_insn(c, k->at, INSN_AND, &v[1], &mask, &sign) ||
        !check_binary_insn(c, k->at, INSN_OR, &v[0], &sign, out))
        return false;
    TileType r = out->t.type;
    r.elem = elem;
    return checker_result(c, k->at, INSN_BITCAST, r, out->t.reg, -1, -1, 0, out);
}
