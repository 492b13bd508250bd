#include "tensor/dtype.h"
#include "base/isa.h"
#include "tensor/dtype_simd.h"
#include <assert.h>
#include <float.h>
#include <math.h>

const DTypeInfo dtype_info[DT_COUNT] = {
#define DTYPE(id, triton, torch, bytes, kind) {triton, torch, bytes, DTYPE_KIND_##kind},
#include "tensor/dtype.def"
#undef DTYPE
};

typedef struct {
    const char *name;
    DType type;
} Alias;

static bool find_alias(const Alias *alias, size_t count, Str name, DType *out) {
    for (size_t i = 0; i < count; i++)
        if (str_is(name, alias[i].name)) return *out = alias[i].type, true;
    return false;
}

bool dtype_by_torch_name(Str name, DType *out) {
    static const Alias alias[] = {{"half", DT_F16},  {"float", DT_F32}, {"double", DT_F64},
                                  {"short", DT_I16}, {"int", DT_I32},   {"long", DT_I64}};
    for (int t = 0; t < DT_COUNT; t++)
        if (str_is(name, dtype_info[t].torch)) return *out = (DType)t, true;
    return find_alias(alias, sizeof alias / sizeof *alias, name, out);
}

bool dtype_by_triton_name(Str name, DType *out) {
    static const Alias alias[] = {{"float16", DT_F16},
                                  {"bfloat16", DT_BF16},
                                  {"float32", DT_F32},
                                  {"float64", DT_F64},
                                  {"float8e4nv", DT_F8E4NV},
                                  {"float8e5", DT_F8E5},
                                  {"float8e4b8", DT_F8E4B8},
                                  {"float8e5b16", DT_F8E5B16},
                                  {"float8e4b15", DT_F8E4B15},
                                  {"bool", DT_BOOL},
                                  // The short forms of types in Triton's own printing.
                                  {"i1", DT_BOOL},
                                  {"i8", DT_I8},
                                  {"i16", DT_I16},
                                  {"i32", DT_I32},
                                  {"i64", DT_I64},
                                  {"u8", DT_U8},
                                  {"u16", DT_U16},
                                  {"u32", DT_U32},
                                  {"u64", DT_U64}};
    for (int t = 0; t < DT_COUNT; t++)
        if (str_is(name, dtype_info[t].triton)) return *out = (DType)t, true;
    return find_alias(alias, sizeof alias / sizeof *alias, name, out);
}

// --- Integers ------------------------------------------------------------------------------------

static double int_min(DType t) {
    return dtype_info[t].kind == DTYPE_KIND_I ? -ldexp(1, dtype_bits(t) - 1) : 0;
}

// Toward zero, saturating; NaN gives 0. Exact for every double.
static int64_t to_signed(DType t, double x) {
    double above = ldexp(1, dtype_bits(t) - 1); // one more than the largest
    if (x != x) return 0;
    if (x >= above) return t == DT_I64 ? INT64_MAX : (int64_t)above - 1;
    return x <= -above ? (int64_t)-above : (int64_t)x;
}
static uint64_t to_unsigned(DType t, double x) {
    double above = ldexp(1, dtype_bits(t));
    if (!(x > 0)) return 0;
    if (x >= above) return t == DT_U64 ? UINT64_MAX : (uint64_t)above - 1;
    return (uint64_t)x;
}

// --- 8-bit floats --------------------------------------------------------------------------------

typedef struct {
    int mantissa, bias;
    uint8_t top; // code of the largest finite value
    int nan;     // a code, or -1: none
    bool fnuz;   // no -0: its code is the NaN
} F8Shape;
static F8Shape f8_shape(DType t) {
    switch (t) {
    case DT_F8E4NV: return (F8Shape){3, 7, 0x7e, 0x7f, false};
    case DT_F8E5: return (F8Shape){2, 15, 0x7b, 0x7f, false};
    case DT_F8E4B8: return (F8Shape){3, 8, 0x7f, 0x80, true};
    case DT_F8E5B16: return (F8Shape){2, 16, 0x7f, 0x80, true};
    default: assert(t == DT_F8E4B15); return (F8Shape){3, 15, 0x7e, -1, false};
    }
}

double f8_value(DType t, uint8_t code) {
    F8Shape s = f8_shape(t);
    int m = code & 0x7f, fraction = m & ((1 << s.mantissa) - 1), exponent = m >> s.mantissa;
    if (s.fnuz ? code == 0x80 : s.nan > 0 && m > (t == DT_F8E5 ? 0x7c : s.top)) return (double)NAN;
    if (t == DT_F8E5 && m == 0x7c) return code & 0x80 ? -(double)INFINITY : (double)INFINITY;
    double v = exponent ? ldexp((double)(fraction + (1 << s.mantissa)), exponent - s.bias - s.mantissa)
                        : ldexp((double)fraction, 1 - s.bias - s.mantissa);
    return code & 0x80 ? -v : v;
}

static uint8_t e4b15_code(double x) {
    uint64_t sign = bits64(x) >> 63;
    double m = fabs(x) < 1.75 ? fabs(x) : 1.75; // a NaN, too
    uint16_t h = f16_from_f64(m);
    if ((double)f32_from_f16(h) > m) h--;
    return (uint8_t)((unsigned)(h + 0x40) >> 7 | sign << 7);
}

uint8_t f8_code(DType t, double x) {
    F8Shape s = f8_shape(t);
    if (t == DT_F8E4B15) return e4b15_code(x);
    if (x != x) return (uint8_t)s.nan;
    uint64_t sign = bits64(x) >> 63;
    double m = fabs(x), top = f8_value(t, s.top);
    int code = s.top;
    if (m == 0) {
        code = 0;
    } else if (m < top) {
        int e = 0;
        frexp(m, &e); // m in [2^(e-1), 2^e)
        int exponent = e - 1 > 1 - s.bias ? e - 1 : 1 - s.bias;
        // In units of the last place; an even tie is a step of one in the code, into the next binade
        // included.
        double units = rint(ldexp(m, s.mantissa - exponent));
        code = (int)units + ((exponent + s.bias - 1) << s.mantissa);
        if (code > s.top) code = s.top;
    }
    if (s.fnuz && code == 0) return 0;
    return (uint8_t)(code | (int)(sign << 7));
}

// --- Values of a type ----------------------------------------------------------------------------

double dtype_round(DType t, double x) {
    switch (t) {
    case DT_F64: return x;
    case DT_F32: return (double)(float)x;
    case DT_F16: return f64_from_f16(f16_from_f64(x));
    case DT_BF16: return (double)f32_from_bf16(bf16_from_f64(x));
    case DT_BOOL: return x != 0;
    case DT_F8E4NV:
    case DT_F8E5:
    case DT_F8E4B8:
    case DT_F8E5B16:
    case DT_F8E4B15: return f8_value(t, f8_code(t, x));
    default: return dtype_info[t].kind == DTYPE_KIND_I ? (double)to_signed(t, x) : (double)to_unsigned(t, x);
    }
}

double dtype_max(DType t) {
    switch (t) {
    case DT_F64: return DBL_MAX;
    case DT_F32: return FLT_MAX;
    case DT_F16: return 65504;
    case DT_BF16: return 0x1.fep127;
    case DT_BOOL: return 1;
    case DT_F8E4NV:
    case DT_F8E5:
    case DT_F8E4B8:
    case DT_F8E5B16:
    case DT_F8E4B15: return f8_value(t, f8_shape(t).top);
    default: return dtype_info[t].kind == DTYPE_KIND_I ? -int_min(t) - 1 : ldexp(1, dtype_bits(t)) - 1;
    }
}

typedef struct {
    int digits;   // significant bits
    int smallest; // exponent of the smallest subnormal
} FloatShape;

static FloatShape float_shape(DType t) {
    switch (t) {
    case DT_F16: return (FloatShape){11, -24};
    case DT_BF16: return (FloatShape){8, -133};
    case DT_F32: return (FloatShape){24, -149};
    case DT_F8E4NV:
    case DT_F8E5:
    case DT_F8E4B8:
    case DT_F8E5B16:
    case DT_F8E4B15: {
        F8Shape s = f8_shape(t);
        return (FloatShape){s.mantissa + 1, 1 - s.bias - s.mantissa};
    }
    default: assert(t == DT_F64); return (FloatShape){53, -1074};
    }
}

double dtype_half_ulp(DType t, double magnitude) {
    FloatShape s = float_shape(t);
    double m = fabs(magnitude);
    if (m != m || m > DBL_MAX) return m;
    m = m > dtype_max(t) ? dtype_max(t) : m;
    int exponent = s.smallest;
    if (m > 0) frexp(m, &exponent); // m in [2^(exponent-1), 2^exponent)
    int spacing = exponent - s.digits;
    // Half of float64's smallest subnormal is no double: rounded up to it.
    double half = ldexp(1, (spacing > s.smallest ? spacing : s.smallest) - 1);
    return half > 0 ? half : 0x1p-1074;
}

// One step along the number line, on patterns: they are ordered like magnitudes.
static uint64_t step(uint64_t pattern, uint64_t sign_bit, int direction) {
    bool negative = pattern & sign_bit;
    uint64_t magnitude = pattern & (sign_bit - 1);
    if (magnitude == 0) return direction > 0 ? 1 : sign_bit | 1;
    magnitude = negative == (direction > 0) ? magnitude - 1 : magnitude + 1;
    return magnitude | (negative ? sign_bit : 0);
}

double dtype_next(DType t, double x, int direction) {
    if (x != x || (isinf(x) && (x > 0) == (direction > 0))) return x;
    switch (t) {
    case DT_F64: return double_of(step(bits64(x), (uint64_t)1 << 63, direction));
    case DT_F32: return (double)float_of((uint32_t)step(bits32((float)x), (uint64_t)1 << 31, direction));
    case DT_F16: return (double)f32_from_f16((uint16_t)step(f16_from_f64(x), 0x8000, direction));
    case DT_BF16: return (double)f32_from_bf16((uint16_t)step(bf16_from_f64(x), 0x8000, direction));
    case DT_F8E4NV:
    case DT_F8E5:
    case DT_F8E4B8:
    case DT_F8E5B16:
    case DT_F8E4B15: {
        uint8_t code = (uint8_t)step(f8_code(t, x), 0x80, direction);
        return f8_value(t,
                        f8_shape(t).fnuz && code == 0x80 ? 0 : code); // upwards from the largest negative one
    }
    default: return dtype_round(t, x + (direction > 0 ? 1 : -1));
    }
}

// --- Memory --------------------------------------------------------------------------------------

// Elements may lie at any byte: memcpy, never a cast of the pointer.
#define LOAD_AS(T) \
    T s;           \
    memcpy(&s, p, sizeof s)

double dtype_load(DType t, const void *p) {
    switch (t) {
    case DT_BOOL: return *(const uint8_t *)p != 0;
    case DT_I8: return *(const int8_t *)p;
    case DT_U8: return *(const uint8_t *)p;
    case DT_I16: {
        LOAD_AS(int16_t);
        return s;
    }
    case DT_U16: {
        LOAD_AS(uint16_t);
        return s;
    }
    case DT_I32: {
        LOAD_AS(int32_t);
        return s;
    }
    case DT_U32: {
        LOAD_AS(uint32_t);
        return s;
    }
    case DT_I64: {
        LOAD_AS(int64_t);
        return (double)s;
    }
    case DT_U64: {
        LOAD_AS(uint64_t);
        return (double)s;
    }
    case DT_F16: {
        LOAD_AS(uint16_t);
        return f64_from_f16(s);
    }
    case DT_BF16: {
        LOAD_AS(uint16_t);
        return (double)f32_from_bf16(s);
    }
    case DT_F32: {
        LOAD_AS(float);
        return (double)s;
    }
    case DT_F64: {
        LOAD_AS(double);
        return s;
    }
    case DT_F8E4NV:
    case DT_F8E5:
    case DT_F8E4B8:
    case DT_F8E5B16:
    case DT_F8E4B15: return f8_value(t, *(const uint8_t *)p);
    case DT_COUNT: break;
    }
    assert(t < DT_COUNT);
    return 0;
}

void dtype_store(DType t, void *p, double x) {
    if (t == DT_F32) {
        float f = (float)x;
        memcpy(p, &f, sizeof f);
    } else if (t == DT_F64) {
        memcpy(p, &x, sizeof x);
    } else if (dtype_is_f8(t)) {
        *(uint8_t *)p = f8_code(t, x);
    } else {
        uint64_t bits = t == DT_F16                          ? f16_from_f64(x)
                        : t == DT_BF16                       ? bf16_from_f64(x)
                        : t == DT_BOOL                       ? x != 0
                        : dtype_info[t].kind == DTYPE_KIND_I ? (uint64_t)to_signed(t, x)
                                                             : to_unsigned(t, x);
        memcpy(p, &bits, (size_t)dtype_bytes(t)); // little endian: the low bytes come first
    }
}

static const DTypeSimd *simd(void) {
#ifdef PORTABLE
    return &dtype_simd_base;
#else
    static const DTypeSimd *const table[ISA_COUNT] = {&dtype_simd_base, &dtype_simd_avx2, &dtype_simd_avx512};
    return table[isa_level()];
#endif
}

static bool aligned(DType t, const void *p) { return (uintptr_t)p % (uintptr_t)dtype_bytes(t) == 0; }

void dtype_load_row(DType t, const void *p, int64_t stride, double *out, size_t n) {
    if (stride == 1 && aligned(t, p)) {
        simd()->load(t, p, out, n);
        return;
    }
    const char *at = p;
    for (size_t i = 0; i < n; i++) out[i] = dtype_load(t, at + (int64_t)i * stride * dtype_bytes(t));
}

void dtype_store_row(DType t, void *p, int64_t stride, const double *in, size_t n) {
    if (stride == 1 && aligned(t, p)) {
        simd()->store(t, p, in, n);
        return;
    }
    char *at = p;
    for (size_t i = 0; i < n; i++) dtype_store(t, at + (int64_t)i * stride * dtype_bytes(t), in[i]);
}

// --- Promotion -----------------------------------------------------------------------------------

bool dtype_promote(DType a, DType b, DType *out) {
    *out = a;
    if (a != b && (dtype_is_f8(a) || dtype_is_f8(b))) return false; // nor has torch
    if (a == b || b == DT_BOOL) return true;
    *out = b;
    if (a == DT_BOOL) return true;
    if (dtype_is_float(a) != dtype_is_float(b)) {
        *out = dtype_is_float(a) ? a : b;
        return true;
    }
    int wide = dtype_bytes(a) > dtype_bytes(b) ? dtype_bytes(a) : dtype_bytes(b);
    if (dtype_is_float(a)) { // fp16 and bf16 meet in float32
        *out = dtype_bytes(a) == dtype_bytes(b) ? DT_F32 : dtype_bytes(a) == wide ? a : b;
        return true;
    }
    // torch has no promotion for the wider unsigned types.
    bool wide_unsigned = (dtype_info[a].kind == DTYPE_KIND_U && a != DT_U8) ||
                         (dtype_info[b].kind == DTYPE_KIND_U && b != DT_U8);
    if (wide_unsigned) return false;
    *out = dtype_bytes(a) == dtype_bytes(b) ? DT_I16
           : dtype_bytes(a) == wide         ? a
                                            : b; // int8 with uint8: int16
    return true;
}
