// pass_at_k.h - pass@k: how likely is at least one of k drafts accepted? The unbiased estimate from n drafts
// (Chen et al., "Evaluating large language models trained on code", 2021), and intervals by the bootstrap
// over ops.
#pragma once
#include "base/arena.h"

// 1 - (n-c choose k) / (n choose k) = 1 - prod_{i=n-c+1..n} (1 - k/i). A smith that has only n < k drafts to
// give is asked for all of them: k counts as n. 0 for n = 0.
double pass_at_k(int n, int accepted, int k);

enum { PASS_RESAMPLES = 10000 };
typedef struct {
    double mean, low, high; // 95 %, percentiles
} PassInterval;
// Over the estimates of single ops, drawn again with replacement. The same seed gives the same interval.
PassInterval pass_interval(Arena *scratch, const double *estimate, int ops, uint64_t seed);
