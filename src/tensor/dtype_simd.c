// Loops over contiguous rows, one for each type. Nothing here decides anything: see dtype.h for the
// roundings.
#include "tensor/dtype_simd.h"
#include "base/build.h"
#include "base/isa.h"

#define LOAD_ROW(name, T, value)                                                      \
    static void load_##name(const void *restrict p, double *restrict out, size_t n) { \
        const T *restrict s = p;                                                      \
        for (size_t i = 0; i < n; i++) out[i] = (double)(value);                      \
    }
LOAD_ROW(BOOL, uint8_t, s[i] != 0)
LOAD_ROW(I8, int8_t, s[i])
LOAD_ROW(I16, int16_t, s[i])
LOAD_ROW(I32, int32_t, s[i])
LOAD_ROW(I64, int64_t, s[i])
LOAD_ROW(U8, uint8_t, s[i])
LOAD_ROW(U16, uint16_t, s[i])
LOAD_ROW(U32, uint32_t, s[i])
LOAD_ROW(U64, uint64_t, s[i])
LOAD_ROW(F16, uint16_t, f64_from_f16(s[i]))
LOAD_ROW(BF16, uint16_t, f32_from_bf16(s[i]))
LOAD_ROW(F32, float, s[i])
LOAD_ROW(F64, double, s[i])
LOAD_ROW(F8E4NV, uint8_t, f8_value(DT_F8E4NV, s[i]))
LOAD_ROW(F8E5, uint8_t, f8_value(DT_F8E5, s[i]))
LOAD_ROW(F8E4B8, uint8_t, f8_value(DT_F8E4B8, s[i]))
LOAD_ROW(F8E5B16, uint8_t, f8_value(DT_F8E5B16, s[i]))
LOAD_ROW(F8E4B15, uint8_t, f8_value(DT_F8E4B15, s[i]))

static void load(DType t, const void *p, double *out, size_t n) {
    static void (*const row[DT_COUNT])(const void *restrict, double *restrict, size_t) = {
#define DTYPE(id, triton, torch, bytes, kind) load_##id,
#include "tensor/dtype.def"
#undef DTYPE
    };
    LOOP_READS((const uint8_t *)p, n * (size_t)dtype_bytes(t)), LOOP_WRITES(out, n);
    row[t](p, out, n);
}

#define STORE_ROW(T, value)                            \
    do {                                               \
        T *restrict d = p;                             \
        for (size_t i = 0; i < n; i++) d[i] = (value); \
    } while (0)

static void store(DType t, void *restrict p, const double *restrict in, size_t n) {
    LOOP_READS(in, n), LOOP_WRITES((uint8_t *)p, n * (size_t)dtype_bytes(t));
    if (t == DT_F16)
        STORE_ROW(uint16_t, f16_from_f64(in[i]));
    else if (t == DT_BF16)
        STORE_ROW(uint16_t, bf16_from_f64(in[i]));
    else if (t == DT_F32)
        STORE_ROW(float, (float)in[i]);
    else if (t == DT_F64)
        STORE_ROW(double, in[i]);
    else // integers and 8-bit floats saturate, and are never hot
        for (size_t i = 0; i < n; i++) dtype_store(t, (char *)p + i * (size_t)dtype_bytes(t), in[i]);
}

const DTypeSimd ISA_NAME(dtype_simd) = {load, store};
