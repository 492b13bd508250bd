// pass@k: the estimate and its intervals.
#include "mint/folder.h"

// The share of all k-element subsets of n drafts that hold one of the first c.
static double by_counting(int n, int c, int k) {
    long all = 0, with = 0;
    for (unsigned set = 0; set < 1u << n; set++) {
        if (__builtin_popcount(set) != k) continue;
        all++;
        with += (set & ((1u << c) - 1)) != 0;
    }
    return (double)with / (double)all;
}

static void pass_at_k_is_what_it_is_defined_as(void **state) {
    (void)state;
    for (int n = 1; n <= 10; n++)
        for (int c = 0; c <= n; c++)
            for (int k = 1; k <= n; k++) {
                double p = pass_at_k(n, c, k), q = by_counting(n, c, k);
                if (fabs(p - q) > 1e-12) fail_msg("n %d c %d k %d: %g, not %g", n, c, k, p, q);
            }
    assert_true(pass_at_k(0, 0, 5) == 0);
    assert_true(pass_at_k(4, 1, 20) == pass_at_k(4, 1, 4)); // all that there are
    assert_true(fabs(pass_at_k(20, 1, 10) - 0.5) < 1e-12);
    assert_true(pass_at_k(100000, 99999, 2) == 1 && pass_at_k(100000, 1, 1) > 9.99e-6);
}

// Unbiased: the mean of the estimate from n draws with success probability p is 1 - (1-p)^k.
static void the_estimate_is_unbiased(void **state) {
    (void)state;
    enum { N = 20, K = 5, RUNS = 20000 };
    double sum = 0, naive = 0;
    for (int r = 0; r < RUNS; r++) {
        Rng rng = rng_at(7, (uint64_t)r);
        int c = 0;
        for (int i = 0; i < N; i++) c += rng_unit(&rng) < 0.1;
        sum += pass_at_k(N, c, K);
        double miss = 1;
        for (int i = 0; i < K; i++) miss *= 1 - (double)c / N;
        naive += 1 - miss;
    }
    double truth = 1 - 0.9 * 0.9 * 0.9 * 0.9 * 0.9;
    assert_true(fabs(sum / RUNS - truth) < 0.006);
    assert_true(fabs(naive / RUNS - truth) > 0.015); // the obvious estimate is not
}

static void intervals_are_repeatable_and_as_wide_as_they_should_be(void **state) {
    (void)state;
    Arena a = {0};
    enum { OPS = 40 };
    double v[OPS];
    for (int i = 0; i < OPS; i++) v[i] = i % 2;
    PassInterval p = pass_interval(&a, v, OPS, 1), q = pass_interval(&a, v, OPS, 1);
    assert_memory_equal(&p, &q, sizeof p);
    assert_true(p.mean == 0.5);
    // The normal approximation of a mean of 40 coins: 1.96 * 0.5 / sqrt(40) = 0.155.
    assert_true(fabs(p.low - 0.345) < 0.03 && fabs(p.high - 0.655) < 0.03);
    double one = 0.25;
    p = pass_interval(&a, &one, 1, 1);
    assert_true(p.mean == 0.25 && p.low == 0.25 && p.high == 0.25);
    p = pass_interval(&a, &one, 0, 1);
    assert_true(p.mean == 0 && p.high == 0);
    arena_free(&a);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pass_at_k_is_what_it_is_defined_as),
        cmocka_unit_test(the_estimate_is_unbiased),
        cmocka_unit_test(intervals_are_repeatable_and_as_wide_as_they_should_be),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
