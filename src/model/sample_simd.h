// sample_simd.h - the passes of sampling that see the whole vocabulary.
#pragma once
#include <stddef.h>

typedef struct {
    // The largest of x; NaN when one of them is NaN or +inf.
    float (*largest)(const float *x, size_t n);
    // out[i] = exp((x[i] - top) * scale), and their sum, which goes by index: stretches in float32 lanes,
    // then float64 from stretch to stretch. out may be NULL.
    double (*weigh)(const float *x, float top, float scale, size_t n, float *out);
} SampleLoops;

extern const SampleLoops sample_loops_base, sample_loops_avx2, sample_loops_avx512;
