// Elementwise loops. Compiled once for each instruction set: see base/isa.h. Nothing here may depend on which
// one it is.
#include "base/numeric/fmath.h"
#include "tile/loops/lane_bits.h"
#include "tile/loops/loops.h"
#include <math.h>

// a * b + c rounded to odd in double, where a * b is exact: a second rounding to 24 bits or fewer is then the
// only one (53 >= 24 + 2). The error of the sum is exact (Knuth's two-sum; nothing here over- or underflows).
static inline double fma_odd(double a, double b, double c) {
    double p = a * b, s = p + c;
    double cc = s - p, error = (p - (s - cc)) + (c - cc);
    uint64_t u = bits64(s);
    bool inexact = error > 0 || error < 0;
    uint64_t toward = (error > 0) == (s > 0) ? u + 1 : u - 1;
    return double_of(inexact && (u & 1) == 0 ? toward : u);
}

// ---- elementwise loops ----

#define LOOP2(m, one_a, one_b, name, TD, T, EXPR)                                                    \
    static uint32_t name##_##m(void *d_, const void *a_, const void *b_, const void *c_, size_t n) { \
        TD *d = d_;                                                                                  \
        const T *pa = a_, *pb = b_;                                                                  \
        const T a0 = *pa, b0 = *pb;                                                                  \
        uint32_t bad = 0;                                                                            \
        (void)c_, (void)a0, (void)b0;                                                                \
        LANES for (size_t i = 0; i < n; i++) {                                                       \
            const T a = (one_a) ? a0 : pa[i], b = (one_b) ? b0 : pb[i];                              \
            d[i] = (TD)(EXPR);                                                                       \
        }                                                                                            \
        return bad;                                                                                  \
    }
#define BINARY(name, TD, T, EXPR)      \
    LOOP2(vv, 0, 0, name, TD, T, EXPR) \
    LOOP2(sv, 1, 0, name, TD, T, EXPR) \
    LOOP2(vs, 0, 1, name, TD, T, EXPR)
#define MODES2(name) \
    { name##_vv, name##_sv, name##_vs, name##_vv }

// A loop followed by a pass over its result: how narrow types reuse the loops of wide ones. Rounding a
// float32 result of + - * / sqrt to float16 or bfloat16 is the single correct rounding (24 >= 2 * 11 + 2).
UNARY(round_all_f16, float, float, round_f16(a))
UNARY(round_all_bf16, float, float, round_bf16(a))
UNARY(wrap_i8, int32_t, int32_t, (int8_t)a)
UNARY(wrap_i16, int32_t, int32_t, (int16_t)a)
UNARY(wrap_u8, uint32_t, uint32_t, (uint8_t)a)
UNARY(wrap_u16, uint32_t, uint32_t, (uint16_t)a)
#define THEN1(m, name, first, after)                                                          \
    static uint32_t name##m(void *d, const void *a, const void *b, const void *c, size_t n) { \
        uint32_t bad = first##m(d, a, b, c, n);                                               \
        after(d, d, NULL, NULL, n);                                                           \
        return bad;                                                                           \
    }
#define THEN(name, first, after) \
    THEN1(_vv, name, first, after) THEN1(_sv, name, first, after) THEN1(_vs, name, first, after)

// Arithmetic
#define FLOAT_OP(name, EXPR32, EXPR64)          \
    BINARY(name##_f32, float, float, EXPR32)    \
    BINARY(name##_f64, double, double, EXPR64)  \
    THEN(name##_f16, name##_f32, round_all_f16) \
    THEN(name##_bf16, name##_f32, round_all_bf16)
FLOAT_OP(add, a + b, a + b)
FLOAT_OP(sub, a - b, a - b)
FLOAT_OP(mul, a *b, a *b)
FLOAT_OP(div, a / b, a / b)
FLOAT_OP(mod, fmodf(a, b), fmod(a, b)) // exact in every correct libm

#define WRAPPING_OP(name, OP)                      \
    BINARY(name##_u32, uint32_t, uint32_t, a OP b) \
    BINARY(name##_u64, uint64_t, uint64_t, a OP b) \
    THEN(name##_i8, name##_u32, wrap_i8)           \
    THEN(name##_i16, name##_u32, wrap_i16)         \
    THEN(name##_u8, name##_u32, wrap_u8)           \
    THEN(name##_u16, name##_u32, wrap_u16)
WRAPPING_OP(add, +)
WRAPPING_OP(sub, -)
WRAPPING_OP(mul, *)

#define BITWISE_OP(name, OP)                       \
    BINARY(name##_b, uint8_t, uint8_t, a OP b)     \
    BINARY(name##_u32, uint32_t, uint32_t, a OP b) \
    BINARY(name##_u64, uint64_t, uint64_t, a OP b)
BITWISE_OP(and, &)
BITWISE_OP(or, |)
BITWISE_OP(xor, ^)

// int32 arithmetic that feeds an address.
static inline int32_t narrow(int64_t x, uint32_t *bad) {
    *bad |= x != (int32_t)x ? LOOP_OVERFLOW : 0;
    return (int32_t)x;
}
// A sum that overflows has another sign than both operands have: `over`, ORed over the lanes.
#define CHECKED1(m, one_a, one_b, name, EXPR, OVER)                                                    \
    static uint32_t name##_##m(void *d_, const void *a_, const void *b_, const void *c_, size_t n) {   \
        int32_t *d = d_;                                                                               \
        const int32_t *pa = a_, *pb = b_;                                                              \
        const int32_t a0 = *pa, b0 = *pb;                                                              \
        uint32_t over = 0;                                                                             \
        (void)c_, (void)a0, (void)b0;                                                                  \
        LANES for (size_t i = 0; i < n; i++) {                                                         \
            const uint32_t a = (uint32_t)((one_a) ? a0 : pa[i]), b = (uint32_t)((one_b) ? b0 : pb[i]); \
            const uint32_t r = EXPR;                                                                   \
            over |= OVER;                                                                              \
            d[i] = (int32_t)r;                                                                         \
        }                                                                                              \
        return over >> 31 ? LOOP_OVERFLOW : 0;                                                         \
    }
#define CHECKED(name, EXPR, OVER)        \
    CHECKED1(vv, 0, 0, name, EXPR, OVER) \
    CHECKED1(sv, 1, 0, name, EXPR, OVER) \
    CHECKED1(vs, 0, 1, name, EXPR, OVER)
CHECKED(checked_add, a + b, (a ^ r) & (b ^ r))
CHECKED(checked_sub, a - b, (a ^ b) & (a ^ r))
LOOP2(vv, 0, 0, checked_mul, int32_t, int32_t, narrow((int64_t)a *b, &bad))
// Which numbers one factor may be multiplied by is known before any lane is looked at.
static uint32_t checked_mul_by(int32_t *d, const int32_t *a, int32_t b, size_t n) {
    const int64_t to = b > 0 ? INT32_MAX : INT32_MIN, from = b > 0 ? INT32_MIN : INT32_MAX;
    const int64_t most = b == 0 ? INT32_MAX : to / b, least = b == 0 ? INT32_MIN : from / b;
    const int32_t high = most > INT32_MAX ? INT32_MAX : (int32_t)most, low = (int32_t)least;
    uint32_t over = 0;
    if (b == 1) { // the stride of what has no gaps
        if (d != a) memcpy(d, a, n * sizeof *d);
        return 0;
    }
    LANES for (size_t i = 0; i < n; i++) {
        const int32_t x = a[i];
        over |= (uint32_t)(x > high) | (uint32_t)(x < low);
        d[i] = (int32_t)((uint32_t)x * (uint32_t)b);
    }
    return over ? LOOP_OVERFLOW : 0;
}
static uint32_t checked_mul_sv(void *d, const void *a, const void *b, const void *c, size_t n) {
    (void)c;
    return checked_mul_by(d, b, *(const int32_t *)a, n);
}
static uint32_t checked_mul_vs(void *d, const void *a, const void *b, const void *c, size_t n) {
    (void)c;
    return checked_mul_by(d, a, *(const int32_t *)b, n);
}
static inline int64_t shift_wide(int32_t a, int32_t b, uint32_t *bad) {
    bool wrong = (uint32_t)b >= 32;
    *bad |= wrong ? LOOP_SHIFT : 0;
    return wrong ? 0 : (int64_t)((uint64_t)(int64_t)a << b);
}
BINARY(checked_shl, int32_t, int32_t, narrow(shift_wide(a, b, &bad), &bad))

// Division of 32-bit integers through double: the quotient lies at least 1/b from the next integer, far more
// than double's rounding, so that cutting it is exact.
#define DIVIDE(T, U, name, least, WIDE)                                \
    static inline T idiv_##name(T a, T b, uint32_t *bad) {             \
        bool edge = (least) != 0 && a == (T)(least) && b == (T)-1;     \
        *bad |= (b == 0 ? LOOP_ZERO : 0) | (edge ? LOOP_QUOTIENT : 0); \
        T by = b == 0 || edge ? 1 : b;                                 \
        return (T)((WIDE)a / (WIDE)by);                                \
    }                                                                  \
    static inline T imod_##name(T a, T b, uint32_t *bad) {             \
        T q = idiv_##name(a, b, bad);                                  \
        return b == 0 ? 0 : (T)((U)a - (U)q * (U)b);                   \
    }                                                                  \
    BINARY(idiv_loop_##name, T, T, idiv_##name(a, b, &bad))            \
    BINARY(imod_loop_##name, T, T, imod_##name(a, b, &bad))
DIVIDE(int32_t, uint32_t, i8, INT8_MIN, double)
DIVIDE(int32_t, uint32_t, i16, INT16_MIN, double)
DIVIDE(int32_t, uint32_t, each_i32, INT32_MIN, double)
DIVIDE(uint32_t, uint32_t, u32, 0, double)
DIVIDE(int64_t, uint64_t, far_i64, INT64_MIN, int64_t)
DIVIDE(uint64_t, uint64_t, far_u64, 0, uint64_t)

// Of many lanes by one number, most often by a size: a product with its inverse, made too large by 2^-50 of
// itself. What rounding takes away is less, so no whole quotient falls below itself; and the next integer is
// 1/b away from any other, where a / b * 2^-49 is at most 2^-18 / b.
#define DIVIDE_BY(op, RESULT)                                                                             \
    static uint32_t op##_loop_i32_vs(void *d_, const void *a_, const void *b_, const void *c, size_t n) { \
        int32_t *d = d_;                                                                                  \
        const int32_t *pa = a_, b = *(const int32_t *)b_;                                                 \
        if (b == 0 || b == -1) return op##_loop_each_i32_vs(d_, a_, b_, c, n);                            \
        const double by = 1.0 / b * (1 + 0x1p-50);                                                        \
        LANES for (size_t i = 0; i < n; i++) {                                                            \
            const int32_t a = pa[i], q = (int32_t)(a * by);                                               \
            d[i] = RESULT;                                                                                \
        }                                                                                                 \
        return 0;                                                                                         \
    }
DIVIDE_BY(idiv, q)
DIVIDE_BY(imod, (int32_t)((uint32_t)a - (uint32_t)q * (uint32_t)b))
#define idiv_loop_i32_vv idiv_loop_each_i32_vv
#define idiv_loop_i32_sv idiv_loop_each_i32_sv
#define imod_loop_i32_vv imod_loop_each_i32_vv
#define imod_loop_i32_sv imod_loop_each_i32_sv

// 64-bit integers below 2^52, as offsets and sizes are, divide through double as well: a quotient that is no
// integer lies 1/b from the next one, 1/a of its own size, and rounding moves it by 2^-53 of that.
BINARY(idiv_near, int64_t, int64_t, (double)a / (double)b)
BINARY(imod_near, int64_t, int64_t, a - (int64_t)((double)a / (double)b) * b)
static inline bool near_all(const int64_t *a, size_t na, const int64_t *b, size_t nb) {
    uint64_t bits = 0, zero = 0;
    LANES for (size_t i = 0; i < na; i++) bits |= (uint64_t)(a[i] ^ a[i] >> 63);
    LANES for (size_t i = 0; i < nb; i++) {
        bits |= (uint64_t)(b[i] ^ b[i] >> 63);
        zero |= (uint64_t)(b[i] == 0);
    }
    return !zero && bits >> 52 == 0;
}
// Unsigned integers near 2^64 would pass for small negative ones.
static inline bool near_all_unsigned(const int64_t *a, size_t na, const int64_t *b, size_t nb) {
    int64_t sign = 0;
    LANES for (size_t i = 0; i < na; i++) sign |= a[i];
    LANES for (size_t i = 0; i < nb; i++) sign |= b[i];
    return sign >= 0 && near_all(a, na, b, nb);
}
#define NEAR1(m, one_a, one_b, op, name, test)                                                               \
    static uint32_t op##_loop_##name##_##m(void *d, const void *a, const void *b, const void *c, size_t n) { \
        bool near = test(a, (one_a) ? 1 : n, b, (one_b) ? 1 : n);                                            \
        return (near ? op##_near_##m : op##_loop_far_##name##_##m)(d, a, b, c, n);                           \
    }
#define NEAR(op, name, test)        \
    NEAR1(vv, 0, 0, op, name, test) \
    NEAR1(sv, 1, 0, op, name, test) \
    NEAR1(vs, 0, 1, op, name, test)
NEAR(idiv, i64, near_all)
NEAR(imod, i64, near_all)
NEAR(idiv, u64, near_all_unsigned)
NEAR(imod, u64, near_all_unsigned)

#define SHIFTS(T, U, name, width)                         \
    static inline T shl_##name(T a, T b, uint32_t *bad) { \
        bool wrong = (U)b >= (width);                     \
        *bad |= wrong ? LOOP_SHIFT : 0;                   \
        return wrong ? 0 : (T)((U)a << b);                \
    }                                                     \
    static inline T shr_##name(T a, T b, uint32_t *bad) { \
        bool wrong = (U)b >= (width);                     \
        *bad |= wrong ? LOOP_SHIFT : 0;                   \
        return wrong ? 0 : (T)(a >> b);                   \
    }                                                     \
    BINARY(shl_wide_##name, T, T, shl_##name(a, b, &bad)) \
    BINARY(shr_loop_##name, T, T, shr_##name(a, b, &bad))
SHIFTS(int32_t, uint32_t, i8, 8)
SHIFTS(int32_t, uint32_t, i16, 16)
SHIFTS(int32_t, uint32_t, i32, 32)
SHIFTS(uint32_t, uint32_t, u8, 8)
SHIFTS(uint32_t, uint32_t, u16, 16)
SHIFTS(uint32_t, uint32_t, u32, 32)
SHIFTS(int64_t, uint64_t, i64, 64)
SHIFTS(uint64_t, uint64_t, u64, 64)
THEN(shl_loop_i8, shl_wide_i8, wrap_i8)
THEN(shl_loop_i16, shl_wide_i16, wrap_i16)
THEN(shl_loop_u8, shl_wide_u8, wrap_u8)
THEN(shl_loop_u16, shl_wide_u16, wrap_u16)

#define EXTREMES(T, name)                                                    \
    BINARY(max_loop_##name, T, T, max_##name(a, b))                          \
    BINARY(min_loop_##name, T, T, min_##name(a, b))                          \
    BINARY(max_nan_##name, T, T, a != a ? a : b != b ? b : max_##name(a, b)) \
    BINARY(min_nan_##name, T, T, a != a ? a : b != b ? b : min_##name(a, b))
EXTREMES(float, f32)
EXTREMES(double, f64)
#ifdef __AVX512F__
#define EXTREME_WIDE(name, m, one_a, one_b, of)                                                           \
    static uint32_t name##_wide_##m(void *d_, const void *a_, const void *b_, const void *c_, size_t n) { \
        float *d = d_;                                                                                    \
        const float *pa = a_, *pb = b_;                                                                   \
        size_t i = 0;                                                                                     \
        for (__m512 a0 = _mm512_set1_ps(*pa), b0 = _mm512_set1_ps(*pb); i + 16 <= n; i += 16) {           \
            const __m512 a = (one_a) ? a0 : _mm512_loadu_ps(pa + i),                                      \
                         b = (one_b) ? b0 : _mm512_loadu_ps(pb + i);                                      \
            _mm512_storeu_ps(d + i, of(a, b));                                                            \
        }                                                                                                 \
        if (i < n) name##_##m(d + i, (one_a) ? pa : pa + i, (one_b) ? pb : pb + i, c_, n - i);            \
        return 0;                                                                                         \
    }
EXTREME_WIDE(max_loop_f32, vv, 0, 0, max_f32_wide)
EXTREME_WIDE(max_loop_f32, sv, 1, 0, max_f32_wide)
EXTREME_WIDE(max_loop_f32, vs, 0, 1, max_f32_wide)
EXTREME_WIDE(min_loop_f32, vv, 0, 0, min_f32_wide)
EXTREME_WIDE(min_loop_f32, sv, 1, 0, min_f32_wide)
EXTREME_WIDE(min_loop_f32, vs, 0, 1, min_f32_wide)
#define max_loop_f32_vv max_loop_f32_wide_vv
#define max_loop_f32_sv max_loop_f32_wide_sv
#define max_loop_f32_vs max_loop_f32_wide_vs
#define min_loop_f32_vv min_loop_f32_wide_vv
#define min_loop_f32_sv min_loop_f32_wide_sv
#define min_loop_f32_vs min_loop_f32_wide_vs
#endif
#define INT_EXTREMES(T, name)                    \
    BINARY(max_loop_##name, T, T, a > b ? a : b) \
    BINARY(min_loop_##name, T, T, a < b ? a : b)
INT_EXTREMES(uint8_t, b)
INT_EXTREMES(int32_t, i32)
INT_EXTREMES(uint32_t, u32)
INT_EXTREMES(int64_t, i64)
INT_EXTREMES(uint64_t, u64)

#define COMPARISONS(T, name)              \
    BINARY(lt_##name, uint8_t, T, a < b)  \
    BINARY(le_##name, uint8_t, T, a <= b) \
    BINARY(gt_##name, uint8_t, T, a > b)  \
    BINARY(ge_##name, uint8_t, T, a >= b) \
    BINARY(eq_##name, uint8_t, T, a == b) \
    BINARY(ne_##name, uint8_t, T, a != b)
COMPARISONS(uint8_t, b)
COMPARISONS(int32_t, i32)
COMPARISONS(uint32_t, u32)
COMPARISONS(int64_t, i64)
COMPARISONS(uint64_t, u64)
COMPARISONS(float, f32)
COMPARISONS(double, f64)

// One operand
UNARY(abs_f32, uint32_t, uint32_t, a & 0x7fffffffu)
UNARY(abs_f64, uint64_t, uint64_t, a & 0x7fffffffffffffffu)
UNARY(abs_i8, int32_t, int32_t, (int8_t)(a < 0 ? -a : a))
UNARY(abs_i16, int32_t, int32_t, (int16_t)(a < 0 ? -a : a))
UNARY(abs_i32, uint32_t, int32_t, a < 0 ? 0 - (uint32_t)a : (uint32_t)a)
UNARY(abs_i64, uint64_t, int64_t, a < 0 ? 0 - (uint64_t)a : (uint64_t)a)
UNARY(copy_b, uint8_t, uint8_t, a)
UNARY(copy_u32, uint32_t, uint32_t, a)
UNARY(copy_u64, uint64_t, uint64_t, a)
UNARY(not_b, uint8_t, uint8_t, a ^ 1)
UNARY(not_u32, uint32_t, uint32_t, ~a) // of a reduced signed value: reduced again
UNARY(not_u64, uint64_t, uint64_t, ~a)
UNARY(not_u8, uint32_t, uint32_t, ~a & 0xffu)
UNARY(not_u16, uint32_t, uint32_t, ~a & 0xffffu)
UNARY(sqrt_f32, float, float, sqrtf(a))
UNARY(sqrt_f64, double, double, sqrt(a))
UNARY(floor_f32, float, float, floorf(a))
UNARY(floor_f64, double, double, floor(a))
UNARY(ceil_f32, float, float, ceilf(a))
UNARY(ceil_f64, double, double, ceil(a))
// rintf() and its kin are exact; half way is looked for in what truncation cuts off, which is exact, too.
#define ROUND_AWAY(T, name, trunc, fabs, copysign)     \
    static inline T round_away_##name(T a) {           \
        T whole = trunc(a);                            \
        T up = whole + copysign((T)1, a);              \
        return fabs(a - whole) >= (T)0.5 ? up : whole; \
    }                                                  \
    UNARY(round_##name, T, T, round_away_##name(a))
ROUND_AWAY(float, f32, truncf, fabsf, copysignf)
ROUND_AWAY(double, f64, trunc, fabs, copysign)
UNARY(rint_f32, float, float, rintf(a))
UNARY(rint_f64, double, double, rint(a))
UNARY(trunc_f32, float, float, truncf(a))
UNARY(trunc_f64, double, double, trunc(a))
THEN1(, sqrt_f16, sqrt_f32, round_all_f16)
THEN1(, sqrt_bf16, sqrt_f32, round_all_bf16)

// ---- functions in double, block by block: one instance of each polynomial serves every type ----

enum { BLOCK = 256 };
static void widen_f32(double *x, const void *a, size_t at, size_t n) {
    const float *p = (const float *)a + at;
    LANES for (size_t i = 0; i < n; i++) x[i] = p[i];
}
static void widen_f64(double *x, const void *a, size_t at, size_t n) {
    memcpy(x, (const double *)a + at, n * sizeof *x);
}
#define NARROW(T, name)                                                        \
    static void narrow_##name(void *d, size_t at, const double *x, size_t n) { \
        T *p = (T *)d + at;                                                    \
        LANES for (size_t i = 0; i < n; i++) p[i] = name##_of_double(x[i]);    \
    }
NARROW(float, f16)
NARROW(float, bf16)
NARROW(float, f32)
NARROW(double, f64)
#define widen_f16  widen_f32
#define widen_bf16 widen_f32

#define FUNCTION_OF(name, type)                                                                     \
    static uint32_t name##_##type(void *d, const void *a, const void *b, const void *c, size_t n) { \
        _Alignas(64) double x[BLOCK];                                                               \
        (void)b, (void)c;                                                                           \
        for (size_t at = 0; at < n; at += BLOCK) {                                                  \
            size_t k = n - at < BLOCK ? n - at : BLOCK;                                             \
            widen_##type(x, a, at, k);                                                              \
            name##_block(x, k);                                                                     \
            narrow_##type(d, at, x, k);                                                             \
        }                                                                                           \
        return 0;                                                                                   \
    }
#define FUNCTION(name, EXPR)                                                  \
    static __attribute__((noinline)) void name##_block(double *x, size_t n) { \
        LANES for (size_t i = 0; i < n; i++) x[i] = EXPR;                     \
    }                                                                         \
    FUNCTION_OF(name, f16) FUNCTION_OF(name, bf16) FUNCTION_OF(name, f32) FUNCTION_OF(name, f64)
// The exponentials are half of many kernels: less than float32 gets by with a shorter polynomial, float32
// without double.
#define FUNCTION_SHORT(name, FLOAT, SHORT, EXPR)                                                 \
    static __attribute__((noinline)) void name##_block(double *x, size_t n) {                    \
        LANES for (size_t i = 0; i < n; i++) x[i] = SHORT;                                       \
    }                                                                                            \
    static __attribute__((noinline)) void name##_block_f64(double *x, size_t n) {                \
        LANES for (size_t i = 0; i < n; i++) x[i] = EXPR;                                        \
    }                                                                                            \
    FUNCTION_OF(name, f16)                                                                       \
    FUNCTION_OF(name, bf16)                                                                      \
    UNARY(name##_f32, float, float, FLOAT)                                                       \
    static uint32_t name##_f64(void *d, const void *a, const void *b, const void *c, size_t n) { \
        (void)b, (void)c;                                                                        \
        memmove(d, a, n * sizeof(double));                                                       \
        name##_block_f64(d, n);                                                                  \
        return 0;                                                                                \
    }
FUNCTION_SHORT(exp, f32_exp(a), f64_short_exp(x[i]), f64_exp(x[i]))
FUNCTION_SHORT(exp2, f32_exp2(a), f64_short_exp2(x[i]), f64_exp2(x[i]))
FUNCTION(expm1, f64_expm1(x[i]))
FUNCTION(log, f64_log(x[i]))
FUNCTION(log2, f64_log2(x[i]))
FUNCTION(log1p, f64_log1p(x[i]))
FUNCTION(rsqrt, 1.0 / sqrt(x[i]))
FUNCTION(sin, f64_sin(x[i]))
FUNCTION(cos, f64_cos(x[i]))
FUNCTION(erf, f64_erf(x[i]))
FUNCTION(tanh, f64_tanh(x[i]))

// Several operands in double; those with one lane are spread over a block once.
static void pow_block(double *x, const double *y, const double *z, size_t n) {
    (void)z;
    LANES for (size_t i = 0; i < n; i++) x[i] = f64_pow(x[i], y[i]);
}
static void fma_block(double *x, const double *y, const double *z, size_t n) {
    LANES for (size_t i = 0; i < n; i++) x[i] = fma_odd(x[i], y[i], z[i]);
}
static void fma_block_f64(double *x, const double *y, const double *z, size_t n) {
    for (size_t i = 0; i < n; i++) x[i] = fma(x[i], y[i], z[i]); // exactly specified by the standard
}
static void spread(double *x, size_t n) {
    for (size_t i = 1; i < n; i++) x[i] = x[0];
}
#define BLOCKWISE(name, core, type)                                                                          \
    static void name##_all_##type(void *d, const void *a, const void *b, const void *c, size_t n, int one) { \
        _Alignas(64) double x[BLOCK], x0[1] = {0}, y[BLOCK], z[BLOCK];                                       \
        size_t first = n < BLOCK ? n : BLOCK;                                                                \
        if (one & ONE_A) widen_##type(x0, a, 0, 1);                                                          \
        if (one & ONE_B) widen_##type(y, b, 0, 1), spread(y, first);                                         \
        if (one & ONE_C) widen_##type(z, c, 0, 1), spread(z, first);                                         \
        for (size_t at = 0; at < n; at += BLOCK) {                                                           \
            size_t k = n - at < BLOCK ? n - at : BLOCK;                                                      \
            if (one & ONE_A)                                                                                 \
                x[0] = x0[0], spread(x, k);                                                                  \
            else                                                                                             \
                widen_##type(x, a, at, k);                                                                   \
            if (!(one & ONE_B)) widen_##type(y, b, at, k);                                                   \
            if (c && !(one & ONE_C)) widen_##type(z, c, at, k);                                              \
            core(x, y, z, k);                                                                                \
            narrow_##type(d, at, x, k);                                                                      \
        }                                                                                                    \
    }
#define BLOCKWISE_MODE(name, type, one)                                                                     \
    static uint32_t name##_##type##_##one(void *d, const void *a, const void *b, const void *c, size_t n) { \
        name##_all_##type(d, a, b, c, n, one);                                                              \
        return 0;                                                                                           \
    }
#define POW(type)                   \
    BLOCKWISE(pow, pow_block, type) \
    BLOCKWISE_MODE(pow, type, 0) BLOCKWISE_MODE(pow, type, 1) BLOCKWISE_MODE(pow, type, 2)
POW(f16)
POW(bf16)
POW(f32)
POW(f64)
// clang-format off
#define FMA(type, core)                                                                                          \
    BLOCKWISE(fma, core, type)                                                                                   \
    BLOCKWISE_MODE(fma, type, 0) BLOCKWISE_MODE(fma, type, 1) BLOCKWISE_MODE(fma, type, 2)                       \
    BLOCKWISE_MODE(fma, type, 3) BLOCKWISE_MODE(fma, type, 4) BLOCKWISE_MODE(fma, type, 5)                       \
    BLOCKWISE_MODE(fma, type, 6)
// clang-format on
FMA(f16, fma_block)
FMA(bf16, fma_block)
FMA(f32, fma_block)
FMA(f64, fma_block_f64)
#define POW_MODES(type) \
    { pow_##type##_0, pow_##type##_1, pow_##type##_2, pow_##type##_0 }
#define FMA_MODES(type)                                                                                 \
    {                                                                                                   \
        fma_##type##_0, fma_##type##_1, fma_##type##_2, fma_##type##_3, fma_##type##_4, fma_##type##_5, \
            fma_##type##_6, fma_##type##_0                                                              \
    }

#define WHERE(name, T, one)                                                                        \
    static uint32_t where_##name##_##one(void *d_, const void *a_, const void *b_, const void *c_, \
                                         size_t n) {                                               \
        T *d = d_;                                                                                 \
        const uint8_t *pa = a_;                                                                    \
        const T *pb = b_, *pc = c_;                                                                \
        const uint8_t a0 = *pa;                                                                    \
        const T b0 = *pb, c0 = *pc;                                                                \
        (void)a0, (void)b0, (void)c0;                                                              \
        LANES for (size_t i = 0; i < n; i++) {                                                     \
            const T b = (one)&ONE_B ? b0 : pb[i], c = (one)&ONE_C ? c0 : pc[i];                    \
            d[i] = ((one)&ONE_A ? a0 : pa[i]) ? b : c;                                             \
        }                                                                                          \
        return 0;                                                                                  \
    }
// clang-format off
#define WHERES(name, T)                                                                                          \
    WHERE(name, T, 0) WHERE(name, T, 1) WHERE(name, T, 2) WHERE(name, T, 3)                                      \
    WHERE(name, T, 4) WHERE(name, T, 5) WHERE(name, T, 6)
// clang-format on
WHERES(b, uint8_t)
WHERES(u32, uint32_t)
WHERES(u64, uint64_t)
#define WHERE_MODES(name)                                                                         \
    {                                                                                             \
        where_##name##_0, where_##name##_1, where_##name##_2, where_##name##_3, where_##name##_4, \
            where_##name##_5, where_##name##_6, where_##name##_0                                  \
    }

// A product and the sum that follows it in one pass, rounded twice.
#define MULADD(mode, A, B, C)                                                                           \
    static uint32_t muladd_##mode(void *d_, const void *a_, const void *b_, const void *c_, size_t n) { \
        float *d = d_;                                                                                  \
        const float *a = a_, *b = b_, *c = c_, a0 = *a, b0 = *b, c0 = *c;                               \
        (void)a0, (void)b0, (void)c0;                                                                   \
        LANES for (size_t i = 0; i < n; i++) {                                                          \
            float product = A * B;                                                                      \
            d[i] = product + C;                                                                         \
        }                                                                                               \
        return 0;                                                                                       \
    }
MULADD(vvv, a[i], b[i], c[i])
MULADD(svv, a0, b[i], c[i])
MULADD(vsv, a[i], b0, c[i])
MULADD(vvs, a[i], b[i], c0)
MULADD(svs, a0, b[i], c0)
MULADD(vss, a[i], b0, c0)

// ---- the table ----

// clang-format off
#define ALONE(loop) {loop}
#define FLOATS(of, f16, bf16, f32, f64) \
    [DT_F16] = of(f16), [DT_BF16] = of(bf16), [DT_F32] = of(f32), [DT_F64] = of(f64)
#define INTS(of, i8, i16, i32, i64, u8, u16, u32, u64)                                      \
    [DT_I8] = of(i8), [DT_I16] = of(i16), [DT_I32] = of(i32), [DT_I64] = of(i64),           \
    [DT_U8] = of(u8), [DT_U16] = of(u16), [DT_U32] = of(u32), [DT_U64] = of(u64)
#define FLOATS2(name) FLOATS(MODES2, name##_f16, name##_bf16, name##_f32, name##_f64)
#define WRAPPING2(name) \
    INTS(MODES2, name##_i8, name##_i16, name##_u32, name##_u64, name##_u8, name##_u16, name##_u32, name##_u64)
#define BITS2(name)                                                                                               \
    [DT_BOOL] = MODES2(name##_b),                                                                                 \
    INTS(MODES2, name##_u32, name##_u32, name##_u32, name##_u64, name##_u32, name##_u32, name##_u32, name##_u64)
#define LANES2(name)                                                                                              \
    [DT_BOOL] = MODES2(name##_b),                                                                                 \
    INTS(MODES2, name##_i32, name##_i32, name##_i32, name##_i64, name##_u32, name##_u32, name##_u32, name##_u64), \
    FLOATS(MODES2, name##_f32, name##_f32, name##_f32, name##_f64)
#define DIVISION2(name) \
    INTS(MODES2, name##_i8, name##_i16, name##_i32, name##_i64, name##_u32, name##_u32, name##_u32, name##_u64)
#define FUNCTION1(name) FLOATS(ALONE, name##_f16, name##_bf16, name##_f32, name##_f64)
#define WIDE1(name)     FLOATS(ALONE, name##_f32, name##_f32, name##_f32, name##_f64)

const TileLoops ISA_NAME(tile_loops) = {
    .op = {
        [INSN_ADD] = {FLOATS2(add), WRAPPING2(add), [DT_BOOL] = MODES2(xor_b)},
        [INSN_SUB] = {FLOATS2(sub), WRAPPING2(sub), [DT_BOOL] = MODES2(xor_b)},
        [INSN_MUL] = {FLOATS2(mul), WRAPPING2(mul), [DT_BOOL] = MODES2(and_b)},
        [INSN_DIV] = {FLOATS2(div)},
        [INSN_IDIV] = {DIVISION2(idiv_loop)},
        [INSN_MOD] = {DIVISION2(imod_loop), FLOATS2(mod)},
        [INSN_AND] = {BITS2(and)},
        [INSN_OR] = {BITS2(or)},
        [INSN_XOR] = {BITS2(xor)},
        [INSN_SHL] = {INTS(MODES2, shl_loop_i8, shl_loop_i16, shl_wide_i32, shl_wide_i64,
                           shl_loop_u8, shl_loop_u16, shl_wide_u32, shl_wide_u64)},
        [INSN_SHR] = {INTS(MODES2, shr_loop_i8, shr_loop_i16, shr_loop_i32, shr_loop_i64,
                           shr_loop_u8, shr_loop_u16, shr_loop_u32, shr_loop_u64)},
        [INSN_MAX] = {LANES2(max_loop)},
        [INSN_MIN] = {LANES2(min_loop)},
        [INSN_LT] = {LANES2(lt)}, [INSN_LE] = {LANES2(le)}, [INSN_GT] = {LANES2(gt)},
        [INSN_GE] = {LANES2(ge)}, [INSN_EQ] = {LANES2(eq)}, [INSN_NE] = {LANES2(ne)},
        [INSN_ABS] = {[DT_BOOL] = ALONE(copy_b), WIDE1(abs),
                      INTS(ALONE, abs_i8, abs_i16, abs_i32, abs_i64, copy_u32, copy_u32, copy_u32, copy_u64)},
        [INSN_INVERT] = {[DT_BOOL] = ALONE(not_b),
                         INTS(ALONE, not_u32, not_u32, not_u32, not_u64, not_u8, not_u16, not_u32, not_u64)},
        [INSN_EXP] = {FUNCTION1(exp)}, [INSN_EXP2] = {FUNCTION1(exp2)}, [INSN_EXPM1] = {FUNCTION1(expm1)},
        [INSN_LOG] = {FUNCTION1(log)}, [INSN_LOG2] = {FUNCTION1(log2)}, [INSN_LOG1P] = {FUNCTION1(log1p)},
        [INSN_SQRT] = {FUNCTION1(sqrt)}, [INSN_RSQRT] = {FUNCTION1(rsqrt)}, [INSN_SIN] = {FUNCTION1(sin)},
        [INSN_COS] = {FUNCTION1(cos)}, [INSN_ERF] = {FUNCTION1(erf)}, [INSN_TANH] = {FUNCTION1(tanh)},
        [INSN_FLOOR] = {WIDE1(floor)}, [INSN_CEIL] = {WIDE1(ceil)}, [INSN_RINT] = {WIDE1(rint)},
        [INSN_ROUND] = {WIDE1(round)}, [INSN_TRUNC] = {WIDE1(trunc)},
        [INSN_POW] = {FLOATS(POW_MODES, f16, bf16, f32, f64)},
        [INSN_FMA] = {FLOATS(FMA_MODES, f16, bf16, f32, f64)},
        [INSN_WHERE] = {[DT_BOOL] = WHERE_MODES(b), FLOATS(WHERE_MODES, u32, u32, u32, u64),
                        INTS(WHERE_MODES, u32, u32, u32, u64, u32, u32, u32, u64),
                        [DT_F8E4NV] = WHERE_MODES(u32), [DT_F8E5] = WHERE_MODES(u32),
                        [DT_F8E4B8] = WHERE_MODES(u32), [DT_F8E5B16] = WHERE_MODES(u32),
                        [DT_F8E4B15] = WHERE_MODES(u32)},
    },
    .propagate = {
        [INSN_MAX] = {MODES2(max_nan_f32), MODES2(max_nan_f32), MODES2(max_nan_f32), MODES2(max_nan_f64)},
        [INSN_MIN] = {MODES2(min_nan_f32), MODES2(min_nan_f32), MODES2(min_nan_f32), MODES2(min_nan_f64)},
    },
    .checked = {[INSN_ADD] = MODES2(checked_add), [INSN_SUB] = MODES2(checked_sub),
                [INSN_MUL] = MODES2(checked_mul), [INSN_SHL] = MODES2(checked_shl)},
    .muladd = {[0] = muladd_vvv, [ONE_A] = muladd_svv, [ONE_B] = muladd_vsv, [ONE_C] = muladd_vvs,
               [ONE_A | ONE_C] = muladd_svs, [ONE_B | ONE_C] = muladd_vss},
    .cast = &ISA_NAME(cast_loops),
    .fold = &ISA_NAME(fold_loops),
    .memory = &ISA_NAME(memory_loops),
};
