// fmath_impl.h - the bodies behind fmath.h; include that one.
// The scheme is the same everywhere: bring the argument into a small interval with steps that are exact or
// whose error is carried along, evaluate one minimax polynomial, undo the reduction. The polynomials were
// fitted for this file by Remez exchange in 200-bit arithmetic; the figure beside each is its relative error
// before the coefficients are rounded. Long polynomials run as two interleaved Horner chains (even and odd
// powers), which halves the latency and fixes the order of every sum. Both sides of a choice are always
// computed, so nothing here branches (sin and cos of huge arguments apart) and a loop over an array becomes
// vector code. NaN results are the one canonical quiet NaN: the payload and sign that hardware hands on
// depend on operand order, which is the compiler's to choose.
#pragma once
#include "base/bits.h"
#include <math.h>
#include <stdbool.h>
#include <stdint.h>

#define F64_LOG2E  0x1.71547652b82fep+0
#define F64_LN2_HI 0x1.62e42fefa3000p-1 // 41 bits: times an exponent it is exact
#define F64_LN2_LO 0x1.3de6af278ece6p-42
#define F64_MAGIC  0x1.8p52 // adding it leaves the nearest integer in the low bits
#define F64_SIGN   0x8000000000000000u

// GCC sinks what only one side needs into a branch, and then cannot vectorise the loop for AVX2; masks stop
// it, but cost where there are no vectors.
static inline double f64_if(bool c, double yes, double no) {
#if defined(__AVX2__) || defined(__clang__)
    uint64_t mask = -(uint64_t)c;
    return double_of((bits64(yes) & mask) | (bits64(no) & ~mask));
#else
    return c ? yes : no;
#endif
}

static inline double f64_abs(double x) { return double_of(bits64(x) & ~F64_SIGN); }

static inline double f64_sign_of(double magnitude, double sign) {
    return double_of((bits64(magnitude) & ~F64_SIGN) | (bits64(sign) & F64_SIGN));
}

static inline double f64_nan(void) { return double_of(0x7ff8000000000000u); }

// y, or the canonical NaN where x is a NaN.
static inline double f64_nan_if(double x, double y) { return f64_if(x != x, f64_nan(), y); }

static inline double f64_clamp(double x, double lo, double hi) {
    double y = f64_if(x < lo, lo, x);
    return f64_if(y > hi, hi, y);
}

// p * 2^(k - 2048) for k in [1, 4093], rounded once: two factors, because 2^k alone may not be a double.
static inline double f64_scale(double p, uint64_t k) {
    uint64_t half = k >> 1;
    return p * double_of((half - 1) << 52) * double_of((k - half - 1) << 52);
}

// (e^r - 1 - r) / r^2 for |r| <= ln(2) / 2; error 2^-61.7 of e^r - 1.
static inline double f64_exp_poly(double r) {
    double z = r * r;
    double even = 0x1.1f956a65e7d34p-29;
    even = even * z + 0x1.27e4c59c1a7fdp-22;
    even = even * z + 0x1.a01a01b0b90f7p-16;
    even = even * z + 0x1.6c16c16c1444dp-10;
    even = even * z + 0x1.555555555555ap-5;
    even = even * z + 0x1.0000000000000p-1;
    double odd = 0x1.af5ec0278f491p-26;
    odd = odd * z + 0x1.71ddf852f631cp-19;
    odd = odd * z + 0x1.a01a01afe56a7p-13;
    odd = odd * z + 0x1.111111110f6aep-7;
    odd = odd * z + 0x1.5555555555559p-3;
    return even + odd * r;
}

// x = k ln(2) + r, for |x| <= 2000; k comes with 2048 added.
typedef struct {
    double r;
    uint64_t k;
} F64ExpSplit;
static inline F64ExpSplit f64_exp_split(double x, double low) {
    double n = x * F64_LOG2E + F64_MAGIC;
    uint64_t k = bits64(n) - bits64(F64_MAGIC) + 2048;
    n -= F64_MAGIC;
    return (F64ExpSplit){(x - n * F64_LN2_HI) - (n * F64_LN2_LO - low), k};
}

// e^(x + low) for |x| <= 1000 and |low| far below |x|.
static inline double f64_exp_core(double x, double low) {
    F64ExpSplit s = f64_exp_split(x, low);
    return f64_scale(1.0 + (s.r + s.r * s.r * f64_exp_poly(s.r)), s.k);
}

static inline double f64_exp(double x) { return f64_nan_if(x, f64_exp_core(f64_clamp(x, -1000, 1000), 0)); }

// For results that are rounded to float32 or less: relative error below 2^-36, half the work of f64_exp. e^r
// by its series to r^9; |k| stays below 160, so that 2^k is a normal double and one factor does.
static inline double f64_short_exp_tail(double r, uint64_t k) {
    double z = r * r;
    double even = 0x1.a01a01a01a01ap-16 * z + 0x1.6c16c16c16c17p-10;
    even = even * z + 0x1.5555555555555p-5;
    even = even * z + 0.5;
    double odd = 0x1.71de3a556c734p-19 * z + 0x1.a01a01a01a01ap-13;
    odd = odd * z + 0x1.1111111111111p-7;
    odd = odd * z + 0x1.5555555555555p-3;
    return (1.0 + (r + z * (even + odd * r))) * double_of((k + 1023 - 2048) << 52);
}
static inline double f64_short_exp(double x) {
    F64ExpSplit s = f64_exp_split(f64_clamp(x, -110, 110), 0);
    return f64_nan_if(x, f64_short_exp_tail(s.r, s.k));
}
static inline double f64_short_exp2(double x) {
    double c = f64_clamp(x, -158, 158), n = c + F64_MAGIC;
    uint64_t k = bits64(n) - bits64(F64_MAGIC) + 2048;
    return f64_nan_if(x, f64_short_exp_tail((c - (n - F64_MAGIC)) * 0x1.62e42fefa39efp-1, k));
}

// ---- float32 in float32: what loops over tiles spend half of their time in ----

// Never a branch, not even where GCC would rather have one.
static inline float f32_if(bool c, float yes, float no) {
    uint32_t mask = -(uint32_t)c;
    return float_of((bits32(yes) & mask) | (bits32(no) & ~mask));
}

// Adding it leaves the nearest integer k in the low bits, with 254 added: the exponents of two numbers of
// half the size.
#define F32_MAGIC (0x1.8p23f + 254.0f)

// y 2^k, rounded once, for y in [1/2, 2) and k in [-252, 254], from the bits of F32_MAGIC + k; each factor is
// a normal number. (A NaN stays one, whatever the factors are.)
static inline float f32_scale(float y, uint32_t bits) {
    uint32_t half = bits >> 1;
    return y * float_of(half << 23) * float_of((bits - half) << 23);
}

// 1 + x + rest, where x was rounded and rest is smaller: the sum of the first two is exact before the rest
// comes in.
static inline float f32_one_plus(float x, float rest) {
    float y = 1.0f + x;
    return y + (((1.0f - y) + x) + rest);
}

// Error at most 0.80 ulp (every argument was tried); e^r - 1 - r for |r| <= ln(2) / 2 with a relative error
// of 2^-28.2 of e^r. Beyond the ends of float32 the results are 0 and infinity.
static inline float f32_exp(float x) {
    // A zero that is not the end of an underflow, which takes processors several times as long.
    bool none = x < -104.0f;
    float c = f32_if(none, 0.0f, x);
    c = f32_if(c > 89.0f, 89.0f, c);
    float n = c * 0x1.715476p+0f + F32_MAGIC;
    uint32_t bits = bits32(n);
    n -= F32_MAGIC;
    float r = (c - n * 0x1.62e4p-1f) - n * 0x1.7f7d1cp-20f; // the first product and difference are exact
    float q = 0x1.6a3ffcp-10f;
    q = q * r + 0x1.1239ecp-7f;
    q = q * r + 0x1.5558bep-5f;
    q = q * r + 0x1.555492p-3f;
    q = q * r + 0x1.fffffcp-2f;
    return f32_if(none, 0.0f, f32_scale(f32_one_plus(r, r * r * q), bits));
}

// Error at most 0.88 ulp.
static inline float f32_exp2(float x) {
    bool none = x < -151.0f;
    float c = f32_if(none, 0.0f, x);
    c = f32_if(c > 129.0f, 129.0f, c);
    float n = c + F32_MAGIC;
    uint32_t bits = bits32(n);
    float t = c - (n - F32_MAGIC);
    float q = 0x1.4161f2p-13f;
    q = q * t + 0x1.5f0478p-10f;
    q = q * t + 0x1.3b2deap-7f;
    q = q * t + 0x1.c6af88p-5f;
    q = q * t + 0x1.ebfbdcp-3f;
    return f32_if(none, 0.0f, f32_scale(f32_one_plus(t * 0x1.62e43p-1f, t * t * q), bits));
}

static inline double f64_exp2(double x) {
    double c = f64_clamp(x, -1500, 1500);
    double n = c + F64_MAGIC;
    uint64_t k = bits64(n) - bits64(F64_MAGIC) + 2048;
    double t = c - (n - F64_MAGIC);
    double r = t * 0x1.62e42fefa39efp-1;
    double low = t * 0x1.abc9e3b39803fp-56;
    return f64_nan_if(x, f64_scale(1.0 + (r + (r * r * f64_exp_poly(r) + low)), k));
}

static inline double f64_expm1(double x) {
    F64ExpSplit s = f64_exp_split(f64_clamp(x, -60, 710), 0);
    double p = s.r + s.r * s.r * f64_exp_poly(s.r);
    double half =
        double_of((s.k - 1026) << 52); // 2^(k - 1): 2^k itself can overflow where the result does not
    double y = 2.0 * (half * p + (half - 0.5));
    return f64_nan_if(x, f64_if(f64_abs(x) < 0x1p-54, x, y));
}

// x = 2^k (1 + f) with 1 + f in [sqrt(1/2), sqrt(2)), for positive finite x; anything else gives some number.
typedef struct {
    double f, k;
} F64LogSplit;
static inline F64LogSplit f64_log_split(double x) {
    bool tiny = x < 0x1p-1022;
    uint64_t b = bits64(f64_if(tiny, x * 0x1p54, x));
    uint64_t e = (b - 0x3fe6a09e667f3bcdu + (1023ull << 52)) >> 52; // k + 1023
    double k = double_of(e | bits64(0x1p52)) - 0x1p52 - f64_if(tiny, 1023 + 54, 1023);
    return (F64LogSplit){double_of(b - ((e - 1023) << 52)) - 1.0, k};
}

// ln(1 + f) as f - (h - t), h = f^2 / 2. With s = f / (2 + f) it is 2 s + s R(s^2), and 2 s = f - h + s h.
typedef struct {
    double h, t;
} F64LogTail;
static inline F64LogTail f64_log_tail(double f) {
    double s = f / (2.0 + f);
    double z = s * s;
    double w = z * z;
    double even = 0x1.2f0512bcb9cfcp-3; // error 2^-59.5
    even = even * w + 0x1.74663e0ec6407p-3;
    even = even * w + 0x1.24924941e8ac2p-2;
    even = even * w + 0x1.5555555555592p-1;
    double odd = 0x1.39a1c96ee7773p-3;
    odd = odd * w + 0x1.c71c520eea548p-3;
    odd = odd * w + 0x1.999999997fe68p-2;
    double h = 0.5 * f * f;
    return (F64LogTail){h, s * (h + z * (even + odd * z))};
}

static inline double f64_log_core(F64LogSplit s, double low) {
    F64LogTail t = f64_log_tail(s.f);
    return s.k * F64_LN2_HI - ((t.h - (t.t + (s.k * F64_LN2_LO + low))) - s.f);
}

// What every logarithm says outside (0, inf); x is the argument of log, y the value found inside.
static inline double f64_log_ends(double x, double y) {
    y = f64_if(x == (double)INFINITY, x, y);
    y = f64_if(x == 0.0, -(double)INFINITY, y);
    return f64_if(x >= 0.0, y, f64_nan());
}

static inline double f64_log(double x) { return f64_log_ends(x, f64_log_core(f64_log_split(x), 0)); }

static inline double f64_log2(double x) {
    F64LogSplit s = f64_log_split(x);
    F64LogTail t = f64_log_tail(s.f);
    return f64_log_ends(x, s.k + (s.f - (t.h - t.t)) * F64_LOG2E);
}

static inline double f64_log1p(double x) {
    double u = 1.0 + x;
    double lost = f64_if(x < 1.0, x - (u - 1.0), 1.0 - (u - x)); // what rounding u dropped, exactly
    double y = f64_log_core(f64_log_split(u), lost / u);
    y = f64_log_ends(u, y);
    return f64_if(f64_abs(x) < 0x1p-54, x, y);
}

// erf(x) for |x| < 1: x + x P(x^2), error 2^-62.7. Beyond: 1 - e^(-x^2) Q(t) with t = (x - 3) / (x + 3), Q
// fitted to e^(x^2) erfc(x) on [1, 6] with the weight that it has in the result, error 2^-61.3 of erf. erf(6)
// is 1.
static inline double f64_erf(double x) {
    double a = f64_abs(x);
    double near = f64_if(a < 1.0, a, 1.0);
    double z = near * near;
    double w = z * z;
    double even = 0x1.0579a08899394p-34;
    even = even * w + 0x1.f7a41b6768ef8p-27;
    even = even * w + 0x1.b9def1de3f8ebp-20;
    even = even * w + 0x1.f9a321a195b9dp-14;
    even = even * w + 0x1.565bcd0db0530p-8;
    even = even * w + 0x1.ce2f21a042b21p-4;
    even = even * w + 0x1.06eba8214db69p-3;
    double odd = -0x1.386acc14bb471p-30;
    odd = odd * w + -0x1.5f1d38354a7c9p-23;
    odd = odd * w + -0x1.f4d1df40274b3p-17;
    odd = odd * w + -0x1.c02db3d8f264ep-11;
    odd = odd * w + -0x1.b82ce312849afp-6;
    odd = odd * w + -0x1.812746b0379e6p-2;
    double inside = x + x * (even + odd * z);

    double far = f64_clamp(a, 1.0, 6.0);
    double t = (far - 3.0) / (far + 3.0);
    double v = t * t;
    double qe = -0x1.b7d5bb64424dap-18;
    qe = qe * v + 0x1.2ce568d126f14p-14;
    qe = qe * v + -0x1.37ed1daabed58p-11;
    qe = qe * v + 0x1.17c9e5fc2bb59p-8;
    qe = qe * v + 0x1.258b13c2d28b0p-4;
    qe = qe * v + 0x1.f6ff2040dc5acp-3;
    qe = qe * v + 0x1.6e9827d229d2cp-3;
    double qo = -0x1.aac4f1c369701p-18;
    qo = qo * v + 0x1.a60c5a25aaf8bp-15;
    qo = qo * v + 0x1.735d52adc6c8cp-11;
    qo = qo * v + -0x1.8fa5842c3214dp-6;
    qo = qo * v + -0x1.336ffbf0962d8p-3;
    qo = qo * v + -0x1.4e102b9cf8e72p-2;
    double outside = 1.0 - f64_exp_core(-far * far, 0) * (qe + qo * t);
    return f64_nan_if(x, f64_if(a < 1.0, inside, f64_sign_of(outside, x)));
}

// (e^2a - 1) / (e^2a + 1), which is 1 to the last bit from a = 19.1 on.
static inline double f64_tanh(double x) {
    double a = f64_abs(x);
    double t = f64_expm1(2.0 * f64_if(a > 22.0, 22.0, a));
    return f64_nan_if(x, f64_sign_of(t / (t + 2.0), x));
}

// e^-|x| never overflows, and one of 1 and e^-|x| is the numerator.
static inline double f64_sigmoid(double x) {
    double e = f64_exp(-f64_abs(x));
    return f64_nan_if(x, f64_if(x < 0.0, e, 1.0) / (1.0 + e));
}

// Unevaluated sums of two doubles, where 53 bits are too few on the way.
typedef struct {
    double hi, lo;
} F64Pair;
static inline F64Pair f64_two_sum(double a, double b) {
    double s = a + b;
    double t = s - a;
    return (F64Pair){s, (a - (s - t)) + (b - t)};
}

static inline F64Pair f64_two_prod(double a, double b) { // Dekker; |a|, |b| below 2^996
    double p = a * b;
    double sa = a * 0x1.0000002p27, sb = b * 0x1.0000002p27;
    double ah = sa - (sa - a), bh = sb - (sb - b);
    double al = a - ah, bl = b - bh;
    return (F64Pair){p, ((ah * bh - p) + ah * bl + al * bh) + al * bl};
}

// x = q pi/2 + hi + lo with |hi| <= pi/4; q counts modulo 4.
typedef struct {
    double hi, lo;
    uint64_t q;
} F64Quarter;
F64Quarter f64_reduce_huge(double x); // fmath.c; finite |x| >= 2^26

// pi/2 as four parts of 27 bits, whose product with n < 2^26 is exact, and a fifth.
static inline F64Quarter f64_reduce(double x) {
    double n = x * 0x1.45f306dc9c883p-1 + F64_MAGIC;
    uint64_t q = bits64(n) & 3;
    n -= F64_MAGIC;
    double r = x - n * 0x1.921fb54000000p+0;
    F64Pair a = f64_two_sum(r, -n * 0x1.10b4610000000p-30);
    F64Pair b = f64_two_sum(a.hi, -n * 0x1.a626330000000p-58);
    F64Pair c = f64_two_sum(b.hi, -n * 0x1.45c06e0000000p-86);
    double low = (a.lo + b.lo) + (c.lo - n * 0x1.cd129024e088ap-115);
    double hi = c.hi + low;
    return (F64Quarter){hi, (c.hi - hi) + low, q};
}

// sin (q + turn) for a reduced argument.
static inline double f64_sin_of(F64Quarter a, uint64_t turn) {
    double z = a.hi * a.hi;
    double p = 0x1.5d932d9a905eap-33; // (sin(x) - x) / x^3, error 2^-58
    p = p * z + -0x1.ae5e66e632ea9p-26;
    p = p * z + 0x1.71de3578ad4f8p-19;
    p = p * z + -0x1.a01a019c12da9p-13;
    p = p * z + 0x1.111111110f886p-7;
    p = p * z + -0x1.5555555555549p-3;
    double s = a.hi + (a.hi * z * p + a.lo * (1.0 - 0.5 * z));

    double c = -0x1.8fa484d0f78a6p-37; // (cos(x) - 1 + x^2 / 2) / x^4, error 2^-64
    c = c * z + 0x1.1ee9d793957e9p-29;
    c = c * z + -0x1.27e4f7eaa1f19p-22;
    c = c * z + 0x1.a01a019c84383p-16;
    c = c * z + -0x1.6c16c16c14f92p-10;
    c = c * z + 0x1.555555555554bp-5;
    double h = 0.5 * z;
    double w = 1.0 - h;
    c = w + (((1.0 - w) - h) + (z * z * c - a.hi * a.lo));

    uint64_t q = a.q + turn;
    double y = f64_if((q & 1) != 0, c, s);
    return double_of(bits64(y) ^ ((q & 2) << 62));
}

static inline double f64_sin(double x) {
    if (!(f64_abs(x) < (double)INFINITY)) return f64_nan();
    if (f64_abs(x) >= 0x1p26) return f64_sin_of(f64_reduce_huge(x), 0);
    return f64_if(x == 0.0, x, f64_sin_of(f64_reduce(x), 0));
}

static inline double f64_cos(double x) {
    if (!(f64_abs(x) < (double)INFINITY)) return f64_nan();
    if (f64_abs(x) >= 0x1p26) return f64_sin_of(f64_reduce_huge(x), 1);
    return f64_sin_of(f64_reduce(x), 1);
}

// ln(x) with about 64 bits after the leading one, for positive finite x: 2 atanh(s) with s, s^2 and the first
// two terms of the series as pairs.
static inline F64Pair f64_log_pair(double x) {
    F64LogSplit m = f64_log_split(x);
    double dh = 2.0 + m.f;
    double dl = m.f - (dh - 2.0);
    double sh = m.f / dh;
    F64Pair back = f64_two_prod(sh, dh);
    double sl = (((m.f - back.hi) - back.lo) - sh * dl) / dh;
    F64Pair z = f64_two_prod(sh, sh);
    z.lo += 2.0 * sh * sl;
    double p = 0x1.eb11f28859879p-5; // (atanh(s) / s - 1 - z / 3) / z^2, error 2^-73.55
    p = p * z.hi + 0x1.de33576f1c9d4p-5;
    p = p * z.hi + 0x1.1120b6416b5d9p-4;
    p = p * z.hi + 0x1.3b1362b1e0209p-4;
    p = p * z.hi + 0x1.745d1832625b4p-4;
    p = p * z.hi + 0x1.c71c71c580482p-4;
    p = p * z.hi + 0x1.2492492493036p-3;
    p = p * z.hi + 0x1.9999999999996p-3;
    double q = z.hi * p;
    double uh = 0x1.5555555555555p-2 + q;
    double ul = ((0x1.5555555555555p-2 - uh) + q) + 0x1.5555555555555p-56;
    F64Pair v = f64_two_prod(z.hi, uh);
    v.lo += z.hi * ul + z.lo * uh;
    double wh = 1.0 + v.hi;
    double wl = ((1.0 - wh) + v.hi) + v.lo;
    F64Pair l = f64_two_prod(2.0 * sh, wh);
    l.lo += 2.0 * sh * wl + 2.0 * sl * wh;
    F64Pair sum = f64_two_sum(m.k * F64_LN2_HI, l.hi);
    double low = sum.lo + (m.k * F64_LN2_LO + l.lo);
    double hi = sum.hi + low;
    return (F64Pair){hi, (sum.hi - hi) + low};
}

static inline double f64_pow(double x, double y) {
    double a = f64_abs(x);
    F64Pair l = f64_log_pair(a);
    // Whatever |y| above 2^75 does to a base other than 1, 2^75 does too, and no product here overflows.
    double c = f64_clamp(y, -0x1p75, 0x1p75);
    F64Pair p = f64_two_prod(c, l.hi);
    p.lo += c * l.lo;
    double top = f64_clamp(p.hi, -1000, 1000);
    double r = f64_exp_core(top, f64_if(top == p.hi, p.lo, 0.0));

    double ay = f64_abs(y);
    bool whole = ay >= 0x1p53 || trunc(y) == y;
    bool odd = ay < 0x1p53 && whole && trunc(0.5 * y) != 0.5 * y;
    double inf = (double)INFINITY;
    r = f64_if(a == 0.0, f64_if(y < 0.0, inf, 0.0), r);
    r = f64_if(a == inf, f64_if(y < 0.0, 0.0, inf), r);
    r = f64_if(odd, f64_sign_of(r, x), r);
    r = f64_if(x < 0.0 && a < inf && !whole, f64_nan(), r);
    r = f64_if(x != x || y != y, f64_nan(), r);
    return f64_if(y == 0.0 || x == 1.0, 1.0, r);
}
