// forward_lanes.h - float32 vectors for the model's *_simd.c files: one source, three widths. Bits may differ
// between instruction sets (fused or not, wide or narrow), never between two calls of one build.
#pragma once
#include <stdint.h>
#include <string.h>
#if defined(__x86_64__) && !defined(PORTABLE)
#include <immintrin.h>
#endif

#if defined(__AVX512F__) && !defined(PORTABLE)
enum { LANES = 16 };
#elif defined(__AVX2__) && !defined(PORTABLE)
enum { LANES = 8 };
#else
enum { LANES = 4 };
#endif
typedef float Lanes __attribute__((vector_size(4 * LANES)));
typedef uint32_t LaneBits __attribute__((vector_size(4 * LANES)));

static inline Lanes lanes_all(float x) { return x - (Lanes){0}; }
static inline Lanes lanes_load(const float *p) {
    Lanes v;
    memcpy(&v, p, sizeof v);
    return v;
}
static inline void lanes_store(float *p, Lanes v) { memcpy(p, &v, sizeof v); }
// The first n < LANES elements; the rest is zero.
static inline Lanes lanes_load_some(const float *p, size_t n) {
    Lanes v = {0};
    memcpy(&v, p, n * sizeof *p);
    return v;
}

// a * b + c
static inline Lanes lanes_fma(Lanes a, Lanes b, Lanes c) {
#if defined(__AVX512F__) && !defined(PORTABLE)
    return (Lanes)_mm512_fmadd_ps((__m512)a, (__m512)b, (__m512)c);
#elif defined(__FMA__) && !defined(PORTABLE)
    return (Lanes)_mm256_fmadd_ps((__m256)a, (__m256)b, (__m256)c);
#else
    return a * b + c;
#endif
}

static inline Lanes lanes_if(LaneBits yes, Lanes a, Lanes b) {
    return (Lanes)(((LaneBits)a & yes) | ((LaneBits)b & ~yes));
}
static inline Lanes lanes_max(Lanes a, Lanes b) { return lanes_if((LaneBits)(a > b), a, b); }

// Halves added to halves: ((0 + 8) + (4 + 12)) ...
typedef float Lanes4 __attribute__((vector_size(16)));
typedef uint32_t LaneBits4 __attribute__((vector_size(16)));
static inline Lanes4 lanes_quarter(Lanes v, int i) {
    Lanes4 q;
    memcpy(&q, (const char *)&v + i * 16, sizeof q);
    return q;
}
static inline float lanes_sum(Lanes v) {
#if defined(__AVX512F__) && !defined(PORTABLE)
    Lanes4 q = (lanes_quarter(v, 0) + lanes_quarter(v, 2)) + (lanes_quarter(v, 1) + lanes_quarter(v, 3));
#elif defined(__AVX2__) && !defined(PORTABLE)
    Lanes4 q = lanes_quarter(v, 0) + lanes_quarter(v, 1);
#else
    Lanes4 q = v;
#endif
    return (q[0] + q[2]) + (q[1] + q[3]);
}
static inline float lanes_largest(Lanes v) {
    Lanes4 top = lanes_quarter(v, 0);
    for (int i = 1; i < LANES / 4; i++) {
        Lanes4 q = lanes_quarter(v, i);
        LaneBits4 above = (LaneBits4)(q > top);
        top = (Lanes4)(((LaneBits4)q & above) | ((LaneBits4)top & ~above));
    }
    float a = top[1] > top[0] ? top[1] : top[0], b = top[3] > top[2] ? top[3] : top[2];
    return b > a ? b : a;
}

// e^x within 2 ulp for -87 <= x <= 88, its ends beyond: 0 below, e^88 above; NaN stays. x = n ln2 + r with
// ln2 in two parts, e^r by its series (the first term left out is r^8 / 40320 < 2^-27).
static inline Lanes lanes_exp(Lanes x) {
    const float magic = 0x1.8p23f; // adding it rounds to a whole number
    Lanes in = lanes_if((LaneBits)(x > 88.0f), lanes_all(88.0f), x);
    Lanes shifted = lanes_fma(in, lanes_all(0x1.715476p0f), lanes_all(magic));
    Lanes n = shifted - magic;
    Lanes r = lanes_fma(n, lanes_all(-0x1.63p-1f), in); // 9 bits: exact times any n that comes here
    r = lanes_fma(n, lanes_all(0x1.bd0106p-13f), r);    // 0x1.63p-1 - ln2
    Lanes p = lanes_all(0x1.a01a02p-13f);
    p = lanes_fma(p, r, lanes_all(0x1.6c16c2p-10f));
    p = lanes_fma(p, r, lanes_all(0x1.111112p-7f));
    p = lanes_fma(p, r, lanes_all(0x1.555556p-5f));
    p = lanes_fma(p, r, lanes_all(0x1.555556p-3f));
    p = lanes_fma(p, r, lanes_all(0.5f));
    p = lanes_fma(p, r, lanes_all(1.0f));
    p = lanes_fma(p, r, lanes_all(1.0f));
    LaneBits k = (LaneBits)shifted - (uint32_t)0x4b400000u; // the bits of `magic`
    Lanes y = p * (Lanes)((k + 127u) << 23);
    return lanes_if((LaneBits)(x < -87.0f), (Lanes){0}, y);
}

// float16 from and to float32, nearest even. What float16 cannot hold becomes its largest number of that
// sign (an infinite key would turn a whole row into NaN); NaN becomes zero.
static inline Lanes lanes_widen(const uint16_t *p) {
#if defined(__AVX512F__) && !defined(PORTABLE)
    return (Lanes)_mm512_cvtph_ps(_mm256_loadu_si256((const __m256i *)p));
#elif defined(__F16C__) && !defined(PORTABLE)
    return (Lanes)_mm256_cvtph_ps(_mm_loadu_si128((const __m128i *)p));
#else
    // The exponent's bias differs by 112: a product with 2^112 puts it right, subnormals included.
    LaneBits h = {0};
    for (int i = 0; i < LANES; i++) h[i] = p[i];
    Lanes size = (Lanes)((h & 0x7fff) << 13) * 0x1p112f;
    return (Lanes)((LaneBits)size | (h & 0x8000) << 16);
#endif
}
static inline void lanes_narrow(Lanes x, uint16_t *p) {
    x = lanes_if((LaneBits)(x == x), x, (Lanes){0});
    x = lanes_if((LaneBits)(x > 65504.0f), lanes_all(65504.0f), x);
    x = lanes_if((LaneBits)(x < -65504.0f), lanes_all(-65504.0f), x);
#if defined(__AVX512F__) && !defined(PORTABLE)
    _mm256_storeu_si256((__m256i *)p,
                        _mm512_cvtps_ph((__m512)x, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC));
#elif defined(__F16C__) && !defined(PORTABLE)
    _mm_storeu_si128((__m128i *)p, _mm256_cvtps_ph((__m256)x, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC));
#else
    LaneBits bits = (LaneBits)x, sign = bits >> 16 & 0x8000, size = bits & 0x7fffffff;
    LaneBits normal = (size - (112u << 23) + 0xfff + (size >> 13 & 1)) >> 13;
    // Below 2^-14 the distance of neighbours is 2^-24: the one of float32 between 0.5 and 1.
    LaneBits small = (LaneBits)((Lanes)size + 0.5f) - 0x3f000000u;
    LaneBits tiny = (LaneBits)((Lanes)size < 0x1p-14f);
    LaneBits h = ((small & tiny) | (normal & ~tiny)) | sign;
    for (int i = 0; i < LANES; i++) p[i] = (uint16_t)h[i];
#endif
}
