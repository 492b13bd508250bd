// The oracle's inner loops. What they compute stands in bound_rules.h; here are only loops that vectorise.
#include "tensor/bound_simd.h"
#include "base/build.h"
#include "base/isa.h"

#define FLAT __attribute__((flatten)) // see RULE

// --- Elementwise ---------------------------------------------------------------------------------

#define UNARY(id, rule)                                                                                      \
    FLAT static void unary_##id(size_t n, const double *restrict v, const double *restrict e, double scalar, \
                                double *restrict ov, double *restrict oe) {                                  \
        (void)scalar;                                                                                        \
        LOOP_READS(v, n), LOOP_READS(e, n), LOOP_WRITES(ov, n), LOOP_WRITES(oe, n);                          \
        for (size_t i = 0; i < n; i++) {                                                                     \
            Ve a = {v[i], e[i]}, r = rule;                                                                   \
            ov[i] = r.v;                                                                                     \
            oe[i] = r.e;                                                                                     \
        }                                                                                                    \
    }

// Functions without a limit, whose first-order rule fails where k*e is large: those elements are done again.
#define UNARY_WIDE(id, rule, scale)                                                                          \
    FLAT static void unary_##id(size_t n, const double *restrict v, const double *restrict e, double scalar, \
                                double *restrict ov, double *restrict oe) {                                  \
        (void)scalar;                                                                                        \
        LOOP_READS(v, n), LOOP_READS(e, n), LOOP_WRITES(ov, n), LOOP_WRITES(oe, n);                          \
        uint64_t wide = 0;                                                                                   \
        for (size_t i = 0; i < n; i++) {                                                                     \
            Ve a = {v[i], e[i]}, r = rule_end(rule##_near(a));                                               \
            wide |= rule_is_wide(a, scale);                                                                  \
            ov[i] = r.v;                                                                                     \
            oe[i] = r.e;                                                                                     \
        }                                                                                                    \
        for (size_t i = 0; wide && i < n; i++) {                                                             \
            Ve a = {v[i], e[i]};                                                                             \
            if (rule_is_wide(a, scale)) oe[i] = rule_end(rule##_wide(a)).e;                                  \
        }                                                                                                    \
    }

#define BINARY(id, rule)                                                                                    \
    FLAT static void binary_##id(size_t n, const double *restrict av, const double *restrict ae,            \
                                 const double *restrict bv, const double *restrict be, double *restrict ov, \
                                 double *restrict oe) {                                                     \
        LOOP_READS(av, n), LOOP_READS(ae, n), LOOP_READS(bv, n), LOOP_READS(be, n);                         \
        LOOP_WRITES(ov, n), LOOP_WRITES(oe, n);                                                             \
        for (size_t i = 0; i < n; i++) {                                                                    \
            Ve a = {av[i], ae[i]}, b = {bv[i], be[i]}, r = rule;                                            \
            ov[i] = r.v;                                                                                    \
            oe[i] = r.e;                                                                                    \
        }                                                                                                   \
    }

// Tame first (bound_rules.h); by the rule where that was wrong for an element. `tame` uses wild.
#define BINARY_TAME(id, tame, rule)                                                                         \
    BINARY(id##_wild, rule)                                                                                 \
    FLAT static void binary_##id(size_t n, const double *restrict av, const double *restrict ae,            \
                                 const double *restrict bv, const double *restrict be, double *restrict ov, \
                                 double *restrict oe) {                                                     \
        LOOP_READS(av, n), LOOP_READS(ae, n), LOOP_READS(bv, n), LOOP_READS(be, n);                         \
        LOOP_WRITES(ov, n), LOOP_WRITES(oe, n);                                                             \
        uint64_t any = 0, *wild = &any;                                                                     \
        for (size_t i = 0; i < n; i++) {                                                                    \
            Ve a = {av[i], ae[i]}, b = {bv[i], be[i]}, r = tame;                                            \
            ov[i] = r.v;                                                                                    \
            oe[i] = r.e;                                                                                    \
        }                                                                                                   \
        if (any) binary_##id##_wild(n, av, ae, bv, be, ov, oe);                                             \
    }
#define UNARY_TAME(id, tame, rule)                                                                           \
    UNARY(id##_wild, rule)                                                                                   \
    FLAT static void unary_##id(size_t n, const double *restrict v, const double *restrict e, double scalar, \
                                double *restrict ov, double *restrict oe) {                                  \
        LOOP_READS(v, n), LOOP_READS(e, n), LOOP_WRITES(ov, n), LOOP_WRITES(oe, n);                          \
        uint64_t any = 0, *wild = &any;                                                                      \
        for (size_t i = 0; i < n; i++) {                                                                     \
            Ve a = {v[i], e[i]}, r = tame;                                                                   \
            ov[i] = r.v;                                                                                     \
            oe[i] = r.e;                                                                                     \
        }                                                                                                    \
        if (any) unary_##id##_wild(n, v, e, scalar, ov, oe);                                                 \
    }

// Compositions, one loop for each part: a single loop over all of it is one long chain of dependent
// operations, of which a processor has no two elements under way. inner: of a, the middle's argument; outer:
// of a and the middle's result b.
#define UNARY_STAGED(id, tame_inner, inner, middle, tame_outer, outer)                                  \
    UNARY_TAME(id##_inner, tame_inner, inner)                                                           \
    UNARY(id##_middle, middle)                                                                          \
    BINARY_TAME(id##_outer, tame_outer, outer)                                                          \
    static void unary_##id(size_t n, const double *restrict v, const double *restrict e, double scalar, \
                           double *restrict ov, double *restrict oe) {                                  \
        double xv[BOUND_CHUNK], xe[BOUND_CHUNK], fv[BOUND_CHUNK], fe[BOUND_CHUNK];                      \
        for (size_t i = 0; i < n; i += BOUND_CHUNK) {                                                   \
            size_t k = n - i < BOUND_CHUNK ? n - i : BOUND_CHUNK;                                       \
            unary_##id##_inner(k, v + i, e + i, scalar, xv, xe);                                        \
            unary_##id##_middle(k, xv, xe, scalar, fv, fe);                                             \
            binary_##id##_outer(k, v + i, e + i, fv, fe, ov + i, oe + i);                               \
        }                                                                                               \
    }

// Toward zero; where honest values lie on both sides of an integer, as wide as the jump.
RULE Ve rule_truncate(Ve a) {
    double v = trunc(a.v), low = trunc(rule_low(a)), high = trunc(rule_high(a));
    bool fits = f64_abs(a.v) < 0x1p63;
    Ve r = rule_hull(v, low, high, a.e);
    return (Ve){f64_if(fits, v, 0), f64_if(fits, r.e, RULE_INF)}; // C leaves the rest undefined
}

// e^(b log|a|) by the rules of log, product and exp; the sign is exact.
static inline Ve rule_pow(Ve a, Ve b) {
    double v = f64_pow(a.v, b.v), in = a.e + b.e;
    if (b.v == 0 && b.e == 0) return rule_exact(1);
    Ve log = rule_log((Ve){f64_abs(a.v), a.e});
    double e = rule_exp_wide(rule_mul(b, log)).e;
    if (a.v == 0 && a.e == 0 && b.e == 0) e = 0;
    return rule_end((Ve){v, rule_wild(v, e, in, true)});
}

UNARY(LOGICAL_NOT, rule_not(a))
UNARY(NEG, ((Ve){-a.v, a.e}))
UNARY(ABS, ((Ve){f64_abs(a.v), a.e}))
UNARY_WIDE(EXP, rule_exp, 1)
UNARY_WIDE(EXP2, rule_exp2, 0.6931471805599453)
UNARY_WIDE(EXPM1, rule_expm1, 1)
UNARY(LOG, rule_log(a))
UNARY(LOG2, rule_log2(a))
UNARY(LOG1P, rule_log1p(a))
UNARY(SQRT, rule_sqrt(a))
UNARY(RSQRT, rule_rsqrt(a))
UNARY(RECIPROCAL, rule_reciprocal(a))
UNARY_TAME(SQUARE, tame_mul(a, a, wild), rule_square(a))
UNARY(TANH, rule_tanh(a))
UNARY(SIGMOID, rule_sigmoid(a))
UNARY(ERF, rule_erf(a))
UNARY(SIN, rule_sin(a))
UNARY(COS, rule_cos(a))
UNARY(RELU, rule_relu(a))
UNARY(SILU, rule_silu(a))
UNARY_STAGED(GELU_TANH, tame_gelu_tanh_inner(a, wild), rule_gelu_tanh_inner(a), rule_tanh(a),
             tame_gelu_of(a, b, wild), rule_gelu_of(a, b))
UNARY_STAGED(GELU_ERF, tame_scale(RULE_SQRT_HALF, a, wild), rule_gelu_erf_inner(a), rule_erf(a),
             tame_gelu_of(a, b, wild), rule_gelu_of(a, b))
UNARY(SOFTPLUS, rule_softplus(a))
UNARY(CLAMP_MIN, rule_maximum(a, rule_exact(scalar)))
UNARY(CLAMP_MAX, rule_minimum(a, rule_exact(scalar)))
UNARY(CAST, rule_truncate(a)) // to integers; the others are no arithmetic

BINARY_TAME(ADD, tame_add(a, b, wild), rule_add(a, b))
BINARY_TAME(SUB, tame_sub(a, b, wild), rule_sub(a, b))
BINARY_TAME(MUL, tame_mul(a, b, wild), rule_mul(a, b))
BINARY(DIV, rule_div(a, b))
BINARY(MAXIMUM, rule_maximum(a, b))
BINARY(MINIMUM, rule_minimum(a, b))
BINARY(POW, rule_pow(a, b))
BINARY(LT, rule_lt(a, b))
BINARY(LE, rule_le(a, b))
BINARY(GT, rule_gt(a, b))
BINARY(GE, rule_ge(a, b))
BINARY(EQ, rule_eq(a, b))
BINARY(NE, rule_ne(a, b))
BINARY(LOGICAL_AND, rule_and(a, b))
BINARY(LOGICAL_OR, rule_or(a, b))

FLAT static void ternary_WHERE(size_t n, const double *const v[3], const double *const e[3],
                               double *restrict ov, double *restrict oe) {
    for (int k = 0; k < 3; k++) LOOP_READS(v[k], n), LOOP_READS(e[k], n);
    LOOP_WRITES(ov, n), LOOP_WRITES(oe, n);
    const double *restrict cv = v[0], *restrict av = v[1], *restrict bv = v[2];
    const double *restrict ce = e[0], *restrict ae = e[1], *restrict be = e[2];
    for (size_t i = 0; i < n; i++) {
        Ve r = rule_where((Ve){cv[i], ce[i]}, (Ve){av[i], ae[i]}, (Ve){bv[i], be[i]});
        ov[i] = r.v;
        oe[i] = r.e;
    }
}

// --- Inputs --------------------------------------------------------------------------------------

FLAT static void uncertainty(size_t n, const double *restrict v, double *restrict e) {
    LOOP_READS(v, n), LOOP_WRITES(e, n);
    for (size_t i = 0; i < n; i++) e[i] = rule_stored(v[i]);
}
FLAT static bool any_uncertain(size_t n, const double *v) {
    LOOP_READS(v, n);
    uint64_t any = 0;
    for (size_t i = 0; i < n; i++) {
        double m = f64_abs(v[i]);
        any |= ((m < RULE_MIN) & (m != 0)) | ((m > RULE_FMAX) & (m <= DBL_MAX));
    }
    return any != 0;
}

// --- Rounding to a narrower type -----------------------------------------------------------------

FLAT static void round_to(DType t, bool only_exact, size_t n, const double *restrict v, double *restrict e) {
    LOOP_READS(v, n), LOOP_WRITES(e, n);
    // 2^-digits, half the smallest subnormal, the first magnitude that rounds to infinity
    bool f16 = t == DT_F16, bf16 = t == DT_BF16;
    double unit = f16 ? 0x1p-11 : bf16 ? 0x1p-8 : 0x1p-24;
    double least = f16 ? 0x1p-25 : bf16 ? 0x1p-134 : 0x1p-150;
    double limit = f16 ? 65520 : bf16 ? 0x1.ffp127 : 0x1.ffffffp127;
    double flush = f16 ? 0 : RULE_FLUSH; // a subnormal of fp16 is a normal float32, and is not flushed
    for (size_t i = 0; i < n; i++) {
        double m = f64_abs(v[i]), top = m + f64_if(e[i] < RULE_INF, RULE_K * e[i], 0);
        double half = rule_max(double_of(bits64(top) & 0x7ff0000000000000u) * unit, least);
        // A value of t is a whole number of its spacings: adding 2^52 of them drops nothing.
        double own = rule_max(double_of(bits64(m) & 0x7ff0000000000000u) * unit, least);
        double big = own * 0x1.8p53;
        bool stored = (m + big - big == m) & (m < limit);
        bool free = ((e[i] == 0) & (stored | (m > DBL_MAX) | (m != m))) | (only_exact & (e[i] > 0));
        double low = f64_if((m != 0) & (m - RULE_K * e[i] < RULE_MIN), flush, 0);
        double charged = f64_if(top >= limit, RULE_INF, e[i] + half / RULE_K + low);
        e[i] = f64_if(free, e[i], charged);
    }
}

// --- Rows ----------------------------------------------------------------------------------------

// Eight lanes as one value; both compilers split it into what the machine has.
typedef double V8 __attribute__((vector_size(64)));
typedef int64_t M8 __attribute__((vector_size(64)));
typedef struct {
    V8 lane[2];
} Lanes;

static const double zeros[BOUND_CHUNK] = {0}; // the e of exact operands

static inline void lanes_add(Lanes *restrict sum, const double *restrict x, size_t n) {
    V8 s0 = sum->lane[0], s1 = sum->lane[1];
    size_t i = 0;
    for (; i + 16 <= n; i += 16) {
        V8 a, b;
        memcpy(&a, x + i, sizeof a);
        memcpy(&b, x + i + 8, sizeof b);
        s0 += a;
        s1 += b;
    }
    for (size_t l = 0; i < n; i++, l++)
        if (l < 8)
            s0[l] += x[i];
        else
            s1[l - 8] += x[i];
    sum->lane[0] = s0;
    sum->lane[1] = s1;
}

static inline double lanes_total(const Lanes *sum) {
    V8 s = sum->lane[0] + sum->lane[1];
    return ((s[0] + s[4]) + (s[2] + s[6])) + ((s[1] + s[5]) + (s[3] + s[7]));
}

static RowSum row_sum(size_t n, const double *restrict v, const double *restrict e) {
    LOOP_READS(v, n);
    if (e) LOOP_READS(e, n);
    Lanes sum = {0}, size = {0}, err = {0};
    double magnitude[BOUND_CHUNK];
    for (size_t i = 0; i < n; i += BOUND_CHUNK) {
        size_t k = n - i < BOUND_CHUNK ? n - i : BOUND_CHUNK;
        for (size_t j = 0; j < k; j++) magnitude[j] = f64_abs(v[i + j]);
        lanes_add(&sum, v + i, k);
        lanes_add(&size, magnitude, k);
        if (e) lanes_add(&err, e + i, k);
    }
    return (RowSum){lanes_total(&sum), lanes_total(&size), lanes_total(&err)};
}

FLAT static RowSum row_deviations(size_t n, const double *restrict v, const double *restrict e, Ve mean) {
    LOOP_READS(v, n);
    if (e) LOOP_READS(e, n);
    Lanes sum = {0}, err = {0};
    double square[BOUND_CHUNK], square_e[BOUND_CHUNK];
    for (size_t i = 0; i < n; i += BOUND_CHUNK) {
        size_t k = n - i < BOUND_CHUNK ? n - i : BOUND_CHUNK;
        const double *restrict x = v + i, *restrict dx = e ? e + i : zeros;
        for (size_t j = 0; j < k; j++) {
            Ve r = rule_square(rule_sub((Ve){x[j], dx[j]}, mean));
            square[j] = r.v;
            square_e[j] = r.e;
        }
        lanes_add(&sum, square, k);
        lanes_add(&err, square_e, k);
    }
    double total = lanes_total(&sum);
    return (RowSum){total, total, lanes_total(&err)};
}

static inline void lanes_max(Lanes *restrict top, M8 *restrict nan, const double *restrict x, size_t n) {
    V8 t0 = top->lane[0], t1 = top->lane[1];
    M8 bad = *nan;
    size_t i = 0;
    for (; i + 16 <= n; i += 16) {
        V8 a, b;
        memcpy(&a, x + i, sizeof a);
        memcpy(&b, x + i + 8, sizeof b);
        M8 m0 = a > t0, m1 = b > t1;
        bad |= (a != a) | (b != b);
        t0 = (V8)(((M8)a & m0) | ((M8)t0 & ~m0));
        t1 = (V8)(((M8)b & m1) | ((M8)t1 & ~m1));
    }
    for (; i < n; i++) {
        bad[0] |= -(int64_t)(x[i] != x[i]);
        t0[0] = x[i] > t0[0] ? x[i] : t0[0];
    }
    top->lane[0] = t0;
    top->lane[1] = t1;
    *nan = bad;
}

static inline double lanes_top(const Lanes *top, const M8 *nan) {
    double best = -RULE_INF;
    int64_t bad = 0;
    for (int l = 0; l < 8; l++) {
        best = top->lane[0][l] > best ? top->lane[0][l] : best;
        best = top->lane[1][l] > best ? top->lane[1][l] : best;
        bad |= (*nan)[l];
    }
    return bad ? f64_nan() : best;
}

FLAT static RowMax row_largest(size_t n, const double *restrict v, const double *restrict e, double sign) {
    LOOP_READS(v, n);
    if (e) LOOP_READS(e, n);
    Lanes none;
    for (int l = 0; l < 8; l++) none.lane[0][l] = none.lane[1][l] = -RULE_INF;
    Lanes top = none, top_low = none, top_high = none;
    M8 nan = {0}, ignored = {0};
    double x[BOUND_CHUNK], low[BOUND_CHUNK], high[BOUND_CHUNK];
    for (size_t i = 0; i < n; i += BOUND_CHUNK) {
        size_t k = n - i < BOUND_CHUNK ? n - i : BOUND_CHUNK;
        for (size_t j = 0; j < k; j++) x[j] = sign * v[i + j];
        lanes_max(&top, &nan, x, k);
        if (!e) continue;
        for (size_t j = 0; j < k; j++) {
            Ve a = {x[j], e[i + j]};
            low[j] = rule_low(a);
            high[j] = rule_high(a);
        }
        lanes_max(&top_low, &ignored, low, k);
        lanes_max(&top_high, &ignored, high, k);
    }
    double best = lanes_top(&top, &nan);
    if (!e) return (RowMax){best, best, best};
    return (RowMax){best, lanes_top(&top_low, &ignored), lanes_top(&top_high, &ignored)};
}

// --- Softmax family ------------------------------------------------------------------------------

// t = exp(x - m); E = ex + |x - m| + F + C with F = |x| + |m| below 2^18, else 0: exp2(x*c - m*c) is
// tolerated only where it works. The error of m is common to all terms and cancels.
#define FOLD_LIMIT 0x1p18

static inline double fold(double x, double m) {
    double f = f64_abs(x) + f64_abs(m);
    return f64_if(f < FOLD_LIMIT, f, 0);
}

// An element whose k*ex is not small: k t E is how far t may really move. E is NaN where t is 0 but may not
// be.
static double wide_te(double x, double ex, double m, double t) {
    double high = rule_high((Ve){x, ex}) - m;
    if (high < -104) return 0;
    return (f64_exp(high) - t) / RULE_K + t * (f64_abs(x - m) + fold(x, m) + RULE_C);
}

// t and big_e (E) may be NULL when only the sums are wanted; ex may be NULL. m is finite.
FLAT static ExpSum row_exps(size_t n, const double *restrict x, const double *restrict ex, double m,
                            double *restrict t, double *restrict big_e) {
    LOOP_READS(x, n);
    if (ex) LOOP_READS(ex, n);
    if (t) LOOP_WRITES(t, n);
    if (big_e) LOOP_WRITES(big_e, n);
    Lanes s = {0}, te = {0};
    double tt[BOUND_CHUNK], ee[BOUND_CHUNK], ww[BOUND_CHUNK];
    for (size_t i = 0; i < n; i += BOUND_CHUNK) {
        size_t k = n - i < BOUND_CHUNK ? n - i : BOUND_CHUNK;
        const double *restrict xx = x + i, *restrict dx = ex ? ex + i : zeros;
        uint64_t wide = 0;
        for (size_t j = 0; j < k; j++) {
            double d = xx[j] - m, p = f64_exp(d);
            double big = dx[j] * (1 + RULE_K * dx[j]) + f64_abs(d) + fold(xx[j], m) + RULE_C;
            tt[j] = p;
            ee[j] = big;
            ww[j] = f64_if(p == 0, 0, p * big);
            wide |= RULE_K * dx[j] >= RULE_WIDE;
        }
        for (size_t j = 0; wide && j < k; j++) {
            if (!(RULE_K * dx[j] >= RULE_WIDE)) continue;
            ww[j] = wide_te(xx[j], dx[j], m, tt[j]);
            ee[j] = tt[j] > 0 ? ww[j] / tt[j] : ww[j] > 0 ? f64_nan() : 0;
        }
        lanes_add(&s, tt, k);
        lanes_add(&te, ww, k);
        if (t) memcpy(t + i, tt, k * sizeof *t);
        if (big_e) memcpy(big_e + i, ee, k * sizeof *big_e);
    }
    return (ExpSum){lanes_total(&s), lanes_total(&te)};
}

// p = t / s, e = p (E + S + C + 1) / (1 - k S); v holds t and e holds E on entry.
FLAT static void row_softmax(size_t n, double s, double spread, double *restrict v, double *restrict e) {
    LOOP_WRITES(v, n), LOOP_WRITES(e, n);
    double scale = 1 / s, own = spread + RULE_C + 1, grow = 1 / (1 - RULE_K * spread);
    bool lost = !(RULE_K * spread < 0.75);
    for (size_t i = 0; i < n; i++) {
        double big = rule_times(v[i], (e[i] + own) * grow) * scale;
        bool unknown = lost | (e[i] != e[i]);
        Ve r = rule_end((Ve){v[i] * scale, f64_if(unknown, RULE_INF, big)});
        v[i] = r.v;
        e[i] = r.e;
    }
}

// v = (x - m) - log s, e = S + 3 + (C+1) log s + log s + ex +
// |m| + |x| + |x - m| + |v|: covers that form and x - (m + log s).
FLAT static void row_log_softmax(size_t n, const double *restrict x, const double *restrict ex, double m,
                                 double log_s, double spread, double *restrict v, double *restrict e) {
    LOOP_READS(x, n);
    if (ex) LOOP_READS(ex, n);
    LOOP_WRITES(v, n), LOOP_WRITES(e, n);
    double own = spread + 3 + (RULE_C + 2) * log_s + f64_abs(m);
    for (size_t i = 0; i < n; i += BOUND_CHUNK) {
        size_t k = n - i < BOUND_CHUNK ? n - i : BOUND_CHUNK;
        const double *restrict xx = x + i, *restrict dx = ex ? ex + i : zeros;
        double *restrict vv = v + i, *restrict ee = e + i;
        for (size_t j = 0; j < k; j++) {
            double d = xx[j] - m, y = d - log_s;
            double big = own + dx[j] + f64_abs(xx[j]) + f64_abs(d) + f64_abs(y);
            Ve r = rule_end((Ve){y, rule_wild(y, big, dx[j] + spread, !rule_finite(xx[j]))});
            vv[j] = r.v;
            ee[j] = r.e;
        }
    }
}

// --- Prefix sums ---------------------------------------------------------------------------------

// e of prefix i: sum_{j<=i} ej + min(i, G(N)) sum_{j<=i} |aj|, since a prefix of i + 1 elements takes i
// additions in any scan. Sums run from the left; only the last step of each chunk is vector work. e may be
// NULL.
FLAT static void row_cumsum(size_t n, const double *restrict v, const double *restrict e, double growth,
                            double *restrict ov, double *restrict oe) {
    LOOP_READS(v, n);
    if (e) LOOP_READS(e, n);
    LOOP_WRITES(ov, n), LOOP_WRITES(oe, n);
    double sum = 0, size = 0, err = 0, sums[BOUND_CHUNK], sizes[BOUND_CHUNK], errs[BOUND_CHUNK];
    for (size_t i = 0; i < n; i += BOUND_CHUNK) {
        size_t k = n - i < BOUND_CHUNK ? n - i : BOUND_CHUNK;
        const double *restrict x = v + i, *restrict dx = e ? e + i : zeros;
        for (size_t j = 0; j < k; j++) {
            sums[j] = sum += x[j];
            sizes[j] = size += f64_abs(x[j]);
            errs[j] = err += dx[j];
        }
        double *restrict vv = ov + i, *restrict ee = oe + i;
        for (size_t j = 0; j < k; j++) {
            double depth = rule_min((double)(int32_t)(i + j), growth);
            Ve r = rule_end(rule_sum(sums[j], sizes[j], errs[j], depth));
            vv[j] = r.v;
            ee[j] = r.e;
        }
    }
}

// --- Sums of products ------------------------------------------------------------------------

// No functions: how they would be given such vectors depends on the instruction set.
#define V8_ALL(x)      ((V8){0} + (x))
#define V8_ABS(x)      ((V8)((M8)(x)&INT64_MAX))
#define V8_LOAD(to, x) memcpy(&(to), (x), sizeof(V8))

static void sums_exact(size_t k, const double *restrict av, const BoundPanel *b, Sums *restrict out) {
    LOOP_READS(av, k), LOOP_READS(b->v, k * BOUND_COLUMNS);
    if (b->e) LOOP_READS(b->e, k * BOUND_COLUMNS);
    for (size_t h = 0; h < BOUND_COLUMNS; h += 8) {
        V8 v = {0}, size = {0}, e = {0}, y;
        for (size_t l = 0; l < k; l++) {
            V8_LOAD(y, b->v + l * BOUND_COLUMNS + h);
            V8 p = av[l] * y;
            v += p;
            size += V8_ABS(p);
        }
        for (size_t l = 0; b->e && l < k; l++) {
            V8_LOAD(y, b->e + l * BOUND_COLUMNS + h);
            e += f64_abs(av[l]) * y;
        }
        memcpy(out->v + h, &v, sizeof v);
        memcpy(out->size + h, &size, sizeof size);
        memcpy(out->e + h, &e, sizeof e);
    }
}

// tame_mul in eight lanes.
static bool sums_tame(size_t k, const double *restrict av, const double *restrict ae, const BoundPanel *b,
                      Sums *restrict out) {
    LOOP_READS(av, k), LOOP_READS(b->v, k * BOUND_COLUMNS);
    if (ae) LOOP_READS(ae, k);
    if (b->e) LOOP_READS(b->e, k * BOUND_COLUMNS);
    M8 tame = ~(M8){0};
    const V8 flush = V8_ALL(RULE_FLUSH), fmax = V8_ALL(RULE_FMAX), least = V8_ALL(RULE_MIN),
             endless = V8_ALL(RULE_INF);
    for (size_t h = 0; h < BOUND_COLUMNS; h += 8) {
        V8 v = {0}, size = {0}, e = {0}, y, dy = {0};
        for (size_t l = 0; l < k; l++) {
            double x = av[l], dx = ae ? ae[l] : 0;
            V8_LOAD(y, b->v + l * BOUND_COLUMNS + h);
            if (b->e) V8_LOAD(dy, b->e + l * BOUND_COLUMNS + h);
            V8 p = x * y, m = V8_ABS(p), pe = f64_abs(x) * dy + V8_ABS(y) * dx + RULE_K * dx * dy + m;
            tame &= (m <= fmax) & (pe < endless);
            M8 tiny = (m != (V8){0}) & (m - RULE_K * pe < least);
            v += p;
            size += m;
            e += pe + (V8)((M8)flush & tiny);
        }
        memcpy(out->v + h, &v, sizeof v);
        memcpy(out->size + h, &size, sizeof size);
        memcpy(out->e + h, &e, sizeof e);
    }
    int64_t all = -1;
    for (int l = 0; l < 8; l++) all &= tame[l];
    return all != 0;
}

FLAT static void sums_wild(size_t k, const double *restrict av, const double *restrict ae,
                           const BoundPanel *b, Sums *restrict out) {
    LOOP_READS(av, k), LOOP_READS(b->v, k * BOUND_COLUMNS);
    *out = (Sums){0};
    for (size_t l = 0; l < k; l++) {
        const double *restrict bv = b->v + l * BOUND_COLUMNS, *restrict in = b->in + l * BOUND_COLUMNS,
                               *restrict be = b->e ? b->e + l * BOUND_COLUMNS : zeros;
        Ve x = {av[l], ae ? ae[l] : 0};
        for (size_t j = 0; j < BOUND_COLUMNS; j++) {
            Ve y = {bv[j], be[j]}, p = rule_mul(x, y);
            bool there = in[j] != 0;
            out->v[j] += f64_if(there, p.v, 0);
            out->size[j] += f64_if(there, f64_abs(p.v), 0);
            out->e[j] += f64_if(there, p.e, 0);
        }
    }
}

// --- Pools ---------------------------------------------------------------------------------------

// The first NaN stays, whatever follows.
FLAT static inline void pool_max_rows(size_t n, const double *restrict x, const double *restrict xe,
                                      int64_t step, PoolRow to) {
    double *restrict v = to.v, *restrict low = to.low, *restrict high = to.high, *restrict e = to.e;
    for (size_t i = 0; i < n; i++) {
        double y = x[(int64_t)i * step], was = v[i];
        bool takes = (y > was) | ((y != y) & (was == was));
        v[i] = f64_if(takes, y, was);
    }
    for (size_t i = 0; xe && i < n; i++) {
        Ve y = {x[(int64_t)i * step], xe[(int64_t)i * step]};
        low[i] = rule_max(rule_low(y), low[i]);
        high[i] = rule_max(rule_high(y), high[i]);
        e[i] = rule_max(e[i], y.e);
    }
}
static void pool_max(size_t n, const double *x, const double *xe, int64_t step, PoolRow to) {
    if (step == 1)
        pool_max_rows(n, x, xe, 1, to);
    else
        pool_max_rows(n, x, xe, step, to);
}

FLAT static inline void pool_sum_rows(size_t n, const double *restrict x, const double *restrict xe,
                                      int64_t step, PoolRow to) {
    double *restrict v = to.v, *restrict size = to.size, *restrict e = to.e;
    for (size_t i = 0; i < n; i++) {
        double y = x[(int64_t)i * step];
        v[i] += y;
        size[i] += f64_abs(y);
    }
    for (size_t i = 0; xe && i < n; i++) e[i] += xe[(int64_t)i * step];
}
static void pool_sum(size_t n, const double *x, const double *xe, int64_t step, PoolRow to) {
    if (step == 1)
        pool_sum_rows(n, x, xe, 1, to);
    else
        pool_sum_rows(n, x, xe, step, to);
}

// A row of bound.def without its loop does not compile.
#define LOOP_UNARY(id)   .unary[BOUND_##id] = unary_##id,
#define LOOP_BINARY(id)  .binary[BOUND_##id] = binary_##id,
#define LOOP_TERNARY(id) .ternary[BOUND_##id] = ternary_##id,
#define LOOP_SOURCE(id)
#define LOOP_REDUCE(id)
#define LOOP_MATMUL(id)
#define LOOP_RANDOM(id)
#define LOOP_WINDOW(id)
#define LOOP_ROW(id)
#define LOOP_SHAPE(id)
#define BOUND(id, torch, kind, doc) LOOP_##kind(id)
const BoundSimd ISA_NAME(bound_simd) = {
#include "tensor/bound.def"
    .uncertainty = uncertainty,
    .any_uncertain = any_uncertain,
    .round = round_to,
    .sum = row_sum,
    .deviations = row_deviations,
    .largest = row_largest,
    .exps = row_exps,
    .softmax = row_softmax,
    .log_softmax = row_log_softmax,
    .cumsum = row_cumsum,
    .sums_exact = sums_exact,
    .sums_tame = sums_tame,
    .sums_wild = sums_wild,
    .pool_max = pool_max,
    .pool_sum = pool_sum,
};
#undef BOUND
