#include "model/product/product_loops.h"
#include "tensor/dtype.h"
#include <math.h>

static float half_at(const uint8_t *p) { return f32_from_f16((uint16_t)(p[0] | p[1] << 8)); }

// The six bits of sub-block j's scale and of its min, packed in twelve bytes (Q4_K, Q5_K).
static void six_bits(const uint8_t *s, int j, int *scale, int *min) {
    if (j < 4) {
        *scale = s[j] & 63;
        *min = s[j + 4] & 63;
    } else {
        *scale = (s[j + 4] & 15) | (s[j - 4] >> 6) << 4;
        *min = s[j + 4] >> 4 | (s[j] >> 6) << 4;
    }
}

static void block_q5(const uint8_t *high, const uint8_t *low, PlainBlock *out) {
    uint32_t bits;
    memcpy(&bits, high, 4);
    for (int i = 0; i < BLOCK; i++) {
        int nibble = i < 16 ? low[i] & 15 : low[i - 16] >> 4;
        out->q[i] = (uint8_t)(nibble | (int)(bits >> i & 1) << 4);
    }
}

static void block_k(const uint8_t *p, int j, const uint8_t *high, const uint8_t *low, PlainBlock *out) {
    int scale, min;
    six_bits(p + 4, j, &scale, &min);
    out->scale = half_at(p) * (float)scale;
    out->min = -half_at(p + 2) * (float)min;
    for (int i = 0; i < BLOCK; i++) {
        int nibble = low[32 * (j / 2) + i] >> 4 * (j & 1) & 15;
        out->q[i] = (uint8_t)(nibble | (high ? (high[i] >> j & 1) << 4 : 0));
    }
}

static void block_q6(const uint8_t *p, int j, PlainBlock *out) {
    const uint8_t *low = p + 64 * (j / 4), *high = p + 128 + 32 * (j / 4);
    int k = j % 4;
    out->scale = half_at(p + 208);
    for (int h = 0; h < 2; h++) {
        uint8_t b = p[192 + 2 * j + h];
        out->sub[h] = b < 128 ? b : b - 256;
    }
    out->off = 32;
    for (int i = 0; i < BLOCK; i++) {
        int nibble = low[i + 32 * (k & 1)] >> 4 * (k / 2) & 15;
        out->q[i] = (uint8_t)(nibble | (high[i] >> 2 * k & 3) << 4);
    }
}

void plain_block(WeightType type, const uint8_t *row, int64_t b, PlainBlock *out) {
    *out = (PlainBlock){.sub = {1, 1}};
    int64_t size = WEIGHT_TYPE[type].block_bytes;
    const uint8_t *p = row + (WEIGHT_TYPE[type].block == BLOCK ? b : b / LANES) * size;
    int j = (int)(b % LANES);
    switch (type) {
    case W_Q4_0:
        for (int i = 0; i < BLOCK; i++) out->q[i] = i < 16 ? p[2 + i] & 15 : p[2 + i - 16] >> 4;
        out->off = 8;
        break;
    case W_Q5_0:
        block_q5(p + 2, p + 6, out);
        out->off = 16;
        break;
    case W_Q5_1:
        block_q5(p + 4, p + 8, out);
        out->min = half_at(p + 2);
        break;
    case W_Q8_0:
        for (int i = 0; i < BLOCK; i++) out->q[i] = p[2 + i] ^ 0x80;
        out->off = 128;
        break;
    case W_Q4_K: block_k(p, j, NULL, p + 16, out); return;
    case W_Q5_K: block_k(p, j, p + 16, p + 48, out); return;
    case W_Q6_K: block_q6(p, j, out); return;
    default: return;
    }
    out->scale = half_at(p);
}

static float largest(const float *x, int n) {
    float m = 0;
    for (int i = 0; i < n; i++) {
        float v = fabsf(x[i]);
        if (!(v <= m)) m = v; // also when v is no number
        if (m != m) return m;
    }
    return m;
}

// A block that holds an infinity or no number gives no number, in every output that reads it.
static void round_block(const float *x, Rounded *to, int j) {
    float m = largest(x, BLOCK);
    bool finite = m - m == 0;
    float inverse = finite && m > 0x1p-120f ? 127.0f / m : 0; // a smaller one counts as zero
    int sum[2] = {0, 0};
    for (int i = 0; i < BLOCK; i++) {
        int q = finite ? (int)rintf(x[i] * inverse) : 0;
        to->q[BLOCK * j + i] = (int8_t)q;
        sum[i / 16] += q;
    }
    to->dx[j] = finite ? m / 127.0f : m - m;
    to->s[j] = to->dx[j] * (float)(sum[0] + sum[1]);
    to->off32[j] = -128 * (sum[0] + sum[1]);
    for (int h = 0; h < 2; h++) {
        int i = 2 * j + h;
        to->off16[4 * (i % 4) + i / 4] = -32 * sum[h];
    }
}

static void round_input(const float *x, int64_t cols, Rounded *to) {
    int64_t chunks = rounded_chunks(cols);
    memset(to, 0, (size_t)chunks * sizeof *to);
    for (int64_t b = 0; b < cols / BLOCK; b++) round_block(x + BLOCK * b, &to[b / LANES], (int)(b % LANES));
}

static float tree8(const float *l) {
    return ((l[0] + l[4]) + (l[2] + l[6])) + ((l[1] + l[5]) + (l[3] + l[7]));
}

static float float_tree(const float *l) {
    float half[8];
    for (int i = 0; i < 8; i++) half[i] = l[i] + l[i + 8];
    return tree8(half);
}

static float weight_value(WeightType type, const uint8_t *row, int64_t c) {
    if (type == W_F32) {
        float v;
        memcpy(&v, row + 4 * c, 4);
        return v;
    }
    if (type == W_F16) return half_at(row + 2 * c);
    uint32_t bits = (uint32_t)(row[2 * c] | row[2 * c + 1] << 8) << 16;
    float v;
    memcpy(&v, &bits, 4);
    return v;
}

static float *output(const Product *p, int input, int64_t row) { return &p->y[input * p->stride + row]; }

static void floats(const Piece *now, const Piece *then, void *room) {
    (void)then;
    const Product *p = now->p;
    float *w = room;
    size_t bytes = weight_row_bytes(p->w);
    int64_t cols = p->w->cols;
    for (int64_t r = now->first; r < now->first + now->rows; r++) {
        for (int64_t c = 0; c < cols; c++) w[c] = weight_value(p->w->type, p->w->data + (size_t)r * bytes, c);
        for (int n = 0; n < p->in->count; n++) {
            const float *x = p->in->x + n * p->in->stride;
            float lane[FLOAT_LANES] = {0};
            int64_t c = 0;
            for (; c + FLOAT_LANES <= cols; c += FLOAT_LANES)
                for (int l = 0; l < FLOAT_LANES; l++) lane[l] += w[c + l] * x[c + l];
            for (int l = 0; c + l < cols; l++) lane[l] += w[c + l] * x[c + l];
            *output(p, n, r) = float_tree(lane);
        }
    }
}

static float block_dot(const PlainBlock *w, const int8_t *x) {
    int sum[2] = {0, 0};
    for (int h = 0; h < 2; h++)
        for (int i = 16 * h; i < 16 * h + 16; i++) sum[h] += (w->q[i] - w->off) * x[i];
    return (float)(w->sub[0] * sum[0] + w->sub[1] * sum[1]);
}

static void quantised(const Piece *now, const Piece *then, void *room) {
    (void)then;
    const Product *p = now->p;
    PlainBlock *block = room;
    size_t bytes = weight_row_bytes(p->w);
    int64_t blocks = p->w->cols / BLOCK;
    bool min = type_has_min(p->w->type);
    for (int64_t r = now->first; r < now->first + now->rows; r++) {
        for (int64_t b = 0; b < blocks; b++)
            plain_block(p->w->type, p->w->data + (size_t)r * bytes, b, &block[b]);
        for (int n = 0; n < p->in->count; n++) {
            const Rounded *x = rounded_of(p->in, n);
            float lane[LANES] = {0};
            for (int64_t b = 0; b < blocks; b++) {
                const Rounded *at = &x[b / LANES];
                int l = (int)(b % LANES);
                lane[l] += block_dot(&block[b], at->q + BLOCK * l) * block[b].scale * at->dx[l];
                if (min) lane[l] += block[b].min * at->s[l];
            }
            *output(p, n, r) = tree8(lane);
        }
    }
}

static size_t scratch(const Product *p) {
    size_t cols = (size_t)p->w->cols;
    return type_quantised(p->w->type) ? cols / BLOCK * sizeof(PlainBlock) : cols * sizeof(float);
}

const ProductLoops product_base = {round_input, quantised, floats, scratch, 1};

void product_plain(const Weight *w, const ProductInput *in, float *y, int64_t stride) {
    size_t bytes = weight_row_bytes(w);
    bool quantised = type_quantised(w->type);
    for (int64_t r = 0; r < w->rows; r++) {
        const uint8_t *row = w->data + (size_t)r * bytes;
        for (int n = 0; n < in->count; n++) {
            double sum = 0;
            const float *x = in->x + n * in->stride;
            for (int64_t c = 0; !quantised && c < w->cols; c++)
                sum += (double)weight_value(w->type, row, c) * (double)x[c];
            for (int64_t b = 0; quantised && b < w->cols / BLOCK; b++) {
                PlainBlock block;
                Rounded one = {0};
                plain_block(w->type, row, b, &block);
                round_block(x + BLOCK * b, &one, 0);
                sum += (double)block_dot(&block, one.q) * (double)block.scale * (double)one.dx[0] +
                       (double)block.min * (double)one.s[0];
            }
            y[n * stride + r] = (float)sum;
        }
    }
}
