// measurer.h - the process that measures. It owns the GPU, buffers, inputs and the clock; it gets compiled
// kernels and numbers, and hands back times and bytes. What a kernel can break there, an illegal address or
// no end, costs this process only: the next job gets a fresh one.
//
//   whoever measures --socket--> keeper --fork--> measuring process (one at a time, kept while it is well)
//                    --socket--> another keeper
//
// Measuring processes are forked from a keeper that was forked at the start, before threads, and has never
// touched the GPU. The other keeper takes its place when it is killed, and forks another one.
#pragma once
#include <sys/types.h>

#include "gpu/device.h"
#include "measure/timing/timing_job.h"

typedef struct Measurer Measurer;
// Call before any thread exists. `library`: as driver_open(). Nothing of a GPU is looked at yet.
MUST_CHECK bool measurer_open(const char *library, Measurer **out, Err *e);
void measurer_close(Measurer *m); // NULL is allowed

// Starts a measuring process, where there is none: ERR_IO in one line where there is no GPU.
MUST_CHECK bool measurer_facts(Measurer *m, DeviceFacts *out, Err *e);
// `inputs`: a file that the job's inputs lie in. False: the world, the job, or a process that ended or did
// not answer in time; the next call starts another.
typedef struct {
    TimingResult result;
    const uint8_t *answers; // until the next call
} Measured;
MUST_CHECK bool measurer_run(Arena *a, Measurer *m, const TimingJob *job, int inputs, Measured *out, Err *e);
void measurer_renew(Measurer *m);          // the next job gets a fresh process
int measurer_processes(const Measurer *m); // started so far
pid_t measurer_process(const Measurer *m); // the one that is kept; 0: none
