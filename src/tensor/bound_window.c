// Operations with a window over the last axes, one to three of them: convolutions, transposed ones, pools.
// Fewer than three axes are three of which the first have size 1. What is padded has no part in a maximum,
// and adds exact zeros to a sum, which cost no rounding.
//
// A convolution is bounded by the rules of product and sum, like a matrix product: a sum of K products has
// sum(|w| ex + |x| ew + k ex ew) + (1 + G(K)) sum |w x|. K is how many products can meet in one element.
#include "tensor/bound_impl.h"
#include <inttypes.h>
#include <math.h>
#include <string.h>

enum { AXES = 3 };

typedef struct {
    int64_t at[AXES];
} Three;

// The tensor as [n, c, size]: without a batch n is 1.
typedef struct {
    int axes;
    bool batched;
    int64_t n, c;
    Three size;
} Space;

static Three three_of(const BoundCall *call, int group, int axes, int64_t missing) {
    Three t;
    for (int d = 0; d < AXES; d++) {
        int own = d - (AXES - axes);
        t.at[d] = own < 0 ? missing : call->attr[1 + AXES * group + own];
    }
    return t;
}
static int64_t product(Three t) { return t.at[0] * t.at[1] * t.at[2]; }

static bool space_of(BoundCtx *c, const BoundCall *call, Space *s) {
    const Bound *x = call->in[0];
    int axes = call->attrs > 0 ? (int)call->attr[0] : 0;
    if (axes < 1 || axes > AXES) return bound_fail(c, "%s: one to three axes", bound_name(call->op)), false;
    if (!dtype_is_float(x->dtype))
        return bound_fail(c, "%s is not defined for %s", bound_name(call->op), dtype_info[x->dtype].torch),
               false;
    if (x->rank != axes + 1 && x->rank != axes + 2)
        return bound_fail(c, "%s: expected an input of %d or %d dimensions, but got %d", bound_name(call->op),
                          axes + 1, axes + 2, x->rank),
               false;
    *s = (Space){.axes = axes, .batched = x->rank == axes + 2};
    s->n = s->batched ? x->shape[0] : 1;
    s->c = x->shape[s->batched];
    for (int d = 0; d < AXES; d++) {
        int own = d - (AXES - axes);
        s->size.at[d] = own < 0 ? 1 : x->shape[x->rank - axes + own];
    }
    return true;
}

static Bound *result_of(BoundCtx *c, const Space *s, DType t, int64_t channels, Three size) {
    int64_t shape[TENSOR_RANK_MAX];
    int rank = 0;
    if (s->batched) shape[rank++] = s->n;
    shape[rank++] = channels;
    for (int d = AXES - s->axes; d < AXES; d++) shape[rank++] = size.at[d];
    return bound_new(c, t, shape, rank);
}

static bool in_range(BoundCtx *c, const char *what, Three t, int64_t least) {
    const int64_t most = 1 << 20;
    for (int d = 0; d < AXES; d++)
        if (t.at[d] < least || t.at[d] > most)
            return bound_fail(c, "%s must be at least %" PRId64 " and at most %" PRId64, what, least, most),
                   false;
    return true;
}

// --- Convolutions --------------------------------------------------------------------------------

// A tap k of the kernel joins place j of the small side with place j * stride + k * dilation - padding of the
// large one. The large side is a convolution's input, and a transposed one's result.
typedef struct {
    Space x;
    Three kernel, stride, padding, dilation, small, large;
    int64_t groups, in_channels, out_channels; // of one group
    bool transposed;
    int64_t meet; // products in one element at most
} Conv;

static int64_t gcd(int64_t a, int64_t b) { return b ? gcd(b, a % b) : a; }

static bool conv_weight(BoundCtx *c, const Bound *x, const Bound *w, Conv *v) {
    const char *name = v->transposed ? "conv_transpose" : "conv";
    if (w->rank != v->x.axes + 2)
        return bound_fail(c, "%s: expected a weight of %d dimensions", name, v->x.axes + 2), false;
    if (w->dtype != x->dtype)
        return bound_fail(c, "%s: input (%s) and weight (%s) have different types", name,
                          dtype_info[x->dtype].torch, dtype_info[w->dtype].torch),
               false;
    if (v->groups < 1 || v->x.c % v->groups || w->shape[0] % v->groups)
        return bound_fail(c, "%s: %" PRId64 " groups do not divide the channels", name, v->groups), false;
    int64_t whole = v->transposed ? w->shape[0] : w->shape[1] * v->groups;
    if (whole != v->x.c)
        return bound_fail(c, "%s: the weight is for %" PRId64 " channels, the input has %" PRId64, name,
                          whole, v->x.c),
               false;
    v->in_channels = v->x.c / v->groups;
    v->out_channels = v->transposed ? w->shape[1] : w->shape[0] / v->groups;
    for (int d = 0; d < AXES; d++) {
        int own = d - (AXES - v->x.axes);
        v->kernel.at[d] = own < 0 ? 1 : w->shape[2 + own];
    }
    return in_range(c, "kernel sizes", v->kernel, 1);
}

static bool conv_sizes(BoundCtx *c, Conv *v, Three extra) {
    v->meet = v->in_channels;
    for (int d = 0; d < AXES; d++) {
        int64_t reach = v->dilation.at[d] * (v->kernel.at[d] - 1), s = v->stride.at[d];
        int64_t in = v->x.size.at[d], out;
        if (v->transposed) {
            out = (in - 1) * s - 2 * v->padding.at[d] + reach + extra.at[d] + 1;
            int64_t period = s / gcd(s, v->dilation.at[d]);
            v->meet *= (v->kernel.at[d] - 1) / period + 1;
            if (extra.at[d] >= s && extra.at[d] >= v->dilation.at[d])
                return bound_fail(c, "output padding must be smaller than either stride or dilation"), false;
        } else {
            int64_t room = in + 2 * v->padding.at[d] - reach - 1;
            if (room < 0)
                return bound_fail(c,
                                  "Calculated padded input size per channel: %" PRId64
                                  ". Kernel size can't be greater than actual input size",
                                  in + 2 * v->padding.at[d]),
                       false;
            out = room / s + 1;
            v->meet *= v->kernel.at[d];
        }
        if (in < 1 || out < 1) return bound_fail(c, "the result would be empty"), false;
        v->small.at[d] = v->transposed ? in : out;
        v->large.at[d] = v->transposed ? out : in;
    }
    return true;
}

// Places of the result, sixteen at a time, each with what meets in it: the places of one channel of the input
// under the taps, in the order of the taps. Places that the same taps reach stand together: strides of a
// transposed convolution leave most taps out.
typedef struct {
    const Conv *conv;
    const Bound *x, *w;
    const double *weight, *weight_e; // [channel of the result][channel of its group's input][tap]
    const int64_t *order;            // places of the result
    Three size;                      // of the result
    bool exact;                      // see sums_exact()
    const int64_t *reached[AXES];    // reached_by_tap()
    int64_t *under;                  // [tap][column]: a place of the input, or -1
    double *v, *e, *in;              // [channel][kept tap][column]; e may be NULL
    int64_t *kept;                   // the taps that reach some of the columns
    double *row, *row_e;             // a channel's weights under these
} Panels;

typedef struct {
    int64_t n, place;
} Column;

// The place of the input under a tap, along one axis; -1: none.
static int64_t reached(const Conv *v, int d, int64_t place, int64_t tap) {
    int64_t off = tap * v->dilation.at[d] - v->padding.at[d], s = v->stride.at[d];
    if (!v->transposed) {
        int64_t at = place * s + off;
        return at >= 0 && at < v->large.at[d] ? at : -1;
    }
    int64_t at = place - off;
    return at >= 0 && at % s == 0 && at / s < v->small.at[d] ? at / s : -1;
}

// By place and tap: what reached() says, a division once for each.
static int64_t *reached_by_tap(BoundCtx *c, const Conv *v, int d, Three size) {
    int64_t taps = v->kernel.at[d], *to = NEWN(c->arena, int64_t, (size_t)(size.at[d] * taps) + 1);
    for (int64_t i = 0; i < size.at[d]; i++)
        for (int64_t k = 0; k < taps; k++) to[i * taps + k] = reached(v, d, i, k);
    return to;
}

// All places, those of equal remainders by the strides of a transposed one together.
static int64_t *places_in_order(BoundCtx *c, const Conv *v, Three size) {
    int64_t *order = arena_raw(c->arena, (size_t)product(size) * sizeof *order + 1, 64), n = 0;
    Three by = v->transposed ? v->stride : (Three){{1, 1, 1}};
    for (int64_t r = 0; r < product(by); r++) {
        int64_t r0 = r / (by.at[1] * by.at[2]), r1 = r / by.at[2] % by.at[1], r2 = r % by.at[2];
        for (int64_t i = r0; i < size.at[0]; i += by.at[0])
            for (int64_t j = r1; j < size.at[1]; j += by.at[1])
                for (int64_t k = r2; k < size.at[2]; k += by.at[2])
                    order[n++] = (i * size.at[1] + j) * size.at[2] + k;
    }
    return order;
}

// How many taps are kept.
static int64_t taps_under(Panels *p, const Column *col, int columns) {
    const Conv *v = p->conv;
    const int64_t *by[AXES][BOUND_COLUMNS], *kernel = v->kernel.at, *in = v->x.size.at;
    int64_t kept = 0;
    for (int j = 0; j < columns; j++) {
        const int64_t at[AXES] = {col[j].place / (p->size.at[1] * p->size.at[2]),
                                  col[j].place / p->size.at[2] % p->size.at[1], col[j].place % p->size.at[2]};
        for (int d = 0; d < AXES; d++) by[d][j] = p->reached[d] + at[d] * kernel[d];
    }
    for (int64_t a = 0, k = 0; a < kernel[0]; a++)
        for (int64_t b = 0; b < kernel[1]; b++)
            for (int64_t t = 0; t < kernel[2]; t++, k++) {
                int64_t *under = p->under + kept * BOUND_COLUMNS, none = -1;
                for (int j = 0; j < columns; j++) {
                    int64_t x = by[0][j][a], y = by[1][j][b], z = by[2][j][t];
                    under[j] = x < 0 || y < 0 || z < 0 ? -1 : (x * in[1] + y) * in[2] + z;
                    none &= under[j];
                }
                for (int j = columns; j < BOUND_COLUMNS; j++) under[j] = -1;
                if (none >= 0) p->kept[kept++] = k;
            }
    return kept;
}

// The input's channels of a group under the columns.
static void panel_fill(Panels *p, const Column *col, int columns, int64_t group, int64_t kept) {
    const Conv *v = p->conv;
    int64_t plane = product(v->x.size);
    for (int64_t i = 0; i < v->in_channels; i++) {
        int64_t from[BOUND_COLUMNS] = {0};
        for (int j = 0; j < columns; j++) from[j] = (col[j].n * v->x.c + group * v->in_channels + i) * plane;
        for (int64_t k = 0; k < kept; k++) {
            const int64_t *under = p->under + k * BOUND_COLUMNS;
            int64_t to = (i * kept + k) * BOUND_COLUMNS;
            for (int j = 0; j < BOUND_COLUMNS; j++) {
                bool there = under[j] >= 0;
                p->v[to + j] = there ? p->x->v[from[j] + under[j]] : 0;
                p->in[to + j] = there;
                if (p->e) p->e[to + j] = there ? p->x->e[from[j] + under[j]] : 0;
            }
        }
    }
}

static void panel_sums(Panels *p, int64_t out, int64_t kept, Sums *s) {
    const Conv *v = p->conv;
    const BoundSimd *simd = bound_simd();
    const BoundPanel b = {p->v, p->e, p->in};
    int64_t taps = product(v->kernel), k = 0;
    const double *w = p->weight + out * v->in_channels * taps,
                 *we = p->weight_e ? p->weight_e + out * v->in_channels * taps : NULL;
    for (int64_t i = 0; kept < taps && i < v->in_channels; i++)
        for (int64_t l = 0; l < kept; l++, k++) {
            p->row[k] = w[i * taps + p->kept[l]];
            if (we) p->row_e[k] = we[i * taps + p->kept[l]];
        }
    if (kept < taps) w = p->row, we = we ? p->row_e : NULL;
    size_t n = (size_t)(v->in_channels * kept);
    if (p->exact)
        simd->sums_exact(n, w, &b, s);
    else if (!simd->sums_tame(n, w, we, &b, s))
        simd->sums_wild(n, w, we, &b, s);
}

// A transposed one's weights stand by the input's channels.
static const double *by_result(BoundCtx *c, const Conv *v, const double *w) {
    int64_t taps = product(v->kernel), in = v->in_channels, all = v->groups * v->out_channels;
    if (!v->transposed || !w) return w;
    double *to = bound_room(c, all * in * taps);
    for (int64_t o = 0; o < all; o++)
        for (int64_t i = 0; i < in; i++) {
            int64_t channel = o / v->out_channels * in + i,
                    row = channel * v->out_channels + o % v->out_channels;
            memcpy(to + (o * in + i) * taps, w + row * taps, (size_t)taps * sizeof *to);
        }
    return to;
}

static bool tame_values(const double *x, const double *e, int64_t n, double *most) {
    for (int64_t i = 0; i < n; i++) {
        if (!rule_finite(x[i]) || (e && !(e[i] < 1e30))) return false;
        *most = rule_max(*most, fabs(x[i]));
    }
    return true;
}

// Whether stored weights are exact, all values are finite and known, and no sum of `n` products of them comes
// near float32's limits.
static bool conv_exact(const Bound *x, const Bound *w, int64_t n) {
    double mx = 0, mw = 0;
    if (w->e || !tame_values(x->v, x->e, x->numel, &mx) || !tame_values(w->v, NULL, w->numel, &mw))
        return false;
    return mx * mw * (double)n < RULE_FMAX / 4 && mx < RULE_FMAX / 4 && mw < RULE_FMAX / 4;
}

static Panels panels_of(BoundCtx *c, const Conv *v, const Bound *x, const Bound *w, Three size) {
    int64_t taps = product(v->kernel), most = v->in_channels * taps;
    Panels p = {.conv = v,
                .x = x,
                .w = w,
                .weight = by_result(c, v, w->v),
                .weight_e = by_result(c, v, w->e),
                .order = places_in_order(c, v, size),
                .size = size,
                .exact = conv_exact(x, w, v->meet),
                .under = NEWN(c->arena, int64_t, (size_t)(taps * BOUND_COLUMNS)),
                .kept = NEWN(c->arena, int64_t, (size_t)taps),
                .v = bound_room(c, most * BOUND_COLUMNS),
                .in = bound_room(c, most * BOUND_COLUMNS),
                .row = bound_room(c, most)};
    for (int d = 0; d < AXES; d++) p.reached[d] = reached_by_tap(c, v, d, size);
    if (x->e) p.e = bound_room(c, most * BOUND_COLUMNS);
    if (w->e) p.row_e = bound_room(c, most);
    return p;
}

// All channels of these columns.
static void panel_answer(Panels *p, const Column *col, int columns, double growth, Bound *out) {
    const Conv *v = p->conv;
    int64_t channels = v->groups * v->out_channels, plane = product(p->size),
            kept = taps_under(p, col, columns);
    for (int64_t o = 0; o < channels; o++) {
        Sums s;
        if (o % v->out_channels == 0) panel_fill(p, col, columns, o / v->out_channels, kept);
        panel_sums(p, o, kept, &s);
        for (int j = 0; j < columns; j++) {
            double e = s.e[j], flushed = s.size[j] > 0 ? RULE_FLUSH * (double)v->meet : 0;
            if (p->exact) e += s.size[j] + flushed; // each product is rounded, and may be flushed
            Ve r = rule_end(rule_sum(s.v[j], s.size[j], e, growth));
            int64_t to = (col[j].n * channels + o) * plane + col[j].place;
            out->v[to] = r.v;
            out->e[to] = r.e;
        }
    }
}

static Bound *convolution(BoundCtx *c, const BoundCall *call) {
    const Bound *x = call->in[0], *w = call->in[1];
    Conv v = {.transposed = call->op == BOUND_CONV_TRANSPOSE};
    if (call->attrs != 2 + 4 * AXES) return bound_fail(c, "conv: wrong number of attributes");
    if (!space_of(c, call, &v.x)) return NULL;
    v.stride = three_of(call, 0, v.x.axes, 1);
    v.padding = three_of(call, 1, v.x.axes, 0);
    v.dilation = three_of(call, 2, v.x.axes, 1);
    Three extra = three_of(call, 3, v.x.axes, 0);
    v.groups = call->attr[1 + 4 * AXES];
    if (!in_range(c, "strides", v.stride, 1) || !in_range(c, "paddings", v.padding, 0) ||
        !in_range(c, "dilations", v.dilation, 1) || !in_range(c, "output paddings", extra, 0) ||
        !conv_weight(c, x, w, &v) || !conv_sizes(c, &v, extra))
        return NULL;
    Three size = v.transposed ? v.large : v.small;
    int64_t channels = v.groups * v.out_channels, plane = product(size), products;
    if (__builtin_mul_overflow(v.x.n * channels * v.in_channels, product(v.small), &products) ||
        __builtin_mul_overflow(products, product(v.kernel), &products) || products > INT64_MAX / 64)
        return bound_fail(c, "the sizes are too large");
    c->flops += 2 * products;
    if (!bound_charge(c, x->numel) || !bound_charge(c, w->numel) || !bound_charge(c, products / 8))
        return NULL;
    Bound *out = result_of(c, &v.x, x->dtype, channels, size);
    if (!out || c->shapes_only) return out;
    out->e = bound_room(c, out->numel);
    Bound read[2] = {*x, *w}; // as a matrix unit may read them
    for (int k = 0; k < 2; k++) read[k].e = bound_as_read(c, &read[k]);
    x = &read[0], w = &read[1];
    double growth = c->any_order ? (double)v.meet : bound_growth(v.meet);
    Panels p = panels_of(c, &v, x, w, size);
    for (int64_t at = 0; at < v.x.n * plane; at += BOUND_COLUMNS) {
        Column col[BOUND_COLUMNS];
        int columns = 0;
        for (; columns < BOUND_COLUMNS && at + columns < v.x.n * plane; columns++)
            col[columns] = (Column){(at + columns) / plane, p.order[(at + columns) % plane]};
        panel_answer(&p, col, columns, growth, out);
    }
    out->pending = c->rounds && dtype_is_half(x->dtype);
    if (!c->rounds && dtype_is_half(x->dtype)) bound_round(c, out, false);
    return out;
}

// --- Pools ---------------------------------------------------------------------------------------

// The window of one place of the result along one axis: n elements of the input from `from` on, every
// step-th.
typedef struct {
    int64_t from, n, step, divide; // divide: what an average divides by
} Window;

// The windows along the last axis that have an element under a tap: from .. from + n - 1.
typedef struct {
    int64_t from, n, first; // first: the element of the first window
} Reach;

typedef struct {
    Space x;
    Three size;
    Three kernel, stride, padding, dilation; // where not adaptive
    Reach *reach;                            // of each tap
    Window *window[AXES];
    bool max, adaptive;
    const Bound *in;
    Bound *out;
    PoolRow row;    // room for one
    double divisor; // 0: each window's own
} Pool;

static bool pool_fixed(BoundCtx *c, const BoundCall *call, Pool *p) {
    bool ceil = call->attr[1 + 4 * AXES] != 0, counts = !p->max && call->attr[2 + 4 * AXES] != 0;
    Three kernel = three_of(call, 0, p->x.axes, 1), stride = three_of(call, 1, p->x.axes, 1),
          padding = three_of(call, 2, p->x.axes, 0), dilation = three_of(call, 3, p->x.axes, 1);
    if (!in_range(c, "kernel sizes", kernel, 1) || !in_range(c, "strides", stride, 1) ||
        !in_range(c, "paddings", padding, 0) || !in_range(c, "dilations", dilation, 1))
        return false;
    p->kernel = kernel, p->stride = stride, p->padding = padding, p->dilation = dilation;
    for (int d = 0; d < AXES; d++) {
        int64_t in = p->x.size.at[d], k = kernel.at[d], s = stride.at[d], pad = padding.at[d],
                reach = dilation.at[d] * (k - 1);
        if (pad > k / 2) return bound_fail(c, "pad should be at most half of effective kernel size"), false;
        int64_t room = in + 2 * pad - reach - 1;
        if (room < 0) return bound_fail(c, "the kernel is larger than the padded input"), false;
        int64_t out = (ceil ? (room + s - 1) / s : room / s) + 1;
        if (ceil && (out - 1) * s >= in + pad) out--; // no window starts behind the input
        if (in < 1 || out < 1) return bound_fail(c, "the result would be empty"), false;
        p->size.at[d] = out;
        if (c->shapes_only) continue;
        p->window[d] = NEWN(c->arena, Window, (size_t)out);
        for (int64_t o = 0; o < out; o++) {
            int64_t start = o * s - pad, end = start + reach + 1, step = dilation.at[d];
            int64_t whole = end < in + pad ? end : in + pad, first = start;
            while (first < 0) first += step;
            if (end > in) end = in;
            int64_t n = end > first ? (end - first - 1) / step + 1 : 0;
            p->window[d][o] = (Window){first, n, step, counts ? whole - start : n};
        }
    }
    return true;
}

static bool pool_adaptive(BoundCtx *c, const BoundCall *call, Pool *p) {
    p->adaptive = true;
    p->size = three_of(call, 0, p->x.axes, 1);
    if (!in_range(c, "sizes", p->size, 1)) return false;
    for (int d = 0; d < AXES; d++) {
        int64_t in = p->x.size.at[d], out = p->size.at[d];
        if (in < 1) return bound_fail(c, "an average of nothing"), false;
        if (c->shapes_only) continue;
        p->window[d] = NEWN(c->arena, Window, (size_t)out);
        for (int64_t o = 0; o < out; o++) {
            int64_t from = o * in / out, end = ((o + 1) * in + out - 1) / out;
            p->window[d][o] = (Window){from, end - from, 1, end - from};
        }
    }
    return true;
}

// Sums of one window, or the largest in it.
typedef struct {
    double v, size, e, low, high;
    int64_t n;
} Pooled;

static void pool_add(Pooled *s, bool max, Ve x) {
    if (!max) {
        s->v += x.v, s->size += fabs(x.v), s->e += x.e;
    } else {
        bool first = s->n == 0, nan = x.v != x.v;
        if (first || x.v > s->v || (nan && s->v == s->v)) s->v = x.v;
        double low = rule_low(x), high = rule_high(x);
        s->low = first || low > s->low ? low : s->low;
        s->high = first || high > s->high ? high : s->high;
        s->e = first ? x.e : rule_max(s->e, x.e);
    }
    s->n++;
}

static Ve pool_end(BoundCtx *c, const Pool *p, const Pooled *s, double divide) {
    if (p->max) return s->n ? rule_hull(s->v, s->low, s->high, s->e) : rule_exact(-RULE_INF);
    Ve sum = rule_sum(s->v, s->size, s->e, c->any_order ? (double)s->n : bound_growth(s->n));
    double v = sum.v / divide, e = sum.e / fabs(divide) + 2 * fabs(v);
    return rule_end((Ve){v, rule_wild(v, e, sum.e, true)});
}

static Ve pool_one(BoundCtx *c, const Pool *p, const Bound *x, int64_t plane, const Window *const w[AXES]) {
    Pooled s = {0};
    for (int64_t i = 0; i < w[0]->n; i++)
        for (int64_t j = 0; j < w[1]->n; j++) {
            int64_t row = ((w[0]->from + i * w[0]->step) * p->x.size.at[1] + w[1]->from + j * w[1]->step) *
                          p->x.size.at[2];
            for (int64_t k = 0; k < w[2]->n; k++) {
                int64_t at = plane + row + w[2]->from + k * w[2]->step;
                pool_add(&s, p->max, (Ve){x->v[at], x->e ? x->e[at] : 0});
            }
        }
    double own = (double)(w[0]->divide * w[1]->divide * w[2]->divide);
    return pool_end(c, p, &s, p->divisor != 0 ? p->divisor : own);
}

static Reach reach_of(const Pool *p, int64_t tap) {
    int64_t s = p->stride.at[2], off = tap * p->dilation.at[2] - p->padding.at[2],
            from = off < 0 ? (-off + s - 1) / s : 0, last = p->x.size.at[2] - 1 - off;
    int64_t end = last < 0 ? 0 : last / s + 1;
    if (end > p->size.at[2]) end = p->size.at[2];
    return (Reach){from, end > from ? end - from : 0, from * s + off};
}

static PoolRow row_from(PoolRow r, int64_t at) {
    return (PoolRow){r.v + at, r.size + at, r.low + at, r.high + at, r.e + at};
}

// pool_one() of all windows of a row, each element taken where it took it.
static void pool_row(BoundCtx *c, const Pool *p, int64_t plane, const Window *const w[AXES], int64_t to) {
    const Bound *x = p->in;
    Bound *out = p->out;
    PoolRow r = p->row;
    const BoundSimd *simd = bound_simd();
    void (*add)(size_t, const double *, const double *, int64_t, PoolRow) =
        p->max ? simd->pool_max : simd->pool_sum;
    int64_t n = p->size.at[2];
    if (!out->e) r.v = out->v + to; // a maximum of exact elements is one of them
    for (int64_t k = 0; k < n; k++) {
        r.v[k] = p->max ? -RULE_INF : 0;
        r.low[k] = r.high[k] = -RULE_INF;
        r.size[k] = r.e[k] = 0;
    }
    for (int64_t i = 0; i < w[0]->n; i++)
        for (int64_t j = 0; j < w[1]->n; j++)
            for (int64_t t = 0; t < p->kernel.at[2]; t++) {
                int64_t row =
                    ((w[0]->from + i * w[0]->step) * p->x.size.at[1] + w[1]->from + j * w[1]->step) *
                    p->x.size.at[2];
                const Reach h = p->reach[t];
                if (h.n == 0) continue;
                const double *v = x->v + plane + row + h.first,
                             *e = x->e ? x->e + plane + row + h.first : NULL;
                add((size_t)h.n, v, e, p->stride.at[2], row_from(r, h.from));
            }
    for (int64_t k = 0; out->e && k < n; k++) {
        const Window *last = &p->window[2][k];
        Pooled s = {r.v[k], r.size[k], r.e[k], r.low[k], r.high[k], w[0]->n * w[1]->n * last->n};
        double own = (double)(w[0]->divide * w[1]->divide * last->divide);
        Ve end = pool_end(c, p, &s, p->divisor != 0 ? p->divisor : own);
        out->v[to + k] = end.v;
        if (out->e) out->e[to + k] = end.e;
    }
}

static bool pool_charge(BoundCtx *c, const Pool *p, int64_t *taps, const Window *const w[AXES]) {
    for (int64_t k = 0; k < p->size.at[2]; k++) {
        *taps += w[0]->n * w[1]->n * p->window[2][k].n;
        if (*taps > 1024 && !bound_charge(c, *taps / 8)) return false;
        if (*taps > 1024) *taps = 0;
    }
    return true;
}

static Bound *pool(BoundCtx *c, const BoundCall *call) {
    const Bound *x = call->in[0];
    bool adaptive = call->op == BOUND_ADAPTIVE_AVG_POOL || call->op == BOUND_ADAPTIVE_MAX_POOL;
    Pool p = {.max = call->op == BOUND_MAX_POOL || call->op == BOUND_ADAPTIVE_MAX_POOL,
              .divisor = call->op == BOUND_AVG_POOL ? call->scalar : 0};
    int want = adaptive ? 1 + AXES : 2 + 4 * AXES + !p.max;
    if (call->attrs != want) return bound_fail(c, "%s: wrong number of attributes", bound_name(call->op));
    if (!space_of(c, call, &p.x) || !(adaptive ? pool_adaptive : pool_fixed)(c, call, &p)) return NULL;
    if (!bound_charge(c, x->numel)) return NULL;
    Bound *out = result_of(c, &p.x, x->dtype, p.x.c, p.size);
    if (!out || c->shapes_only) return out;
    if (!p.max || x->e) out->e = bound_room(c, out->numel);
    if (!p.adaptive) p.reach = NEWN(c->arena, Reach, (size_t)p.kernel.at[2]);
    for (int64_t t = 0; p.reach && t < p.kernel.at[2]; t++) p.reach[t] = reach_of(&p, t);
    int64_t to = 0, plane = product(p.x.size), taps = 0, last = p.size.at[2];
    p.in = x;
    p.out = out;
    p.row = (PoolRow){bound_room(c, last), bound_room(c, last), bound_room(c, last), bound_room(c, last),
                      bound_room(c, last)};
    for (int64_t n = 0; n < p.x.n * p.x.c; n++)
        for (int64_t i = 0; i < p.size.at[0]; i++)
            for (int64_t j = 0; j < p.size.at[1]; j++, to += p.size.at[2]) {
                const Window *w[AXES] = {&p.window[0][i], &p.window[1][j], p.window[2]};
                if (!pool_charge(c, &p, &taps, w)) return NULL;
                if (!p.adaptive) {
                    pool_row(c, &p, n * plane, w, to);
                    continue;
                }
                for (int64_t k = 0; k < p.size.at[2]; k++) {
                    w[2] = &p.window[2][k];
                    Ve r = pool_one(c, &p, x, n * plane, w);
                    out->v[to + k] = r.v;
                    if (out->e) out->e[to + k] = r.e;
                }
            }
    out->pending = c->rounds && !p.max && dtype_is_half(x->dtype);
    if (!c->rounds && !p.max && dtype_is_half(x->dtype)) bound_round(c, out, false);
    return out;
}

Bound *bound_window(BoundCtx *c, const BoundCall *call) {
    bool conv = call->op == BOUND_CONV || call->op == BOUND_CONV_TRANSPOSE;
    return conv ? convolution(c, call) : pool(c, call);
}
