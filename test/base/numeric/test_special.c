// The special functions against the C library's 80-bit ones: the written-down errors, and special values.
#include "base/numeric/fmath.h"
#include "base/numeric/rng.h"
#include "base/numeric/special.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

typedef double Fn(double);
typedef long double RealFn(long double);
static long double real_exp10(long double x) { return powl(10.0L, x); }
static long double real_erfcx(long double x) { return expl(x * x) * erfcl(x); }
static long double real_sinpi(long double x) { return sinl(3.14159265358979323846264338327950288L * x); }
static long double real_cospi(long double x) { return cosl(3.14159265358979323846264338327950288L * x); }

// lo, hi: where it is looked at; error: relative, in units of 2^-53.
static const struct {
    const char *name;
    Fn *f;
    RealFn *real;
    double lo, hi, error;
} functions[] = {
    {"tan", f64_tan, tanl, -10, 10, 4},
    {"asin", f64_asin, asinl, -1, 1, 4},
    {"acos", f64_acos, acosl, -1, 1, 4},
    {"atan", f64_atan, atanl, -40, 40, 4},
    {"sinh", f64_sinh, sinhl, -700, 700, 5},
    {"sinh", f64_sinh, sinhl, -2, 2, 5},
    {"cosh", f64_cosh, coshl, -700, 700, 5},
    {"asinh", f64_asinh, asinhl, -1e3, 1e3, 5},
    {"asinh", f64_asinh, asinhl, -1, 1, 5},
    {"acosh", f64_acosh, acoshl, 1, 100, 5},
    {"atanh", f64_atanh, atanhl, -1, 1, 5},
    {"exp10", f64_exp10, real_exp10, -300, 300, 2},
    {"log10", f64_log10, log10l, 0, 10, 2},
    {"cbrt", f64_cbrt, cbrtl, -1e6, 1e6, 3},
    {"erfc", f64_erfc, erfcl, -5, 25, 1024},
    {"erfcx", f64_erfcx, real_erfcx, -5, 50, 1024},
    {"lgamma", f64_lgamma, lgammal, 0.01, 2.5, 64},
    {"lgamma", f64_lgamma, lgammal, 2.5, 1000, 64},
    {"tgamma", f64_tgamma, tgammal, 0.01, 170, 8192},
    {"tgamma", f64_tgamma, tgammal, -20, -0.01, 8192},
    {"sinpi", f64_sinpi, real_sinpi, -0.9, 0.9, 8},
    {"cospi", f64_cospi, real_cospi, -0.4, 0.4, 8},
};

static void test_error(void **state) {
    (void)state;
    Rng r = rng_at(5, 7);
    for (size_t k = 0; k < sizeof functions / sizeof *functions; k++) {
        double worst = 0, where = 0;
        for (int i = 0; i < 20000; i++) {
            double x = functions[k].lo + rng_unit(&r) * (functions[k].hi - functions[k].lo);
            long double want = functions[k].real(x), got = functions[k].f(x);
            double off = (double)(fabsl(got - want) / fabsl(want)) * 0x1p53;
            if (!(off <= worst)) worst = off, where = x;
        }
        if (!(worst <= functions[k].error))
            fail_msg("%s: %g half ulps at %.17g", functions[k].name, worst, where);
    }
}

// Inverses of functions that have been looked at: there and back.
static void test_inverse(void **state) {
    (void)state;
    Rng r = rng_at(6, 7);
    for (int i = 0; i < 20000; i++) {
        double y = 2.0 * rng_unit(&r) - 1.0, q = ldexp(rng_unit(&r) + 0.5, -(int)rng_below(&r, 900));
        double x = f64_erfinv(y), z = f64_erfcinv(q);
        assert_true(fabsl(erfl(x) - y) <= 0x1p-43L * fabs(y));
        // erfc has the slope -2 z^2 / z there: an error of z grows by 2 z^2.
        assert_true(fabsl(erfcl(z) - q) <= 0x1p-43L * (1 + 2 * z * z) * q);
    }
}

static bool same(double a, double b) { return bits64(a) == bits64(b) || (a != a && b != b); }
static void test_special(void **state) {
    (void)state;
    const double inf = (double)INFINITY, nan = f64_nan();
    const struct {
        Fn *f;
        double x, y;
    } c[] = {
        {f64_tan, -0.0, -0.0},  {f64_tan, inf, nan},      {f64_asin, 1.5, nan},    {f64_asin, -0.0, -0.0},
        {f64_acos, 1, 0},       {f64_atan, -0.0, -0.0},   {f64_atan, nan, nan},    {f64_sinh, -inf, -inf},
        {f64_cosh, -inf, inf},  {f64_asinh, -inf, -inf},  {f64_acosh, 1, 0},       {f64_acosh, 0.5, nan},
        {f64_acosh, inf, inf},  {f64_atanh, -1, -inf},    {f64_atanh, 2, nan},     {f64_exp10, 3, 1000},
        {f64_exp10, -inf, 0},   {f64_log10, 1000, 3},     {f64_log10, 0, -inf},    {f64_log10, -1, nan},
        {f64_log10, inf, inf},  {f64_cbrt, -27, -3},      {f64_cbrt, inf, inf},    {f64_erfc, inf, 0},
        {f64_erfc, -inf, 2},    {f64_erfc, nan, nan},     {f64_erfinv, 1, inf},    {f64_erfinv, -1, -inf},
        {f64_erfinv, 2, nan},   {f64_erfinv, -0.0, -0.0}, {f64_erfcinv, 0, inf},   {f64_erfcinv, 2, -inf},
        {f64_erfcinv, 1, 0},    {f64_lgamma, 1, 0},       {f64_lgamma, 2, 0},      {f64_lgamma, -3, inf},
        {f64_lgamma, inf, inf}, {f64_lgamma, nan, nan},   {f64_tgamma, 5, 24},     {f64_tgamma, -2, nan},
        {f64_tgamma, inf, inf}, {f64_tgamma, -0.0, -inf}, {f64_tgamma, -inf, nan}, {f64_tgamma, 172, inf},
        {f64_sinpi, 1, 0},      {f64_cospi, 0.5, 0},      {f64_cospi, 1, -1},      {f64_sinpi, inf, nan}};
    for (size_t i = 0; i < sizeof c / sizeof *c; i++) {
        double got = c[i].f(c[i].x);
        bool near = fabs(got - c[i].y) <= 1e-12 * fabs(c[i].y); // 24 and the like may be off by a few ulps
        if (!same(got, c[i].y) && !(got == 0 && c[i].y == 0) && !near)
            fail_msg("row %d: f(%g) is %g, not %g", (int)i, c[i].x, got, c[i].y);
    }
    assert_true(same(f64_atan2(0.0, -1), 0x1.921fb54442d18p+1));
    assert_true(same(f64_atan2(-0.0, -1), -0x1.921fb54442d18p+1));
    assert_true(same(f64_atan2(-1, 0), -0x1.921fb54442d18p+0));
    assert_true(same(f64_atan2(inf, inf), 0x1.921fb54442d18p-1));
    assert_true(same(f64_atan2(1, -inf), 0x1.921fb54442d18p+1));
    assert_true(same(f64_atan2(nan, 1), nan));
    assert_true(same(f64_hypot(3, 4), 5));
    assert_true(same(f64_hypot(-inf, nan), inf));
    assert_true(same(f64_hypot(3e200, 4e200), 5e200) || fabs(f64_hypot(3e200, 4e200) / 5e200 - 1) < 1e-15);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_error), cmocka_unit_test(test_inverse),
                                       cmocka_unit_test(test_special)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
