// timing.h - the clock: runs contenders on a device and takes their time. Only compiled kernels and our own
// launcher are here; no text of a candidate, no Python, no expected values.
//
// Device time: a CUDA graph of many calls, fills and copies of a call inside. Each call works on a set of
// inputs, answers and scratch memory that no other call of the window has. Queued before it, untimed: a fill
// of more than the L2, so that nothing is found there that another contender has left, and calls on other
// sets; so the host is in no number either. Several such windows make up a round.
// Contenders take turns in each round, in an order that is drawn. Inputs of the sets are the given rows,
// moved around by a drawn number. Hot time: the same on one set, whose data may stay in the L2. Call time:
// from an idle queue, launched one by one by our launcher. The three are never mixed.
//
// Inputs that calls change in place (TimingJob.in_place) are restored in all sets before each window,
// untimed; so it is for all contenders of such a job, whether they change an input or not. No hot time then;
// call times are of sets restored before.
//
// The last window of each contender is checked: its memory is poisoned before, and read back after.
#pragma once
#include "gpu/device.h"
#include "measure/timing/timing_job.h"

// `answers`: room as timing_answer_at() says. A fault of a contender is told in its TimedContender; after
// one, the device is lost, and what follows it was not measured. False: the world, or the job, is wrong.
// `kept`: what a process has from one job to the next, zeros at first; it goes with the context. NULL: all
// of it is made anew.
typedef struct {
    DeviceKernel clocks, reads, demotes, sums;
    double floor_us;
} TimingKept;
typedef struct {
    const uint8_t *inputs;
    uint8_t *answers;
    TimingKept *kept;
} TimingMemory;
MUST_CHECK bool timing_run(Arena *a, Device *d, const TimingJob *job, const TimingMemory *memory,
                           TimingResult *out, Err *e);
// The order of the contenders in round `round`, counted over all kinds: turn[0] runs first.
void timing_turns(const TimingJob *job, int round, int *turn);
double median_of(const double *x, int n); // 0 of none
