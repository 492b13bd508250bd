// size_formula.h - what a number has to do with the shape: found by looking at it in a few probes of
// different shapes.
#pragma once
#include <stdbool.h>
#include <stdint.h>

#include "tensor/dtype.h"

enum { PROBES = 4 };

typedef enum { SIZE_CONST, SIZE_COLS, SIZE_ROWS } SizeOf;

// CONST: r. Otherwise floor((p * X + r) / q), X the row length or the number of rows.
typedef struct {
    SizeOf of;
    int64_t p, q, r;
} Size;

// The shapes of the probes, and their floating types. Rows never grow in step with columns, so that no
// formula in one fits the other.
typedef struct {
    int64_t rows[PROBES], cols[PROBES]; // rows are all 0 for an op without rows
    DType dtype[PROBES];
} Probes;

bool size_fit(const Probes *p, const int64_t v[PROBES],
              Size *out); // the simplest formula; false if none fits
int64_t size_at(Size s, int64_t rows, int64_t cols);
bool size_equal(Size a, Size b);
static inline Size size_const(int64_t n) { return (Size){SIZE_CONST, 0, 1, n}; }
static inline bool size_is(Size s, int64_t n) { return s.of == SIZE_CONST && s.r == n; }
// X itself.
static inline bool size_plain(Size s) { return s.of != SIZE_CONST && s.p == 1 && s.q == 1 && s.r == 0; }
