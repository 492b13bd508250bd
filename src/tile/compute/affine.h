// affine.h - addresses and masks in short form; see affine.c.
#pragma once
#include "tile/code/code.h"

typedef struct {
    int32_t lo, hi; // active lanes [lo, hi)
} Interval;

// A mask over rows: columns [lo, hi) of the rows whose byte, at `pitch` from that of the row before, is 1
// (rows NULL: of all).
typedef struct {
    Interval columns;
    const uint8_t *rows;
    size_t pitch;
} Grid;
static inline bool grid_has(const Grid *g, size_t row) { return !g->rows || g->rows[row * g->pitch]; }

void mark_affine(Arena *a, Code *c); // sets Register.form and .step; needs .tainted
// The active lanes of a mask in short form: absent, one lane, or an Interval.
Interval interval_of(const void *mask, bool one, int n);
typedef struct Vm Vm;
// The same of a register that is known to be an interval, whether or not its lanes are written out; and of
// one over rows (all columns up to INT32_MAX where it has one lane, or is absent).
Interval mask_interval(const Vm *v, int reg, const void *mask, bool one, int n);
Interval interval_found(const uint8_t *lanes, int n);
// Of a comparison of counting numbers (Register.counting) with one number: the lanes in which it is true.
// False: they wrap.
typedef struct Step Step;
bool counting_holds(const Vm *v, const Step *s, Interval *in);
Grid grid_of(const Vm *v, int reg, const void *mask, bool one);
