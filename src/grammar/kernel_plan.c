#include "grammar/kernel_plan.h"
#include <math.h>

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

// Both of its forms have to be met by sizes of the op.
static bool fills(const Graph *g) {
    const Op *op = g->op;
    bool rows = g->has_rows && op->dim[op->rows_dim].max > PLAN_FEW_ROWS;
    for (int d = 0; rows && d < op->dims; d++)
        if (d != op->rows_dim && op->dim[d].max > PLAN_LONG_ROW) return true;
    return false;
}

// Whether a row of so many columns has fewer lanes in two powers of two than in one.
static bool two_are_less(int64_t n) {
    int64_t power = 1;
    while (power < n) power *= 2;
    return 4 * n <= 3 * power;
}

// Parts side by side: the first would have a mask in the second tile that never holds.
static bool has_parts(const Graph *g) {
    for (int i = 0; i < g->nodes; i++)
        if (g->node[i].op == BOUND_CAT && !g->node[i].step) return true;
    return false;
}

// Rows in two tiles and rows in one have to be met by sizes of the op.
static bool tiles_vary(const Graph *g) {
    enum { LENGTHS = 4096 };
    const OpDim *d = &g->op->dim[g->op->row_dim];
    bool one = false, two = false;
    if ((size_is(g->out_cols, 1) && !crosses_columns(g)) || has_parts(g)) return false;
    for (int64_t n = d->min, tried = 0; n <= d->max && tried < LENGTHS; n += d->multiple_of, tried++)
        *(two_are_less(n) ? &two : &one) = true;
    return one && two;
}

bool plan_possible(const Graph *g, Schedule s) {
    Levels levels;
    const Graph *best = g->online ? g->online : g;
    switch (s) {
    case SCHEDULE_ONLINE: {
        int waiting = passes_levels(g, false, false, &levels);
        return waiting > passes_levels(best, true, false, &levels);
    }
    case SCHEDULE_FILLED: return fills(g) && plan_possible(g, SCHEDULE_SPLIT);
    case SCHEDULE_SPLIT: {
        int passes = passes_levels(best, true, true, &levels);
        return passes > 0 && passes <= SPLIT_LEVELS && parts_fit(best);
    }
    case SCHEDULE_ROWS:
    case SCHEDULE_ROWS_LOOPED:
    case SCHEDULE_PERSISTENT: return g->has_rows;
    case SCHEDULE_FLAT: return g->has_rows && plan_possible(g, SCHEDULE_GRID);
    case SCHEDULE_TWO_TILES: return tiles_vary(g);
    case SCHEDULE_GRID: return !crosses_columns(g) && !size_is(g->out_cols, 1);
    default: return true;
    }
}

// Long rows are cut, short ones put together; what is left stands behind, for variety.
int plan_schedules(const Graph *g, int64_t m, int64_t n, Schedule out[SCHEDULE_COUNT]) {
    static const Schedule wide[] = {
        SCHEDULE_ONLINE, SCHEDULE_FILLED, SCHEDULE_LOOPED,      SCHEDULE_GRID,       SCHEDULE_SPLIT,
        SCHEDULE_FLAT,   SCHEDULE_WHOLE,  SCHEDULE_ROWS_LOOPED, SCHEDULE_PERSISTENT, SCHEDULE_ROWS};
    static const Schedule middle[] = {
        SCHEDULE_FLAT,   SCHEDULE_WHOLE,  SCHEDULE_ROWS,       SCHEDULE_GRID,        SCHEDULE_FILLED,
        SCHEDULE_ONLINE, SCHEDULE_LOOPED, SCHEDULE_PERSISTENT, SCHEDULE_ROWS_LOOPED, SCHEDULE_SPLIT};
    static const Schedule narrow[] = {
        SCHEDULE_ROWS,        SCHEDULE_FLAT,   SCHEDULE_WHOLE, SCHEDULE_FILLED, SCHEDULE_PERSISTENT,
        SCHEDULE_ROWS_LOOPED, SCHEDULE_LOOPED, SCHEDULE_GRID,  SCHEDULE_ONLINE, SCHEDULE_SPLIT};
    enum { USUAL = sizeof wide / sizeof *wide };
    _Static_assert(USUAL + 1 == SCHEDULE_COUNT, "every schedule once, and two tiles");
    const Schedule *order = n > 16384 ? wide : n > 1024 || m < 64 ? middle : narrow;
    int k = 0;
    for (int i = 0; i < USUAL; i++)
        if (plan_possible(g, order[i])) out[k++] = order[i];
    // For other lengths it would be whole rows once more.
    if (two_are_less(n) && plan_possible(g, SCHEDULE_TWO_TILES)) out[k++] = SCHEDULE_TWO_TILES;
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
    if (s == SCHEDULE_SPLIT || s == SCHEDULE_FILLED) return first ? 4096 : power_between(r, 1024, 8192);
    if (s == SCHEDULE_ROWS_LOOPED) return power_between(r, 256, clamp_int(most, 256, 1024));
    if (s == SCHEDULE_FLAT) return first ? 4096 : power_between(r, 512, 8192);
    if (s == SCHEDULE_GRID && first)
        return most; // blocks of 1,024 took 3 % longer than of 4,096 (doc/h100.md)
    return first ? clamp_int(most, 256, 1024) : power_between(r, 256, most < 1024 ? 1024 : most);
}

static bool holds_rows(Schedule s) {
    return s == SCHEDULE_WHOLE || s == SCHEDULE_PERSISTENT || s == SCHEDULE_ROWS || s == SCHEDULE_FILLED ||
           s == SCHEDULE_TWO_TILES;
}

// The lanes of a thread add one after the other. From 4 warps on that chain is one that the bound allows at
// every row length (doc/error-bound.md section 3); fewer are only right for short rows, and a whole row is as
// long as the caller's: then the host function takes as many as the tile asks for (0). That is also what was
// fast on an H100: 16 elements a thread, 8 where nothing is reduced (doc/h100.md).
enum { WARPS_FOR_ANY_ROW = 4 };
static int draw_warps(const Plan *p, int64_t n, bool first, Rng *r) {
    bool whole = holds_rows(p->schedule);
    int lanes = whole ? next_power(n) : p->block * p->rows, fit = clamp_int(lanes / 256, 1, 16);
    bool derived = p->schedule == SCHEDULE_WHOLE || p->schedule == SCHEDULE_FILLED ||
                   p->schedule == SCHEDULE_TWO_TILES || p->tile;
    if (whole && (derived ? first || coin(r) : !first && rng_below(r, 3) == 0)) return 0;
    int shift = first ? 1 : (int)rng_below(r, 3);
    int warps = clamp_int(shift == 0 ? fit / 2 : shift == 1 ? fit : fit * 2, 1, 16);
    return whole && warps < WARPS_FOR_ANY_ROW ? 0 : warps;
}

// Rows that are put together: a tile of some elements, or some rows.
static void draw_rows(Plan *p, int64_t n, bool first, Rng *r) {
    bool tiles = first || coin(r);
    if (p->schedule == SCHEDULE_ROWS_LOOPED || !tiles) p->rows = power_between(r, 2, 8);
    if (p->schedule == SCHEDULE_ROWS && tiles)
        p->tile = first ? (n > 128 ? 2048 : 1024) : power_between(r, 1024, 8192);
}

// Loads that are evicted first are worth 3 % where all that a call moves fits into the L2, and cost as much
// where it does not.
static int draw_hints(bool first, Rng *r) {
    if (first) return 0;
    if (coin(r)) return 4;
    return rng_below(r, 2) ? (int)rng_below(r, 4) : 0;
}

Plan plan_draw(const Graph *g, Schedule s, int64_t n, bool first, Rng *r) {
    Plan p = {.schedule = s, .rows = 1};
    p.block = draw_block(s, n, first, r);
    if (s == SCHEDULE_ROWS || s == SCHEDULE_ROWS_LOOPED) draw_rows(&p, n, first, r);
    p.thread = !first ? 8 << rng_below(r, 3) : crosses_columns(g) && n > 512 ? 16 : 8;
    p.warps = draw_warps(&p, n, first, r);
    p.stages = !first && rng_below(r, 4) == 0 ? 2 + (int)rng_below(r, 3) : 0;
    p.style = (StyleId)rng_below(r, STYLE_DRAWN);
    p.fit = s == SCHEDULE_SPLIT || s == SCHEDULE_FILLED || p.block * p.rows >= 2048 ||
            coin(r); // a large tile would be mostly empty on a short row
    p.online = s == SCHEDULE_ONLINE || s == SCHEDULE_SPLIT || s == SCHEDULE_FILLED ||
               (s == SCHEDULE_ROWS_LOOPED && coin(r));
    p.scalars = !first && coin(r);
    p.fold = !first && coin(r);
    p.reciprocal = coin(r);
    p.one_load = coin(r);
    p.trust_pad = coin(r);
    p.bases = coin(r);
    p.helper = p.style == STYLE_SPELLED || (p.style == STYLE_PLAIN && coin(r));
    p.eps_arg = coin(r);
    p.hints = draw_hints(first, r);
    p.inline_mask = !first && rng_below(r, 4) == 0;
    p.lambda_grid = !first && rng_below(r, 4) == 0;
    p.view = !first && rng_below(r, 5) == 0;
    p.pid = coin(r);
    p.zero = (int)rng_below(r, 3);
    p.axis = (int)rng_below(r, 3);
    p.sizes = first ? 0 : (int)rng_below(r, 4);
    p.aligned = !first && rng_below(r, 6) == 0;
    p.autotune = !first && s != SCHEDULE_SPLIT && s != SCHEDULE_FILLED && s != SCHEDULE_TWO_TILES &&
                 rng_below(r, 12) == 0;
    p.gapless = s == SCHEDULE_FLAT && !p.autotune && (first || coin(r));
    p.processors = (int)rng_below(r, 3);
    p.store_cast = p.style == STYLE_SPELLED && coin(r);
    p.squeeze = coin(r);
    for (int i = 0; i < BOUND_COUNT; i++) {
        int n_forms = form_count((BoundOp)i);
        p.form[i] = first || n_forms < 2 ? 0 : (uint8_t)rng_below(r, (uint64_t)n_forms);
    }
    return p;
}

bool plan_online(const Plan *p) {
    bool walks = p->schedule == SCHEDULE_LOOPED || p->schedule == SCHEDULE_ONLINE ||
                 p->schedule == SCHEDULE_ROWS_LOOPED || p->schedule == SCHEDULE_SPLIT;
    return p->online && walks;
}

const Graph *plan_graph(const Graph *g, const Plan *p) { return plan_online(p) && g->online ? g->online : g; }

const char *plan_words(Arena *a, const Graph *g, const Plan *p) {
    static const char *const words[] = {
#define SCHEDULE(id, text) text,
#include "grammar/schedule.def"
#undef SCHEDULE
    };
    Levels levels;
    Buf b = BUF(a);
    buf_puts(&b, words[p->schedule]);
    bool looped = p->schedule == SCHEDULE_LOOPED || p->schedule == SCHEDULE_ROWS_LOOPED ||
                  p->schedule == SCHEDULE_ONLINE;
    if (looped) {
        int passes =
            passes_levels(plan_graph(g, p), plan_online(p), false, &levels) + !size_is(g->out_cols, 1);
        buf_printf(&b, ", %d pass%s", passes, passes == 1 ? "" : "es");
    }
    if (p->schedule == SCHEDULE_SPLIT)
        buf_printf(&b, ", %d kernels", passes_levels(plan_graph(g, p), true, true, &levels) + 1);
    if (looped || p->schedule == SCHEDULE_GRID || p->schedule == SCHEDULE_FLAT ||
        p->schedule == SCHEDULE_SPLIT)
        buf_printf(&b, ", block %s%d", p->fit ? "up to " : "", p->block);
    if (p->rows > 1) buf_printf(&b, ", %s%d rows", p->schedule == SCHEDULE_ROWS ? "up to " : "", p->rows);
    if (p->tile) buf_printf(&b, ", tiles of %d", p->tile);
    if (p->gapless) buf_puts(&b, ", without gaps or with");
    if (p->early) buf_puts(&b, ", loads first");
    if (p->autotune)
        buf_puts(&b, ", autotuned");
    else if (!p->warps)
        buf_printf(&b, ", %d a thread", p->thread);
    else if (p->warps)
        buf_printf(&b, ", %d warp%s", p->warps, p->warps == 1 ? "" : "s");
    return buf_cstr(&b);
}
