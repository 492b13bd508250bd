#include "grammar/narrow_style.h"

const char *const rows_class_name[ROWS_CLASSES] = {"any", "short", "long"};

RowsClass rows_class(int64_t n) {
    return n <= 0 ? ROWS_ANY : n <= ROWS_SHORT_MOST ? ROWS_SHORT : n > ROWS_LONG_LEAST ? ROWS_LONG : ROWS_ANY;
}

// How often a schedule is drawn, in hundredths, for rows of a class: where something is reduced, and where
// nothing is. Split rows are never drawn, and what holds two kernels is too long.
static const struct {
    Schedule schedule;
    int reduced[ROWS_CLASSES], plain[ROWS_CLASSES];
} shares[] = {
    {SCHEDULE_WHOLE, {56, 30, 0}, {20, 30, 0}}, {SCHEDULE_ROWS, {18, 50, 0}, {10, 20, 0}},
    {SCHEDULE_LOOPED, {10, 0, 60}, {0, 0, 0}},  {SCHEDULE_ONLINE, {6, 0, 40}, {0, 0, 0}},
    {SCHEDULE_PERSISTENT, {10, 20, 0}, {0}},    {SCHEDULE_FLAT, {0}, {50, 50, 60}},
    {SCHEDULE_GRID, {0}, {20, 0, 40}},
};
enum { SHARES = sizeof shares / sizeof *shares };

bool rows_class_suits(RowsClass c, const char *schedule) {
    static const char *const words[] = {
#define SCHEDULE(id, text) text,
#include "grammar/schedule.def"
#undef SCHEDULE
    };
    const size_t len = strcspn(schedule, ",");
    for (int i = 0; i < SHARES; i++) {
        const char *name = words[shares[i].schedule];
        if (strlen(name) == len && strncmp(name, schedule, len) == 0)
            return shares[i].reduced[c] > 0 || shares[i].plain[c] > 0;
    }
    return false;
}

static bool reduces(const Graph *g) {
    for (int i = 0; i < g->nodes; i++)
        if (graph_is_reduction(g->node[i].op) || g->node[i].op == BOUND_CUMSUM) return true;
    return false;
}

static bool draw_schedule(const Graph *g, RowsClass c, Rng *r, Schedule *out) {
    int share[SHARES], all = 0;
    const bool reduced = reduces(g);
    for (int i = 0; i < SHARES; i++) {
        int n = reduced ? shares[i].reduced[c] : shares[i].plain[c];
        share[i] = n && plan_possible(g, shares[i].schedule) ? n : 0;
        all += share[i];
    }
    if (!all) return false;
    int at = (int)rng_below(r, (uint64_t)all);
    for (int i = 0; i < SHARES; i++) {
        *out = shares[i].schedule;
        if (at < share[i]) return true;
        at -= share[i];
    }
    return false;
}

static int one_of(Rng *r, const int *of, int n) { return of[rng_below(r, (uint64_t)n)]; }
#define ONE_OF(r, ...) one_of(r, (const int[]){__VA_ARGS__}, (int)(sizeof(int[]){__VA_ARGS__} / sizeof(int)))

bool narrow_draw(const Graph *g, RowsClass c, Rng *r, Plan *out) {
    Schedule s;
    if (!draw_schedule(g, c, r, &s)) return false;
    Plan p = {.schedule = s,
              .style = STYLE_NARROW,
              .rows = 1,
              .block = 1024,
              .thread = 16,
              .fit = true,
              .trust_pad = true,
              .squeeze = true,
              .axis = 2};
    p.online = s == SCHEDULE_ONLINE;
    switch (s) {
    case SCHEDULE_WHOLE:
        p.warps = ONE_OF(r, 0, 0, 0, 4, 8, 16);
        p.thread = ONE_OF(r, 8, 16, 32);
        break;
    case SCHEDULE_ROWS:
        p.tile = ONE_OF(r, 1024, 2048, 4096, 8192);
        p.thread = ONE_OF(r, 8, 16, 32);
        break;
    case SCHEDULE_PERSISTENT:
        p.warps = ONE_OF(r, 4, 8, 16);
        p.processors = ONE_OF(r, 0, 2);
        break;
    default:
        p.block = ONE_OF(r, 1024, 2048, 4096);
        p.warps = ONE_OF(r, 4, 8, 16);
        break;
    }
    p.hints = ONE_OF(r, 0, 0, 4);
    *out = p;
    return true;
}
