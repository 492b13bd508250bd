// plan.h - the choices that turn a graph into one kernel file: schedule, sizes, writing style, forms.
#pragma once
#include "base/rng.h"
#include "smith/graph.h"

typedef enum {
#define SCHEDULE(id, words) SCHEDULE_##id,
#include "smith/schedule.def"
#undef SCHEDULE
    SCHEDULE_COUNT
} Schedule;

enum { FORMS_MAX = 4 };
typedef enum { BIND_ANY, BIND_BITS, BIND_SUM, BIND_PRODUCT, BIND_SIGNED, BIND_ATOM } Bind;
typedef struct {
    Bind bind;
    const char *text;
} Form;
const Form *form_of(BoundOp op, int choice); // choice is taken modulo the number of forms; NULL: no form
int form_count(BoundOp op);

typedef enum { STYLE_COMPACT, STYLE_PLAIN, STYLE_SPELLED, STYLE_COUNT } StyleId;

typedef struct {
    Schedule schedule;
    int block;  // columns of a tile where rows are looped over or cut
    int rows;   // rows of a tile
    int warps;  // 0: derived from the block on the host, where whole rows are in a tile
    int stages; // 0: not said
    StyleId style;
    bool fit;        // the host makes the block smaller for rows that are shorter than it
    bool online;     // largest and sum of exponentials in one pass
    bool scalars;    // one accumulator a row instead of one a lane
    bool reciprocal; // multiply by 1 / N and by the inverse of a sum of exponentials
    bool one_load;   // swapped halves: one load at a chosen column
    bool trust_pad;  // no `where` before a reduction where the padding is neutral already
    bool bases;      // row pointers as variables
    bool helper;     // activations as helper functions
    bool eps_arg;    // small constants as arguments
    bool hints;      // cache hints
    bool store_cast; // convert to the output's type before the store
    bool squeeze;    // 2D: axis dropped and put back, instead of keep_dims
    uint8_t form[BOUND_COUNT];
} Plan;

bool plan_possible(const Graph *g, Schedule s);
// A random plan of that schedule for rows of n columns; `first`: the plainest choices.
Plan plan_draw(Schedule s, int64_t n, bool first, Rng *r);
const char *plan_words(Arena *a, const Graph *g,
                       const Plan *p); // "looped, 2 passes, block up to 1024, 8 warps"
// Order in which schedules should be tried for that shape; returns how many.
int plan_schedules(const Graph *g, int64_t m, int64_t n, Schedule out[SCHEDULE_COUNT]);

// For a node sum(exp(a - max(a))) the node max(a), by which the sum can be rescaled while it is being found;
// else -1.
int plan_partner(const Graph *g, int node);
// For each node the passes over the row that it needs before it is known, when `online` merges what it can;
// the most is returned. merged[i] is the largest that sum i rescales by, or -1.
int plan_levels(const Graph *g, bool online, int level[GRAPH_NODES_MAX], int merged[GRAPH_NODES_MAX]);

// The kernel file.
Str kernel_emit(Arena *a, const Graph *g, const Plan *p);
