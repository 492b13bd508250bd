// The oracle: values against long double, each rule against brute force over its interval, types and shapes
// by torch's rules, the same bits on every instruction set.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "base/isa.h"
#include "base/rng.h"
#include "tensor/bound_simd.h"
#include "tensor/oracle.h"

static const double infinity = (double)INFINITY;

// --- Values --------------------------------------------------------------------------------------

static long double ld_sigmoid(long double x) { return 1 / (1 + expl(-x)); }
static long double ld_rsqrt(long double x) { return 1 / sqrtl(x); }
static long double ld_recip(long double x) { return 1 / x; }
static long double ld_square(long double x) { return x * x; }
static long double ld_relu(long double x) { return x > 0 ? x : 0; }
static long double ld_neg(long double x) { return -x; }
static long double ld_silu(long double x) { return x / (1 + expl(-x)); }
static long double ld_gelu_tanh(long double x) {
    return 0.5L * x * (1 + tanhl(0.7978845608028654L * (x + 0.044715L * x * x * x)));
}
static long double ld_gelu_erf(long double x) { return 0.5L * x * (1 + erfl(x * 0.70710678118654752440L)); }
static long double ld_softplus(long double x) { return x > 20 ? x : log1pl(expl(x)); }

typedef struct {
    BoundOp op;
    long double (*f)(long double);
    double low, high;
    double slack; // absolute, for functions that cancel in float64 too
} UnaryCase;
static const UnaryCase unaries[] = {
    {BOUND_NEG, ld_neg, -9, 9, 0},
    {BOUND_ABS, fabsl, -9, 9, 0},
    {BOUND_EXP, expl, -80, 80, 0},
    {BOUND_EXP2, exp2l, -100, 100, 0},
    {BOUND_EXPM1, expm1l, -5, 5, 0},
    {BOUND_LOG, logl, 1e-6, 1e6, 1e-16},
    {BOUND_LOG2, log2l, 1e-6, 1e6, 1e-16},
    {BOUND_LOG1P, log1pl, -0.9, 50, 0},
    {BOUND_SQRT, sqrtl, 0, 1e6, 0},
    {BOUND_RSQRT, ld_rsqrt, 1e-6, 1e6, 0},
    {BOUND_RECIPROCAL, ld_recip, 0.01, 9, 0},
    {BOUND_SQUARE, ld_square, -99, 99, 0},
    {BOUND_TANH, tanhl, -9, 9, 0},
    {BOUND_SIGMOID, ld_sigmoid, -60, 60, 0},
    {BOUND_ERF, erfl, -5, 5, 0},
    {BOUND_SIN, sinl, -50, 50, 1e-16},
    {BOUND_COS, cosl, -50, 50, 1e-16},
    {BOUND_RELU, ld_relu, -9, 9, 0},
    {BOUND_SILU, ld_silu, -40, 40, 0},
    {BOUND_GELU_TANH, ld_gelu_tanh, -9, 9, 1e-14},
    {BOUND_GELU_ERF, ld_gelu_erf, -9, 9, 1e-14},
    {BOUND_SOFTPLUS, ld_softplus, -40, 40, 0},
};

static void unary_values(void **state) {
    (void)state;
    enum { N = 1003 };
    double v[N];
    Rng r = rng_at(7, 0);
    for (size_t k = 0; k < sizeof unaries / sizeof *unaries; k++) {
        const UnaryCase *u = &unaries[k];
        for (int i = 0; i < N; i++) v[i] = u->low + (u->high - u->low) * rng_unit(&r);
        const Bound *x = INPUT(DT_F32, v, N), *y = must(try_op(u->op, no_attrs, 0, 1, &x));
        for (int i = 0; i < N; i++) {
            long double want = u->f((long double)x->v[i]);
            if (fabsl(y->v[i] - want) > 1e-14L * fabsl(want) + u->slack)
                fail_msg("%s(%.17g) = %.17g, not %.17Lg", bound_name(u->op), x->v[i], y->v[i], want);
        }
    }
}

static void row_values(void **state) {
    (void)state;
    enum { M = 3, N = 1001 };
    static double v[M * N];
    Rng r = rng_at(8, 0);
    for (int i = 0; i < M * N; i++) v[i] = rng_normal(&r) * 3;
    const Bound *x = INPUT(DT_F32, v, M, N);
    const Bound *sum = OPA(SUM, ATTRS(1, 0), x), *mean = OPA(MEAN, ATTRS(1, 1), x),
                *var = OPA(VAR, ATTRS(1, 0, 0), x);
    const Bound *var1 = OPA(VAR, ATTRS(1, 0, 1), x), *top = OPA(AMAX, ATTRS(1, 0), x),
                *bottom = OPA(AMIN, ATTRS(1, 0), x);
    const Bound *lse = OPA(LOGSUMEXP, ATTRS(1, 0), x), *arg = OPA(ARGMAX, ATTRS(1, 0), x);
    const Bound *p = OPA(SOFTMAX, ATTRS(1), x), *lp = OPA(LOG_SOFTMAX, ATTRS(1), x),
                *scan = OPA(CUMSUM, ATTRS(1), x);
    assert_true(mean->rank == 2 && mean->shape[1] == 1 && sum->rank == 1 && sum->shape[0] == M);
    for (int m = 0; m < M; m++) {
        const double *row = x->v + m * N;
        long double s = 0, q = 0, t = 0, best = -1e9L, least = 1e9L;
        int at = 0;
        for (int i = 0; i < N; i++) {
            s += row[i];
            if (row[i] > best) best = row[i], at = i;
            if (row[i] < least) least = row[i];
            assert_true(fabsl(scan->v[m * N + i] - s) < 1e-11L);
        }
        for (int i = 0; i < N; i++) q += (row[i] - s / N) * (row[i] - s / N), t += expl(row[i] - best);
        assert_true(fabsl(sum->v[m] - s) < 1e-11L && fabsl(mean->v[m] - s / N) < 1e-14L);
        assert_true(fabsl(var->v[m] - q / N) < 1e-12L && fabsl(var1->v[m] - q / (N - 1)) < 1e-12L);
        assert_true(top->v[m] == (double)best && bottom->v[m] == (double)least && arg->v[m] == at);
        assert_true(!top->e && !arg->e); // exact operands: exact extremes
        assert_true(fabsl(lse->v[m] - (best + logl(t))) < 1e-14L);
        for (int i = 0; i < N; i++) {
            long double want = expl(row[i] - best) / t;
            assert_true(fabsl(p->v[m * N + i] - want) <= 1e-14L * want);
            assert_true(fabsl(lp->v[m * N + i] - (row[i] - best - logl(t))) < 1e-14L);
        }
    }
}

// At N = 65537 the float64 sum itself is far inside a thousandth of the bound.
static void sums_of_long_rows(void **state) {
    (void)state;
    enum { N = 65537 };
    double *v = NEWN(&arena, double, N);
    Rng r = rng_at(9, 0);
    rng_fill_normal(&r, v, N);
    const Bound *x = INPUT(DT_F32, v, N), *sum = OPA(SUM, ATTRS(0, 0), x), *var = OPA(VAR, ATTRS(0, 0, 0), x);
    long double s = 0, q = 0;
    for (int i = 0; i < N; i++) s += x->v[i];
    for (int i = 0; i < N; i++) q += (x->v[i] - s / N) * (x->v[i] - s / N);
    assert_true(fabsl(sum->v[0] - s) < 1e-6L * BOUND_U * sum->e[0]);
    assert_true(fabsl(var->v[0] - q / N) < 1e-6L * BOUND_U * var->e[0]);
}

static void growth_factors(void **state) {
    (void)state;
    static const struct {
        int64_t n;
        double g;
    } row[] = {{0, 0},    {1, 0},     {2, 1},     {3, 2},     {17, 16},
               {128, 23}, {1000, 26}, {4097, 30}, {8193, 47}, {65536, 272}};
    for (size_t i = 0; i < sizeof row / sizeof *row; i++) assert_true(bound_growth(row[i].n) == row[i].g);
}

// --- Rules against brute force -------------------------------------------------------------------

// Operands with errors of every size: the result's interval must hold f of every corner and many points
// inside.
static const Bound *uncertain(const double *v, const double *e, int n) {
    Bound *b = (Bound *)(uintptr_t)INPUT(DT_F32, v, n);
    b->e = NEWN(&arena, double, (size_t)n);
    memcpy(b->e, e, (size_t)n * sizeof *e);
    return b;
}

static double spread(Rng *r) {
    return ldexp(1, (int)rng_between(r, 0, 26)) * rng_unit(r);
} // u .. about 4 times |a|

static void unary_intervals_hold(void **state) {
    (void)state;
    enum { N = 600 };
    double v[N], e[N];
    Rng r = rng_at(11, 0);
    for (size_t k = 0; k < sizeof unaries / sizeof *unaries; k++) {
        const UnaryCase *u = &unaries[k];
        for (int i = 0; i < N; i++) {
            v[i] = u->low + (u->high - u->low) * (i % 3 ? rng_unit(&r) : 0.5 + 0.01 * rng_normal(&r));
            e[i] = spread(&r) * (fabs(v[i]) + 0.1);
        }
        const Bound *x = uncertain(v, e, N), *y = must(try_op(u->op, no_attrs, 0, 1, &x));
        int judged = 0;
        for (int i = 0; i < N; i++) {
            if (err_at(y, i) == infinity) continue;
            judged++;
            for (int s = -4; s <= 4; s++) {
                long double a = x->v[i] + 0.25L * s * KU * x->e[i], f = u->f(a);
                // By policy a variance plus eps stays positive however uncertain it is: see rsqrt.
                if (u->op == BOUND_RSQRT && a < x->v[i] * 0.25L) continue;
                if (f != f) continue;
                if (fabsl(f - y->v[i]) > KU * (long double)err_at(y, i) * 1.000001L)
                    fail_msg("%s at %.9g +- %.3g: %.9Lg is outside %.9g +- %.3g", bound_name(u->op), x->v[i],
                             KU * x->e[i], f, y->v[i], KU * err_at(y, i));
            }
        }
        assert_true(judged > N / 2);
    }
}

static double b_add(double a, double b) { return a + b; }
static double b_sub(double a, double b) { return a - b; }
static double b_mul(double a, double b) { return a * b; }
static double b_div(double a, double b) { return a / b; }
static double b_max(double a, double b) { return a > b ? a : b; }
static double b_min(double a, double b) { return a < b ? a : b; }
static double b_lt(double a, double b) { return a < b; }
static double b_ge(double a, double b) { return a >= b; }

static void binary_intervals_hold(void **state) {
    (void)state;
    enum { N = 800 };
    static const struct {
        BoundOp op;
        double (*f)(double, double);
    } row[] = {{BOUND_ADD, b_add}, {BOUND_SUB, b_sub},     {BOUND_MUL, b_mul},     {BOUND_DIV, b_div},
               {BOUND_LT, b_lt},   {BOUND_MAXIMUM, b_max}, {BOUND_MINIMUM, b_min}, {BOUND_GE, b_ge}};
    double v[N], w[N], e[N], d[N];
    Rng r = rng_at(12, 0);
    for (int i = 0; i < N; i++) {
        v[i] = rng_normal(&r) * 4;
        w[i] = i % 2 ? v[i] + rng_normal(&r) * 1e-3 : rng_normal(&r) * 4; // half of them near a kink
        e[i] = i % 5 ? spread(&r) * fabs(v[i]) : 0;
        d[i] = i % 7 ? spread(&r) * fabs(w[i]) : 0;
    }
    const Bound *x = uncertain(v, e, N), *y = uncertain(w, d, N);
    for (size_t k = 0; k < sizeof row / sizeof *row; k++) {
        const Bound *z = must(try_op(row[k].op, no_attrs, 0, OPERANDS(x, y)));
        int judged = 0, sharp = 0;
        for (int i = 0; i < N; i++) {
            if (err_at(z, i) == infinity) continue;
            judged++;
            sharp += err_at(z, i) == 0;
            for (int s = 0; s < 25; s++) {
                double a = x->v[i] + 0.5 * (s % 5 - 2) * KU * x->e[i],
                       b = y->v[i] + 0.5 * (s / 5 - 2) * KU * y->e[i];
                double f = row[k].f(a, b);
                if (fabs(f - z->v[i]) > KU * err_at(z, i) * 1.000001 + 1e-15 * fabs(f))
                    fail_msg("%s at %d: %.9g is outside %.9g +- %.3g", bound_name(row[k].op), i, f, z->v[i],
                             KU * err_at(z, i));
            }
        }
        assert_true(judged > N / 2);
        if (row[k].op == BOUND_LT) assert_true(sharp > N / 4); // most comparisons are certain
    }
}

// Rows whose elements move independently within their errors, wide ones included.
static long double ld_row(BoundOp op, const long double *x, int n, int at) {
    long double sum = 0, mean = 0, dev = 0, exps = 0, top = x[0], bottom = x[0], product = 1, prefix = 0;
    for (int i = 0; i < n; i++) sum += x[i], product *= x[i], prefix += i <= at ? x[i] : 0;
    for (int i = 0; i < n; i++) top = x[i] > top ? x[i] : top, bottom = x[i] < bottom ? x[i] : bottom;
    mean = sum / n;
    for (int i = 0; i < n; i++) dev += (x[i] - mean) * (x[i] - mean), exps += expl(x[i] - top);
    switch (op) {
    case BOUND_SUM: return sum;
    case BOUND_MEAN: return mean;
    case BOUND_VAR: return dev / (n - 1);
    case BOUND_AMAX: return top;
    case BOUND_AMIN: return bottom;
    case BOUND_PROD: return product;
    case BOUND_LOGSUMEXP: return top + logl(exps);
    case BOUND_SOFTMAX: return expl(x[at] - top) / exps;
    case BOUND_LOG_SOFTMAX: return x[at] - top - logl(exps);
    default: return prefix; // CUMSUM
    }
}

static void row_intervals_hold(void **state) {
    (void)state;
    enum { N = 7, ROWS = 150, TRIES = 30 };
    static const struct {
        BoundOp op;
        Attrs attrs;
    } row[] = {
        {BOUND_SUM, {2, {0}}},       {BOUND_MEAN, {2, {0}}},    {BOUND_VAR, {3, {0, 0, 1}}},
        {BOUND_AMAX, {2, {0}}},      {BOUND_AMIN, {2, {0}}},    {BOUND_PROD, {2, {0}}},
        {BOUND_LOGSUMEXP, {2, {0}}}, {BOUND_SOFTMAX, {1, {0}}}, {BOUND_LOG_SOFTMAX, {1, {0}}},
        {BOUND_CUMSUM, {1, {0}}},
    };
    double v[N], e[N];
    Rng r = rng_at(13, 0);
    for (size_t k = 0; k < sizeof row / sizeof *row; k++) {
        int judged = 0, all = 0;
        for (int m = 0; m < ROWS; m++) {
            double scale = m % 3 == 0 ? 100 : 2;
            for (int i = 0; i < N; i++) {
                v[i] = rng_normal(&r) * scale;
                e[i] =
                    rng_below(&r, 3) ? ldexp(1, (int)rng_between(&r, 0, m % 2 ? 24 : 20)) * rng_unit(&r) : 0;
            }
            if (m % 5 == 0) v[1] = -1000, e[1] = 990 / KU; // nothing, or next to the largest
            const Bound *x = uncertain(v, e, N), *y = must(try_op(row[k].op, row[k].attrs, 0, 1, &x));
            for (int i = 0; i < y->numel; i++) {
                all++;
                if (err_at(y, i) == infinity) continue;
                judged++;
                for (int s = 0; s < TRIES; s++) {
                    long double moved[N];
                    for (int j = 0; j < N; j++) {
                        double way = s == 0             ? 1
                                     : s == 1           ? -1
                                     : s % 2            ? 2 * rng_unit(&r) - 1
                                     : rng_below(&r, 2) ? 1
                                                        : -1;
                        if (s >= 2 && s < 2 + N) way = j == s - 2 ? 1 : -1;
                        moved[j] = x->v[j] + (long double)way * KU * x->e[j];
                    }
                    long double f = ld_row(row[k].op, moved, N, i);
                    if (fabsl(f) < 0x1p-150L) f = 0; // what float32 makes of it
                    if (fabsl(f - y->v[i]) > KU * (long double)err_at(y, i) * 1.000001L)
                        fail_msg("%s row %d: %.9Lg is outside %.9g +- %.3g", bound_name(row[k].op), m, f,
                                 y->v[i], KU * err_at(y, i));
                }
            }
        }
        assert_true(judged > all / 3);
    }
}

// e of exact operands is what the rule adds by itself: the constants of doc/error-bound.md section 2.
static void constants_of_the_rules(void **state) {
    (void)state;
    double one[1] = {3}, two[1] = {-7}, half[1] = {0.5}, eight[8] = {1, 2, 3, 4, 5, -6, 7, 8};
    const Bound *a = INPUT(DT_F32, one, 1), *b = INPUT(DT_F32, two, 1), *h = INPUT(DT_F32, half, 1);
    const Bound *row = INPUT(DT_F32, eight, 8);
    double t = tanh(0.5), s = 1 / (1 + exp(-0.5)), q = sqrt(3), g = 7 * 36; // G(8) = 7, sum of sizes 36
    const struct {
        const Bound *is;
        double e;
    } row_of[] = {
        {OP(ADD, a, b), 4},
        {OP(SUB, a, b), 10 - 3}, // max(3, 7)
        {OP(MUL, a, b), 21},
        {OP(DIV, a, b), 4 * 3.0 / 7},
        {OP(RECIPROCAL, a), 4.0 / 3},
        {OP(SQRT, a), 4 * q},
        {OP(RSQRT, a), 4 / q},
        {OP(EXP, a), exp(3) * (3 + 4)},
        {OP(EXP2, a), 8 * (3 * log(2) + 4)},
        {OP(EXPM1, a), exp(3) * (3 + 4) + exp(3)},
        {OP(LOG, a), 3 + 5 * log(3)},
        {OP(LOG1P, a), 3 + 1 + 5 * log(4)},
        {OP(TANH, h), (1 - t * t) * 0.5 + 10},
        {OP(SIGMOID, h), s * (1 - s) * 4.5 + 5 * s},
        {OP(ERF, h), 2 / sqrt(acos(-1)) * exp(-0.25) * 0.5 + 8},
        {OP(SOFTPLUS, h), s * 4.5 + 4 + 5 * log1p(exp(0.5))},
        {OP(SILU, h), 0.5 * (s * (1 - s) * 4.5 + 5 * s) + 0.5 * s},
        {OP(COS, h), 4 * cos(0.5) + 0.5},
        {OPA(SUM, ATTRS(0, 0), row), g},
        {OPA(MEAN, ATTRS(0, 0), row), g / 8 + 2 * 3},
    };
    for (size_t i = 0; i < sizeof row_of / sizeof *row_of; i++)
        if (fabs(row_of[i].is->e[0] - row_of[i].e) > 1e-6 * row_of[i].e)
            fail_msg("%s: e is %.9g, not %.9g", bound_name(row_of[i].is->op), row_of[i].is->e[0],
                     row_of[i].e);
    const Bound *scan = OPA(CUMSUM, ATTRS(0), row), *p = OPA(SOFTMAX, ATTRS(0), row),
                *l = OPA(LOG_SOFTMAX, ATTRS(0), row);
    assert_true(scan->e[0] == 0 && scan->e[1] == 3 && scan->e[7] == g);
    double sum = 0, spread = 7; // S = sum p E + G, E = |x - m| + (|x| + |m|) + 4
    for (int i = 0; i < 8; i++) sum += exp(eight[i] - 8);
    for (int i = 0; i < 8; i++) spread += exp(eight[i] - 8) / sum * (8 - eight[i] + fabs(eight[i]) + 8 + 4);
    double e2 = exp(3.0 - 8) / sum * (5 + 11 + 4 + spread + 5);
    assert_true(fabs(p->e[2] - e2) < 1e-4 * e2);
    e2 = spread + 3 + 6 * log(sum) + 8 + 3 + 5 + fabs(3 - 8 - log(sum));
    assert_true(fabs(l->e[2] - e2) < 1e-6 * e2);
    double far[2] = {-300000, -300001}; // beyond the folding limit: F = 0
    assert_true(OPA(SOFTMAX, ATTRS(0), INPUT(DT_F32, far, 2))->e[0] < 20);
}

static void choices_collapse_behind_the_kink(void **state) {
    (void)state;
    double v[4] = {-1, 1, -1e-7, 5}, e[4] = {3, 3, 3, 0};
    const Bound *x = uncertain(v, e, 4), *y = OP(RELU, x);
    assert_true(y->v[0] == 0 && y->e[0] == 0);             // certainly negative: exactly 0
    assert_true(y->v[1] == 1 && fabs(y->e[1] - 3) < 1e-6); // certainly positive
    assert_true(y->v[2] == 0 && y->e[2] > 0 && y->e[2] < 3 && high_at(y, 2) > 2e-7);
    assert_true(y->v[3] == 5 && y->e[3] == 0);
    const Bound *c = OPS(CLAMP_MAX, 0.5, OPS(CLAMP_MIN, 0.25, x));
    assert_true(c->v[0] == 0.25 && c->e[0] == 0 && c->v[1] == 0.5 && c->e[1] == 0);
    const Bound *cond = OP(GT, x, lit(0)), *w = OP(WHERE, cond, x, lit(7));
    assert_true(cond->e[0] == 0 && cond->e[1] == 0 && cond->e[2] == 1 / BOUND_U && cond->dtype == DT_BOOL);
    assert_true(w->v[0] == 7 && w->e[0] == 0 && w->v[1] == 1 && w->e[1] == 3);
    assert_true(w->v[2] == 7 && low_at(w, 2) <= -1e-7); // both branches are inside
    // A certain side decides a conjunction.
    const Bound *both = OP(LOGICAL_AND, cond, OP(LT, x, lit(-5))),
                *either = OP(LOGICAL_OR, cond, OP(LT, x, lit(9)));
    assert_true(err_at(both, 2) == 0 && both->v[2] == 0 && err_at(either, 2) == 0 && either->v[2] == 1);
    assert_true(err_at(OP(LOGICAL_NOT, cond), 2) > 0);
    // A constant that float32 does not hold is not compared with certainty.
    double tenth[1] = {0.1};
    const Bound *t = INPUT(DT_F32, tenth, 1);
    assert_true(err_at(OP(EQ, t, lit(0.1)), 0) > 0 && err_at(OP(EQ, t, lit(0.125)), 0) == 0);
    const Bound *h = INPUT(DT_F16, tenth, 1); // torch compares with fp16(0.1), a kernel may with float32's
    assert_true(err_at(OP(GE, h, lit(0.1)), 0) > 0 && err_at(OP(GE, h, lit(0.125)), 0) == 0);
    const Bound *arg = OPA(ARGMAX, ATTRS(0, 0), x);
    assert_true(arg->v[0] == 3 && arg->e[0] == 0);
    double near[2] = {1, 1 + 1e-7}, wide[2] = {2, 2};
    assert_true(OPA(ARGMAX, ATTRS(0, 0), uncertain(near, wide, 2))->e[0] == infinity);
}

// --- Overflow, poles, subnormals -----------------------------------------------------------------

static void overflow_is_unknown_until_a_limit(void **state) {
    (void)state;
    double v[3] = {100, -100, 1};
    const Bound *x = INPUT(DT_F32, v, 3), *big = OP(EXP, x);
    assert_true(big->v[0] > 1e43 && big->e[0] == infinity && big->e[2] < 14);
    assert_true(big->v[1] < 1e-43 && big->e[1] < infinity); // may be flushed, and that is inside
    assert_true(low_at(big, 1) <= 0);
    const Bound *back[] = {OP(TANH, big), OP(SIGMOID, big), OP(ERF, big)};
    for (int k = 0; k < 3; k++) assert_true(back[k]->v[0] == 1 && back[k]->e[0] <= 10);
    // 1/(1 + e^x) and rsqrt: v or 0
    const Bound *inverse[] = {OP(RECIPROCAL, OP(ADD, big, lit(1))), OP(DIV, lit(1), big), OP(RSQRT, big)};
    for (int k = 0; k < 3; k++)
        assert_true(inverse[k]->e[0] < infinity && low_at(inverse[k], 0) <= 0 &&
                    high_at(inverse[k], 0) < 1e-20);
    assert_true(OPS(CLAMP_MAX, 6, big)->e[0] == 0); // however large, it is clamped
    assert_true(OP(RELU, OP(NEG, big))->e[0] == 0);
    assert_true(OP(SUB, big, OP(MUL, big, lit(2)))->e[0] == infinity);
    assert_true(OP(LOG, big)->e[0] == infinity && OP(MUL, big, lit(0.5))->e[0] == infinity);
    // Partial sums may overflow although the sum does not.
    double alternating[4] = {3e38, -3e38, 3e38, -3e38};
    const Bound *a = INPUT(DT_F32, alternating, 4), *scan = OPA(CUMSUM, ATTRS(0), a);
    assert_true(OPA(SUM, ATTRS(0, 0), a)->e[0] == infinity && scan->e[0] == 0 && scan->e[3] == infinity);
}

static void infinities_and_poles_are_exact(void **state) {
    (void)state;
    double v[4] = {-infinity, 0, 2, infinity};
    const Bound *x = INPUT(DT_F32, v, 4), *y = OP(EXP, x);
    assert_true(y->v[0] == 0 && y->e[0] == 0 && y->v[3] == infinity && y->e[3] == 0);
    y = OP(LOG, x);
    assert_true(y->v[0] != y->v[0] && y->e[0] == 0 && y->v[1] == -infinity && y->e[1] == 0 &&
                y->v[3] == infinity);
    y = OP(RECIPROCAL, x);
    assert_true(y->v[0] == 0 && y->e[0] == 0 && y->v[1] == infinity && y->e[1] == 0);
    y = OP(SUB, x, x);
    assert_true(y->v[0] != y->v[0] && y->e[0] == 0 && y->v[2] == 0 && y->e[2] == 2);
    y = OP(ADD, x, lit(1));
    assert_true(y->v[0] == -infinity && y->e[0] == 0);
    y = OP(MUL, x, lit(0.5));
    assert_true(y->v[3] == infinity && y->e[3] == 0);
    y = OP(RSQRT, x);
    assert_true(y->v[1] == infinity && y->e[1] == 0 && y->v[0] != y->v[0] && y->e[0] == 0);
    y = OPA(SOFTMAX, ATTRS(0), x); // +inf in the row: torch says NaN everywhere
    assert_true(y->v[0] != y->v[0] && y->e[0] == 0);
    double masked[3] = {-infinity, 1, 2};
    const Bound *m = INPUT(DT_F32, masked, 3), *p = OPA(SOFTMAX, ATTRS(0), m),
                *lp = OPA(LOG_SOFTMAX, ATTRS(0), m);
    assert_true(p->v[0] == 0 && p->e[0] == 0 && p->v[2] > 0.73 && p->e[2] < 100);
    assert_true(lp->v[0] == -infinity && lp->e[0] == 0 && lp->e[2] < 100);
    // An uncertain zero is no pole that one could rely on.
    double z[1] = {0}, e[1] = {1};
    const Bound *u = uncertain(z, e, 1);
    assert_true(OP(RECIPROCAL, u)->e[0] == infinity && OP(LOG, u)->e[0] == infinity &&
                OP(RSQRT, u)->e[0] == infinity);
    assert_true(OP(SQRT, u)->e[0] < infinity && high_at(OP(SQRT, u), 0) >= sqrt(KU));
}

static void subnormals_may_be_flushed(void **state) {
    (void)state;
    double v[3] = {0x1p-130, 0, -0x1p-126};
    const Bound *x = INPUT(DT_F32, v, 3);
    assert_true(low_at(x, 0) <= 0 && x->e[1] == 0 && x->e[2] == 0);
    assert_null(INPUT(DT_F32, v + 1, 2)->e);
    double h[2] = {0x1p-24, 1};
    assert_null(INPUT(DT_F16, h, 2)->e); // subnormal of fp16, normal in float32
    double wide[2] = {1e39, 1e38};
    const Bound *d = INPUT(DT_F64, wide, 2);
    assert_true(d->e[0] == infinity && d->e[1] == 0);
    const Bound *y = OP(MUL, x, lit(0.25));
    assert_true(low_at(y, 2) < -0x1p-128 && high_at(y, 2) >= 0 && y->e[1] == 0);
    // Just above the limit, but an honest value may be below: flushed it is off by all of |v|.
    double w[1] = {0x1.000002p-126}, e[1] = {0x1.000002p-126 * 3};
    y = OP(MUL, uncertain(w, e, 1), lit(1));
    assert_true(low_at(y, 0) <= 0);
}

// --- Types ---------------------------------------------------------------------------------------

static void promotion_follows_torch(void **state) {
    (void)state;
    double v[4] = {1, 2, 3, 4};
    const Bound *h = INPUT(DT_F16, v, 4), *b = INPUT(DT_BF16, v, 4), *f = INPUT(DT_F32, v, 4),
                *q = INPUT(DT_I8, v, 4);
    const Bound *l = INPUT(DT_I64, v, 4), *t = INPUT(DT_BOOL, v, 4), *u = INPUT(DT_U8, v, 4);
    const Bound *h0 = input(DT_F16, 0, NULL, v), *f0 = input(DT_F32, 0, NULL, v),
                *l0 = input(DT_I64, 0, NULL, v);
    const struct {
        const Bound *a, *b;
        DType want;
    } row[] = {
        {h, f, DT_F32},        {h, b, DT_F32},        {h, lit(2.5), DT_F16}, {h, whole(3), DT_F16},
        {q, lit(2.5), DT_F32}, {q, whole(3), DT_I8},  {q, h, DT_F16},        {q, l, DT_I64},
        {q, u, DT_I16},        {t, whole(3), DT_I64}, {t, lit(0.5), DT_F32}, {h, f0, DT_F16},
        {q, f0, DT_F32},       {q, l0, DT_I8},        {h0, f0, DT_F32},      {h0, q, DT_F16},
        {l, h0, DT_F16},       {f0, lit(1), DT_F32},  {h0, lit(1), DT_F16},  {t, t, DT_BOOL},
    };
    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        if (OP(MUL, row[i].a, row[i].b)->dtype != row[i].want) fail_msg("row %zu", i);
        if (OP(ADD, row[i].b, row[i].a)->dtype != row[i].want) fail_msg("row %zu, swapped", i);
    }
    assert_true(OP(DIV, q, whole(2))->dtype == DT_F32 && OP(DIV, q, l)->dtype == DT_F32);
    assert_true(OP(EXP, q)->dtype == DT_F32 && OP(EXP, h)->dtype == DT_F16 && OP(LT, h, f)->dtype == DT_BOOL);
    assert_true(OP(POW, q, whole(2))->dtype == DT_I8 && OP(POW, q, lit(2))->dtype == DT_F32);
    assert_true(OP(ADD, lit(1), lit(2))->weak && !OP(ADD, lit(1), f)->weak);
    assert_true(OP(WHERE, OP(GT, h, whole(1)), h, lit(0))->dtype == DT_F16);
    assert_true(OPA(SUM, ATTRS(0, 0), q)->dtype == DT_I64 && OPA(SUM, ATTRS(0, 0), h)->dtype == DT_F16);
    REFUSED(SUB, no_attrs, t, t);
    REFUSED(NEG, no_attrs, t);
    REFUSED(MEAN, ATTRS(0, 0), q);
    REFUSED(SOFTMAX, ATTRS(0), l);
    REFUSED(WHERE, no_attrs, q, f, f);
    REFUSED(POW, no_attrs, q, whole(-1));
}

static void integers_are_exact(void **state) {
    (void)state;
    double v[4] = {-128, 127, 5, 100};
    const Bound *q = INPUT(DT_I8, v, 4), *s = OP(ADD, q, whole(30));
    assert_true(!s->e && s->v[0] == -98 && s->v[1] == -99 && s->v[3] == -126); // two's complement
    assert_true(!OP(MUL, q, q)->e && OP(MUL, q, q)->v[1] == 1);
    const Bound *sum = OPA(SUM, ATTRS(0, 0), q);
    assert_true(!sum->e && sum->v[0] == 104);
    assert_true(OP(POW, TO(DT_I32, q), whole(3))->v[0] == -2097152);
    const Bound *unsure = OP(GT, OP(MUL, TO(DT_F32, q), lit(0.2)), lit(1)),
                *count = OPA(SUM, ATTRS(0, 0), unsure);
    assert_true(unsure->e[2] > 0 && count->v[0] + KU * count->e[0] >= 3 && count->e[0] == unsure->e[2]);
    const Bound *f = TO(DT_F32, q);
    assert_null(f->e);
    assert_null(bound_settle(&ctx, f)->e); // every int8 is a float32
    double big[2] = {16777217, 4};
    const Bound *b = TO(DT_F32, INPUT(DT_I64, big, 2));
    assert_true(b->pending && bound_settle(&ctx, b)->e[0] > 0 && bound_settle(&ctx, b)->e[1] == 0);
    double x[4] = {2.7, -2.7, 0.2, -0.0}, e[4] = {0, 0, 0, 0};
    const Bound *cut = TO(DT_I32, INPUT(DT_F32, x, 4)), *truth = TO(DT_BOOL, INPUT(DT_F32, x, 4));
    assert_true(cut->v[0] == 2 && cut->v[1] == -2 && !cut->e && truth->v[2] == 1 && truth->v[3] == 0 &&
                !truth->e);
    e[0] = 1 / KU;
    assert_true(TO(DT_I32, uncertain(x, e, 4))->e[0] > 0.9 / KU &&
                err_at(TO(DT_I32, uncertain(x, e, 4)), 1) == 0);
    double huge[1] = {0x1p52};
    REFUSED(MUL, no_attrs, INPUT(DT_I64, huge, 1), whole(4));
    assert_true(must(try_op(BOUND_ARANGE, ATTRS(3, 6), 0, 0, NULL))->v[2] == 5);
}

// --- Half types: what is charged, and when -------------------------------------------------------

static void casts_are_charged_when_used(void **state) {
    (void)state;
    double v[3] = {1.0001, 70000, 1};
    const Bound *x = INPUT(DT_F32, v, 3), *h = TO(DT_F16, x);
    assert_true(h->pending && h->dtype == DT_F16 && !h->e && h->v == x->v); // a final cast costs nothing
    const Bound *s = bound_settle(&ctx, h);
    assert_true(!s->pending && fabs(s->e[0] * KU - 0x1p-11) < 1e-12); // exactly half an ulp
    assert_true(s->e[1] == infinity && s->e[2] == 0);                 // 70000 overflows; 1 needs no rounding
    assert_true(bound_settle(&ctx, s) == s);
    const Bound *f = TO(DT_F32, h);
    assert_true(!f->pending && f->dtype == DT_F32 && f->e[0] == s->e[0]);
    assert_true(TO(DT_F16, h)->pending && TO(DT_F16, h)->e == h->e); // twice is once
    const Bound *b = TO(DT_BF16, h);
    assert_true(b->pending && b->e[0] == s->e[0]);
    assert_true(OP(NEG, h)->pending && OPA(RESHAPE, ATTRS(3, 1), h)->pending && OP(RELU, h)->pending);
    assert_true(OPA(CAT, ATTRS(0), h, h)->pending && !OPA(CAT, ATTRS(0), h, s)->pending);
    const Bound *y = OP(MUL, h, lit(3)); // charged by the product, and the product's own rounding to fp16
    assert_true(!y->pending && y->dtype == DT_F16 && KU * y->e[0] > 3 * 0x1p-11 &&
                KU * y->e[0] < 3 * 0x1p-11 + 0x1p-9);
    const Bound *exact = OP(MUL, INPUT(DT_F16, v, 1), whole(0));
    assert_true(exact->v[0] == 0 && err_at(exact, 0) == 0);
    assert_true(h->in[0] == x && h->op == BOUND_CAST && h->attr[0] == DT_F16 && y->in[0] == h);
}

// Products and sums of fp16 tensors: rounding after every operation, or never, is both inside; bf16 is not.
static void half_arithmetic_holds_both_ways(void **state) {
    (void)state;
    enum { N = 2000 };
    static double x[N], y[N], z[N];
    Rng r = rng_at(21, 0);
    for (int i = 0; i < N; i++) x[i] = rng_normal(&r), y[i] = rng_normal(&r) * 8, z[i] = rng_normal(&r);
    const Bound *a = INPUT(DT_F16, x, N), *b = INPUT(DT_F16, y, N), *c = INPUT(DT_F16, z, N);
    const Bound *out = OP(ADD, OP(MUL, a, b), c);
    assert_true(out->dtype == DT_F16);
    int outside = 0;
    for (int i = 0; i < N; i++) {
        double wide = (double)((float)(a->v[i] * b->v[i]) + (float)c->v[i]);
        double each = dtype_round(DT_F16, dtype_round(DT_F16, a->v[i] * b->v[i]) + c->v[i]);
        double coarse = dtype_round(DT_BF16, dtype_round(DT_BF16, a->v[i] * b->v[i]) + c->v[i]);
        assert_true(wide >= low_at(out, i) && wide <= high_at(out, i));
        assert_true(each >= low_at(out, i) && each <= high_at(out, i));
        outside += coarse < low_at(out, i) || coarse > high_at(out, i);
    }
    assert_true(outside > N / 4);
}

// --- Shapes --------------------------------------------------------------------------------------

static void broadcasting_finds_its_elements(void **state) {
    (void)state;
    Rng r = rng_at(31, 0);
    static double v[2000];
    for (int i = 0; i < 2000; i++) v[i] = rng_normal(&r);
    for (int round = 0; round < 300; round++) {
        int64_t full[4], shape[3][4];
        int rank[3], top = (int)rng_between(&r, 1, 4);
        for (int d = 0; d < top; d++) full[d] = rng_between(&r, d == top - 1 ? 1 : 0, 5);
        const Bound *in[3];
        for (int k = 0; k < 3; k++) {
            rank[k] = (int)rng_between(&r, k == 0 ? top : 0, top);
            for (int d = 0; d < rank[k]; d++) shape[k][d] = rng_below(&r, 3) ? full[top - rank[k] + d] : 1;
            in[k] = input(k == 2 ? DT_BOOL : DT_F32, rank[k], shape[k], v + 500 * k);
        }
        const Bound *out = must(try_op(BOUND_SUB, no_attrs, 0, 2, in));
        const Bound *chosen = OP(WHERE, in[2], in[0], in[1]);
        for (int pass = 0; pass < 2; pass++) {
            const Bound *o = pass ? chosen : out;
            for (int64_t i = 0; i < o->numel; i++) {
                int64_t index[4], left = i, at[3] = {0};
                for (int d = o->rank - 1; d >= 0; d--) index[d] = left % o->shape[d], left /= o->shape[d];
                for (int k = 0; k < 3; k++)
                    for (int d = 0; d < rank[k]; d++)
                        at[k] = at[k] * shape[k][d] + (shape[k][d] == 1 ? 0 : index[o->rank - rank[k] + d]);
                double a = in[0]->v[at[0]], b = in[1]->v[at[1]];
                assert_true(o->v[i] == (pass ? (in[2]->v[at[2]] != 0 ? a : b) : a - b));
            }
        }
    }
    double two[6] = {1, 2, 3, 4, 5, 6};
    REFUSED(ADD, no_attrs, INPUT(DT_F32, two, 2, 3), INPUT(DT_F32, two, 2));
}

// Reducing any axis is reducing the last axis of the transposed tensor, bit for bit.
static void every_axis_is_the_last_axis(void **state) {
    (void)state;
    static double v[3 * 37 * 5];
    Rng r = rng_at(33, 0);
    for (int i = 0; i < 3 * 37 * 5; i++) v[i] = rng_normal(&r) * 2;
    const Bound *x = OP(MUL, INPUT(DT_F32, v, 3, 37, 5), lit(1.5)), *t = OPA(TRANSPOSE, ATTRS(1, 2), x);
    static const BoundOp reduce[] = {BOUND_SUM,  BOUND_MEAN, BOUND_AMAX,
                                     BOUND_AMIN, BOUND_PROD, BOUND_LOGSUMEXP};
    for (size_t k = 0; k < sizeof reduce / sizeof *reduce; k++) {
        const Bound *a = must(try_op(reduce[k], ATTRS(1, 0), 0, 1, &x)),
                    *b = must(try_op(reduce[k], ATTRS(2, 0), 0, 1, &t));
        assert_true(a->rank == 2 && a->shape[0] == 3 && a->shape[1] == 5);
        assert_memory_equal(a->v, b->v, 15 * sizeof(double));
        assert_memory_equal(a->e, b->e, 15 * sizeof(double));
    }
    static const BoundOp rows[] = {BOUND_SOFTMAX, BOUND_LOG_SOFTMAX, BOUND_CUMSUM};
    for (size_t k = 0; k < 3; k++) {
        const Bound *a = must(try_op(rows[k], ATTRS(1), 0, 1, &x)),
                    *b = must(try_op(rows[k], ATTRS(2), 0, 1, &t));
        const Bound *back = OPA(TRANSPOSE, ATTRS(1, 2), b);
        assert_memory_equal(a->v, back->v, (size_t)a->numel * sizeof(double));
        assert_memory_equal(a->e, back->e, (size_t)a->numel * sizeof(double));
    }
}

static void moving_elements(void **state) {
    (void)state;
    double v[12], idx[4] = {2, 0, 3, 1};
    for (int i = 0; i < 12; i++) v[i] = i;
    const Bound *x = INPUT(DT_F32, v, 3, 4), *s = OPA(SLICE, ATTRS(1, 1, 4, 2), x);
    assert_true(s->shape[1] == 2 && s->v[0] == 1 && s->v[1] == 3 && s->v[5] == 11);
    assert_true(OPA(SLICE, ATTRS(1, -2, INT64_MAX, 1), x)->v[0] == 2);
    assert_true(OPA(SLICE, ATTRS(0, 2, 1, 1), x)->numel == 0);
    assert_true(OPA(SLICE, ATTRS(0, INT64_MIN, INT64_MIN, 1), x)->numel == 0);
    assert_true(OPA(SLICE, ATTRS(0, 0, 3, INT64_MAX), x)->shape[0] == 1);
    const Bound *row = OPA(SELECT, ATTRS(0, -1), x), *col = OPA(SELECT, ATTRS(1, 1), x);
    assert_true(row->rank == 1 && row->v[0] == 8 && col->shape[0] == 3 && col->v[2] == 9);
    const Bound *half =
        OPA(CAT, ATTRS(-1), OP(NEG, OPA(SLICE, ATTRS(1, 2, 4, 1), x)), OPA(SLICE, ATTRS(1, 0, 2, 1), x));
    assert_true(half->v[0] == -2 && half->v[2] == 0 && half->v[4] == -6 && half->v[11] == 9 && !half->e);
    const Bound *i = INPUT(DT_I64, idx, 2, 2), *g = OPA(GATHER, ATTRS(1), x, i);
    assert_true(g->v[0] == 2 && g->v[1] == 0 && g->v[2] == 7 && g->v[3] == 5);
    const Bound *e = OPA(EXPAND, ATTRS(2, 3, -1), OPA(SELECT, ATTRS(0, 1), x));
    assert_true(e->numel == 24 && e->v[0] == 4 && e->v[23] == 7);
    const Bound *rs = OPA(RESHAPE, ATTRS(-1, 6), x);
    assert_true(rs->shape[0] == 2 && rs->v == x->v);
    const Bound *t = OPA(TRANSPOSE, ATTRS(0, 1), x);
    assert_true(t->shape[0] == 4 && t->v[1] == 4);
    REFUSED(RESHAPE, ATTRS(5, -1), x);
    REFUSED(EXPAND, ATTRS(4, 4), x);
    REFUSED(EXPAND, ATTRS(4), x);
    REFUSED(SELECT, ATTRS(0, 3), x);
    REFUSED(SLICE, ATTRS(0, 0, 3, 0), x);
    REFUSED(CAT, ATTRS(0), x, OPA(TRANSPOSE, ATTRS(0, 1), x));
    REFUSED(SUM, ATTRS(2, 0), x);
    double bad[2] = {4, 0}, negative[2] = {-1, 0};
    REFUSED(GATHER, ATTRS(1), x, INPUT(DT_I64, bad, 1, 2));
    assert_non_null(strstr(ctx.why, "out of bounds"));
    REFUSED(GATHER, ATTRS(1), x, INPUT(DT_I64, negative, 1, 2));
    REFUSED(GATHER, ATTRS(1), x, INPUT(DT_I32, idx, 2, 2));
    REFUSED(GATHER, ATTRS(1), x, INPUT(DT_I64, idx, 4));
}

static void work_is_limited(void **state) {
    (void)state;
    double v[1] = {1};
    const Bound *x = INPUT(DT_F32, v, 1);
    int64_t before = ctx.elements_left;
    ctx.elements_left = 1000;
    REFUSED(EXPAND, ATTRS(1001), x);
    assert_int_equal(ctx.elements_left, 999); // the attempt itself
    REFUSED(EXPAND, ATTRS(INT64_MAX, INT64_MAX), x);
    REFUSED(EXPAND, ATTRS(1, 1, 1, 1, 1, 1), x); // more dimensions than we hold
    assert_null(try_op(BOUND_FULL, ATTRS((int64_t)1 << 40), 1, 0, NULL));
    assert_null(try_op(BOUND_ARANGE, ATTRS(0, INT64_MAX), 0, 0, NULL));
    const Bound *y = OPA(EXPAND, ATTRS(900), x);
    REFUSED(EXP, no_attrs, y); // 900 of the 1000 are spent
    ctx.elements_left = before;
    REFUSED(ADD, no_attrs, x); // arity
    REFUSED(SUM, ATTRS(0), x); // attributes
}

static void powers(void **state) {
    (void)state;
    double v[3] = {1.5, -2.5, 3};
    const Bound *x = INPUT(DT_F32, v, 3), *p = OP(POW, x, whole(2)), *m = OP(MUL, x, x);
    assert_memory_equal(p->v, m->v, sizeof v);
    assert_memory_equal(p->e, m->e, sizeof v);
    assert_true(OP(POW, x, whole(3))->v[1] == -15.625 && OP(POW, x, lit(1))->v == x->v);
    assert_true(OP(POW, x, lit(-1))->v[1] == -0.4 && OP(POW, x, whole(0))->v[1] == 1 &&
                !OP(POW, x, whole(0))->e);
    const Bound *pos = OP(ABS, x);
    assert_true(OP(POW, pos, lit(0.5))->v[0] == sqrt(1.5) && OP(POW, pos, lit(-0.5))->v[0] == 1 / sqrt(1.5));
    const Bound *g = OP(POW, pos, lit(1.3));
    assert_true(fabs(g->v[2] - pow(3, 1.3)) < 1e-14 && g->e[2] > 5 && g->e[2] < 200);
    const Bound *n = OP(POW, x, lit(1.3));
    assert_true(n->v[1] != n->v[1] && n->e[1] == 0);
    assert_true(fabs(OP(POW, whole(2), x)->v[2] - 8) < 1e-14);
    const Bound *h = OP(POW, INPUT(DT_F16, v, 3), whole(3)); // rounded once, at the end
    assert_true(h->dtype == DT_F16 && KU * h->e[0] < 1.1 * dtype_half_ulp(DT_F16, 3.375));
}

// Any call either answers or says why not; errors are never negative or NaN, integers stay whole.
static void random_calls_answer_or_refuse(void **state) {
    (void)state;
    enum { POOL = 24, CALLS = 12000 };
    static const int64_t numbers[] = {
        0, 1, 2, 3, -1, -2, 7, 64, INT64_MAX, INT64_MIN, INT64_MAX / 8, (int64_t)1 << 40};
    const Bound *pool[POOL];
    double v[60];
    Rng r = rng_at(51, 0);
    int answers = 0, refusals = 0;
    for (int call = 0; call < CALLS; call++) {
        for (int k = 0; k < POOL && call % 200 == 0; k++) { // start again from inputs, wild ones included
            ctx.elements_left = 1 << 20;
            int64_t shape[5];
            int rank = (int)rng_below(&r, 4);
            for (int d = 0; d < rank; d++) shape[d] = (int64_t)rng_below(&r, 4);
            for (int i = 0; i < 60; i++) v[i] = rng_normal(&r) * ldexp(1, (int)rng_between(&r, -140, 140));
            for (int i = 0; i < 60 && k % 2; i++) v[i] = (double)rng_between(&r, -1, 3);
            if (k % 5 == 0) v[0] = infinity, v[1] = (double)NAN;
            pool[k] = k < 3 ? lit(rng_normal(&r) * 4) : input((DType)rng_below(&r, DT_COUNT), rank, shape, v);
        }
        const Bound *in[4];
        for (int k = 0; k < 4; k++) in[k] = pool[rng_below(&r, POOL)];
        Attrs a = {.n = (int)rng_below(&r, 5)};
        for (int k = 0; k < a.n; k++)
            a.at[k] = numbers[rng_below(&r, rng_below(&r, 4) ? 4 : sizeof numbers / sizeof *numbers)];
        BoundOp op = (BoundOp)rng_below(&r, BOUND_COUNT);
        const Bound *y = try_op(op, a, rng_normal(&r), (int)rng_below(&r, 4), in);
        if (!y) {
            assert_non_null(ctx.why);
            refusals++;
            continue;
        }
        answers++;
        int64_t numel = 0;
        assert_true(shape_numel(y->shape, y->rank, &numel) && numel == y->numel && y->op == op);
        for (int64_t i = 0; i < y->numel; i++) {
            assert_true(err_at(y, i) >= 0);
            if (y->dtype == DT_BOOL) assert_true(y->v[i] == 0 || y->v[i] == 1);
            if (!dtype_is_float(y->dtype)) assert_true(y->v[i] == trunc(y->v[i]));
        }
        pool[rng_below(&r, POOL)] = y;
    }
    assert_true(answers > CALLS / 10 && refusals > CALLS / 10);
    ctx.elements_left = (int64_t)1 << 40;
}

// --- Instruction sets ----------------------------------------------------------------------------

static bool same_bits(const double *a, const double *b, size_t n) {
    for (size_t i = 0; i < n; i++)
        if (memcmp(a + i, b + i, sizeof *a) != 0 && !(a[i] != a[i] && b[i] != b[i])) return false;
    return true;
}

static void wild_operands(Rng *r, double *v, double *e, int n) {
    static const double special[] = {0,        -0.0, INFINITY, -INFINITY, NAN,  1e40, -1e39,
                                     0x1p-130, 1,    -1,       65520,     88.7, -104};
    for (int i = 0; i < n; i++) {
        v[i] = rng_normal(r) * ldexp(1, (int)rng_between(r, -12, 12));
        e[i] = fabs(v[i]) * spread(r);
        if (rng_below(r, 6) == 0) v[i] = special[rng_below(r, sizeof special / sizeof *special)];
        if (rng_below(r, 8) == 0) e[i] = rng_below(r, 2) ? 0 : infinity;
    }
}

static void every_instruction_set_gives_the_same_bits(void **state) {
    (void)state;
    enum { N = BOUND_CHUNK - 5, LONG = 3 * BOUND_CHUNK + 77 };
    static const BoundSimd *const table[ISA_COUNT] = {
        &bound_simd_base,
#ifndef PORTABLE
        &bound_simd_avx2,
        &bound_simd_avx512,
#endif
    };
    static double v[3][LONG], e[3][LONG], ov[2][LONG], oe[2][LONG];
    Rng r = rng_at(41, 0);
    for (int k = 0; k < 3; k++) wild_operands(&r, v[k], e[k], LONG);
    const double *const vs[3] = {v[0], v[1], v[2]}, *const es[3] = {e[0], e[1], e[2]};
    for (int level = 1; level <= (int)isa_level(); level++) {
        const BoundSimd *s[2] = {table[0], table[level]};
        for (int op = 0; op < BOUND_COUNT; op++) {
            for (int k = 0; k < 2; k++) {
                if (s[k]->unary[op]) s[k]->unary[op](N, v[0], e[0], 0.75, ov[k], oe[k]);
                if (s[k]->binary[op]) s[k]->binary[op](N, v[0], e[0], v[1], e[1], ov[k], oe[k]);
                if (s[k]->ternary[op]) s[k]->ternary[op](N, vs, es, ov[k], oe[k]);
            }
            if (!same_bits(ov[0], ov[1], N) || !same_bits(oe[0], oe[1], N))
                fail_msg("%s", bound_name((BoundOp)op));
            for (int i = 0; i < N; i++) assert_true(oe[0][i] >= 0); // never NaN, never negative
        }
        for (int t = DT_F16; t <= DT_F32; t++) {
            for (int k = 0; k < 2; k++) {
                memcpy(oe[k], e[0], sizeof oe[k]);
                s[k]->round((DType)t, false, LONG, v[0], oe[k]);
            }
            assert_true(same_bits(oe[0], oe[1], LONG));
        }
        for (int i = 0; i < LONG; i++) v[2][i] = rng_normal(&r), e[2][i] = i % 50 ? fabs(v[2][i]) : 1e8;
        for (size_t n = 0; n < LONG; n += 1 + n / 3) {
            RowSum sum[2];
            RowMax top[2];
            ExpSum exps[2];
            for (int k = 0; k < 2; k++) {
                sum[k] = s[k]->sum(n, v[2], e[2]);
                top[k] = s[k]->largest(n, v[2], e[2], -1);
                exps[k] = s[k]->exps(n, v[2], e[2], 3.5, ov[k], oe[k]);
                s[k]->softmax(n, exps[k].s, 9, ov[k], oe[k]);
            }
            assert_true(same_bits(&sum[0].sum, &sum[1].sum, 3) && same_bits(&top[0].v, &top[1].v, 3));
            assert_true(same_bits(&exps[0].s, &exps[1].s, 2) && same_bits(ov[0], ov[1], n) &&
                        same_bits(oe[0], oe[1], n));
            for (int k = 0; k < 2; k++) s[k]->log_softmax(n, v[2], e[2], 3.5, 0.7, 9, ov[k], oe[k]);
            assert_true(same_bits(ov[0], ov[1], n) && same_bits(oe[0], oe[1], n));
            for (int k = 0; k < 2; k++) s[k]->cumsum(n, v[2], e[2], 12, ov[k], oe[k]);
            assert_true(same_bits(ov[0], ov[1], n) && same_bits(oe[0], oe[1], n));
            for (int k = 0; k < 2; k++) sum[k] = s[k]->deviations(n, v[2], e[2], (Ve){0.1, 3});
            assert_true(same_bits(&sum[0].sum, &sum[1].sum, 3));
        }
    }
}

// --- Matrix products -----------------------------------------------------------------------------

static const Bound *matrix(DType t, int batch, int rows, int cols, Rng *r, double *v) {
    int n = batch * rows * cols;
    for (int i = 0; i < n; i++) v[i] = dtype_round(t, rng_normal(r));
    return batch > 1 ? INPUT(t, v, batch, rows, cols) : INPUT(t, v, rows, cols);
}

static void products_of_matrices(void **state) {
    (void)state;
    static const int sizes[][4] = {{1, 3, 5, 4}, {2, 1, 17, 3}, {1, 2, 1, 2}, {3, 2, 64, 1}};
    Rng r = rng_at(5, 0);
    for (size_t z = 0; z < sizeof sizes / sizeof *sizes; z++) {
        int batch = sizes[z][0], m = sizes[z][1], k = sizes[z][2], n = sizes[z][3];
        double av[1000], bv[1000];
        const Bound *a = matrix(DT_F32, batch, m, k, &r, av), *b = matrix(DT_F32, batch, k, n, &r, bv);
        const Bound *d = OP(MATMUL, a, b);
        assert_int_equal(d->numel, batch * m * n);
        assert_int_equal(d->rank, a->rank);
        // The same spelled out as products and a sum has the same bound.
        for (int i = 0; i < batch * m; i++)
            for (int j = 0; j < n; j++) {
                long double want = 0, size = 0;
                for (int l = 0; l < k; l++) {
                    long double p = (long double)av[i * k + l] * bv[(i / m * k + l) * n + j];
                    want += p;
                    size += fabsl(p);
                }
                int at = i * n + j;
                assert_true(fabsl(want - (long double)d->v[at]) <= 1e-15L * size);
                double e = (double)size * (1 + bound_growth(k));
                assert_true(fabs(err_at(d, at) - e) <= 1e-9 * e);
            }
    }
}

static void tf32_widens_where_it_is_allowed(void **state) {
    (void)state;
    double av[4 * 16], bv[16 * 8], tf[16];
    Rng r = rng_at(6, 0);
    const Bound *a = matrix(DT_F32, 1, 4, 16, &r, av), *b = matrix(DT_F32, 1, 16, 8, &r, bv);
    const Bound *strict = OP(MATMUL, a, b);
    ctx.allow_tf32 = true;
    const Bound *wide = OP(MATMUL, a, b);
    for (int i = 0; i < 4; i++)
        for (int j = 0; j < 8; j++) {
            double cut = 0;
            int at = i * 8 + j;
            for (int l = 0; l < 16; l++) {
                double x = double_of(bits64(av[i * 16 + l]) & ~(((uint64_t)1 << 42) - 1));
                double y = double_of(bits64(bv[l * 8 + j]) & ~(((uint64_t)1 << 42) - 1));
                cut += x * y;
            }
            assert_true(wide->v[at] == strict->v[at]);
            assert_true(low_at(wide, at) <= cut && cut <= high_at(wide, at));
            assert_false(low_at(strict, at) <= cut && cut <= high_at(strict, at));
        }
    // What 10 bits hold is read exactly, and so are half types.
    for (int i = 0; i < 16; i++) tf[i] = dtype_round(DT_F16, rng_normal(&r));
    const Bound *held = INPUT(DT_F32, tf, 1, 16), *column = INPUT(DT_F32, tf, 16, 1);
    const Bound *same = OP(MATMUL, held, column);
    ctx.allow_tf32 = false;
    assert_true(err_at(same, 0) == err_at(OP(MATMUL, held, column), 0));
    const Bound *ha = TO(DT_F16, a), *hb = TO(DT_F16, b), *half = OP(MATMUL, ha, hb);
    ctx.allow_tf32 = true;
    const Bound *half_wide = OP(MATMUL, ha, hb);
    ctx.allow_tf32 = false;
    assert_int_equal(half->dtype, DT_F16);
    for (int i = 0; i < 32; i++) assert_true(err_at(half, i) == err_at(half_wide, i));
}

static void products_are_refused(void **state) {
    (void)state;
    double v[24] = {0};
    REFUSED(MATMUL, no_attrs, INPUT(DT_F32, v, 2, 3), INPUT(DT_F32, v, 2, 3));
    REFUSED(MATMUL, no_attrs, INPUT(DT_F32, v, 3), INPUT(DT_F32, v, 3));
    REFUSED(MATMUL, no_attrs, INPUT(DT_F32, v, 2, 3), INPUT(DT_F16, v, 3, 2));
    REFUSED(MATMUL, no_attrs, INPUT(DT_I32, v, 2, 3), INPUT(DT_I32, v, 3, 2));
    REFUSED(MATMUL, no_attrs, INPUT(DT_F32, v, 2, 2, 3), INPUT(DT_F32, v, 3, 3, 2));
    REFUSED(MATMUL, no_attrs, INPUT(DT_F32, v, 2, 3));
    assert_int_equal(OP(MATMUL, INPUT(DT_F32, v, 2, 0), INPUT(DT_F32, v, 0, 3))->numel, 6);
    assert_int_equal(OP(MATMUL, INPUT(DT_F32, v, 0, 2), INPUT(DT_F32, v, 2, 3))->numel, 0);
}

// The loops that go a faster way for ordinary values, against the rules one element at a time: ordinary
// operands, then one wild element at every place, then many.
static Ve plain_rule(BoundOp op, Ve a, Ve b) {
    switch (op) {
    case BOUND_ADD: return rule_add(a, b);
    case BOUND_SUB: return rule_sub(a, b);
    case BOUND_MUL: return rule_mul(a, b);
    case BOUND_SQUARE: return rule_square(a);
    case BOUND_GELU_TANH: return rule_gelu_tanh(a);
    default: return rule_gelu_erf(a);
    }
}
static void fast_loops_follow_the_rules(void **state) {
    (void)state;
    static const BoundOp ops[] = {BOUND_ADD,    BOUND_SUB,       BOUND_MUL,
                                  BOUND_SQUARE, BOUND_GELU_TANH, BOUND_GELU_ERF};
    enum { N = 61, ROUNDS = 400 };
    double v[2][N], e[2][N], wv[2][N], we[2][N], ov[N], oe[N], rv[N], re[N];
    Rng r = rng_at(43, 0);
    for (int round = 0; round < ROUNDS; round++) {
        for (int k = 0; k < 2; k++) {
            wild_operands(&r, wv[k], we[k], N);
            double scale = ldexp(1, (int)rng_between(&r, round % 4 ? -3 : -140, round % 4 ? 4 : 60));
            for (int i = 0; i < N; i++) {
                v[k][i] = rng_below(&r, 9) ? rng_normal(&r) * scale : 0;
                e[k][i] = rng_below(&r, 3) ? fabs(v[k][i]) * (double)rng_below(&r, 50) : 0;
                bool wild = round % 5 == 4 || (round % 5 == 3 && i == round % N);
                if (wild) v[k][i] = wv[k][i], e[k][i] = we[k][i];
            }
        }
        if (round % 5 == 2) { // overflows that cancel: finite values, and nothing is known
            int at = round % N;
            v[0][at] = 1e40, v[1][at] = round & 1 ? 1e40 : -1e40;
            e[0][at] = e[1][at] = infinity;
        }
        for (size_t op = 0; op < sizeof ops / sizeof *ops; op++) {
            const BoundSimd *s = bound_simd();
            if (s->unary[ops[op]])
                s->unary[ops[op]](N, v[0], e[0], 0, ov, oe);
            else
                s->binary[ops[op]](N, v[0], e[0], v[1], e[1], ov, oe);
            for (int i = 0; i < N; i++) {
                Ve x = plain_rule(ops[op], (Ve){v[0][i], e[0][i]}, (Ve){v[1][i], e[1][i]});
                rv[i] = x.v, re[i] = x.e;
            }
            if (!same_bits(ov, rv, N) || !same_bits(oe, re, N))
                fail_msg("%s, round %d", bound_name(ops[op]), round);
        }
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(products_of_matrices),
        cmocka_unit_test(tf32_widens_where_it_is_allowed),
        cmocka_unit_test(products_are_refused),
        cmocka_unit_test(unary_values),
        cmocka_unit_test(row_values),
        cmocka_unit_test(sums_of_long_rows),
        cmocka_unit_test(growth_factors),
        cmocka_unit_test(unary_intervals_hold),
        cmocka_unit_test(binary_intervals_hold),
        cmocka_unit_test(row_intervals_hold),
        cmocka_unit_test(constants_of_the_rules),
        cmocka_unit_test(choices_collapse_behind_the_kink),
        cmocka_unit_test(overflow_is_unknown_until_a_limit),
        cmocka_unit_test(infinities_and_poles_are_exact),
        cmocka_unit_test(subnormals_may_be_flushed),
        cmocka_unit_test(promotion_follows_torch),
        cmocka_unit_test(integers_are_exact),
        cmocka_unit_test(casts_are_charged_when_used),
        cmocka_unit_test(half_arithmetic_holds_both_ways),
        cmocka_unit_test(broadcasting_finds_its_elements),
        cmocka_unit_test(every_axis_is_the_last_axis),
        cmocka_unit_test(moving_elements),
        cmocka_unit_test(work_is_limited),
        cmocka_unit_test(powers),
        cmocka_unit_test(random_calls_answer_or_refuse),
        cmocka_unit_test(every_instruction_set_gives_the_same_bits),
        cmocka_unit_test(fast_loops_follow_the_rules),
    };
    return cmocka_run_group_tests(tests, oracle_setup, oracle_teardown);
}
