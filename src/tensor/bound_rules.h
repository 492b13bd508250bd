// bound_rules.h - the propagation rules of doc/error-bound.md section 2, one inline function for each
// primitive: from operands (v, e) to the result (v, e). Free of branches, so that loops over them vectorise.
//
// An operand stands for all values within k*e of v, k = kappa*u: conditions and second-order terms (hulls,
// products, 1 - q, exp, sqrt, rsqrt) use k*e, because near a kink or a pole only that interval is rigorous.
//
// e = +inf means that nothing is known, except when |v| > FLT_MAX: then float32 has overflowed, and the
// honest value is at least |v| in size and has v's sign ("over" below). Functions with limits turn that
// finite again.
#pragma once
#include "base/numeric/fmath.h"
#include "tensor/bound.h"
#include <float.h>

typedef struct {
    double v, e;
} Ve;

// A loop with a call left in it does not vectorise: inline everything, whatever the compiler's budget says.
#define RULE static inline __attribute__((always_inline, flatten))

#define RULE_U         BOUND_U
#define RULE_K         (BOUND_KAPPA * BOUND_U)
#define RULE_INF       ((double)INFINITY)
#define RULE_C         4.0 // an intrinsic good to 2 ulp, in u of the result
#define RULE_MIN       0x1p-126
#define RULE_FLUSH     (2 * RULE_MIN / RULE_K) // a flushed result, in e
#define RULE_FMAX      ((double)FLT_MAX)
#define RULE_SQRT_HALF 0.7071067811865476

// Truth is int here: bool operands of & and | read like a typing error to clang, and && is a branch to gcc.
RULE double rule_max(double a, double b) { return f64_if(a > b, a, b); }
RULE double rule_min(double a, double b) { return f64_if(a < b, a, b); }
// Product of an error and a factor: 0 * inf = 0.
RULE double rule_times(double a, double b) {
    double p = a * b;
    return f64_if(p == p, p, 0);
}
RULE int rule_over(Ve a) { return (a.e == RULE_INF) & (f64_abs(a.v) > RULE_FMAX); }
RULE Ve rule_exact(double v) { return (Ve){v, 0}; }
RULE int rule_finite(double x) { return f64_abs(x) <= DBL_MAX; }
RULE int rule_endless(Ve a, Ve b) { // an operand is infinite or NaN
    int fa = rule_finite(a.v), fb = rule_finite(b.v);
    return !(fa & fb);
}
// Both ends of what an honest value may be.
RULE double rule_low(Ve a) {
    bool exact = (a.e == 0) | ((a.e == RULE_INF) & (a.v > RULE_FMAX));
    return f64_if(exact, a.v, a.v - RULE_K * a.e);
}
RULE double rule_high(Ve a) {
    bool exact = (a.e == 0) | ((a.e == RULE_INF) & (a.v < -RULE_FMAX));
    return f64_if(exact, a.v, a.v + RULE_K * a.e);
}
// e where v is infinite or NaN. It is certain (0) if the operands' errors are finite and an operand was
// infinite or the function has a pole there; an overflow of float64 itself is unknown, like any other
// overflow.
RULE double rule_wild(double v, double e, double operands_e, bool certain) {
    double w = f64_if((operands_e == RULE_INF) | !((v != v) | certain), RULE_INF, 0);
    e = f64_if(e == e, e, RULE_INF);
    return f64_if(rule_finite(v), e, w);
}

// Ends every float32 operation: overflow is unknown, and a result that may be subnormal may be flushed to
// zero. The addition covers |v| itself for every v that an honest value below 2^-126 can belong to. A NaN
// becomes the one of f64_nan(): which of two NaNs an addition keeps is up to the compiler.
RULE Ve rule_end(Ve r) {
    double m = f64_abs(r.v);
    r.v = f64_if(m != m, f64_nan(), r.v);
    bool over = (m > RULE_FMAX) & !((m > DBL_MAX) & (r.e == 0));
    bool tiny = (m != 0) & (m - RULE_K * r.e < RULE_MIN);
    r.e = f64_if(tiny, r.e + RULE_FLUSH, r.e);
    r.e = f64_if(over, RULE_INF, r.e);
    return r;
}

// Subnormals of float32 (and of the types with its exponents) may be read as 0; a float64 may overflow
// float32.
RULE double rule_stored(double v) {
    double m = f64_abs(v);
    return f64_if(m < RULE_MIN, m / RULE_U, f64_if((m > RULE_FMAX) & (m <= DBL_MAX), RULE_INF, 0));
}

// --- Arithmetic ----------------------------------------------------------------------------------

// ea + eb + |v|
RULE Ve rule_add(Ve a, Ve b) {
    double v = a.v + b.v, in = a.e + b.e;
    bool certain = rule_endless(a, b);
    // Two overflows of opposite sign: the honest result may be NaN, whatever v is.
    bool lost = rule_over(a) & rule_over(b) & (a.v * b.v < 0);
    v = f64_if(lost, f64_nan(), v);
    return rule_end((Ve){v, rule_wild(v, in + f64_abs(v), in, certain)});
}

// ea + eb + max(|a|, |b|): honest kernels rescale before they subtract
RULE Ve rule_sub(Ve a, Ve b) {
    double v = a.v - b.v, in = a.e + b.e;
    bool certain = rule_endless(a, b);
    bool lost = rule_over(a) & rule_over(b) & (a.v * b.v > 0);
    v = f64_if(lost, f64_nan(), v);
    return rule_end((Ve){v, rule_wild(v, in + rule_max(f64_abs(a.v), f64_abs(b.v)), in, certain)});
}

// |a| eb + |b| ea + k ea eb + |v|
RULE Ve rule_mul(Ve a, Ve b) {
    double v = a.v * b.v, in = a.e + b.e;
    double e = rule_times(f64_abs(a.v), b.e) + rule_times(f64_abs(b.v), a.e) + rule_times(RULE_K * a.e, b.e);
    bool certain = rule_endless(a, b);
    return rule_end((Ve){v, rule_wild(v, e + f64_abs(v), in, certain)});
}

// (ea + |v| eb) / (|b| - k eb) + C |v|; unknown once k eb reaches 3/4 |b|. An overflowed divisor gives v or
// 0.
RULE Ve rule_div(Ve a, Ve b) {
    double v = a.v / b.v, in = a.e + b.e, size = f64_abs(b.v), m = f64_abs(v);
    double e = (a.e + rule_times(m, b.e)) / (size - RULE_K * b.e) + RULE_C * m;
    e = f64_if((RULE_K * b.e >= 0.75 * size) & (b.e > 0), RULE_INF, e);
    e = f64_if(rule_over(b) & (a.e < RULE_INF), m / RULE_U, e);
    bool certain = rule_endless(a, b) | ((b.v == 0) & (b.e == 0));
    // At a pole that is not exact even the sign is unknown.
    in = f64_if((b.v == 0) & (b.e > 0), RULE_INF, in);
    return rule_end((Ve){v, rule_wild(v, e, in, certain)});
}

// sum(ei) + G(N) sum|ai|, given the three sums: rigorous for any order whose longest chain is at most kappa*G
// additions. Where the sizes add up beyond FLT_MAX, so may a partial sum.
RULE Ve rule_sum(double v, double size, double operands_e, double growth) {
    double e = operands_e + growth * size;
    int infinite = !rule_finite(size);
    e = f64_if((size > RULE_FMAX) & !infinite, RULE_INF, e);
    return (Ve){v, rule_wild(v, e, operands_e, infinite)};
}

// --- Choices: interval hulls, which collapse to 0 behind the kink --------------------------------

RULE Ve rule_hull(double v, double low, double high, double operands_e) {
    double up = f64_if(high == v, 0, high - v), down = f64_if(low == v, 0, v - low);
    double e = rule_max(up, down) / RULE_K;
    return (Ve){v, f64_if(v == v, e, f64_if(operands_e == RULE_INF, RULE_INF, 0))};
}
RULE Ve rule_maximum(Ve a, Ve b) {
    double v = f64_if((a.v > b.v) | (a.v != a.v), a.v, b.v); // NaN wins
    return rule_hull(v, rule_max(rule_low(a), rule_low(b)), rule_max(rule_high(a), rule_high(b)), a.e + b.e);
}
RULE Ve rule_minimum(Ve a, Ve b) {
    double v = f64_if((a.v < b.v) | (a.v != a.v), a.v, b.v);
    return rule_hull(v, rule_min(rule_low(a), rule_low(b)), rule_min(rule_high(a), rule_high(b)), a.e + b.e);
}

// A truth value is 0 or 1; e = 1/u, which covers both, where the answer is not certain.
RULE Ve rule_bool(bool v, bool certain) { return (Ve){f64_if(v, 1, 0), f64_if(certain, 0, 1 / RULE_U)}; }
// Exact operands, NaN operands and disjoint intervals compare with certainty.
RULE int rule_compares(Ve a, Ve b) {
    bool exact = (a.e == 0) & (b.e == 0);
    double la = rule_low(a), ha = rule_high(a), lb = rule_low(b), hb = rule_high(b);
    bool apart = (ha < lb) | (hb < la);
    bool nan = ((a.v != a.v) | (b.v != b.v)) & (a.e + b.e < RULE_INF);
    return exact | apart | nan;
}
RULE Ve rule_lt(Ve a, Ve b) { return rule_bool(a.v < b.v, rule_compares(a, b)); }
RULE Ve rule_le(Ve a, Ve b) { return rule_bool(a.v <= b.v, rule_compares(a, b)); }
RULE Ve rule_gt(Ve a, Ve b) { return rule_bool(a.v > b.v, rule_compares(a, b)); }
RULE Ve rule_ge(Ve a, Ve b) { return rule_bool(a.v >= b.v, rule_compares(a, b)); }
RULE Ve rule_eq(Ve a, Ve b) { return rule_bool(a.v == b.v, rule_compares(a, b)); }
RULE Ve rule_ne(Ve a, Ve b) { return rule_bool(a.v != b.v, rule_compares(a, b)); }

RULE int rule_truth_known(Ve a) {
    double low = rule_low(a), high = rule_high(a);
    return (a.e == 0) | (low > 0) | (high < 0) | ((a.v != a.v) & (a.e < RULE_INF));
}
// Certain when both are, or when one alone decides.
RULE Ve rule_and(Ve a, Ve b) {
    bool ka = rule_truth_known(a), kb = rule_truth_known(b), ta = a.v != 0, tb = b.v != 0;
    return rule_bool(ta & tb, (ka & kb) | (ka & !ta) | (kb & !tb));
}
RULE Ve rule_or(Ve a, Ve b) {
    bool ka = rule_truth_known(a), kb = rule_truth_known(b), ta = a.v != 0, tb = b.v != 0;
    return rule_bool(ta | tb, (ka & kb) | (ka & ta) | (kb & tb));
}
RULE Ve rule_not(Ve a) { return rule_bool(a.v == 0, rule_truth_known(a)); }

// The taken branch; where the condition is not certain, wide enough for the other one too.
RULE Ve rule_where(Ve c, Ve a, Ve b) {
    bool take = c.v != 0;
    double v = f64_if(take, a.v, b.v), e = f64_if(take, a.e, b.e);
    double w = f64_if(take, b.v, a.v), other = f64_if(take, b.e, a.e);
    double apart = f64_if((v == w) | ((v != v) & (w != w)), 0, f64_abs(v - w) / RULE_K);
    double both = f64_if(apart == apart, rule_max(e, other + apart), RULE_INF);
    return (Ve){v, f64_if(rule_truth_known(c), e, both)};
}

// --- Tame values ---------------------------------------------------------------------------------

// Nearly all elements are finite, far from float32's overflow, and of known error. The rules of sum and
// product say the same for them in a third of the operations; what is not tame shows in *wild, and then the
// rules themselves have to be asked.
RULE Ve tame_end(Ve r, uint64_t *wild) {
    double m = f64_abs(r.v);
    int tame = (m <= RULE_FMAX) & (r.e < RULE_INF), tiny = (m != 0) & (m - RULE_K * r.e < RULE_MIN);
    *wild |= !tame;
    return (Ve){r.v, r.e + f64_if(tiny, RULE_FLUSH, 0)};
}
RULE Ve tame_add(Ve a, Ve b, uint64_t *wild) {
    double v = a.v + b.v;
    return tame_end((Ve){v, a.e + b.e + f64_abs(v)}, wild);
}
RULE Ve tame_sub(Ve a, Ve b, uint64_t *wild) {
    return tame_end((Ve){a.v - b.v, a.e + b.e + rule_max(f64_abs(a.v), f64_abs(b.v))}, wild);
}
RULE Ve tame_mul(Ve a, Ve b, uint64_t *wild) {
    double v = a.v * b.v, e = f64_abs(a.v) * b.e + f64_abs(b.v) * a.e + RULE_K * a.e * b.e;
    return tame_end((Ve){v, e + f64_abs(v)}, wild);
}
RULE Ve tame_scale(double c, Ve a, uint64_t *wild) { // c > 0, exact
    double v = c * a.v;
    return tame_end((Ve){v, c * a.e + f64_abs(v)}, wild);
}

// --- Elementary functions ------------------------------------------------------------------------

// How much faster than ea the result may move: (e^t - 1) / t <= 1 + t up to t = 1.79, t = k ea.
#define RULE_WIDE 1.5
RULE int rule_is_wide(Ve a, double scale) { return RULE_K * a.e * scale >= RULE_WIDE; }

// v (ea + |a| + C): |a| is the rounding of a*log2(e) before ex2. Below what float32 can hold it is exactly 0.
// When k ea is wide, e is only right after rule_exp_wide(), which the loops call for such elements.
RULE Ve rule_exp_near(Ve a) {
    double v = f64_exp(a.v);
    double e = rule_times(v, a.e * (1 + RULE_K * a.e) + f64_abs(a.v) + RULE_C);
    e = f64_if(v == 0, 0, e);
    return (Ve){v, rule_wild(v, e, a.e, !rule_finite(a.v))};
}
RULE Ve rule_exp_wide(Ve a) {
    Ve r = rule_exp_near(a);
    if (!rule_is_wide(a, 1) || r.v != r.v) return r;
    double high = rule_high(a);
    if (high < -104) return (Ve){r.v, r.v / RULE_U}; // below half the smallest float32 however it is rounded
    return (Ve){r.v, (f64_exp(high) - r.v) / RULE_K + rule_times(r.v, f64_abs(a.v) + RULE_C)};
}
// v (ln2 (ea + |a|) + C): honest kernels may go through e^(a ln2).
RULE Ve rule_exp2_near(Ve a) {
    double v = f64_exp2(a.v), ea = 0.6931471805599453 * a.e;
    double e = rule_times(v, ea * (1 + RULE_K * ea) + 0.6931471805599453 * f64_abs(a.v) + RULE_C);
    e = f64_if(v == 0, 0, e);
    return (Ve){v, rule_wild(v, e, a.e, !rule_finite(a.v))};
}
RULE Ve rule_exp2_wide(Ve a) {
    Ve r = rule_exp2_near(a);
    if (!rule_is_wide(a, 0.6931471805599453) || r.v != r.v) return r;
    double high = rule_high(a);
    if (high < -151) return (Ve){r.v, r.v / RULE_U};
    return (Ve){r.v, (f64_exp2(high) - r.v) / RULE_K + rule_times(r.v, f64_abs(a.v) + RULE_C)};
}
// exp(a) - 1 by the rules of exp and subtraction: the naive form has an absolute error of a few u.
RULE Ve rule_expm1_of(Ve a, Ve exp) {
    double v = f64_expm1(a.v);
    return (Ve){v, rule_wild(v, exp.e + rule_max(exp.v, 1), exp.e, !rule_finite(a.v))};
}
RULE Ve rule_expm1_near(Ve a) { return rule_expm1_of(a, rule_exp_near(a)); }
RULE Ve rule_expm1_wide(Ve a) { return rule_expm1_of(a, rule_exp_wide(a)); }

// ea / (a - k ea) + absolute + (C+1) |v|: lg2 units have an absolute error near 1 u.
// x is what the logarithm is taken of, v the result, scale 1 / ln(base).
RULE Ve rule_log_of(double v, double x, double ex, double scale, double absolute) {
    double e = scale * ex / (x - RULE_K * ex) + absolute + (RULE_C + 1) * f64_abs(v);
    e = f64_if((RULE_K * ex >= 0.75 * x) & (ex > 0), RULE_INF, e);
    bool below = x + RULE_K * ex < 0; // certainly NaN
    double in = f64_if((x <= 0) & (ex > 0) & !below, RULE_INF, f64_if(below & (ex < RULE_INF), 0, ex));
    return (Ve){v, rule_wild(v, e, in, (x == 0) | (x == RULE_INF))};
}
RULE Ve rule_log(Ve a) { return rule_end(rule_log_of(f64_log(a.v), a.v, a.e, 1, 3)); }
RULE Ve rule_log2(Ve a) { return rule_end(rule_log_of(f64_log2(a.v), a.v, a.e, 1.4426950408889634, 4.5)); }
RULE Ve rule_log1p(Ve a) { // as log(1 + a)
    double y = 1 + a.v;
    return rule_end(rule_log_of(f64_log1p(a.v), y, a.e + f64_abs(y), 1, 3));
}

// The larger of the ways down and up, which differ near the vertical tangent, + C v
RULE Ve rule_sqrt(Ve a) {
    double v = sqrt(a.v), d = RULE_K * a.e;
    double down = v - sqrt(rule_max(a.v - d, 0)), up = sqrt(a.v + d) - v;
    double e = rule_max(down, up) / RULE_K + RULE_C * v;
    e = f64_if(a.e == 0, RULE_C * v, e);
    double in = f64_if((a.v < 0) & (a.v + d >= 0), RULE_INF, f64_if((a.v < 0) & (a.e < RULE_INF), 0, a.e));
    return rule_end((Ve){v, rule_wild(v, e, in, !rule_finite(a.v))});
}

// v ((1 - q)^-1/2 - 1) / k for q = k ea / a < 3/4, else max(ea/2a, 1) v/u; + C v. A large q arises only in
// variances, where the mean dwarfs the spread. Overflow: 0 or v. A subnormal may be read as 0: unknown.
RULE Ve rule_rsqrt(Ve a) {
    double root = sqrt(a.v), v = 1 / root, q = RULE_K * a.e / a.v;
    bool near = q < 0.75;
    double s = sqrt(1 - f64_if(near, q, 0));
    double curved = v * (q / (s * (1 + s))) / RULE_K; // 1/s - 1 = q / (s (1 + s)), no cancellation
    double far = v * rule_max(0.5 * a.e / a.v, 1) / RULE_U;
    double e = f64_if(near, curved, far) + RULE_C * v;
    e = f64_if(rule_over(a), v / RULE_U, e);
    e = f64_if((f64_abs(a.v) < RULE_MIN) & (a.e > 0), RULE_INF, e);
    bool below = (a.v < 0) & (a.v + RULE_K * a.e < 0);
    double in = f64_if(below & (a.e < RULE_INF), 0, f64_if((a.v <= 0) & (a.e > 0), RULE_INF, a.e));
    return rule_end((Ve){v, rule_wild(v, e, in, (a.v == 0) | !rule_finite(a.v))});
}

// (1 - v^2) (ea + |a|) + 10, at most (1 + |v|)/u + 10: 2 sigmoid(2x) - 1 and 1 - 2/(e^2x + 1) are honest.
// The slope within d = k ea of a is at most e^2d times the slope at a (<= 1 + 4d for d < 1/2), and at most 1.
RULE Ve rule_tanh(Ve a) {
    double v = f64_tanh(a.v), ea = f64_if(rule_over(a), 0, a.e), d = RULE_K * ea;
    double slope = 1 - v * v;
    double steep = f64_if(d < 0.5, slope * (1 + 4 * d), f64_if(f64_abs(a.v) - d > 9, slope, 1));
    double e = rule_times(steep, ea) + rule_times(slope, f64_abs(a.v));
    e = rule_min(e, (1 + f64_abs(v)) / RULE_U) + 10;
    return rule_end((Ve){v, rule_wild(v, e, a.e, true)});
}

// v (1 - v) (ea + |a| + C) + (C+1) v, at most 1/u: relative in the negative tail. Slope within d: at most e^d
// times the slope at a, and at most 1/4.
RULE Ve rule_sigmoid(Ve a) {
    double v = f64_sigmoid(a.v), ea = f64_if(rule_over(a), 0, a.e), d = RULE_K * ea;
    double slope = v * (1 - v);
    double steep = f64_if(d < 1, slope * (1 + 2 * d), f64_if(a.v - d > 17, slope, 0.25));
    double e = rule_times(steep, ea) + rule_times(slope, f64_abs(a.v) + RULE_C) + (RULE_C + 1) * v;
    return rule_end((Ve){v, rule_wild(v, rule_min(e, 1 / RULE_U), a.e, true)});
}

// 1.128 exp(-a^2) (ea + |a|) + 8, at most (1 + |v|)/u + 8. The 8: in the usual five-term polynomial the slope
// with respect to t = 1/(1 + pa) reaches 3.4, so that a reciprocal 2 ulp off, its own 1.5e-7 and its
// roundings add up to 14 u. Slope within d < 0.01 of |a| <= 6: at most e^(2|a|d) <= 1 + 13 d times the slope
// at a; never more than 2/sqrt(pi).
RULE Ve rule_erf(Ve a) {
    double v = f64_erf(a.v), ea = f64_if(rule_over(a), 0, a.e), d = RULE_K * ea;
    double slope = 1.1283791670955126 * f64_exp(-(a.v * a.v));
    double steep =
        f64_if(d < 0.01, slope * (1 + 13 * d), f64_if(f64_abs(a.v) - d > 4, slope, 1.1283791670955126));
    double e = rule_times(steep, ea) + rule_times(slope, f64_abs(a.v));
    e = rule_min(e, (1 + f64_abs(v)) / RULE_U) + 8;
    return rule_end((Ve){v, rule_wild(v, e, a.e, true)});
}

// ea + C |v| + min(|a|, C), at most 2/k more: 1-Lipschitz, and an absolute error where range reduction
// cancels.
RULE Ve rule_wave(double v, Ve a) {
    double e = rule_min(a.e, 2 / RULE_K) + RULE_C * f64_abs(v) + rule_min(f64_abs(a.v), RULE_C);
    return rule_end((Ve){v, rule_wild(v, e, a.e, true)});
}
RULE Ve rule_sin(Ve a) { return rule_wave(f64_sin(a.v), a); }
RULE Ve rule_cos(Ve a) { return rule_wave(f64_cos(a.v), a); }

// --- Compositions --------------------------------------------------------------------------------

RULE Ve rule_square(Ve a) { return rule_mul(a, a); }
RULE Ve rule_reciprocal(Ve a) { return rule_div(rule_exact(1), a); }
RULE Ve rule_relu(Ve a) { return rule_maximum(a, rule_exact(0)); }
RULE Ve rule_silu(Ve a) { return rule_mul(a, rule_sigmoid(a)); }
RULE Ve rule_gelu_of(Ve a, Ve f) {
    return rule_mul(rule_mul(rule_exact(0.5), a), rule_add(rule_exact(1), f));
}
RULE Ve tame_gelu_of(Ve a, Ve f, uint64_t *wild) {
    return tame_mul(tame_scale(0.5, a, wild), tame_add(rule_exact(1), f, wild), wild);
}
RULE Ve rule_gelu_tanh_inner(Ve a) {
    Ve cubic = rule_mul(rule_exact(0.044715), rule_mul(a, rule_mul(a, a)));
    return rule_mul(rule_exact(0.7978845608028654), rule_add(a, cubic));
}
RULE Ve tame_gelu_tanh_inner(Ve a, uint64_t *wild) {
    Ve cubic = tame_scale(0.044715, tame_mul(a, tame_mul(a, a, wild), wild), wild);
    return tame_scale(0.7978845608028654, tame_add(a, cubic, wild), wild);
}
RULE Ve rule_gelu_erf_inner(Ve a) { return rule_mul(a, rule_exact(RULE_SQRT_HALF)); }
RULE Ve rule_gelu_tanh(Ve a) { return rule_gelu_of(a, rule_tanh(rule_gelu_tanh_inner(a))); }
RULE Ve rule_gelu_erf(Ve a) { return rule_gelu_of(a, rule_erf(rule_gelu_erf_inner(a))); }

// log(1 + e^a) by the rules of exp, addition and log: with s = sigmoid(a) the slope,
// s (ea + |a| + C) + 1 + 3 + (C+1) |v|. This also covers max(a, 0) + log1p(e^-|a|), and a itself above 20.
RULE Ve rule_softplus(Ve a) {
    double v = f64_if(a.v > 20, a.v, f64_log1p(f64_exp(rule_min(a.v, 20)))), d = RULE_K * a.e;
    double s = f64_sigmoid(a.v);
    double steep = f64_if(d < 1, rule_min(s * (1 + 2 * d), 1), 1);
    double e = rule_times(steep, a.e) + rule_times(s, f64_abs(a.v) + RULE_C) + 4 + (RULE_C + 1) * f64_abs(v);
    v = f64_if(a.v == a.v, v, a.v);
    return rule_end((Ve){v, rule_wild(v, e, a.e, true)});
}
