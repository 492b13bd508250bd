// Things that can be corrected while they grow, so that one pass over the row finds them together: the
// largest with the sum of exponentials below it, and the mean with the sum of squared distances from it. One
// of each a lane, put together after the loop; or one of each a row, fed block by block.
#include "smith/emit.h"
#include <math.h>

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
    if (e->two_d)
        line_add(&e->top, 0, false, "%s = tl.full([%s, 1], %s, dtype=tl.float32)", name, e->rows_block,
                 value);
    else
        line_add(&e->top, 0, false, "%s = %s", name, value);
}

static void open_lanes(Emit *e, const char *name, const char *value) {
    const char *shape =
        arena_printf(e->a, e->two_d ? "%s, %s" : "%s%s", e->two_d ? e->rows_block : "", e->block);
    if (value)
        line_add(&e->top, 0, false, "%s = tl.full([%s], %s, dtype=tl.float32)", name, shape, value);
    else
        line_add(&e->top, 0, false, "%s = tl.zeros([%s], dtype=tl.float32)", name, shape);
}

static void remember(Emit *e, int node, const char *name) {
    emit_remember(e, node, NULL, (Expr){name, BIND_ATOM, false, e->g->node[node].rows});
}

// --- The largest, and the sum of exponentials below it -----------------------------------------------

static void pair_by_row(Emit *e, int most, int sum, const char *x, bool fold) {
    const char *m = emit_fresh(e, e->style->most, false), *s = emit_fresh(e, e->style->sum, false);
    open_scalar(e, m, fold ? "-1e30" : LOWEST);
    open_scalar(e, s, "0.0");
    const char *grown = emit_fresh(e, arena_printf(e->a, "%s_new", e->style->most), true);
    line_add(&e->body, 0, false, "%s = tl.maximum(%s, %s)", grown, m, emit_reduce(e, BOUND_AMAX, x));
    const char *more = emit_reduce(e, BOUND_SUM, emit_exp_less(e, x, grown, fold));
    if (emit_flaw(e, FLAW_carry_dropped))
        line_add(&e->body, 0, false, "%s = %s + %s", s, s, more);
    else
        line_add(&e->body, 0, false, "%s = %s * %s + %s", s, s, emit_exp_less(e, m, grown, fold), more);
    line_add(&e->body, 0, false, "%s = %s", m, grown);
    remember(e, most, m);
    remember(e, sum, s);
}

// A lane that has seen nothing holds the sum 0, whatever it is multiplied by.
static void pair_by_lane(Emit *e, int most, int sum, const char *x, bool fold) {
    const char *m = emit_fresh(e, arena_printf(e->a, "%s_lanes", e->style->most), false),
               *s = emit_fresh(e, arena_printf(e->a, "%s_lanes", e->style->sum), false);
    open_lanes(e, m, fold ? "-1e30" : LOWEST);
    open_lanes(e, s, NULL);
    const char *grown = emit_fresh(e, arena_printf(e->a, "%s_new", e->style->most), true);
    line_add(&e->body, 0, false, "%s = tl.maximum(%s, %s)", grown, m, x);
    if (emit_flaw(e, FLAW_carry_dropped))
        line_add(&e->body, 0, false, "%s = %s + %s", s, s, emit_exp_less(e, x, grown, fold));
    else
        line_add(&e->body, 0, false, "%s = %s * %s + %s", s, s, emit_exp_less(e, m, grown, fold),
                 emit_exp_less(e, x, grown, fold));
    line_add(&e->body, 0, false, "%s = %s", m, grown);
    const char *top = emit_fresh(e, e->style->most, false), *total = emit_fresh(e, e->style->sum, false);
    line_add(&e->after, 0, false, "%s = %s", top, emit_reduce(e, BOUND_AMAX, m));
    line_add(&e->after, 0, false, "%s = %s", total,
             emit_reduce(e, BOUND_SUM, arena_printf(e->a, "%s * %s", s, emit_exp_less(e, m, top, fold))));
    remember(e, most, top);
    remember(e, sum, total);
}

void online_pair(Emit *e, int most, int sum, Place *p) {
    int a = e->g->node[most].in[0];
    Expr x = emit_bind(e, emit_masked(e, a, p, -HUGE_VAL), str_of(e->style->temp));
    bool fold = e->plan->fold && plan_folds(e->g, a);
    if (e->plan->scalars)
        pair_by_row(e, most, sum, x.s, fold);
    else
        pair_by_lane(e, most, sum, x.s, fold);
}

// --- The mean, and the squared distances from it -----------------------------------------------------

// Two groups of values put together by their counts, means and squared distances.
static void spread_by_row(Emit *e, int sum, int spread, Place *p, const char *x) {
    int mean_node;
    (void)plan_mean(e->g, spread, &mean_node);
    const char *n = emit_fresh(e, "seen", false), *mean = emit_fresh(e, e->style->mean, false),
               *m2 = emit_fresh(e, "m2", false);
    line_add(&e->top, 0, false, "%s = 0.0", n);
    open_scalar(e, mean, "0.0");
    open_scalar(e, m2, "0.0");
    const char *count = emit_fresh(e, "n_new", true), *here = emit_fresh(e, "mean_new", true),
               *d = emit_fresh(e, "d", true), *delta = emit_fresh(e, "delta", true),
               *all = emit_fresh(e, "n_all", true);
    line_add(
        &e->body, 0, false, "%s = tl.sum(%s.to(tl.float32))", count,
        emit_wrap(e, (Expr){p->mask, emit_is_name(p->mask) ? BIND_ATOM : BIND_ANY, true, false}, BIND_ATOM));
    line_add(&e->body, 0, false, "%s = %s / %s", here, emit_reduce(e, BOUND_SUM, x), count);
    line_add(&e->body, 0, false, "%s = tl.where(%s, %s - %s, 0.0)", d, p->mask, x, here);
    line_add(&e->body, 0, false, "%s = %s - %s", delta, here, mean);
    line_add(&e->body, 0, false, "%s = %s + %s", all, n, count);
    line_add(&e->body, 0, false, "%s += %s * (%s / %s)", mean, delta, count, all);
    const char *between = arena_printf(e->a, " + %s * %s * (%s * %s / %s)", delta, delta, n, count, all);
    if (emit_flaw(e, FLAW_carry_dropped)) between = "";
    line_add(&e->body, 0, false, "%s += %s%s", m2,
             emit_reduce(e, BOUND_SUM, arena_printf(e->a, "%s * %s", d, d)), between);
    line_add(&e->body, 0, false, "%s = %s", n, all);
    remember(e, mean_node, mean);
    remember(e, spread, m2);
    emit_remember(e, sum, NULL,
                  (Expr){arena_printf(e->a, "%s * %s", mean, n), BIND_PRODUCT, false, e->g->node[sum].rows});
}

// Welford's way in every lane.
static void spread_by_lane(Emit *e, int sum, int spread, Place *p, const char *x) {
    int mean_node;
    (void)plan_mean(e->g, spread, &mean_node);
    const char *n = emit_fresh(e, "count", false), *mean = emit_fresh(e, "lane_mean", false),
               *m2 = emit_fresh(e, "lane_m2", false), *delta = emit_fresh(e, "delta", true);
    open_lanes(e, n, NULL);
    open_lanes(e, mean, NULL);
    open_lanes(e, m2, NULL);
    line_add(&e->body, 0, false, "%s = tl.where(%s, %s + 1.0, %s)", n, p->mask, n, n);
    line_add(&e->body, 0, false, "%s = tl.where(%s, %s - %s, 0.0)", delta, p->mask, x, mean);
    line_add(&e->body, 0, false, "%s += %s / tl.maximum(%s, 1.0)", mean, delta, n);
    line_add(&e->body, 0, false, "%s += tl.where(%s, %s * (%s - %s), 0.0)", m2, p->mask, delta, x, mean);
    const char *whole = emit_fresh(e, e->style->mean, false), *apart = emit_fresh(e, "apart", false),
               *total = emit_fresh(e, "m2", false);
    const char *length = emit_size(e, p->width).s;
    line_add(&e->after, 0, false, "%s = %s / %s", whole,
             emit_reduce(e, BOUND_SUM, arena_printf(e->a, "%s * %s", mean, n)), length);
    line_add(&e->after, 0, false, "%s = %s - %s", apart, mean, whole);
    const char *between = arena_printf(e->a, " + %s * %s * %s", n, apart, apart);
    if (emit_flaw(e, FLAW_carry_dropped)) between = "";
    line_add(&e->after, 0, false, "%s = %s", total,
             emit_reduce(e, BOUND_SUM, arena_printf(e->a, "%s%s", m2, between)));
    remember(e, mean_node, whole);
    remember(e, spread, total);
    emit_remember(
        e, sum, NULL,
        (Expr){arena_printf(e->a, "%s * %s", whole, length), BIND_PRODUCT, false, e->g->node[sum].rows});
}

void online_spread(Emit *e, int sum, int spread, Place *p) {
    Expr x = emit_bind(e, emit_value(e, e->g->node[sum].in[0], p), str_of(e->style->temp));
    if (e->plan->scalars && x.tile)
        spread_by_row(e, sum, spread, p,
                      emit_bind(e,
                                (Expr){emit_masked(e, e->g->node[sum].in[0], p, 0).s, BIND_ANY, true, true},
                                STR("kept"))
                          .s);
    else
        spread_by_lane(e, sum, spread, p, x.s);
}
