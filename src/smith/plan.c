#include "smith/plan.h"

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

bool plan_possible(const Graph *g, Schedule s) {
    switch (s) {
    case SCHEDULE_ROWS:
    case SCHEDULE_ROWS_LOOPED:
    case SCHEDULE_PERSISTENT: return g->has_rows;
    case SCHEDULE_GRID: return !crosses_columns(g) && !size_is(g->out_cols, 1);
    default: return true;
    }
}

// Long rows are cut, short ones put together; what is left stands behind, for variety.
int plan_schedules(const Graph *g, int64_t m, int64_t n, Schedule out[SCHEDULE_COUNT]) {
    static const Schedule wide[] = {SCHEDULE_LOOPED,      SCHEDULE_GRID,       SCHEDULE_WHOLE,
                                    SCHEDULE_ROWS_LOOPED, SCHEDULE_PERSISTENT, SCHEDULE_ROWS};
    static const Schedule middle[] = {SCHEDULE_WHOLE,      SCHEDULE_LOOPED, SCHEDULE_GRID,
                                      SCHEDULE_PERSISTENT, SCHEDULE_ROWS,   SCHEDULE_ROWS_LOOPED};
    static const Schedule narrow[] = {SCHEDULE_ROWS,        SCHEDULE_WHOLE,  SCHEDULE_PERSISTENT,
                                      SCHEDULE_ROWS_LOOPED, SCHEDULE_LOOPED, SCHEDULE_GRID};
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
    if (s == SCHEDULE_ROWS_LOOPED) return power_between(r, 256, clamp_int(most, 256, 1024));
    return first ? clamp_int(most, 256, 1024) : power_between(r, 256, most < 1024 ? 1024 : most);
}

static int draw_warps(const Plan *p, int64_t n, bool first, Rng *r) {
    bool whole =
        p->schedule == SCHEDULE_WHOLE || p->schedule == SCHEDULE_PERSISTENT || p->schedule == SCHEDULE_ROWS;
    int lanes = whole ? next_power(n) : p->block * p->rows, fit = clamp_int(lanes / 256, 1, 16);
    if (whole && p->schedule != SCHEDULE_ROWS && !first && rng_below(r, 3) == 0) return 0;
    if (first) return fit;
    int shift = (int)rng_below(r, 3);
    return clamp_int(shift == 0 ? fit / 2 : shift == 1 ? fit : fit * 2, 1, 16);
}

Plan plan_draw(Schedule s, int64_t n, bool first, Rng *r) {
    Plan p = {.schedule = s, .rows = 1};
    p.block = draw_block(s, n, first, r);
    if (s == SCHEDULE_ROWS) p.rows = power_between(r, 2, 8);
    if (s == SCHEDULE_ROWS_LOOPED) p.rows = power_between(r, 2, 8);
    p.warps = draw_warps(&p, n, first, r);
    p.stages = !first && rng_below(r, 4) == 0 ? 2 + (int)rng_below(r, 3) : 0;
    p.style = (StyleId)rng_below(r, STYLE_COUNT);
    p.fit = p.block * p.rows >= 2048 || coin(r); // a large tile would be mostly empty on a short row
    p.online = coin(r);
    p.scalars = !first && coin(r);
    p.reciprocal = coin(r);
    p.one_load = coin(r);
    p.trust_pad = coin(r);
    p.bases = coin(r);
    p.helper = p.style == STYLE_SPELLED || (p.style == STYLE_PLAIN && coin(r));
    p.eps_arg = coin(r);
    p.hints = !first && rng_below(r, 4) == 0;
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

int plan_levels(const Graph *g, bool online, int level[GRAPH_NODES_MAX], int merged[GRAPH_NODES_MAX]) {
    int passes = 0;
    for (int i = 0; i < g->nodes; i++) {
        const GraphNode *n = &g->node[i];
        level[i] = 0;
        for (int k = 0; k < n->inputs; k++)
            if (level[n->in[k]] > level[i]) level[i] = level[n->in[k]];
        merged[i] = online ? plan_partner(g, i) : -1;
        if (merged[i] >= 0)
            level[i] = level[merged[i]];
        else
            level[i] += graph_is_reduction(n->op);
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
    int level[GRAPH_NODES_MAX], merged[GRAPH_NODES_MAX];
    Buf b = BUF(a);
    buf_puts(&b, words[p->schedule]);
    bool looped = p->schedule == SCHEDULE_LOOPED || p->schedule == SCHEDULE_ROWS_LOOPED;
    if (looped) {
        int passes = plan_levels(g, p->online, level, merged) + !size_is(g->out_cols, 1);
        buf_printf(&b, ", %d pass%s", passes, passes == 1 ? "" : "es");
    }
    if (looped || p->schedule == SCHEDULE_GRID)
        buf_printf(&b, ", block %s%d", p->fit ? "up to " : "", p->block);
    if (p->rows > 1) buf_printf(&b, ", %s%d rows", p->schedule == SCHEDULE_ROWS ? "up to " : "", p->rows);
    if (p->warps) buf_printf(&b, ", %d warp%s", p->warps, p->warps == 1 ? "" : "s");
    return buf_cstr(&b);
}
