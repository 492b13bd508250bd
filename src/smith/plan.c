#include "smith/weigh.h"
#include <math.h>

static const struct {
    BoundOp op;
    Form form;
} rows[] = {
#define FORM(id, bind, text) {BOUND_##id, {BIND_##bind, text}},
#include "smith/form.def"
#undef FORM
};
enum { ROWS = sizeof rows / sizeof *rows };

int form_count(BoundOp op) {
    int n = 0;
    for (int i = 0; i < ROWS; i++) n += rows[i].op == op;
    return n;
}

const Form *form_of(BoundOp op, int choice) {
    int n = form_count(op), skip = n ? choice % n : 0;
    for (int i = 0; i < ROWS; i++)
        if (rows[i].op == op && skip-- == 0) return &rows[i].form;
    return NULL;
}

// --- Which schedules ---------------------------------------------------------------------------------

static bool crosses_columns(const Graph *g) {
    for (int i = 0; i < g->nodes; i++)
        if (graph_is_reduction(g->node[i].op) || g->node[i].op == BOUND_CUMSUM) return true;
    return false;
}

// Whether what a part of a row knows of each statistic is a sum or an extreme, and not too much of it.
static bool parts_fit(const Graph *g) {
    int n = 0;
    for (int i = 0; i < g->nodes; i++) {
        if (g->node[i].op == BOUND_PROD) return false;
        n += graph_is_reduction(g->node[i].op) || g->node[i].op == BOUND_CUMSUM;
    }
    return n <= PARTIALS_MAX;
}

bool plan_possible(const Graph *g, Schedule s) {
    Levels levels;
    const Graph *best = g->online ? g->online : g;
    switch (s) {
    case SCHEDULE_ONLINE: {
        int waiting = plan_levels(g, false, false, &levels);
        return waiting > plan_levels(best, true, false, &levels);
    }
    case SCHEDULE_SPLIT: {
        int passes = plan_levels(best, true, true, &levels);
        return passes > 0 && passes <= SPLIT_LEVELS && parts_fit(best);
    }
    case SCHEDULE_ROWS:
    case SCHEDULE_ROWS_LOOPED:
    case SCHEDULE_PERSISTENT: return g->has_rows;
    case SCHEDULE_FLAT: return g->has_rows && plan_possible(g, SCHEDULE_GRID);
    case SCHEDULE_GRID: return !crosses_columns(g) && !size_is(g->out_cols, 1);
    default: return true;
    }
}

// Long rows are cut, short ones put together; what is left stands behind, for variety.
int plan_schedules(const Graph *g, int64_t m, int64_t n, Schedule out[SCHEDULE_COUNT]) {
    static const Schedule wide[] = {SCHEDULE_ONLINE,      SCHEDULE_LOOPED,     SCHEDULE_GRID,
                                    SCHEDULE_SPLIT,       SCHEDULE_FLAT,       SCHEDULE_WHOLE,
                                    SCHEDULE_ROWS_LOOPED, SCHEDULE_PERSISTENT, SCHEDULE_ROWS};
    static const Schedule middle[] = {SCHEDULE_WHOLE,  SCHEDULE_LOOPED,      SCHEDULE_GRID,
                                      SCHEDULE_ONLINE, SCHEDULE_FLAT,        SCHEDULE_PERSISTENT,
                                      SCHEDULE_ROWS,   SCHEDULE_ROWS_LOOPED, SCHEDULE_SPLIT};
    static const Schedule narrow[] = {SCHEDULE_ROWS,       SCHEDULE_FLAT,        SCHEDULE_WHOLE,
                                      SCHEDULE_PERSISTENT, SCHEDULE_ROWS_LOOPED, SCHEDULE_LOOPED,
                                      SCHEDULE_GRID,       SCHEDULE_ONLINE,      SCHEDULE_SPLIT};
    _Static_assert(sizeof wide == SCHEDULE_COUNT * sizeof *wide, "every schedule once");
    const Schedule *order = n > 16384 ? wide : n > 1024 || m < 64 ? middle : narrow;
    int k = 0;
    for (int i = 0; i < SCHEDULE_COUNT; i++)
        if (plan_possible(g, order[i])) out[k++] = order[i];
    return k;
}

// --- Drawing -----------------------------------------------------------------------------------------

static bool coin(Rng *r) { return rng_below(r, 2) == 1; }

static int power_between(Rng *r, int low, int high) { // powers of two
    int n = 0;
    for (int x = low; x < high; x *= 2) n++;
    return low << (int)rng_below(r, (uint64_t)n + 1);
}

static int next_power(int64_t n) {
    int p = 1;
    while (p < n && p < 1 << 20) p *= 2;
    return p;
}

static int clamp_int(int x, int low, int high) { return x < low ? low : x > high ? high : x; }

// At least 256 lanes: fewer would chain too many additions in one lane.
static int draw_block(Schedule s, int64_t n, bool first, Rng *r) {
    int most = clamp_int(next_power(n), 256, 4096);
    if (s == SCHEDULE_SPLIT) return first ? 4096 : power_between(r, 1024, 8192);
    if (s == SCHEDULE_ROWS_LOOPED) return power_between(r, 256, clamp_int(most, 256, 1024));
    return first ? clamp_int(most, 256, 1024) : power_between(r, 256, most < 1024 ? 1024 : most);
}

// The lanes of a thread add one after the other. From 4 warps on that chain is one that the bound allows at
// every row length (doc/error-bound.md section 3); fewer are only right for short rows, and a whole row is as
// long as the caller's: then the host function takes as many as the block asks for (0).
enum { WARPS_FOR_ANY_ROW = 4 };
static int draw_warps(const Plan *p, int64_t n, bool first, Rng *r) {
    bool whole =
        p->schedule == SCHEDULE_WHOLE || p->schedule == SCHEDULE_PERSISTENT || p->schedule == SCHEDULE_ROWS;
    int lanes = whole ? next_power(n) : p->block * p->rows, fit = clamp_int(lanes / 256, 1, 16);
    if (whole && p->schedule != SCHEDULE_ROWS && !first && rng_below(r, 3) == 0) return 0;
    int shift = first ? 1 : (int)rng_below(r, 3);
    int warps = clamp_int(shift == 0 ? fit / 2 : shift == 1 ? fit : fit * 2, 1, 16);
    return whole && warps < WARPS_FOR_ANY_ROW ? 0 : warps;
}

Plan plan_draw(Schedule s, int64_t n, bool first, Rng *r) {
    Plan p = {.schedule = s, .rows = 1};
    p.block = draw_block(s, n, first, r);
    if (s == SCHEDULE_ROWS) p.rows = power_between(r, 2, 8);
    if (s == SCHEDULE_ROWS_LOOPED) p.rows = power_between(r, 2, 8);
    p.warps = draw_warps(&p, n, first, r);
    p.stages = !first && rng_below(r, 4) == 0 ? 2 + (int)rng_below(r, 3) : 0;
    p.style = (StyleId)rng_below(r, STYLE_COUNT);
    p.fit = p.schedule == SCHEDULE_SPLIT || p.block * p.rows >= 2048 ||
            coin(r); // a large tile would be mostly empty on a short row
    p.online = s == SCHEDULE_ONLINE || s == SCHEDULE_SPLIT || (s == SCHEDULE_ROWS_LOOPED && coin(r));
    p.scalars = !first && coin(r);
    p.fold = !first && coin(r);
    p.reciprocal = coin(r);
    p.one_load = coin(r);
    p.trust_pad = coin(r);
    p.bases = coin(r);
    p.helper = p.style == STYLE_SPELLED || (p.style == STYLE_PLAIN && coin(r));
    p.eps_arg = coin(r);
    p.hints = !first && rng_below(r, 3) == 0 ? 1 + (int)rng_below(r, 3) : 0;
    p.inline_mask = !first && rng_below(r, 4) == 0;
    p.lambda_grid = !first && rng_below(r, 4) == 0;
    p.view = !first && rng_below(r, 5) == 0;
    p.pid = coin(r);
    p.zero = (int)rng_below(r, 3);
    p.axis = (int)rng_below(r, 3);
    p.sizes = first ? 0 : (int)rng_below(r, 4);
    p.aligned = !first && rng_below(r, 6) == 0;
    p.autotune = !first && s != SCHEDULE_SPLIT && rng_below(r, 12) == 0;
    p.processors = (int)rng_below(r, 3);
    p.store_cast = p.style == STYLE_SPELLED && coin(r);
    p.squeeze = coin(r);
    for (int i = 0; i < BOUND_COUNT; i++) {
        int n_forms = form_count((BoundOp)i);
        p.form[i] = first || n_forms < 2 ? 0 : (uint8_t)rng_below(r, (uint64_t)n_forms);
    }
    return p;
}

// --- Passes ------------------------------------------------------------------------------------------

int plan_partner(const Graph *g, int sum) {
    const GraphNode *s = &g->node[sum];
    if (s->op != BOUND_SUM) return -1;
    const GraphNode *power = &g->node[s->in[0]];
    if (power->op != BOUND_EXP) return -1;
    const GraphNode *less = &g->node[power->in[0]];
    if (less->op != BOUND_SUB) return -1;
    const GraphNode *most = &g->node[less->in[1]];
    return most->op == BOUND_AMAX && most->in[0] == less->in[0] ? less->in[1] : -1;
}

int plan_total(const Graph *g, int most) {
    for (int i = most + 1; i < g->nodes; i++)
        if (plan_partner(g, i) == most) return i;
    return -1;
}

bool plan_online(const Plan *p) {
    bool walks = p->schedule == SCHEDULE_LOOPED || p->schedule == SCHEDULE_ONLINE ||
                 p->schedule == SCHEDULE_ROWS_LOOPED || p->schedule == SCHEDULE_SPLIT;
    return p->online && walks;
}

const Graph *plan_graph(const Graph *g, const Plan *p) { return plan_online(p) && g->online ? g->online : g; }

// a - sum(a) / n, n columns.
static bool is_deviation(const Graph *g, int node, int *sum, int *mean) {
    const GraphNode *less = &g->node[node];
    if (less->op != BOUND_SUB) return false;
    const GraphNode *ratio = &g->node[less->in[1]];
    if (ratio->op != BOUND_DIV) return false;
    const GraphNode *total = &g->node[ratio->in[0]], *n = &g->node[ratio->in[1]];
    Size cols = g->node[less->in[0]].cols;
    bool length = n->op == BOUND_LITERAL && n->sized && n->power == 1 && size_equal(n->size, cols);
    *sum = ratio->in[0];
    *mean = less->in[1];
    return total->op == BOUND_SUM && total->in[0] == less->in[0] && length;
}

bool plan_moment(const Graph *g, int node, Moment *out) {
    const GraphNode *s = &g->node[node];
    if (s->op != BOUND_SUM) return false;
    const GraphNode *product = &g->node[s->in[0]];
    if (product->op != BOUND_SQUARE && product->op != BOUND_MUL) return false;
    for (int k = 0; k < 2; k++) {
        int factor = product->in[product->op == BOUND_MUL ? k : 0];
        if (!is_deviation(g, factor, &out->sum[k], &out->mean[k])) return false;
    }
    return size_equal(g->node[g->node[out->sum[0]].in[0]].cols, g->node[g->node[out->sum[1]].in[0]].cols);
}

// What a value may be in magnitude, by the domain that the op declares; infinite when nothing is known.
static double magnitude(const Graph *g, int node, int depth) {
    const GraphNode *n = &g->node[node];
    if (depth > 20) return HUGE_VAL;
    switch (n->op) {
    case BOUND_INPUT: {
        const OpInput *in = &g->op->input[n->input];
        if (in->ranged) return fmax(fabs(in->range_lo), fabs(in->range_hi));
        return in->large || in->range_dim >= 0 ? HUGE_VAL
                                               : 16 * fmax(in->scale_lo, in->scale_hi) + fabs(in->shift);
    }
    case BOUND_LITERAL: return n->sized ? HUGE_VAL : fabs(n->scalar);
    case BOUND_MUL: return magnitude(g, n->in[0], depth + 1) * magnitude(g, n->in[1], depth + 1);
    case BOUND_ADD:
    case BOUND_SUB: return magnitude(g, n->in[0], depth + 1) + magnitude(g, n->in[1], depth + 1);
    case BOUND_NEG:
    case BOUND_EXPAND: return magnitude(g, n->in[0], depth + 1);
    case BOUND_TANH: return 1;
    default: return HUGE_VAL;
    }
}

bool plan_folds(const Graph *g, int node) { return magnitude(g, node, 0) < 0x1p17; }

// Everything but the shifted distances in t is known when the pass begins, and they are of this very pass.
static bool weighs_now(const Graph *g, const Shifts *t, int most, const int *level) {
    Size width = g->node[g->node[most].in[0]].cols;
    for (int i = 0; i < t->n; i++) {
        int other = t->at[i].most;
        if (level[other] != level[most] || plan_total(g, other) < 0 ||
            !size_equal(g->node[g->node[other].in[0]].cols, width))
            return false;
    }
    return plan_total(g, most) >= 0 && weigh_known(g, t->factor, level, level[most]);
}

// Ops with more of them than a pass has room for do without.
static void count_online(const Graph *g, bool *pairs, bool *moments) {
    int total = 0, weighed = 0, around = 0;
    Shifts shifts;
    Moment moment;
    for (int i = 0; i < g->nodes; i++) {
        total += plan_partner(g, i) >= 0;
        weighed += plan_weighed(g, i, &shifts) >= 0;
        around += plan_moment(g, i, &moment);
    }
    *pairs = total <= ONLINE_MAX && weighed <= ONLINE_MAX;
    *moments = around <= ONLINE_MAX / 2; // each has up to two means
}

int plan_levels(const Graph *g, bool online, bool split, Levels *out) {
    int passes = 0;
    bool pairs = false, moments = false;
    if (online) count_online(g, &pairs, &moments);
    for (int i = 0; i < g->nodes; i++) {
        const GraphNode *n = &g->node[i];
        int *level = out->level;
        Shifts shifts;
        Moment moment;
        level[i] = 0;
        for (int k = 0; k < n->inputs; k++)
            if (level[n->in[k]] > level[i]) level[i] = level[n->in[k]];
        out->merged[i] = pairs ? plan_partner(g, i) : -1;
        out->weighed[i] = pairs ? plan_weighed(g, i, &shifts) : -1;
        if (out->weighed[i] >= 0 && !weighs_now(g, &shifts, out->weighed[i], level)) out->weighed[i] = -1;
        bool together = moments && plan_moment(g, i, &moment) && level[moment.sum[0]] == level[moment.sum[1]];
        out->spread[i] = together ? moment.sum[0] : -1;
        if (out->merged[i] >= 0)
            level[i] = level[out->merged[i]];
        else if (out->weighed[i] >= 0)
            level[i] = level[out->weighed[i]];
        else if (out->spread[i] >= 0)
            level[i] = level[out->spread[i]];
        else
            level[i] += graph_is_reduction(n->op) || (split && n->op == BOUND_CUMSUM);
        if (level[i] > passes) passes = level[i];
    }
    return passes;
}

const char *plan_words(Arena *a, const Graph *g, const Plan *p) {
    static const char *const words[] = {
#define SCHEDULE(id, text) text,
#include "smith/schedule.def"
#undef SCHEDULE
    };
    Levels levels;
    Buf b = BUF(a);
    buf_puts(&b, words[p->schedule]);
    bool looped = p->schedule == SCHEDULE_LOOPED || p->schedule == SCHEDULE_ROWS_LOOPED ||
                  p->schedule == SCHEDULE_ONLINE;
    if (looped) {
        int passes = plan_levels(plan_graph(g, p), plan_online(p), false, &levels) + !size_is(g->out_cols, 1);
        buf_printf(&b, ", %d pass%s", passes, passes == 1 ? "" : "es");
    }
    if (p->schedule == SCHEDULE_SPLIT)
        buf_printf(&b, ", %d kernels", plan_levels(plan_graph(g, p), true, true, &levels) + 1);
    if (looped || p->schedule == SCHEDULE_GRID || p->schedule == SCHEDULE_FLAT ||
        p->schedule == SCHEDULE_SPLIT)
        buf_printf(&b, ", block %s%d", p->fit ? "up to " : "", p->block);
    if (p->rows > 1) buf_printf(&b, ", %s%d rows", p->schedule == SCHEDULE_ROWS ? "up to " : "", p->rows);
    if (p->autotune)
        buf_puts(&b, ", autotuned");
    else if (p->warps)
        buf_printf(&b, ", %d warp%s", p->warps, p->warps == 1 ? "" : "s");
    return buf_cstr(&b);
}
