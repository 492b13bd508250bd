// product_vnni.h - what the files for AVX-512 with VNNI and VBMI share: how eight blocks of each type are
// unpacked, and how the rows of a matrix are walked. Include it only where those are compiled for.
#pragma once
#include "model/product/product_loops.h"
#include "model/product/product_scales.h"
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

static inline Eight unpack_q4_k(const uint8_t *p) {
    Eight e;
    k_scales(p, &e.scale, &e.min);
    for (int i = 0; i < 4; i++)
        e.q[i] =
            _mm512_and_si512(_mm512_srlv_epi16(twice(p + 16 + 32 * i), halves(0, 4)), _mm512_set1_epi8(15));
    return e;
}

static inline Eight unpack_q5_k(const uint8_t *p) {
    Eight e;
    k_scales(p, &e.scale, &e.min);
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

// product_tile_vnni.c: rows [first, first + rows) times several inputs, and the room that takes.
enum { PIECE_ROWS = 64 };
void many_inputs(const Product *p, int64_t first, int64_t rows, void *room);
size_t many_inputs_room(const Product *p);
