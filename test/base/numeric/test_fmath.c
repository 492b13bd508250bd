// Every elementary function against the C library's 80-bit one: dense grids, all bit patterns, special
// values; then the promise of the same bits from every build, as a digest of results.
#include "base/numeric/fmath.h"
#include "base/numeric/rng.h"
#include <float.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

typedef double F64Fn(double);
typedef long double RealFn(long double);

static long double real_sigmoid(long double x) { return 1 / (1 + expl(-x)); }

// The table's columns: both functions, the error that is allowed, and where it is looked at closely.
#define FUNCTIONS(ROW)                               \
    ROW(exp, expl, 1.1, -746, 710, -1, 1)            \
    ROW(exp2, exp2l, 1.2, -1076, 1025, -1, 1)        \
    ROW(expm1, expm1l, 2.2, -40, 710, -2, 2)         \
    ROW(log, logl, 1, 0, 100, 0.7, 1.5)              \
    ROW(log2, log2l, 1.8, 0, 100, 0.7, 1.5)          \
    ROW(log1p, log1pl, 1, -1, 100, -0.3, 0.5)        \
    ROW(erf, erfl, 1.5, -6.5, 6.5, 0.8, 1.2)         \
    ROW(tanh, tanhl, 2.5, -25, 25, -1, 1)            \
    ROW(sigmoid, real_sigmoid, 2.5, -746, 50, -2, 2) \
    ROW(sin, sinl, 1, -1e5, 1e5, -7, 7)              \
    ROW(cos, cosl, 1, -1e5, 1e5, -7, 7)

typedef struct {
    const char *name;
    F64Fn *f;
    RealFn *real;
    double ulps, lo, hi, near_lo, near_hi;
} Function;
static const Function function[] = {
#define ROW(name, real, ulps, lo, hi, near_lo, near_hi) \
    {#name, f64_##name, real, ulps, lo, hi, near_lo, near_hi},
    FUNCTIONS(ROW)
#undef ROW
};
enum { FUNCTION_COUNT = sizeof function / sizeof function[0] };

static const double special[] = {
    0.0,
    -0.0,
    1,
    -1,
    0.5,
    -0.5,
    2,
    -2,
    3,
    0x1p-1074,
    -0x1p-1074,
    0x1p-1022,
    -0x1p-1022,
    0x1p-54,
    -0x1p-54,
    0x1p-53,
    0x1p26,
    -0x1p26,
    0x1p53,
    1e22,
    1e300,
    DBL_MAX,
    -DBL_MAX,
    INFINITY,
    -INFINITY,
    NAN,
    709.79,
    -745.14,
    -708.4,
    1024,
    1023.9999999999999,
    -1074,
    -1075,
};
enum { SPECIAL_COUNT = sizeof special / sizeof special[0] };

// Distance in units of the last place of the true value; infinite when the kinds differ (NaN, infinity, the
// sign of a zero), except that at the edge of overflow either side of it will do.
static double ulps_apart(double got, long double want) {
    double near = (double)want;
    if (got != got || near != near) {
        bool canonical = bits64(got) == 0x7ff8000000000000u;
        return got != got && near != near && canonical ? 0 : (double)INFINITY;
    }
    if (near == 0 && got == 0) return signbit(near) == signbit(got) ? 0 : (double)INFINITY;
    if (isinf(near) || isinf(got)) {
        if (near == got) return 0;
        bool edge = fabs(near) >= DBL_MAX && fabs(got) >= DBL_MAX && (near > 0) == (got > 0);
        return edge ? 1 : (double)INFINITY;
    }
    int e;
    frexp(near, &e);
    double unit = ldexp(1, e - 53 < -1074 ? -1074 : e - 53);
    return (double)(fabsl((long double)got - want) / unit);
}

static void check_at(const Function *t, double x, const char *where, uint64_t seed) {
    double got = t->f(x);
    double off = ulps_apart(got, t->real(x));
    if (off <= t->ulps) return;
    fail_msg("%s(%a) = %a, want %a: %.3f ulp (%s, seed %llu)", t->name, x, got, (double)t->real(x), off,
             where, (unsigned long long)seed);
}

static void test_grids(void **state) {
    (void)state;
    enum { GRID = 30000 };
    Rng r = rng_at(21, 0);
    for (const Function *t = function; t < function + FUNCTION_COUNT; t++)
        for (int i = 0; i <= GRID; i++) {
            double at = (i + rng_unit(&r)) / GRID;
            check_at(t, t->lo + (t->hi - t->lo) * at, "whole", 21);
            check_at(t, t->near_lo + (t->near_hi - t->near_lo) * at, "near", 21);
        }
}

static void test_any_bits(void **state) {
    (void)state;
    Rng r = rng_at(22, 0);
    for (const Function *t = function; t < function + FUNCTION_COUNT; t++)
        for (int i = 0; i < 20000; i++) check_at(t, double_of(rng_u64(&r)), "any", 22);
}

static void test_tiny_and_one(void **state) {
    (void)state;
    Rng r = rng_at(23, 0);
    for (const Function *t = function; t < function + FUNCTION_COUNT; t++)
        for (int i = 0; i < 2000; i++) {
            double sign = i & 1 ? -1 : 1;
            check_at(t, sign * double_of(rng_u64(&r) >> 12), "subnormal", 23);
            check_at(t, sign * ldexp(1 + rng_unit(&r), -(int)rng_below(&r, 80)), "small", 23);
            check_at(t, 1 + sign * ldexp(1, -(int)rng_below(&r, 53)), "about one", 23);
        }
}

static void test_special_values(void **state) {
    (void)state;
    for (const Function *t = function; t < function + FUNCTION_COUNT; t++)
        for (int i = 0; i < SPECIAL_COUNT; i++) check_at(t, special[i], "special", 0);
    assert_true(f64_exp2(10) == 1024 && f64_exp2(-1074) == 0x1p-1074);
    for (int k = -1074; k < 1024; k++) { // powers of two are exact
        assert_true(f64_exp2(k) == ldexp(1, k));
        assert_true(f64_log2(ldexp(1, k)) == k);
    }
    assert_true(f64_exp(0) == 1 && f64_log(1) == 0 && f64_erf(7) == 1 && f64_tanh(-30) == -1 &&
                f64_cos(0) == 1);
}

// Doubles beside multiples of pi/2 cancel the most; the table of 2/pi is met in full by huge exponents.
static void test_sines_of_hard_arguments(void **state) {
    (void)state;
    const Function *sine = &function[FUNCTION_COUNT - 2], *cosine = &function[FUNCTION_COUNT - 1];
    assert_string_equal(sine->name, "sin");
    for (int k = 1; k < 20000; k++) {
        double n = k < 10000 ? k : k * 1000003.0;
        double x = (double)(n * 1.57079632679489661923132169163975144L);
        check_at(sine, x, "near a multiple", 0);
        check_at(cosine, -x, "near a multiple", 0);
    }
    for (int e = 20; e < 1024; e++) {
        check_at(sine, ldexp(-1.2345678901234567, e), "huge", 0);
        check_at(cosine, ldexp(1.9876543210987654, e), "huge", 0);
    }
    check_at(sine, 0x1.6ac5b262ca1ffp+849, "the hardest of all", 0); // 2^-61 from a multiple of pi/2
    check_at(cosine, 0x1.6ac5b262ca1ffp+849, "the hardest of all", 0);
}

static void check_pow(double x, double y, double ulps, const char *where) {
    double got = f64_pow(x, y);
    long double want = powl(x, y);
    double off = ulps_apart(got, want);
    if (off > ulps) fail_msg("pow(%a, %a) = %a, want %a: %.3f ulp (%s)", x, y, got, (double)want, off, where);
}

static void test_pow(void **state) {
    (void)state;
    for (int i = 0; i < SPECIAL_COUNT; i++)
        for (int k = 0; k < SPECIAL_COUNT; k++) check_pow(special[i], special[k], 1.1, "special");
    Rng r = rng_at(24, 0);
    for (int i = 0; i < 40000; i++) {
        double any = double_of(rng_u64(&r)), unit = rng_unit(&r);
        check_pow(any, rng_normal(&r), 1.1, "any base, seed 24");
        check_pow(100 * unit, 150 * rng_normal(&r), 1.1, "usual, seed 24");
        check_pow(1 + ldexp(unit - 0.5, -(int)rng_below(&r, 50)), ldexp(unit, (int)rng_below(&r, 60)), 1.1,
                  "about one, seed 24");
        check_pow(-unit, trunc(40 * rng_normal(&r)), 1.1, "negative base, seed 24");
        check_pow(any, double_of(rng_u64(&r)), 1.1, "any, seed 24");
    }
}

static void test_the_ruler_itself(void **state) {
    (void)state;
    assert_true(ulps_apart(1, 1) == 0);
    assert_true(ulps_apart(1 + 5 * 0x1p-52, 1) == 5);
    assert_true(ulps_apart(3 * 0x1p-1074, 0x1p-1074L) == 2);
    assert_true(isinf(ulps_apart(-0.0, 0)) && isinf(ulps_apart(1, (long double)NAN)));
    assert_true(isinf(ulps_apart(-NAN, (long double)NAN)) && isinf(ulps_apart(1e300, (long double)INFINITY)));
}

// A loop that the compiler may vectorise, and single calls, which it cannot.
enum { BATCH = 1 << 12 };
#define ROW(name, real, ulps, lo, hi, near_lo, near_hi)                       \
    static void loop_##name(double *restrict out, const double *restrict x) { \
        for (int i = 0; i < BATCH; i++) out[i] = f64_##name(x[i]);            \
    }
FUNCTIONS(ROW)
#undef ROW
static void (*const loop[])(double *restrict, const double *restrict) = {
#define ROW(name, real, ulps, lo, hi, near_lo, near_hi) loop_##name,
    FUNCTIONS(ROW)
#undef ROW
};

static void test_same_bits_everywhere(void **state) {
    (void)state;
    static double x[BATCH], out[BATCH];
    Rng r = rng_at(25, 0);
    uint64_t digest = 0;
    for (int f = 0; f < FUNCTION_COUNT; f++) {
        const Function *t = &function[f];
        for (int i = 0; i < BATCH; i++)
            x[i] = i < SPECIAL_COUNT ? special[i]
                   : i % 4 == 0      ? double_of(rng_u64(&r))
                                     : t->lo + (t->hi - t->lo) * rng_unit(&r);
        loop[f](out, x);
        for (int i = 0; i < BATCH; i++) {
            double alone = t->f(x[i]);
            if (bits64(alone) != bits64(out[i])) fail_msg("%s(%a) differs in a loop", t->name, x[i]);
            digest = rng_mix(digest, bits64(out[i]));
        }
    }
    for (int i = 0; i < BATCH; i++) {
        double base = double_of(rng_u64(&r) >> (i & 1)), power = double_of(rng_u64(&r)) * rng_unit(&r);
        digest = rng_mix(digest, bits64(f64_pow(base, i % 3 ? 10 * rng_normal(&r) : power)));
    }
    // Recorded from this very test: a build that prints another number breaks the promise in fmath.h.
    if (digest != 0xd0b5cad6fc48804fu)
        fail_msg("digest of all results: 0x%016llx", (unsigned long long)digest);
}

// Half the work, for results that become float32: near enough that rounding almost never shows it.
// In units of the last place of float32, against float64.
static double off32(float got, double want) {
    int e;
    if (want > 0x1.fffffefp127) return isinf(got) ? 0 : INFINITY;
    frexp(want, &e);
    return fabs((double)got - want) / ldexp(1, e - 24 < -149 ? -149 : e - 24);
}

static void float_exponentials(void **state) {
    (void)state;
    double worst = 0, worst2 = 0;
    int misrounded = 0, n = 0;
    for (uint32_t bits = 0x32000000; bits < 0x43200000; bits += 769) { // 2^-27 to 160
        for (int sign = 0; sign < 2; sign++, n++) {
            float x = float_of(bits | (uint32_t)sign << 31), y = f32_exp(x), y2 = f32_exp2(x);
            double one = off32(y, f64_exp(x)), two = off32(y2, f64_exp2(x));
            worst = one > worst ? one : worst;
            worst2 = two > worst2 ? two : worst2;
            misrounded += y != (float)f64_exp(x);
        }
    }
    assert_true(worst < 0.80 && worst > 0.6);
    assert_true(worst2 < 0.88 && worst2 > 0.6);
    assert_true(misrounded > 0 && misrounded < n / 10);
    for (int k = -149; k < 128; k++) assert_true(f32_exp2((float)k) == ldexpf(1, k));
    assert_true(f32_exp(0) == 1 && f32_exp(-0.0f) == 1 && f32_exp2(0) == 1 && f32_exp(0x1p-149f) == 1);
    assert_true(f32_exp(-INFINITY) == 0 && f32_exp(-104) == 0 && f32_exp2(-150) == 0 &&
                f32_exp2(-1e30f) == 0);
    assert_true(f32_exp(-103.9f) == 0x1p-149f && f32_exp2(-149) == 0x1p-149f);
    assert_true(f32_exp(88.72283f) < INFINITY && f32_exp(88.72284f) == INFINITY && f32_exp2(128) == INFINITY);
    assert_true(f32_exp(INFINITY) == INFINITY && f32_exp2(INFINITY) == INFINITY);
    assert_true(isnan(f32_exp(NAN)) && isnan(f32_exp2(-NAN)));
}

static void short_exponentials(void **state) {
    (void)state;
    int differ = 0, n = 0;
    for (double x = -105; x < 89; x += 0x1p-9 * 1.37, n++) {
        double full = f64_exp(x), part = f64_short_exp(x), full2 = f64_exp2(x), part2 = f64_short_exp2(x);
        assert_true(fabs(part - full) <= full * 0x1p-36);
        assert_true(fabs(part2 - full2) <= full2 * 0x1p-36);
        differ += (float)part != (float)full;
    }
    assert_true(differ * 1000 < n);
    assert_true(f64_short_exp(0) == 1 && f64_short_exp2(10) == 1024 && f64_short_exp2(-126) == 0x1p-126);
    assert_true((float)f64_short_exp(-INFINITY) == 0 && (float)f64_short_exp2(-1e300) == 0);
    assert_true((float)f64_short_exp(89) == INFINITY && (float)f64_short_exp2(INFINITY) == INFINITY);
    assert_true(isnan(f64_short_exp(NAN)) && isnan(f64_short_exp2(NAN)));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(float_exponentials),
        cmocka_unit_test(short_exponentials),
        cmocka_unit_test(test_the_ruler_itself),
        cmocka_unit_test(test_grids),
        cmocka_unit_test(test_any_bits),
        cmocka_unit_test(test_tiny_and_one),
        cmocka_unit_test(test_special_values),
        cmocka_unit_test(test_sines_of_hard_arguments),
        cmocka_unit_test(test_pow),
        cmocka_unit_test(test_same_bits_everywhere),
    };
    return cmocka_run_group_tests_name("fmath", tests, NULL, NULL);
}
