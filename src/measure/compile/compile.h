// compile.h - kernels of a recorded run to cubins, by Triton's own compiler in worker processes.
//
// A worker is Python with Triton, in a sandbox: no network, no file but Triton's own and a folder of its own
// that goes with it, no program but ptxas. Where that cannot be had, compilers_open() fails with ERR_SANDBOX;
// nothing is compiled weaker. A worker gets our print of a kernel, never the candidate's file. It is killed
// on time-out, and after a number of kernels. What it answers is checked as hostile: a wrong answer can make
// a kernel slow or wrong, which is measured and compared afterwards like every other, and nothing else.
#pragma once
#include "gpu/cubin.h"
#include "gpu/recorded_run.h"

typedef struct {
    int capability; // 90: sm_90a
} CompileTarget;

typedef struct {
    const char *python; // of --python; NULL: the environment's OUROBOROS_PYTHON, else python3
    const char *cache;  // folder for what was compiled; NULL: nothing is kept
    int workers;        // side by side, at least 1
    int timeout_ms;     // for one kernel; 0: the usual 60 s
    int recycle;        // kernels of one worker; 0: the usual 256
    int recheck; // one hit of the cache in so many is compiled again, the first of them by lot, since most
                 // processes have fewer; 0: the usual 100
    CompileTarget target;
} CompileOptions;

typedef struct {
    bool ok;
    Cubin cubin;             // of ok
    Str why;                 // else: what the compiler said, printable and at most 1 KiB
    bool timed_out, crashed; // of the worker, not the kernel's fault for certain
    bool cached;
    int64_t elapsed_us;
} Compiled;

typedef struct {
    int64_t asked, cache_hits, compiled, failed, restarts;
    int64_t rechecked, differed; // hits that were compiled again; those that came out otherwise
    int64_t compile_us;          // of all workers together
} CompileCounts;

typedef struct Compilers Compilers;
MUST_CHECK bool compilers_open(Arena *a, const CompileOptions *o, Compilers **out, Err *e);
void compilers_close(Compilers *c); // ends the workers; NULL is allowed
// out[i] belongs to kernel[i], which has a source; its text lives in `a`. One caller at a time. False: the
// world has failed (no worker can be started); a kernel that does not compile is a Compiled without ok.
MUST_CHECK bool compilers_run(Arena *a, Compilers *c, const RunKernel *const *kernel, int n, Compiled *out,
                              Err *e);
const char *compilers_versions(const Compilers *c); // "Triton 3.6.0, ptxas 12.9.86, Python 3.12.3"
CompileCounts compilers_counts(const Compilers *c);
