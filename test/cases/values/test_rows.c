// Rows of an input, drawn by class: each inside the domain that was declared, and each with what its name
// says.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "cases/values/rows.h"

enum { N = 257 };
static double row[N];

static OpInput input_of(bool large, double shift) {
    return (OpInput){.any_float = true,
                     .scale_lo = 1e-4,
                     .scale_hi = 8,
                     .shift = shift,
                     .large = large,
                     .range_dim = -1,
                     .keep = -1};
}

static void draw(ClassId c, const OpInput *in, DType t, uint64_t seed) {
    Rng r = rng_at(seed, 1);
    RowSpec spec = {.cls = c, .dtype = t, .in = in, .n = N, .chosen = -1, .factor = 1};
    for (int i = 0; i < N; i++) row[i] = NAN; // every element is drawn
    row_draw(&r, &spec, row);
}

static double most(void) {
    double m = 0;
    for (int i = 0; i < N; i++) m = fmax(m, fabs(row[i]));
    return m;
}

static void rows_stay_inside_the_domain(void **state) {
    (void)state;
    static const DType types[] = {DT_F16, DT_BF16, DT_F32};
    const OpInput inputs[] = {input_of(false, 0), input_of(false, 1000), input_of(true, 1000)};
    for (int t = 0; t < 3; t++)
        for (int k = 0; k < 3; k++)
            for (ClassId c = 0; c < CLASS_COUNT; c++) {
                bool elsewhere = c == CLASS_module || c == CLASS_infinite; // drawn by modules
                if (elsewhere || c == CLASS_written || c == CLASS_range || c == CLASS_range_ends) continue;
                if (!row_class_fits(c, &inputs[k], types[t])) continue;
                for (uint64_t seed = 0; seed < 3; seed++) {
                    draw(c, &inputs[k], types[t], seed);
                    for (int i = 0; i < N; i++)
                        if (!(fabs(row[i]) <= row_cap(&inputs[k], types[t])))
                            fail_msg("%s: element %d is %g", class_name(c), i, row[i]);
                }
            }
}

// Far from zero, and off in their last bits at most; by turns not at all.
static void nearly_constant_rows_are(void **state) {
    (void)state;
    OpInput in = input_of(true, 0);
    int same = 0;
    enum { SEEDS = 40 };
    for (uint64_t seed = 0; seed < SEEDS; seed++) {
        double low = INFINITY, high = -INFINITY;
        draw(CLASS_nearly_constant, &in, DT_F32, seed);
        for (int i = 0; i < N; i++) low = fmin(low, row[i]), high = fmax(high, row[i]);
        assert_true(low >= 31 && high < 65536 * 1.01 && high - low <= low * 0x1p-20);
        same += low == high;
    }
    assert_in_range(same, SEEDS / 4, SEEDS * 3 / 4);
    assert_false(row_class_fits(CLASS_nearly_constant, &(OpInput){.scale_hi = 8, .keep = -1}, DT_F32));
}

static void the_cap_is_the_domains(void **state) {
    (void)state;
    OpInput in = input_of(false, 0);
    assert_true(row_cap(&in, DT_F32) == 32); // four times the scale
    in.shift = 1000;
    assert_true(row_cap(&in, DT_F32) == 1000);
    in.large = true;
    assert_true(row_cap(&in, DT_F16) == 65504);
    assert_true(row_cap(&in, DT_F32) == 1e15);
    in.scale_hi = 1e300;
    assert_true(row_cap(&in, DT_F32) < dtype_max(DT_F32));
    assert_true(row_cap(&in, DT_F16) == 65504);
    in = input_of(false, 65504);
    assert_true(row_cap(&in, DT_F16) == 65504);
}

static void classes_outside_the_domain_do_not_fit(void **state) {
    (void)state;
    OpInput small = input_of(false, 0), wide = input_of(true, 1000);
    static const ClassId beyond[] = {CLASS_mean_30,     CLASS_mean_1000,  CLASS_shifted,
                                     CLASS_constant_79, CLASS_stagnation, CLASS_large_end,
                                     CLASS_uniform_60,  CLASS_below,      CLASS_both_ends};
    for (size_t i = 0; i < sizeof beyond / sizeof *beyond; i++) {
        assert_false(row_class_fits(beyond[i], &small, DT_F32));
        assert_true(row_class_fits(beyond[i], &wide, DT_F32));
    }
    static const ClassId masked[] = {CLASS_neg_inf, CLASS_neg_inf_blocks, CLASS_neg_inf_most};
    for (int i = 0; i < 3; i++) {
        wide.neg_inf = false;
        assert_false(row_class_fits(masked[i], &wide, DT_F32));
        wide.neg_inf = true;
        assert_true(row_class_fits(masked[i], &wide, DT_F32));
    }
    assert_true(row_class_fits(CLASS_bell, &small, DT_F16) && row_class_fits(CLASS_zero, &small, DT_F16));
}

static void each_class_is_what_it_says(void **state) {
    (void)state;
    OpInput in = input_of(true, 1000);
    draw(CLASS_zero, &in, DT_F32, 1);
    assert_true(most() == 0);
    draw(CLASS_constant, &in, DT_F32, 1);
    for (int i = 1; i < N; i++) assert_true(row[i] == row[0] && row[0] != 0);
    draw(CLASS_one_hot, &in, DT_F32, 1);
    double sum = 0;
    for (int i = 0; i < N; i++) sum += row[i];
    assert_true(sum == 1 && most() == 1);
    draw(CLASS_stagnation, &in, DT_F32, 1);
    assert_true(row[0] == 4096 && row[1] == 1 && row[N - 1] == 1);
    draw(CLASS_spike_last, &in, DT_F32, 1);
    assert_true(row[N - 1] == most() && row[N - 1] == 4096 && fabs(row[0]) < 10);
    draw(CLASS_spike_first, &in, DT_F32, 1);
    assert_true(fabs(row[0]) == 4096 && fabs(row[N - 1]) < 10);
    draw(CLASS_ascending, &in, DT_F32, 1);
    for (int i = 1; i < N; i++) assert_true(row[i] > row[i - 1]);
    draw(CLASS_descending, &in, DT_F32, 1);
    for (int i = 1; i < N; i++) assert_true(row[i] < row[i - 1]);
    draw(CLASS_alternating, &in, DT_F32, 1);
    for (int i = 1; i < N; i++) assert_true(row[i] == -row[i - 1] && row[i] != 0);
    draw(CLASS_mean_1000, &in, DT_F32, 1);
    for (int i = 0; i < N; i++) assert_true(fabs(row[i] - 1000) < 10);
    draw(CLASS_tiny_1e20, &in, DT_F32, 1);
    assert_true(most() > 0 && most() < 1e-18);
    draw(CLASS_subnormal, &in, DT_F16, 1);
    assert_true(most() > 0 && most() < 0x1p-14);
    draw(CLASS_weights_neg, &in, DT_F32, 1);
    for (int i = 0; i < N; i++) assert_true(row[i] < 0);
}

static void masked_rows_keep_an_element(void **state) {
    (void)state;
    OpInput in = input_of(false, 0);
    in.neg_inf = true;
    for (uint64_t seed = 0; seed < 20; seed++) {
        Rng r = rng_at(seed, 1);
        RowSpec spec = {.cls = CLASS_neg_inf,
                        .dtype = DT_F32,
                        .in = &in,
                        .n = 3,
                        .chosen = (int64_t)seed % 3,
                        .factor = 1};
        row_draw(&r, &spec, row);
        assert_true(isfinite(row[seed % 3]));
    }
    draw(CLASS_neg_inf, &in, DT_F32, 1);
    int masked = 0;
    for (int i = 0; i < N; i++) masked += isinf(row[i]) != 0;
    assert_in_range(masked, N / 6, N / 2);
}

// A row of `n` in `out`; how many of it are -inf.
static int64_t draw_masked(RowSpec spec, uint64_t seed, double *out) {
    Rng r = rng_at(seed, 1);
    row_draw(&r, &spec, out);
    int64_t masked = 0;
    for (int64_t i = 0; i < spec.n; i++) masked += out[i] == -INFINITY;
    return masked;
}

// The longest run of -inf; *at: where it begins.
static int64_t longest_block(const double *x, int64_t n, int64_t *at) {
    int64_t most = 0, from = 0;
    for (int64_t i = 0; i < n; i++) {
        if (x[i] != -INFINITY) from = i + 1;
        if (i + 1 - from > most) most = i + 1 - from, *at = from;
    }
    return most;
}

// Whole blocks of -inf, first, last, inside and by turns, short and long, between values of all sizes; every
// row keeps an element, and the chosen one.
static void blocks_are_masked(void **state) {
    (void)state;
    static double x[9000];
    OpInput in = input_of(false, 30000);
    in.neg_inf = true;
    int first = 0, last = 0, inside = 0, aligned = 0, odd = 0, long_ones = 0, huge = 0, tiny = 0;
    for (int turn = 0; turn < 400; turn++) {
        static const int64_t length[] = {1, 2, 3, 17, 33, 1000, 4096, 9000};
        int64_t n = length[turn / 4 % 8], at = 0;
        RowSpec spec = {.cls = CLASS_neg_inf_blocks,
                        .dtype = DT_F32,
                        .in = &in,
                        .n = n,
                        .chosen = turn % 3 ? -1 : turn % n,
                        .factor = 1,
                        .turn = turn};
        int64_t masked = draw_masked(spec, (uint64_t)turn, x), block = longest_block(x, n, &at);
        assert_true(masked < n);
        if (spec.chosen >= 0) assert_true(isfinite(x[spec.chosen]));
        if (n == 1) continue;
        if (spec.chosen < 0) assert_true(masked > 0);
        if (n < 1000 || spec.chosen >= 0) continue;
        assert_true(block >= 32);
        double most_here = 0;
        for (int64_t i = 0; i < n; i++)
            if (isfinite(x[i])) most_here = fmax(most_here, fabs(x[i]));
        huge += most_here > 20000;
        tiny += most_here < 1e-2;
        if (turn % 4 == 3) continue; // every other block
        assert_true(block == masked);
        first += at == 0;
        last += at + block == n;
        inside += at > 0 && at + block < n;
        aligned += (block & (block - 1)) == 0;
        odd += (block & (block - 1)) != 0;
        long_ones += block >= n / 4;
    }
    assert_true(first > 10 && last > 10 && inside > 5 && aligned > 10 && odd > 10 && long_ones > 20);
    assert_true(huge > 10 && tiny > 10);
}

static void nearly_everything_is_masked(void **state) {
    (void)state;
    OpInput in = input_of(false, 30000);
    in.neg_inf = true;
    int one = 0, most_of_it = 0, half = 0;
    for (int turn = 0; turn < 60; turn++) {
        RowSpec spec = {.cls = CLASS_neg_inf_most,
                        .dtype = DT_F16,
                        .in = &in,
                        .n = N,
                        .chosen = turn % 2 ? turn : -1,
                        .factor = 1,
                        .turn = turn / 2};
        int64_t kept = N - draw_masked(spec, (uint64_t)turn, row);
        assert_true(kept >= 1);
        if (spec.chosen >= 0) assert_true(isfinite(row[spec.chosen]));
        one += kept == 1;
        most_of_it += kept > 1 && kept < N / 10;
        half += kept > N / 3 && kept < N * 2 / 3;
    }
    assert_true(one == 30 && most_of_it >= 8 && half >= 18); // three kinds in six; one; two
}

static void ends_and_binades_of_each_type(void **state) {
    (void)state;
    OpInput in = input_of(true, 1000);
    static const DType types[] = {DT_F16, DT_BF16, DT_F32};
    static const int least[] = {-24, -133, -149};
    for (int t = 0; t < 3; t++) {
        static bool seen[400];
        memset(seen, 0, sizeof seen);
        int alone = 0, rows_of_one = 0;
        for (int turn = 0; turn < 60; turn++) {
            Rng r = rng_at((uint64_t)turn, 1);
            RowSpec spec = {.cls = CLASS_binades,
                            .dtype = types[t],
                            .in = &in,
                            .n = N,
                            .chosen = -1,
                            .factor = 1,
                            .turn = turn};
            row_draw(&r, &spec, row);
            bool same = true;
            for (int i = 0; i < N; i++) {
                assert_true(row[i] != 0);
                seen[ilogb(row[i]) + 200] = true;
                same &= ilogb(row[i]) == ilogb(row[0]);
            }
            alone += same;
            rows_of_one += turn % 2 == 0;
        }
        assert_int_equal(alone, rows_of_one);
        for (int k = least[t]; k <= ilogb(row_cap(&in, types[t])); k++)
            if (!seen[k + 200]) fail_msg("%s: no value in binade %d", dtype_info[types[t]].torch, k);
        // Far below zero, all of it, but not where float32 has no digits left.
        for (int turn = 0; turn < 2; turn++) {
            Rng r = rng_at(3, 1);
            RowSpec spec = {.cls = CLASS_below,
                            .dtype = types[t],
                            .in = &in,
                            .n = N,
                            .chosen = -1,
                            .factor = 1,
                            .turn = turn};
            row_draw(&r, &spec, row);
            for (int i = 0; i < N; i++) assert_true(row[i] < -10000 && row[i] >= -65504);
        }
    }
    // Both at the end: alike, opposite, or either.
    double partner[N];
    draw(CLASS_both_ends, &in, DT_F16, 9);
    memcpy(partner, row, sizeof row);
    for (int turn = 0; turn < 3; turn++) {
        Rng r = rng_at(5, 1);
        RowSpec spec = {.cls = CLASS_both_ends,
                        .dtype = DT_F16,
                        .in = &in,
                        .n = N,
                        .chosen = -1,
                        .factor = 1,
                        .partner = partner,
                        .turn = turn};
        row_draw(&r, &spec, row);
        int alike = 0, both = 0;
        for (int i = 0; i < N; i++) {
            assert_true(fabs(row[i]) > 60000);
            alike += (row[i] < 0) == (partner[i] < 0);
            both += fabs(row[i]) == 65504 && fabs(partner[i]) == 65504;
        }
        assert_true(both > N / 8);
        assert_true(turn == 0 ? alike == N : turn == 1 ? alike == 0 : alike > N / 4 && alike < N * 3 / 4);
    }
}

static void ranges_have_both_ends(void **state) {
    (void)state;
    OpInput in = {
        .dtype = DT_I32, .ranged = true, .range_lo = -3, .range_hi = 5, .range_dim = -1, .keep = -1};
    for (int c = 0; c < 2; c++) {
        bool lo = false, hi = false, zero = false;
        Rng r = rng_at(4, 1);
        RowSpec spec = {.cls = c ? CLASS_range_ends : CLASS_range,
                        .dtype = DT_I32,
                        .in = &in,
                        .n = N,
                        .range_hi = 5,
                        .chosen = -1,
                        .factor = 1};
        row_draw(&r, &spec, row);
        for (int i = 0; i < N; i++) {
            assert_true(row[i] >= -3 && row[i] <= 5 && row[i] == floor(row[i]));
            if (c) assert_true(row[i] == -3 || row[i] == 5 || row[i] == 0);
            lo |= row[i] == -3, hi |= row[i] == 5, zero |= row[i] == 0;
        }
        assert_true(lo && hi && zero);
    }
    // Of both signs: the negatives.
    Rng r = rng_at(4, 1);
    in.range_lo = 1;
    RowSpec spec = {.cls = CLASS_range,
                    .dtype = DT_F32,
                    .in = &in,
                    .n = N,
                    .range_hi = 5,
                    .chosen = -1,
                    .negated = true,
                    .factor = 1};
    row_draw(&r, &spec, row);
    for (int i = 0; i < N; i++) assert_true(row[i] <= -1 && row[i] >= -5);
}

static void summands_nearly_cancel(void **state) {
    (void)state;
    OpInput in = input_of(true, 1000);
    double partner[N];
    draw(CLASS_bell, &in, DT_F32, 9);
    memcpy(partner, row, sizeof row);
    Rng r = rng_at(5, 1);
    RowSpec spec = {.cls = CLASS_cancelling,
                    .dtype = DT_F32,
                    .in = &in,
                    .n = N,
                    .chosen = -1,
                    .factor = 1,
                    .partner = partner};
    row_draw(&r, &spec, row);
    bool differs = false;
    for (int i = 0; i < N; i++) {
        assert_true(fabs(row[i] + partner[i]) <= 0x1p-7);
        differs |= row[i] != -partner[i];
    }
    assert_true(differs);
}

static void the_seed_decides(void **state) {
    (void)state;
    OpInput in = input_of(true, 1000);
    double first[N];
    draw(CLASS_mixed, &in, DT_F32, 7);
    memcpy(first, row, sizeof row);
    draw(CLASS_mixed, &in, DT_F32, 7);
    assert_memory_equal(first, row, sizeof row);
    draw(CLASS_mixed, &in, DT_F32, 8);
    assert_memory_not_equal(first, row, sizeof row);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_stay_inside_the_domain),
        cmocka_unit_test(nearly_constant_rows_are),
        cmocka_unit_test(the_cap_is_the_domains),
        cmocka_unit_test(classes_outside_the_domain_do_not_fit),
        cmocka_unit_test(each_class_is_what_it_says),
        cmocka_unit_test(masked_rows_keep_an_element),
        cmocka_unit_test(blocks_are_masked),
        cmocka_unit_test(nearly_everything_is_masked),
        cmocka_unit_test(ends_and_binades_of_each_type),
        cmocka_unit_test(ranges_have_both_ends),
        cmocka_unit_test(summands_nearly_cancel),
        cmocka_unit_test(the_seed_decides),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
