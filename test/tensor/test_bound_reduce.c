// Reductions and scans of rows: values, and intervals that hold.
#include "tensor/bounds.h"

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

// Prefix products: float32 from the left and by doubling lie within; a product of neighbours that leaves
// float32's range, where the prefix does not, makes what stands behind it unknown.
static void prefix_products(void **state) {
    (void)state;
    enum { N = 64 };
    double v[N];
    Rng r = rng_at(21, 0);
    for (int i = 0; i < N; i++)
        v[i] = dtype_round(DT_F32, (rng_unit(&r) < 0.5 ? -1 : 1) * (0.7 + 0.7 * rng_unit(&r)));
    const Bound *y = OPA(CUMPROD, ATTRS(1), INPUT(DT_F32, v, 1, N));
    float left = 1, tree[N], from[N];
    long double exact = 1;
    for (int i = 0; i < N; i++) tree[i] = (float)v[i];
    for (int step = 1; step < N; step *= 2) {
        memcpy(from, tree, sizeof from);
        for (int i = step; i < N; i++) tree[i] = from[i] * from[i - step];
    }
    for (int i = 0; i < N; i++) {
        left *= (float)v[i];
        exact *= v[i];
        assert_true(fabsl(exact - (long double)y->v[i]) <= 1e-14L * fabsl(exact));
        assert_true(left >= low_at(y, i) && left <= high_at(y, i));
        assert_true(tree[i] >= low_at(y, i) && tree[i] <= high_at(y, i));
        assert_true(i == 0 ? err_at(y, i) == 0 : left * 1.0001 > high_at(y, i) || left < 0);
    }
    double wild[6] = {1e30, 1e-30, 1e-30, 1e30, 0, 2};
    y = OPA(CUMPROD, ATTRS(0), INPUT(DT_F32, wild, 6));
    assert_true(err_at(y, 0) == 0 && err_at(y, 1) < 10); // about 1, by one product
    assert_true(err_at(y, 3) == infinity);               // 1e-60 in the middle: 0 in some order
    double over[4] = {1e-30, 1e30, 1e30, 1e-30};
    y = OPA(CUMPROD, ATTRS(0), INPUT(DT_F32, over, 4));
    assert_true(err_at(y, 3) == infinity && err_at(y, 1) < 10);
    double whole_[3] = {2, -3, 4};
    y = OPA(CUMPROD, ATTRS(1), INPUT(DT_F32, whole_, 1, 3));
    assert_true(y->v[0] == 2 && y->v[1] == -6 && y->v[2] == -24);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(row_values),      cmocka_unit_test(sums_of_long_rows),
        cmocka_unit_test(growth_factors),  cmocka_unit_test(row_intervals_hold),
        cmocka_unit_test(prefix_products),
    };
    return cmocka_run_group_tests(tests, oracle_setup, oracle_teardown);
}
