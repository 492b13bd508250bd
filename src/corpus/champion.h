// champion.h - the winner of a mint as a row of the store: a program, its verdict at full, and, where the
// rank model says it is faster than what stood there, the championship of its op, shape class, dtype and
// target.
#pragma once
#include "store/store.h"

#include "judge/verdict/verdict.h"

typedef struct {
    const Op *op;
    const DrawFilter *filter;
    const Verdict *verdict; // accepted at full, of no replay
    Str source, smith, model, prompt, schedule, licence;
    uint64_t seed;   // the smith's
    RankShape shape; // that the estimate is for
    const Target *target;
    double microseconds; // by the rank model: no time
} Winner;
MUST_CHECK bool champion_record(Store *s, const Winner *m, bool *stands, Err *e);
// "8192x4096": each side up to the next power of two.
const char *shape_class(Arena *a, const RankShape *shape);
