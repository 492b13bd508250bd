// metamorphic.h - metamorphic cases: slices (domain.h) that are shifted or scaled in a way that must not
// change the answer (adding one number to a whole row, say). The definition declares these ways (op.h).
//
// A base case has a line of every class. Each of its twins has the same ones, shifted or scaled. The values
// are rounded so that the shift is exact, and factors are powers of two: the inputs add no rounding of their
// own.
//
// What this adds to a verdict:
// - The oracle judges a twin like any other case. Its inputs lie far from those of the classes.
// - If the oracle contradicts a declaration, the definition is in error. That is found before any candidate
// is
//   judged by it.
// - The evidence of an accepted candidate says whether base and twin gave the same bits. Other bits are not
//   wrong: exp2(x * log2e - max * log2e), for example, rounds differently where values are larger.
#pragma once
#include "cases/domain/plan.h"

// Rounds the values of base cases, chooses the shifts and factors, and fills the twins.
void metamorphic_fill(Arena *a, Draw *d, const PlannedCase *plan, const CaseSpec *spec, uint8_t *map);
// Whether the oracle agrees with the declarations. ERR_INPUT with an example if it does not.
MUST_CHECK bool metamorphic_check(const Draw *d, Err *e);
// Whether an answer of the candidate to case i, a twin, is its answer to the base, moved: bit for bit, where
// the output's type has those bits.
bool metamorphic_same(const Draw *d, int i, const uint8_t *outputs);
