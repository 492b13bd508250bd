// rank.h - which of two right kernels is probably the faster on a given GPU: a model, not a timing. It knows
// what the VM counted on one small case, what host code launches there and at the shape in question, and the
// target's data sheet.
//
//   DRAM     every input read once and every output written once, at the bandwidth of a plain copy
//   repeats  sectors of 32 bytes beyond that, at the bandwidth of the L2 as far as what is read again fits
//   it:
//            the rows that are in flight, or with several launches all tensors; what does not fit is DRAM's
//   issue    instructions by their lanes, on as many SMs as have a program
//   waiting  a program waits for its loads and its instructions, round by round; as many wait at a time as
//   fit the
//            SMs, by threads and registers. A last wave that is not full still takes as long as one program
//            does
//   dispatch a floor for each block and each launch
// They hide behind each other, but not fully: their sum in the power OVERLAP, and then the root. What no
// other program hides comes on top: one program's waiting.
//
// Counts are scaled from the case they were taken on to the shape in question. Where the launches at both are
// known, so are programs, tiles and rounds; otherwise they are scaled linearly in rows and in row length.
#pragma once
#include "tile/compute/machine.h"

typedef struct {
    const char *name, *words;
    double bandwidth, l2_bandwidth; // bytes a microsecond
    double l2_bytes;
    double l1_bytes; // of an SM, with its shared memory
    int sms, sm_threads, sm_programs, sm_registers;
    double clock; // cycles a microsecond
    double launch_us;
} Target;
enum { RANK_ROWS = 8192, RANK_ROW = 4096 }; // the headline shape
#define RANK_TARGET "h200"
const Target *target_at(int i); // NULL behind the last
// ERR_USAGE lists the known ones.
MUST_CHECK bool target_by_name(const char *name, const Target **out, Err *e);

// What one call launches at some shape. `tile`: the product of the sizes among the kernel's constants; 0: not
// known.
enum { RANK_LAUNCHES_MAX = 8 };
typedef struct {
    int64_t programs;
    int warps;
    double tile;
} RankLaunch;
typedef struct {
    RankLaunch at[RANK_LAUNCHES_MAX];
    int launches; // 0: not known
} RankLaunches;

// What a source says of the caches: 1 for loads that are evicted first, 2 for stores that stream, 3 for both.
enum { RANK_EVICTED = 1, RANK_STREAMED = 2 };
int rank_hints(Str source);

// The case that the counters are of, and what the op cannot do without there.
typedef struct {
    int64_t rows, row; // 1 row for an op without rows
    bool has_rows;
    int elem_bytes;      // of the floating inputs; 0: there are none, nothing varies
    double row_bytes;    // of inputs and outputs with rows: grow with rows and row length
    double shared_bytes; // of inputs that all rows share: grow with the row length
} RankCase;
typedef struct {
    int64_t rows, row; // 0: the headline shape's
    int elem_bytes;    // 0: 2
} RankShape;

// Microseconds; 0 when nothing was measured. What is not known of launches is scaled from the counters.
double rank_estimate(const Target *t, const Counters *c, const RankCase *from, const RankShape *to);

// The numbers of the model that no data sheet has; rank.c says where each is from. All are doubles: bench_fit
// tries others.
typedef struct {
    double overlap;        // power of the sum
    double start_us;       // before a launch moves its first byte, and after its last
    double round_us;       // of waiting in a program: for the loads of a tile
    double instruction_us; // ... for an instruction
    double warp_us;        // ... for each doubling of its warps, which reductions wait for
    double lane_clocks;    // of an SM, for 128 lanes of an instruction
    double issue_warps;    // of an SM, with which it issues half of what it could
    double block_us;       // dispatch
    double last_wave;      // how much of a last, not full wave counts: 0 (its share) to 1 (all of it)
    double register_base;  // registers of a thread
    double register_share; // ... for each of its words in the VM's register file
    double evicted;        // what is left of the time with the first hint, where all bytes fit into the L2
    double evicted_beyond; // ... where they do not, and at most half as many again are loaded as stored
    double evicted_many;   // ... where they do not, and more are
    double streamed;       // ... with the second
    double together; // memory takes so much longer where an SM has one program; by the square of their number
    double sm_bytes_clock; // what one SM takes from the L2 in a cycle
} RankModel;
extern const RankModel rank_model;

typedef struct {
    const Counters *count;
    const RankCase *from;
    const RankShape *to;
    const RankLaunches *here, *there; // at the case and at the shape; NULL: not known
    int hints;
} RankAsk;
double rank_estimate_by(const RankModel *m, const Target *t, const RankAsk *q);
