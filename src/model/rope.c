#include "model/rope.h"
#include "base/numeric/fmath.h"

// Llama 3.1: long waves are slowed down by `factor`, short ones kept, those between blended.
static double stretched(const ModelConfig *c, double f) {
    double wave = 2 * 0x1.921fb54442d18p1 / f;
    if (wave < c->rope_original / c->rope_high) return f;
    if (wave > c->rope_original / c->rope_low) return f / c->rope_factor;
    double s = (c->rope_original / wave - c->rope_low) / (c->rope_high - c->rope_low);
    return (1 - s) * f / c->rope_factor + s * f;
}

void rope_frequencies(const Checkpoint *k, float *frequency) {
    const ModelConfig *c = &k->config;
    for (int i = 0; i < c->head_dim / 2; i++) {
        double f = 1 / f64_pow(c->rope_theta, 2.0 * i / c->head_dim);
        if (c->llama3_rope) f = stretched(c, f);
        frequency[i] = (float)f;
        if (k->rope_divisor) frequency[i] /= k->rope_divisor[i];
    }
}

void rope_angles(const float *frequency, int half, int position, float *cos, float *sin) {
    for (int i = 0; i < half; i++) {
        float angle = (float)position * frequency[i];
        cos[i] = (float)f64_cos(angle);
        sin[i] = (float)f64_sin(angle);
    }
}
