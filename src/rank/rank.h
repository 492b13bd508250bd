// rank.h - which of two right kernels is probably the faster on a given GPU: a model, not a timing. It knows
// only what the VM counted on one small case, and the target's data sheet.
//
//   DRAM    every input read once and every output written once, at the bandwidth of a plain copy
//   repeats sectors of 32 bytes beyond that, at the bandwidth of the L2 as far as what is read again fits it:
//           the rows that are in flight, or with several launches all tensors; what does not fit is DRAM's
//   waves   programs / (SMs x programs that fit an SM, by threads and registers). A last wave that is not
//           full still takes as long as one program does
//   launch  a floor for each
//
// Counts are scaled from the case they were taken on to the shape in question, linearly in rows and in row
// length: loops that are run a fixed number of times, and grids of a fixed size, are therefore misjudged when
// the shapes are far apart. Arithmetic is free: kernels of this kind wait for memory.
#pragma once
#include "tile/vm/vm.h"

typedef struct {
    const char *name, *words;
    double bandwidth, l2_bandwidth; // bytes a microsecond
    double l2_bytes;
    int sms, sm_threads, sm_programs, sm_registers;
    double clock; // cycles a microsecond
    double launch_us;
} Target;
enum { RANK_ROWS = 8192, RANK_ROW = 4096 }; // the headline shape
#define RANK_TARGET "h200"
const Target *target_at(int i); // NULL behind the last
// ERR_USAGE lists the known ones.
MUST_CHECK bool target_by_name(const char *name, const Target **out, Err *e);

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

// Microseconds; 0 when nothing was measured.
double rank_estimate(const Target *t, const Counters *c, const RankCase *from, const RankShape *to);
