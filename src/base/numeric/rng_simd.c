// Philox in lanes of 64 bits: the lower half of a lane is a word of the counter, the upper half is whatever
// the last product left there, and no later step looks at it. The products are 32 x 32 -> 64 bits, which
// compilers do not find by themselves in C; everything else is plain lanes.
#include "base/numeric/rng_simd.h"
#include "base/build.h"
#include "base/isa.h"
#include "base/numeric/fmath.h"
#include <string.h>

#if defined(__AVX512F__) && !defined(PORTABLE)
#include <immintrin.h>
enum { LANES = 8 };
#elif defined(__AVX2__) && !defined(PORTABLE)
#include <immintrin.h>
enum { LANES = 4 };
#else
enum { LANES = 2 };
#endif
typedef uint64_t W __attribute__((vector_size(8 * LANES)));
typedef double V __attribute__((vector_size(8 * LANES)));

static inline W times(W a, uint32_t m) {
#if defined(__AVX512F__) && !defined(PORTABLE)
    return (W)_mm512_mul_epu32((__m512i)a, _mm512_set1_epi64(m));
#elif defined(__AVX2__) && !defined(PORTABLE)
    return (W)_mm256_mul_epu32((__m256i)a, _mm256_set1_epi64x(m));
#else
    return (W){(uint64_t)(uint32_t)a[0] * m, (uint64_t)(uint32_t)a[1] * m};
#endif
}

typedef struct {
    W c[4];
} Blocks;

static inline Blocks blocks_at(uint64_t seed, uint64_t stream, uint64_t position) {
    static const uint64_t count[8] = {0, 1, 2, 3, 4, 5, 6, 7};
    W at;
    memcpy(&at, count, sizeof at);
    at += position;
    Blocks b = {{at, at >> 32, (W){0} + (uint32_t)stream, (W){0} + (stream >> 32)}};
    uint32_t k0 = (uint32_t)seed, k1 = (uint32_t)(seed >> 32);
    for (int round = 0; round < PHILOX_ROUNDS; round++, k0 += PHILOX_KEY0, k1 += PHILOX_KEY1) {
        W p0 = times(b.c[0], PHILOX_M0), p1 = times(b.c[2], PHILOX_M1);
        b = (Blocks){{(p1 >> 32) ^ b.c[1] ^ k0, p1, (p0 >> 32) ^ b.c[3] ^ k1, p0}};
    }
    return b;
}

static void blocks(uint64_t seed, uint64_t stream, uint64_t position, Philox4 *out) {
    LOOP_WRITES(out, RNG_AHEAD);
    for (int i = 0; i < RNG_AHEAD; i += LANES) {
        Blocks b = blocks_at(seed, stream, position + (uint64_t)i);
        for (int l = 0; l < LANES; l++)
            for (int k = 0; k < 4; k++) out[i + l].v[k] = (uint32_t)b.c[k][l];
    }
}

// The sum stays below 2^20: under the exponent of 2^52 its bits are a double that only lacks that 2^52.
static inline V normals_of(Blocks b) {
    W low = {0}, high = {0};
    for (int k = 0; k < 4; k++) {
        low += b.c[k] & 0xffff;
        high += b.c[k] & 0xffff0000;
    }
    V sum = (V)((low + (high >> 16)) | bits64(0x1p52));
    return (sum - (0x1p52 + RNG_NORMAL_MEAN)) * RNG_NORMAL_SCALE;
}

static void normals(uint64_t seed, uint64_t stream, uint64_t position, double *out, size_t n) {
    LOOP_WRITES(out, n);
    for (size_t i = 0; i < n; i += LANES) {
        V z = normals_of(blocks_at(seed, stream, position + i));
        memcpy(out + i, &z, (n - i < LANES ? n - i : LANES) * sizeof *out);
    }
}

const RngLoops ISA_NAME(rng_loops) = {blocks, normals};
