// dtype.h - element types: names, sizes, and rounding between them. All roundings are to nearest, ties to
// even, with gradual underflow; overflow gives infinity, NaN stays NaN. Same bits on every machine. The
// 16-bit conversions are inline and free of branches, so that a loop over them vectorises.
#pragma once
#include "base/bits.h"
#include "base/str.h"
#include <stdint.h>

typedef enum {
#define DTYPE(id, triton, torch, bytes, kind) DT_##id,
#include "tensor/dtype.def"
#undef DTYPE
    DT_COUNT
} DType;
typedef enum { DTYPE_KIND_B, DTYPE_KIND_I, DTYPE_KIND_U, DTYPE_KIND_F } DTypeKind;

typedef struct {
    const char *triton, *torch;
    int bytes;
    DTypeKind kind;
} DTypeInfo;
extern const DTypeInfo dtype_info[DT_COUNT];
static inline int dtype_bytes(DType t) { return dtype_info[t].bytes; }
static inline bool dtype_is_float(DType t) { return dtype_info[t].kind == DTYPE_KIND_F; }
static inline bool dtype_is_int(DType t) {
    return dtype_info[t].kind == DTYPE_KIND_I || dtype_info[t].kind == DTYPE_KIND_U;
}
static inline bool dtype_is_f8(DType t) { return t >= DT_F8E4NV && t <= DT_F8E4B15; }
static inline int dtype_bits(DType t) { return t == DT_BOOL ? 1 : 8 * dtype_info[t].bytes; }
bool dtype_by_torch_name(Str name, DType *out);  // "float16", "half", "bfloat16", "float", "long", "int" ...
bool dtype_by_triton_name(Str name, DType *out); // "float16", "int1", "fp32" ... : the names of tl.*

// Bit patterns of the 16-bit floats. Adding a number whose unit in the last place is the spacing of the
// target's subnormals (0.5f has 2^-24) makes the processor round a subnormal result; normal ones are rounded
// by an integer addition whose carry runs into the exponent, up to the pattern of infinity.
static inline uint16_t f16_from_f32(float x) {
    uint32_t b = bits32(x), a = b & 0x7fffffffu;
    uint32_t normal = (a - (112u << 23) + 0xfffu + (a >> 13 & 1u)) >> 13;
    uint32_t small = bits32(float_of(a < 0x38800000u ? a : 0) + 0.5f) - 0x3f000000u;
    uint32_t r = a < 0x38800000u ? small : normal;
    r = a >= 0x47800000u ? 0x7c00u : r;
    r = a > 0x7f800000u ? 0x7e00u : r;
    return (uint16_t)(r | (b >> 16 & 0x8000u));
}
static inline float f32_from_f16(uint16_t h) {
    uint32_t a = h & 0x7fffu, sign = (uint32_t)(h & 0x8000u) << 16;
    uint32_t small = bits32((float)(int32_t)a * 0x1p-24f);
    uint32_t r = a < 0x0400u ? small : (a << 13) + (112u << 23);
    r = a >= 0x7c00u ? a << 13 | 0x7f800000u : r;
    return float_of(r | sign);
}
static inline double f64_from_f16(uint16_t h) { // in one step, what the detour over float gives
    uint64_t a = h & 0x7fffu, sign = (uint64_t)(h & 0x8000u) << 48;
    // Under the exponent of 2^52 a subnormal's bits are a whole number.
    uint64_t small = bits64((double_of(a | (uint64_t)1075 << 52) - 0x1p52) * 0x1p-24);
    uint64_t r = a < 0x0400u ? small : (a << 42) + ((uint64_t)1008 << 52);
    r = a >= 0x7c00u ? a << 42 | (uint64_t)2047 << 52 : r;
    r = a > 0x7c00u ? r | (uint64_t)1 << 51 : r;
    return double_of(r | sign);
}
static inline uint16_t bf16_from_f32(float x) {
    uint32_t b = bits32(x), r = (b + 0x7fffu + (b >> 16 & 1u)) >> 16;
    return (uint16_t)((b & 0x7fffffffu) > 0x7f800000u ? b >> 16 | 0x40u : r);
}
static inline float f32_from_bf16(uint16_t h) { return float_of((uint32_t)h << 16); }
static inline uint16_t f16_from_f64(double x) { // one rounding, not two
    uint64_t b = bits64(x), a = b & 0x7fffffffffffffffu;
    uint64_t normal = (a - ((uint64_t)1008 << 52) + 0x1ffffffffffu + (a >> 42 & 1u)) >> 42;
    uint64_t tiny = a < (uint64_t)1009 << 52; // below 2^-14
    uint64_t small = bits64(double_of(tiny ? a : 0) + 0x1p28) - ((uint64_t)1051 << 52);
    uint64_t r = tiny ? small : normal;
    r = a >= (uint64_t)1039 << 52 ? 0x7c00u : r;
    r = a > (uint64_t)2047 << 52 ? 0x7e00u : r;
    return (uint16_t)(r | (b >> 48 & 0x8000u));
}
static inline uint16_t bf16_from_f64(double x) {
    uint64_t b = bits64(x), a = b & 0x7fffffffffffffffu;
    uint64_t normal = (a - ((uint64_t)896 << 52) + 0xfffffffffffu + (a >> 45 & 1u)) >> 45;
    uint64_t tiny = a < (uint64_t)897 << 52; // below 2^-126
    uint64_t small = bits64(double_of(tiny ? a : 0) + 0x1p-81) - ((uint64_t)942 << 52);
    uint64_t r = tiny ? small : normal;
    r = a >= (uint64_t)1151 << 52 ? 0x7f80u : r;
    r = a > (uint64_t)2047 << 52 ? 0x7fc0u : r;
    return (uint16_t)(r | (b >> 48 & 0x8000u));
}

// 8-bit floats: what each code means, and the code nearest to x. As on the hardware, everything beyond the
// largest finite value becomes that value (torch gives NaN or infinity there); a NaN stays one where the type
// has it. fp8e4b15 rounds as its conversion by way of float16 does: cut to float16 first, then ties away from
// zero.
double f8_value(DType t, uint8_t code);
uint8_t f8_code(DType t, double x);

// The value of float type t nearest to x, as a double (rnd_D of doc/error-bound.md section 1); exact identity
// for F64. For integer types what dtype_store would keep.
double dtype_round(DType t, double x);
double dtype_max(DType t); // largest finite value of a float or integer type
double
dtype_half_ulp(DType t,
               double magnitude); // half the spacing of float type t at |x|, gradual underflow included
double dtype_next(DType t, double x, int direction); // neighbour of a value of t: +1 up, -1 down
double dtype_load(DType t, const void *p);    // one element as a double (64-bit integers lose their low bits)
void dtype_store(DType t, void *p, double x); // rounds floats; integers are truncated toward zero, saturating
void dtype_load_row(DType t, const void *p, int64_t stride, double *out, size_t n); // stride in elements
void dtype_store_row(DType t, void *p, int64_t stride, const double *in, size_t n);
// The type that holds the result of an operation on tensors of types a and b in torch; false where torch
// refuses.
bool dtype_promote(DType a, DType b, DType *out);
