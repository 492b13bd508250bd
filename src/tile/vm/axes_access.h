// axes_access.h - one load or store whose address is kept by axis, while it runs: axes_access.c,
// axes_store.c.
#pragma once
#include "tile/vm/access.h"

typedef struct {
    Access x;
    const TileType *tile;
    AxesActive on;
    const int64_t *number[TILE_RANK_MAX]; // along each axis
    size_t stride[TILE_RANK_MAX];         // lanes from one place to the next
    int last;                             // the last axis: its lanes are rows
    bool together;                        // its active places have no gap between them
} AxesAccess;

void axes_begin(AxesAccess *q, Vm *v, const Step *s, int mask_reg, const void *mask);
// An address and a mask as other kernels have them.
bool axes_written_out(Vm *v, const Step *s, int mask_reg, const void *mask, StepFn *plain);
// A mask that may be undefined is looked at by memory.c, were it a single one for all lanes.
bool axes_fit(const Vm *v, const Step *s, int mask_reg);
// All places of the last axis, active or not, follow each other in memory.
bool axes_row_is_run(const AxesAccess *q);
// Counts the sectors that the active lanes meet.
void axes_count_sectors(AxesAccess *q);

// ---- rows

// The rows with active lanes one after the other: where along the axes before the last one each is.
typedef struct {
    int at[TILE_RANK_MAX]; // index of the active place
    size_t lane, lanes;    // of its first place; without the axis before the last
    int64_t sum, sums;     // of its numbers; the same
} Row;

static inline void row_here(const AxesAccess *q, Row *r) {
    int k = q->last - 1;
    if (k < 0) return; // all lanes are one row
    int place = q->on.place[k][r->at[k]];
    r->lane = r->lanes + (size_t)place * q->stride[k];
    r->sum = (int64_t)((uint64_t)r->sums + (uint64_t)q->number[k][place]);
}

static inline void row_settle(const AxesAccess *q, Row *r) {
    r->lanes = 0;
    r->sums = 0;
    for (int k = 0; k < q->last - 1; k++) {
        int place = q->on.place[k][r->at[k]];
        r->lanes += (size_t)place * q->stride[k];
        r->sums = (int64_t)((uint64_t)r->sums + (uint64_t)q->number[k][place]);
    }
    row_here(q, r);
}

static inline Row row_first(const AxesAccess *q) {
    Row r = {0};
    row_settle(q, &r);
    return r;
}

static inline bool row_turn(const AxesAccess *q, Row *r) {
    int k = q->last - 1;
    for (; k >= 0; r->at[k--] = 0)
        if (++r->at[k] < q->on.count[k]) break;
    if (k >= 0) row_settle(q, r);
    return k >= 0;
}

static inline bool row_next(const AxesAccess *q, Row *r) {
    int k = q->last - 1;
    if (k < 0) return false;
    if (r->at[k] + 1 == q->on.count[k]) return row_turn(q, r);
    r->at[k]++;
    return row_here(q, r), true;
}
