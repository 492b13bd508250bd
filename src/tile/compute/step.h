// step.h - inside the VM: what a launch decodes each instruction into, and what vm.c, memory.c and fold.c
// share. A step holds addresses in the register file and the loop to run, so that the hot path decides
// nothing.
#pragma once
#include "tile/compute/machine.h"
#include "tile/loops/loops.h"

typedef enum {
    ACT_LOOP,    // run the loop; nothing can go wrong and no lane is undefined
    ACT_GUARDED, // run the loop, look at what it reports, carry poison along
    ACT_SET,     // one lane from imm
    ACT_NONE,    // a move of what is in its place already
    ACT_WALK,    // lanes move: BROADCAST, TRANS; and every move of tainted registers
    ACT_REDUCE,
    ACT_ARG,
    ACT_SCAN,
    ACT_LOAD,
    ACT_STORE,
    ACT_JUMP,
    ACT_JUMPNOT,
    ACT_LOOPTEST,
    ACT_CALL,   // whatever is rare: a function of its own
    ACT_FUSED,  // run the loop; the step after it is done, too
    ACT_NOTED,  // run the loop, and keep which way its one lane came out
    ACT_NARROW, // run the loop on as many lanes as live (narrow.c); NARROW_FUSED: as FUSED
    ACT_NARROW_FUSED,
    ACT_END,
} Act;

typedef struct Vm Vm;
typedef struct Step Step;
typedef struct Watched Watched;
typedef struct Narrow Narrow;
typedef struct Ahead Ahead;
typedef struct Repeat Repeat;
typedef struct SectorShapes SectorShapes;
typedef bool StepFn(Vm *v, const Step *s);

// d[i0, i1, ..] = a[i0 * stride0 + i1 * stride1 + ..], strides in lanes.
typedef struct {
    int rank;
    int shape[TILE_RANK_MAX + 1];
    int stride[TILE_RANK_MAX + 1];
} Walk;

struct Step {
    union {
        LoopFn *fn;
        StepFn *call; // CALL
    };
    void *d;
    const void *a, *b, *c;
    uint8_t *pd; // poison bytes beside the lanes; NULL: no lane can be undefined
    const uint8_t *pa, *pb, *pc;
    int64_t imm;
    union {
        const Walk *walk;
        Watched *watched; // watch.c
        Narrow *narrow;   // narrow.c; NULL: it takes no part
    };
    int outer, n, inner; // REDUCE, ARG, SCAN: the operand as [outer, n, inner], folded along n
    int lanes;           // of d; of the addresses of a store
    int lanes_a;
    int cost;           // lanes charged to the budget
    int function_lanes; // counted beside them (machine.h)
    int insn;           // its place in the code
    int target;
    uint32_t shape; // LOAD, STORE, atomics: lanes_shape() of the addresses
    uint8_t act;
    uint8_t one;   // ONE_A | ONE_B | ONE_C: operands with one lane beside a d with more
    uint8_t size;  // bytes of a lane of d (of the value of a store)
    uint8_t bytes; // of an element in memory
    uint8_t dtype; // of d; of the operand of ARG; of the value of a store
    bool dealt;    // LOAD: its lanes are in other threads than those of a store (lanes.h)
    bool meets;    // CALL: lanes exchange values (lanes.h)
    bool fill;     // all operands have one lane, d has more: compute one and spread it
    bool aside; // may report lanes, and d is an operand: compute beside it, so that the operand can be asked
};

// lanes.h: runs of lanes that the running program has stored, and loaded.
typedef struct LaneRun LaneRun;
typedef struct {
    LaneRun *run;
    int n;    // more than there is room for: the list is not complete
    int hint; // where the last search ended
} LaneRuns;
typedef struct {
    LaneRuns wrote, read, changed; // changed: by atomics
    bool mixed;                    // different lanes have stored the same value to one element
} LaneLog;

// deferred.h: atomics that only their own programs have seen, in the order in which they were issued.
typedef struct DeferredAtomic DeferredAtomic;
typedef struct {
    DeferredAtomic *at;
    int n, own;        // those from `own` on are the running program's
    uint32_t barriers; // that it has met
    int looks;         // atomics of its own that have happened at once
    uint16_t *near;    // how many lie in the same few bytes, by a hash
    int64_t searched;  // how many were looked at
    bool overtaken;    // another program's atomic has looked at an element before one of them
} Deferred;

// A poison byte: not defined at all, a reduction of such lanes, or (the other bits) not defined by a hint
// that does not hold (hint.c).
enum { UNDEFINED = 1, POISON_BITS = 8, REDUCED_BIT = POISON_BITS - 1, REDUCED = 1 << REDUCED_BIT };
typedef struct {
    const Step *step; // the hint, or the last reduction of undefined lanes
    int64_t lane;     // the first that the hint is not true of, or that is undefined
} Broken;

struct Vm {
    Machine *m;
    const Code *code;
    const TileLoops *loops;
    Step *step;
    const Step *plain;       // traffic_trace.c: what the traced steps stand for
    void *scratch[2];        // each as large as any operand
    uint8_t *poison_scratch; // a byte for each lane of any operand
    uint32_t *live;          // by register, of those that are narrow: narrow.h; NULL: not yet
    bool idle;               // a load had few active lanes: it pays
    uint64_t *sectors;       // SECTOR_SLOTS: those that a scattered access has met
    uint64_t sector_mark;    // of this access, above the bits of a sector
    int32_t pid[3], grid[3];
    int64_t left; // of the step budget
    bool spent;   // an instruction could not be paid
    int64_t owed; // lanes of work that an instruction found it had to do beyond its price
    Broken broken[POISON_BITS];
    int hints; // decoded so far
    LaneLog log;
    Deferred deferred;
    Repeat *repeat;         // repeat.h: programs that need not run; NULL: all do
    Repeat *noting;         // the same while a program is looked at; else NULL
    SectorShapes *shapes;   // axes_access.c; NULL: there was no room for them, or no need
    Ahead *ahead;           // by instruction; NULL: few programs run (ahead.c)
    uint64_t program;       // number of the running one, ...
    int64_t further;        // ... and how far behind it the one that runs next is
    int64_t stored;         // bytes, by plain stores, each as often as it was stored
    int64_t most;           // of these by one program
    uint32_t first, serial; // of this launch and of this program
    uint8_t origin;         // marks of what this program has loaded (Storage.origin)
    uint8_t origins;        // of what the launch's programs have
    // The finding that ended the launch; recorded after the launch's memory has gone back.
    DiagKind kind;
    Span span;
    char msg[480];
};

// A table of the sectors of 32 bytes that one instruction has met. Each has a mark of its own, so that the
// table seldom has to be cleared.
enum { SECTOR_SLOTS = 1024, SECTOR_BITS = 48 };
static inline void sectors_forget(Vm *v) {
    // At first, and when all marks have been used.
    if (v->sector_mark == 0) memset(v->sectors, 0, SECTOR_SLOTS * sizeof *v->sectors);
    v->sector_mark += (uint64_t)1 << SECTOR_BITS;
}
static inline uint64_t sector_of(int64_t address) { return (uint64_t)address >> 5; }
static inline bool sector_is_new(Vm *v, uint64_t sector) {
    uint64_t *slot = &v->sectors[sector % SECTOR_SLOTS], met = sector | v->sector_mark;
    bool new = *slot != met;
    *slot = met;
    return new;
}

// What a program stores comes from everything that it has loaded.
static inline void note_origin(Vm *v, Storage *m, size_t offset, size_t size, bool store) {
    if (store) {
        memset(m->origin + offset, v->origin, size);
        return;
    }
    v->m->race.read_back |= !m->read_only;
    for (size_t i = 0; i < size; i++) v->origin |= m->origin[offset + i];
}

// The shadow flags that all `size` bytes from `offset` on have.
static inline uint8_t shadow_flags(const TileLoops *loops, const Storage *m, size_t offset, size_t size) {
    if (m->open) return SHADOW_ALLOC | SHADOW_INIT;
    if (m->row_pitch) return storage_row_flags(m, offset, size);
    return loops->memory->all_flags(m->shadow + offset, size);
}

// Notes a finding at the step's place; lane < 0: none in particular. Always false.
bool vm_finding(Vm *v, const Step *s, DiagKind kind, int64_t lane, const char *fmt, ...) PRINTF(5, 6);
// The same of a value that is undefined, by its poison byte; what: where it has come to.
const char *reduction_name(InsnOp op); // fold.c
bool vm_undefined(Vm *v, const Step *s, uint8_t poison, int64_t lane, const char *what);
#define GIVE_OTHER                                                                                     \
    "masked-off lanes of a load without `other` are undefined; give the load an `other=` (of a block " \
    "pointer: padding_option=\"zero\")"

void step_walk(const Walk *w, int size, void *d, const void *a);
void walk_merge(Walk *w); // axes that are walked as one become one: the same lanes, in fewer and longer rows
MUST_CHECK bool step_reduce(Vm *v, const Step *s);
MUST_CHECK bool step_arg(Vm *v, const Step *s);
void step_scan(Vm *v, const Step *s);
StepFn step_affine, step_compare, step_intersect; // affine.c
StepFn step_rows, step_spread, step_spread_mask, step_intersect_grid;
StepFn step_axes, step_axes_mask; // axes.c
// hint.c: before a load through addresses that may break a hint. False with a finding.
MUST_CHECK bool hint_load(Vm *v, const Step *s, const uint8_t *mask);
StepFn step_hint;                                                                   // hint.c
StepFn step_aligned, step_assume, step_bitcast, step_concat, step_gather, step_dot; // shuffle.c, dot.c
StepFn step_swap, step_histogram, step_math;                                        // sort.c, lane_math.c
int64_t lane_int(const void *p, DType t, size_t i);                                 // an integer lane
