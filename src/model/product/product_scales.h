// product_scales.h - scales of the K types' chunks, for the product files of one instruction set each (AVX2
// and up).
#pragma once
#include <immintrin.h>
#include <stdint.h>
#include <string.h>

static inline __m256 eight_bytes(uint64_t v) {
    return _mm256_cvtepi32_ps(_mm256_cvtepu8_epi32(_mm_cvtsi64_si128((long long)v)));
}

// Of Q4_K and Q5_K, for each of the eight blocks: what its numbers are multiplied by, and what is then added.
static inline void k_scales(const uint8_t *p, __m256 *scale, __m256 *min) {
    uint32_t u[4];
    memcpy(u, p, 16);
    uint32_t six = 0x3f3f3f3f, four = 0x0f0f0f0f, two = 0x30303030;
    uint64_t s = (uint64_t)((u[3] & four) | (u[1] >> 2 & two)) << 32 | (u[1] & six);
    uint64_t m = (uint64_t)((u[3] >> 4 & four) | (u[2] >> 2 & two)) << 32 | (u[2] & six);
    __m128 d = _mm_cvtph_ps(_mm_cvtsi32_si128((int)u[0]));
    __m128 dmin = _mm_xor_ps(_mm_movehdup_ps(d), _mm_set1_ps(-0.0f));
    *scale = _mm256_mul_ps(eight_bytes(s), _mm256_broadcastss_ps(d));
    *min = _mm256_mul_ps(eight_bytes(m), _mm256_broadcastss_ps(dmin));
}
