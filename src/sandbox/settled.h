// settled.h - conditions on the layout of inputs that come out the same in every call of the domain: where no
// input has gaps, `x.is_contiguous()`; the last stride of an input is 1 in every domain. Only what stands in
// the function that is called with the inputs, of a name that nothing else is bound to.
#pragma once
#include "lang/ast.h"

typedef enum { SETTLED_NOT, SETTLED_FALSE, SETTLED_TRUE } Settled;
Settled settled_layout(Arena *a, const Node *module, const Node *function, const Node *cond, bool contiguous);
