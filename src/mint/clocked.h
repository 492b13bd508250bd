// clocked.h - the rank model's first few, measured: each that passed at full is timed on the GPU, the fastest
// is kept, and timed again, apart, beside PyTorch, because the best of several draws was also the luckiest.
#pragma once
#include "measure/timer.h"
#include "mint/mint.h"

typedef struct {
    const Op *op;
    const Timer *timer;
    Service *service;
    DrawFilter filter; // of the proofs
    CellPlace place;
    void (*told)(void *arg, int done, int total); // may be NULL
    void *arg;
} ClockedRequest;
typedef struct {
    CellTimes first[MINT_PROOFS_MAX]; // of proof i, without PyTorch
    int timed;                        // that have a number
    int best;                         // which was the fastest; -1: none has a number
    CellTimes again;                  // of that one, in a process of its own
} Clocked;
// A proof that the GPU contradicts is taken back, and recorded so; where none is left, m->found is false.
// Without any number the model's best stays.
MUST_CHECK bool clocked_run(Arena *a, const ClockedRequest *q, MintResult *m, Clocked *out, Err *e);
