// call_pairs.h - calls of one object with two shapes that may meet under one key of what it keeps
// (sandbox/child/keys_search.h): the first, the second, the first again; on another object, the second first.
#pragma once
#include "cases/calls.h"

// Of cases of the draw, by their numbers.
typedef struct CallPair {
    int first, second;
} CallPair;
// With so many calls of the first before the second.
static inline int calls_of_a_pair(int before) { return 2 * (before + 2); }
void call_pairs_plan(Arena *a, const Draw *d, const CaseSpec *layout, const DrawRequest *q, CallPlan *out);
