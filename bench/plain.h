// plain.h - what the machine's cores make of plain C: the measure for all that is compared with them.
#pragma once

enum { PLAIN_LANES = 1024 };

// out = x, then `rounds` times out * x + y, on float32 lanes; what gcc makes of it for this machine's
// vectors.
__attribute__((noinline, optimize("O3"), target_clones("avx512f", "avx2", "default"), unused)) static void
plain_arithmetic(const float *x, const float *y, float *out, int rounds) {
    for (int i = 0; i < PLAIN_LANES; i++) out[i] = x[i];
    for (int r = 0; r < rounds; r++) {
        for (int i = 0; i < PLAIN_LANES; i++) out[i] = out[i] * x[i] + y[i];
        __asm__ volatile("" ::: "memory");
    }
}
