// Attention over one block of keys, for up to four rows that share them (attention_simd.h). The
// inner loops keep their sums in registers: keys lie transposed, so that lanes are positions and no sum runs
// across lanes.
#include "model/attention_simd.h"
#include "base/isa.h"
#include "model/forward_lanes.h"

enum { ACROSS = LANES == 16 ? 4 : 2 }; // vectors side by side: what the registers hold
#define INLINE static inline __attribute__((always_inline))

// Numbers of the cache, from element `at`.
INLINE Lanes cached(const void *p, bool half, size_t at) {
    return half ? lanes_widen((const uint16_t *)p + at) : lanes_load((const float *)p + at);
}

// Scores of ACROSS * LANES positions.
INLINE void scores_of(const AttentionBlock *b, int rows, bool half, int at, float score[][KV_PAGE]) {
    Lanes sum[ATTENTION_ROWS][ACROSS] = {{{0}}};
    size_t k = (size_t)at;
    for (int d = 0; d < b->dim; d++, k += KV_PAGE) {
        Lanes key[ACROSS];
        for (int i = 0; i < ACROSS; i++) key[i] = cached(b->k, half, k + (size_t)i * LANES);
        for (int r = 0; r < rows; r++) {
            Lanes q = lanes_all(b->q[(size_t)r * b->q_stride + (size_t)d]);
            for (int i = 0; i < ACROSS; i++) sum[r][i] = lanes_fma(q, key[i], sum[r][i]);
        }
    }
    for (int r = 0; r < rows; r++)
        for (int i = 0; i < ACROSS; i++) lanes_store(&score[r][at + i * LANES], sum[r][i] * b->scale);
}

INLINE int keys_of(const AttentionBlock *b, int r) { return b->keys + r * b->more; }

// Turns the scores of a row into weights; what was gathered before is to be scaled by the result.
INLINE float weigh(const AttentionBlock *b, int row, float *score) {
    int r = row * b->row_stride;
    for (int j = keys_of(b, row); j < KV_PAGE; j++) score[j] = -__builtin_inff();
    Lanes top = lanes_load(score);
    for (int j = LANES; j < KV_PAGE; j += LANES) top = lanes_max(lanes_load(score + j), top);
    float now = lanes_largest(top);
    if (b->top[r] > now) now = b->top[r];
    Lanes sum = {0};
    for (int j = 0; j < KV_PAGE; j += LANES) {
        Lanes w = lanes_exp(lanes_load(score + j) - now);
        lanes_store(score + j, w);
        sum += w;
    }
    float before = lanes_exp(lanes_all(b->top[r] - now))[0];
    b->sum[r] = b->sum[r] * before + lanes_sum(sum);
    b->top[r] = now;
    return before;
}

// Values of positions [from, to) are added to `across` vectors of `rows` rows.
INLINE void add_values(const AttentionBlock *b, int rows, bool half, int at, int across, int from, int to,
                       float score[][KV_PAGE], Lanes sum[][ACROSS]) {
    size_t v = (size_t)from * (size_t)b->padded + (size_t)at;
    for (int j = from; j < to; j++, v += (size_t)b->padded) {
        Lanes value[ACROSS];
        for (int i = 0; i < across; i++) value[i] = cached(b->v, half, v + (size_t)i * LANES);
        for (int r = 0; r < rows; r++) {
            Lanes w = lanes_all(score[r][j]);
            for (int i = 0; i < across; i++) sum[r][i] = lanes_fma(w, value[i], sum[r][i]);
        }
    }
}

INLINE void gather(const AttentionBlock *b, int rows, bool half, int at, int across, const float *before,
                   float score[][KV_PAGE]) {
    Lanes sum[ATTENTION_ROWS][ACROSS];
    for (int r = 0; r < rows; r++)
        for (int i = 0; i < across; i++)
            sum[r][i] = lanes_load(b->out + r * b->row_stride * b->padded + at + i * LANES) * before[r];
    add_values(b, rows, half, at, across, 0, b->keys, score, sum);
    for (int r = 1; b->more && r < rows; r++)
        add_values(b, 1, half, at, across, b->keys, keys_of(b, r), score + r, sum + r);
    for (int r = 0; r < rows; r++)
        for (int i = 0; i < across; i++)
            lanes_store(b->out + r * b->row_stride * b->padded + at + i * LANES, sum[r][i]);
}

INLINE void rows_of(const AttentionBlock *b, int rows, bool half) {
    float score[ATTENTION_ROWS][KV_PAGE], before[ATTENTION_ROWS];
    for (int at = 0; at < keys_of(b, rows - 1); at += ACROSS * LANES) scores_of(b, rows, half, at, score);
    for (int r = 0; r < rows; r++) before[r] = weigh(b, r, score[r]);
    int at = 0;
    for (; at + ACROSS * LANES <= b->padded; at += ACROSS * LANES)
        gather(b, rows, half, at, ACROSS, before, score);
    for (; at < b->padded; at += LANES) gather(b, rows, half, at, 1, before, score);
}

static void block(const AttentionBlock *b) {
    switch (b->rows * 2 + b->half) {
    case 2: rows_of(b, 1, false); break;
    case 3: rows_of(b, 1, true); break;
    case 4: rows_of(b, 2, false); break;
    case 5: rows_of(b, 2, true); break;
    case 6: rows_of(b, 3, false); break;
    case 7: rows_of(b, 3, true); break;
    case 8: rows_of(b, 4, false); break;
    case 9: rows_of(b, 4, true); break;
    default: __builtin_unreachable();
    }
}

static bool narrow(const float *x, size_t n, uint16_t *half) {
    size_t i = 0;
    LaneBits fit = ~(LaneBits){0};
    for (; i + LANES <= n; i += LANES) {
        Lanes v = lanes_load(x + i);
        fit &= (LaneBits)(v <= 65504.0f) & (LaneBits)(v >= -65504.0f);
        lanes_narrow(v, half + i);
    }
    if (i < n) {
        Lanes v = lanes_load_some(x + i, n - i);
        uint16_t last[LANES];
        fit &= (LaneBits)(v <= 65504.0f) & (LaneBits)(v >= -65504.0f);
        lanes_narrow(v, last);
        memcpy(half + i, last, (n - i) * sizeof *half);
    }
    bool all = true;
    for (int k = 0; k < LANES; k++) all &= fit[k] != 0;
    return all;
}

const AttentionLoops ISA_NAME(attention_loops) = {block, narrow};
