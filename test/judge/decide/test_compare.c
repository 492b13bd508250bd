// The acceptance rule, element by element (doc/error-bound.md sections 1 and 5): each row of the table there
// has its case.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/isa.h"
#include "base/numeric/rng.h"
#include "judge/decide/compare.h"
#include "judge/decide/compare_simd.h"

// The rule as the document states it: accept iff rnd_D(v - b) <= out <= rnd_D(v + b).
static bool accepted_by_definition(DType t, double v, double e, double out) {
    if (isnan(v) || isnan(out)) return isnan(v) && isnan(out);
    if (isinf(v)) return v == out;
    double b = BOUND_KAPPA * BOUND_U * e;
    return dtype_round(t, v - b) <= out && out <= dtype_round(t, v + b);
}

static void agrees_with_definition(void **state) {
    (void)state;
    static const DType types[] = {DT_F16, DT_BF16, DT_F32};
    static const double values[] = {0,     1,     -1,     0.1,  3.14159, -1e-3,  65504, 65519,
                                    65520, 70000, -65535, 1e-7, 5.9e-8,  2.9e-8, 1e30,  3.4e38};
    int accepted = 0, rejected = 0;
    for (size_t t = 0; t < 3; t++)
        for (size_t i = 0; i < sizeof values / sizeof *values; i++)
            for (double e = 0; e < 1e6; e = e == 0 ? 1e-3 : e * 7) {
                double v = values[i], near = dtype_round(types[t], v);
                for (int k = -3; k <= 3; k++) {
                    double out = near;
                    for (int s = 0; s < abs(k); s++) out = dtype_next(types[t], out, k < 0 ? -1 : 1);
                    bool want = accepted_by_definition(types[t], v, e * fabs(v), out);
                    bool got = compare_needed(types[t], v, e * fabs(v), out) <= 1;
                    // A tie may go either way by definition 1's two forms: the cell is closed, rounding picks
                    // even.
                    if (want) assert_true(got);
                    if (!want && got)
                        assert_true(compare_needed(types[t], v, e * fabs(v) * (1 + 1e-9) + 1e-300, out) <= 1);
                    accepted += got;
                    rejected += !got;
                }
            }
    assert_true(accepted > 100);
    assert_true(rejected > 100);
}

static void exact_results_must_be_exact(void **state) {
    (void)state;
    assert_true(compare_needed(DT_F16, 1.0, 0, 1.0) <= 1);
    assert_false(compare_needed(DT_F16, 1.0, 0, 1.0009765625) <= 1);
    assert_true(compare_needed(DT_F32, 0.0, 0, -0.0) <= 1);
    assert_false(compare_needed(DT_F32, 0.0, 0, 0x1p-149) <= 1);
}

static void overflow_needs_infinity_only_where_it_is_certain(void **state) {
    (void)state;
    assert_true(compare_needed(DT_F16, 70000, 1, INFINITY) <= 1);
    assert_false(compare_needed(DT_F16, 70000, 1, 65504) <= 1);
    assert_false(compare_needed(DT_F16, 70000, 1, -INFINITY) <= 1);
    assert_false(compare_needed(DT_F16, 60000, 1, INFINITY) <= 1);
    double e = 10 / (BOUND_KAPPA * BOUND_U); // b = 10 around the threshold of 65520
    assert_true(compare_needed(DT_F16, 65519, e, INFINITY) <= 1);
    assert_true(compare_needed(DT_F16, 65521, e, 65504) <= 1);
}

static void classes_must_match(void **state) {
    (void)state;
    assert_true(compare_needed(DT_F32, NAN, 0, NAN) <= 1);
    assert_false(compare_needed(DT_F32, 1, 1e9, NAN) <= 1);
    assert_false(compare_needed(DT_F32, NAN, 1e9, 1) <= 1);
    assert_true(compare_needed(DT_F32, INFINITY, 0, INFINITY) <= 1);
    assert_false(compare_needed(DT_F32, INFINITY, 0, -INFINITY) <= 1);
}

static Comparison compare_floats(const double *v, const double *e, const float *out, int n, uint8_t *judged) {
    Bound b = {.dtype = DT_F32,
               .rank = 1,
               .shape = {n},
               .numel = n,
               .v = (double *)(uintptr_t)v,
               .e = (double *)(uintptr_t)e};
    Comparison c;
    compare_case(&b, NULL, out, judged, &c);
    return c;
}

static void worst_element_gives_the_kind(void **state) {
    (void)state;
    double v[4] = {1, 2, 3, 4}, e[4] = {8, 8, 8, 8};
    uint8_t judged[4] = {0};
    float right[4] = {1, 2, 3, 4}, off[4] = {1, 2.0001f, 3, 4}, wrong[4] = {1, 2, 30, 4},
          nan[4] = {1, 2, 3, NAN};
    assert_int_equal(compare_floats(v, e, right, 4, judged).worst, MATCH_YES);
    assert_int_equal(judged[0] + judged[1] + judged[2] + judged[3], 4);
    Comparison c = compare_floats(v, e, off, 4, judged);
    assert_int_equal(c.worst, MATCH_INACCURATE);
    assert_int_equal(c.worst_at, 1);
    assert_int_equal(c.wrong, 1);
    assert_int_equal(compare_floats(v, e, wrong, 4, judged).worst, MATCH_INCORRECT);
    assert_int_equal(compare_floats(v, e, nan, 4, judged).worst, MATCH_NAN);
}

// A result that runs over the end of its type is wrong by a finite amount; far from the end, or of the other
// sign, it is not.
static void an_overflow_near_the_end_is_no_class_of_its_own(void **state) {
    (void)state;
    static const struct {
        double v;
        float out;
        Match match;
    } row[] = {{0x1.8p127, INFINITY, MATCH_INCORRECT},   {0x1p124, INFINITY, MATCH_INCORRECT},
               {-0x1.8p127, -INFINITY, MATCH_INCORRECT}, {0x1p120, INFINITY, MATCH_NAN},
               {0x1.8p127, -INFINITY, MATCH_NAN},        {0x1.8p127, NAN, MATCH_NAN},
               {INFINITY, 0x1.8p127f, MATCH_NAN}};
    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        double e = 8;
        uint8_t judged = 0;
        assert_int_equal(compare_floats(&row[i].v, &e, &row[i].out, 1, &judged).worst, row[i].match);
    }
}

// A value as far off as can be stands before a NaN: the NaN gives the kind, and is the worst.
static void the_worst_element_is_of_the_worst_kind(void **state) {
    (void)state;
    double v[4] = {1, 0, 3, 4}, e[4] = {1, 0, 1, 1};
    float out[4] = {1, 7, NAN, 4};
    Bound b = {.dtype = DT_F32, .rank = 1, .shape = {4}, .numel = 4, .v = v, .e = e};
    uint8_t judged[4] = {0};
    Comparison c;
    compare_case(&b, NULL, out, judged, &c);
    assert_int_equal(c.worst, MATCH_NAN);
    assert_true(isinf(c.use));
    assert_true(c.wrong == 2 && c.nans == 1);
    assert_int_equal(c.first_wrong, 1);
    assert_int_equal(c.worst_at, 2);
    out[2] = 3;
    memset(judged, 0, sizeof judged);
    compare_case(&b, NULL, out, judged, &c);
    assert_int_equal(c.worst, MATCH_INCORRECT);
    assert_int_equal(c.worst_at, 1);
}

static void what_cannot_be_judged_is_no_evidence(void **state) {
    (void)state;
    double v[2] = {1, 2}, e[2] = {INFINITY, 8};
    uint8_t judged[2] = {0};
    float out[2] = {777, 2};
    Comparison c = compare_floats(v, e, out, 2, judged);
    assert_int_equal(c.worst, MATCH_UNJUDGED);
    assert_int_equal(c.unjudged, 1);
    assert_int_equal(judged[0], 0);
    assert_int_equal(judged[1], 1);
    out[1] = 3;
    assert_int_equal(compare_floats(v, e, out, 2, judged).worst, MATCH_INCORRECT);
}

// The vectorised half may only accept what the rule accepts, and on every instruction set the same.
static void cheap_acceptance_is_never_looser(void **state) {
    (void)state;
    enum { N = 4096 };
    static double v[N], e[N], o[N], ratio[3][N], most[3];
    static uint8_t sure[3][N];
    static const DType types[] = {DT_F16, DT_BF16, DT_F32, DT_I64};
    const CompareLoops *loops[] = {
        &compare_loops_base,
#ifndef PORTABLE
        &compare_loops_avx2,
        &compare_loops_avx512,
#endif
    };
    int builds = isa_level() + 1, accepted = 0, rejected = 0, missed = 0;
    Rng r = rng_at(2024, 1);
    for (int t = 0; t < 4; t++)
        for (int round = 0; round < 20; round++) {
            for (int i = 0; i < N; i++) {
                double scale = dtype_is_float(types[t]) ? ldexp(1, (int)rng_between(&r, -40, 18)) : 100;
                v[i] = rng_normal(&r) * scale;
                e[i] = rng_below(&r, 4)   ? fabs(v[i]) * (double)rng_below(&r, 2000) * 0.01
                       : rng_below(&r, 2) ? 0
                                          : INFINITY;
                o[i] = dtype_is_float(types[t]) ? dtype_round(types[t], v[i] + rng_normal(&r) * 2 * BOUND_U *
                                                                                   (e[i] < 1e300 ? e[i] : 1))
                                                : rint(v[i]);
                if (rng_below(&r, 4) == 0 && dtype_is_float(types[t]))
                    o[i] = dtype_next(types[t], o[i], rng_u32(&r) & 1 ? 1 : -1);
                if (rng_below(&r, 50) == 0) o[i] = NAN;
                if (rng_below(&r, 50) == 0) v[i] = rng_u32(&r) & 1 ? INFINITY : NAN;
            }
            CompareRule rule = {BOUND_KAPPA * BOUND_U, 0, 0};
            if (dtype_is_float(types[t]))
                rule.half = dtype_half_ulp(types[t], 1), rule.half_smallest = dtype_half_ulp(types[t], 0);
            for (int b = 0; b < builds; b++) {
                most[b] = loops[b]->ratios(&rule, v, e, o, N, ratio[b]);
                // Nothing is beyond the largest finite ratio unless it is infinite; something is beyond less.
                bool beyond[3], endless = false;
                for (int i = 0; i < N; i++) endless |= isinf(o[i] - v[i]);
                loops[b]->sure(&rule, v, e, o, N, sure[b], most[b] * (1 + 0x1p-40), &beyond[0]);
                loops[b]->sure(&rule, v, e, o, N, sure[b], nextafter(most[b], 0), &beyond[1]);
                loops[b]->sure(&rule, v, e, o, N, sure[b], -1, &beyond[2]);
                assert_true(beyond[0] == endless && beyond[1] && beyond[2]);
            }
            for (int b = 1; b < builds; b++) {
                assert_memory_equal(sure[0], sure[b], N);
                assert_memory_equal(ratio[0], ratio[b], sizeof ratio[0]);
                assert_true(most[0] == most[b]);
            }
            for (int i = 0; i < N; i++) {
                bool rule_accepts = e[i] < INFINITY && isfinite(v[i]) &&
                                    compare_needed(types[t], v[i], e[i], o[i]) <= 1 + 1e-9;
                if (sure[0][i] && !rule_accepts)
                    fail_msg("%s: v %a e %a o %a", dtype_info[types[t]].torch, v[i], e[i], o[i]);
                accepted += sure[0][i];
                rejected += !rule_accepts;
                missed += rule_accepts && !sure[0][i];
            }
        }
    assert_true(accepted > 50000 && rejected > 50000);
    assert_true(missed < accepted / 20); // else it is not worth having
}

// Where the comparison points to, against the first of the largest ratios found one by one.
static void worst_place_is_the_first_of_the_worst(void **state) {
    (void)state;
    enum { N = 5000 };
    static double v[N], e[N];
    static float out[N];
    static uint8_t judged[N];
    Rng r = rng_at(2025, 1);
    for (int round = 0; round < 40; round++) {
        for (int i = 0; i < N; i++) {
            v[i] = rng_normal(&r);
            e[i] = fabs(v[i]) * 40;
            int64_t off = round % 4 ? rng_between(&r, -20, 20) : 0; // exact results, too
            out[i] = (float)v[i];
            v[i] = (double)out[i] * (1 + (double)off * (round % 4 == 3 ? 0.5 : 1) * BOUND_U);
            if (round % 3 == 1 && rng_below(&r, 20) == 0) v[i] = e[i] = 0, out[i] = 0;
        }
        Bound b = {.dtype = DT_F32, .rank = 1, .shape = {N}, .numel = N, .v = v, .e = e};
        Comparison c;
        compare_case(&b, NULL, out, judged, &c);
        assert_int_equal(c.wrong, 0);
        double best = -1;
        int64_t at = 0;
        for (int i = 0; i < N; i++) {
            double next = fabs(dtype_next(DT_F32, out[i], out[i] > 0 ? -1 : 1) - (double)out[i]);
            double room = BOUND_KAPPA * BOUND_U * e[i] + next / 2;
            double ratio = fabs((double)out[i] - v[i]) / (room + 0x1p-200);
            if (ratio > best) best = ratio, at = i;
        }
        assert_int_equal(c.worst_at, at);
    }
}

static bool same(const Comparison *a, const Comparison *b) {
    return a->worst == b->worst && a->wrong == b->wrong && a->nans == b->nans && a->unjudged == b->unjudged &&
           a->total == b->total && a->first_wrong == b->first_wrong && a->worst_at == b->worst_at &&
           a->worst_needed == b->worst_needed && a->use == b->use && a->error_ulp == b->error_ulp &&
           a->bound_ulp == b->bound_ulp;
}

// Whatever an output holds, what is said of it with the rounded values at hand is what is said without.
static void rounded_values_change_nothing(void **state) {
    (void)state;
    enum { N = 3000 };
    static double v[N], e[N];
    static uint8_t out[N * 8], judged[2][N];
    static const DType types[] = {DT_F16, DT_BF16, DT_F32, DT_I64};
    Rng r = rng_at(2026, 1);
    int right = 0, wrong = 0, unjudged = 0;
    for (int round = 0; round < 200; round++) {
        DType t = types[round % 4];
        int64_t size = dtype_bytes(t), n = rng_between(&r, 1, N);
        bool whole = t == DT_I64;
        for (int i = 0; i < n; i++) {
            v[i] = whole ? (double)rng_between(&r, -99, 99) : rng_normal(&r) * (round % 8 < 4 ? 1 : 3e4);
            e[i] = whole ? 0 : fabs(v[i]) * 3;
            if (round % 5 == 4 && rng_below(&r, 700) == 0) e[i] = INFINITY;
            if (round % 5 == 3 && rng_below(&r, 900) == 0) v[i] = whole ? 0 : INFINITY;
            double near = v[i] + (whole ? 0 : rng_normal(&r) * BOUND_U * e[i]);
            dtype_store(t, out + i * size, i % 7 ? v[i] : near);
        }
        for (int k = 0; k < round % 3; k++) { // a few other ones
            int64_t i = (int64_t)rng_below(&r, (uint64_t)n);
            dtype_store(t, out + i * size, k ? 77 : whole ? (double)i : NAN);
        }
        Arena a = {0};
        Bound b = {.dtype = t, .rank = 1, .shape = {n}, .numel = n, .v = v, .e = round % 6 ? e : NULL};
        Comparison c[2];
        memset(judged, 9, sizeof judged);
        compare_case(&b, NULL, out, judged[0], &c[0]);
        compare_case(&b, compare_round(&a, &b), out, judged[1], &c[1]);
        assert_true(same(&c[0], &c[1]));
        assert_memory_equal(judged[0], judged[1], sizeof judged[0]);
        for (int64_t i = 0; i < N; i++) assert_true(i < n ? judged[0][i] <= 1 : judged[0][i] == 9);
        right += c[0].wrong == 0;
        wrong += c[0].wrong > 0;
        unjudged += c[0].unjudged > 0;
        arena_free(&a);
    }
    assert_true(right > 40 && wrong > 40 && unjudged > 10);
}

// Agrees with the comparison: something is wrong by its class, or nothing is.
static void other_classes_are_soon_found(void **state) {
    (void)state;
    enum { LENGTH = 1100 };
    static double v[LENGTH];
    static float out[LENGTH];
    static uint8_t judged[LENGTH];
    static const double values[] = {0, 1, -1, INFINITY, -INFINITY, NAN};
    enum { VALUES = sizeof values / sizeof *values };
    Bound b = {.dtype = DT_F32, .rank = 1, .shape = {LENGTH}, .numel = LENGTH, .v = v};
    for (int i = 0; i < VALUES; i++)
        for (int k = 0; k < VALUES; k++)
            for (int at = 0; at < LENGTH; at += LENGTH - 1) {
                for (int j = 0; j < LENGTH; j++) v[j] = j % 3, out[j] = (float)v[j];
                v[at] = values[i], out[at] = (float)values[k];
                Comparison c;
                compare_case(&b, NULL, out, judged, &c);
                assert_int_equal(compare_classes_differ(&b, out), match_of_class(c.worst));
            }
}

// Beside a right output: never of one in which something is wrong, and mostly where nothing is.
static void what_is_surely_right_is_right(void **state) {
    (void)state;
    enum { LENGTH = 1500 };
    static double v[LENGTH], e[LENGTH];
    static float right[LENGTH], out[LENGTH];
    static uint8_t judged[LENGTH];
    Bound b = {.dtype = DT_F32, .rank = 1, .shape = {LENGTH}, .numel = LENGTH, .v = v, .e = e};
    int sure = 0;
    for (int round = 0; round < 60; round++) {
        for (int i = 0; i < LENGTH; i++) {
            v[i] = 1 + i % 7, e[i] = i % 5, right[i] = (float)v[i];
            if (i % 11 == 0) v[i] = INFINITY, right[i] = INFINITY;
            if (i % 13 == 0) e[i] = INFINITY; // nothing can be said of it
        }
        memcpy(out, right, sizeof out);
        int at = round * 23 + 1;
        // The same bits; another value within the bound; one beyond it; another class.
        if (round % 4 == 1) out[1 + 7 * 11 * 13] = (float)(v[1 + 7 * 11 * 13] * (1 + 0x1p-23));
        if (round % 4 == 2) out[at] = 99;
        if (round % 4 == 3) out[at] = NAN;
        Comparison c;
        compare_case(&b, NULL, out, judged, &c);
        bool said = compare_surely_right(&b, out, right, judged);
        assert_true(!said || c.wrong == 0);
        if (round % 4 == 0) assert_true(said);
        sure += said;
    }
    assert_true(sure >= 15);
}

// An infinity in float16 says less than a finite wrong value, and more than rounding; one in a wider type, or
// a NaN, more than either.
static void over_the_end_of_float16(void **state) {
    (void)state;
    enum { N = 4 };
    static const struct {
        DType t;
        double out[N];
        Match worst;
        int64_t nans;
    } all[] = {{DT_F16, {1, 1, INFINITY, 1}, MATCH_OVER, 1},
               {DT_F16, {1, -INFINITY, INFINITY, 1.001}, MATCH_OVER, 2},
               {DT_F16, {1, 500, INFINITY, 1}, MATCH_INCORRECT, 0},
               {DT_F16, {NAN, 500, INFINITY, 1}, MATCH_NAN, 2},
               {DT_BF16, {1, 500, INFINITY, 1}, MATCH_NAN, 1}};
    double v[N] = {1, 1, 1, 1}, e[N] = {1, 1, 1, 1};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        uint8_t out[2 * N], judged[N];
        for (int k = 0; k < N; k++) dtype_store(all[i].t, out + 2 * k, all[i].out[k]);
        Bound b = {.dtype = all[i].t, .numel = N, .rank = 1, .shape = {N}, .v = v, .e = e};
        Comparison c;
        compare_case(&b, NULL, out, judged, &c);
        assert_int_equal(c.worst, all[i].worst);
        assert_int_equal(c.nans, all[i].nans);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(over_the_end_of_float16),
        cmocka_unit_test(agrees_with_definition),
        cmocka_unit_test(exact_results_must_be_exact),
        cmocka_unit_test(overflow_needs_infinity_only_where_it_is_certain),
        cmocka_unit_test(classes_must_match),
        cmocka_unit_test(worst_element_gives_the_kind),
        cmocka_unit_test(an_overflow_near_the_end_is_no_class_of_its_own),
        cmocka_unit_test(the_worst_element_is_of_the_worst_kind),
        cmocka_unit_test(what_cannot_be_judged_is_no_evidence),
        cmocka_unit_test(cheap_acceptance_is_never_looser),
        cmocka_unit_test(worst_place_is_the_first_of_the_worst),
        cmocka_unit_test(rounded_values_change_nothing),
        cmocka_unit_test(other_classes_are_soon_found),
        cmocka_unit_test(what_is_surely_right_is_right),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
