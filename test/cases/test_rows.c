// Rows of an input, drawn by class: each inside the domain that was declared, and each with what its name
// says.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "cases/rows.h"

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
                if (c == CLASS_written || c == CLASS_range || c == CLASS_range_ends) continue;
                if (c == CLASS_neg_inf || !row_class_fits(c, &inputs[k], types[t])) continue;
                for (uint64_t seed = 0; seed < 3; seed++) {
                    draw(c, &inputs[k], types[t], seed);
                    for (int i = 0; i < N; i++)
                        if (!(fabs(row[i]) <= row_cap(&inputs[k], types[t])))
                            fail_msg("%s: element %d is %g", class_name(c), i, row[i]);
                }
            }
}

static void the_cap_is_the_domains(void **state) {
    (void)state;
    OpInput in = input_of(false, 0);
    assert_true(row_cap(&in, DT_F32) == 32); // four times the scale
    in.shift = 1000;
    assert_true(row_cap(&in, DT_F32) == 1000);
    in.large = true;
    assert_true(row_cap(&in, DT_F16) > 50000 && row_cap(&in, DT_F16) < 65504);
    assert_true(row_cap(&in, DT_F32) == 1e15);
    in.scale_hi = 1e300;
    assert_true(row_cap(&in, DT_F32) < dtype_max(DT_F32));
}

static void classes_outside_the_domain_do_not_fit(void **state) {
    (void)state;
    OpInput small = input_of(false, 0), wide = input_of(true, 1000);
    static const ClassId beyond[] = {CLASS_mean_30,    CLASS_mean_1000, CLASS_shifted,   CLASS_constant_79,
                                     CLASS_stagnation, CLASS_large_end, CLASS_uniform_60};
    for (size_t i = 0; i < sizeof beyond / sizeof *beyond; i++) {
        assert_false(row_class_fits(beyond[i], &small, DT_F32));
        assert_true(row_class_fits(beyond[i], &wide, DT_F32));
    }
    assert_false(row_class_fits(CLASS_neg_inf, &wide, DT_F32));
    wide.neg_inf = true;
    assert_true(row_class_fits(CLASS_neg_inf, &wide, DT_F32));
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
        cmocka_unit_test(the_cap_is_the_domains),
        cmocka_unit_test(classes_outside_the_domain_do_not_fit),
        cmocka_unit_test(each_class_is_what_it_says),
        cmocka_unit_test(masked_rows_keep_an_element),
        cmocka_unit_test(ranges_have_both_ends),
        cmocka_unit_test(summands_nearly_cancel),
        cmocka_unit_test(the_seed_decides),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
