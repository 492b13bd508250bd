// spearman.h - rank correlation, shared by the benchmarks of the rank model.
#pragma once
#include <math.h>
#include <stdlib.h>

enum { SPEARMAN_MAX = 4096 };

static const double *spearman_key;
static int spearman_by_key(const void *a, const void *b) {
    double x = spearman_key[*(const int *)a], y = spearman_key[*(const int *)b];
    return x < y ? -1 : x > y;
}

// Ranks from 0; equal values share the mean of theirs.
static void spearman_ranks(const double *x, int n, double *rank) {
    static int order[SPEARMAN_MAX];
    for (int i = 0; i < n; i++) order[i] = i;
    spearman_key = x;
    qsort(order, (size_t)n, sizeof *order, spearman_by_key);
    for (int i = 0, j; i < n; i = j) {
        for (j = i; j < n && x[order[j]] == x[order[i]]; j++)
            ;
        for (int k = i; k < j; k++) rank[order[k]] = (i + j - 1) / 2.0;
    }
}

// Spearman's coefficient of n <= SPEARMAN_MAX pairs; 0 where one side does not vary.
static double spearman(const double *x, const double *y, int n) {
    static double a[SPEARMAN_MAX], b[SPEARMAN_MAX];
    spearman_ranks(x, n, a);
    spearman_ranks(y, n, b);
    double mean = (n - 1) / 2.0, xy = 0, xx = 0, yy = 0;
    for (int i = 0; i < n; i++) {
        xy += (a[i] - mean) * (b[i] - mean);
        xx += (a[i] - mean) * (a[i] - mean);
        yy += (b[i] - mean) * (b[i] - mean);
    }
    return xx > 0 && yy > 0 ? xy / sqrt(xx * yy) : 0;
}
