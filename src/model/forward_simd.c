// Loops of the forward pass over rows (forward_simd.h). Every function is pure in its row.
#include "model/forward_simd.h"
#include "base/isa.h"
#include "model/forward_lanes.h"
#include <math.h>

enum { STRANDS = 64, WIDE = STRANDS / LANES };

static void norm(const float *x, const float *w, float eps, size_t n, float *out) {
    Lanes sum[WIDE] = {{0}};
    size_t i = 0;
    for (; i + STRANDS <= n; i += STRANDS)
        for (int k = 0; k < WIDE; k++) {
            Lanes v = lanes_load(x + i + (size_t)k * LANES);
            sum[k] = lanes_fma(v, v, sum[k]);
        }
    for (int k = 0; i < n; i += LANES, k++) {
        Lanes v = n - i < LANES ? lanes_load_some(x + i, n - i) : lanes_load(x + i);
        sum[k] = lanes_fma(v, v, sum[k]);
    }
    for (int half = WIDE / 2; half > 0; half /= 2)
        for (int k = 0; k < half; k++) sum[k] += sum[k + half];
    float scale = 1.0f / sqrtf(lanes_sum(sum[0]) / (float)n + eps);
    for (i = 0; i < n; i++) out[i] = x[i] * scale * w[i];
}

static void add(const float *x, const float *y, size_t n, float *out) {
    for (size_t i = 0; i < n; i++) out[i] = x[i] + y[i];
}

static void add_scaled(float *x, const float *y, float scale, size_t n) {
    for (size_t i = 0; i < n; i++) x[i] += scale * y[i];
}

static inline Lanes silu(Lanes x) { return x / (1.0f + lanes_exp(-x)); }

static void swiglu(const float *gate, const float *up, size_t n, float *out) {
    size_t i = 0;
    for (; i + LANES <= n; i += LANES) lanes_store(out + i, silu(lanes_load(gate + i)) * lanes_load(up + i));
    if (i == n) return;
    Lanes last = silu(lanes_load_some(gate + i, n - i)) * lanes_load_some(up + i, n - i);
    memcpy(out + i, &last, (n - i) * sizeof *out);
}

static void rotate(float *restrict x, const float *restrict cos, const float *restrict sin, size_t half) {
    float *restrict y = x + half; // the other half: no element is both
    for (size_t i = 0; i < half; i++) {
        float a = x[i], b = y[i];
        x[i] = a * cos[i] - b * sin[i];
        y[i] = b * cos[i] + a * sin[i];
    }
}

static void rotate_neighbours(float *restrict x, const float *restrict cos, const float *restrict sin,
                              size_t half) {
    for (size_t i = 0; i < half; i++) {
        float a = x[2 * i], b = x[2 * i + 1];
        x[2 * i] = a * cos[i] - b * sin[i];
        x[2 * i + 1] = b * cos[i] + a * sin[i];
    }
}

const ForwardLoops ISA_NAME(forward_loops) = {norm, add, add_scaled, swiglu, rotate, rotate_neighbours};
