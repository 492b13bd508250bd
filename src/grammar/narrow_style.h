// narrow_style.h - plans of few schedules in one style, for a small model to learn from: fixed names, no
// comments, the plainest form of each operation. Only what makes a kernel fast is drawn.
#pragma once
#include "grammar/kernel_plan.h"
#include "grammar/rows_class.h"

// A random plan for such rows; false where the graph has no schedule that is written narrowly.
bool narrow_draw(const Graph *g, RowsClass c, Rng *r, Plan *out);
