// Addresses, elements of memory, and the bytes and words of its shadow. Compiled once for each instruction
// set: see base/isa.h. Nothing here may depend on which one it is.
#include "tile/loops/lane_bits.h"
#include "tile/loops/loops.h"
#ifdef __AVX512F__
#include <immintrin.h>
#endif

// ---- addresses ----

// An address that leaves its storage's range becomes 0, which belongs to no storage. Every step keeps the tag
// or gives 0, so adding to 0 can never arrive at a storage either.
static inline int64_t address_step(int64_t a, int64_t bytes) {
    int64_t r = a + bytes; // |bytes| < 2^42 and tags are small: no overflow
    return (r >> ADDRESS_BITS) == (a >> ADDRESS_BITS) ? r : 0;
}
// Elements are of 1, 2, 4 or 8 bytes: a shift, of which vectors do many at once.
#define PTRADD1(m, one_a, one_b, name, T, INSIDE)                                                 \
    static uint32_t ptradd_##name##_##m(void *d_, const void *a_, const void *b_, const void *c_, \
                                        size_t n) {                                               \
        int64_t *d = d_;                                                                          \
        const int64_t *pa = a_, a0 = *pa;                                                         \
        const int by = __builtin_ctzll(*(const uint64_t *)c_);                                    \
        const T *pb = b_, b0 = *pb;                                                               \
        (void)a0, (void)b0;                                                                       \
        if (n == 1) { /* a scalar: vectors would take longer to get ready */                      \
            const T b = b0;                                                                       \
            bool inside = INSIDE;                                                                 \
            int64_t r = address_step(a0, (int64_t)((uint64_t)(inside ? (int64_t)b : 0) << by));   \
            *d = inside ? r : 0;                                                                  \
            return 0;                                                                             \
        }                                                                                         \
        LANES for (size_t i = 0; i < n; i++) {                                                    \
            const int64_t a = (one_a) ? a0 : pa[i];                                               \
            const T b = (one_b) ? b0 : pb[i];                                                     \
            bool inside = INSIDE;                                                                 \
            int64_t r = address_step(a, (int64_t)((uint64_t)(inside ? (int64_t)b : 0) << by));    \
            d[i] = inside ? r : 0;                                                                \
        }                                                                                         \
        return 0;                                                                                 \
    }
#define PTRADD(name, T, INSIDE) \
    PTRADD1(vv, 0, 0, name, T, INSIDE) PTRADD1(sv, 1, 0, name, T, INSIDE) PTRADD1(vs, 0, 1, name, T, INSIDE)
PTRADD(i32, int32_t, true)
PTRADD(u32, uint32_t, true)
PTRADD(i64, int64_t, b > -((int64_t)1 << OFFSET_BITS) && b < ((int64_t)1 << OFFSET_BITS))
PTRADD(u64, uint64_t, b < ((uint64_t)1 << OFFSET_BITS))

// ---- elements ----

#define F8_LOOPS(name)                                  \
    UNARY(read_##name, float, uint8_t, name##_value(a)) \
    UNARY(write_##name, uint8_t, float, name##_bits(a))
F8_LOOPS(e4nv)
F8_LOOPS(e5)
F8_LOOPS(e4b8)
F8_LOOPS(e5b16)
F8_LOOPS(e4b15)
UNARY(read_b, uint8_t, uint8_t, a != 0)
UNARY(read_i8, int32_t, int8_t, a)
UNARY(read_i16, int32_t, int16_t, a)
UNARY(read_u8, uint32_t, uint8_t, a)
UNARY(read_u16, uint32_t, uint16_t, a)
#ifdef __AVX512F__
// The processor's conversion is exact, too, but makes a signalling NaN a quiet one.
static uint32_t read_f16(void *d_, const void *a_, const void *b_, const void *c_, size_t n) {
    float *d = d_;
    const uint16_t *a = a_;
    size_t i = 0;
    (void)b_, (void)c_;
    for (; i + 16 <= n; i += 16) {
        __m512 r = _mm512_cvtph_ps(_mm256_loadu_si256((const __m256i *)(const void *)(a + i)));
        if (_mm512_cmp_ps_mask(r, r, _CMP_UNORD_Q))
            for (size_t k = i; k < i + 16; k++) d[k] = f16_value(a[k]);
        else
            _mm512_storeu_ps(d + i, r);
    }
    for (; i < n; i++) d[i] = f16_value(a[i]);
    return 0;
}
#else
UNARY(read_f16, float, uint16_t, f16_value(a))
#endif
UNARY(read_bf16, float, uint16_t, float_of((uint32_t)a << 16))
UNARY(write_8, uint8_t, uint32_t, a)
UNARY(write_16, uint16_t, uint32_t, a)
UNARY(write_f16, uint16_t, float, f16_bits(a))
UNARY(write_bf16, uint16_t, float, bf16_bits(a))
UNARY(write_f32, uint32_t, float, a != a ? F32_NAN : bits32(a))
UNARY(write_f64, uint64_t, double, a != a ? F64_NAN : bits64(a))

UNARY(copy_b, uint8_t, uint8_t, a)
UNARY(copy_u32, uint32_t, uint32_t, a)
UNARY(copy_u64, uint64_t, uint64_t, a)

#define SPLAT(name, T)                                                                         \
    static uint32_t name(void *d_, const void *a_, const void *b_, const void *c_, size_t n) { \
        T *d = d_;                                                                             \
        const T a0 = *(const T *)a_;                                                           \
        (void)b_, (void)c_;                                                                    \
        LANES for (size_t i = 0; i < n; i++) d[i] = a0;                                        \
        return 0;                                                                              \
    }
SPLAT(splat_1, uint8_t)
SPLAT(splat_4, uint32_t)
SPLAT(splat_8, uint64_t)
static uint32_t arange(void *d_, const void *a_, const void *b_, const void *c_, size_t n) {
    uint32_t *d = d_, first = *(const uint32_t *)a_;
    (void)b_, (void)c_;
    LANES for (size_t i = 0; i < n; i++) d[i] = first + (uint32_t)i;
    return 0;
}

// ---- masks and shadow ----

static bool consecutive(const int64_t *address, size_t n, int64_t step) {
    uint64_t first = (uint64_t)address[0], wrong = 0;
    LANES for (size_t i = 0; i < n; i++) wrong |= (uint64_t)address[i] ^ (first + i * (uint64_t)step);
    return wrong == 0;
}
static bool span(const int64_t *address, const uint8_t *mask, size_t n, AddressSpan *out) {
    int64_t least = INT64_MAX, most = INT64_MIN;
    uint64_t bits = 0;
#ifdef __AVX512F__
    if (mask && n >= 8) {
        __m512i low = _mm512_set1_epi64(INT64_MAX), high = _mm512_set1_epi64(INT64_MIN),
                any = _mm512_setzero_si512();
        size_t i = 0;
        for (; i + 8 <= n; i += 8) {
            __m128i m = _mm_loadl_epi64((const __m128i *)(const void *)(mask + i));
            __mmask8 active = (__mmask8)_mm_test_epi8_mask(m, m);
            if (!active) continue;
            __m512i a = _mm512_loadu_si512(address + i);
            low = _mm512_mask_min_epi64(low, active, low, a);
            high = _mm512_mask_max_epi64(high, active, high, a);
            any = _mm512_mask_or_epi64(any, active, any, a);
        }
        least = _mm512_reduce_min_epi64(low);
        most = _mm512_reduce_max_epi64(high);
        bits = (uint64_t)_mm512_reduce_or_epi64(any);
        for (; i < n; i++) {
            if (!mask[i]) continue;
            least = address[i] < least ? address[i] : least;
            most = address[i] > most ? address[i] : most;
            bits |= (uint64_t)address[i];
        }
        *out = (AddressSpan){least, most, bits};
        return least <= most;
    }
#endif
    if (mask) {
        LANES for (size_t i = 0; i < n; i++) {
            const int64_t a = address[i], lo = mask[i] ? a : INT64_MAX, hi = mask[i] ? a : INT64_MIN;
            least = lo < least ? lo : least;
            most = hi > most ? hi : most;
            bits |= mask[i] ? (uint64_t)a : 0;
        }
    } else {
        LANES for (size_t i = 0; i < n; i++) {
            const int64_t a = address[i];
            least = a < least ? a : least;
            most = a > most ? a : most;
            bits |= (uint64_t)a;
        }
    }
    *out = (AddressSpan){least, most, bits};
    return least <= most;
}
#define GATHER(T)                                                                                       \
    static void gather_##T(void *to_, const uint8_t *from, const int64_t *address, const uint8_t *mask, \
                           int64_t least, size_t n) {                                                   \
        T *to = to_;                                                                                    \
        if (!mask)                                                                                      \
            for (size_t i = 0; i < n; i++) memcpy(&to[i], from + (address[i] - least), sizeof(T));      \
        else                                                                                            \
            for (size_t i = 0; i < n; i++)                                                              \
                memcpy(&to[i], from + (mask[i] ? address[i] - least : 0), sizeof(T));                   \
    }
GATHER(uint8_t)
GATHER(uint16_t)
#ifdef __AVX512F__
// Eight at a time, without a branch for each lane of a mask; the few that are left one by one. A store with a
// mask would have them together, but gcc folds it with the narrowing of a register into an instruction that
// writes no more, yet faults where memory ends before lanes that the mask leaves out.
#define GATHER_WIDE(T, gather_by, store)                                                                     \
    GATHER(T)                                                                                                \
    static void gather_wide_##T(void *to_, const uint8_t *from, const int64_t *address, const uint8_t *mask, \
                                int64_t least, size_t n) {                                                   \
        T *to = to_;                                                                                         \
        const __m512i base = _mm512_set1_epi64(least);                                                       \
        const int64_t size = (int64_t)sizeof(T);                                                             \
        const __m512i step =                                                                                 \
            _mm512_setr_epi64(0, size, 2 * size, 3 * size, 4 * size, 5 * size, 6 * size, 7 * size);          \
        size_t i = 0;                                                                                        \
        for (; i + 8 <= n; i += 8) {                                                                         \
            __mmask8 active = 0xff;                                                                          \
            if (mask) {                                                                                      \
                const __m128i m = _mm_loadl_epi64((const __m128i *)(const void *)(mask + i));                \
                active = (__mmask8)_mm_test_epi8_mask(m, m);                                                 \
            }                                                                                                \
            __m512i at = _mm512_maskz_sub_epi64(active, _mm512_loadu_si512(address + i), base);              \
            /* Mostly neighbours: a load in place of eight. */                                               \
            int64_t first = address[i] - least;                                                              \
            __m512i along = _mm512_add_epi64(_mm512_set1_epi64(first), step);                                \
            if (active == 0xff && _mm512_cmpeq_epi64_mask(at, along) == 0xff)                                \
                memcpy(to + i, from + first, 8 * sizeof(T));                                                 \
            else                                                                                             \
                store(to + i, gather_by(at, from, 1));                                                       \
        }                                                                                                    \
        if (i < n) gather_##T(to + i, from, address + i, mask ? mask + i : NULL, least, n - i);              \
    }
GATHER_WIDE(uint32_t, _mm512_i64gather_epi32, _mm256_storeu_epi32)
GATHER_WIDE(uint64_t, _mm512_i64gather_epi64, _mm512_storeu_epi64)
#define gather_uint32_t gather_wide_uint32_t
#define gather_uint64_t gather_wide_uint64_t
#else
GATHER(uint32_t)
GATHER(uint64_t)
#endif

#define PICK(T)                                                                             \
    static void pick_##T(void *to_, const uint8_t *from, const int32_t *offset, size_t n) { \
        T *to = to_;                                                                        \
        for (size_t i = 0; i < n; i++) memcpy(&to[i], from + offset[i], sizeof(T));         \
    }
PICK(uint8_t)
PICK(uint16_t)
PICK(uint32_t)
PICK(uint64_t)
#ifdef __AVX512F__
static void pick_wide(void *to_, const uint8_t *from, const int32_t *offset, size_t n) {
    uint32_t *to = to_;
    size_t i = 0;
    for (; i + 16 <= n; i += 16)
        _mm512_storeu_si512(to + i, _mm512_i32gather_epi32(_mm512_loadu_si512(offset + i), from, 1));
    for (; i + 8 <= n; i += 8)
        _mm256_storeu_si256(
            (__m256i *)(void *)(to + i),
            _mm256_i32gather_epi32((const int *)(const void *)from,
                                   _mm256_loadu_si256((const __m256i *)(const void *)(offset + i)), 1));
    pick_uint32_t(to + i, from, offset + i, n - i);
}
#define pick_uint32_t pick_wide
#endif

static size_t sectors(const int64_t *address, const uint8_t *mask, size_t n, uint64_t *out) {
    size_t found = 0, i = 0;
    uint64_t last = UINT64_MAX; // none: sectors have 59 bits
#ifdef __AVX512F__
    __m512i lasts = _mm512_set1_epi64(-1);
    for (; i + 8 <= n; i += 8) {
        __m512i here = _mm512_srli_epi64(_mm512_loadu_si512(address + i), 5);
        int count = 8;
        if (mask) {
            __m128i m = _mm_loadl_epi64((const __m128i *)(const void *)(mask + i));
            __mmask8 active = (__mmask8)_mm_test_epi8_mask(m, m);
            if (!active) continue;
            count = __builtin_popcount(active);
            here = _mm512_maskz_compress_epi64(active, here);
        }
        // Each beside the one before it.
        __m512i before = _mm512_alignr_epi64(here, lasts, 7);
        __mmask8 new = _mm512_mask_cmpneq_epi64_mask((__mmask8)(0xff >> (8 - count)), here, before);
        if (!new) continue;
        _mm512_storeu_si512(out + found, _mm512_maskz_compress_epi64(new, here)); // found <= i: there is room
        found += (size_t)__builtin_popcount(new);
        lasts = _mm512_permutexvar_epi64(_mm512_set1_epi64(count - 1), here);
    }
    last = (uint64_t)_mm_cvtsi128_si64(_mm512_castsi512_si128(lasts));
#endif
    for (; i < n; i++) {
        uint64_t here = (uint64_t)address[i] >> 5;
        if ((mask && !mask[i]) || here == last) continue;
        out[found++] = last = here;
    }
    return found;
}
static uint8_t all_flags(const uint8_t *p, size_t n) {
    uint8_t r = 0xff;
    LANES for (size_t i = 0; i < n; i++) r &= p[i];
    return r;
}
static uint8_t any_flag(const uint8_t *p, size_t n) {
    uint8_t r = 0;
    LANES for (size_t i = 0; i < n; i++) r |= p[i];
    return r;
}
#ifdef __AVX512F__
static size_t count_ones(const uint8_t *p, size_t n) {
    size_t total = 0, at = 0;
    for (; at + 64 <= n; at += 64) {
        __m512i x = _mm512_loadu_si512(p + at);
        total += (size_t)__builtin_popcountll(_mm512_test_epi8_mask(x, x));
    }
    __m512i x = _mm512_maskz_loadu_epi8(((uint64_t)1 << (n - at)) - 1, p + at);
    return total + (size_t)__builtin_popcountll(_mm512_test_epi8_mask(x, x));
}
#else
static size_t count_ones(const uint8_t *p, size_t n) {
    size_t total = 0;
    for (size_t at = 0; at < n;
         at += 255) { // a byte holds the sum of 255 lanes, so bytes can be added as bytes
        size_t k = n - at < 255 ? n - at : 255;
        uint8_t sum = 0;
        LANES for (size_t i = 0; i < k; i++) sum = (uint8_t)(sum + p[at + i]);
        total += sum;
    }
    return total;
}
#endif

// First whether the launch has touched any of the elements at all: mostly it has not, and that is all there
// is to know.
static uint32_t race_read(const uint32_t *writer, uint32_t *reader, size_t n, uint32_t first,
                          uint32_t serial) {
    uint32_t touched = 0, other = 0;
    LANES for (size_t i = 0; i < n; i++) {
        uint32_t r = reader[i], last = r & ~READER_MANY;
        touched |= (uint32_t)(writer[i] >= first);
        uint32_t many = last == serial ? r & READER_MANY : READER_MANY;
        reader[i] = serial | (last >= first ? many : 0);
    }
    if (!touched) return 0;
    for (size_t i = 0; i < n; i++) other |= (uint32_t)(writer[i] >= first) & (uint32_t)(writer[i] != serial);
    return other ? RACE_OTHER : RACE_WROTE;
}
static uint32_t race_write(uint32_t *writer, const uint32_t *reader, size_t n, uint32_t first,
                           uint32_t serial) {
    uint32_t touched = 0, other = 0, wrote = 0, read = 0;
    LANES for (size_t i = 0; i < n; i++) touched |= (uint32_t)(writer[i] >= first);
    if (reader)
        LANES for (size_t i = 0; i < n; i++) touched |= (uint32_t)((reader[i] & ~READER_MANY) >= first);
    if (touched) {
        for (size_t i = 0; i < n; i++) {
            uint32_t w = writer[i], r = reader ? reader[i] : 0, last = r & ~READER_MANY;
            other |= (uint32_t)(w >= first) & (uint32_t)(w != serial);
            other |= (uint32_t)(last >= first) & (uint32_t)(r != serial);
            wrote |= (uint32_t)(w == serial);
            read |= (uint32_t)(r == serial);
        }
        if (other) return RACE_OTHER;
    }
    LANES for (size_t i = 0; i < n; i++) writer[i] = serial;
    return (wrote ? RACE_WROTE : 0) | (read ? RACE_READ : 0);
}

#define MODES2(name) \
    { name##_vv, name##_sv, name##_vs, name##_vv }
const MemoryLoops ISA_NAME(memory_loops) = {
    .ptradd = {[DT_I8] = MODES2(ptradd_i32),
               [DT_I16] = MODES2(ptradd_i32),
               [DT_I32] = MODES2(ptradd_i32),
               [DT_I64] = MODES2(ptradd_i64),
               [DT_U8] = MODES2(ptradd_u32),
               [DT_U16] = MODES2(ptradd_u32),
               [DT_U32] = MODES2(ptradd_u32),
               [DT_U64] = MODES2(ptradd_u64)},
    .read = {[DT_BOOL] = read_b,
             [DT_I8] = read_i8,
             [DT_I16] = read_i16,
             [DT_I32] = copy_u32,
             [DT_I64] = copy_u64,
             [DT_U8] = read_u8,
             [DT_U16] = read_u16,
             [DT_U32] = copy_u32,
             [DT_U64] = copy_u64,
             [DT_F16] = read_f16,
             [DT_BF16] = read_bf16,
             [DT_F32] = copy_u32,
             [DT_F64] = copy_u64,
             [DT_F8E4NV] = read_e4nv,
             [DT_F8E5] = read_e5,
             [DT_F8E4B8] = read_e4b8,
             [DT_F8E5B16] = read_e5b16,
             [DT_F8E4B15] = read_e4b15},
    .write = {[DT_BOOL] = copy_b,
              [DT_I8] = write_8,
              [DT_I16] = write_16,
              [DT_I32] = copy_u32,
              [DT_I64] = copy_u64,
              [DT_U8] = write_8,
              [DT_U16] = write_16,
              [DT_U32] = copy_u32,
              [DT_U64] = copy_u64,
              [DT_F16] = write_f16,
              [DT_BF16] = write_bf16,
              [DT_F32] = write_f32,
              [DT_F64] = write_f64,
              [DT_F8E4NV] = write_e4nv,
              [DT_F8E5] = write_e5,
              [DT_F8E4B8] = write_e4b8,
              [DT_F8E5B16] = write_e5b16,
              [DT_F8E4B15] = write_e4b15},
    .arange = arange,
    .splat = {[1] = splat_1, [4] = splat_4, [8] = splat_8},
    .copy = {[1] = copy_b, [4] = copy_u32, [8] = copy_u64},
    .consecutive = consecutive,
    .span = span,
    .gather = {[1] = gather_uint8_t, [2] = gather_uint16_t, [4] = gather_uint32_t, [8] = gather_uint64_t},
    .pick = {[1] = pick_uint8_t, [2] = pick_uint16_t, [4] = pick_uint32_t, [8] = pick_uint64_t},
    .sectors = sectors,
    .all_flags = all_flags,
    .any_flag = any_flag,
    .count_ones = count_ones,
    .race_read = race_read,
    .race_write = race_write,
};
