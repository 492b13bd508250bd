// Element types: every 16-bit pattern, every halfway case, rows against single elements on every instruction
// set.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "base/isa.h"
#include "base/numeric/rng.h"
#include "tensor/dtype.h"
#include "tensor/dtype_simd.h"
#include <float.h>
#include <math.h>

// What a pattern means, from the definition of the format: sign, exponent field of `bits`, fraction of
// `digits`.
static double meaning(uint32_t pattern, int exponent_bits, int fraction_bits) {
    uint32_t fraction = pattern & ((1u << fraction_bits) - 1);
    int exponent = (int)(pattern >> fraction_bits & ((1u << exponent_bits) - 1)),
        bias = (1 << (exponent_bits - 1)) - 1;
    double sign = pattern >> (exponent_bits + fraction_bits) & 1 ? -1 : 1;
    if (exponent == (1 << exponent_bits) - 1) return fraction ? (double)NAN : sign * (double)INFINITY;
    if (exponent == 0) return sign * ldexp(fraction, 1 - bias - fraction_bits);
    return sign * ldexp((double)fraction + ldexp(1, fraction_bits), exponent - bias - fraction_bits);
}

typedef struct {
    DType type;
    int exponent_bits, fraction_bits;
    float (*to_f32)(uint16_t);
    uint16_t (*from_f32)(float);
    uint16_t (*from_f64)(double);
    uint32_t infinity;
} Format;
static const Format formats[] = {
    {DT_F16, 5, 10, f32_from_f16, f16_from_f32, f16_from_f64, 0x7c00},
    {DT_BF16, 8, 7, f32_from_bf16, bf16_from_f32, bf16_from_f64, 0x7f80},
};

static void every_pattern_survives(void **state) {
    (void)state;
    for (size_t k = 0; k < 2; k++) {
        const Format *f = &formats[k];
        for (uint32_t h = 0; h < 65536; h++) {
            double want = meaning(h, f->exponent_bits, f->fraction_bits),
                   got = (double)f->to_f32((uint16_t)h);
            if (f->type == DT_F16) assert_true(bits64(f64_from_f16((uint16_t)h)) == bits64(got));
            if (want != want) {
                assert_true(got != got);
                assert_true(f->to_f32(f->from_f32((float)got)) != f->to_f32(f->from_f32((float)got)));
                assert_true(dtype_round(f->type, got) != dtype_round(f->type, got));
                continue;
            }
            assert_true(got == want && signbit(got) == signbit(want));
            assert_int_equal(f->from_f32((float)want), h);
            assert_int_equal(f->from_f64(want), h);
        }
    }
}

// Between two neighbours: the middle goes to the even one, anything beside it to the nearer one. The float64
// cases lie closer to the middle than float32 can say: a detour over float32 would round twice.
static void every_halfway_case(void **state) {
    (void)state;
    for (size_t k = 0; k < 2; k++) {
        const Format *f = &formats[k];
        for (uint32_t h = 0; h < f->infinity; h++) {
            double low = meaning(h, f->exponent_bits, f->fraction_bits);
            double high = meaning(h + 1, f->exponent_bits, f->fraction_bits);
            if (h + 1 == f->infinity) high = low + 2 * dtype_half_ulp(f->type, low); // where infinity begins
            double middle = low + (high - low) / 2;
            uint32_t even = h & 1 ? h + 1 : h;
            for (uint32_t sign = 0; sign <= 0x8000; sign += 0x8000) {
                double s = sign ? -1 : 1;
                assert_int_equal(f->from_f64(s * middle), even | sign);
                assert_int_equal(f->from_f32((float)(s * middle)), even | sign); // middles are float32 values
                assert_int_equal(f->from_f64(s * nextafter(middle, 0)), h | sign);
                assert_int_equal(f->from_f64(s * nextafter(middle, INFINITY)), (h + 1) | sign);
                assert_int_equal(f->from_f32((float)s * nextafterf((float)middle, 0)), h | sign);
                assert_int_equal(f->from_f32((float)s * nextafterf((float)middle, INFINITY)), (h + 1) | sign);
            }
            if (h > 0) assert_true(middle - low == dtype_half_ulp(f->type, low));
            assert_true(dtype_next(f->type, low, 1) == meaning(h + 1, f->exponent_bits, f->fraction_bits));
            assert_true(dtype_next(f->type, meaning(h + 1, f->exponent_bits, f->fraction_bits), -1) == low);
            assert_true(dtype_next(f->type, -low, -1) == -meaning(h + 1, f->exponent_bits, f->fraction_bits));
        }
    }
}

static void the_ends(void **state) {
    (void)state;
    assert_int_equal(f16_from_f64(65519.999), 0x7bff);
    assert_int_equal(f16_from_f64(65520), 0x7c00);
    assert_int_equal(f16_from_f64(-1e300), 0xfc00);
    assert_int_equal(f16_from_f64(0x1p-25), 0);
    assert_int_equal(f16_from_f64(0x1.0000000000001p-25), 1);
    assert_int_equal(f16_from_f64(-0.0), 0x8000);
    assert_int_equal(bf16_from_f64(0x1p-134), 0);
    assert_int_equal(bf16_from_f64(-0x1.0000000000001p-134), 0x8001);
    assert_int_equal(bf16_from_f64(5e-324), 0);
    assert_int_equal(bf16_from_f32(FLT_MAX), 0x7f80);
    assert_true(f16_from_f64((double)NAN) > 0x7c00 && bf16_from_f64((double)NAN) > 0x7f80);
    assert_true(dtype_half_ulp(DT_F16, 0) == 0x1p-25 && dtype_half_ulp(DT_F16, 1) == 0x1p-11);
    assert_true(dtype_half_ulp(DT_BF16, 1.5) == 0x1p-8 && dtype_half_ulp(DT_F32, -4) == 0x1p-22);
    assert_true(dtype_half_ulp(DT_F16, 1e30) == 16 && dtype_half_ulp(DT_F32, 1e-45) == 0x1p-150);
    assert_true(dtype_max(DT_F16) == 65504 && dtype_max(DT_I8) == 127 && dtype_max(DT_U16) == 65535);
    assert_true(dtype_next(DT_F32, 0, 1) == 0x1p-149 && dtype_next(DT_F64, 1, 1) == 1 + DBL_EPSILON);
    assert_true(dtype_next(DT_F16, (double)INFINITY, -1) == 65504);
    assert_true(dtype_next(DT_F16, (double)INFINITY, 1) == (double)INFINITY);
    assert_true(dtype_next(DT_F16, 65504, 1) == (double)INFINITY);
    assert_true(dtype_next(DT_I8, 127, 1) == 127 && dtype_next(DT_I8, 5, -1) == 4);
    assert_true(dtype_round(DT_F32, 0.1) == (double)0.1f && dtype_round(DT_F64, 0.1) == 0.1);
    assert_true(dtype_round(DT_F16, 1 + 0x1p-11) == 1 && dtype_round(DT_F16, 1 + 0x1.8p-11) == 1 + 0x1p-10);
}

static void integers_truncate_and_saturate(void **state) {
    (void)state;
    static const struct {
        DType t;
        double in, out;
    } row[] = {
        {DT_I8, -3.9, -3},
        {DT_I8, 200, 127},
        {DT_I8, -1e300, -128},
        {DT_I8, (double)NAN, 0},
        {DT_U8, -1, 0},
        {DT_U8, 255.9, 255},
        {DT_I16, 40000, 32767},
        {DT_I32, -3e9, -2147483648.0},
        {DT_U32, 5e9, 4294967295.0},
        {DT_I64, 0x1p62, 0x1p62},
        {DT_I64, 1e30, 0x1p63},
        {DT_I64, -1e30, -0x1p63},
        {DT_U64, 0x1p63, 0x1p63},
        {DT_BOOL, -0.5, 1},
        {DT_BOOL, 0, 0},
    };
    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        char raw[8] = {0};
        dtype_store(row[i].t, raw, row[i].in);
        assert_true(dtype_load(row[i].t, raw) == row[i].out);
        if (row[i].t != DT_I64) assert_true(dtype_round(row[i].t, row[i].in) == row[i].out);
    }
    int64_t top;
    dtype_store(DT_I64, &top, 1e30);
    assert_true(top == INT64_MAX);
}

static void rows_agree_with_elements(void **state) {
    (void)state;
    enum { N = 259 };
    static const DTypeSimd *const table[ISA_COUNT] = {
        &dtype_simd_base,
#ifndef PORTABLE
        &dtype_simd_avx2,
        &dtype_simd_avx512,
#endif
    };
    Rng r = rng_at(5, 1);
    for (int t = 0; t < DT_COUNT; t++) {
        size_t size = (size_t)dtype_bytes((DType)t);
        _Alignas(8) unsigned char raw[N * 3 * 8 + 8], back[N * 8 + 8], single[N * 8];
        for (size_t i = 0; i < sizeof raw; i++) raw[i] = (unsigned char)rng_u32(&r);
        double out[N], wild[N];
        for (int i = 0; i < N; i++) // magnitudes from far below to far above every type
            wild[i] = (rng_unit(&r) - 0.5) * ldexp(1, (int)rng_between(&r, -160, 140));
        wild[0] = (double)NAN, wild[1] = (double)INFINITY, wild[2] = -0.0;
        for (int i = 0; i < N; i++) dtype_store((DType)t, single + (size_t)i * size, wild[i]);
        // Contiguous, strided, and at an address that is not aligned to the element.
        for (int shift = 0; shift < 2; shift++) {
            for (int stride = 1; stride <= 3; stride++) {
                dtype_load_row((DType)t, raw + shift, stride, out, N);
                for (size_t i = 0; i < N; i++) {
                    double want = dtype_load((DType)t, raw + shift + i * (size_t)stride * size);
                    assert_true(out[i] == want || (out[i] != out[i] && want != want));
                }
            }
            dtype_store_row((DType)t, back + shift, 1, wild, N);
            assert_memory_equal(back + shift, single, N * size);
        }
        for (int level = 0; level <= (int)isa_level(); level++) {
            table[level]->load((DType)t, raw, out, N);
            for (size_t i = 0; i < N; i++) {
                double want = dtype_load((DType)t, raw + i * size);
                assert_true(out[i] == want || (out[i] != out[i] && want != want));
            }
            table[level]->store((DType)t, back, wild, N);
            assert_memory_equal(back, single, N * size);
        }
    }
}

static void names(void **state) {
    (void)state;
    DType t;
    assert_true(dtype_by_torch_name(STR("bfloat16"), &t) && t == DT_BF16);
    assert_true(dtype_by_torch_name(STR("half"), &t) && t == DT_F16);
    assert_true(dtype_by_torch_name(STR("long"), &t) && t == DT_I64);
    assert_false(dtype_by_torch_name(STR("fp16"), &t));
    assert_true(dtype_by_triton_name(STR("int1"), &t) && t == DT_BOOL);
    assert_true(dtype_by_triton_name(STR("float32"), &t) && t == DT_F32);
    assert_true(dtype_by_triton_name(STR("fp64"), &t) && t == DT_F64);
    assert_true(dtype_by_triton_name(STR("float8e5"), &t) && t == DT_F8E5);
    assert_true(dtype_by_torch_name(STR("float8_e4m3fn"), &t) && t == DT_F8E4NV);
    assert_false(dtype_by_triton_name(STR("float8"), &t));
    assert_false(dtype_by_torch_name(STR(""), &t));
}

// ---- 8-bit floats ----

static const DType f8_types[] = {DT_F8E4NV, DT_F8E5, DT_F8E4B8, DT_F8E5B16, DT_F8E4B15};
enum { F8_TYPES = sizeof f8_types / sizeof *f8_types };

// The published value of a code: (-1)^s 2^(e - bias) 1.f, or 2^(1 - bias) 0.f. NAN where there is none.
static double f8_by_hand(DType t, int code) {
    bool e5 = t == DT_F8E5 || t == DT_F8E5B16, fnuz = t == DT_F8E4B8 || t == DT_F8E5B16;
    int digits = e5 ? 2 : 3, bias = t == DT_F8E4NV ? 7 : t == DT_F8E4B8 ? 8 : t == DT_F8E5B16 ? 16 : 15;
    int s = code >> 7, e = (code & 127) >> digits, f = code & ((1 << digits) - 1);
    if (fnuz && code == 0x80) return (double)NAN;
    if (t == DT_F8E4NV && (code & 127) == 127) return (double)NAN;
    if (t == DT_F8E5 && e == 31) return f ? (double)NAN : s ? -(double)INFINITY : (double)INFINITY;
    double part = (double)f / (1 << digits), v = e ? ldexp(1 + part, e - bias) : ldexp(part, 1 - bias);
    return s ? -v : v;
}

static void every_code_of_f8(void **state) {
    (void)state;
    static const double largest[F8_TYPES] = {448, 57344, 240, 57344, 1.75};
    for (int k = 0; k < F8_TYPES; k++) {
        DType t = f8_types[k];
        assert_true(dtype_max(t) == largest[k]);
        for (int code = 0; code < 256; code++) {
            uint8_t byte = (uint8_t)code, back = 0xee;
            double v = f8_value(t, byte), want = f8_by_hand(t, code);
            assert_true(want != want ? v != v : v == want && signbit(v) == signbit(want));
            assert_true(v != v || dtype_load(t, &byte) == v);
            dtype_store(t, &back, v);
            bool beyond = isinf(v) || (t == DT_F8E4B15 && (code & 127) == 127); // saturate
            double kept = beyond ? copysign(dtype_max(t), v) : v;
            assert_true(v != v ? dtype_load(t, &back) != dtype_load(t, &back) : dtype_load(t, &back) == kept);
            if (v == v && !beyond) assert_int_equal(back, code);
        }
    }
}

// Nearest by looking at all codes; a tie goes to the even one. fp8e4b15: see dtype.h.
static double f8_nearest_by_hand(DType t, double x) {
    if (x != x) return t == DT_F8E4B15 ? copysign(1.75, x) : x;
    double m = fabs(x) < dtype_max(t) ? fabs(x) : dtype_max(t), best = -1;
    if (t == DT_F8E4B15) {
        m = m < 1.75 ? m : 1.75;
        double h = dtype_round(DT_F16, m);
        m = h > m ? dtype_next(DT_F16, h, -1) : h;
    }
    for (int code = 0; code < 128; code++) {
        double v = f8_by_hand(t, code);
        if (!(v <= dtype_max(t))) continue;
        double off = fabs(v - m), least = fabs(best - m);
        bool tie = off == least && (t == DT_F8E4B15 || (code & 1) == 0);
        if (best < 0 || off < least || tie) best = v;
    }
    return copysign(best, x);
}

static void f8_rounds_and_saturates(void **state) {
    (void)state;
    Rng r = rng_at(21, 1);
    for (int k = 0; k < F8_TYPES; k++) {
        DType t = f8_types[k];
        for (int i = 0; i < 6000; i++) {
            double x = rng_normal(&r) * ldexp(1, (int)rng_between(&r, -22, 18));
            if (i < 254) { // halfway between two codes, and a little beside
                double a = f8_by_hand(t, i / 2), b = f8_by_hand(t, i / 2 + 1);
                x = (a + b) / 2 * (i & 1 ? 1 : 1 + 0x1p-40);
                if (!(fabs(x) <= 1e6)) continue;
            }
            double got = dtype_round(t, x), want = f8_nearest_by_hand(t, x);
            if (got != want) fail_msg("%s of %a: %a, not %a", dtype_info[t].triton, x, got, want);
            double mean = dtype_round(DT_F16, x); // what most kernels hold
            assert_true(dtype_round(t, mean) == f8_nearest_by_hand(t, mean));
            // A value between its neighbours.
            if (fabs(got) < dtype_max(t))
                assert_true(dtype_next(t, got, 1) > got && dtype_next(t, got, -1) < got);
            if (t != DT_F8E4B15 && fabs(x) <= dtype_max(t))
                assert_true(fabs(got - x) <= dtype_half_ulp(t, x));
        }
        assert_true(dtype_round(t, (double)INFINITY) == dtype_max(t));
        assert_true(dtype_round(t, -1e30) == -dtype_max(t));
        double nan = dtype_round(t, (double)NAN);
        assert_true(t == DT_F8E4B15 ? fabs(nan) == 1.75 : nan != nan);
    }
}

static void promotion_of_pairs(void **state) {
    (void)state;
    static const struct {
        DType a, b, want;
    } row[] = {
        {DT_F16, DT_BF16, DT_F32}, {DT_F16, DT_F32, DT_F32},  {DT_I64, DT_F16, DT_F16},
        {DT_BOOL, DT_I8, DT_I8},   {DT_U8, DT_I8, DT_I16},    {DT_U8, DT_I32, DT_I32},
        {DT_I8, DT_I64, DT_I64},   {DT_F64, DT_BF16, DT_F64}, {DT_BOOL, DT_BOOL, DT_BOOL},
        {DT_U16, DT_BOOL, DT_U16},
    };
    DType t;
    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        assert_true(dtype_promote(row[i].a, row[i].b, &t) && t == row[i].want);
        assert_true(dtype_promote(row[i].b, row[i].a, &t) && t == row[i].want);
    }
    assert_false(dtype_promote(DT_U32, DT_I32, &t));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_pattern_survives),
        cmocka_unit_test(every_halfway_case),
        cmocka_unit_test(the_ends),
        cmocka_unit_test(integers_truncate_and_saturate),
        cmocka_unit_test(rows_agree_with_elements),
        cmocka_unit_test(names),
        cmocka_unit_test(every_code_of_f8),
        cmocka_unit_test(f8_rounds_and_saturates),
        cmocka_unit_test(promotion_of_pairs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
