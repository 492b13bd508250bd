// uniform.h - which comparisons of a kernel come out the same in all lanes because they follow from arguments
// and the grid alone. What they decide, by whatever use is made of them, is decided as by an `if`. And which
// truths of lanes are watched (lane_truths.h).
#pragma once
#include "tile/code/code.h"

// Leaves in Code.compare those comparisons that count: of whole numbers, computed from arguments, constants
// and places in the grid. == and != always do, but for a place or the number of programs that is compared
// with 0 or 1. Others do where a remainder or bits are compared: bounds such as `row < M` hold in every
// launch, and no size changes that. Those of lanes, and truths made of several, where code_lane_truths()
// wants some way of them.
//
// holds: Storage.holds of the tensors in its `cells` cells. Sets Code.stored, in `a`, too.
void code_uniform(Arena *a, Code *c, const uint16_t *holds, int cells, CodeNotes notes);
