// rows.h - draws one row of an input.
#pragma once
#include "base/numeric/rng.h"
#include "cases/values/class.h"
#include "op/op.h"

typedef struct {
    ClassId cls;
    DType dtype;
    const OpInput *in;
    int64_t n;
    double range_hi; // of a ranged input: the declared end, or size - 1 of its dimension
    int64_t chosen;  // the element an index input points to (never -inf, the peak of near_zero); -1: none
    bool negated;    // a ranged input of both signs: the negatives of its values
    double factor;   // what this input is multiplied by before anything else, 1 unless the op says
    const float *written; // the numbers that CLASS_written is made of
    int writtens;
    const double *partner; // cancelling, both_ends: the row of the first data input; NULL: none
    int64_t turn;          // how many rows of this class came before: which of its kinds is drawn
} RowSpec;

double row_cap(const OpInput *in, DType dtype); // largest magnitude in the domain of an input without a range
bool row_class_fits(ClassId c, const OpInput *in, DType dtype); // is the class inside the declared domain?
void row_draw(Rng *r, const RowSpec *spec, double *out); // inside the domain, not rounded to spec->dtype
