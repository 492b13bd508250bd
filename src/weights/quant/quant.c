#include "tensor/dtype.h"
#include "weights/format/mapped.h"
#include "weights/format/weight.h"
#include <assert.h>

const WeightTypeInfo WEIGHT_TYPE[W_COUNT] = {
#define WTYPE(name, id, elements, bytes) {#name, id, elements, bytes},
#include "weights/format/wtype.def"
#undef WTYPE
};

// Every product below has at most 24 significant bits, so no rounding happens before the last subtraction or
// addition: whether a compiler fuses them makes no difference.

static float half_at(const uint8_t *p) { return f32_from_f16(read_u16(p)); }

static void decode_F32(const uint8_t *b, float *y) { memcpy(y, b, sizeof *y); }
static void decode_F16(const uint8_t *b, float *y) { *y = half_at(b); }
static void decode_BF16(const uint8_t *b, float *y) { *y = f32_from_bf16(read_u16(b)); }

// f16 d; u8 qs[16]: the low nibbles are the first 16 elements, the high ones the others
static void decode_Q4_0(const uint8_t *b, float *y) {
    float d = half_at(b);
    const uint8_t *qs = b + 2;
    for (int j = 0; j < 16; j++) {
        y[j] = d * (float)((qs[j] & 15) - 8);
        y[j + 16] = d * (float)((qs[j] >> 4) - 8);
    }
}

// f16 d; u32 qh: the fifth bits; u8 qs[16]
static void decode_Q5_0(const uint8_t *b, float *y) {
    float d = half_at(b);
    uint32_t qh = read_u32(b + 2);
    const uint8_t *qs = b + 6;
    for (int j = 0; j < 16; j++) {
        int low = (int)((qs[j] & 15) | (qh >> j & 1) << 4),
            high = (int)((qs[j] >> 4) | (qh >> (j + 16) & 1) << 4);
        y[j] = d * (float)(low - 16);
        y[j + 16] = d * (float)(high - 16);
    }
}

// f16 d, m; u32 qh; u8 qs[16]
static void decode_Q5_1(const uint8_t *b, float *y) {
    float d = half_at(b), m = half_at(b + 2);
    uint32_t qh = read_u32(b + 4);
    const uint8_t *qs = b + 8;
    for (int j = 0; j < 16; j++) {
        int low = (int)((qs[j] & 15) | (qh >> j & 1) << 4),
            high = (int)((qs[j] >> 4) | (qh >> (j + 16) & 1) << 4);
        y[j] = d * (float)low + m;
        y[j + 16] = d * (float)high + m;
    }
}

// f16 d; i8 qs[32]
static void decode_Q8_0(const uint8_t *b, float *y) {
    float d = half_at(b);
    for (int j = 0; j < 32; j++) y[j] = d * (float)(int8_t)b[2 + j];
}

// Q4_K and Q5_K: eight sub-blocks of 32, each with a scale and a minimum of 6 bits, packed into 12 bytes.
static void scale_and_min(const uint8_t *s, int j, int *scale, int *min) {
    if (j < 4) {
        *scale = s[j] & 63;
        *min = s[j + 4] & 63;
    } else {
        *scale = (s[j + 4] & 15) | s[j - 4] >> 6 << 4;
        *min = s[j + 4] >> 4 | s[j] >> 6 << 4;
    }
}

// f16 d, dmin; u8 scales[12]; (Q5_K: u8 qh[32], bit j of byte l for sub-block j); u8 qs[128]
static void decode_k(const uint8_t *b, const uint8_t *qh, const uint8_t *qs, float *y) {
    float d = half_at(b), dmin = half_at(b + 2);
    for (int j = 0; j < 8; j++) {
        int scale, min;
        scale_and_min(b + 4, j, &scale, &min);
        float ds = d * (float)scale, m = dmin * (float)min;
        for (int l = 0; l < 32; l++) {
            uint8_t byte = qs[32 * (j / 2) + l];
            int q = j % 2 ? byte >> 4 : byte & 15;
            if (qh) q += (qh[l] >> j & 1) << 4;
            y[32 * j + l] = ds * (float)q - m;
        }
    }
}
static void decode_Q4_K(const uint8_t *b, float *y) { decode_k(b, NULL, b + 16, y); }
static void decode_Q5_K(const uint8_t *b, float *y) { decode_k(b, b + 16, b + 48, y); }

// u8 ql[128]; u8 qh[64]; i8 scales[16]; f16 d
static void decode_Q6_K(const uint8_t *b, float *y) {
    const uint8_t *ql = b, *qh = b + 128, *scales = b + 192;
    float d = half_at(b + 208);
    for (int i = 0; i < 256; i++) {
        int n = i / 128, k = i % 128 / 32, l = i % 32;
        uint8_t byte = ql[64 * n + l + 32 * (k & 1)];
        int q = (k < 2 ? byte & 15 : byte >> 4) | (qh[32 * n + l] >> 2 * k & 3) << 4;
        y[i] = d * (float)(int8_t)scales[8 * n + 2 * k + l / 16] * (float)(q - 32);
    }
}

void quant_decode(WeightType type, const void *blocks, int64_t n, float *out) {
    static void (*const decode[W_COUNT])(const uint8_t *, float *) = {
#define WTYPE(name, id, elements, bytes) decode_##name,
#include "weights/format/wtype.def"
#undef WTYPE
    };
    const WeightTypeInfo *t = &WEIGHT_TYPE[type];
    assert(n >= 0 && n % t->block == 0);
    if (type == W_F32) { // one call instead of a million
        if (n) memcpy(out, blocks, (size_t)n * sizeof *out);
        return;
    }
    const uint8_t *b = blocks;
    for (int64_t i = 0; i < n; i += t->block, b += t->block_bytes) decode[type](b, out + i);
}

void weight_row(const Weight *w, int64_t row, float *out) {
    assert(row >= 0 && row < w->rows);
    quant_decode(w->type, w->data + (size_t)row * weight_row_bytes(w), w->cols, out);
}
