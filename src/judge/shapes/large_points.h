// large_points.h - sizes found by the search for branches (branches.h) at which a tensor has so many rows
// that nobody draws all of them: the rows are copies of a few, as those of production shapes are
// (production.h). Where even running all programs takes too long, a few of each launch run: that can reject,
// but no line counts as reached.
#pragma once
#include "judge/shapes/production.h"
#include "sandbox/child/explore.h"

// A finding or a wrong value is a rejection.
void large_points_judge(const ProductionRequest *q, int dtype, const ExplorePoints *points, Verdict *v);
