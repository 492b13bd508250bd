// quant_encode.c - from numbers to blocks. For the K types every sub-block's scale is searched: among
// candidates near "the largest number gets the largest code", the codes are fixed, the best scale (and
// minimum) for these codes follows by weighted least squares, and the pair of least error stays. Larger
// numbers weigh more, because inputs of a product meet them the same, and their errors are seen.
#include <assert.h>
#include <math.h>

#include "tensor/dtype.h"
#include "weights/format/weight.h"

enum { LANES = 8, SUB_MAX = 32 };

static void half_put(uint8_t *p, float x) {
    uint16_t h = f16_from_f32(x);
    memcpy(p, &h, sizeof h);
}
static float half_of(const uint8_t *p) {
    uint16_t h;
    memcpy(&h, p, sizeof h);
    return f32_from_f16(h);
}
// To the nearest of 0 .. most; NaN becomes 0.
static int code_of(float t, int most) {
    return (int)((t > 0 ? (t < (float)most ? t : (float)most) : 0) + 0.5f);
}

static void encode_F32(const float *x, uint8_t *b) { memcpy(b, x, sizeof *x); }
static void encode_F16(const float *x, uint8_t *b) { half_put(b, *x); }
static void encode_BF16(const float *x, uint8_t *b) {
    uint16_t h = bf16_from_f32(*x);
    memcpy(b, &h, sizeof h);
}

static void encode_Q8_0(const float *x, uint8_t *b) {
    float most = 0;
    for (int i = 0; i < 32; i++) most = fabsf(x[i]) > most ? fabsf(x[i]) : most;
    float d = most / 127.0f, inverse = d != 0 ? 1.0f / d : 0;
    half_put(b, d);
    for (int i = 0; i < 32; i++) { // ties away from zero
        float t = fabsf(x[i]) * inverse;
        int q = (int)(t < 127.0f ? t : 127.0f);
        q += t - (float)q >= 0.5f && q < 127;
        b[2 + i] = (uint8_t)(int8_t)(x[i] < 0 ? -q : q);
    }
}

// The number that is farthest from 0 becomes the code of -half, so that the side it lies on has one code
// more.
static float signed_scale(const float *x, int half) {
    float far = 0;
    for (int i = 0; i < 32; i++)
        if (fabsf(x[i]) > fabsf(far)) far = x[i];
    return far / (float)-half;
}

static void encode_Q4_0(const float *x, uint8_t *b) {
    float d = signed_scale(x, 8), inverse = d != 0 ? 1.0f / d : 0;
    half_put(b, d);
    for (int j = 0; j < 16; j++)
        b[2 + j] = (uint8_t)(code_of(x[j] * inverse + 8, 15) | code_of(x[j + 16] * inverse + 8, 15) << 4);
}

static void put_fives(const int *q, uint8_t *high, uint8_t *low) {
    uint32_t fifth = 0;
    for (int j = 0; j < 32; j++) fifth |= (uint32_t)(q[j] >> 4) << j;
    memcpy(high, &fifth, sizeof fifth);
    for (int j = 0; j < 16; j++) low[j] = (uint8_t)((q[j] & 15) | (q[j + 16] & 15) << 4);
}

static void encode_Q5_0(const float *x, uint8_t *b) {
    int q[32];
    float d = signed_scale(x, 16), inverse = d != 0 ? 1.0f / d : 0;
    half_put(b, d);
    for (int j = 0; j < 32; j++) q[j] = code_of(x[j] * inverse + 16, 31);
    put_fives(q, b + 2, b + 6);
}

static void encode_Q5_1(const float *x, uint8_t *b) {
    int q[32];
    float low = x[0], high = x[0];
    for (int j = 1; j < 32; j++) {
        low = x[j] < low ? x[j] : low;
        high = x[j] > high ? x[j] : high;
    }
    float d = (high - low) / 31.0f, inverse = d != 0 ? 1.0f / d : 0;
    half_put(b, d);
    half_put(b + 2, low);
    for (int j = 0; j < 32; j++) q[j] = code_of((x[j] - low) * inverse, 31);
    put_fives(q, b + 4, b + 8);
}

// ---- K types

typedef struct {
    float w, wx, wxx, wq, wqq, wxq; // weighted sums over a sub-block
} Sums;

// In lanes, so that they are vectors, and added up in one order.
static float lanes_sum(const float s[LANES]) {
    return ((s[0] + s[4]) + (s[2] + s[6])) + ((s[1] + s[5]) + (s[3] + s[7]));
}

static void sums_of_x(const float *x, const float *w, int n, Sums *s) {
    float a[LANES] = {0}, b[LANES] = {0}, c[LANES] = {0};
    for (int i = 0; i < n; i += LANES)
        for (int l = 0; l < LANES; l++) {
            float wx = w[i + l] * x[i + l];
            a[l] += w[i + l];
            b[l] += wx;
            c[l] += wx * x[i + l];
        }
    s->w = lanes_sum(a);
    s->wx = lanes_sum(b);
    s->wxx = lanes_sum(c);
}

// Codes q = nearest of (x - low) * inverse in 0 .. most, less `zero`.
typedef struct {
    float low, inverse;
    int most, zero;
} Codes;

static void sums_of_q(const float *x, const float *w, int n, Codes codes, Sums *s) {
    float low = codes.low, inverse = codes.inverse;
    int zero = codes.zero;
    float a[LANES] = {0}, b[LANES] = {0}, c[LANES] = {0};
    float top = (float)codes.most, shift = (float)zero + 0.5f;
    for (int i = 0; i < n; i += LANES)
        for (int l = 0; l < LANES; l++) {
            float t = (x[i + l] - low) * inverse + shift;
            t = t > 0 ? t : 0;
            t = t < top ? t : top;
            float q = (float)((int)t - zero), wq = w[i + l] * q;
            a[l] += wq;
            b[l] += wq * q;
            c[l] += wq * x[i + l];
        }
    s->wq = lanes_sum(a);
    s->wqq = lanes_sum(b);
    s->wxq = lanes_sum(c);
}

// x ~ scale * q - min with min >= 0, for given codes; the weighted error, or a negative number where there is
// no such pair.
static float solve_pair(const Sums *s, float *scale, float *min) {
    float determinant = s->w * s->wqq - s->wq * s->wq;
    if (!(determinant > 0)) return -1;
    *scale = (s->w * s->wxq - s->wx * s->wq) / determinant;
    *min = (s->wq * s->wxq - s->wqq * s->wx) / determinant;
    if (*min < 0) {
        *min = 0;
        *scale = s->wxq / s->wqq;
    }
    if (!(*scale > 0)) return -1;
    float d = *scale, m = *min;
    float error = s->wxx + d * d * s->wqq + m * m * s->w - 2 * d * s->wxq + 2 * m * s->wx - 2 * d * m * s->wq;
    return error > 0 ? error : 0; // rounding can bring it below 0
}

// Scales to try for codes 0 .. most: `steps` of them, `reach` codes to both sides of the obvious one.
typedef struct {
    int most;
    float reach;
    int steps;
} Search;

// Scale and minimum of a sub-block of 32.
static void search_pair(const float *x, const Search *q, float *scale, float *min) {
    int most = q->most;
    float w[SUB_MAX], squares = 0, low = 0, high = x[0];
    Sums s;
    for (int i = 0; i < 32; i++) {
        squares += x[i] * x[i];
        low = x[i] < low ? x[i] : low; // a minimum above 0 cannot be stored
        high = x[i] > high ? x[i] : high;
    }
    *scale = 0;
    *min = -low;
    if (!(high > low)) return;
    float spread = sqrtf(squares / 32);
    for (int i = 0; i < 32; i++) w[i] = spread + fabsf(x[i]);
    sums_of_x(x, w, 32, &s);
    float best = -1;
    for (int k = 0; k <= q->steps; k++) {
        float d = 0, m = 0,
              inverse = ((float)most - q->reach + 2 * q->reach * (float)k / (float)q->steps) / (high - low);
        sums_of_q(x, w, 32, (Codes){low, inverse, most, 0}, &s);
        float error = solve_pair(&s, &d, &m);
        if (error < 0 || (best >= 0 && error >= best)) continue;
        // Codes that suit the pair just found are often better still.
        best = error;
        *scale = d;
        *min = m;
        sums_of_q(x, w, 32, (Codes){-m, 1 / d, most, 0}, &s);
        error = solve_pair(&s, &d, &m);
        if (error < 0 || error >= best) continue;
        best = error;
        *scale = d;
        *min = m;
    }
    if (best < 0) *scale = (high - low) / (float)most;
}

static void pack_scale(uint8_t *s, int j, int scale, int min) {
    if (j < 4) {
        s[j] |= (uint8_t)scale;
        s[j + 4] |= (uint8_t)min;
    } else {
        s[j + 4] = (uint8_t)((scale & 15) | (min & 15) << 4);
        s[j - 4] |= (uint8_t)(scale >> 4 << 6);
        s[j] |= (uint8_t)(min >> 4 << 6);
    }
}

// Codes of a block whose sub-blocks have 6-bit scales and minima: Q4_K (qh NULL) and Q5_K.
static void encode_k(const float *x, const Search *search, uint8_t *b, uint8_t *qh, uint8_t *qs) {
    int most = search->most;
    float scale[8], min[8], top = 0, deep = 0;
    for (int j = 0; j < 8; j++) {
        search_pair(x + 32 * j, search, &scale[j], &min[j]);
        top = scale[j] > top ? scale[j] : top;
        deep = min[j] > deep ? min[j] : deep;
    }
    half_put(b, top / 63);
    half_put(b + 2, deep / 63);
    float d = half_of(b), dmin = half_of(b + 2);
    for (int j = 0; j < 8; j++) {
        int ls = d > 0 ? code_of(scale[j] / d, 63) : 0, lm = dmin > 0 ? code_of(min[j] / dmin, 63) : 0;
        pack_scale(b + 4, j, ls, lm);
        float ds = d * (float)ls, m = dmin * (float)lm, inverse = ds > 0 ? 1 / ds : 0;
        for (int l = 0; l < 32; l++) {
            int q = code_of((x[32 * j + l] + m) * inverse, most);
            qs[32 * (j / 2) + l] |= (uint8_t)((q & 15) << 4 * (j % 2));
            if (qh) qh[l] |= (uint8_t)(q >> 4 << j);
        }
    }
}

static void encode_Q4_K(const float *x, uint8_t *b) {
    memset(b, 0, 144);
    encode_k(x, &(Search){15, 1.0f, 20}, b, NULL, b + 16);
}
static void encode_Q5_K(const float *x, uint8_t *b) {
    memset(b, 0, 176);
    encode_k(x, &(Search){31, 1.0f, 16}, b, b + 16, b + 48);
}

// The scale of a sub-block of 16 for codes -32 .. 31.
static float search_scale(const float *x) {
    float w[16], far = 0, scale = 0, best = -1;
    Sums s;
    for (int i = 0; i < 16; i++) {
        w[i] = x[i] * x[i];
        if (fabsf(x[i]) > fabsf(far)) far = x[i];
    }
    if (!(fabsf(far) > 0)) return 0;
    for (int k = -9; k <= 9; k++) {
        sums_of_q(x, w, 16, (Codes){0, -(32 + 0.1f * (float)k) / far, 63, 32}, &s);
        float gain = s.wqq > 0 ? s.wxq * s.wxq / s.wqq : -1; // the error is sum(w x x) less this
        if (gain <= best) continue;
        best = gain;
        scale = s.wxq / s.wqq;
    }
    return scale;
}

static void encode_Q6_K(const float *x, uint8_t *b) {
    uint8_t *ql = b, *qh = b + 128, *scales = b + 192;
    float scale[16], far = 0;
    memset(b, 0, 210);
    for (int j = 0; j < 16; j++) {
        scale[j] = search_scale(x + 16 * j);
        if (fabsf(scale[j]) > fabsf(far)) far = scale[j];
    }
    half_put(b + 208, far / -128);
    float d = half_of(b + 208);
    for (int j = 0; j < 16; j++) {
        int sc = d != 0 ? code_of(scale[j] / d + 128, 255) - 128 : 0;
        scales[j] = (uint8_t)(int8_t)sc;
        float ds = d * (float)sc, inverse = ds != 0 ? 1 / ds : 0;
        for (int l = 0; l < 16; l++) {
            int i = 16 * j + l, n = i / 128, k = i % 128 / 32, at = i % 32;
            int q = code_of(x[i] * inverse + 32, 63);
            ql[64 * n + at + 32 * (k & 1)] |= (uint8_t)((q & 15) << (k < 2 ? 0 : 4));
            qh[32 * n + at] |= (uint8_t)(q >> 4 << 2 * k);
        }
    }
}

void quant_encode(WeightType type, const float *x, int64_t n, void *blocks) {
    static void (*const encode[W_COUNT])(const float *, uint8_t *) = {
#define WTYPE(name, id, elements, bytes) encode_##name,
#include "weights/format/wtype.def"
#undef WTYPE
    };
    const WeightTypeInfo *t = &WEIGHT_TYPE[type];
    assert(n >= 0 && n % t->block == 0);
    uint8_t *b = blocks;
    for (int64_t i = 0; i < n; i += t->block, b += t->block_bytes) encode[type](x + i, b);
}
