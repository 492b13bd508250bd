// Conversions between the types of lanes. Compiled once for each instruction set: see base/isa.h. Nothing
// here may depend on which one it is.
#include "tile/loops/lane_bits.h"
#include "tile/loops/loops.h"

// A double that rounds to every type of at most 32 bits as the exact value would: bits that do not fit are
// ORed into the last one that does.
static inline double odd_i64(int64_t x) {
    uint64_t m = x < 0 ? 0 - (uint64_t)x : (uint64_t)x;
    m = m >> 53 ? (m & ~(uint64_t)0x7ff) | (uint64_t)((m & 0x7ff) != 0) << 11 : m;
    double r = (double)m;
    return x < 0 ? -r : r;
}
static inline double odd_u64(uint64_t x) {
    return (double)(x >> 53 ? (x & ~(uint64_t)0x7ff) | (uint64_t)((x & 0x7ff) != 0) << 11 : x);
}

// Truncates; outside the range: the nearest end; NaN: 0. The guard keeps every conversion defined.
#define SATURATE(T, name, F, from, lo, hi, least, most) \
    UNARY(cast_##from##_##name, T, F,                   \
          a >= (hi)  ? (T)(most)                        \
          : a < (lo) ? (T)(least)                       \
                     : (T)(a >= (lo) && a < (hi) ? a : 0))
#define CASTS_FROM_FLOAT(F, from)                                            \
    UNARY(cast_##from##_b, uint8_t, F, a != 0)                               \
    SATURATE(int32_t, i8, F, from, -0x1p7f, 0x1p7f, INT8_MIN, INT8_MAX)      \
    SATURATE(int32_t, i16, F, from, -0x1p15f, 0x1p15f, INT16_MIN, INT16_MAX) \
    SATURATE(int32_t, i32, F, from, -0x1p31f, 0x1p31f, INT32_MIN, INT32_MAX) \
    SATURATE(int64_t, i64, F, from, -0x1p63f, 0x1p63f, INT64_MIN, INT64_MAX) \
    SATURATE(uint32_t, u8, F, from, 0, 0x1p8f, 0, UINT8_MAX)                 \
    SATURATE(uint32_t, u16, F, from, 0, 0x1p16f, 0, UINT16_MAX)              \
    SATURATE(uint32_t, u32, F, from, 0, 0x1p32f, 0, UINT32_MAX)              \
    SATURATE(uint64_t, u64, F, from, 0, 0x1p64f, 0, UINT64_MAX)              \
    UNARY(chop_##from##_f16, float, F, chop_f16(a))                          \
    UNARY(chop_##from##_bf16, float, F, chop_bf16(a))
CASTS_FROM_FLOAT(float, f32)
CASTS_FROM_FLOAT(double, f64)
UNARY(cast_f32_f64, double, float, a)
UNARY(cast_f64_f16, float, double, f16_of_double(a))
UNARY(cast_f64_bf16, float, double, bf16_of_double(a))
UNARY(cast_f64_f32, float, double, a)
UNARY(chop_f64_f32, float, double, chop_f32(a))
UNARY(cast_f32_f16, float, float, round_f16(a))
UNARY(cast_f32_bf16, float, float, round_bf16(a))
UNARY(cast_f32_f32, uint32_t, uint32_t, a)
UNARY(cast_f64_f64, uint64_t, uint64_t, a)

#define CASTS_FROM_INT(T, from, exact)                            \
    UNARY(cast_##from##_b, uint8_t, T, a != 0)                    \
    UNARY(cast_##from##_i8, int32_t, T, (int8_t)a)                \
    UNARY(cast_##from##_i16, int32_t, T, (int16_t)a)              \
    UNARY(cast_##from##_i32, int32_t, T, a)                       \
    UNARY(cast_##from##_i64, int64_t, T, a)                       \
    UNARY(cast_##from##_u8, uint32_t, T, (uint8_t)a)              \
    UNARY(cast_##from##_u16, uint32_t, T, (uint16_t)a)            \
    UNARY(cast_##from##_u32, uint32_t, T, a)                      \
    UNARY(cast_##from##_u64, uint64_t, T, a)                      \
    UNARY(cast_##from##_f16, float, T, f16_of_double(exact(a)))   \
    UNARY(cast_##from##_bf16, float, T, bf16_of_double(exact(a))) \
    UNARY(cast_##from##_f32, float, T, a)                         \
    UNARY(cast_##from##_f64, double, T, a)
CASTS_FROM_INT(uint8_t, b, (double))
CASTS_FROM_INT(int32_t, i32, (double))
CASTS_FROM_INT(uint32_t, u32, (double))
CASTS_FROM_INT(int64_t, i64, odd_i64)
CASTS_FROM_INT(uint64_t, u64, odd_u64)

#define F8_CASTS(name)                                        \
    UNARY(cast_f32_##name, float, float, name##_of_double(a)) \
    UNARY(cast_f64_##name, float, double, name##_of_double(a))
F8_CASTS(e4nv)
F8_CASTS(e5)
F8_CASTS(e4b8)
F8_CASTS(e5b16)
F8_CASTS(e4b15)
UNARY(chop_f32_e5, float, float, chop_e5(a))
UNARY(chop_f64_e5, float, double, chop_e5(a))

// ---- the table ----

// clang-format off
#define FLOATS(from)                                                                                      \
    [DT_F16] = cast_##from##_f16, [DT_BF16] = cast_##from##_bf16, [DT_F32] = cast_##from##_f32,           \
    [DT_F64] = cast_##from##_f64
#define F8S(from)                                                                                         \
    [DT_F8E4NV] = cast_##from##_e4nv, [DT_F8E5] = cast_##from##_e5, [DT_F8E4B8] = cast_##from##_e4b8,     \
    [DT_F8E5B16] = cast_##from##_e5b16, [DT_F8E4B15] = cast_##from##_e4b15
#define INTS(from)                                                                                        \
    [DT_BOOL] = cast_##from##_b, [DT_I8] = cast_##from##_i8, [DT_I16] = cast_##from##_i16,                \
    [DT_I32] = cast_##from##_i32, [DT_I64] = cast_##from##_i64, [DT_U8] = cast_##from##_u8,               \
    [DT_U16] = cast_##from##_u16, [DT_U32] = cast_##from##_u32, [DT_U64] = cast_##from##_u64

const CastLoops ISA_NAME(cast_loops) = {
    .cast = {[DT_BOOL] = {INTS(b), FLOATS(b)},
             [DT_I8] = {INTS(i32), FLOATS(i32)},
             [DT_I16] = {INTS(i32), FLOATS(i32)},
             [DT_I32] = {INTS(i32), FLOATS(i32)},
             [DT_I64] = {INTS(i64), FLOATS(i64)},
             [DT_U8] = {INTS(u32), FLOATS(u32)},
             [DT_U16] = {INTS(u32), FLOATS(u32)},
             [DT_U32] = {INTS(u32), FLOATS(u32)},
             [DT_U64] = {INTS(u64), FLOATS(u64)},
             [DT_F16] = {INTS(f32), FLOATS(f32), F8S(f32)},
             [DT_BF16] = {INTS(f32), FLOATS(f32), F8S(f32)},
             [DT_F32] = {INTS(f32), FLOATS(f32), F8S(f32)},
             [DT_F64] = {INTS(f64), FLOATS(f64), F8S(f64)},
             [DT_F8E4NV] = {FLOATS(f32), F8S(f32)}, // 8-bit ones convert to no integer
             [DT_F8E5] = {FLOATS(f32), F8S(f32)},
             [DT_F8E4B8] = {FLOATS(f32), F8S(f32)},
             [DT_F8E5B16] = {FLOATS(f32), F8S(f32)},
             [DT_F8E4B15] = {FLOATS(f32), F8S(f32)}},
    .chop = {[DT_F16] = {[DT_F16] = cast_f32_f32, [DT_BF16] = chop_f32_bf16, [DT_F32] = cast_f32_f32,
                         [DT_F64] = cast_f32_f64, [DT_F8E5] = chop_f32_e5},
             [DT_BF16] = {[DT_F16] = chop_f32_f16, [DT_BF16] = cast_f32_f32, [DT_F32] = cast_f32_f32,
                          [DT_F64] = cast_f32_f64, [DT_F8E5] = chop_f32_e5},
             [DT_F32] = {[DT_F16] = chop_f32_f16, [DT_BF16] = chop_f32_bf16, [DT_F32] = cast_f32_f32,
                         [DT_F64] = cast_f32_f64, [DT_F8E5] = chop_f32_e5},
             [DT_F64] = {[DT_F16] = chop_f64_f16, [DT_BF16] = chop_f64_bf16, [DT_F32] = chop_f64_f32,
                         [DT_F64] = cast_f64_f64, [DT_F8E5] = chop_f64_e5}},
};
