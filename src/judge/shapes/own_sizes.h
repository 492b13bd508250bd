// own_sizes.h - shapes beyond the numbers that a candidate writes down or compares with, where those are
// larger than production shapes: a grid, a loop or a bound that ends at such a number is right up to it. Rows
// of a few columns, and few rows of that many columns. And one tensor beyond all numbers that lanes are
// compared with, in rows and columns: for masks that hold of a row and a column together. Of larger ones,
// long rows and many rows, and a few programs of both.
#pragma once
#include "judge/shapes/production.h"

// Of an accepted candidate: more of v->evidence.production, or a rejection.
void own_sizes_judge(const ProductionRequest *q, Verdict *v);
