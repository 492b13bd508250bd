// Products of matrices: values, bounds, and what is refused.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "base/isa.h"
#include "base/numeric/rng.h"
#include "tensor/bound_impl.h"
#include "tensor/oracle.h"

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

static bool same_bits(const double *x, const double *y, int n) {
    for (int j = 0; j < n; j++)
        if (x[j] != y[j] && !(isnan(x[j]) && isnan(y[j]))) return false;
    return true;
}

// The slow version: each product by its rule. Columns hold what is rare, too: infinities, NaN, what
// overflows, what is flushed, errors that nobody knows; and places where there is no product.
static void loops_give_the_bits_of_the_rules(void **state) {
    (void)state;
    enum { K = 40, N = BOUND_COLUMNS, EXTREMES = 8 };
    static const double extreme[EXTREMES] = {INFINITY, -INFINITY, NAN, 3e38, -3e38, 1e-40, 0, -0.0};
    static const BoundSimd *const table[ISA_COUNT] = {
        &bound_simd_base,
#ifndef PORTABLE
        &bound_simd_avx2,
        &bound_simd_avx512,
#endif
    };
    static double av[K], ae[K], bv[K * N], be[K * N], in[K * N];
    int tame = 0, wild = 0;
    for (int level = 0; level <= (int)isa_level(); level++)
        for (int turn = 0; turn < 64; turn++) {
            Rng r = rng_at(9, (uint64_t)turn);
            bool rare = turn % 2, a_exact = turn % 3 == 0, b_exact = turn % 5 == 0;
            Sums want = {0}, light = {0}, got;
            for (int l = 0; l < K; l++) {
                av[l] = turn % 8 == 7 && l == 3 ? extreme[turn / 8 % EXTREMES] : rng_normal(&r);
                ae[l] = fabs(rng_normal(&r));
                for (int j = 0; j < N; j++) {
                    int at = l * N + j;
                    in[at] = rng_below(&r, 4) > 0;
                    bv[at] = rare && rng_below(&r, 97) == 0 ? extreme[j % EXTREMES] : rng_normal(&r);
                    be[at] = turn % 7 == 6 && at % 101 == 7 ? INFINITY : fabs(rng_normal(&r));
                    if (in[at] == 0) {
                        bv[at] = be[at] = 0;
                        continue;
                    }
                    Ve p = rule_mul((Ve){av[l], a_exact ? 0 : ae[l]}, (Ve){bv[at], b_exact ? 0 : be[at]});
                    want.v[j] += p.v, want.size[j] += fabs(p.v), want.e[j] += p.e;
                    light.v[j] += av[l] * bv[at], light.size[j] += fabs(av[l] * bv[at]);
                    light.e[j] += b_exact ? 0 : fabs(av[l]) * be[at];
                }
            }
            const BoundPanel b = {bv, b_exact ? NULL : be, in};
            bool is_tame = table[level]->sums_tame(K, av, a_exact ? NULL : ae, &b, &got);
            is_tame ? tame++ : wild++;
            if (!is_tame) table[level]->sums_wild(K, av, a_exact ? NULL : ae, &b, &got);
            assert_true(same_bits(got.v, want.v, N) && same_bits(got.size, want.size, N) &&
                        same_bits(got.e, want.e, N));
            if (!is_tame) continue;
            table[level]->sums_wild(K, av, a_exact ? NULL : ae, &b, &got);
            assert_true(same_bits(got.v, want.v, N) && same_bits(got.e, want.e, N));
            table[level]->sums_exact(K, av, &b, &got);
            assert_true(same_bits(got.v, light.v, N) && same_bits(got.size, light.size, N) &&
                        same_bits(got.e, light.e, N));
        }
    assert_true(tame > 20 && wild > 20);
}

// Whichever side is the longer one, and with lines that are no multiple of the columns made at once.
static void sizes_give_the_bits_of_the_rules(void **state) {
    (void)state;
    static const int sizes[][3] = {{1, 1, 5}, {3, 17, 9}, {40, 2, 8}, {33, 1, 20}, {1, 50, 7}, {16, 16, 16}};
    enum { MOST = 1024 };
    double av[MOST], bv[MOST];
    Rng r = rng_at(10, 0);
    for (size_t z = 0; z < sizeof sizes / sizeof *sizes; z++)
        for (int wild = 0; wild < 2; wild++) {
            int m = sizes[z][0], n = sizes[z][1], k = sizes[z][2];
            for (int i = 0; i < m * k; i++) av[i] = dtype_round(DT_F32, rng_normal(&r));
            for (int i = 0; i < k * n; i++) bv[i] = dtype_round(DT_F32, rng_normal(&r));
            if (wild) av[m * k / 2] = INFINITY, bv[0] = 0;
            ctx.allow_tf32 = true;
            const Bound *a = INPUT(DT_F32, av, m, k), *b = INPUT(DT_F32, bv, k, n), *y = OP(MATMUL, a, b);
            const double *ae = bound_as_read(&ctx, a), *be = bound_as_read(&ctx, b);
            ctx.allow_tf32 = false;
            for (int i = 0; i < m; i++)
                for (int j = 0; j < n; j++) {
                    double v = 0, size = 0, e = 0;
                    for (int l = 0; l < k; l++) {
                        Ve p = rule_mul((Ve){a->v[i * k + l], ae[i * k + l]},
                                        (Ve){b->v[l * n + j], be[l * n + j]});
                        v += p.v, size += fabs(p.v), e += p.e;
                    }
                    Ve want = rule_end(rule_sum(v, size, e, bound_growth(k)));
                    assert_true(same_bits(&y->v[i * n + j], &want.v, 1) &&
                                same_bits(&y->e[i * n + j], &want.e, 1));
                }
        }
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

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(products_of_matrices),
        cmocka_unit_test(tf32_widens_where_it_is_allowed),
        cmocka_unit_test(loops_give_the_bits_of_the_rules),
        cmocka_unit_test(sizes_give_the_bits_of_the_rules),
        cmocka_unit_test(products_are_refused),
    };
    return cmocka_run_group_tests(tests, oracle_setup, oracle_teardown);
}
