// launch_conditions.h - the conditions of a kernel that follow from the arguments of a launch: how they come
// out, found in its tree without compiling or running it.
#pragma once
#include "tile/check/check.h"
#include "tile/vm/outcomes.h"

// Notes how comparisons of whole numbers come out, and how often loops over ranges turn.
void conditions_note(Outcomes *o, const Binding *b, const int64_t grid[3]);
