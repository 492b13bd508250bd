// Things that can be corrected while they grow, so that one pass over the row finds them together: the
// largest with the sum of exponentials below it and sums that those exponentials weigh, and the mean with the
// sum of squared distances from it. One of each a lane, put together after the loop; or one of each a row,
// fed block by block.
#include "grammar/kernel_writer.h"
#include <assert.h>
#include <math.h>
#include <string.h>

double reduction_neutral(BoundOp op) {
    return op == BOUND_AMAX ? -HUGE_VAL : op == BOUND_AMIN ? HUGE_VAL : op == BOUND_PROD ? 1 : 0;
}

const char *reduction_start(BoundOp op) {
    return op == BOUND_AMAX   ? "float(\"-inf\")"
           : op == BOUND_AMIN ? "float(\"inf\")"
           : op == BOUND_PROD ? "1.0"
                              : "0.0";
}

void open_scalar(Emit *e, const char *name, const char *value) {
    if (e->state.two_d)
        line_add(&e->lines.top, 0, false, "%s = tl.full([%s, 1], %s, dtype=tl.float32)", name,
                 e->name.rows_block, value);
    else
        line_add(&e->lines.top, 0, false, "%s = %s", name, value);
}

static void open_lanes(Emit *e, const char *name, const char *value) {
    const char *shape = arena_printf(e->a, e->state.two_d ? "%s, %s" : "%s%s",
                                     e->state.two_d ? e->name.rows_block : "", e->name.block);
    if (value)
        line_add(&e->lines.top, 0, false, "%s = tl.full([%s], %s, dtype=tl.float32)", name, shape, value);
    else
        line_add(&e->lines.top, 0, false, "%s = tl.zeros([%s], dtype=tl.float32)", name, shape);
}

static void remember(Emit *e, int node, const char *name) {
    emit_remember(e, node, NULL, (Expr){name, BIND_ATOM, false, e->g->node[node].rows});
}

// --- The largest, the sum of exponentials below it, and what they weigh ------------------------------

typedef struct {
    int most, sum;
    bool fold, weighs, shifts;
    const char *x, *m, *s, *grown; // values; the largest and the sum so far; the largest from now on
    const char *power, *scale;     // exp(x - grown), exp(m - grown)
    const char *top;               // by lane, after the loop: the largest of all lanes
} Pair;

typedef struct {
    int node;
    Shifts shifts;
    const Pair *by;
    const char *w, *more;
} Weighed;

typedef struct {
    Pair pair[ONLINE_MAX];
    Weighed weighed[ONLINE_MAX];
    int pairs, count;
} Group;

static Pair *pair_of(Group *g, int most) {
    for (int i = 0; i < g->pairs; i++)
        if (g->pair[i].most == most) return &g->pair[i];
    return NULL;
}

static void read_group(Emit *e, const int *most, int count, Group *g) {
    *g = (Group){0};
    for (int i = 0; i < count; i++) {
        bool fold = e->plan->fold && passes_folds(e->g, e->g->node[most[i]].in[0]);
        g->pair[g->pairs++] = (Pair){.most = most[i], .sum = passes_total(e->g, most[i]), .fold = fold};
    }
    for (int i = 0; i < e->g->nodes && g->count < ONLINE_MAX; i++) {
        if (e->levels->weighed[i] < 0) continue;
        Pair *by = pair_of(g, e->levels->weighed[i]);
        if (!by) continue; // of another pass
        Weighed *w = &g->weighed[g->count++];
        *w = (Weighed){.node = i, .by = by};
        (void)passes_weighed(e->g, i, &w->shifts);
        by->weighs = true;
        for (int k = 0; k < w->shifts.n; k++) pair_of(g, w->shifts.at[k].most)->shifts = true;
    }
}

static void open_running(Emit *e, const char *name, const char *value) {
    if (e->plan->scalars)
        open_scalar(e, name, value);
    else
        open_lanes(e, name, strcmp(value, "0.0") == 0 ? NULL : value);
}

static const char *running_name(Emit *e, const char *wish) {
    return emit_fresh(e, e->plan->scalars ? wish : arena_printf(e->a, "%s_lanes", wish), false);
}

// As much of a tile as is kept: all lanes, or what they come to.
static const char *gathered(Emit *e, BoundOp op, const char *tile) {
    return e->plan->scalars ? emit_reduce(e, op, tile) : tile;
}

static const char *exp_named(Emit *e, const char *wish, const char *a, const char *b, bool fold) {
    const char *name = emit_fresh(e, wish, true);
    line_add(&e->lines.body, 0, false, "%s = %s", name, emit_exp_less(e, a, b, fold));
    return name;
}

// How the terms of a weighed sum move when its largest ones do, times the sum of the weights:
// " + (m - top) * s"; empty when they stay.
static const char *shift_text(Emit *e, const Group *g, const Weighed *w, bool after) {
    if (w->shifts.n == 0) return "";
    Buf b = BUF(e->a);
    for (int i = 0; i < w->shifts.n; i++) {
        const Pair *p = pair_of((Group *)g, w->shifts.at[i].most);
        double by = w->shifts.at[i].by, size = fabs(by);
        buf_puts(&b, by < 0 ? (i ? " - " : "-") : (i ? " + " : ""));
        buf_printf(&b, "(%s - %s)", p->m, after ? p->top : p->grown);
        if (size != 1) buf_printf(&b, " * %s", float_text(e->a, size));
    }
    return arena_printf(e->a, w->shifts.n > 1 || w->shifts.at[0].by != 1 ? " + (%s) * %s" : " + %s * %s",
                        buf_cstr(&b), w->by->s);
}

static void grow(Emit *e, Pair *p, Place *place) {
    p->x =
        emit_bind(e, emit_masked(e, e->g->node[p->most].in[0], place, -HUGE_VAL), str_of(e->style->temp)).s;
    p->m = running_name(e, e->style->most);
    p->s = running_name(e, e->style->sum);
    // A shift by what no value has reached yet must not overflow.
    open_running(e, p->m, p->fold || p->shifts ? "-1e30" : LOWEST);
    open_running(e, p->s, "0.0");
    p->grown = emit_fresh(e, arena_printf(e->a, "%s_new", e->style->most), true);
    line_add(&e->lines.body, 0, false, "%s = tl.maximum(%s, %s)", p->grown, p->m,
             gathered(e, BOUND_AMAX, p->x));
    if (p->weighs) {
        p->power = exp_named(e, "e", p->x, p->grown, p->fold);
        p->scale = exp_named(e, "scale", p->m, p->grown, p->fold);
    }
    if (p->shifts)
        emit_remember(e, p->most, NULL,
                      (Expr){p->grown, BIND_ATOM, !e->plan->scalars, e->g->node[p->most].rows});
}

static void weigh(Emit *e, const Group *g, Weighed *w, Place *p) {
    Expr t = emit_masked(e, w->shifts.factor, p, 0);
    w->w = running_name(e, "weighed");
    open_running(e, w->w, "0.0");
    const char *more =
        gathered(e, BOUND_SUM, arena_printf(e->a, "%s * %s", w->by->power, emit_wrap(e, t, BIND_PRODUCT)));
    const char *shift = shift_text(e, g, w, false);
    if (emit_flaw(e, FLAW_carry_dropped))
        line_add(&e->lines.body, 0, false, "%s = %s + %s", w->w, w->w, more);
    else
        line_add(&e->lines.body, 0, false, *shift ? "%s = (%s%s) * %s + %s" : "%s = %s%s * %s + %s", w->w,
                 w->w, shift, w->by->scale, more);
}

// A lane that has seen nothing holds the sum 0, whatever it is multiplied by.
static void carry(Emit *e, const Pair *p) {
    const char *more =
        gathered(e, BOUND_SUM, p->power ? p->power : emit_exp_less(e, p->x, p->grown, p->fold));
    if (emit_flaw(e, FLAW_carry_dropped))
        line_add(&e->lines.body, 0, false, "%s = %s + %s", p->s, p->s, more);
    else
        line_add(&e->lines.body, 0, false, "%s = %s * %s + %s", p->s, p->s,
                 p->scale ? p->scale : emit_exp_less(e, p->m, p->grown, p->fold), more);
    line_add(&e->lines.body, 0, false, "%s = %s", p->m, p->grown);
}

static void join_lanes(Emit *e, Group *g) {
    const char *total[ONLINE_MAX];
    for (int i = 0; i < g->pairs; i++) {
        Pair *p = &g->pair[i];
        p->top = emit_fresh(e, e->style->most, false);
        line_add(&e->lines.after, 0, false, "%s = %s", p->top, emit_reduce(e, BOUND_AMAX, p->m));
        if (!p->weighs) continue;
        p->scale = emit_fresh(e, "lane_scale", false);
        line_add(&e->lines.after, 0, false, "%s = %s", p->scale, emit_exp_less(e, p->m, p->top, p->fold));
    }
    for (int i = 0; i < g->count; i++) {
        Weighed *w = &g->weighed[i];
        const char *shift = shift_text(e, g, w, true), *name = emit_fresh(e, "weighed", false);
        line_add(
            &e->lines.after, 0, false, "%s = %s", name,
            emit_reduce(e, BOUND_SUM,
                        arena_printf(e->a, *shift ? "(%s%s) * %s" : "%s%s * %s", w->w, shift, w->by->scale)));
        w->w = name;
    }
    for (int i = 0; i < g->pairs; i++) {
        Pair *p = &g->pair[i];
        total[i] = emit_fresh(e, e->style->sum, false);
        const char *scale = p->weighs ? p->scale : emit_exp_less(e, p->m, p->top, p->fold);
        line_add(&e->lines.after, 0, false, "%s = %s", total[i],
                 emit_reduce(e, BOUND_SUM, arena_printf(e->a, "%s * %s", p->s, scale)));
        p->m = p->top;
        p->s = total[i];
    }
}

void online_pairs(Emit *e, const int *most, int count, Place *p) {
    Group *g = NEW(e->a, Group);
    read_group(e, most, count, g);
    for (int i = 0; i < g->pairs; i++) grow(e, &g->pair[i], p);
    for (int i = 0; i < g->count; i++) weigh(e, g, &g->weighed[i], p);
    for (int i = 0; i < g->pairs; i++) carry(e, &g->pair[i]);
    if (!e->plan->scalars) join_lanes(e, g);
    for (int i = 0; i < g->pairs; i++) {
        remember(e, g->pair[i].most, g->pair[i].m);
        remember(e, g->pair[i].sum, g->pair[i].s);
    }
    for (int i = 0; i < g->count; i++) remember(e, g->weighed[i].node, g->weighed[i].w);
}

// --- Means, and what is summed of the distances from them --------------------------------------------

typedef struct {
    int sum, node;                   // the node is the mean
    const char *x, *mean;            // value, mean so far
    const char *d, *delta, *between; // distance from the block's mean, or the lane's; of the means
} Mean;

typedef struct {
    int node, a, b; // indices of means
    const char *m2;
} Spread;

typedef struct {
    Mean mean[ONLINE_MAX];
    Spread spread[ONLINE_MAX];
    int means, spreads;
} Moments;

static int mean_of(const Moments *m, int sum) {
    for (int i = 0; i < m->means; i++)
        if (m->mean[i].sum == sum) return i;
    return -1;
}

bool online_is_mean(const Emit *e, int sum) {
    Moment m;
    for (int i = 0; i < e->g->nodes; i++)
        if (e->levels->spread[i] >= 0 && passes_moment(e->g, i, &m) && (m.sum[0] == sum || m.sum[1] == sum))
            return true;
    return false;
}

static void read_moments(Emit *e, const int *sum, int count, Moments *out) {
    *out = (Moments){0};
    for (int i = 0; i < count; i++) out->mean[out->means++] = (Mean){.sum = sum[i]};
    for (int i = 0; i < e->g->nodes; i++) {
        Moment m;
        if (e->levels->spread[i] < 0 || !passes_moment(e->g, i, &m) || mean_of(out, m.sum[0]) < 0) continue;
        assert(out->spreads < ONLINE_MAX); // kernel.c has counted
        Spread *s = &out->spread[out->spreads++];
        *s = (Spread){.node = i, .a = mean_of(out, m.sum[0]), .b = mean_of(out, m.sum[1])};
        out->mean[s->a].node = m.mean[0];
        out->mean[s->b].node = m.mean[1];
    }
}

static void remember_moments(Emit *e, const Moments *m, const char *count) {
    for (int i = 0; i < m->means; i++) {
        const Mean *x = &m->mean[i];
        remember(e, x->node, x->mean);
        emit_remember(e, x->sum, NULL,
                      (Expr){arena_printf(e->a, "%s * %s", x->mean, count), BIND_PRODUCT, false,
                             e->g->node[x->sum].rows});
    }
    for (int i = 0; i < m->spreads; i++) remember(e, m->spread[i].node, m->spread[i].m2);
}

// Two groups of values put together by their counts, means and sums of products of distances.
static void moments_by_row(Emit *e, Moments *m, Place *p) {
    const char *n = emit_fresh(e, "seen", false), *count = emit_fresh(e, "n_new", true),
               *all = emit_fresh(e, "n_all", true);
    line_add(&e->lines.top, 0, false, "%s = 0.0", n);
    line_add(
        &e->lines.body, 0, false, "%s = tl.sum(%s.to(tl.float32))", count,
        emit_wrap(e, (Expr){p->mask, emit_is_name(p->mask) ? BIND_ATOM : BIND_ANY, true, false}, BIND_ATOM));
    line_add(&e->lines.body, 0, false, "%s = %s + %s", all, n, count);
    for (int i = 0; i < m->means; i++) {
        Mean *x = &m->mean[i];
        x->mean = emit_fresh(e, e->style->mean, false);
        open_scalar(e, x->mean, "0.0");
        const char *here = emit_fresh(e, "mean_new", true);
        x->d = emit_fresh(e, "d", true);
        x->delta = emit_fresh(e, "delta", true);
        line_add(&e->lines.body, 0, false, "%s = %s / %s", here, emit_reduce(e, BOUND_SUM, x->x), count);
        line_add(&e->lines.body, 0, false, "%s = tl.where(%s, %s - %s, 0.0)", x->d, p->mask, x->x, here);
        line_add(&e->lines.body, 0, false, "%s = %s - %s", x->delta, here, x->mean);
        line_add(&e->lines.body, 0, false, "%s += %s * (%s / %s)", x->mean, x->delta, count, all);
    }
    for (int i = 0; i < m->spreads; i++) {
        Spread *s = &m->spread[i];
        const Mean *a = &m->mean[s->a], *b = &m->mean[s->b];
        s->m2 = emit_fresh(e, "m2", false);
        open_scalar(e, s->m2, "0.0");
        const char *between =
            arena_printf(e->a, " + %s * %s * (%s * %s / %s)", a->delta, b->delta, n, count, all);
        if (emit_flaw(e, FLAW_carry_dropped)) between = "";
        line_add(&e->lines.body, 0, false, "%s += %s%s", s->m2,
                 emit_reduce(e, BOUND_SUM, arena_printf(e->a, "%s * %s", a->d, b->d)), between);
    }
    line_add(&e->lines.body, 0, false, "%s = %s", n, all);
    remember_moments(e, m, n);
}

// Welford's way in every lane.
static void moments_by_lane(Emit *e, Moments *m, Place *p) {
    const char *n = emit_fresh(e, "count", false), *length = emit_size(e, p->width).s;
    open_lanes(e, n, NULL);
    line_add(&e->lines.body, 0, false, "%s = tl.where(%s, %s + 1.0, %s)", n, p->mask, n, n);
    for (int i = 0; i < m->means; i++) {
        Mean *x = &m->mean[i];
        x->mean = emit_fresh(e, "lane_mean", false);
        x->delta = emit_fresh(e, "delta", true);
        open_lanes(e, x->mean, NULL);
        line_add(&e->lines.body, 0, false, "%s = tl.where(%s, %s - %s, 0.0)", x->delta, p->mask, x->x,
                 x->mean);
        line_add(&e->lines.body, 0, false, "%s += %s / tl.maximum(%s, 1.0)", x->mean, x->delta, n);
    }
    for (int i = 0; i < m->spreads; i++) {
        Spread *s = &m->spread[i];
        const Mean *a = &m->mean[s->a], *b = &m->mean[s->b];
        s->m2 = emit_fresh(e, "lane_m2", false);
        open_lanes(e, s->m2, NULL);
        line_add(&e->lines.body, 0, false, "%s += tl.where(%s, %s * (%s - %s), 0.0)", s->m2, p->mask,
                 a->delta, b->x, b->mean);
    }
    for (int i = 0; i < m->means; i++) {
        Mean *x = &m->mean[i];
        const char *whole = emit_fresh(e, e->style->mean, false);
        x->between = emit_fresh(e, "apart", false);
        line_add(&e->lines.after, 0, false, "%s = %s / %s", whole,
                 emit_reduce(e, BOUND_SUM, arena_printf(e->a, "%s * %s", x->mean, n)), length);
        line_add(&e->lines.after, 0, false, "%s = %s - %s", x->between, x->mean, whole);
        x->mean = whole;
    }
    for (int i = 0; i < m->spreads; i++) {
        Spread *s = &m->spread[i];
        const char *total = emit_fresh(e, "m2", false);
        const char *between =
            arena_printf(e->a, " + %s * %s * %s", n, m->mean[s->a].between, m->mean[s->b].between);
        if (emit_flaw(e, FLAW_carry_dropped)) between = "";
        line_add(&e->lines.after, 0, false, "%s = %s", total,
                 emit_reduce(e, BOUND_SUM, arena_printf(e->a, "%s%s", s->m2, between)));
        s->m2 = total;
    }
    remember_moments(e, m, length);
}

void online_moments(Emit *e, const int *sum, int count, Place *p) {
    Moments *m = NEW(e->a, Moments);
    if (count == 0) return;
    read_moments(e, sum, count, m);
    bool tiles = true;
    for (int i = 0; i < m->means; i++) {
        int x = e->g->node[sum[i]].in[0];
        m->mean[i].x = emit_bind(e, emit_value(e, x, p), str_of(e->style->temp)).s;
        tiles = tiles && emit_value(e, x, p).tile;
    }
    if (!e->plan->scalars || !tiles) {
        moments_by_lane(e, m, p);
        return;
    }
    for (int i = 0; i < m->means; i++) {
        const char *kept = emit_masked(e, e->g->node[sum[i]].in[0], p, 0).s;
        m->mean[i].x = emit_bind(e, (Expr){kept, BIND_ANY, true, true}, STR("kept")).s;
    }
    moments_by_row(e, m, p);
}
