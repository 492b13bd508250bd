// backward_simd.h - the vector loops between the products of the backward pass, and the optimizer's. One row
// is one loop in one order. plain.c says the same in float64.
#pragma once
#include <stddef.h>

typedef struct {
    float rate, beta1, beta2, eps, decay; // decay: rate * weight decay
    float scale;                          // of the gradient: what clipping leaves of it
    float correct1, correct2;             // 1 - beta^step
} AdamLoop;

typedef struct {
    // y = x * s * w with s = 1 / sqrt(mean(x^2) + eps): dx += its share of dy, dw += dy * x * s (dw may be
    // NULL).
    void (*norm)(const float *x, const float *w, float eps, const float *dy, size_t n, float *dx, float *dw);
    // act = silu(gate) * up: gate and up become their gradients.
    void (*swiglu)(float *gate, float *up, const float *dact, size_t n);
    // x becomes exp(x * scale - top) / sum over n numbers.
    void (*softmax)(float *x, float scale, size_t n);
    // p: weights, dp: their gradients; dp becomes the gradient of the scores times scale.
    void (*softmax_back)(const float *p, float *dp, float scale, size_t n);
    // x becomes scale * exp(x - lse): the gradient of a logarithm of a sum.
    void (*cross)(float *x, float lse, float scale, size_t n);
    // AdamW (Loshchilov, Hutter 2019), the decay first, as PyTorch has it.
    void (*adamw)(const AdamLoop *a, const float *gradient, float *first, float *second, float *value,
                  size_t n);
    double (*squares)(const float *x, size_t n);
} BackwardLoops;

extern const BackwardLoops backward_loops_base, backward_loops_avx2, backward_loops_avx512;
const BackwardLoops *backward_loops(void);
