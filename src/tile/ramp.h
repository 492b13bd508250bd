// ramp.h - addresses and masks in short form; see ramp.c.
#pragma once
#include "tile/code.h"

typedef struct {
    int32_t lo, hi; // active lanes [lo, hi)
} Interval;

// A mask in short form over rows: columns [lo, hi) of the rows whose byte is 1 (rows NULL: of all).
typedef struct {
    Interval columns;
    const uint8_t *rows;
} Grid;

void mark_ramps(Arena *a, Code *c); // sets Register.form and .step; needs .tainted
// The active lanes of a mask in short form: absent, one lane, or an Interval.
Interval interval_of(const void *mask, bool one, int n);
Grid grid_of(const void *mask, bool one, int columns);
