// lane_bits.h - what a lane's bits mean: roundings to the types that registers hold as float32, and the bytes
// of those types in memory. For the files that are compiled once for each instruction set (loops.h); nothing
// here may depend on which one it is.
#pragma once
#include "base/bits.h"
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#ifdef __AVX512F__
#include <immintrin.h>
#endif

// Lanes of one call never depend on each other, whatever the compiler thinks of the pointers.
#if defined(__clang__)
// Loops that hold calls (fmod) need not vectorise, and at -O1, as the fuzz targets are built, none does.
#pragma clang diagnostic ignored "-Wpass-failed"
#define LANES _Pragma("clang loop vectorize(assume_safety)")
#else
#define LANES _Pragma("GCC ivdep")
#endif

#define UNARY(name, TD, T, EXPR)                                                               \
    static uint32_t name(void *d_, const void *a_, const void *b_, const void *c_, size_t n) { \
        TD *d = d_;                                                                            \
        const T *pa = a_;                                                                      \
        (void)b_, (void)c_;                                                                    \
        LANES for (size_t i = 0; i < n; i++) {                                                 \
            const T a = pa[i];                                                                 \
            d[i] = (TD)(EXPR);                                                                 \
        }                                                                                      \
        return 0;                                                                              \
    }

#define F32_INF 0x7f800000u
#define F32_NAN 0x7fc00000u
#define F64_INF 0x7ff0000000000000u
#define F64_NAN 0x7ff8000000000000u

// Nearest even. Adding half a unit (less one when the kept bit is even) and cutting rounds normal numbers;
// subnormals of the target have a fixed unit, so adding and subtracting a number with that unit rounds them.
static inline float round_f16(float x) {
    uint32_t u = bits32(x), sign = u & 0x80000000u, m = u ^ sign;
    uint32_t r = (m + 0xfffu + ((m >> 13) & 1)) & ~0x1fffu;
    r = r >= 0x47800000u ? F32_INF : r;
    r = m < 0x38800000u ? bits32((float_of(m) + 0.5f) - 0.5f) : r;
    r = m > F32_INF ? F32_NAN : r;
    return float_of(r | sign);
}
static inline float round_bf16(float x) {
    uint32_t u = bits32(x), sign = u & 0x80000000u, m = u ^ sign;
    uint32_t r = (m + 0x7fffu + ((m >> 16) & 1)) & 0xffff0000u;
    r = m > F32_INF ? F32_NAN : r;
    return float_of(r | sign);
}
static inline double round_double(double x, int drop, uint64_t smallest_normal, double unit,
                                  double too_large) {
    uint64_t u = bits64(x), sign = u & 0x8000000000000000u, m = u ^ sign;
    uint64_t r = (m + (((uint64_t)1 << (drop - 1)) - 1) + ((m >> drop) & 1)) & ~(((uint64_t)1 << drop) - 1);
    r = r >= bits64(too_large) ? F64_INF : r;
    r = m < smallest_normal ? bits64((double_of(m) + unit) - unit) : r;
    r = m > F64_INF ? F64_NAN : r;
    return double_of(r | sign);
}
static inline float f16_of_double(double x) {
    return (float)round_double(x, 42, 0x3f10000000000000u, 0x1p28, 0x1p16);
}
static inline float bf16_of_double(double x) {
    return (float)round_double(x, 45, 0x3810000000000000u, 0x1p-81, 0x1p128);
}
static inline float f32_of_double(double x) { return (float)x; }
static inline double f64_of_double(double x) { return x; }

// Toward zero: cut the bits of normal numbers, count whole units of subnormals; overflow stops at the
// largest.
static inline double chop_double(double x, int drop, double smallest_normal, double unit, double largest) {
    uint64_t u = bits64(x), sign = u & 0x8000000000000000u, m = u ^ sign;
    double size = double_of(m);
    double r = double_of(m & ~(((uint64_t)1 << drop) - 1));
    double tiny = size < smallest_normal ? size : 0;
    tiny = (double)(int32_t)(tiny / unit) * unit;
    r = size < smallest_normal ? tiny : r;
    r = size > largest && m < F64_INF ? largest : r;
    uint64_t out = m > F64_INF ? F64_NAN : bits64(r);
    return double_of(out | sign);
}
static inline float chop_f16(double x) { return (float)chop_double(x, 42, 0x1p-14, 0x1p-24, 65504.0); }
static inline float chop_bf16(double x) { return (float)chop_double(x, 45, 0x1p-126, 0x1p-133, 0x1.fep127); }
static inline float chop_f32(double x) {
    return (float)chop_double(x, 29, 0x1p-126, 0x1p-149, 0x1.fffffep127);
}

// ---- in memory ----

static inline float f16_value(uint16_t h) {
    uint32_t m = (uint32_t)(h & 0x7fff) << 13, sign = (uint32_t)(h & 0x8000) << 16;
    uint32_t r = bits32(float_of(m) * 0x1p112f);
    r = m >= 0x0f800000u ? m | F32_INF : r;
    return float_of(r | sign);
}
// x is exactly a float16.
static inline uint16_t f16_bits(float x) {
    uint32_t u = bits32(x), sign = (u >> 16) & 0x8000u, m = u & 0x7fffffffu;
    float tiny = m < 0x38800000u ? float_of(m) : 0;
    uint32_t r = m < 0x38800000u ? (uint32_t)(int32_t)(tiny * 0x1p24f) : (m - 0x38000000u) >> 13;
    r = m >= F32_INF ? 0x7c00u : r;
    return (uint16_t)(m > F32_INF ? 0x7e00u : r | sign);
}
static inline uint16_t bf16_bits(float x) { return (uint16_t)(x != x ? 0x7fc0u : bits32(x) >> 16); }

// 8-bit floats. A code's exponent and fraction, moved to where float32 has them, make a number whose exponent
// is too small by the difference of the biases; multiplying by that power of two is exact, subnormals
// included.
#define F8_VALUE(name, shift, scale, SPECIAL)                           \
    static inline float name##_value(uint8_t code) {                    \
        uint32_t m = code & 0x7f, sign = (uint32_t)(code & 0x80) << 24; \
        uint32_t r = bits32(float_of(m << (shift)) * scale);            \
        (void)m;                                                        \
        return float_of((SPECIAL) | sign);                              \
    }
F8_VALUE(e4nv, 20, 0x1p120f, m == 0x7f ? F32_NAN : r)
F8_VALUE(e5, 21, 0x1p112f, m > 0x7c ? F32_NAN : m == 0x7c ? F32_INF : r)
F8_VALUE(e4b8, 20, 0x1p119f, code == 0x80 ? F32_NAN : r)
F8_VALUE(e5b16, 21, 0x1p111f, code == 0x80 ? F32_NAN : r)
F8_VALUE(e4b15, 20, 0x1p112f, r)

// x is exactly a value of the type.
#define F8_BITS(name, shift, scale, SPECIAL)                                    \
    static inline uint8_t name##_bits(float x) {                                \
        uint32_t m = bits32(x) & 0x7fffffffu, sign = (bits32(x) >> 24) & 0x80u; \
        uint32_t r = bits32(float_of(m > F32_INF ? 0 : m) * scale) >> (shift);  \
        return (uint8_t)(SPECIAL);                                              \
    }
F8_BITS(e4nv, 20, 0x1p-120f, m > F32_INF ? 0x7f : r | sign)
F8_BITS(e5, 21, 0x1p-112f, m > F32_INF ? 0x7f : m == F32_INF ? 0x7c | sign : r | sign)
F8_BITS(e4b8, 20, 0x1p-119f, m > F32_INF ? 0x80 : m == 0 ? 0 : r | sign)
F8_BITS(e5b16, 21, 0x1p-111f, m > F32_INF ? 0x80 : m == 0 ? 0 : r | sign)
F8_BITS(e4b15, 20, 0x1p-112f, r | sign)

// Nearest even, saturating: infinities become the largest value, too.
static inline float f8_nearest(double x, int drop, double smallest_normal, double unit, double largest) {
    double r = round_double(x, drop, bits64(smallest_normal), unit, 0x1p128);
    r = r > largest ? largest : r;
    return (float)(r < -largest ? -largest : r);
}
static inline float e4nv_of_double(double x) { return f8_nearest(x, 49, 0x1p-6, 0x1p43, 448); }
static inline float e5_of_double(double x) { return f8_nearest(x, 50, 0x1p-14, 0x1p36, 57344); }
static inline float e4b8_of_double(double x) { return f8_nearest(x, 49, 0x1p-7, 0x1p42, 240) + 0.0f; }
static inline float e5b16_of_double(double x) { return f8_nearest(x, 50, 0x1p-15, 0x1p35, 57344) + 0.0f; }
// By way of float16, cut: then the 7 bits that go are rounded, ties away from zero.
static inline float e4b15_of_double(double x) {
    uint64_t u = bits64(x), sign = (u >> 32) & 0x80000000u;
    double m = double_of(u & 0x7fffffffffffffffu);
    m = m < 1.75 ? m : 1.75;
    uint32_t code = ((uint32_t)f16_bits(chop_f16(m)) + 0x40) >> 7;
    return float_of(bits32(e4b15_value((uint8_t)code)) | (uint32_t)sign);
}
static inline float chop_e5(double x) { return (float)chop_double(x, 50, 0x1p-14, 0x1p-16, 57344.0); }

// Equal floats differ at most in the sign of zero: AND prefers +0, OR prefers -0.
#define FLOAT_EXTREMES(T, name, bits, of)       \
    static inline T max_##name(T a, T b) {      \
        T r = a > b ? a : b;                    \
        r = a == b ? of(bits(a) & bits(b)) : r; \
        return b != b ? a : r;                  \
    }                                           \
    static inline T min_##name(T a, T b) {      \
        T r = a < b ? a : b;                    \
        r = a == b ? of(bits(a) | bits(b)) : r; \
        return b != b ? a : r;                  \
    }
FLOAT_EXTREMES(float, f32, bits32, float_of)
FLOAT_EXTREMES(double, f64, bits64, double_of)
#undef FLOAT_EXTREMES
#ifdef __AVX512F__
// The processor's maximum is a > b ? a : b, too; what the compiler makes of the functions above takes twice
// as long.
#define FLOAT_EXTREME_WIDE(name, most, join)                                     \
    static inline __m512 name##_wide(__m512 a, __m512 b) {                       \
        __m512 r = join(most(a, b), _mm512_cmp_ps_mask(a, b, _CMP_EQ_OQ), a, b); \
        return _mm512_mask_mov_ps(r, _mm512_cmp_ps_mask(b, b, _CMP_UNORD_Q), a); \
    }
FLOAT_EXTREME_WIDE(max_f32, _mm512_max_ps, _mm512_mask_and_ps)
FLOAT_EXTREME_WIDE(min_f32, _mm512_min_ps, _mm512_mask_or_ps)
#undef FLOAT_EXTREME_WIDE
#endif
