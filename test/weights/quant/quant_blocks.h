// quant_blocks.h - for tests of blocks: how far numbers are from others.
#pragma once
#include <math.h>

#include "base/io.h"
#include "weights/making.h"

static inline double error_of(const float *x, const float *y, uint32_t n) {
    double sum = 0;
    for (uint32_t i = 0; i < n; i++) sum += ((double)x[i] - (double)y[i]) * ((double)x[i] - (double)y[i]);
    return sqrt(sum / n);
}
