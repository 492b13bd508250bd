// baseline.h - PyTorch beside a kernel: the definition's reference in eager mode, compiled, and compiled with
// max-autotune. A Python process of its own (baseline.py) times them, and writes down what the compiler
// generated, so that the measurer can launch it beside the kernel, without Python. The process gets our print
// of the definition, a folder of its own, no network where the system lets us take it away, and is killed
// with all it has started when it is late.
#pragma once
#include "measure/timing/timing_job.h"
#include "op/op.h"

enum { BASELINE_MODES_MAX = 8 };
typedef struct {
    Str name; // "eager", "default", "max_autotune", "max_autotune_2" ...
    double device[TIMING_ROUNDS_MAX], call[TIMING_ROUNDS_MAX]; // microseconds, in PyTorch's own process
    int devices, calls;
    bool replayable;
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

typedef struct Baseline Baseline;
// `python` NULL: $OUROBOROS_PYTHON, else python3. Starts when it is first asked.
Baseline *baseline_open(const char *python);
void baseline_close(Baseline *b); // NULL is allowed
// "torch 2.11.0, triton 3.6.0, Python 3.12.3", as that Python's packages say, asked once; empty: they do not.
const char *baseline_versions(Baseline *b);
// `text` is the answer as it came, `out` what it says. False: no Python with PyTorch and a GPU, or no answer
// in time; the next call starts another process.
MUST_CHECK bool baseline_ask(Arena *a, Baseline *b, const BaselineRequest *q, Str *text, BaselineTimes *out,
                             Err *e);
// What the answer depends on, but for versions and the GPU.
void baseline_request_key(Buf *out, const BaselineRequest *q);
// Reads such an answer.
MUST_CHECK bool baseline_read(Arena *a, Str text, const TimingJob *job, BaselineTimes *out, Err *e);
