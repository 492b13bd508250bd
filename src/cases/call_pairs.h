// call_pairs.h - calls of one object with two shapes that may meet under one key of what it keeps
// (sandbox/child/keys_search.h): the first, the second, the first again; on another object, the second first.
#pragma once
#include "cases/calls.h"

// Of cases of the draw, by their numbers.
typedef struct CallPair {
    int first, second;
} CallPair;
enum { CALLS_OF_A_PAIR = 6 };
void call_pairs_plan(Arena *a, const Draw *d, const CaseSpec *layout, const DrawRequest *q, CallPlan *out);
