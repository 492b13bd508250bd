#include "mint/pass_at_k.h"

#include <stdlib.h>

#include "base/numeric/rng.h"

double pass_at_k(int n, int accepted, int k) {
    if (n <= 0 || accepted <= 0) return 0;
    if (k > n) k = n;
    if (n - accepted < k) return 1; // any k of them hold an accepted one
    double none = 1;
    for (int i = n - accepted + 1; i <= n; i++) none *= 1 - (double)k / i;
    return 1 - none;
}

static int by_value(const void *x, const void *y) {
    double a = *(const double *)x, b = *(const double *)y;
    return (a > b) - (a < b);
}

static double mean_of(const double *v, int n) {
    double sum = 0;
    for (int i = 0; i < n; i++) sum += v[i];
    return sum / n;
}

PassInterval pass_interval(Arena *scratch, const double *estimate, int ops, uint64_t seed) {
    if (ops <= 0) return (PassInterval){0};
    ArenaMark mark = arena_mark(scratch);
    double *mean = NEWN(scratch, double, PASS_RESAMPLES);
    for (int r = 0; r < PASS_RESAMPLES; r++) {
        Rng rng = rng_at(seed, (uint64_t)r);
        double sum = 0;
        for (int i = 0; i < ops; i++) sum += estimate[rng_below(&rng, (uint64_t)ops)];
        mean[r] = sum / ops;
    }
    qsort(mean, PASS_RESAMPLES, sizeof *mean, by_value);
    PassInterval out = {.mean = mean_of(estimate, ops),
                        .low = mean[PASS_RESAMPLES / 40],
                        .high = mean[PASS_RESAMPLES - 1 - PASS_RESAMPLES / 40]};
    arena_reset(scratch, mark);
    return out;
}
