// rng_simd.h - Philox blocks many at a time, compiled for each instruction set (base/isa.h). All tables give
// the bits that philox4x32() gives block by block.
#pragma once
#include "base/numeric/rng.h"

typedef struct {
    // Blocks position .. position + RNG_AHEAD - 1.
    void (*blocks)(uint64_t seed, uint64_t stream, uint64_t position, Philox4 *out);
    // One value of rng_normal() for each of n blocks.
    void (*normals)(uint64_t seed, uint64_t stream, uint64_t position, double *out, size_t n);
} RngLoops;
extern const RngLoops rng_loops_base, rng_loops_avx2, rng_loops_avx512;

// Multipliers and key increments are those of the paper.
#define PHILOX_M0     0xD2511F53u
#define PHILOX_M1     0xCD9E8D57u
#define PHILOX_KEY0   0x9E3779B9u
#define PHILOX_KEY1   0xBB67AE85u
#define PHILOX_ROUNDS 10

// Eight 16-bit uniforms have mean 8 * 65535 / 2 and variance 8 * (2^32 - 1) / 12.
#define RNG_NORMAL_MEAN  (4 * 65535)
#define RNG_NORMAL_SCALE 0x1.3988e1412ed76p-16 // 1 / sqrt(8 * (2^32 - 1) / 12)
static inline double rng_normal_of(uint32_t a, uint32_t b, uint32_t c, uint32_t d) {
    uint32_t low = (a & 0xffff) + (b & 0xffff) + (c & 0xffff) + (d & 0xffff);
    uint32_t high = (a >> 16) + (b >> 16) + (c >> 16) + (d >> 16);
    return (double)((int32_t)(low + high) - RNG_NORMAL_MEAN) * RNG_NORMAL_SCALE;
}
