// ramp.h - addresses and masks in short form; see ramp.c.
#pragma once
#include "tile/code.h"

typedef struct {
    int32_t lo, hi; // active lanes [lo, hi)
} Interval;

void mark_ramps(Arena *a, Code *c); // sets Register.form and .step; needs .tainted
// The active lanes of a mask in short form: absent, one lane, or an Interval.
Interval interval_of(const void *mask, bool one, int n);
