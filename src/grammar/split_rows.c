// Rows split over programs: for each reduction that waits for another a kernel that leaves what it found in
// its part of the row in a workspace; then one that puts the parts together and writes the result.
#include "grammar/kernel_writer.h"
#include <assert.h>
#include <math.h>

static const char *slot(Emit *e, const Partial *p, const char *where) {
    if (!e->g->has_rows) return arena_printf(e->a, "%s + %s", p->param, where);
    e->takes.row = true;
    return arena_printf(e->a, "%s + %s * %s + %s", p->param, e->name.row, e->name.parts, where);
}

static Partial *partial_of(Emit *e, int node) {
    for (int i = 0; i < e->work.partials; i++)
        if (e->work.partial[i].node == node) return &e->work.partial[i];
    return NULL;
}

static void remember(Emit *e, int node, const char *text, Bind bind) {
    emit_remember(e, node, NULL, (Expr){text, bind, false, e->g->node[node].rows});
}

// --- What a part leaves ------------------------------------------------------------------------------

static void leave(Emit *e, int node, const char *value) {
    Partial *p = partial_of(e, node);
    p->used = e->takes.parts = true;
    line_add(&e->lines.top, 0, false, "tl.store(%s, %s)", slot(e, p, e->name.part), value);
}

// Statistics that are found together with others.
static bool is_second(const Emit *e, int node) {
    return e->levels->merged[node] >= 0 || e->levels->weighed[node] >= 0 || e->levels->spread[node] >= 0;
}

static bool pair_folds(const Emit *e, int most) {
    return e->plan->fold && passes_folds(e->g, e->g->node[most].in[0]);
}

// As in online.c: -inf would not do for a part that has nothing but -inf.
static const char *lowest(const Emit *e, int most) {
    bool shifts = false;
    for (int i = 0; i < e->g->nodes; i++) shifts = shifts || e->levels->weighed[i] >= 0;
    return shifts || pair_folds(e, most) ? "-1e30" : LOWEST;
}

static void leave_pair(Emit *e, int most, int sum, Place *p) {
    int a = e->g->node[most].in[0];
    Expr x = emit_bind(e, emit_masked(e, a, p, -HUGE_VAL), str_of(e->style->temp));
    const char *top = emit_fresh(e, e->style->most, false);
    line_add(&e->lines.top, 0, false, "%s = tl.maximum(%s, %s)", top, emit_reduce(e, BOUND_AMAX, x.s),
             lowest(e, most));
    leave(e, most, top);
    Expr power = {emit_exp_less(e, x.s, top, pair_folds(e, most)), BIND_ATOM, true, true};
    bool weighs = false;
    for (int i = 0; i < e->g->nodes; i++) weighs = weighs || e->levels->weighed[i] == most;
    if (weighs) {
        power = emit_bind(e, power, STR("e"));
        e->work.power[most] = power.s;
    }
    e->work.tops[most] = top;
    leave(e, sum, emit_reduce(e, BOUND_SUM, power.s));
}

// The part's own largest ones stand for the row's.
static void leave_weighed(Emit *e, int node, Place *p) {
    Shifts shifts;
    int most = passes_weighed(e->g, node, &shifts);
    for (int i = 0; i < shifts.n; i++)
        remember(e, shifts.at[i].most, e->work.tops[shifts.at[i].most], BIND_ATOM);
    Expr t = emit_masked(e, shifts.factor, p, 0);
    leave(e, node,
          emit_reduce(e, BOUND_SUM,
                      arena_printf(e->a, "%s * %s", e->work.power[most], emit_wrap(e, t, BIND_PRODUCT))));
}

// The mean of the part, and in power[] the name of the distances from it.
static void leave_mean(Emit *e, int sum, Place *p) {
    int a = e->g->node[sum].in[0];
    Expr x = emit_bind(e, emit_masked(e, a, p, 0), str_of(e->style->temp));
    const char *n = emit_fresh(e, "count", false), *mean = emit_fresh(e, e->style->mean, false),
               *d = emit_fresh(e, "apart", false);
    line_add(&e->lines.top, 0, false, "%s = tl.minimum(%s, %s - %s * %s)", n, e->name.block,
             emit_size(e, p->width).s, e->name.part, e->name.block);
    line_add(&e->lines.top, 0, false, "%s = %s / tl.maximum(%s, 1)", mean, emit_reduce(e, BOUND_SUM, x.s), n);
    line_add(&e->lines.top, 0, false, "%s = tl.where(%s, %s - %s, 0.0)", d, p->mask, x.s, mean);
    leave(e, sum, mean);
    e->work.power[sum] = d;
}

static void leave_spread(Emit *e, int node) {
    Moment m;
    (void)passes_moment(e->g, node, &m);
    leave(e, node,
          emit_reduce(e, BOUND_SUM,
                      arena_printf(e->a, "%s * %s", e->work.power[m.sum[0]], e->work.power[m.sum[1]])));
}

static int second_of(const Emit *e, const int *of, int first) {
    for (int i = 0; i < e->g->nodes; i++)
        if (of[i] == first) return i;
    return -1;
}

static bool is_statistic(const GraphNode *n) { return graph_is_reduction(n->op) || n->op == BOUND_CUMSUM; }

static void leave_all(Emit *e, int level) {
    for (int i = 0; i < e->g->nodes; i++) {
        const GraphNode *n = &e->g->node[i];
        if (!is_statistic(n) || e->levels->level[i] != level || is_second(e, i)) continue;
        Place *p = emit_place(e, e->g->node[n->in[0]].cols);
        int pair = second_of(e, e->levels->merged, i);
        if (pair >= 0)
            leave_pair(e, i, pair, p);
        else if (online_is_mean(e, i))
            leave_mean(e, i, p);
        else {
            BoundOp op = n->op == BOUND_CUMSUM ? BOUND_SUM : n->op;
            int flawed = e->flawed;
            leave(e, i, emit_reduce(e, op, emit_masked(e, n->in[0], p, reduction_neutral(op)).s));
            // Masked lanes are in the last part, which stands before no other.
            if (n->op == BOUND_CUMSUM && e->plan->flaw == FLAW_other_value) e->flawed = flawed;
        }
    }
    for (int i = 0; i < e->g->nodes; i++)
        if (e->levels->weighed[i] >= 0 && e->levels->level[i] == level)
            leave_weighed(e, i, emit_place(e, e->g->node[e->g->node[i].in[0]].cols));
    for (int i = 0; i < e->g->nodes; i++)
        if (e->levels->spread[i] >= 0 && e->levels->level[i] == level) leave_spread(e, i);
}

// --- Putting the parts together ----------------------------------------------------------------------

static const char *parts_of(Emit *e, int node, const char *other) {
    Partial *p = partial_of(e, node);
    const char *name = emit_fresh(e, arena_printf(e->a, "%s_parts", emit_reduction_name(e, node).p), false);
    p->used = e->takes.parts = e->takes.slots = true;
    line_add(&e->lines.top, 0, false, "%s = tl.load(%s, mask=%s < %s, other=%s)", name,
             slot(e, p, e->name.slots), e->name.slots, e->name.parts, other);
    return name;
}

static const char *bound(Emit *e, const char *wish, const char *text) {
    const char *name = emit_fresh(e, wish, false);
    line_add(&e->lines.top, 0, false, "%s = %s", name, text);
    return name;
}

static void join_pair(Emit *e, int most, int sum) {
    bool fold = pair_folds(e, most);
    const char *m = parts_of(e, most, lowest(e, most)), *s = parts_of(e, sum, "0.0");
    const char *top = bound(e, e->style->most, emit_reduce(e, BOUND_AMAX, m));
    const char *scaled = arena_printf(e->a, "%s * %s", s, emit_exp_less(e, m, top, fold));
    if (emit_flaw(e, FLAW_carry_dropped)) scaled = s;
    const char *total = bound(e, e->style->sum, emit_reduce(e, BOUND_SUM, scaled));
    e->work.tops[most] = m;
    e->work.power[most] = s;
    remember(e, most, top, BIND_ATOM);
    remember(e, sum, total, BIND_ATOM);
}

// Each part has taken its distances from its own largest ones.
static void join_weighed(Emit *e, int node) {
    Shifts shifts;
    int most = passes_weighed(e->g, node, &shifts);
    const char *w = parts_of(e, node, "0.0");
    Buf b = BUF(e->a);
    Expr top;
    for (int i = 0; i < shifts.n; i++) {
        const Shift *x = &shifts.at[i];
        (void)emit_recall(e, x->most, NULL, &top);
        buf_printf(&b, " %c (%s - %s) * ", x->by < 0 ? '-' : '+', e->work.tops[x->most], top.s);
        if (fabs(x->by) != 1) buf_printf(&b, "%s * ", float_text(e->a, fabs(x->by)));
        buf_puts(&b, e->work.power[most]);
    }
    const char *moved = shifts.n ? arena_printf(e->a, "(%s%s)", w, buf_cstr(&b)) : w;
    (void)emit_recall(e, most, NULL, &top);
    if (!emit_flaw(e, FLAW_carry_dropped))
        moved = arena_printf(e->a, "%s * %s", moved,
                             emit_exp_less(e, e->work.tops[most], top.s, pair_folds(e, most)));
    else
        moved = w;
    remember(e, node, bound(e, "weighed", emit_reduce(e, BOUND_SUM, moved)), BIND_ATOM);
}

// In power[] the counts, in tops[] how far the parts' means lie from the row's.
static void join_mean(Emit *e, int sum) {
    Moment m = {0};
    int mean_node = -1;
    for (int i = 0; i < e->g->nodes && mean_node < 0; i++)
        for (int k = 0; k < 2 && e->levels->spread[i] >= 0; k++)
            if (passes_moment(e->g, i, &m) && m.sum[k] == sum) mean_node = m.mean[k];
    const char *length = emit_size(e, e->g->node[e->g->node[sum].in[0]].cols).s;
    const char *mean = parts_of(e, sum, "0.0");
    e->takes.block = true;
    const char *n = bound(e, "counts",
                          arena_printf(e->a, "tl.maximum(tl.minimum(%s, %s - %s * %s), 0)", e->name.block,
                                       length, e->name.slots, e->name.block));
    const char *whole =
        bound(e, e->style->mean,
              arena_printf(e->a, "%s / %s", emit_reduce(e, BOUND_SUM, arena_printf(e->a, "%s * %s", mean, n)),
                           length));
    e->work.tops[sum] = bound(e, "apart", arena_printf(e->a, "%s - %s", mean, whole));
    e->work.power[sum] = n;
    remember(e, mean_node, whole, BIND_ATOM);
    remember(e, sum, arena_printf(e->a, "%s * %s", whole, length), BIND_PRODUCT);
}

static void join_spread(Emit *e, int node) {
    Moment m;
    (void)passes_moment(e->g, node, &m);
    const char *m2 = parts_of(e, node, "0.0");
    const char *between = arena_printf(e->a, " + %s * %s * %s", e->work.power[m.sum[0]],
                                       e->work.tops[m.sum[0]], e->work.tops[m.sum[1]]);
    if (emit_flaw(e, FLAW_carry_dropped)) between = "";
    remember(e, node, bound(e, "m2", emit_reduce(e, BOUND_SUM, arena_printf(e->a, "%s%s", m2, between))),
             BIND_ATOM);
}

static void join_scan(Emit *e, int node) {
    const char *all = parts_of(e, node, "0.0");
    e->work.before[node] = bound(
        e, e->style->carry,
        emit_reduce(e, BOUND_SUM,
                    arena_printf(e->a, "tl.where(%s < %s, %s, 0.0)", e->name.slots, e->name.part, all)));
}

static const char *plain_other(BoundOp op) { return op == BOUND_SUM ? "0.0" : reduction_start(op); }

static bool needed(const Emit *e, int node, const bool *wanted) {
    const Graph *g = e->g;
    const Levels *levels = e->levels;
    bool is = wanted[node];
    Shifts shifts;
    Moment moment;
    for (int i = 0; i < g->nodes; i++) {
        if (!wanted[i]) continue;
        if (levels->spread[i] >= 0 && passes_moment(g, i, &moment)) is = is || moment.sum[1] == node;
        if (levels->merged[i] == node || levels->weighed[i] == node || levels->spread[i] == node) is = true;
        if (levels->weighed[i] < 0) continue;
        (void)passes_weighed(g, i, &shifts);
        for (int k = 0; k < shifts.n; k++) is = is || shifts.at[k].most == node;
    }
    return is;
}

// Statistics of earlier passes that this kernel's values go back to.
static void join_all(Emit *e, int below, const bool *wanted) {
    for (int i = 0; i < e->g->nodes; i++) {
        const GraphNode *n = &e->g->node[i];
        if (!is_statistic(n) || e->levels->level[i] >= below || is_second(e, i)) continue;
        if (!needed(e, i, wanted)) continue;
        int pair = second_of(e, e->levels->merged, i);
        if (pair >= 0)
            join_pair(e, i, pair);
        else if (online_is_mean(e, i))
            join_mean(e, i);
        else if (n->op == BOUND_CUMSUM)
            join_scan(e, i);
        else
            remember(e, i,
                     bound(e, emit_reduction_name(e, i).p,
                           emit_reduce(e, n->op, parts_of(e, i, plain_other(n->op)))),
                     BIND_ATOM);
    }
    for (int i = 0; i < e->g->nodes; i++)
        if (e->levels->weighed[i] >= 0 && e->levels->level[i] < below && wanted[i]) join_weighed(e, i);
    for (int i = 0; i < e->g->nodes; i++)
        if (e->levels->spread[i] >= 0 && e->levels->level[i] < below && wanted[i]) join_spread(e, i);
}

// Everything on the way down from the roots, stopping at statistics of earlier passes.
static void want(const Graph *g, const Levels *levels, int below, int root, bool *wanted) {
    bool open[GRAPH_NODES_MAX] = {false};
    open[root] = true;
    for (int i = root; i >= 0; i--) {
        if (!open[i]) continue;
        const GraphNode *n = &g->node[i];
        wanted[i] = true;
        if (graph_is_reduction(n->op) && levels->level[i] < below) continue;
        for (int k = 0; k < n->inputs; k++) open[n->in[k]] = true;
    }
}

static void wants(const KernelFile *f, int level, bool *wanted) {
    const Graph *g = f->g;
    const Levels *levels = &f->levels;
    if (level > f->passes) {
        want(g, levels, level, g->result, wanted);
        return;
    }
    for (int i = 0; i < g->nodes; i++)
        if (is_statistic(&g->node[i]) && levels->level[i] == level)
            want(g, levels, level, g->node[i].in[0], wanted);
}

// --- The kernels -------------------------------------------------------------------------------------

static void list_partials(KernelFile *f) {
    const Graph *g = f->g;
    const Levels *levels = &f->levels;
    for (int i = 0; i < g->nodes; i++) {
        const GraphNode *n = &g->node[i];
        if (!is_statistic(n)) continue;
        assert(f->partials < PARTIALS_MAX); // plan_possible has counted
        const char *what = n->op == BOUND_AMAX      ? "max"
                           : n->op == BOUND_AMIN    ? "min"
                           : levels->spread[i] >= 0 ? "m2"
                                                    : "sum";
        f->partial[f->partials++] = (Partial){
            .node = i,
            .level = levels->level[i],
            .host = nameset_fresh(&f->host->names, NULL, str_of(arena_printf(f->a, "part_%s", what)))};
    }
}

static Emit *one_kernel(KernelFile *f, int level, Lines *body) {
    bool last = level > f->passes, wanted[GRAPH_NODES_MAX] = {false};
    const char *suffix = last ? "_finish" : f->passes == 1 ? "_parts" : arena_printf(f->a, "_parts%d", level);
    Emit *e = kernel_open(f, suffix);
    e->work.partial = NEWN(f->a, Partial, PARTIALS_MAX);
    e->work.partials = f->partials;
    e->state.last_pass = last;
    for (int i = 0; i < f->partials; i++) {
        e->work.partial[i] = f->partial[i];
        e->work.partial[i].param = emit_affixed(e, e->style->pointer, str_of(f->partial[i].host));
    }
    wants(f, level, wanted);
    join_all(e, level, wanted);
    bool columns = !last || !size_is(f->g->out_cols, 1);
    if (last)
        kernel_store(e, &e->lines.top, columns ? emit_place(e, f->g->out_cols) : NULL);
    else
        leave_all(e, level);
    *body = (Lines){.arena = f->a};
    kernel_comment(e, body,
                   last ? "The parts of each row are known: put them together and finish."
                        : "One program per part of a row: what it finds goes to a workspace.");
    if (e->takes.row) line_add(body, 0, false, "%s = tl.program_id(0).to(tl.int64)", e->name.row);
    if (columns) {
        line_add(body, 0, false, "%s = tl.program_id(1)", e->name.part);
        line_add(body, 0, false, "%s = %s * %s + tl.arange(0, %s)", e->name.cols, e->name.part, e->name.block,
                 e->name.block);
    }
    if (e->takes.slots) line_add(body, 0, false, "%s = tl.arange(0, %s)", e->name.slots, e->name.parts_block);
    lines_append(body, &e->lines.top, 0);
    if (!columns) e->state.grid_rows = true;
    if (!columns && !e->takes.block) e->name.block = NULL;
    return e;
}

int split_kernels(KernelFile *f, Emit *kernel[KERNELS_MAX], Lines body[KERNELS_MAX]) {
    list_partials(f);
    for (int level = 1; level <= f->passes + 1; level++)
        kernel[level - 1] = one_kernel(f, level, &body[level - 1]);
    return f->passes + 1;
}
