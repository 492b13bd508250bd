// machine.h - one machine serves one call of a host function: its storages, budgets and counters, and what
// its launches have in common. tile/vm/launch.h runs a kernel on it.
#pragma once
#include "tile/code/contraction.h"
#include "tile/cover/cover.h"

enum { COST_MIN = 16 }; // lanes: what dispatching an instruction costs, so that scalar loops are paid for too

typedef struct {
    int64_t lanes;        // charged for all executed instructions: the unit of the step budget
    int64_t instructions; // executed
    int64_t programs, launches;
    int64_t bytes_loaded; // 32-byte sectors touched by each load of each program, times 32
    int64_t bytes_stored; // the same for stores
    int64_t bytes_copied; // by host-side copies (contiguous) and fills: read plus written
    // Of lanes that compute what a GPU needs many instructions for (tanh, division): those beyond the first.
    // Charged to no budget: for estimates of a GPU's time.
    int64_t function_lanes;
    // What the launches of a host function need at most; not the VM's business, set by who launches.
    int64_t tile_bytes; // of the largest register file
    int64_t warps;      // num_warps
    // Of operators that a ModelNew leaves to the library (host/candidate/library_operators.c): calls; the
    // bytes of what they read first and of what they give, of all and of light ones; products twice, and
    // elements made.
    int64_t library_calls, library_bytes, light_bytes, library_work;
} Counters;

// Bytes by access, for a person who asks where a kernel's traffic comes from: counted as in Counters.
typedef struct {
    uint32_t at;           // of the access in the source
    int32_t rows, columns; // of its tile: the last two dimensions, 1 where there are fewer
    int64_t loaded, stored;
} Traced;
enum { TRACED_MAX = 120 };
typedef struct {
    int64_t n; // more accesses than there is room for are left out
    Traced access[TRACED_MAX];
} Trace;

// Which programs of a launch have touched what: found by serial numbers beside the shadow bytes.
typedef struct {
    uint32_t serial;     // last program number handed out; grows over all launches, at most READER_MANY - 1
    int atomic_launches; // of kernels with atomics: where their results may depend on the order of programs
    bool read_back;      // a kernel has loaded what a kernel or the host wrote; known while origins are kept
} RaceState;

// Which config an autotuned kernel runs with.
typedef struct {
    int config;           // its number, modulo how many the kernel has; at least 0
    int configs;          // most that a launched kernel has had; 0: none was autotuned
    struct Tuned *pruned; // configs that pruning has left in other calls; NULL: this is the only call
} Autotune;

// Which programs of a launch run, and in which order.
typedef struct {
    uint64_t seed; // pseudo-random order drawn from it; 0: natural order
    bool reversed; // ... from its end: of any two programs, the other one comes first
    // Not 0: inputs along their first axis are copies of a block of so many, and programs that repeat others
    // need not run (tile/vm/repeat.h).
    int64_t period;
    int64_t repeated; // so many have not
    // Not 0: only some programs run, the first, the last, those in between where one of so many elements has
    // a place that no int32 holds, and a few others. For storages that nobody could fill.
    int64_t sampled;
    // And launches of kernels that load nothing run whole, where that is little work: tables for those that
    // do.
    bool tables;
    int whole; // so many launches were
    // Then: bytes that the launches would have stored, had every program stored as many as the one of those
    // that ran that has stored the most.
    int64_t stores;
} ProgramOrder;

// Whether launches run as a compiler may make them that rounds a product and its sum at once.
typedef struct {
    ContractSide side;
    unsigned ways; // code_contracts() of all launches that allow it
} Contraction;

// In which order the lanes of a reduction by a function come: on a GPU it follows from the layout, and
// nothing promises one. Bits: from the last to the first; the even ones before the odd ones.
enum { LANES_BACKWARDS = 1, LANES_APART = 2, LANE_ORDERS = 4 };
// By the length of a row, so that the same row gives the same bits wherever it stands.
static inline int lane_order_of(int64_t length) {
    return (int)((uint64_t)length * 0x9e3779b97f4a7c15u >> 62);
}

// The GPU that host code sees.
typedef struct {
    int processors;
    const struct GpuModel *model; // what it says of itself; NULL: what follows from its processors
    int warps;                    // num_warps of the next launch
    bool allocator;               // triton.set_allocator() was given a function
} Gpu;

// Who looks on; NULL: nobody, and nothing is slower for it.
typedef struct {
    Cover *cover; // of the source whose kernels run
    Trace *trace;
} Watchers;

enum { LIBRARY_NAMES_MAX = 160 };
// One machine serves one call of a host function: fresh storages, counters that add up over its launches.
typedef struct {
    Arena *arena;
    StorageTable storages;
    DiagList *diags;
    int64_t tensor_bytes; // that one call may allocate in tensors; 0: what every machine has (interp.h)
    int64_t steps_left;   // budget, in lanes; shared by kernels and host code; DIAG_BUDGET when spent
    Counters count;
    RaceState race;
    ProgramOrder order;
    Contraction contraction;
    Autotune autotune;
    Gpu gpu;
    int lane_order;
    Watchers watch;
    // What launches leave behind is looked at, and one of them is made to leave something else
    // (host/candidate/knocked.h). NULL: nobody asks.
    struct Knocked *knocked;
    char library[LIBRARY_NAMES_MAX]; // which operators were left to the library, each once
    // Who does what host code asks for: host/candidate/backend.h. NULL: this machine.
    const struct LaunchBackend *backend;
    void *backend_state;
} Machine;
// Bytes: an access further away from its tensor is told without the distance. Addresses can be made of input
// values, and the distance would say what they were; near misses are mistakes in masks.
enum { VM_NEAR_MISS = 4096 };
enum { PROCESSORS_USUAL = 132 }; // what a fresh machine has
void machine_init(Machine *m, Arena *arena, DiagList *diags, int64_t steps);
