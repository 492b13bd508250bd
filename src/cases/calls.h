// calls.h - which calls are made of one program, one after another on one object (CallSpec): the values of a
// small case; other values of the same shape (two elements swapped, one slice of one input as another, all
// slices at other places); these by turns, many times in a row; the first values with another stride between
// rows; the same in another dtype; fewer slices; another shape and dtype; the first values once more; and
// other weights with these. At level full also in the other dtypes, many shapes on one object, and large
// ones. Depends on the seed, never on a candidate.
#pragma once
#include "cases/draw.h"

typedef struct {
    CallSpec call[WIRE_CALLS_MAX];
    CallTruth of[WIRE_CALLS_MAX]; // what it will be, without the answer
    int calls;
    Arena *arena; // of their inputs
} CallPlan;
// One more call, of a case that is laid out.
CallSpec *calls_add(CallPlan *p, const Draw *d, const CaseSpec *layout, int index, int flags);
// Of cases that are laid out, not yet filled. thorough: all dtypes, and many calls. `at`: where their data
// ends; moved on by what calls need for values of their own.
void calls_plan(Arena *a, const Draw *d, const CaseSpec *layout, bool thorough, CallPlan *out, int64_t *at);
// After the cases are filled and evaluated: the calls' own values in `map`, and all right answers
// (d->called). ERR_INPUT when the reference fails.
MUST_CHECK bool calls_fill(Arena *a, Draw *d, const CallPlan *p, uint8_t *map, Err *e);
// Room for their answers, from d->output_bytes on; then the specs are complete.
void calls_lay(Draw *d, CallPlan *p);
