// Several inputs, AVX-512 with VNNI: sixteen rows are unpacked and turned once, so that a lane is a row, and
// then multiplied with all inputs; two such tiles and up to six inputs at a time are in registers.
#if defined(__AVX512VNNI__) && defined(__AVX512VBMI__) && !defined(PORTABLE)
#include "model/product/product_vnni.h"

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
enum { FEW = 2 * GROUP, SPAN = 2, PAIRS_MAX = PIECE_ROWS / PAIR, ROOM = 400 << 10 };
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

static void meet(const Product *p, int64_t first, int64_t rows, __m512i *room,
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

#define TILE_OF(T)                                                               \
    static void tile_##T(const Tile *from, int64_t c, int span, __m512i *tile) { \
        make_tile(W_##T, from, c, span, tile);                                   \
    }
TILE_OF(Q4_0)
TILE_OF(Q5_0)
TILE_OF(Q5_1)
TILE_OF(Q8_0)
TILE_OF(Q4_K)
TILE_OF(Q5_K)
TILE_OF(Q6_K)

void many_inputs(const Product *p, int64_t first, int64_t rows, void *room) {
    switch (p->w->type) {
#define CASE(T) \
    case W_##T: meet(p, first, rows, room, tile_##T); break;
        CASE(Q4_0)
        CASE(Q5_0)
        CASE(Q5_1)
        CASE(Q8_0)
        CASE(Q4_K) CASE(Q5_K) CASE(Q6_K)
#undef CASE
            default : break;
    }
}

size_t many_inputs_room(const Product *p) {
    Plan g = plan(p);
    return (size_t)(2 * g.pairs) * g.tile * sizeof(__m512i);
}
#endif
