#include "grammar/plan_space.h"

enum {
    BLOCK_LEAST = 256,
    BLOCK_MOST = 8192,
    WARPS_LEAST = 4,
    WARPS_MOST = 32,
    TILE_LEAST = 256,
    NARROW = 512, // columns
    THREAD_MOST = 64
};

static void add(Plans *out, const Plan *p) {
    if (out->n < PLANS_MAX) out->at[out->n++] = *p;
}

// As the smith writes that schedule first, in a style of its own choosing for all of them.
static Plan usual(const Graph *g, Schedule s, int64_t n) {
    Rng r = rng_at(1, 0);
    Plan p = plan_draw(g, s, n, true, &r);
    p.style = STYLE_PLAIN;
    p.helper = p.store_cast = p.autotune = p.view = p.lambda_grid = p.aligned = false;
    p.bases = p.one_load = p.pid = p.eps_arg = false;
    p.reciprocal = p.trust_pad = p.squeeze = true;
    p.zero = p.axis = p.sizes = 0;
    p.processors = 1;
    p.flaw = FLAW_NONE;
    return p;
}

static bool reduces(const Graph *g) {
    for (int i = 0; i < g->nodes; i++)
        if (graph_is_reduction(g->node[i].op) || g->node[i].op == BOUND_CUMSUM) return true;
    return false;
}

// A schedule with block and warps.
static void start(const Graph *g, Schedule s, int64_t n, const int (*sizes)[2], int count, Plans *out) {
    for (int i = 0; i < count && plan_possible(g, s); i++) {
        Plan p = usual(g, s, n);
        p.block = sizes[i][0];
        p.warps = sizes[i][1];
        p.fit = true;
        add(out, &p);
    }
}

// How rows are held: a program each, whole or in two tiles, or a tile of several.
typedef struct {
    Schedule schedule;
    int thread, hints;
    bool early;
    int tile, warps;
} Start;

// Two tiles are whole rows where one tile has no idle lanes to speak of. Of other rows one tile took 7 to
// 13 % longer in the median of 117 pairs on an H100, and 2 % less at best.
static Schedule wider(const Graph *g, Schedule s) {
    return s == SCHEDULE_WHOLE && plan_possible(g, SCHEDULE_TWO_TILES) ? SCHEDULE_TWO_TILES : s;
}

static void start_rows(const Graph *g, int64_t n, const Start *from, int count, Plans *out) {
    for (int i = 0; i < count; i++) {
        if (!plan_possible(g, from[i].schedule)) continue;
        Plan p = usual(g, wider(g, from[i].schedule), n);
        p.rows = 1;
        p.tile = from[i].tile;
        p.warps = from[i].warps;
        p.thread = from[i].thread;
        p.hints = from[i].hints;
        p.early = from[i].early;
        add(out, &p);
    }
}
#define START_ROWS(g, n, from, out) start_rows(g, n, from, (int)(sizeof(from) / sizeof *(from)), out)

// In the order of how many ops each was fastest for, somewhere on an H100 (doc/h100.md). Where a call moves
// less than the L2 holds, loads are evicted first.
void plan_starts(const Graph *g, int64_t n, Plans *out) {
    static const int flat[][2] = {{1024, 8}, {1024, 4}, {4096, 16}, {512, 4}, {2048, 8}, {8192, 16}};
    static const int grid[][2] = {{1024, 4}, {4096, 16}, {2048, 4}};
    static const int parts[][2] = {{4096, 8}, {2048, 8}};
    static const int walked[][2] = {{4096, 16}, {2048, 8}};
    static const int persistent[][2] = {{4096, 8}};
    *out = (Plans){.n = 0};
    if (!reduces(g)) {
        static const Start whole[] = {{SCHEDULE_WHOLE, .thread = 8},
                                      {SCHEDULE_WHOLE, .thread = 16},
                                      {SCHEDULE_ROWS, .tile = 4096, .thread = 8}};
        start(g, SCHEDULE_FLAT, n, flat, 6, out);
        start(g, SCHEDULE_GRID, n, grid, 3, out);
        START_ROWS(g, n, whole, out);
        return;
    }
    if (n <= NARROW) { // a program a row would be mostly dispatch
        static const Start tiles[] = {{SCHEDULE_ROWS, .tile = 1024, .thread = 8},
                                      {SCHEDULE_ROWS, .tile = 2048, .thread = 8},
                                      {SCHEDULE_ROWS, .tile = 2048, .thread = 16},
                                      {SCHEDULE_ROWS, .tile = 4096, .thread = 16},
                                      {SCHEDULE_ROWS, .tile = 1024, .thread = 4},
                                      {SCHEDULE_ROWS, .tile = 512, .thread = 8},
                                      {SCHEDULE_WHOLE, .thread = 8}};
        START_ROWS(g, n, tiles, out);
        start(g, SCHEDULE_PERSISTENT, n, persistent, 1, out);
        return;
    }
    static const Start rows[] = {
        {SCHEDULE_WHOLE, .thread = 16},
        {SCHEDULE_WHOLE, .thread = 16, .hints = 4},
        {SCHEDULE_WHOLE, .thread = 16, .early = true},
        {SCHEDULE_ROWS, .tile = 8192, .thread = 16, .hints = 4},
        {SCHEDULE_WHOLE, .thread = 32, .hints = 4},
        {SCHEDULE_WHOLE, .warps = 32, .thread = 16, .hints = 4},
        {SCHEDULE_WHOLE, .thread = 32, .hints = 4, .early = true},
        {SCHEDULE_WHOLE, .thread = 8, .hints = 4},
        {SCHEDULE_WHOLE, .thread = 16, .hints = 2},
        {SCHEDULE_WHOLE, .thread = 16, .hints = 3},
        {SCHEDULE_ROWS, .tile = 4096, .thread = 16, .hints = 4},
        {SCHEDULE_WHOLE, .thread = 8},
        {SCHEDULE_WHOLE, .warps = 8, .thread = 16, .hints = 4},
        {SCHEDULE_WHOLE, .thread = 32, .early = true},
    };
    START_ROWS(g, n, rows, out);
    start(g, SCHEDULE_SPLIT, n, parts, 2, out);
    start(g, SCHEDULE_ONLINE, n, walked, 2, out);
    start(g, SCHEDULE_LOOPED, n, walked, 2, out);
    start(g, SCHEDULE_PERSISTENT, n, persistent, 1, out);
}

// ---- one step away

static void halve_and_double(const Plan *p, int offset_of, int least, int most, Plans *out) {
    for (int way = 0; way < 2; way++) {
        Plan q = *p;
        int *x = (int *)((char *)&q + offset_of);
        if (way ? *x * 2 > most : *x / 2 < least) continue;
        *x = way ? *x * 2 : *x / 2;
        add(out, &q);
    }
}
#define STEP(p, field, least, most, out) halve_and_double(p, (int)offsetof(Plan, field), least, most, out)

static void other_hints(const Plan *p, Plans *out) {
    static const int hints[] = {4, 1, 0, 3, 2};
    for (int i = 0; i < 5; i++) {
        Plan q = *p;
        q.hints = hints[i];
        if (q.hints != p->hints) add(out, &q);
    }
}

static bool is_whole(const Plan *p) {
    return p->schedule == SCHEDULE_WHOLE || p->schedule == SCHEDULE_TWO_TILES;
}

// The row in one tile, or in two.
static void other_tiles(const Graph *g, const Plan *p, Plans *out) {
    Plan q = *p;
    q.schedule = p->schedule == SCHEDULE_WHOLE ? SCHEDULE_TWO_TILES : SCHEDULE_WHOLE;
    if (plan_possible(g, q.schedule)) add(out, &q);
}

// How many elements a thread has: said by the host, or by the warps.
static void other_warps(const Plan *p, Plans *out) {
    if (p->warps) {
        STEP(p, warps, WARPS_LEAST, WARPS_MOST, out);
        return;
    }
    STEP(p, thread, 8, THREAD_MOST, out);
    if (!is_whole(p)) return;
    for (int warps = WARPS_LEAST; warps <= WARPS_MOST; warps *= 2) {
        Plan q = *p;
        q.warps = warps;
        add(out, &q);
    }
}

static void other_stages(const Plan *p, Plans *out) {
    static const int stages[] = {0, 2, 4};
    for (int i = 0; i < 3; i++) {
        Plan q = *p;
        q.stages = stages[i];
        if (q.stages != p->stages) add(out, &q);
    }
}

static void other_way(const Plan *p, size_t flag, Plans *out) {
    Plan q = *p;
    bool *x = (bool *)((char *)&q + flag);
    *x = !*x;
    add(out, &q);
}

// Each operation of the op that can be written otherwise.
static void other_forms(const Graph *g, const Plan *p, Plans *out) {
    bool done[BOUND_COUNT] = {false};
    for (int i = 0; i < g->nodes; i++) {
        BoundOp op = g->node[i].op;
        if (done[op] || form_count(op) < 2) continue;
        done[op] = true;
        Plan q = *p;
        q.form[op] = (uint8_t)((p->form[op] + 1) % form_count(op));
        add(out, &q);
    }
}

void plan_neighbours(const Graph *g, const Plan *p, Plans *out) {
    *out = (Plans){.n = 0};
    bool walks = p->schedule == SCHEDULE_LOOPED || p->schedule == SCHEDULE_ONLINE;
    if (is_whole(p)) other_tiles(g, p, out);
    if (reduces(g) && (is_whole(p) || p->schedule == SCHEDULE_ROWS)) other_way(p, offsetof(Plan, early), out);
    if (p->tile) STEP(p, tile, TILE_LEAST, BLOCK_MOST, out);
    other_warps(p, out);
    if (walks || p->schedule == SCHEDULE_FLAT || p->schedule == SCHEDULE_GRID ||
        p->schedule == SCHEDULE_SPLIT)
        STEP(p, block, BLOCK_LEAST, BLOCK_MOST, out);
    other_hints(p, out);
    if (walks || p->schedule == SCHEDULE_PERSISTENT) other_stages(p, out);
    if (walks) other_way(p, offsetof(Plan, scalars), out);
    other_forms(g, p, out);
    other_way(p, offsetof(Plan, trust_pad), out);
    other_way(p, offsetof(Plan, fold), out);
    other_way(p, offsetof(Plan, reciprocal), out);
    other_way(p, offsetof(Plan, one_load), out);
    other_way(p, offsetof(Plan, aligned), out);
}
