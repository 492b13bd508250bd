// Moves, reductions and scans: everything that combines lanes of one tile.
#include "tile/compute/step.h"
#ifdef __SSE2__
#include <emmintrin.h>
#endif

// ---- moves ----

#define WALK_ROW(T) \
    for (int i = 0; i < n; i++) ((T *)to)[i] = ((const T *)from)[(int64_t)i * stride]
#define REPEAT_ROW(T)                                 \
    do {                                              \
        const T x = *(const T *)from;                 \
        for (int i = 0; i < n; i++) ((T *)to)[i] = x; \
    } while (0)
static void walk_row(int size, void *to, const void *from, int n, int stride) {
    if (stride == 1)
        memcpy(to, from, (size_t)n * (size_t)size);
    else if (stride == 0 && size == 1)
        memset(to, *(const uint8_t *)from, (size_t)n);
    else if (stride == 0 && size == 4)
        REPEAT_ROW(uint32_t);
    else if (stride == 0)
        REPEAT_ROW(uint64_t);
    else if (size == 1)
        WALK_ROW(uint8_t);
    else if (size == 4)
        WALK_ROW(uint32_t);
    else
        WALK_ROW(uint64_t);
}

// Lanes of 4 bytes, n rows of `columns`: lane [i, j] comes from from[i + j * stride]. Four by four they are
// read and written as rows.
#ifdef __SSE2__
static void transpose_block(float *to, size_t pitch, const float *from, size_t stride) {
    __m128 a = _mm_loadu_ps(from), b = _mm_loadu_ps(from + stride), c = _mm_loadu_ps(from + 2 * stride),
           d = _mm_loadu_ps(from + 3 * stride);
    _MM_TRANSPOSE4_PS(a, b, c, d);
    _mm_storeu_ps(to, a);
    _mm_storeu_ps(to + pitch, b);
    _mm_storeu_ps(to + 2 * pitch, c);
    _mm_storeu_ps(to + 3 * pitch, d);
}
#else
static void transpose_block(float *to, size_t pitch, const float *from, size_t stride) {
    for (size_t i = 0; i < 4; i++)
        for (size_t j = 0; j < 4; j++) memcpy(to + i * pitch + j, from + i + j * stride, sizeof *to);
}
#endif
static void transpose(char *to, const char *from, int n, int columns, int stride) {
    size_t pitch = (size_t)columns, by = (size_t)stride;
    for (size_t i = 0; i < (size_t)n; i += 4)
        for (size_t j = 0; j < pitch; j += 4)
            transpose_block((float *)(void *)to + i * pitch + j, pitch,
                            (const float *)(const void *)from + i + j * by, by);
}

// Each of `rows` lanes n times.
#define REPEAT_EACH(T)                                          \
    do {                                                        \
        T *restrict t = to;                                     \
        for (int i = 0; i < rows; i++, t += n) {                \
            const T x = ((const T *)from)[(int64_t)i * stride]; \
            for (int k = 0; k < n; k++) t[k] = x;               \
        }                                                       \
    } while (0)
#define REPEAT_ALL(T)                    \
    switch (n) {                         \
    case 2: REPEAT_FIXED(T, 2); break;   \
    case 4: REPEAT_FIXED(T, 4); break;   \
    case 8: REPEAT_FIXED(T, 8); break;   \
    case 16: REPEAT_FIXED(T, 16); break; \
    default: REPEAT_EACH(T); break;      \
    }
#define REPEAT_FIXED(T, N)                                        \
    for (int i = 0; i < rows; i++) {                              \
        const T x = ((const T *)from)[(int64_t)i * stride];       \
        for (int k = 0; k < (N); k++) ((T *)to)[i * (N) + k] = x; \
    }
static void repeat_rows(int size, void *to, const void *from, int rows, int stride, int n) {
    if (size == 1)
        REPEAT_ALL(uint8_t)
    else if (size == 4)
        REPEAT_ALL(uint32_t)
    else
        REPEAT_ALL(uint64_t)
}

// The first `bytes` of d, again and again up to `all`.
static void fill_up(char *d, size_t bytes, size_t all) {
    while (bytes < all) {
        size_t more = bytes < all - bytes ? bytes : all - bytes;
        memcpy(d + bytes, d, more);
        bytes += more;
    }
}

// From axis k on. What an axis of stride 0 repeats is made once.
static void walk_from(const Walk *w, int k, int size, char *to, const char *from) {
    int last = w->rank - 1, n = w->shape[k], stride = w->stride[k];
    if (k == last) return walk_row(size, to, from, n, stride);
    if (k == last - 1 && stride != 0 && w->stride[last] == 0)
        return repeat_rows(size, to, from, n, stride, w->shape[last]);
    if (k == last - 1 && size == 4 && stride == 1 && w->stride[last] > 1 && n % 4 == 0 &&
        w->shape[last] % 4 == 0)
        return transpose(to, from, n, w->shape[last], w->stride[last]);
    size_t block = (size_t)size;
    for (int i = k + 1; i <= last; i++) block *= (size_t)w->shape[i];
    int rows = stride == 0 && n > 1 ? 1 : n;
    for (int i = 0; i < rows; i++)
        walk_from(w, k + 1, size, to + (size_t)i * block, from + (int64_t)i * stride * size);
    if (rows < n) fill_up(to, block, block * (size_t)n);
}

void step_walk(const Walk *w, int size, void *d, const void *a) {
    if (w->rank == 0)
        memcpy(d, a, (size_t)size);
    else
        walk_from(w, 0, size, d, a);
}

void walk_merge(Walk *w) {
    int rank = 0;
    for (int i = 0; i < w->rank; i++) {
        if (w->shape[i] == 1) continue;
        bool joins = rank > 0 && (int64_t)w->stride[i] * w->shape[i] == w->stride[rank - 1];
        if (joins) w->shape[rank - 1] *= w->shape[i], w->stride[rank - 1] = w->stride[i];
        if (joins) continue;
        w->shape[rank] = w->shape[i];
        w->stride[rank++] = w->stride[i];
    }
    w->rank = rank;
}

// ---- reductions ----

// n rows of `inner` lanes into one: row i meets row i + h, h = ceil(n / 2), then the same for the h results.
// For n a power of two these are the halves of the classic tree; an odd row out waits for the next round.
static void tree(Vm *v, const Step *s, char *d, const char *a, size_t n, size_t inner) {
    size_t row = inner * s->size;
    if (n == 1) memcpy(d, a, row);
    while (n > 1) {
        size_t h = n - n / 2;
        char *to = h == 1 ? d : v->scratch[0];
        s->fn(to, a, a + h * row, NULL, (n - h) * inner);
        if (n - h < h && to != a) memcpy(to + (n - h) * row, a + (n - h) * row, row);
        a = to;
        n = h;
    }
}

const char *reduction_name(InsnOp op) {
    switch (op) {
    case INSN_SUM: return "tl.sum";
    case INSN_RMAX: return "tl.max";
    case INSN_RMIN: return "tl.min";
    case INSN_XORSUM: return "tl.xor_sum";
    case INSN_ORSUM: return "tl.reduce_or";
    case INSN_ARGMAX: return "tl.argmax";
    default: return "tl.argmin";
    }
}

// Which lanes of the result are undefined, before any of it is written: those that an undefined lane goes
// into. Rows that were loaded under a mask may be summed like the others; where such a sum is stored, that is
// the finding. A hint that does not hold (hint.c) is one here.
static bool gather_undefined(Vm *v, const Step *s) {
    if (!s->pd) return true;
    uint8_t *to = memset(v->poison_scratch, 0, (size_t)s->lanes);
    if (!s->pa || !v->loops->memory->any_flag(s->pa, (size_t)s->lanes_a)) return true;
    int64_t first = -1;
    for (int64_t at = 0; at < s->lanes_a; at++) {
        if (!s->pa[at]) continue;
        if (!(s->pa[at] & (UNDEFINED | REDUCED)))
            return vm_undefined(v, s, s->pa[at], at, reduction_name(v->code->insn[s->insn].op));
        int64_t block = (int64_t)s->n * s->inner;
        to[at / block * s->inner + at % s->inner] = REDUCED;
        if (first < 0) first = at;
    }
    v->broken[REDUCED_BIT] = (Broken){s, first};
    return true;
}
static void spread_undefined(Vm *v, const Step *s) {
    if (s->pd) memcpy(s->pd, v->poison_scratch, (size_t)s->lanes);
}

static void reduce(Vm *v, const Step *s) {
    const char *a = s->a;
    char *d = s->d;
    size_t n = (size_t)s->n, inner = (size_t)s->inner;
    // Short rows side by side: the same pairs meet, in long loops instead of short ones.
    if (inner == 1 && n <= 32 && s->outer >= 8) {
        Walk turn = {.rank = 2, .shape = {s->n, s->outer}, .stride = {1, s->n}};
        step_walk(&turn, s->size, v->scratch[1], a);
        tree(v, s, d, v->scratch[1], n, (size_t)s->outer);
        return;
    }
    InsnOp op = v->code->insn[s->insn].op;
    TreeFn *fn = inner == 1 && op <= INSN_RMIN ? v->loops->fold->tree[op - INSN_SUM][s->dtype] : NULL;
    for (int o = 0; fn && o < s->outer; o++)
        fn(d + (size_t)o * s->size, a + (size_t)o * n * s->size, v->scratch[0], n);
    for (int o = 0; !fn && o < s->outer; o++)
        tree(v, s, d + (size_t)o * inner * s->size, a + (size_t)o * n * inner * s->size, n, inner);
}
bool step_reduce(Vm *v, const Step *s) {
    if (!gather_undefined(v, s)) return false;
    reduce(v, s);
    spread_undefined(v, s);
    return true;
}

// The leftmost of the best lanes; NaN counts only where everything is NaN, and then it is lane 0.
#define ARG_OF(T)                                                                \
    do {                                                                         \
        const T *x = (const T *)s->a + (int64_t)o * s->n * s->inner + j;         \
        T top = x[0];                                                            \
        for (int i = 1; i < s->n; i++) {                                         \
            T y = x[(int64_t)i * s->inner];                                      \
            bool better = (least ? y < top : y > top) || (top != top && y == y); \
            best = better ? i : best;                                            \
            top = better ? y : top;                                              \
        }                                                                        \
    } while (0)
bool step_arg(Vm *v, const Step *s) {
    if (!gather_undefined(v, s)) return false;
    bool least = v->code->insn[s->insn].op == INSN_ARGMIN;
    int32_t *d = s->d;
    for (int o = 0; o < s->outer; o++) {
        for (int j = 0; j < s->inner; j++) {
            int best = 0;
            switch ((DType)s->dtype) {
            case DT_BOOL: ARG_OF(uint8_t); break;
            case DT_I64: ARG_OF(int64_t); break;
            case DT_U64: ARG_OF(uint64_t); break;
            case DT_F64: ARG_OF(double); break;
            case DT_F16:
            case DT_BF16:
            case DT_F32: ARG_OF(float); break;
            case DT_U8:
            case DT_U16:
            case DT_U32: ARG_OF(uint32_t); break;
            default: ARG_OF(int32_t); break;
            }
            *d++ = best;
        }
    }
    spread_undefined(v, s);
    return true;
}

// ---- scans ----

// Round k combines each lane with the one 2^k before it (Hillis and Steele), so that lane i ends as the fold
// of lanes 0..i in a tree of depth ceil(log2 n), as warp shuffles do. From the end: the mirror image.
static void scan_block(Vm *v, const Step *s, char *d, const char *a, bool from_end) {
    size_t row = (size_t)s->inner * s->size, all = row * (size_t)s->n;
    int rounds = 0;
    while ((1 << rounds) < s->n) rounds++;
    if (rounds == 0) memcpy(d, a, all);
    for (int k = 0; k < rounds; k++) {
        char *to = (rounds - k) % 2 ? d : v->scratch[0]; // the last round writes d
        size_t skip = row << k, lanes = (all - skip) / s->size;
        s->fn(from_end ? to : to + skip, a, a + skip, NULL, lanes);
        if (from_end)
            memcpy(to + all - skip, a + all - skip, skip);
        else
            memcpy(to, a, skip);
        a = to;
    }
}

static void scan_poison(const Step *s, bool from_end) {
    for (int o = 0; o < s->outer; o++) {
        for (int j = 0; j < s->inner; j++) {
            uint8_t met = 0;
            for (int i = 0; i < s->n; i++) {
                int64_t at = ((int64_t)o * s->n + (from_end ? s->n - 1 - i : i)) * s->inner + j;
                met |= s->pa ? s->pa[at] : 0;
                s->pd[at] = met;
            }
        }
    }
}

void step_scan(Vm *v, const Step *s) {
    bool from_end = s->imm & 16;
    size_t block = (size_t)s->n * (size_t)s->inner * s->size;
    for (int o = 0; o < s->outer; o++)
        scan_block(v, s, (char *)s->d + (size_t)o * block, (const char *)s->a + (size_t)o * block, from_end);
    if (s->pd) scan_poison(s, from_end);
}
