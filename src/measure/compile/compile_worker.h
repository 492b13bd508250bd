// compile_worker.h - one process that compiles: started in its sandbox, asked for one kernel at a time, ended
// with everything that it has started. Nothing here waits: whoever has several of them polls. Private to
// measure/.
#pragma once
#include "measure/compile/compile_answer.h"
#include "measure/compile/compile_python.h"
#include <sys/types.h>

typedef enum { WORKER_NONE, WORKER_WARMS, WORKER_IDLE, WORKER_WORKS } WorkerState;
typedef struct {
    WorkerState state;
    pid_t pid;
    int to, from, errors; // pipes; a memfd with what it printed
    char folder[256];
    double deadline;
    int64_t id; // of the request
    int served;
    Arena memory; // of the request and the answer
    Str request;
    size_t sent;
    Buf got;
} CompileWorker;

// `root`: a folder that exists, for the worker's own one. It warms up; then it is idle.
MUST_CHECK bool worker_start(CompileWorker *w, const CompilePython *python, const char *root, int capability,
                             Err *e);
// Kills it and everything that it has started, and removes its folder. Of NONE nothing.
void worker_end(CompileWorker *w);
void worker_folder_remove(const char *folder); // with all that is in it
MUST_CHECK bool worker_ask(CompileWorker *w, const RunKernel *k, int capability, int timeout_ms, Err *e);
// Sends and receives what is possible now. False: it has ended, or babbles. *whole: an answer lies in w->got.
MUST_CHECK bool worker_step(CompileWorker *w, bool *whole);
// The last line that it printed, for messages.
const char *worker_last_words(Arena *a, const CompileWorker *w);
