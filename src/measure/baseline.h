// baseline.h - PyTorch beside a kernel: the definition's reference in eager mode, compiled, and compiled with
// max-autotune. A Python process of its own (baseline.py) times them, and writes down what the compiler
// generated, so that the measurer can launch it beside the kernel, without Python. The process gets our print
// of the definition, and no code of a candidate.
#pragma once
#include "measure/timing/timing_job.h"
#include "measure/torch_process.h"
#include "op/op.h"

enum { BASELINE_MODES_MAX = 8 };
typedef struct {
    Str name; // "eager", "default", "max_autotune", "max_autotune_2" ...
    double device[TIMING_ROUNDS_MAX], call[TIMING_ROUNDS_MAX]; // microseconds, in PyTorch's own process
    int devices, calls;
    bool replayable;
    bool failed;  // it was replayed, and did not come to its end
    TimedRun run; // of a replayable one
    Str why;      // else, or why there are no times
} BaselineMode;
typedef struct {
    BaselineMode mode[BASELINE_MODES_MAX];
    int modes;
    Str torch, triton; // versions
} BaselineTimes;

typedef struct {
    const Op *op;
    const TimingJob *job; // its inputs, as they lie in `inputs`
    const DType *dtype;
    const int64_t (*shape)[OP_RANK_MAX];
    int inputs; // a file
    int draws;  // how often max-autotune is tuned afresh
} BaselineRequest;

// `text` is the answer as it came, `out` what it says. False: no Python with PyTorch and a GPU, or no answer
// in time; the next call starts another process.
MUST_CHECK bool baseline_ask(Arena *a, TorchProcess *p, const BaselineRequest *q, Str *text,
                             BaselineTimes *out, Err *e);
// What the process is given to run: Python with a function `reference` of the op's inputs.
void baseline_source(Buf *out, const Op *op);
// What the answer depends on, but for versions and the GPU.
void baseline_request_key(Buf *out, const BaselineRequest *q);
// The members of a request that say what is computed, on what and how: "source", "file", "inputs" and the
// settings. With the brace that opens it. The process is given the inputs.
MUST_CHECK bool baseline_put_inputs(Buf *out, TorchProcess *p, const BaselineRequest *q, Err *e);
MUST_CHECK bool baseline_times_read(const Json *j, const json_t *o, const char *key, double *x, int *n);
// Reads such an answer.
MUST_CHECK bool baseline_read(Arena *a, Str text, const TimingJob *job, BaselineTimes *out, Err *e);
