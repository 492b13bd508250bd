// other_values.h - other values of the same shape for a call on an object that was called before: elements
// that are there, at other places. What of them changes, and what stays, is what a program may have watched.
#pragma once
#include "cases/calls.h"

enum { CALL_ALIGN = 64 }; // of what a call has of its own

// Which: two elements, one slice, or all of them, in several ways; the last slice; weights alone. Where there
// is one slice alone, all.
typedef enum {
    CHANGE_NONE,
    CHANGE_ELEMENTS,
    CHANGE_SLICE,
    CHANGE_ALL,
    CHANGE_AFTER,
    CHANGE_BACK,
    CHANGE_LAST,
    CHANGE_WEIGHTS
} Change;

// The number of slices; 0: they cannot be moved.
int64_t calls_slices(const Domain *m, const CaseTruth *t);
// Whether all slices share it, as they do a weight.
bool other_weight(const Domain *m, int input);
// Room for what the plan's last call has of its own.
void other_values_plan(const Draw *d, CallPlan *p, Change change, int64_t *at);
// Fills it. attempt: from 0 on, where those before show nothing.
void other_values_fill(const Draw *d, const CallSpec *c, const CallTruth *t, int attempt, uint8_t *map);
