// Elementwise operations: values, and intervals that hold whatever is within the operands'.
#include "tensor/bounds.h"

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

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(unary_values),
        cmocka_unit_test(unary_intervals_hold),
        cmocka_unit_test(binary_intervals_hold),
        cmocka_unit_test(choices_collapse_behind_the_kink),
        cmocka_unit_test(infinities_and_poles_are_exact),
    };
    return cmocka_run_group_tests(tests, oracle_setup, oracle_teardown);
}
