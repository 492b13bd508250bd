// asked_shape.h - one shape alone (--shape MxN). No CPU draws and computes all rows of a large one: cases
// have fewer of them, and the verdict names the shape that they had. At level full an accepted candidate is
// judged on all rows as well, as copies of a few (repeated.h), with every check; of very many a few programs
// run.
#pragma once
#include "judge/shapes/production.h"

// The largest shape that the draw's cases have, into `how`.
void asked_shape_drawn(const Draw *d, Judging *how);
// Fills in v->judged.copied and v->evidence.production, or changes the verdict.
void asked_shape_judge(const ProductionRequest *q, const DrawFilter *filter, Verdict *v);
