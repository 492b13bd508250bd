// entry.h - files whose entry is a module instead of a function; see entry.c.
#pragma once
#include "host/python/interp.h"

MUST_CHECK bool entry_parameter(Interp *in, Span at, Value *out);
// ModelNew(...)(*arg). *at: where findings about the result belong.
MUST_CHECK bool entry_call_model(Interp *in, const Node *model, Value *arg, int count, Value *out, Span *at);
