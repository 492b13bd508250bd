// timed.h - times of accepted programs as rows of the store: a row for each shape and dtype that was
// measured, and the championship there, where the program is faster than what stood.
#pragma once
#include "store/store.h"

#include <jansson.h>

#include "judge/verdict/verdict.h"

typedef struct {
    const Op *op;
    const DrawFilter *filter; // of the judgement
    Str source;
    const json_t *times; // doc/schema/times.json
    // Accepted at full: a program that the store does not have is put there, too. NULL: it has to be there.
    const Verdict *verdict;
    Str smith, schedule, licence, origin; // of a program that is put
} Timed;
// In the state directory `dir`; NULL: nothing is kept. Without a verdict an absent store is none to be made.
// kept: rows that were put; 0 where the store lacks the program, or rejects it.
MUST_CHECK bool times_record(const char *dir, const Timed *t, int *kept, Err *e);
