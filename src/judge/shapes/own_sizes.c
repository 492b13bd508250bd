#include "judge/shapes/own_sizes.h"

#include "cases/domain/domain.h"
#include "cases/domain/plan.h"
#include "tile/compute/machine.h"

enum {
    ROWS_TALL = 70000, // what production shapes have at least
    COLUMNS_WIDE = 131072,
    COLUMNS_MOST = 1 << 20,
    FEW_COLUMNS = 5,
    FEW_ROWS = EXTREME_LINES + 2,
    BEYOND = 8, // by so many parts of it
    SPREAD = 997,
    CORNERS = 3, // turns before theirs
    CORNER = 64,
    CORNER_ELEMENTS = 1 << 25,
    CORNER_LEAST = 3,
    CORNER_MOST = 8,
    EDGE_ELEMENTS = 1 << 23,
    EDGES = CORNERS + CORNER_MOST,
};

// A block of rows more, of whatever size a kernel has, than the number.
static int64_t beyond(Rng *r, int64_t number) {
    int64_t least = number + number / BEYOND + 1;
    return production_prime(r, least, least + SPREAD);
}

static void judge(const ProductionRequest *q, LargeShapeAsked *asked, int turn, Verdict *v) {
    static const DType types[] = {DT_F16, DT_BF16, DT_F32};
    Err e = {0};
    asked->seed = rng_mix(q->draw->seed, 0x6f776e + (uint64_t)turn);
    // One element in thousands is seen in float32 alone, and an order of the lanes comes once.
    bool one_order = turn >= CORNERS && turn < EDGES && v->evidence.coverage.orders;
    uint64_t pick = turn < CORNERS ? asked->seed >> 7 : (q->draw->seed >> 7) + (uint64_t)turn; // each in turn
    asked->dtype = domain_any_float(q->draw->domain) && !one_order ? types[pick % 3] : DT_F32;
    if (!production_one(q, asked, v, &e)) return; // that is told
}

// In each turn another order of the lanes: what a function of a reduction does to one lane may hang on it.
static int64_t corner_length(Rng *r, int64_t far, int turn) {
    int64_t length = production_prime(r, far + 2, far + CORNER);
    for (int tries = 0; lane_order_of(length) != turn % LANE_ORDERS && tries < CORNER; tries++)
        length = production_prime(r, far + 2, far + CORNER + CORNER * tries / 8);
    return length;
}

// Rows and columns beyond a number at once: for masks that hold of a row and a column.
static void judge_corner(const ProductionRequest *q, Verdict *v) {
    int64_t far = v->evidence.coverage.far;
    Rng r = rng_at(rng_mix(q->draw->seed, 0x636f726e), 0);
    if (far == 0 || q->draw->domain->slices < 0) return;
    // More than once: what such a mask puts there may be right, as a zero often is.
    int64_t turns = CORNER_ELEMENTS / (far * far);
    if (v->evidence.coverage.orders) turns = CORNER_MOST;
    turns = turns < CORNER_LEAST ? CORNER_LEAST : turns > CORNER_MOST ? CORNER_MOST : turns;
    for (int i = 0; i < turns && verdict_accepted(v); i++) {
        LargeShapeAsked asked = {.slices = production_prime(&r, far + 2, far + CORNER),
                                 .length = corner_length(&r, far, i),
                                 .noted = i == 0};
        judge(q, &asked, CORNERS + i, v);
    }
}

// Beyond larger numbers not all rows of all columns can be run, but many of the one along all of the other;
// and the last ones of both.
static void judge_edges(const ProductionRequest *q, Verdict *v) {
    const Coverage was = v->evidence.coverage;
    Rng r = rng_at(rng_mix(q->draw->seed, 0x65646765), 0);
    if (was.furthers == 0 || q->draw->domain->slices < 0) return;
    for (int i = 0; i < 2 * was.furthers && verdict_accepted(v); i++) {
        int64_t many = production_prime(&r, was.further[i / 2] + 2, was.further[i / 2] + CORNER);
        int64_t few = production_prime(&r, EDGE_ELEMENTS / many, EDGE_ELEMENTS / many + CORNER);
        LargeShapeAsked asked = {.slices = i % 2 ? many : few, .length = i % 2 ? few : many};
        judge(q, &asked, EDGES + i, v);
    }
    for (int i = 0; i <= was.furthers && verdict_accepted(v); i++) {
        // A quarter of the programs lies where some are run, in a window (repeated.c).
        int64_t rows = i ? 4 * was.further[i - 1] : production_prime(&r, ROWS_TALL, ROWS_TALL + SPREAD);
        LargeShapeAsked asked = {.slices = rows, .length = beyond(&r, was.further[0]), .windows = true};
        judge(q, &asked, EDGES + 2 * COVERAGE_FURTHER_MAX + i, v);
    }
}

void own_sizes_judge(const ProductionRequest *q, Verdict *v) {
    const int64_t *reach = v->evidence.coverage.reach;
    int64_t all = reach[0], few = reach[1];
    judge_corner(q, v);
    if (verdict_accepted(v)) judge_edges(q, v);
    if (!verdict_accepted(v)) return;
    Rng r = rng_at(rng_mix(q->draw->seed, 0x72656163), 0);
    if (all > ROWS_TALL && q->draw->domain->slices >= 0)
        judge(q, &(LargeShapeAsked){.slices = beyond(&r, all), .length = FEW_COLUMNS, .noted = true}, 0, v);
    if (few > all && q->draw->domain->slices >= 0 && verdict_accepted(v))
        judge(q,
              &(LargeShapeAsked){
                  .slices = beyond(&r, few), .length = FEW_COLUMNS, .windows = true, .noted = true},
              1, v);
    int64_t columns = few <= COLUMNS_MOST - COLUMNS_MOST / BEYOND ? few : all;
    if (columns <= COLUMNS_WIDE || !verdict_accepted(v)) return;
    int64_t rows = q->draw->domain->slices >= 0 ? FEW_ROWS : 1;
    judge(q,
          &(LargeShapeAsked){
              .slices = rows, .length = beyond(&r, columns), .extremes = columns + 1, .noted = true},
          2, v);
}
