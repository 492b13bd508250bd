// twins.h - a case and its twin: the same slices at other places, one of them twice and another one missing.
// What is right of a slice must not depend on where it stands; marks tell which slices an answer came from.
#pragma once
#include "cases/domain/domain.h"

// Case i of the draw is the twin of the one before it: which slices it has, and of which classes.
void twins_pair(const Draw *d, int i);
// After the base is filled: the twins' values in `map`, and marks of both.
void twins_fill(Draw *d, const CaseSpec *spec, uint8_t *map);
// After all are evaluated: CaseTruth.alike.
void twins_judge(Draw *d);
// The bytes of slice `slice` of one output that differ from those of another answer's slice `other`.
bool twins_differ(const Bound *answer, int axis, const uint8_t *one, int64_t slice, const uint8_t *two,
                  int64_t other);
