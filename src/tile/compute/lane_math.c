// Functions of lanes by the table math.def: one plain loop over doubles or 64-bit integers, the same bits on
// every machine.
#include "base/numeric/fmath.h"
#include "base/numeric/special.h"
#include "tile/compute/step.h"
#include <math.h>

typedef double FloatFn(double a, double b, double c);
typedef int64_t IntFn(int64_t a, int64_t b, int64_t c);

const MathInfo math_info[MATH_COUNT] = {
#define MATH(id, operands, domain, cost, doc) {#id, operands, cost, #domain[0] == 'F'},
#include "tile/code/math.def"
#undef MATH
};

// ---- floats ----

static int exponent_of(double x) { // of a finite number that is not 0
    int e;
    (void)frexp(x, &e);
    return e - 1;
}
static double remainder_of(double x, double y) {
    double a = fabs(x), b = fabs(y);
    if (isnan(x) || isnan(y) || isinf(x) || b == 0) return NAN;
    if (isinf(b)) return x;
    if (b < 0x1p1022) a = fmod(a, 2 * b);
    double half = 0.5 * b;
    if (b < 0x1p-1000 ? 2 * a > b : a > half) {
        a -= b;
        if (b < 0x1p-1000 ? 2 * a >= b : a >= half) a -= b;
    }
    return signbit(x) ? -a : a;
}
static double next_of(DType t, double x, double to) {
    if (isnan(x) || isnan(to)) return NAN;
    if (x == to) return to;
    return dtype_next(t, x, to > x ? 1 : -1);
}
#define REAL(id, EXPR)                                      \
    static double math_##id(double a, double b, double c) { \
        (void)b, (void)c;                                   \
        return EXPR;                                        \
    }
REAL(TAN, f64_tan(a))
REAL(ASIN, f64_asin(a))
REAL(ACOS, f64_acos(a))
REAL(ATAN, f64_atan(a))
REAL(SINH, f64_sinh(a))
REAL(COSH, f64_cosh(a))
REAL(ASINH, f64_asinh(a))
REAL(ACOSH, f64_acosh(a))
REAL(ATANH, f64_atanh(a))
REAL(EXP10, f64_exp10(a))
REAL(LOG10, f64_log10(a))
REAL(CBRT, f64_cbrt(a))
REAL(ERFC, f64_erfc(a))
REAL(ERFCX, f64_erfcx(a))
REAL(ERFINV, f64_erfinv(a))
REAL(ERFCINV, f64_erfcinv(a))
REAL(LGAMMA, f64_lgamma(a))
REAL(TGAMMA, f64_tgamma(a))
REAL(SINPI, f64_sinpi(a))
REAL(COSPI, f64_cospi(a))
REAL(RCBRT, 1.0 / f64_cbrt(a))
REAL(NORMCDF, 0.5 * f64_erfc(-a * 0x1.6a09e667f3bcdp-1))
REAL(NORMCDFINV, -0x1.6a09e667f3bcdp+0 * f64_erfcinv(2.0 * a))
REAL(LOGB, a == 0 || isinf(a) || isnan(a) ? a == 0 ? -INFINITY : fabs(a) : (double)exponent_of(a))
REAL(RCP, 1.0 / a)
REAL(ATAN2, f64_atan2(a, b))
REAL(HYPOT, f64_hypot(a, b))
REAL(RHYPOT, 1.0 / f64_hypot(a, b))
REAL(FDIM, a != a || b != b ? a + b : a > b ? a - b : 0.0)
REAL(REMAINDER, remainder_of(a, b))
REAL(NORM3, f64_hypot(f64_hypot(a, b), c))
REAL(RNORM3, 1.0 / f64_hypot(f64_hypot(a, b), c))
REAL(LDEXP, b > 4000 ? ldexp(a, 4000) : b < -4000 ? ldexp(a, -4000) : ldexp(a, (int)b))
REAL(ILOGB, isinf(a) ? INT32_MAX : a == 0 || isnan(a) ? INT32_MIN : (double)exponent_of(a))
REAL(NEXT32, next_of(DT_F32, a, b))
REAL(NEXT64, next_of(DT_F64, a, b))

// ---- integers ----

static int64_t reversed(uint64_t x, int bits) {
    uint64_t r = 0;
    for (int i = 0; i < bits; i++) r |= (x >> i & 1) << (bits - 1 - i);
    return (int64_t)r;
}
static int64_t permuted(uint64_t a, uint64_t b, uint64_t pick) {
    uint64_t all = (a & 0xffffffffu) | b << 32, r = 0;
    for (int i = 0; i < 4; i++) r |= (all >> (8 * (pick >> (4 * i) & 7)) & 0xff) << (8 * i);
    return (int64_t)r;
}
#define WHOLE(id, EXPR)                                         \
    static int64_t math_##id(int64_t a, int64_t b, int64_t c) { \
        (void)b, (void)c;                                       \
        return (int64_t)(EXPR);                                 \
    }
WHOLE(UMULHI32, (uint64_t)(uint32_t)a *(uint32_t)b >> 32)
WHOLE(UMULHI64, (uint64_t)((unsigned __int128)(uint64_t)a *(uint64_t)b >> 64))
WHOLE(MULHI32, a *b >> 32)
WHOLE(MULHI64, (__int128)a *b >> 64)
WHOLE(CLZ32, (uint32_t)a ? __builtin_clz((uint32_t)a) : 32)
WHOLE(CLZ64, a ? __builtin_clzll((uint64_t)a) : 64)
WHOLE(POPC32, __builtin_popcount((uint32_t)a))
WHOLE(POPC64, __builtin_popcountll((uint64_t)a))
WHOLE(FFS, __builtin_ffsll(a))
WHOLE(BREV32, reversed((uint32_t)a, 32))
WHOLE(BREV64, reversed((uint64_t)a, 64))
WHOLE(HADD, (a + b) >> 1)
WHOLE(RHADD, (a + b + 1) >> 1)
WHOLE(SAD, (a > b ? a - b : b - a) + c)
WHOLE(BYTE_PERM, permuted((uint64_t)a, (uint64_t)b, (uint64_t)c))

static const union {
    FloatFn *real;
    IntFn *whole;
} math_fn[MATH_COUNT] = {
#define F                                     real
#define I                                     whole
#define MATH(id, operands, domain, cost, doc) {.domain = math_##id},
#include "tile/code/math.def"
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
