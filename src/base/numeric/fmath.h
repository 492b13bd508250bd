// fmath.h - elementary functions in float64 that give the same bits with every compiler, optimisation level
// and vector width: only + - * / sqrt, integer moves and fixed polynomials, in one fixed order, no fused
// multiply-add (the build says -ffp-contract=off). Error below 2.5 ulp of float64 over the whole domain,
// which is far below the float32 rounding that the VM and the oracle care about. Inline and free of branches,
// so that loops over arrays vectorise; sin and cos branch, because beyond 2^26 their reduction needs a table.
// Special values follow C99 Annex F; every NaN that comes out is the canonical one, 0x7ff8000000000000.
#pragma once
#include "base/numeric/fmath_impl.h"
// double f64_exp(double), f64_exp2, f64_expm1, f64_log, f64_log2, f64_log1p, f64_erf, f64_tanh, f64_sigmoid,
// f64_sin, f64_cos, f64_pow(double, double)
// float f32_exp(float), f32_exp2: in float32 alone, below 0.9 ulp of it; NaN is some NaN
