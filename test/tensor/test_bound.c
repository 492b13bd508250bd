// The oracle element by element: values against long double, each rule against brute force over its interval,
// overflow, types by torch's rules.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "base/numeric/rng.h"
#include "tensor/oracle.h"

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

int main(void) {
    const struct CMUnitTest tests[] = {
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
    };
    return cmocka_run_group_tests(tests, oracle_setup, oracle_teardown);
}
