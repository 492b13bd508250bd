// lane_truths.h - of what a kernel makes of comparisons of lanes, places in the grid and arguments alone:
// which ways it has to have come out in some lane. A mask of two conditions is a special case as an `if` is;
// that each of them was met says nothing of both at once.
#pragma once
#include "tile/code/code.h"

// Sets `wants` of each, TAKEN_ON: has to be true (not 0) in some lane of some launch, and TAKEN_AWAY, false;
// WANTS_FAR: a number that small tensors do not reach is compared with. 0: nothing of the kind. Nothing that
// follows from memory counts, nor do bounds such as `cols < N`, which may hold in all lanes of all launches.
//
// WANTS_EFFECT, of a choice by places: somewhere where it came out so the other value would have been
// different. That is how choices within choices are met, too: tl.where(r == 7, tl.where(c == 9, y + 1, y),
// y). So are bounds by numbers that small tensors do not reach, on their far side. WANTS_CHANGE, of what
// joins a number of places to loaded ones: that number (`place`) has to differ between two lanes or
// programs of a launch. One that never does, such as d / (d + 1e-9) of a distance d, only looks like a
// constant.
//
// Returns WANTS_FAR and WANTS_CORNER: places are joined to values in a way that calls for a tensor of many
// rows and columns, up to a number of the source's, or whatever the numbers. That counts within functions of
// reductions, and where something loaded is added on the way. WANTS_ORDERS: in a kernel that reduces by a
// function, so that each order of the lanes may lead there.
//
// A table of such numbers that another kernel has made is known by `holds`, Storage.holds of the tensors in
// c's cells: what is loaded from it is what was stored. Sets c->stored, and c->loads.
uint8_t code_lane_truths(Arena *scratch, Code *c, const uint16_t *holds, CodeStatement *compare);
