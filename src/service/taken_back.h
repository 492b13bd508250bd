// taken_back.h - a verdict that a GPU took back: the referee had accepted the program, and at some shape its
// answers were wrong on the GPU, or it faulted, or it wrote where it must not. The case goes to the journal
// as a verdict that answers for equal programs from then on, and whole, with the program and the seeds of
// what was drawn, to a file of the folder gpu/taken_back beside it.
#pragma once
#include "measure/timer.h"
#include "service/verdict_cache.h"

typedef struct TakenBack {
    const Op *op;
    DrawFilter filter; // of the judgement
    Str source;
    const Timer *timer;
    const CellTimes *cell; // that disagrees
} TakenBack;
// `verdict`, an accepted one's members, becomes `incorrect`, rule `gpu`, with the member "taken_back".
// `cache` NULL: it is opened for this. Without a journal nothing is recorded.
MUST_CHECK bool verdict_take_back(Referee *r, VerdictCache *cache, const TakenBack *t, json_t *verdict,
                                  Err *e);
