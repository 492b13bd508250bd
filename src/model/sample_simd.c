#include "model/sample_simd.h"
#include "base/isa.h"
#include "model/forward_lanes.h"

static float largest(const float *x, size_t n) {
    Lanes top = lanes_all(-__builtin_inff()), odd = {0}; // odd: stays 0 while numbers are finite (or -inf)
    size_t i = 0;
    for (; i + LANES <= n; i += LANES) {
        Lanes v = lanes_load(x + i);
        top = lanes_max(v, top);
        odd += lanes_max(v, (Lanes){0}) * 0.0f + lanes_if((LaneBits)(v != v), v, (Lanes){0});
    }
    float best = lanes_largest(top), wrong = lanes_sum(odd);
    for (; i < n; i++) {
        if (x[i] > best) best = x[i];
        if (x[i] != x[i] || x[i] > 0x1.fffffep127f) wrong = __builtin_nanf("");
    }
    return best + wrong;
}

static double weigh(const float *x, float top, float scale, size_t n, float *out) {
    enum { STRETCH = 64 * LANES };
    double sum = 0;
    for (size_t from = 0; from < n; from += STRETCH) {
        size_t end = n - from < STRETCH ? n : from + STRETCH, i = from;
        Lanes part = {0};
        for (; i + LANES <= end; i += LANES) {
            Lanes w = lanes_exp((lanes_load(x + i) - top) * scale);
            if (out) lanes_store(out + i, w);
            part += w;
        }
        if (i < end) {
            Lanes w = lanes_exp((lanes_load_some(x + i, end - i) - top) * scale);
            for (size_t k = 0; k < LANES; k++)
                if (i + k >= end) w[k] = 0;
            if (out) memcpy(out + i, &w, (end - i) * sizeof *out);
            part += w;
        }
        sum += (double)lanes_sum(part);
    }
    return sum;
}

const SampleLoops ISA_NAME(sample_loops) = {largest, weigh};
