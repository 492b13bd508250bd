// plain.h - what the machine's cores make of plain C: the measure for all that is compared with them.
#pragma once

enum { PLAIN_LANES = 1024 };

// For this machine's vectors, where the compiler can be asked for that.
#ifdef __clang__
#define PLAIN_CODE __attribute__((noinline, unused))
#else
#define PLAIN_CODE \
    __attribute__((noinline, optimize("O3"), target_clones("avx512f", "avx2", "default"), unused))
#endif

// out = x, then `rounds` times out * x + y, on float32 lanes.
PLAIN_CODE static void plain_arithmetic(const float *x, const float *y, float *out, int rounds) {
    for (int i = 0; i < PLAIN_LANES; i++) out[i] = x[i];
    for (int r = 0; r < rounds; r++) {
        for (int i = 0; i < PLAIN_LANES; i++) out[i] = out[i] * x[i] + y[i];
        __asm__ volatile("" ::: "memory");
    }
}
