// lanes.h - inside the VM: which lane of the running program wrote or read what, for races within a program.
//
// The threads of a program run apart from each other. A GPU orders two of its accesses to one element only
// when the same thread makes both, or when a barrier stands between. Lane i of two tiles of one shape belongs
// to the same thread; lanes of tiles of different shapes may belong to any two, and so may those of loads
// that several threads make (LANES_ANY) or that are dealt out otherwise than stores (Step.dealt). So the log
// keeps, for every access to memory that the launch may change, the runs of lanes and where they went; nobody
// looks at it unless the race words say that the program comes back to an element.
//
// What it finds: a store to an element that another lane has written with another value; a load of one that
// another lane has written; a store to one that another lane has read, with nothing but elementwise work
// between.
#pragma once
#include "tile/compute/step.h"

// Lane `lane` + i lies at byte `at` + i * stride of a storage.
struct LaneRun {
    Storage *storage;
    int64_t at, stride;
    uint32_t lane, n, bytes; // bytes of an element
    uint32_t shape;          // of the tile, as a number; sizes of 1 do not count
};

// The shape of a load that many threads make of each of its lanes: nobody's own.
enum { LANES_ANY = 0 };

void lanes_init(Arena *a, LaneLog *log);
size_t lanes_log_bytes(void); // what lanes_init() takes
// At the start of a program and at a barrier.
static inline void lanes_forget(LaneLog *log) {
    log->wrote.n = log->read.n = log->changed.n = 0;
    log->mixed = false;
}
// Where lanes exchange values: what has been read until now was read before anything that follows is stored.
static inline void lanes_meet(LaneLog *log) { log->read.n = 0; }

// What searching the lists has cost since the last call: an honest program never searches long.
static inline int64_t lanes_owed(Vm *v) {
    int64_t owed = v->owed;
    v->owed = 0;
    return owed;
}

// A run is written in place and noted afterwards: copying what has just been written in pieces would stall. A
// full list ends all checks until it is emptied: no finding rests on half of the facts.
enum { LANE_RUNS_MAX = 1024 };
static inline LaneRun *lanes_slot(LaneRuns *runs) {
    return &runs->run[runs->n < LANE_RUNS_MAX ? runs->n : LANE_RUNS_MAX];
}
static inline void lanes_note(LaneRuns *runs) { runs->n += runs->n <= LANE_RUNS_MAX; }
// The same for lane after lane of a scattered access, which has noted runs from `from` on.
void lanes_join(LaneRuns *runs, int from);
// Of the next lane of an atomic: does it follow the list's last run, which then has it?
static inline bool lanes_lengthen(LaneRuns *runs, const Storage *m, int64_t offset, uint32_t lane,
                                  int64_t bytes) {
    if (runs->n < 1 || runs->n > LANE_RUNS_MAX) return false;
    LaneRun *last = &runs->run[runs->n - 1];
    int64_t step = offset - last->at - (int64_t)(last->n - 1) * last->stride;
    if (last->storage != m || last->lane + last->n != lane || step < bytes ||
        (last->n > 1 && last->stride != step))
        return false;
    last->stride = step;
    last->n++;
    return true;
}
uint32_t lanes_shape(const TileType *t);

// Notes the lane of an atomic. `plain`: this program has also loaded or stored the element otherwise; then
// the same threads have to have done that. False after a finding.
bool lanes_atomic(Vm *v, const Step *s, Storage *m, int64_t offset, uint32_t lane, bool plain);

// May the run be loaded, when its race words say that this program has written some of it? Lists before
// `from`. False after a finding.
bool lanes_load(Vm *v, const Step *s, const LaneRun *run, int from);
// May the run be stored, when this program has written or read some of it (RACE_WROTE, RACE_READ)?
typedef struct {
    const char *fresh; // its elements as they will lie in memory; or NULL
    const void *lanes; // then these are they
} LaneValues;
bool lanes_store(Vm *v, const Step *s, const LaneRun *run, int from, LaneValues value, uint32_t race);
