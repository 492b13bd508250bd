// timer.h - what times need, opened together and asked for many programs: the GPU's measuring process,
// compile workers with their cache, PyTorch with the baselines that were tuned before.
#pragma once
#include "measure/cell.h"

enum { TIMER_ROUNDS = 7, TIMER_WORKERS = 8 };
typedef struct {
    const char *python; // as CompileOptions has it
    bool alone;         // without PyTorch
    bool user_calls;    // calls from Python, too
    int workers;        // that compile; 0: one for each core, TIMER_WORKERS at most
    int rounds;         // 0: TIMER_ROUNDS
    int again;          // as CellRequest has it
} TimerOptions;

typedef struct {
    Referee *referee;
    Measurer *measurer;
    Compilers *compilers;
    TorchProcess *baseline;   // NULL: alone
    TorchProcess *user_calls; // NULL: not asked for
    DeviceFacts gpu;
    TimerOptions o;
    const char *kept; // folder of baselines; NULL: the referee keeps no journal, and nothing else is kept
} Timer;
// Cubins and baselines are kept beside the referee's journal, in its folder "gpu". ERR_IO in one line where
// there is no GPU, or no Triton.
MUST_CHECK bool timer_open(Arena *a, Referee *r, Measurer *m, const TimerOptions *o, Timer *out, Err *e);
void timer_close(Timer *t); // once opened
CellRequest timer_request(const Timer *t, const Op *op, Str source);

// The cell that takes the verdict back; NULL: none does.
const CellTimes *cells_refute(const CellTimes *cell, int n);
// "On a GPU, at 512x64 float16: the kernel: ..."
const char *cell_refutes(Arena *a, const CellTimes *c);
// A verdict's "times" (doc/schema/times.json), its cells in order. `why`: why there are no times at all, or
// NULL; then `t` may be NULL.
json_t *times_json(const Timer *t, const CellTimes *const *cell, int n, const char *why);
