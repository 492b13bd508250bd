// timing_sets.h - inside of timing: the memory of contenders. Each set holds the inputs, and one region that
// contenders use in turn for everything else. Around each buffer lies memory that nobody may write to.
#pragma once
#include "gpu/device.h"
#include "measure/timing/timing_job.h"

enum { SETS_MAX = 640, GAP = 512, GAP_BYTE = 0xa5, POISON_BYTE = 0xff };

typedef struct {
    DeviceAddress inputs, region, input[TIMING_INPUTS_MAX];
    int64_t shift; // its row r is the given row (r + shift) % rows
} TimingSet;
typedef struct {
    Device *d;
    const TimingJob *job;
    TimingSet *set;
    int sets;
    int lead;                          // so many of them are called before a window, untimed
    int64_t input_bytes, region_bytes; // of a set, gaps included
    int64_t least_bytes;               // of the smallest contender's part of a region
    DeviceAddress flush;               // zeros, three times as many as the L2 holds
    int64_t flush_bytes;
    DeviceAddress given; // the inputs as they were given, one behind the other: what sets are restored from
    int64_t given_at[TIMING_INPUTS_MAX];
    const DeviceKernel *sums; // of yardstick.h; NULL: the driver refuses it, or calls change inputs
    uint64_t *sum;            // [sets] of inputs and gaps, before any contender ran
    DeviceAddress sum_at;
} TimingSets;

// Where the buffers of a run that are no inputs lie in a region: at[b]; returns the bytes of all, gaps
// included.
int64_t region_lay_out(const TimedRun *run, int64_t *at);
// With d, job and both numbers of bytes given. False: ERR_LIMIT where the memory of the device does not hold
// two sets.
MUST_CHECK bool sets_open(Arena *a, TimingSets *s, const uint8_t *inputs, Err *e);
void sets_close(TimingSets *s);
// Queued: what calls change in place is in one set as it was given.
MUST_CHECK bool sets_restore(TimingSets *s, int set, Err *e);
// Queued: gaps and poison in the region of every set, laid out for a run.
MUST_CHECK bool sets_poison(TimingSets *s, const TimedRun *run, const int64_t *at, Err *e);
// What the inputs and the gaps around them are, for sets_check. With `sums` given; before any contender runs.
MUST_CHECK bool sets_note(Arena *a, TimingSets *s, Err *e);
// Whether everything around the buffers of a run, and around the inputs, is as it was, and so are the inputs
// of all sets. Without `sums`, those of set `one` that no answer takes the place of; -1: nobody asks for
// those.
typedef struct {
    const TimedRun *run;
    const int64_t *at; // NULL: its buffers lie elsewhere
    const uint8_t *given;
    int one;
    bool intact;
    char why[300]; // where it is not
} SetsCheck;
MUST_CHECK bool sets_check(Arena *a, TimingSets *s, SetsCheck *c, Err *e);
// Answer k of one set, with its rows in the given order.
MUST_CHECK bool sets_answer(TimingSets *s, DeviceAddress answer, int set, int k, uint8_t *out, Err *e);
