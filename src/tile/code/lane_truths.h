// lane_truths.h - of what a kernel makes of comparisons of lanes, places in the grid and arguments alone:
// which ways it has to have come out in some lane. A mask of two conditions is a special case as an `if` is;
// that each of them was met says nothing of both at once.
#pragma once
#include "tile/code/code.h"

// For each of Code.compare: TAKEN_ON, has to be true (not 0) in some lane of some launch, and TAKEN_AWAY,
// false; WANTS_FAR: a number that small tensors do not reach is compared with. 0: nothing of the kind.
// Nothing that follows from memory counts, nor do bounds such as `cols < N`, which may hold in all lanes of
// all launches.
void code_lane_truths(Arena *scratch, const Code *c, uint8_t *wants);
