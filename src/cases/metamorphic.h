// metamorphic.h - twins of a case whose rows are shifted or scaled as the definition declares invariant
// (op.h). What a candidate makes of such rows can be compared with what it made of the rows themselves,
// without an oracle.
//
// The base is a case with a row of every class. Its values are rounded to where they can be moved exactly;
// the factors of a scale are powers of two. So nothing but the candidate's own arithmetic stands between the
// two answers.
//
// What this adds to a verdict. The oracle judges a twin like any other case: further inputs, far from where
// the classes lie. Answers of base and twin that are farther apart than both bounds allow cannot both be
// right, so they are a rejection already, and no rule of their own is needed. A declaration that the oracle
// contradicts is an error of the definition: a reference that is not what its author meant is found before
// anybody is judged by it. And the evidence of an accepted candidate says whether the bits were the same: if
// not, its rounding depends on where the values lie, as that of exp2(x * log2e - max * log2e) does.
#pragma once
#include "cases/plan.h"

// Gives the values of base cases their grid, chooses what rows are moved by, and fills the twins.
void metamorphic_fill(Arena *a, Draw *d, const PlannedCase *plan, const CaseSpec *spec, uint8_t *map);
// Whether the oracle's values bear the declarations out. ERR_INPUT with an example where they do not.
MUST_CHECK bool metamorphic_check(const Draw *d, Err *e);
// Whether an answer of the candidate to case i, a twin, is its answer to the base, moved: bit for bit, where
// the output's type has those bits.
bool metamorphic_same(const Draw *d, int i, const uint8_t *outputs);
