// special.h - the elementary and special functions that fmath.h does not have, in float64 with the same bits
// everywhere. Not inline and not vectorised: libdevice needs them, and rarely. Relative errors, measured
// against the C library's 80-bit functions in test/base/numeric/test_special.c: below 4 ulp, where nothing
// else is said. C99's special values; every NaN that comes out is canonical.
#pragma once

double f64_tan(double x);
double f64_asin(double x);
double f64_acos(double x);
double f64_atan(double x);
double f64_atan2(double y, double x);
double f64_sinh(double x);
double f64_cosh(double x);
double f64_asinh(double x);
double f64_acosh(double x);
double f64_atanh(double x);
double f64_exp10(double x);
double f64_log10(double x);
double f64_cbrt(double x);
double f64_hypot(double x, double y);
double f64_sinpi(double x);
double f64_cospi(double x);
double f64_erfc(double x);    // 2^-43
double f64_erfcx(double x);   // e^(x^2) erfc(x); 2^-43
double f64_erfinv(double y);  // 2^-43
double f64_erfcinv(double y); // 2^-43
double f64_lgamma(double x); // 2^-46 of the larger of 1 and the result beyond 2.5; negative x: absolute 2^-40
double f64_tgamma(double x); // 2^-40
