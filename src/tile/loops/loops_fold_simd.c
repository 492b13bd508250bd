// Loops over many lanes of one result: reductions and matrix products. Compiled once for each instruction
// set: see base/isa.h. Nothing here may depend on which one it is.
#include "tile/loops/lane_bits.h"
#include "tile/loops/loops.h"

// ---- reductions ----

#ifdef __AVX512F__
// Of so many pairs, as many as whole vectors hold.
#define PAIRS(name, of)                                                                       \
    static inline size_t name(float *to, const float *x, size_t h, size_t pairs) {            \
        size_t i = 0;                                                                         \
        for (; i + 16 <= pairs; i += 16)                                                      \
            _mm512_storeu_ps(to + i, of(_mm512_loadu_ps(x + i), _mm512_loadu_ps(x + i + h))); \
        return i;                                                                             \
    }
PAIRS(max_pairs, max_f32_wide)
PAIRS(min_pairs, min_f32_wide)
#else
#define max_pairs NONE
#define min_pairs NONE
#endif
#define NONE(to, x, h, pairs) 0

UNARY(round_all_f16, float, float, round_f16(a))

// Round by round as fold.c does it with loops of one round each, without a call for each. WIDE: what of a
// round is done in other words.
#define TREE(name, T, WIDE, EXPR)                                                 \
    static void tree_##name(void *d, const void *from, void *scratch, size_t n) { \
        const T *x = from;                                                        \
        T *to = scratch;                                                          \
        while (n > 1) {                                                           \
            size_t pairs = n / 2, h = n - pairs;                                  \
            LANES for (size_t i = WIDE(to, x, h, pairs); i < pairs; i++) {        \
                const T a = x[i], b = x[i + h];                                   \
                to[i] = EXPR;                                                     \
            }                                                                     \
            if (pairs < h) to[pairs] = x[pairs];                                  \
            x = to;                                                               \
            n = h;                                                                \
        }                                                                         \
        *(T *)d = x[0];                                                           \
    }
TREE(add_f32, float, NONE, a + b)
TREE(add_f64, double, NONE, a + b)
TREE(add_f16, float, NONE, round_f16(a + b))
TREE(add_bf16, float, NONE, round_bf16(a + b))
TREE(max_f32, float, max_pairs, max_f32(a, b))
TREE(max_f64, double, NONE, max_f64(a, b))
TREE(min_f32, float, min_pairs, min_f32(a, b))
TREE(min_f64, double, NONE, min_f64(a, b))

// ---- matrix products ----

// Four products at a time, so that a lane of d is read and written once for them; the order is that of one at
// a time.
#define DOT(name, TD, T, U)                                                                        \
    static void name(TD *restrict d, const T *restrict a, const T *restrict b, size_t n, size_t k, \
                     size_t width, bool skips) {                                                   \
        size_t l = 0;                                                                              \
        for (; l + 4 <= k; l += 4, b += 4 * n) {                                                   \
            const U a0 = (U)a[l], a1 = (U)a[l + 1], a2 = (U)a[l + 2], a3 = (U)a[l + 3];            \
            if (skips && a0 == 0 && a1 == 0 && a2 == 0 && a3 == 0) continue;                       \
            LANES for (size_t j = 0; j < width; j++) {                                             \
                U s = (U)d[j] + a0 * (U)b[j];                                                      \
                s = s + a1 * (U)b[n + j];                                                          \
                s = s + a2 * (U)b[2 * n + j];                                                      \
                s = s + a3 * (U)b[3 * n + j];                                                      \
                d[j] = (TD)s;                                                                      \
            }                                                                                      \
        }                                                                                          \
        for (; l < k; l++, b += n) {                                                               \
            const U a0 = (U)a[l];                                                                  \
            LANES for (size_t j = 0; j < width; j++) d[j] = (TD)((U)d[j] + a0 * (U)b[j]);          \
        }                                                                                          \
    }
DOT(dot_row_f32, float, float, float)
DOT(dot_row_f64, double, double, double)
DOT(dot_row_i32, int32_t, int32_t, uint32_t)

// Lanes behind the end of a matrix are zeros. Adding a product with one changes no sum but -0, and -0 comes
// of sums only where it has been all along: where no lane of d is -0, and what zeros are multiplied with is
// finite, such products are left out.
static bool all_finite(const float *x, size_t n) {
    uint32_t endless = 0;
    LANES for (size_t i = 0; i < n; i++) endless |= (uint32_t)((bits32(x[i]) & 0x7f800000u) == 0x7f800000u);
    return !endless;
}
static bool any_minus_zero(const float *x, size_t n) {
    uint32_t any = 0;
    LANES for (size_t i = 0; i < n; i++) any |= (uint32_t)(bits32(x[i]) == 0x80000000u);
    return any;
}
// How many columns come before those that hold zeros alone.
static size_t columns_used(const float *b, size_t n, size_t k) {
    enum { STEP = 16 };
    size_t used = 0;
    for (size_t l = 0; l < k && used < n; l++, b += n)
        for (size_t from = n; from > used;) {
            size_t to = from > used + STEP ? from - STEP : used;
            uint32_t any = 0;
            for (size_t j = to; j < from; j++) any |= bits32(b[j]) << 1;
            if (any) {
                used = from;
                break;
            }
            from = to;
        }
    return used;
}

static void dot_f32(void *d_, const void *a_, const void *b_, size_t m, size_t n, size_t k) {
    const float *a = a_;
    float *d = d_;
    bool rows = all_finite(b_, k * n), columns = all_finite(a_, m * k);
    size_t width = columns ? columns_used(b_, n, k) : n;
    for (size_t i = 0; i < m; i++, a += k, d += n) {
        bool plain = !any_minus_zero(d, n);
        dot_row_f32(d, a, b_, n, k, plain ? width : n, plain && rows);
    }
}
static void dot_f64(void *d, const void *a, const void *b, size_t m, size_t n, size_t k) {
    for (size_t i = 0; i < m; i++)
        dot_row_f64((double *)d + i * n, (const double *)a + i * k, b, n, k, n, false);
}
static void dot_i32(void *d, const void *a, const void *b, size_t m, size_t n, size_t k) {
    for (size_t i = 0; i < m; i++)
        dot_row_i32((int32_t *)d + i * n, (const int32_t *)a + i * k, b, n, k, n, false);
}
static void dot_half(void *d_, const void *a_, const void *b_, size_t m, size_t n, size_t k) {
    for (size_t i = 0; i < m; i++) {
        float *d = (float *)d_ + i * n;
        for (size_t l = 0; l < k; l += 16) {
            size_t part = k - l < 16 ? k - l : 16;
            dot_row_f32(d, (const float *)a_ + i * k + l, (const float *)b_ + l * n, n, part, n, false);
            round_all_f16(d, d, NULL, NULL, n);
        }
    }
}

static uint32_t cut(void *d_, const void *a_, const void *b_, const void *c_, size_t n) {
    uint32_t *d = d_;
    const uint32_t *a = a_, keep = *(const uint32_t *)b_;
    (void)c_;
    LANES for (size_t i = 0; i < n; i++) d[i] = (a[i] & 0x7fffffffu) > 0x7f800000u ? a[i] : a[i] & keep;
    return 0;
}

const FoldLoops ISA_NAME(fold_loops) = {
    .tree = {{[DT_F16] = tree_add_f16,
              [DT_BF16] = tree_add_bf16,
              [DT_F32] = tree_add_f32,
              [DT_F64] = tree_add_f64},
             {[DT_F16] = tree_max_f32,
              [DT_BF16] = tree_max_f32,
              [DT_F32] = tree_max_f32,
              [DT_F64] = tree_max_f64},
             {[DT_F16] = tree_min_f32,
              [DT_BF16] = tree_min_f32,
              [DT_F32] = tree_min_f32,
              [DT_F64] = tree_min_f64}},
    .dot =
        {[DT_F16] = dot_f32, [DT_BF16] = dot_f32, [DT_F32] = dot_f32, [DT_F64] = dot_f64, [DT_I8] = dot_i32},
    .dot_half = dot_half,
    .cut = cut,
};
