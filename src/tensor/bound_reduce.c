// Reductions and row operations. Every row is first made contiguous (free along the last axis), then handed
// to one function; sums run in the fixed lanes of bound_simd.h.
#include "tensor/bound_impl.h"
#include <assert.h>
#include <string.h>

typedef struct {
    size_t n;
    const double *v, *e; // e may be NULL
    double *ov, *oe;     // n results, or one; oe is NULL where the result is exact
    double growth;       // G(n)
    int64_t correction;  // of VAR
} Row;

// --- Sums ----------------------------------------------------------------------------------------

static Ve end_sum(RowSum s, double growth) { return rule_sum(s.sum, s.size, s.e, growth); }

static void put(const Row *r, Ve x) {
    x = rule_end(x);
    *r->ov = x.v;
    if (r->oe) *r->oe = x.e;
}

static void row_SUM(const Row *r) { put(r, end_sum(bound_simd()->sum(r->n, r->v, r->e), r->growth)); }

// sum / N, + 2 |v|: a division or a product with 1/N
static Ve mean_of(Ve sum, double count) {
    double v = sum.v / count, e = sum.e / count + 2 * fabs(v);
    return (Ve){v, rule_wild(v, e, sum.e, true)};
}

static void row_MEAN(const Row *r) {
    put(r, mean_of(end_sum(bound_simd()->sum(r->n, r->v, r->e), r->growth), (double)r->n));
}

// By the rules of mean, subtraction, product, sum and division by N - correction.
static void row_VAR(const Row *r) {
    Ve mean = rule_end(mean_of(end_sum(bound_simd()->sum(r->n, r->v, r->e), r->growth), (double)r->n));
    Ve sum = end_sum(bound_simd()->deviations(r->n, r->v, r->e, mean), r->growth);
    int64_t count = (int64_t)r->n - r->correction;
    put(r, mean_of(sum, count > 0 ? (double)count : 0));
}

// A chain of products from the left; partial products may overflow or be flushed like any other.
static void row_PROD(const Row *r) {
    Ve p = {1, 0};
    for (size_t i = 0; i < r->n; i++) {
        Ve x = {r->v[i], r->e ? r->e[i] : 0};
        p = r->oe ? i ? rule_mul(p, x) : x : (Ve){p.v * x.v, 0};
    }
    put(r, p);
}

static void row_CUMSUM(const Row *r) {
    if (r->oe) {
        bound_simd()->cumsum(r->n, r->v, r->e, r->growth, r->ov, r->oe);
        return;
    }
    double sum = 0;
    for (size_t i = 0; i < r->n; i++) r->ov[i] = sum += r->v[i];
}

// A chain of products from the left. Scans multiply in another order, with as many roundings for a prefix,
// and what they multiply may leave float32's range where the prefix itself does not: that is unknown. low
// and high: the least and the largest product of neighbours that end here, and of all so far.
static void row_CUMPROD(const Row *r) {
    Ve p = {1, 0};
    double low = 1, high = 1, least = 1, most = 0;
    for (size_t i = 0; i < r->n; i++) {
        Ve x = {r->v[i], r->e ? r->e[i] : 0};
        double m = fabs(x.v);
        p = !r->oe ? (Ve){p.v * x.v, 0} : i ? rule_end(rule_mul(p, x)) : x;
        low = m == 0 ? 1 : rule_min(m, low * m);
        high = rule_max(m, high * m);
        least = rule_min(least, low);
        most = rule_max(most, high);
        r->ov[i] = p.v;
        if (!r->oe) continue;
        bool left = least < RULE_MIN && fabs(p.v) >= RULE_MIN;
        r->oe[i] = left || most > RULE_FMAX ? RULE_INF : p.e;
    }
}

// --- Extremes ------------------------------------------------------------------------------------

static void put_extreme(const Row *r, double sign) {
    RowMax m = bound_simd()->largest(r->n, r->v, r->e, sign);
    *r->ov = sign * m.v;
    if (!r->oe) return;
    double in = 0; // only a NaN result asks whether anything was unknown
    for (size_t i = 0; m.v != m.v && i < r->n; i++) in = rule_max(in, r->e[i]);
    *r->oe = rule_hull(m.v, m.low, m.high, in).e;
}
static void row_AMAX(const Row *r) { put_extreme(r, 1); }
static void row_AMIN(const Row *r) { put_extreme(r, -1); }

// The leftmost largest; a NaN counts as largest. Unknown where another element may be larger.
static void row_ARGMAX(const Row *r) {
    size_t best = 0;
    for (size_t i = 1; i < r->n && r->v[best] == r->v[best]; i++)
        if (r->v[i] > r->v[best] || r->v[i] != r->v[i]) best = i;
    *r->ov = (double)best;
    if (!r->oe) return;
    *r->oe = 0;
    double low = rule_low((Ve){r->v[best], r->e[best]});
    for (size_t i = 0; i < r->n; i++) {
        if (i == best || (r->e[i] == 0 && r->e[best] == 0)) continue;
        if (!(rule_high((Ve){r->v[i], r->e[i]}) < low)) *r->oe = RULE_INF;
    }
}

// --- Softmax family ------------------------------------------------------------------------------

// S = sum p E + G(N): the relative error of the denominator, E as in bound_simd.c. The error of m cancels.
// log s moves by at most k S: up by log(1 + k S), and down by no more than the mean of the k E (Jensen).
typedef struct {
    double m, log_s, s, spread; // spread: S, +inf where the denominator is too uncertain
    double in;                  // +inf if an operand is unknown and the row is not finite
    bool finite;                // m is
} Denominator;

static Denominator denominator(const Row *r, double *t, double *big_e) {
    Denominator d = {.m = bound_simd()->largest(r->n, r->v, NULL, 1).v};
    d.finite = rule_finite(d.m);
    if (!d.finite) {
        for (size_t i = 0; r->e && i < r->n; i++) d.in = rule_max(d.in, r->e[i]);
        return d;
    }
    ExpSum sum = bound_simd()->exps(r->n, r->v, r->e, d.m, t, big_e);
    d.s = sum.s;
    d.log_s = f64_log(sum.s);
    d.spread = sum.te / sum.s + r->growth;
    if (!(RULE_K * d.spread < 0.75)) d.spread = RULE_INF;
    return d;
}

// A row whose maximum is infinite or NaN has no softmax: inf - inf, or 0 / 0.
static void fill_nan(const Row *r, const Denominator *d) {
    for (size_t i = 0; i < r->n; i++) {
        r->ov[i] = f64_nan();
        r->oe[i] = d->in == RULE_INF ? RULE_INF : 0;
    }
}

static void row_SOFTMAX(const Row *r) {
    Denominator d = denominator(r, r->ov, r->oe);
    if (!d.finite)
        fill_nan(r, &d);
    else
        bound_simd()->softmax(r->n, d.s, d.spread, r->ov, r->oe);
}

static void row_LOG_SOFTMAX(const Row *r) {
    Denominator d = denominator(r, NULL, NULL);
    if (!d.finite)
        fill_nan(r, &d);
    else
        bound_simd()->log_softmax(r->n, r->v, r->e, d.m, d.log_s, d.spread, r->ov, r->oe);
}

// S + 3 + (C+1) log s + |m| + |v|; s >= 1, so the logarithm is never of a small number.
static void row_LOGSUMEXP(const Row *r) {
    Denominator d = denominator(r, NULL, NULL);
    if (!d.finite) { // torch: the infinity itself
        put(r, (Ve){d.m, d.in == RULE_INF ? RULE_INF : 0});
        return;
    }
    double v = d.m + d.log_s;
    put(r, (Ve){v, d.spread + 3 + (RULE_C + 1) * d.log_s + fabs(d.m) + fabs(v)});
}

// --- Driving the rows ----------------------------------------------------------------------------

#define ROW_SOURCE(id)
#define ROW_UNARY(id)
#define ROW_BINARY(id)
#define ROW_TERNARY(id)
#define ROW_SHAPE(id)
#define ROW_MATMUL(id)
#define ROW_RANDOM(id)
#define ROW_WINDOW(id)
#define ROW_REDUCE(id)              [BOUND_##id] = row_##id,
#define ROW_ROW(id)                 [BOUND_##id] = row_##id,
#define BOUND(id, torch, kind, doc) ROW_##kind(id)
static void (*const row_function[BOUND_COUNT])(const Row *) = {
#include "tensor/bound.def"
};
#undef BOUND

static bool keeps_shape(BoundOp op) {
    return op == BOUND_SOFTMAX || op == BOUND_LOG_SOFTMAX || op == BOUND_CUMSUM || op == BOUND_CUMPROD;
}
static bool has_no_empty_row(BoundOp op) {
    return op == BOUND_AMAX || op == BOUND_AMIN || op == BOUND_ARGMAX;
}

static bool result_type(BoundCtx *c, BoundOp op, DType in, DType *out) {
    *out = in;
    switch (op) {
    case BOUND_AMAX:
    case BOUND_AMIN: return true;
    case BOUND_ARGMAX: *out = DT_I64; return true;
    case BOUND_SUM:
    case BOUND_PROD:
    case BOUND_CUMSUM:
        if (!dtype_is_float(in)) *out = DT_I64;
        return true;
    default:
        if (dtype_is_float(in)) return true;
        return bound_fail(c, "%s is not defined for %s", bound_name(op), dtype_info[in].torch), false;
    }
}

// Exact results carry no e: of integers, and of exact operands where nothing is rounded.
static bool exact_result(BoundOp op, const Bound *a, DType t) {
    if (a->e) return false;
    return !dtype_is_float(t) || op == BOUND_AMAX || op == BOUND_AMIN;
}

// The tensor as [outer, n, inner], and its result as [outer, results, inner].
typedef struct {
    int64_t outer, n, inner, results;
} Layout;

static Layout layout_of(const Bound *a, int axis) {
    Layout l = {1, a->rank ? a->shape[axis] : 1, 1, 1};
    for (int d = 0; d < axis; d++) l.outer *= a->shape[d];
    for (int d = axis + 1; d < a->rank; d++) l.inner *= a->shape[d];
    return l;
}

static void pick(const double *from, int64_t step, double *to, int64_t n) {
    for (int64_t i = 0; i < n; i++) to[i] = from[i * step];
}
static void drop(const double *from, double *to, int64_t step, int64_t n) {
    for (int64_t i = 0; i < n; i++) to[i * step] = from[i];
}

static void run_last_axis(void (*f)(const Row *), Row r, const Bound *a, Layout l, Bound *out) {
    for (int64_t o = 0; o < l.outer; o++) {
        r.v = a->v + o * l.n;
        r.e = a->e ? a->e + o * l.n : NULL;
        r.ov = out->v + o * l.results;
        r.oe = out->e ? out->e + o * l.results : NULL;
        f(&r);
    }
}

static void run_inner_axis(BoundCtx *c, void (*f)(const Row *), Row r, const Bound *a, Layout l, Bound *out) {
    int64_t results = l.results;
    double *v = bound_room(c, l.n + 1), *e = a->e ? bound_room(c, l.n + 1) : NULL;
    double *ov = bound_room(c, results + 1), *oe = out->e ? bound_room(c, results + 1) : NULL;
    r.v = v, r.e = e, r.ov = ov, r.oe = oe;
    for (int64_t o = 0; o < l.outer; o++) {
        for (int64_t i = 0; i < l.inner; i++) {
            int64_t from = o * l.n * l.inner + i, to = o * results * l.inner + i;
            pick(a->v + from, l.inner, v, l.n);
            if (e) pick(a->e + from, l.inner, e, l.n);
            f(&r);
            drop(ov, out->v + to, l.inner, results);
            if (oe) drop(oe, out->e + to, l.inner, results);
        }
    }
}

static int reduced_shape(const Bound *a, int axis, bool keep, int64_t *shape) {
    int rank = 0;
    for (int d = 0; d < a->rank; d++) {
        if (d != axis)
            shape[rank++] = a->shape[d];
        else if (keep)
            shape[rank++] = 1;
    }
    return rank;
}

static bool sums_are_exact(BoundCtx *c, const Bound *r) {
    if (dtype_is_float(r->dtype)) return true;
    for (int64_t i = 0; i < r->numel; i++)
        if (!(fabs(r->v[i]) <= 0x1p53)) return bound_fail(c, "an integer beyond 2^53"), false;
    return true;
}

Bound *bound_reduce(BoundCtx *c, const BoundCall *call) {
    const Bound *a = call->in[0];
    int axis, want = call->op == BOUND_VAR ? 3 : keeps_shape(call->op) ? 1 : 2;
    DType t;
    if (call->attrs != want) return bound_fail(c, "%s: wrong number of attributes", bound_name(call->op));
    if (!bound_axis(c, a, call->attr[0], &axis) || !result_type(c, call->op, a->dtype, &t)) return NULL;
    Layout l = layout_of(a, axis);
    if (l.n > INT32_MAX && !c->shapes_only)
        return bound_fail(c, "%s: the axis is too long", bound_name(call->op));
    if (l.n == 0 && has_no_empty_row(call->op)) return bound_fail(c, "%s of nothing", bound_name(call->op));
    int64_t shape[TENSOR_RANK_MAX] = {0};
    int rank = a->rank;
    if (keeps_shape(call->op))
        memcpy(shape, a->shape, sizeof shape);
    else
        rank = reduced_shape(a, axis, call->attr[1] != 0, shape);
    if (!bound_charge(c, a->numel)) return NULL;
    Bound *out = bound_new(c, t, shape, rank);
    if (!out || c->shapes_only) return out;
    if (!exact_result(call->op, a, t)) out->e = bound_room(c, out->numel);
    Row r = {.n = (size_t)l.n,
             .growth = !dtype_is_float(t) ? 0
                       : c->any_order     ? (double)l.n
                                          : bound_growth(l.n),
             .correction = call->op == BOUND_VAR ? call->attr[2] : 0};
    if (r.correction < 0 || r.correction > 1) return bound_fail(c, "var: the correction is not 0 or 1");
    if (keeps_shape(call->op)) l.results = l.n;
    if (l.inner == 1)
        run_last_axis(row_function[call->op], r, a, l, out);
    else
        run_inner_axis(c, row_function[call->op], r, a, l, out);
    bool rounds = call->op != BOUND_AMAX && call->op != BOUND_AMIN && call->op != BOUND_ARGMAX;
    out->pending = c->rounds && rounds && dtype_is_half(t);
    if (rounds && !c->rounds && dtype_is_half(t))
        bound_simd()->round(t, false, (size_t)out->numel, out->v, out->e);
    return sums_are_exact(c, out) ? out : NULL;
}
