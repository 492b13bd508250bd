// online_algebra.h - sums whose terms are weighted by exponentials below their largest, brought into a form
// that one pass over the row can carry along.
#pragma once
#include "graph/passes.h"

// The graph in which every such sum waits for nothing but the largest; NULL when that saves no pass.
const Graph *online_rewrite(Arena *a, const Graph *g);
// Whether t (of passes_weighed), apart from its shifted distances, is known before pass `now`.
bool online_known(const Graph *g, int t, const int *level, int now);
