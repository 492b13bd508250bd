#include "cases/values/rows_simd.h"

#include "base/build.h"
#include "base/isa.h"
#include "base/numeric/fmath.h"

static void stretch(double *x, size_t n, double scale, double mean) {
    LOOP_WRITES(x, n);
    for (size_t i = 0; i < n; i++) x[i] = x[i] * scale + mean;
}

static void clip(double *x, size_t n, double limit) {
    LOOP_WRITES(x, n);
    for (size_t i = 0; i < n; i++) {
        double y = f64_if(x[i] > limit, limit, x[i]);
        x[i] = f64_if((y < -limit) & (y != -(double)INFINITY), -limit, y);
    }
}

const RowLoops ISA_NAME(row_loops) = {stretch, clip};
