// AVX2 with FMA and F16C. A row is unpacked eight blocks at a time and met with every input while its weights
// are in registers or at least in the first cache.
#include "model/product/product_loops.h"
#if defined(__AVX2__) && defined(__FMA__) && defined(__F16C__) && !defined(PORTABLE)
#include "model/product/product_scales.h"
#include <immintrin.h>

// Eight blocks as signed bytes (|q| <= 128), and their scales in the order of the columns.
typedef struct {
    __m256i q[8];
    __m256i sub[8]; // words: what the sum of two products counts (Q6_K: the scale of sixteen columns; else 1)
    __m256 scale, min;
} Eight;

static inline __m256i load(const uint8_t *p) { return _mm256_loadu_si256((const __m256i *)p); }

// Nibbles of sixteen bytes: the low ones, then the high ones.
static inline __m256i nibbles(const uint8_t *p) {
    __m128i both = _mm_loadu_si128((const __m128i *)p);
    __m256i q = _mm256_inserti128_si256(_mm256_castsi128_si256(both), _mm_srli_epi16(both, 4), 1);
    return _mm256_and_si256(q, _mm256_set1_epi8(15));
}

// Bit i of `bits` as byte i: 16 or 0.
static inline __m256i fifth(const uint8_t *bits) {
    int v;
    memcpy(&v, bits, 4);
    __m256i of_byte = _mm256_setr_epi8(0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 1, 1, 2, 2, 2, 2, 2, 2, 2, 2,
                                       3, 3, 3, 3, 3, 3, 3, 3);
    __m256i bit = _mm256_set1_epi64x((long long)0x8040201008040201);
    __m256i b = _mm256_and_si256(_mm256_shuffle_epi8(_mm256_set1_epi32(v), of_byte), bit);
    return _mm256_and_si256(_mm256_cmpeq_epi8(b, bit), _mm256_set1_epi8(16));
}

static inline void unpack_k(const uint8_t *p, bool five, Eight *e) {
    k_scales(p, &e->scale, &e->min);
    const uint8_t *low = p + (five ? 48 : 16);
    __m256i mask = _mm256_set1_epi8(15), high = five ? load(p + 16) : mask;
    for (int i = 0; i < 4; i++) {
        __m256i q = load(low + 32 * i);
        e->q[2 * i] = _mm256_and_si256(q, mask);
        e->q[2 * i + 1] = _mm256_and_si256(_mm256_srli_epi16(q, 4), mask);
    }
    for (int j = 0; five && j < 8; j++) {
        __m256i bit = _mm256_set1_epi8((char)(1 << j));
        __m256i set = _mm256_cmpeq_epi8(_mm256_and_si256(high, bit), bit);
        e->q[j] = _mm256_or_si256(e->q[j], _mm256_and_si256(set, _mm256_set1_epi8(16)));
    }
}

static inline void unpack_q6(const uint8_t *p, Eight *e) {
    __m256i low4 = _mm256_set1_epi8(15), two = _mm256_set1_epi8(0x30), off = _mm256_set1_epi8(32);
    for (int n = 0; n < 2; n++) {
        __m256i high = load(p + 128 + 32 * n), a = load(p + 64 * n), b = load(p + 64 * n + 32);
        __m256i low[4] = {a, b, _mm256_srli_epi16(a, 4), _mm256_srli_epi16(b, 4)};
        __m256i up[4] = {_mm256_slli_epi16(high, 4), _mm256_slli_epi16(high, 2), high,
                         _mm256_srli_epi16(high, 2)};
        for (int k = 0; k < 4; k++)
            e->q[4 * n + k] = _mm256_sub_epi8(
                _mm256_or_si256(_mm256_and_si256(low[k], low4), _mm256_and_si256(up[k], two)), off);
    }
    for (int j = 0; j < 8; j++)
        e->sub[j] = _mm256_inserti128_si256(_mm256_set1_epi16((int8_t)p[192 + 2 * j]),
                                            _mm_set1_epi16((int8_t)p[193 + 2 * j]), 1);
    uint16_t d;
    memcpy(&d, p + 208, 2);
    e->scale = _mm256_broadcastss_ps(_mm_cvtph_ps(_mm_cvtsi32_si128(d)));
}

static inline int bytes_of(WeightType t) { // of eight blocks
    return WEIGHT_TYPE[t].block == CHUNK ? WEIGHT_TYPE[t].block_bytes : LANES * WEIGHT_TYPE[t].block_bytes;
}

static inline __attribute__((always_inline)) void unpack(WeightType t, const uint8_t *p, Eight *e) {
    if (t == W_Q4_K || t == W_Q5_K) {
        unpack_k(p, t == W_Q5_K, e);
        return;
    }
    if (t == W_Q6_K) {
        unpack_q6(p, e);
        return;
    }
    int size = t == W_Q4_0 ? 18 : t == W_Q5_0 ? 22 : t == W_Q5_1 ? 24 : 34;
    uint16_t d[8], m[8];
    for (int i = 0; i < 8; i++) {
        const uint8_t *b = p + size * i;
        memcpy(&d[i], b, 2), memcpy(&m[i], b + 2, 2);
        if (t == W_Q8_0) e->q[i] = load(b + 2);
        if (t == W_Q4_0) e->q[i] = _mm256_sub_epi8(nibbles(b + 2), _mm256_set1_epi8(8));
        if (t == W_Q5_0)
            e->q[i] = _mm256_sub_epi8(_mm256_or_si256(nibbles(b + 6), fifth(b + 2)), _mm256_set1_epi8(16));
        if (t == W_Q5_1) e->q[i] = _mm256_or_si256(nibbles(b + 8), fifth(b + 4));
    }
    e->scale = _mm256_cvtph_ps(_mm_loadu_si128((const __m128i *)d));
    e->min = _mm256_cvtph_ps(_mm_loadu_si128((const __m128i *)m));
}

static inline __attribute__((always_inline)) __m256 add_chunk(WeightType t, __m256 lane, const Eight *e,
                                                              const Rounded *x) {
    __m256i v[8], ones = _mm256_set1_epi16(1);
    for (int j = 0; j < 8;
         j++) { // |q| as the unsigned factor, its sign moved to x: at most 2 * 128 * 127 a word
        __m256i in = load((const uint8_t *)x->q + BLOCK * j), q = e->q[j];
        if (!type_has_min(t)) { // the others are never negative
            in = _mm256_sign_epi8(in, q);
            q = _mm256_abs_epi8(q);
        }
        __m256i two = _mm256_maddubs_epi16(q, in);
        v[j] = _mm256_madd_epi16(two, t == W_Q6_K ? e->sub[j] : ones);
    }
    __m256i a = _mm256_hadd_epi32(_mm256_hadd_epi32(v[0], v[1]), _mm256_hadd_epi32(v[2], v[3]));
    __m256i b = _mm256_hadd_epi32(_mm256_hadd_epi32(v[4], v[5]), _mm256_hadd_epi32(v[6], v[7]));
    __m256i sum =
        _mm256_add_epi32(_mm256_permute2x128_si256(a, b, 0x20), _mm256_permute2x128_si256(a, b, 0x31));
    lane = _mm256_fmadd_ps(_mm256_mul_ps(_mm256_cvtepi32_ps(sum), e->scale), _mm256_loadu_ps(x->dx), lane);
    if (type_has_min(t)) lane = _mm256_fmadd_ps(e->min, _mm256_loadu_ps(x->s), lane);
    return lane;
}

static inline float tree(__m256 l) {
    __m128 four = _mm_add_ps(_mm256_castps256_ps128(l), _mm256_extractf128_ps(l, 1));
    __m128 two = _mm_add_ps(four, _mm_movehl_ps(four, four));
    return _mm_cvtss_f32(_mm_add_ss(two, _mm_movehdup_ps(two)));
}

enum { INPUTS = 8 };
static inline __attribute__((always_inline)) void rows_of(WeightType t, const Product *p, int64_t first,
                                                          int64_t rows) {
    int64_t row_bytes = (int64_t)weight_row_bytes(p->w), chunks = rounded_chunks(p->w->cols),
            step = bytes_of(t);
    int64_t whole = p->w->cols / CHUNK, rest = row_bytes - whole * step;
    for (int64_t r = first; r < first + rows; r++) {
        const uint8_t *row = p->w->data + r * row_bytes;
        uint8_t copy[8 * 34] = {0}; // a last chunk that the row does not fill, with zeros behind it
        memcpy(copy, row + whole * step, (size_t)rest);
        for (int from = 0; from < p->in->count; from += INPUTS) {
            int n = p->in->count - from < INPUTS ? p->in->count - from : INPUTS;
            const Rounded *x = rounded_of(p->in, from);
            __m256 lane[INPUTS];
            for (int i = 0; i < n; i++) lane[i] = _mm256_setzero_ps();
            for (int64_t c = 0; c < chunks; c++) {
                Eight e;
                unpack(t, c < whole ? row + c * step : copy, &e);
                for (int i = 0; i < n; i++) lane[i] = add_chunk(t, lane[i], &e, &x[i * chunks + c]);
            }
            for (int i = 0; i < n; i++) p->y[(from + i) * p->stride + r] = tree(lane[i]);
        }
    }
}

static void quantised(const Piece *now, const Piece *then, void *room) {
    (void)then;
    const Product *p = now->p;
    (void)room;
    switch (p->w->type) {
#define CASE(T) \
    case W_##T: rows_of(W_##T, p, now->first, now->rows); break;
        CASE(Q4_0)
        CASE(Q5_0)
        CASE(Q5_1)
        CASE(Q8_0)
        CASE(Q4_K)
        CASE(Q5_K)
        CASE(Q6_K)
#undef CASE
    default: break;
    }
}

enum { ROWS_AT_ONCE = 2, INPUTS_AT_ONCE = 2, ROWS_ALONE = 4 };
typedef struct {
    __m256 low, high;
} V;
static inline V v_zero(void) { return (V){_mm256_setzero_ps(), _mm256_setzero_ps()}; }
static inline V v_fma(V a, V b, V c) {
    return (V){_mm256_fmadd_ps(a.low, b.low, c.low), _mm256_fmadd_ps(a.high, b.high, c.high)};
}
static inline V v_of(WeightType t, const uint8_t *p) {
    if (t == W_F32) return (V){_mm256_loadu_ps((const float *)p), _mm256_loadu_ps((const float *)p + 8)};
    __m128i a = _mm_loadu_si128((const __m128i *)p), b = _mm_loadu_si128((const __m128i *)p + 1);
    if (t == W_F16) return (V){_mm256_cvtph_ps(a), _mm256_cvtph_ps(b)};
    return (V){_mm256_castsi256_ps(_mm256_slli_epi32(_mm256_cvtepu16_epi32(a), 16)),
               _mm256_castsi256_ps(_mm256_slli_epi32(_mm256_cvtepu16_epi32(b), 16))};
}
static inline float v_tree(V v) { return tree(_mm256_add_ps(v.low, v.high)); }
#include "model/product/product_float_impl.h"

static size_t scratch(const Product *p) { return type_quantised(p->w->type) ? 0 : float_room(p); }

// Rounding is the portable one: it is a thousandth of a product's work.
static void round_input(const float *x, int64_t cols, Rounded *to) { product_base.round(x, cols, to); }

const ProductLoops product_avx2 = {round_input, quantised, floats, scratch, 1};
#endif
