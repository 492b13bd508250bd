// forward_simd.h - the vector loops between the products: norms, activation, rotation. Rows are independent,
// and one row is one loop in one order.
#pragma once
#include <stddef.h>
#include <stdint.h>

typedef struct {
    // out = x / sqrt(mean(x^2) + eps) * w. The sum of squares runs over 64 strands by index, which are then
    // added by halves.
    void (*norm)(const float *x, const float *w, float eps, size_t n, float *out);
    void (*add)(const float *x, const float *y, size_t n, float *out);        // x + y
    void (*add_scaled)(float *x, const float *y, float scale, size_t n);      // x += scale * y
    void (*swiglu)(const float *gate, const float *up, size_t n, float *out); // silu(gate) * up
    // Rotates pairs (i, i + half) of one head by the angles of one position.
    void (*rotate)(float *x, const float *cos, const float *sin, size_t half);
    // Pairs (2i, 2i + 1).
    void (*rotate_neighbours)(float *x, const float *cos, const float *sin, size_t half);
} ForwardLoops;

extern const ForwardLoops forward_loops_base, forward_loops_avx2, forward_loops_avx512;
const ForwardLoops *forward_loops(void);
