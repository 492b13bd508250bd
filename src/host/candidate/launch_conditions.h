// launch_conditions.h - the conditions of a kernel that follow from the arguments of a launch: how they come
// out, found in its tree without compiling or running it.
#pragma once
#include "tile/check/check.h"
#include "tile/vm/cover.h"

// Notes how comparisons of whole numbers come out, and how often loops over ranges turn; of `c`, how
// comparisons and arithmetic of numbers that are all known do (cover_truth). Either may be NULL.
void conditions_note(Outcomes *o, Cover *c, const Binding *b, const int64_t grid[3]);
