#include "judge/decide/compare.h"

#include <math.h>
#include <string.h>

#include "base/isa.h"
#include "judge/decide/compare_simd.h"

// Half of the spacing around a finite value of the type, seen from it toward `direction`: where its cell
// ends.
static double cell_end(DType t, double out, int direction) {
    if (isinf(out)) {
        if ((out > 0) == (direction > 0)) return out; // the cell of +inf is [max + half an ulp, inf]
        double max = dtype_max(t);
        double half = dtype_half_ulp(t, max);
        return out > 0 ? max + half : -(max + half);
    }
    double next = dtype_next(t, out, direction);
    if (isinf(next)) return out + (direction > 0 ? 1 : -1) * dtype_half_ulp(t, out);
    return out / 2 + next / 2; // no overflow at the end of float64
}

double compare_needed(DType dtype, double v, double e, double out) {
    if (isnan(v) || isnan(out)) return isnan(v) && isnan(out) ? 0 : INFINITY;
    if (isinf(v)) return out == v ? 0 : INFINITY;
    if (!dtype_is_float(dtype)) {
        double off = fabs(out - v);
        if (off <= BOUND_KAPPA * BOUND_U * e) return 0;
        return e > 0 && off > 0 ? off / (BOUND_U * e) / BOUND_KAPPA : INFINITY;
    }
    double lo = cell_end(dtype, out, -1), hi = cell_end(dtype, out, +1);
    double off = v < lo ? lo - v : v > hi ? v - hi : 0;
    if (off == 0) return 0;
    return e > 0 ? off / (BOUND_U * e) / BOUND_KAPPA : INFINITY;
}

static double ulp_of(DType t, double v) {
    if (!dtype_is_float(t)) return 1;
    double m = fabs(v) < dtype_max(t) ? fabs(v) : dtype_max(t);
    return 2 * dtype_half_ulp(t, m);
}

// doc/error-bound.md section 5. A result near the end of its type that runs over it is wrong by a finite
// amount, like its neighbours that stay below: which of them a draw has is luck, and the label must not be.
static Match judge_wrong(DType dtype, double dependence, double v, double out) {
    if (isnan(v) != isnan(out)) return MATCH_NAN;
    if (isinf(out) && !isinf(v) && fabs(v) >= dtype_max(dtype) / 16 && signbit(out) == signbit(v))
        out = copysign(dtype_max(dtype), out);
    if (dtype == DT_F16 && isinf(out) && !isinf(v)) return MATCH_OVER;
    if (isinf(v) != isinf(out)) return MATCH_NAN;
    // The next value of a type with few digits may be as far off as the value itself, for whatever small
    // reason.
    if (dtype_is_float(dtype) && fabs(out - v) <= ulp_of(dtype, v)) return MATCH_INACCURATE;
    if (dependence <= 0x1p8) return MATCH_INACCURATE;
    if (dependence <= 0x1p16 && fabs(out - v) <= fabs(v) / 16) return MATCH_INACCURATE;
    return MATCH_INCORRECT;
}

typedef struct {
    double ratio; // distance over (bound + half ulp): a cheap order for "worst"
    int64_t at;
} WorstRatio;

// One output on its way through the elements.
typedef struct {
    const Bound *expected;
    CompareRule rule;
    const char *out;
    uint8_t *judged;
    WorstRatio worst;
    int64_t overs;
    Comparison *c;
} Comparing;

// The exact test, for elements that the cheap one could not accept.
static void judge_slowly(Comparing *t, int64_t i, double out) {
    const Bound *b = t->expected;
    Comparison *c = t->c;
    double v = b->v[i], e = b->e ? b->e[i] : 0;
    double dependence = compare_needed(b->dtype, v, e, out);
    if (!(e < INFINITY) && !isnan(v)) { // an intermediate may honestly overflow here: nothing can be said
        c->unjudged++;
        if (c->worst < MATCH_UNJUDGED) c->worst = MATCH_UNJUDGED;
        return;
    }
    t->judged[i] = 1;
    if (dependence <= 1) {
        if (dependence > c->use) c->use = dependence;
        return;
    }
    Match m = judge_wrong(b->dtype, dependence, v, out);
    if (c->wrong++ == 0) c->first_wrong = i;
    c->nans += m == MATCH_NAN;
    t->overs += m == MATCH_OVER;
    // What is said about the worst element has to be true of it: a NaN is named by an element with one.
    if (m > c->worst || (m == c->worst && dependence > c->worst_needed)) {
        c->worst = m;
        c->worst_needed = dependence;
        c->worst_at = i;
    }
    if (dependence > c->use) c->use = dependence;
}

static const CompareLoops *loops(void) {
#ifdef PORTABLE
    return &compare_loops_base;
#else
    static const CompareLoops *const table[ISA_COUNT] = {&compare_loops_base, &compare_loops_avx2,
                                                         &compare_loops_avx512};
    return table[isa_level()];
#endif
}

static CompareRule rule_of(DType t) {
    CompareRule r = {.scale = BOUND_KAPPA * BOUND_U};
    if (!dtype_is_float(t)) return r;
    r.half = dtype_half_ulp(t, 1);
    r.half_smallest = dtype_half_ulp(t, 0);
    return r;
}

static Comparing comparing(const Bound *expected, const void *out, uint8_t *judged, Comparison *c) {
    return (Comparing){.expected = expected,
                       .rule = rule_of(expected->dtype),
                       .out = out,
                       .judged = judged,
                       .worst = {-1, 0},
                       .c = c};
}

// The first of the largest ratios: where to look when nothing is wrong.
static void note_ratio(const double *ratio, double most, int64_t at, WorstRatio *worst) {
    if (!(most > worst->ratio)) return;
    int64_t k = 0;
    while (ratio[k] != most) k++;
    *worst = (WorstRatio){most, at + k};
}

static void note_evidence(const Bound *b, const void *out, Comparison *c) {
    double v = b->v[c->worst_at], e = b->e ? b->e[c->worst_at] : 0, got;
    dtype_load_row(b->dtype, (const char *)out + c->worst_at * dtype_bytes(b->dtype), 1, &got, 1);
    double ulp = ulp_of(b->dtype, v);
    c->error_ulp = isfinite(got) && isfinite(v)           ? fabs(got - v) / ulp
                   : got == v || (isnan(got) && isnan(v)) ? 0
                                                          : INFINITY;
    c->bound_ulp = isfinite(v) ? BOUND_KAPPA * BOUND_U * e / ulp : 0;
    double dependence = compare_needed(b->dtype, v, e, got);
    if (c->wrong == 0 && dependence <= 1 && dependence > c->use) c->use = dependence;
}

enum { CHUNK = 512, PIECE = 256 };

// Elements [at, at + n) one by one or, where the cheap test is enough, together.
static void compare_some(Comparing *t, int64_t at, int64_t n) {
    const Bound *b = t->expected;
    const CompareRule *rule = &t->rule;
    uint8_t *judged = t->judged;
    double o[CHUNK], ratio[CHUNK];
    const double *e = b->e ? b->e + at : NULL;
    dtype_load_row(b->dtype, t->out + at * dtype_bytes(b->dtype), 1, o, (size_t)n);
    bool beyond;
    size_t sure = loops()->sure(rule, b->v + at, e, o, (size_t)n, judged + at, t->worst.ratio, &beyond);
    for (int64_t k = 0; sure < (size_t)n && k < n; k++)
        if (!judged[at + k]) judge_slowly(t, at + k, o[k]);
    // Divisions only where they can change the answer, which is soon nearly nowhere.
    if (beyond) note_ratio(ratio, loops()->ratios(rule, b->v + at, e, o, (size_t)n, ratio), at, &t->worst);
}

// What compare_some() does to a comparison where the output has the rounded values' bits.
typedef struct {
    bool right;   // every element is judged, and right
    double use;   // the largest of those that were judged slowly; 0: none
    double ratio; // the largest, and where it is first
    int64_t at;
} Piece;

struct Rounded {
    const char *bytes;
    const Piece *piece; // of PIECE elements each
    const Rounded *also;
};

const Rounded *rounded_also(const Rounded *r) { return r ? r->also : NULL; }

const Rounded *compare_round(Arena *a, const Bound *b) {
    int64_t size = dtype_bytes(b->dtype);
    Rounded *r = NEW(a, Rounded);
    char *bytes = arena_raw(a, (size_t)(b->numel * size) + 1, 64);
    Piece *piece = NEWN(a, Piece, (size_t)(b->numel / PIECE) + 1);
    uint8_t judged[PIECE];
    dtype_store_row(b->dtype, bytes, 1, b->v, (size_t)b->numel);
    for (int64_t at = 0; at < b->numel; at += PIECE) {
        int64_t n = b->numel - at < PIECE ? b->numel - at : PIECE;
        Bound part = {.dtype = b->dtype, .numel = n, .v = b->v + at, .e = b->e ? b->e + at : NULL};
        Comparison c = {.worst = MATCH_YES};
        Comparing t = comparing(&part, bytes + at * size, judged, &c);
        compare_some(&t, 0, n);
        piece[at / PIECE] = (Piece){c.wrong == 0 && c.unjudged == 0, c.use, t.worst.ratio, at + t.worst.at};
    }
    *r = (Rounded){bytes, piece, b->also ? compare_round(a, b->also) : NULL};
    return r;
}

// False when the output has other bits there, or more has to be said of these.
static bool take_piece(Comparing *t, const Rounded *r, int64_t at, int64_t n) {
    int64_t size = dtype_bytes(t->expected->dtype);
    const Piece *p = &r->piece[at / PIECE];
    if (!p->right || memcmp(t->out + at * size, r->bytes + at * size, (size_t)(n * size)) != 0) return false;
    memset(t->judged + at, 1, (size_t)n);
    if (p->use > t->c->use) t->c->use = p->use;
    if (p->ratio > t->worst.ratio) t->worst = (WorstRatio){p->ratio, p->at};
    return true;
}

void compare_case(const Bound *b, const Rounded *rounded, const void *out, uint8_t *judged, Comparison *c) {
    *c = (Comparison){.worst = MATCH_YES, .total = b->numel};
    if (b->numel == 0) return;
    Comparing t = comparing(b, out, judged, c);
    int64_t step = rounded ? PIECE : CHUNK;
    for (int64_t at = 0; at < b->numel; at += step) {
        int64_t n = b->numel - at < step ? b->numel - at : step;
        if (rounded && take_piece(&t, rounded, at, n)) continue;
        compare_some(&t, at, n);
    }
    if (match_of_class(c->worst)) c->nans += t.overs;
    if (c->wrong == 0 && t.worst.ratio >= 0) c->worst_at = t.worst.at;
    note_evidence(b, out, c);
}

bool compare_surely_right(const Bound *b, const void *out, const void *right, uint8_t *judged) {
    const CompareRule rule = rule_of(b->dtype);
    const int64_t size = dtype_bytes(b->dtype);
    double o[CHUNK];
    for (int64_t at = 0; at < b->numel; at += CHUNK) {
        int64_t n = b->numel - at < CHUNK ? b->numel - at : CHUNK;
        const char *now = (const char *)out + at * size;
        if (memcmp(now, (const char *)right + at * size, (size_t)(n * size)) == 0) continue;
        dtype_load_row(b->dtype, now, 1, o, (size_t)n);
        bool beyond;
        size_t sure =
            loops()->sure(&rule, b->v + at, b->e ? b->e + at : NULL, o, (size_t)n, judged, INFINITY, &beyond);
        if (sure < (size_t)n) return false;
    }
    return true;
}

bool compare_classes_differ(const Bound *b, const void *out) {
    double o[CHUNK];
    for (int64_t at = 0; at < b->numel; at += CHUNK) {
        int64_t n = b->numel - at < CHUNK ? b->numel - at : CHUNK;
        dtype_load_row(b->dtype, (const char *)out + at * dtype_bytes(b->dtype), 1, o, (size_t)n);
        unsigned differ = 0;
        for (int64_t k = 0; k < n; k++) {
            double v = b->v[at + k];
            differ |= (unsigned)(isnan(v) != isnan(o[k])) | (unsigned)(isinf(v) != isinf(o[k]));
        }
        if (differ) return true;
    }
    return false;
}
