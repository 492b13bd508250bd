// AVX-512 with VNNI and VBMI. One input: along the row, eight blocks at a time. Several: product_tile_vnni.c.
#if defined(__AVX512VNNI__) && defined(__AVX512VBMI__) && !defined(PORTABLE)
#include "model/product/product_vnni.h"

// Sums of 64 products each, as four lanes of four: [16 columns][q 0 to 3].
static inline __m512i sixteen_sums(const Eight *e, const Rounded *x) {
    __m512i v[4], zero = _mm512_setzero_si512();
    for (int i = 0; i < 4; i++) v[i] = _mm512_dpbusd_epi32(zero, e->q[i], _mm512_loadu_si512(x->q + 64 * i));
    __m512i ab = _mm512_add_epi32(_mm512_unpacklo_epi32(v[0], v[1]), _mm512_unpackhi_epi32(v[0], v[1]));
    __m512i cd = _mm512_add_epi32(_mm512_unpacklo_epi32(v[2], v[3]), _mm512_unpackhi_epi32(v[2], v[3]));
    return _mm512_add_epi32(_mm512_unpacklo_epi64(ab, cd), _mm512_unpackhi_epi64(ab, cd));
}

static inline __m256i eight_sums(__m512i v) {
    v = _mm512_add_epi32(v, _mm512_shuffle_i64x2(v, v, 0xb1));
    __m512i order = _mm512_castsi256_si512(_mm256_setr_epi32(0, 8, 1, 9, 2, 10, 3, 11));
    return _mm512_castsi512_si256(_mm512_permutexvar_epi32(order, v));
}

static inline __m256 add_chunk(__m256 lane, Kind k, const Eight *e, const Rounded *x) {
    __m512i v = sixteen_sums(e, x);
    if (k.form == SIXTEEN) v = _mm512_mullo_epi32(_mm512_add_epi32(v, _mm512_loadu_si512(x->off16)), e->sub);
    __m256i sum = eight_sums(v);
    if (k.form == OFFSET)
        sum =
            _mm256_add_epi32(sum, _mm256_srai_epi32(_mm256_loadu_si256((const __m256i *)x->off32), k.shift));
    lane = _mm256_fmadd_ps(_mm256_mul_ps(_mm256_cvtepi32_ps(sum), e->scale), _mm256_loadu_ps(x->dx), lane);
    if (k.form == MIN) lane = _mm256_fmadd_ps(e->min, _mm256_loadu_ps(x->s), lane);
    return lane;
}

static inline float tree(__m256 l) {
    __m128 four = _mm_add_ps(_mm256_castps256_ps128(l), _mm256_extractf128_ps(l, 1));
    __m128 two = _mm_add_ps(four, _mm_movehl_ps(four, four));
    return _mm_cvtss_f32(_mm_add_ss(two, _mm_movehdup_ps(two)));
}

// Far enough ahead that a page's translation is there as well. Past the end of a piece the next one is
// fetched.
enum { AHEAD = 64 << 10 };

static inline __attribute__((always_inline)) void one_input(WeightType t, const Piece *now,
                                                            const Piece *then) {
    const Product *p = now->p;
    Kind k = kind_of(t);
    const Rounded *x = rounded_of(p->in, 0);
    int64_t chunks = rounded_chunks(p->w->cols), after = now->first + now->rows;
    Rows all = rows_of(p->w, k.bytes);
    uintptr_t end = (uintptr_t)(all.data + after * all.row_bytes), jump = -(uintptr_t)AHEAD;
    if (then)
        jump = (uintptr_t)(then->p->w->data + then->first * (int64_t)weight_row_bytes(then->p->w)) - end;
    for (int64_t r = now->first; r < after; r++) {
        Row row;
        row_begin(&row, &all, r);
        __m256 lane = _mm256_setzero_ps();
        for (int64_t c = 0; c < chunks; c++) {
            uintptr_t ahead = (uintptr_t)row.at + (uintptr_t)(c * k.bytes) + AHEAD;
            if (ahead >= end) ahead += jump;
            for (int b = 0; b < k.bytes; b += 64)
                _mm_prefetch((const char *)(ahead + (uintptr_t)b), _MM_HINT_T1);
            Eight e = unpack(t, row_chunk(&row, &all, c, k.bytes));
            lane = add_chunk(lane, k, &e, &x[c]);
        }
        p->y[r] = tree(lane);
    }
}

static void quantised(const Piece *now, const Piece *then, void *room) {
    const Product *p = now->p;
    if (p->in->count != 1) {
        many_inputs(p, now->first, now->rows, room);
        return;
    }
    switch (p->w->type) {
#define CASE(T) \
    case W_##T: one_input(W_##T, now, then); break;
        CASE(Q4_0)
        CASE(Q5_0)
        CASE(Q5_1)
        CASE(Q8_0)
        CASE(Q4_K)
        CASE(Q5_K)
        CASE(Q6_K)
#undef CASE
            default : break;
    }
}

static size_t scratch(const Product *p) {
    return type_quantised(p->w->type) && p->in->count != 1 ? many_inputs_room(p) : 0;
}

static void round_input(const float *x, int64_t cols, Rounded *to) {
    int64_t chunks = rounded_chunks(cols);
    for (int64_t c = 0; c < chunks; c++, to++) {
        if (cols - c * CHUNK < CHUNK) memset(to, 0, sizeof *to);
        for (int l = 0; l < LANES && c * CHUNK + l * BLOCK < cols; l++) {
            const float *at = x + c * CHUNK + l * BLOCK;
            __m512 a = _mm512_loadu_ps(at), b = _mm512_loadu_ps(at + 16);
            // As integers, sizes order like floats, and infinities and what is no number come last.
            __m512i size = _mm512_set1_epi32(0x7fffffff);
            __m512i larger = _mm512_max_epi32(_mm512_and_si512(_mm512_castps_si512(a), size),
                                              _mm512_and_si512(_mm512_castps_si512(b), size));
            int bits = _mm512_reduce_max_epi32(larger);
            float m;
            memcpy(&m, &bits, 4);
            bool finite = bits < 0x7f800000;
            __m512 inverse = _mm512_set1_ps(finite && m > 0x1p-120f ? 127.0f / m : 0);
            __mmask16 keep = finite ? 0xffff : 0;
            __m512i qa = _mm512_maskz_cvtps_epi32(keep, _mm512_mul_ps(a, inverse));
            __m512i qb = _mm512_maskz_cvtps_epi32(keep, _mm512_mul_ps(b, inverse));
            _mm_storeu_si128((__m128i *)(to->q + BLOCK * l), _mm512_cvtepi32_epi8(qa));
            _mm_storeu_si128((__m128i *)(to->q + BLOCK * l + 16), _mm512_cvtepi32_epi8(qb));
            int sum[2] = {_mm512_reduce_add_epi32(qa), _mm512_reduce_add_epi32(qb)};
            to->dx[l] = finite ? m / 127.0f : m - m;
            to->s[l] = to->dx[l] * (float)(sum[0] + sum[1]);
            to->off32[l] = -128 * (sum[0] + sum[1]);
            for (int h = 0; h < 2; h++) to->off16[8 * (l % 2) + 4 * h + l / 2] = -32 * sum[h];
        }
    }
}

enum { ROWS_AT_ONCE = 4, INPUTS_AT_ONCE = 4, ROWS_ALONE = 8 };
typedef __m512 V;
static inline V v_zero(void) { return _mm512_setzero_ps(); }
static inline V v_fma(V a, V b, V c) { return _mm512_fmadd_ps(a, b, c); }
static inline V v_of(WeightType t, const uint8_t *p) {
    if (t == W_F32) return _mm512_loadu_ps(p);
    __m256i half = _mm256_loadu_si256((const __m256i *)p);
    if (t == W_F16) return _mm512_cvtph_ps(half);
    return _mm512_castsi512_ps(_mm512_slli_epi32(_mm512_cvtepu16_epi32(half), 16));
}
static inline float v_tree(V v) {
    return tree(_mm256_add_ps(_mm512_castps512_ps256(v), _mm512_extractf32x8_ps(v, 1)));
}

// Sixteen trees at once: sums of halves of two side by side, of quarters of four, and the rest turned.
static inline __m512 halves_added(__m512 a, __m512 b) { // [a low + a high, b low + b high]
    return _mm512_add_ps(_mm512_shuffle_f32x4(a, b, 0x44), _mm512_shuffle_f32x4(a, b, 0xee));
}
static inline __m512 quarters_added(__m512 ab, __m512 cd) { // of four, a quarter each
    return _mm512_add_ps(_mm512_shuffle_f32x4(ab, cd, 0x88), _mm512_shuffle_f32x4(ab, cd, 0xdd));
}
static inline void v_trees(V (*lane)[INPUTS_AT_ONCE], float *y, int64_t stride) {
    __m512 row[ROWS_AT_ONCE]; // [input] four numbers that are left
    for (int r = 0; r < ROWS_AT_ONCE; r++)
        row[r] = quarters_added(halves_added(lane[r][0], lane[r][1]), halves_added(lane[r][2], lane[r][3]));
    // Turned within each quarter: number k of all rows, then (0 + 2) + (1 + 3).
    __m512 low[2] = {_mm512_unpacklo_ps(row[0], row[1]), _mm512_unpacklo_ps(row[2], row[3])};
    __m512 high[2] = {_mm512_unpackhi_ps(row[0], row[1]), _mm512_unpackhi_ps(row[2], row[3])};
    __m512 n0 = _mm512_shuffle_ps(low[0], low[1], 0x44), n1 = _mm512_shuffle_ps(low[0], low[1], 0xee);
    __m512 n2 = _mm512_shuffle_ps(high[0], high[1], 0x44), n3 = _mm512_shuffle_ps(high[0], high[1], 0xee);
    __m512 sum = _mm512_add_ps(_mm512_add_ps(n0, n2), _mm512_add_ps(n1, n3));
    _mm_storeu_ps(y, _mm512_castps512_ps128(sum));
    _mm_storeu_ps(y + stride, _mm512_extractf32x4_ps(sum, 1));
    _mm_storeu_ps(y + 2 * stride, _mm512_extractf32x4_ps(sum, 2));
    _mm_storeu_ps(y + 3 * stride, _mm512_extractf32x4_ps(sum, 3));
}
static inline V v_all(float x) { return _mm512_set1_ps(x); }
static inline V v_add(V a, V b) { return _mm512_add_ps(a, b); }
static inline void v_turn(V *v) { // numbers next to each other, pairs, then quarters change places
    __m512 a[16], b[16];
    for (int i = 0; i < 16; i += 2) {
        a[i] = _mm512_unpacklo_ps(v[i], v[i + 1]);
        a[i + 1] = _mm512_unpackhi_ps(v[i], v[i + 1]);
    }
    for (int i = 0; i < 16; i += 4) // b[i + k]: number k of each quarter, of rows i to i + 3
        for (int k = 0; k < 2; k++) {
            b[i + 2 * k] = _mm512_shuffle_ps(a[i + k], a[i + k + 2], 0x44);
            b[i + 2 * k + 1] = _mm512_shuffle_ps(a[i + k], a[i + k + 2], 0xee);
        }
    for (int k = 0; k < 4; k++) {
        __m512 even = _mm512_shuffle_f32x4(b[k], b[k + 4], 0x88),
               odd = _mm512_shuffle_f32x4(b[k], b[k + 4], 0xdd);
        __m512 even2 = _mm512_shuffle_f32x4(b[k + 8], b[k + 12], 0x88);
        __m512 odd2 = _mm512_shuffle_f32x4(b[k + 8], b[k + 12], 0xdd);
        v[k] = _mm512_shuffle_f32x4(even, even2, 0x88);
        v[k + 8] = _mm512_shuffle_f32x4(even, even2, 0xdd);
        v[k + 4] = _mm512_shuffle_f32x4(odd, odd2, 0x88);
        v[k + 12] = _mm512_shuffle_f32x4(odd, odd2, 0xdd);
    }
}
#define V_TREES
#define V_NARROW
#include "model/product/product_float_impl.h"

static size_t room_of(const Product *p) { return type_quantised(p->w->type) ? scratch(p) : float_room(p); }

const ProductLoops product_vnni = {round_input, quantised, floats, room_of, PIECE_ROWS};
#endif
