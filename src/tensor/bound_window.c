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

// The places j of the small side that a tap joins with a place of the large one: from .. from + n - 1.
typedef struct {
    int64_t from, n, to; // to: the place on the large side of the first
} Joined;
static Joined joined(const Conv *v, int d, int64_t tap) {
    int64_t s = v->stride.at[d], off = tap * v->dilation.at[d] - v->padding.at[d];
    int64_t from = off < 0 ? (-off + s - 1) / s : 0, last = v->large.at[d] - 1 - off;
    int64_t end = last < 0 ? 0 : last / s + 1;
    if (end > v->small.at[d]) end = v->small.at[d];
    return (Joined){from, end > from ? end - from : 0, from * s + off};
}

// What is added up for the places of one channel of the result.
typedef struct {
    double *v, *size, *e;
} Planes;

// One weight, and the channel of the input that it is multiplied with. tame: no value or product is anything
// but finite, far from float32's limits, and stored weights are exact.
typedef struct {
    Planes sum;
    Ve w;
    const double *x, *ex;
    bool tame;
} Join;

static void join_wild(const Join *j, int64_t out, int64_t by, int64_t in, int64_t xby, int64_t n) {
    for (int64_t i = 0; i < n; i++) {
        int64_t o = out + i * by, x = in + i * xby;
        Ve p = rule_mul(j->w, (Ve){j->x[x], j->ex ? j->ex[x] : 0});
        j->sum.v[o] += p.v;
        j->sum.size[o] += fabs(p.v);
        j->sum.e[o] += p.e;
    }
}

// n places: step `by` in the result, `xby` in the input.
static void join_run(const Join *j, int64_t out, int64_t by, int64_t in, int64_t xby, int64_t n) {
    if (!j->tame) {
        join_wild(j, out, by, in, xby, n);
        return;
    }
    double *restrict v = j->sum.v + out, *restrict size = j->sum.size + out, *restrict e = j->sum.e + out;
    const double *restrict x = j->x + in, *restrict ex = j->ex ? j->ex + in : NULL;
    double w = j->w.v, m = fabs(w);
    if (by == 1 && xby == 1) {
        for (int64_t i = 0; i < n; i++) {
            double p = w * x[i];
            v[i] += p;
            size[i] += fabs(p);
        }
        for (int64_t i = 0; ex && i < n; i++) e[i] += m * ex[i];
        return;
    }
    for (int64_t i = 0; i < n; i++) {
        double p = w * x[i * xby];
        v[i * by] += p;
        size[i * by] += fabs(p);
        if (ex) e[i * by] += m * ex[i * xby];
    }
}

static void join_channel(const Conv *v, const Join *join, const int64_t *tap) {
    Joined a = joined(v, 0, tap[0]), b = joined(v, 1, tap[1]), r = joined(v, 2, tap[2]);
    int64_t s = v->stride.at[2];
    for (int64_t i = 0; i < a.n; i++)
        for (int64_t j = 0; j < b.n; j++) {
            int64_t small = ((a.from + i) * v->small.at[1] + b.from + j) * v->small.at[2] + r.from;
            int64_t large = ((a.to + i * v->stride.at[0]) * v->large.at[1] + b.to + j * v->stride.at[1]) *
                                v->large.at[2] +
                            r.to;
            if (v->transposed)
                join_run(join, large, s, small, 1, r.n);
            else
                join_run(join, small, 1, large, s, r.n);
        }
}

// Whether all values are finite and known, and no sum of `n` products of them comes near float32's limits.
static bool conv_tame(const Bound *x, const Bound *w, int64_t n) {
    double mx = 0, mw = 0;
    if (w->e) return false;
    for (int64_t i = 0; i < x->numel; i++) {
        if (!rule_finite(x->v[i]) || (x->e && !(x->e[i] < 1e30))) return false;
        mx = rule_max(mx, fabs(x->v[i]));
    }
    for (int64_t i = 0; i < w->numel; i++) {
        if (!rule_finite(w->v[i])) return false;
        mw = rule_max(mw, fabs(w->v[i]));
    }
    return mx * mw * (double)n < RULE_FMAX / 4 && mx < RULE_FMAX / 4 && mw < RULE_FMAX / 4;
}

static void conv_plane(const Conv *v, const Bound *x, const Bound *w, int64_t n, int64_t out, Join *join) {
    int64_t group = out / v->out_channels, taps = product(v->kernel), plane = product(v->x.size);
    for (int64_t i = 0; i < v->in_channels; i++) {
        int64_t channel = group * v->in_channels + i, from = (n * v->x.c + channel) * plane;
        int64_t row =
            v->transposed ? channel * v->out_channels + out % v->out_channels : out * v->in_channels + i;
        join->x = x->v + from;
        join->ex = x->e ? x->e + from : NULL;
        for (int64_t k = 0; k < taps; k++) {
            int64_t tap[AXES] = {k / (v->kernel.at[1] * v->kernel.at[2]),
                                 k / v->kernel.at[2] % v->kernel.at[1], k % v->kernel.at[2]};
            join->w = (Ve){w->v[row * taps + k], w->e ? w->e[row * taps + k] : 0};
            join_channel(v, join, tap);
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
    Join join = {.tame = conv_tame(x, w, v.meet), .sum.size = bound_room(c, plane)};
    Planes *sum = &join.sum;
    for (int64_t p = 0; p < v.x.n * channels; p++) {
        sum->v = out->v + p * plane, sum->e = out->e + p * plane;
        memset(sum->v, 0, (size_t)plane * sizeof *sum->v);
        memset(sum->e, 0, (size_t)plane * sizeof *sum->e);
        memset(sum->size, 0, (size_t)plane * sizeof *sum->size);
        conv_plane(&v, x, w, p / channels, p % channels, &join);
        for (int64_t i = 0; i < plane; i++) {
            double e = sum->e[i], flushed = sum->size[i] > 0 ? RULE_FLUSH * (double)v.meet : 0;
            if (join.tame) e += sum->size[i] + flushed; // each product is rounded, and may be flushed
            Ve r = rule_end(rule_sum(sum->v[i], sum->size[i], e, growth));
            sum->v[i] = r.v;
            sum->e[i] = r.e;
        }
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

typedef struct {
    Space x;
    Three size;
    Window *window[AXES];
    bool max;
    double divisor; // 0: each window's own
} Pool;

static bool pool_fixed(BoundCtx *c, const BoundCall *call, Pool *p) {
    bool ceil = call->attr[1 + 4 * AXES] != 0, counts = !p->max && call->attr[2 + 4 * AXES] != 0;
    Three kernel = three_of(call, 0, p->x.axes, 1), stride = three_of(call, 1, p->x.axes, 1),
          padding = three_of(call, 2, p->x.axes, 0), dilation = three_of(call, 3, p->x.axes, 1);
    if (!in_range(c, "kernel sizes", kernel, 1) || !in_range(c, "strides", stride, 1) ||
        !in_range(c, "paddings", padding, 0) || !in_range(c, "dilations", dilation, 1))
        return false;
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
    int64_t to = 0, plane = product(p.x.size), taps = 0;
    for (int64_t n = 0; n < p.x.n * p.x.c; n++)
        for (int64_t i = 0; i < p.size.at[0]; i++)
            for (int64_t j = 0; j < p.size.at[1]; j++)
                for (int64_t k = 0; k < p.size.at[2]; k++, to++) {
                    const Window *const w[AXES] = {&p.window[0][i], &p.window[1][j], &p.window[2][k]};
                    taps += w[0]->n * w[1]->n * w[2]->n;
                    if (taps > 1024 && !bound_charge(c, taps / 8)) return NULL;
                    if (taps > 1024) taps = 0;
                    Ve r = pool_one(c, &p, x, n * plane, w);
                    out->v[to] = r.v;
                    if (out->e) out->e[to] = r.e;
                }
    out->pending = c->rounds && !p.max && dtype_is_half(x->dtype);
    if (!c->rounds && !p.max && dtype_is_half(x->dtype)) bound_round(c, out, false);
    return out;
}

Bound *bound_window(BoundCtx *c, const BoundCall *call) {
    bool conv = call->op == BOUND_CONV || call->op == BOUND_CONV_TRANSPOSE;
    return conv ? convolution(c, call) : pool(c, call);
}
