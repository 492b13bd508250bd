// formula.h - what an op computes as a few lines of text: "v = x + residual", one line for whatever is used
// more than once or is the same for a whole row, "out = ..." last. Names of torch, infix operators, and no
// shapes.
#pragma once
#include "graph/graph.h"

// "N // 2 + 1" of a size, in the names of the op's dimensions.
void size_text_put(Buf *out, const Op *op, Size s);
void formula_put(Buf *out, const Graph *g);
