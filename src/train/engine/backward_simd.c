// Loops of the backward pass (backward_simd.h).
#include "train/engine/backward_simd.h"
#include "base/isa.h"
#include "model/forward_lanes.h"
#include <math.h>

// The vector at i of n numbers; the last may be shorter. Whole ones apart: a copy of any size is a call.
static inline Lanes some(const float *p, size_t left) {
    return left < LANES ? lanes_load_some(p, left) : lanes_load(p);
}
static inline void put(float *p, Lanes v, size_t left) {
    if (left < LANES)
        memcpy(p, &v, left * sizeof *p);
    else
        lanes_store(p, v);
}

static void norm(const float *x, const float *w, float eps, const float *dy, size_t n, float *dx, float *dw) {
    Lanes squares = {0}, dots = {0};
    for (size_t i = 0; i < n; i += LANES) {
        Lanes v = some(x + i, n - i), g = some(dy + i, n - i) * some(w + i, n - i);
        squares = lanes_fma(v, v, squares);
        dots = lanes_fma(g, v, dots);
    }
    float mean = lanes_sum(squares) / (float)n + eps, s = 1 / sqrtf(mean);
    float pull = lanes_sum(dots) / ((float)n * mean) * s;
    for (size_t i = 0; i < n; i += LANES) {
        Lanes v = some(x + i, n - i), d = some(dy + i, n - i);
        put(dx + i, some(dx + i, n - i) + (d * some(w + i, n - i) * s - v * pull), n - i);
        if (dw) put(dw + i, lanes_fma(d, v * s, some(dw + i, n - i)), n - i);
    }
}

static void swiglu(float *gate, float *up, const float *dact, size_t n) {
    for (size_t i = 0; i < n; i += LANES) {
        Lanes g = some(gate + i, n - i), u = some(up + i, n - i), d = some(dact + i, n - i);
        Lanes sigmoid = 1.0f / (1.0f + lanes_exp(-g)), silu = g * sigmoid;
        put(gate + i, d * u * (sigmoid + silu * (1.0f - sigmoid)), n - i);
        put(up + i, d * silu, n - i);
    }
}

static void softmax(float *x, float scale, size_t n) {
    Lanes tops = lanes_all(x[0]), sum = {0};
    size_t whole = n / LANES * LANES;
    for (size_t i = 0; i < whole; i += LANES) tops = lanes_max(lanes_load(x + i), tops);
    float top = lanes_largest(tops);
    for (size_t i = whole; i < n; i++) top = x[i] > top ? x[i] : top;
    for (size_t i = 0; i < n; i += LANES) {
        Lanes p = lanes_exp((some(x + i, n - i) - top) * scale);
        put(x + i, p, n - i);
        for (size_t k = n - i; k < LANES; k++) p[k] = 0;
        sum += p;
    }
    float share = 1 / lanes_sum(sum);
    for (size_t i = 0; i < n; i += LANES) put(x + i, some(x + i, n - i) * share, n - i);
}

static void softmax_back(const float *p, float *dp, float scale, size_t n) {
    Lanes sum = {0};
    for (size_t i = 0; i < n; i += LANES) sum = lanes_fma(some(p + i, n - i), some(dp + i, n - i), sum);
    float mean = lanes_sum(sum);
    for (size_t i = 0; i < n; i++) dp[i] = p[i] * (dp[i] - mean) * scale;
}

static void cross(float *x, float lse, float scale, size_t n) {
    for (size_t i = 0; i < n; i += LANES) put(x + i, lanes_exp(some(x + i, n - i) - lse) * scale, n - i);
}

static void adamw(const AdamLoop *a, const float *gradient, float *first, float *second, float *value,
                  size_t n) {
    float keep = 1 - a->decay, step = a->rate / a->correct1, root = 1 / sqrtf(a->correct2);
    for (size_t i = 0; i < n; i++) {
        float g = gradient[i] * a->scale;
        float m = first[i] + (1 - a->beta1) * (g - first[i]);
        float v = second[i] * a->beta2 + (1 - a->beta2) * g * g;
        first[i] = m;
        second[i] = v;
        value[i] = value[i] * keep - step * m / (sqrtf(v) * root + a->eps);
    }
}

static double squares(const float *x, size_t n) {
    double sum[8] = {0};
    size_t i = 0;
    for (; i + 8 <= n; i += 8)
        for (int k = 0; k < 8; k++) sum[k] += (double)x[i + (size_t)k] * (double)x[i + (size_t)k];
    for (; i < n; i++) sum[0] += (double)x[i] * (double)x[i];
    return ((sum[0] + sum[4]) + (sum[1] + sum[5])) + ((sum[2] + sum[6]) + (sum[3] + sum[7]));
}

const BackwardLoops ISA_NAME(backward_loops) = {norm, swiglu, softmax, softmax_back, cross, adamw, squares};
