// Functions of lanes by the table math.def: one plain loop over doubles or 64-bit integers, the same bits on
// every machine.
#include "tile/step.h"
#include <math.h>

typedef double FloatFn(double a, double b, double c);
typedef int64_t IntFn(int64_t a, int64_t b, int64_t c);

const MathInfo math_info[MATH_COUNT] = {
#define MATH(id, operands, domain, cost, doc) {#id, operands, cost, #domain[0] == 'F'},
#include "tile/math.def"
#undef MATH
};

// ---- integers ----

static int64_t math_UMULHI32(int64_t a, int64_t b, int64_t c) {
    (void)c;
    return (int64_t)((uint64_t)(uint32_t)a * (uint32_t)b >> 32);
}
static int64_t math_UMULHI64(int64_t a, int64_t b, int64_t c) {
    (void)c;
    return (int64_t)(uint64_t)((unsigned __int128)(uint64_t)a * (uint64_t)b >> 64);
}

static const union {
    FloatFn *real;
    IntFn *whole;
} math_fn[MATH_COUNT] = {
#define F                                     real
#define I                                     whole
#define MATH(id, operands, domain, cost, doc) {.domain = math_##id},
#include "tile/math.def"
#undef MATH
#undef F
#undef I
};

// ---- lanes ----

int64_t lane_int(const void *p, DType t, size_t i) {
    switch (t) {
    case DT_BOOL: return ((const uint8_t *)p)[i];
    case DT_I64:
    case DT_U64: return ((const int64_t *)p)[i];
    case DT_U8:
    case DT_U16:
    case DT_U32: return ((const uint32_t *)p)[i];
    default: return ((const int32_t *)p)[i];
    }
}
static double lane_real(const void *p, DType t, size_t i) {
    if (t == DT_F64) return ((const double *)p)[i];
    return dtype_is_float(t) ? ((const float *)p)[i] : (double)lane_int(p, t, i);
}

static void put_int(void *p, DType t, size_t i, int64_t x) {
    switch (t) {
    case DT_BOOL: ((uint8_t *)p)[i] = x != 0; break;
    case DT_I64:
    case DT_U64: ((int64_t *)p)[i] = x; break;
    case DT_U8: ((uint32_t *)p)[i] = (uint8_t)x; break;
    case DT_U16: ((uint32_t *)p)[i] = (uint16_t)x; break;
    case DT_U32: ((uint32_t *)p)[i] = (uint32_t)x; break;
    case DT_I8: ((int32_t *)p)[i] = (int8_t)x; break;
    case DT_I16: ((int32_t *)p)[i] = (int16_t)x; break;
    default: ((int32_t *)p)[i] = (int32_t)x; break;
    }
}
// A float that becomes an integer saturates; NaN becomes 0.
static void put_real(void *p, DType t, size_t i, double x) {
    if (t == DT_F64)
        ((double *)p)[i] = x;
    else if (dtype_is_float(t))
        ((float *)p)[i] = (float)dtype_round(t, x);
    else
        put_int(p, t, i, x != x ? 0 : x >= 0x1p63 ? INT64_MAX : x <= -0x1p63 ? INT64_MIN : (int64_t)x);
}

bool step_math(Vm *v, const Step *s) {
    const Insn *insn = &v->code->insn[s->insn];
    const int r[3] = {insn->a, insn->b, insn->c};
    const void *p[3] = {s->a, s->b, s->c};
    const uint8_t *poison[3] = {s->pa, s->pb, s->pc};
    const uint8_t one[3] = {ONE_A, ONE_B, ONE_C};
    DType t[3] = {0}, to = v->code->reg[insn->d].type.elem;
    for (int k = 0; k < 3; k++)
        if (r[k] >= 0) t[k] = v->code->reg[r[k]].type.elem;
    bool real = math_info[s->imm].real;
    for (size_t i = 0; i < (size_t)s->lanes; i++) {
        double x[3] = {0};
        int64_t n[3] = {0};
        uint8_t bad = 0;
        for (int k = 0; k < 3 && p[k]; k++) {
            size_t at = s->one & one[k] ? 0 : i;
            if (real)
                x[k] = lane_real(p[k], t[k], at);
            else
                n[k] = lane_int(p[k], t[k], at);
            bad |= poison[k] ? poison[k][at] : 0;
        }
        if (real)
            put_real(s->d, to, i, math_fn[s->imm].real(x[0], x[1], x[2]));
        else
            put_int(s->d, to, i, math_fn[s->imm].whole(n[0], n[1], n[2]));
        if (s->pd) s->pd[i] = bad;
    }
    return true;
}
