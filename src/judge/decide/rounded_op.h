// rounded_op.h - a definition by one of the roundings that it declares, and outputs that are right by one.
#pragma once
#include "cases/draw.h"

// The op with rounding k instead of its reference. What the definition declares invariant holds for exact
// values alone.
Op op_rounded(const Op *op, int k);
int op_rounding(const Op *op, Str name); // its number; -1: there is none of this name
// By which roundings the output of one case is right, as bits.
uint8_t roundings_of_case(Arena *scratch, const Draw *d, int index, const uint8_t *output);
