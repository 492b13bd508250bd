// plan_space.h - plans as a space to search in: where to start, and what is one step away. Nothing here is
// drawn: the clock chooses. All plans of an op have one style and the same forms, so that any of them can
// stand in one file (kernel_table_emit).
#pragma once
#include "grammar/kernel_plan.h"

enum { PLANS_MAX = 64 };
typedef struct {
    Plan at[PLANS_MAX];
    int n;
} Plans;
// What was fast most often comes first; for rows of n columns.
void plan_starts(const Graph *g, int64_t n, Plans *out);
// One choice changed, those first that mattered most in measurements.
void plan_neighbours(const Graph *g, const Plan *p, Plans *out);
