// AVX-512 with VNNI and VBMI. One input: along the row, eight blocks at a time. Several: sixteen rows are
// unpacked and turned once, so that a lane is a row, and then multiplied with all inputs, eight of them in
// registers; the lanes of the definition are visited one after the other.
#include "model/product_loops.h"
#if defined(__AVX512VNNI__) && defined(__AVX512VBMI__) && !defined(PORTABLE)
#include <immintrin.h>

// Eight blocks: 64 columns in each q, unsigned; sub is for Q6_K: the scale of sixteen columns 16 i is at
// index 4 (i mod 4) + i / 4.
typedef struct {
    __m512i q[4], sub;
    __m256 scale, min;
} Eight;

static inline __m512i twice(const uint8_t *p) {
    return _mm512_broadcast_i64x4(_mm256_loadu_si256((const __m256i *)p));
}
// The first amount for the lower 256 bits, the second for the upper ones.
static inline __m512i halves(int low, int high) {
    return _mm512_inserti64x4(_mm512_set1_epi16((short)low), _mm256_set1_epi16((short)high), 1);
}

static inline __m256 float16s(const uint16_t *h) {
    return _mm256_cvtph_ps(_mm_loadu_si128((const __m128i *)h));
}

static inline Eight unpack_q8_0(const uint8_t *p) {
    Eight e;
    for (int i = 0; i < 4; i++) {
        __m256i even = _mm256_loadu_si256((const __m256i *)(p + 68 * i + 2));
        __m512i both = _mm512_inserti64x4(_mm512_castsi256_si512(even),
                                          _mm256_loadu_si256((const __m256i *)(p + 68 * i + 36)), 1);
        e.q[i] = _mm512_xor_si512(both, _mm512_set1_epi8((char)0x80));
    }
    // Scales stand 17 words apart: four in 128 bytes, twice.
    __m512i at = _mm512_castsi128_si512(_mm_setr_epi16(0, 17, 34, 51, 0, 0, 0, 0));
    __m512i low = _mm512_permutex2var_epi16(_mm512_loadu_si512(p), at, _mm512_loadu_si512(p + 64));
    __m512i high = _mm512_permutex2var_epi16(_mm512_loadu_si512(p + 136), at, _mm512_loadu_si512(p + 200));
    e.scale = _mm256_cvtph_ps(_mm_unpacklo_epi64(_mm512_castsi512_si128(low), _mm512_castsi512_si128(high)));
    return e;
}

// Sixteen bytes of nibbles in each of two blocks: low nibbles first.
static inline __m512i nibbles(const uint8_t *even, const uint8_t *odd) {
    __m256i a = _mm256_broadcastsi128_si256(_mm_loadu_si128((const __m128i *)even));
    __m256i b = _mm256_broadcastsi128_si256(_mm_loadu_si128((const __m128i *)odd));
    __m512i both = _mm512_inserti64x4(_mm512_castsi256_si512(a), b, 1);
    __m512i shift =
        _mm512_broadcast_i64x4(_mm256_inserti128_si256(_mm256_setzero_si256(), _mm_set1_epi16(4), 1));
    return _mm512_and_si512(_mm512_srlv_epi16(both, shift), _mm512_set1_epi8(15));
}

static inline Eight unpack_q4_0(const uint8_t *p) {
    Eight e;
    for (int i = 0; i < 4; i++) e.q[i] = nibbles(p + 36 * i + 2, p + 36 * i + 20);
    __m512i at = _mm512_castsi128_si512(_mm_setr_epi16(0, 9, 18, 27, 36, 45, 54, 63));
    __m512i d = _mm512_permutex2var_epi16(_mm512_loadu_si512(p), at, _mm512_loadu_si512(p + 64));
    e.scale = _mm256_cvtph_ps(_mm512_castsi512_si128(d));
    return e;
}

// Q5_0 and Q5_1: `size` bytes a block, the fifth bits in the four bytes before the nibbles.
static inline Eight unpack_q5(const uint8_t *p, int size) {
    Eight e;
    uint16_t d[8], m[8];
    for (int i = 0; i < 8; i++) memcpy(&d[i], p + size * i, 2), memcpy(&m[i], p + size * i + 2, 2);
    e.scale = float16s(d);
    e.min = float16s(m);
    for (int i = 0; i < 4; i++) {
        const uint8_t *even = p + 2 * size * i + size - 16, *odd = even + size;
        uint32_t high[2];
        memcpy(&high[0], even - 4, 4), memcpy(&high[1], odd - 4, 4);
        __m512i q = nibbles(even, odd);
        e.q[i] = _mm512_mask_add_epi8(q, (uint64_t)high[1] << 32 | high[0], q, _mm512_set1_epi8(16));
    }
    return e;
}
static inline Eight unpack_q5_0(const uint8_t *p) { return unpack_q5(p, 22); }
static inline Eight unpack_q5_1(const uint8_t *p) { return unpack_q5(p, 24); }

static inline __m256 eight_bytes(uint64_t v) {
    return _mm256_cvtepi32_ps(_mm256_cvtepu8_epi32(_mm_cvtsi64_si128((long long)v)));
}

static inline void k_scales(const uint8_t *p, Eight *e) {
    uint32_t u[4];
    memcpy(u, p, 16);
    uint32_t six = 0x3f3f3f3f, four = 0x0f0f0f0f, two = 0x30303030;
    uint64_t scale = (uint64_t)((u[3] & four) | (u[1] >> 2 & two)) << 32 | (u[1] & six);
    uint64_t min = (uint64_t)((u[3] >> 4 & four) | (u[2] >> 2 & two)) << 32 | (u[2] & six);
    __m128 d = _mm_cvtph_ps(_mm_cvtsi32_si128((int)u[0]));
    __m128 dmin = _mm_xor_ps(_mm_movehdup_ps(d), _mm_set1_ps(-0.0f));
    e->scale = _mm256_mul_ps(eight_bytes(scale), _mm256_broadcastss_ps(d));
    e->min = _mm256_mul_ps(eight_bytes(min), _mm256_broadcastss_ps(dmin));
}

static inline Eight unpack_q4_k(const uint8_t *p) {
    Eight e;
    k_scales(p, &e);
    for (int i = 0; i < 4; i++)
        e.q[i] =
            _mm512_and_si512(_mm512_srlv_epi16(twice(p + 16 + 32 * i), halves(0, 4)), _mm512_set1_epi8(15));
    return e;
}

static inline Eight unpack_q5_k(const uint8_t *p) {
    Eight e;
    k_scales(p, &e);
    __m512i high = twice(p + 16), bit = _mm512_inserti64x4(_mm512_set1_epi8(1), _mm256_set1_epi8(2), 1);
    for (int i = 0; i < 4; i++) {
        __m512i low = _mm512_srlv_epi16(twice(p + 48 + 32 * i), halves(0, 4));
        low = _mm512_and_si512(low, _mm512_set1_epi8(15));
        __mmask64 fifth = _mm512_test_epi8_mask(high, _mm512_slli_epi16(bit, 2 * (unsigned)i));
        e.q[i] = _mm512_mask_add_epi8(low, fifth, low, _mm512_set1_epi8(16));
    }
    return e;
}

static inline Eight unpack_q6_k(const uint8_t *p) {
    Eight e;
    __m512i low4 = _mm512_set1_epi8(15), two = _mm512_set1_epi8(0x30);
    for (int n = 0; n < 2; n++) {
        __m512i low = _mm512_loadu_si512(p + 64 * n), high = twice(p + 128 + 32 * n);
        __m512i a = _mm512_and_si512(low, low4), b = _mm512_and_si512(_mm512_srli_epi16(low, 4), low4);
        enum { OR_OF_AND = 0xf8 }; // a | (b & c)
        e.q[2 * n] = _mm512_ternarylogic_epi32(a, _mm512_sllv_epi16(high, halves(4, 2)), two, OR_OF_AND);
        e.q[2 * n + 1] = _mm512_ternarylogic_epi32(b, _mm512_srlv_epi16(high, halves(0, 2)), two, OR_OF_AND);
    }
    __m128i sub = _mm_loadu_si128((const __m128i *)(p + 192));
    sub = _mm_shuffle_epi8(sub, _mm_setr_epi8(0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15));
    e.sub = _mm512_cvtepi8_epi32(sub);
    uint16_t d;
    memcpy(&d, p + 208, 2);
    e.scale = _mm256_broadcastss_ps(_mm_cvtph_ps(_mm_cvtsi32_si128(d)));
    return e;
}

// What is constant for a type: the bytes of eight blocks, and what the sums of products need: a correction
// (off32 is 128 times the sum of x; 8 or 16 times it are 4 or 3 bits less), mins, or scales of sixteen.
typedef enum { OFFSET, MIN, SIXTEEN, FORMS } Form;
typedef struct {
    int bytes;
    Form form;
    int shift;
} Kind;

static inline Eight unpack(WeightType t, const uint8_t *p) {
    switch (t) {
    case W_Q4_0: return unpack_q4_0(p);
    case W_Q5_0: return unpack_q5_0(p);
    case W_Q5_1: return unpack_q5_1(p);
    case W_Q8_0: return unpack_q8_0(p);
    case W_Q4_K: return unpack_q4_k(p);
    case W_Q5_K: return unpack_q5_k(p);
    default: return unpack_q6_k(p);
    }
}

static inline Kind kind_of(WeightType t) {
    switch (t) {
    case W_Q4_0: return (Kind){144, OFFSET, 4};
    case W_Q5_0: return (Kind){176, OFFSET, 3};
    case W_Q5_1: return (Kind){192, MIN, 0};
    case W_Q8_0: return (Kind){272, OFFSET, 0};
    case W_Q4_K: return (Kind){144, MIN, 0};
    case W_Q5_K: return (Kind){176, MIN, 0};
    default: return (Kind){210, SIXTEEN, 0};
    }
}

// Rows of a matrix, chunk by chunk; a last chunk that the row does not fill is read from a copy with zeros.
typedef struct {
    const uint8_t *data;
    int64_t row_bytes;
    int64_t whole; // chunks that are in a row entirely
    int chunk_bytes, rest;
} Rows;
typedef struct {
    const uint8_t *at;
    uint8_t copy[8 * 34];
} Row;
static inline Rows rows_of(const Weight *w, int chunk_bytes) {
    Rows r = {w->data, (int64_t)weight_row_bytes(w), w->cols / CHUNK, chunk_bytes, 0};
    r.rest = (int)(r.row_bytes - r.whole * chunk_bytes);
    return r;
}
static inline void row_begin(Row *r, const Rows *of, int64_t row) {
    r->at = of->data + row * of->row_bytes;
    if (!of->rest) return;
    memset(r->copy, 0, sizeof r->copy);
    memcpy(r->copy, r->at + of->whole * of->chunk_bytes, (size_t)of->rest);
}
static inline const uint8_t *row_chunk(const Row *r, const Rows *of, int64_t chunk, int chunk_bytes) {
    return chunk < of->whole ? r->at + chunk * chunk_bytes : r->copy;
}

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

// Far enough ahead that a page's translation is there as well.
enum { AHEAD = 64 << 10 };

static inline __attribute__((always_inline)) void one_input(WeightType t, const Product *p, int64_t first,
                                                            int64_t rows) {
    Kind k = kind_of(t);
    const Rounded *x = rounded_of(p->in, 0);
    int64_t chunks = rounded_chunks(p->w->cols);
    Rows all = rows_of(p->w, k.bytes);
    for (int64_t r = first; r < first + rows; r++) {
        Row row;
        row_begin(&row, &all, r);
        __m256 lane = _mm256_setzero_ps();
        for (int64_t c = 0; c < chunks; c++) {
            uintptr_t ahead = (uintptr_t)row.at + (uintptr_t)(c * k.bytes) + AHEAD;
            for (int b = 0; b < k.bytes; b += 64)
                _mm_prefetch((const char *)(ahead + (uintptr_t)b), _MM_HINT_T1);
            Eight e = unpack(t, row_chunk(&row, &all, c, k.bytes));
            lane = add_chunk(lane, k, &e, &x[c]);
        }
        p->y[r] = tree(lane);
    }
}

// A tile: sixteen rows of a span of chunks, a block after the other, those of the same lane together. A block
// is its 32 columns, four in each 32 bits, then its scales, then its mins, or the scales of its two halves.
enum { TILE = 16, TILE_BLOCK = 11, PAIR = 2 * TILE, GROUP = 6, GROUP_SIXTEEN = 4 };

// out[i] holds element i of all sixteen in[].
static inline void turn(const __m512i *in, __m512i *out) {
    __m512i a[16], b[16];
    for (int i = 0; i < 16; i += 4) {
        __m512i s0 = _mm512_unpacklo_epi32(in[i], in[i + 1]), s1 = _mm512_unpackhi_epi32(in[i], in[i + 1]);
        __m512i s2 = _mm512_unpacklo_epi32(in[i + 2], in[i + 3]),
                s3 = _mm512_unpackhi_epi32(in[i + 2], in[i + 3]);
        a[i] = _mm512_unpacklo_epi64(s0, s2);
        a[i + 1] = _mm512_unpackhi_epi64(s0, s2);
        a[i + 2] = _mm512_unpacklo_epi64(s1, s3);
        a[i + 3] = _mm512_unpackhi_epi64(s1, s3);
    }
    for (int j = 0; j < 4; j++) { // a[4 i + j]: rows 4 i to 4 i + 3, elements j, j + 4, j + 8, j + 12
        b[j] = _mm512_shuffle_i32x4(a[j], a[j + 4], 0x88);
        b[j + 4] = _mm512_shuffle_i32x4(a[j], a[j + 4], 0xdd);
        b[j + 8] = _mm512_shuffle_i32x4(a[j + 8], a[j + 12], 0x88);
        b[j + 12] = _mm512_shuffle_i32x4(a[j + 8], a[j + 12], 0xdd);
    }
    for (int j = 0; j < 4; j++) {
        out[j] = _mm512_shuffle_i32x4(b[j], b[j + 8], 0x88);
        out[j + 8] = _mm512_shuffle_i32x4(b[j], b[j + 8], 0xdd);
        out[j + 4] = _mm512_shuffle_i32x4(b[j + 4], b[j + 12], 0x88);
        out[j + 12] = _mm512_shuffle_i32x4(b[j + 4], b[j + 12], 0xdd);
    }
}

// The same of sixteen bytes from each of sixteen places.
static inline void turn_four(const uint8_t *const *p, int at, __m512i *out) {
    __m512i r[4];
    for (int i = 0; i < 4; i++) {
        __m512i v = _mm512_castsi128_si512(_mm_loadu_si128((const __m128i *)(p[i] + at)));
        v = _mm512_inserti32x4(v, _mm_loadu_si128((const __m128i *)(p[i + 4] + at)), 1);
        v = _mm512_inserti32x4(v, _mm_loadu_si128((const __m128i *)(p[i + 8] + at)), 2);
        r[i] = _mm512_inserti32x4(v, _mm_loadu_si128((const __m128i *)(p[i + 12] + at)), 3);
    }
    __m512i s0 = _mm512_unpacklo_epi32(r[0], r[1]), s1 = _mm512_unpackhi_epi32(r[0], r[1]);
    __m512i s2 = _mm512_unpacklo_epi32(r[2], r[3]), s3 = _mm512_unpackhi_epi32(r[2], r[3]);
    out[0] = _mm512_unpacklo_epi64(s0, s2);
    out[1] = _mm512_unpackhi_epi64(s0, s2);
    out[2] = _mm512_unpacklo_epi64(s1, s3);
    out[3] = _mm512_unpackhi_epi64(s1, s3);
}

static inline void turn_at(const uint8_t *const *p, int at, __m512i *out) {
    __m512i in[16];
    for (int i = 0; i < TILE; i++) in[i] = _mm512_loadu_si512(p[i] + at);
    turn(in, out);
}

static inline __m512 float16_at(const uint8_t *const *p, int at) {
    uint16_t d[TILE];
    for (int i = 0; i < TILE; i++) memcpy(&d[i], p[i] + at, 2);
    return _mm512_cvtph_ps(_mm256_loadu_si256((const __m256i *)d));
}

// A chunk of sixteen rows, p[0] to p[15], to the eight blocks of a tile: any type, by way of rows.
static inline __attribute__((always_inline)) void tile_rows(WeightType t, const uint8_t *const *p,
                                                            __m512i *const *block) {
    Kind k = kind_of(t);
    __m512i q[4][TILE], sub[TILE], scale[TILE], out[16];
    for (int i = 0; i < TILE; i++) {
        Eight e = unpack(t, p[i]);
        for (int j = 0; j < 4; j++) q[j][i] = e.q[j];
        __m512 both = _mm512_castps256_ps512(e.scale);
        if (k.form == MIN) both = _mm512_insertf32x8(both, e.min, 1);
        scale[i] = _mm512_castps_si512(both);
        if (k.form == SIXTEEN) sub[i] = e.sub;
    }
    for (int j = 0; j < 4; j++) {
        turn(q[j], out);
        for (int i = 0; i < 16; i++) block[2 * j + i / 8][i % 8] = out[i];
    }
    turn(scale, out);
    for (int l = 0; l < LANES; l++) {
        block[l][8] = out[l];
        if (k.form == MIN) block[l][9] = out[l + 8];
    }
    if (k.form != SIXTEEN) return;
    turn(sub, out);
    for (int l = 0; l < LANES; l++) // columns 16 i: at 4 (i mod 4) + i / 4
        for (int h = 0; h < 2; h++) block[l][9 + h] = out[4 * (2 * (l % 2) + h) + l / 2];
}

static inline __m512 byte_of(__m512i v, int j) {
    return _mm512_cvtepi32_ps(
        _mm512_and_si512(_mm512_srli_epi32(v, 8 * (unsigned)j), _mm512_set1_epi32(255)));
}

// Q4_K and Q5_K turned as they are stored, and unpacked sixteen rows at a time.
static inline void tile_k(const uint8_t *const *p, bool five, __m512i *const *block) {
    __m512i u[4], low4 = _mm512_set1_epi8(15), six = _mm512_set1_epi8(63), two = _mm512_set1_epi8(0x30);
    turn_four(p, 0, u);
    enum { OR_OF_AND = 0xf8 }; // a | (b & c)
    __m512i scale[2] = {_mm512_and_si512(u[1], six), _mm512_and_si512(u[3], low4)};
    __m512i min[2] = {_mm512_and_si512(u[2], six), _mm512_and_si512(_mm512_srli_epi32(u[3], 4), low4)};
    scale[1] = _mm512_ternarylogic_epi32(scale[1], _mm512_srli_epi32(u[1], 2), two, OR_OF_AND);
    min[1] = _mm512_ternarylogic_epi32(min[1], _mm512_srli_epi32(u[2], 2), two, OR_OF_AND);
    __m512 d = _mm512_cvtph_ps(_mm512_cvtepi32_epi16(u[0]));
    __m512 dmin = _mm512_cvtph_ps(_mm512_cvtepi32_epi16(_mm512_srli_epi32(u[0], 16)));
    dmin = _mm512_xor_ps(dmin, _mm512_set1_ps(-0.0f));
    for (int l = 0; l < LANES; l++) {
        block[l][8] = _mm512_castps_si512(_mm512_mul_ps(byte_of(scale[l / 4], l % 4), d));
        block[l][9] = _mm512_castps_si512(_mm512_mul_ps(byte_of(min[l / 4], l % 4), dmin));
    }
    __m512i high[8];
    if (five) turn_four(p, 16, high), turn_four(p, 32, high + 4);
    for (int n = 0; n < 2; n++) {
        __m512i q[16];
        turn_at(p, (five ? 48 : 16) + 64 * n, q);
        for (int i = 0; i < 16; i++) {
            int l = 4 * n + i / 8 * 2;
            __m512i a = _mm512_and_si512(q[i], low4), b = _mm512_and_si512(_mm512_srli_epi16(q[i], 4), low4);
            if (five) {
                __m512i bit = _mm512_set1_epi8((char)(1 << l)), next = _mm512_set1_epi8((char)(2 << l));
                __m512i add = _mm512_set1_epi8(16);
                a = _mm512_mask_add_epi8(a, _mm512_test_epi8_mask(high[i % 8], bit), a, add);
                b = _mm512_mask_add_epi8(b, _mm512_test_epi8_mask(high[i % 8], next), b, add);
            }
            block[l][i % 8] = a;
            block[l + 1][i % 8] = b;
        }
    }
}

static inline void tile_q6(const uint8_t *const *p, __m512i *const *block) {
    __m512i low4 = _mm512_set1_epi8(15), two = _mm512_set1_epi8(0x30), high[16], sub[4];
    enum { OR_OF_AND = 0xf8 }; // a | (b & c)
    turn_at(p, 128, high);
    turn_four(p, 192, sub);
    __m512i d = _mm512_castps_si512(float16_at(p, 208));
    for (int l = 0; l < LANES; l++) {
        block[l][8] = d;
        for (int h = 0; h < 2; h++)
            block[l][9 + h] =
                _mm512_srai_epi32(_mm512_slli_epi32(sub[l / 2], 24 - 8 * (2 * (l % 2) + h)), 24);
    }
    for (int n = 0; n < 2; n++) {
        __m512i q[16];
        turn_at(p, 64 * n, q);
        for (int i = 0; i < 8; i++) {
            __m512i h = high[8 * n + i], a = q[i], b = q[i + 8];
            __m512i c = _mm512_and_si512(_mm512_srli_epi16(a, 4), low4),
                    e = _mm512_and_si512(_mm512_srli_epi16(b, 4), low4);
            a = _mm512_and_si512(a, low4), b = _mm512_and_si512(b, low4);
            block[4 * n][i] = _mm512_ternarylogic_epi32(a, _mm512_slli_epi16(h, 4), two, OR_OF_AND);
            block[4 * n + 1][i] = _mm512_ternarylogic_epi32(b, _mm512_slli_epi16(h, 2), two, OR_OF_AND);
            block[4 * n + 2][i] = _mm512_ternarylogic_epi32(c, h, two, OR_OF_AND);
            block[4 * n + 3][i] = _mm512_ternarylogic_epi32(e, _mm512_srli_epi16(h, 2), two, OR_OF_AND);
        }
    }
}

static inline void tile_q8(const uint8_t *const *p, __m512i *const *block) {
    for (int j = 0; j < 4; j++) {
        __m512i in[16], q[16];
        for (int i = 0; i < TILE; i++) {
            const uint8_t *at = p[i] + 68 * j;
            in[i] = _mm512_inserti64x4(_mm512_castsi256_si512(_mm256_loadu_si256((const __m256i *)(at + 2))),
                                       _mm256_loadu_si256((const __m256i *)(at + 36)), 1);
        }
        turn(in, q);
        for (int i = 0; i < 16; i++)
            block[2 * j + i / 8][i % 8] = _mm512_xor_si512(q[i], _mm512_set1_epi8((char)0x80));
    }
    for (int l = 0; l < LANES; l++) block[l][8] = _mm512_castps_si512(float16_at(p, 34 * l));
}

static inline __attribute__((always_inline)) void tile_chunk(WeightType t, const uint8_t *const *p,
                                                             __m512i *const *block) {
    if (t == W_Q4_K || t == W_Q5_K)
        tile_k(p, t == W_Q5_K, block);
    else if (t == W_Q6_K)
        tile_q6(p, block);
    else if (t == W_Q8_0)
        tile_q8(p, block);
    else
        tile_rows(t, p, block);
}

// Where the weights of a tile are, row by row.
typedef struct {
    const Rows *all;
    Row row[TILE];
} Tile;

static inline __attribute__((always_inline)) void make_tile(WeightType t, const Tile *from, int64_t c,
                                                            int span, __m512i *tile) {
    int bytes = kind_of(t).bytes;
    for (int s = 0; s < span; s++) {
        const uint8_t *p[TILE];
        __m512i *block[LANES];
        for (int i = 0; i < TILE; i++) { p[i] = row_chunk(&from->row[i], from->all, c + s, bytes); }
        for (int l = 0; l < LANES; l++) block[l] = tile + (l * span + s) * TILE_BLOCK;
        tile_chunk(t, p, block);
    }
}

static inline __m512i spread(const void *four_bytes) {
    int v;
    memcpy(&v, four_bytes, 4);
    return _mm512_set1_epi32(v);
}

typedef struct {
    __m512 v[LANES][2][GROUP];
} Lanes;

// Two tiles times the same columns of inputs.
typedef struct {
    const __m512i *tile[2];
    int span;
    const Rounded *x; // of the first input; inputs are `chunks` apart
    int64_t chunks;
    bool begin; // nothing in the lanes yet
    int shift;
    Lanes *lanes;
    uintptr_t ahead; // weights that will be wanted: lines of them are fetched meanwhile, so many a block
    int lines;
} Meeting;

// n and form are constants where this is called.
static inline __attribute__((always_inline)) void multiply(const Meeting *m, Form form, int n) {
    int64_t chunks = m->chunks;
    const __m512i *tile[2] = {m->tile[0], m->tile[1]};
    uintptr_t ahead = m->ahead;
    __m128i shift = _mm_cvtsi32_si128(m->shift);
    for (int l = 0; l < LANES; l++) {
        __m512 lane[2][GROUP];
        for (int t = 0; t < 2; t++)
            for (int i = 0; i < n; i++) lane[t][i] = m->begin ? _mm512_setzero_ps() : m->lanes->v[l][t][i];
        const Rounded *at = m->x;
        for (int c = 0; c < m->span; c++, at++) {
            for (int i = 0; i < m->lines; i++, ahead += 64) _mm_prefetch((const char *)ahead, _MM_HINT_T1);
            __m512i sum[2][GROUP];
            for (int i = 0; i < n; i++)
                sum[0][i] = sum[1][i] = form == SIXTEEN ? spread(&at[i * chunks].off16[8 * (l % 2) + l / 2])
                                        : form == OFFSET
                                            ? _mm512_sra_epi32(spread(&at[i * chunks].off32[l]), shift)
                                            : _mm512_setzero_si512();
            for (int j = 0; j < (form == SIXTEEN ? 4 : 8); j++)
                for (int i = 0; i < n; i++) {
                    __m512i x = spread(at[i * chunks].q + BLOCK * l + 4 * j);
                    sum[0][i] = _mm512_dpbusd_epi32(sum[0][i], tile[0][j], x);
                    sum[1][i] = _mm512_dpbusd_epi32(sum[1][i], tile[1][j], x);
                }
            if (form == SIXTEEN) {
                __m512i upper[2][GROUP];
                for (int i = 0; i < n; i++)
                    upper[0][i] = upper[1][i] = spread(&at[i * chunks].off16[8 * (l % 2) + 4 + l / 2]);
                for (int j = 4; j < 8; j++)
                    for (int i = 0; i < n; i++) {
                        __m512i x = spread(at[i * chunks].q + BLOCK * l + 4 * j);
                        upper[0][i] = _mm512_dpbusd_epi32(upper[0][i], tile[0][j], x);
                        upper[1][i] = _mm512_dpbusd_epi32(upper[1][i], tile[1][j], x);
                    }
                for (int t = 0; t < 2; t++)
                    for (int i = 0; i < n; i++)
                        sum[t][i] = _mm512_add_epi32(_mm512_mullo_epi32(sum[t][i], tile[t][9]),
                                                     _mm512_mullo_epi32(upper[t][i], tile[t][10]));
            }
            for (int i = 0; i < n; i++)
                for (int t = 0; t < 2; t++) {
                    __m512 scaled =
                        _mm512_mul_ps(_mm512_cvtepi32_ps(sum[t][i]), _mm512_castsi512_ps(tile[t][8]));
                    lane[t][i] = _mm512_fmadd_ps(scaled, _mm512_set1_ps(at[i * chunks].dx[l]), lane[t][i]);
                    if (form == MIN)
                        lane[t][i] = _mm512_fmadd_ps(_mm512_castsi512_ps(tile[t][9]),
                                                     _mm512_set1_ps(at[i * chunks].s[l]), lane[t][i]);
                }
            tile[0] += TILE_BLOCK;
            tile[1] += TILE_BLOCK;
        }
        for (int t = 0; t < 2; t++)
            for (int i = 0; i < n; i++) m->lanes->v[l][t][i] = lane[t][i];
    }
}

#define MULTIPLY(form, n) \
    static void multiply_##form##_##n(const Meeting *m) { multiply(m, form, n); }
MULTIPLY(OFFSET, 1)
MULTIPLY(OFFSET, 2)
MULTIPLY(OFFSET, 3)
MULTIPLY(OFFSET, 4)
MULTIPLY(OFFSET, 5)
MULTIPLY(OFFSET, 6)
MULTIPLY(MIN, 1)
MULTIPLY(MIN, 2)
MULTIPLY(MIN, 3)
MULTIPLY(MIN, 4)
MULTIPLY(MIN, 5)
MULTIPLY(MIN, 6)
MULTIPLY(SIXTEEN, 1)
MULTIPLY(SIXTEEN, 2)
MULTIPLY(SIXTEEN, 3)
MULTIPLY(SIXTEEN, 4)
// clang-format off
static void (*const MULTIPLY_BY[FORMS][GROUP + 1])(const Meeting *m) = {
    [OFFSET] = {NULL, multiply_OFFSET_1, multiply_OFFSET_2, multiply_OFFSET_3, multiply_OFFSET_4, multiply_OFFSET_5, multiply_OFFSET_6},
    [MIN] = {NULL, multiply_MIN_1, multiply_MIN_2, multiply_MIN_3, multiply_MIN_4, multiply_MIN_5, multiply_MIN_6},
    [SIXTEEN] = {NULL, multiply_SIXTEEN_1, multiply_SIXTEEN_2, multiply_SIXTEEN_3, multiply_SIXTEEN_4},
};
// clang-format on

// The tree over the lanes, for two tiles and n inputs. left: rows that there are.
static void finish(const Lanes *lanes, int n, float *y, int64_t stride, int64_t left) {
    for (int t = 0; t < 2 && left > TILE * t; t++) {
        int64_t rows = left - TILE * t;
        __mmask16 there = (__mmask16)(rows < TILE ? (1u << rows) - 1 : 0xffff);
        for (int i = 0; i < n; i++) {
            __m512 s[4];
            for (int l = 0; l < 4; l++) s[l] = _mm512_add_ps(lanes->v[l][t][i], lanes->v[l + 4][t][i]);
            __m512 sum = _mm512_add_ps(_mm512_add_ps(s[0], s[2]), _mm512_add_ps(s[1], s[3]));
            _mm512_mask_storeu_ps(y + i * stride + TILE * t, there, sum);
        }
    }
}

// Few inputs: a pair of tiles at a time, in spans that stay in the first cache, while the weights of the next
// pair are fetched. Many: as many pairs as half of a second cache holds, over whole rows, before the inputs
// go over them.
enum { FEW = 2 * GROUP, SPAN = 2, PAIRS_MAX = 2, ROOM = 400 << 10 };
typedef struct {
    int span, pairs; // chunks; pairs of tiles made before inputs meet them
    size_t tile;     // vectors of a tile
} Plan;
static Plan plan(const Product *p) {
    int64_t chunks = rounded_chunks(p->w->cols);
    Plan plan = {.span = (int)(p->in->count <= FEW && chunks > SPAN ? SPAN : chunks), .pairs = 1};
    plan.tile = (size_t)plan.span * LANES * TILE_BLOCK;
    size_t fit = ROOM / (2 * plan.tile * sizeof(__m512i));
    if (p->in->count > FEW) plan.pairs = fit < 1 ? 1 : fit > PAIRS_MAX ? PAIRS_MAX : (int)fit;
    return plan;
}

static void many_inputs(const Product *p, int64_t first, int64_t rows, __m512i *room,
                        void (*make)(const Tile *from, int64_t c, int span, __m512i *tile)) {
    Kind k = kind_of(p->w->type);
    Plan g = plan(p);
    Lanes lanes[FEW / GROUP_SIXTEEN];
    Meeting m = {.chunks = rounded_chunks(p->w->cols), .shift = k.shift};
    int most = k.form == SIXTEEN ? GROUP_SIXTEEN : GROUP, groups = (p->in->count + most - 1) / most;
    int64_t end = first + rows;
    Rows all = rows_of(p->w, k.bytes);
    int64_t spans = (m.chunks + g.span - 1) / g.span;
    if (p->in->count <= FEW)
        m.lines = (int)(PAIR * all.row_bytes / 64 / (spans * groups * LANES * g.span)) + 1;
    for (; first < end; first += (int64_t)PAIR * g.pairs) {
        Tile from[2 * PAIRS_MAX];
        m.ahead = (uintptr_t)p->w->data + (uintptr_t)((first + PAIR) * all.row_bytes);
        int64_t left = (end - first + PAIR - 1) / PAIR;
        int pairs = left < g.pairs ? (int)left : g.pairs;
        for (int i = 0; i < 2 * pairs; i++) {
            from[i].all = &all;
            for (int r = 0; r < TILE; r++) { // rows beyond the last one repeat it; nobody stores them
                int64_t row = first + TILE * i + r;
                row_begin(&from[i].row[r], &all, row < p->w->rows ? row : p->w->rows - 1);
            }
        }
        for (int64_t c = 0; c < m.chunks; c += g.span) {
            m.span = (int)(m.chunks - c < g.span ? m.chunks - c : g.span);
            m.begin = c == 0;
            for (int i = 0; i < 2 * pairs; i++) make(&from[i], c, m.span, room + (size_t)i * g.tile);
            for (int n = 0; n < groups; n++) {
                int at = (int)((int64_t)p->in->count * n / groups),
                    to = (int)((int64_t)p->in->count * (n + 1) / groups);
                m.x = rounded_of(p->in, at) + c;
                for (int i = 0; i < pairs; i++) {
                    int64_t row = first + (int64_t)PAIR * i;
                    m.tile[0] = room + (size_t)(2 * i) * g.tile;
                    m.tile[1] = m.tile[0] + g.tile;
                    m.lanes = &lanes[g.span < m.chunks ? n : 0];
                    MULTIPLY_BY[k.form][to - at](&m);
                    m.ahead += (uintptr_t)(m.lines * LANES * m.span) * 64;
                    if (c + m.span == m.chunks)
                        finish(m.lanes, to - at, p->y + at * p->stride + row, p->stride, end - row);
                }
            }
        }
    }
}

#define TYPE_LOOPS(T)                                                                              \
    static __attribute__((noinline)) void one_##T(const Product *p, int64_t first, int64_t rows) { \
        one_input(W_##T, p, first, rows);                                                          \
    }                                                                                              \
    static void tile_##T(const Tile *from, int64_t c, int span, __m512i *tile) {                   \
        make_tile(W_##T, from, c, span, tile);                                                     \
    }
TYPE_LOOPS(Q4_0)
TYPE_LOOPS(Q5_0)
TYPE_LOOPS(Q5_1)
TYPE_LOOPS(Q8_0)
TYPE_LOOPS(Q4_K)
TYPE_LOOPS(Q5_K)
TYPE_LOOPS(Q6_K)

static void quantised(const Product *p, int64_t first, int64_t rows, void *room) {
    bool one = p->in->count == 1;
    switch (p->w->type) {
#define CASE(T)                                          \
    case W_##T:                                          \
        if (one)                                         \
            one_##T(p, first, rows);                     \
        else                                             \
            many_inputs(p, first, rows, room, tile_##T); \
        break;
        CASE(Q4_0) CASE(Q5_0) CASE(Q5_1) CASE(Q8_0) CASE(Q4_K) CASE(Q5_K) CASE(Q6_K) default : break;
    }
}

static size_t scratch(const Product *p) {
    if (!type_quantised(p->w->type) || p->in->count == 1) return 0;
    Plan g = plan(p);
    return (size_t)(2 * g.pairs) * g.tile * sizeof(__m512i);
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
#include "model/product_float_impl.h"

const ProductLoops product_vnni = {round_input, quantised, floats, scratch, PAIR *PAIRS_MAX};
#endif
