// bench.h - medians of interleaved runs.
#pragma once
#include <stdio.h>
#include <stdlib.h>

#include "base/clock.h"

static int bench_order(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return x < y ? -1 : x > y;
}
static inline double bench_median(double *t, int n) {
    qsort(t, (size_t)n, sizeof *t, bench_order);
    return n % 2 ? t[n / 2] : (t[n / 2 - 1] + t[n / 2]) / 2;
}
