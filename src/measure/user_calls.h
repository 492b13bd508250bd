// user_calls.h - how long a call takes as a PyTorch user makes it: from Python, with allocations and Triton's
// own launcher, beside eager mode, torch.compile, max-autotune, and max-autotune with CUDA graphs. The kernel
// is called through our own print of its recorded run (user_calls.py), in a process that no device time comes
// from.
//
// Answer: {"torch": TEXT, "triton": TEXT, "errors": {NAME: TEXT}, "modes": {NAME: {"call": [us ...],
// "queued": [us ...]}}}, NAME "eager", "default", "max_autotune", "max_autotune_graphs", "kernel".
#pragma once
#include "gpu/recorded_run.h"
#include "measure/baseline.h"

enum { USER_CALLS_MAX = 8 };
// call: from an idle queue, between two events. queued: behind other work, one call after the other, so that
// the host is in no number. Microseconds, a median of several calls for each round.
typedef struct {
    Str name;
    double call[TIMING_ROUNDS_MAX], queued[TIMING_ROUNDS_MAX];
    int calls, queueds;
    Str why; // there are none
} UserCallTimes;

typedef struct {
    const BaselineRequest *inputs; // op, job, dtypes, shapes and the file
    const RecordedRun *run;        // its kernels printed
    const int *choice;             // of each group
} UserCallsRequest;
// False: no Python with PyTorch and a GPU, no Landlock, or no answer in time.
MUST_CHECK bool user_calls_ask(Arena *a, TorchProcess *p, const UserCallsRequest *q, UserCallTimes *out,
                               int *n, Err *e);
// Reads such an answer.
MUST_CHECK bool user_calls_read(Arena *a, Str text, UserCallTimes *out, int *n, Err *e);
