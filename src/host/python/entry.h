// entry.h - where a file is entered: by a function, or by a module; see entry.c.
#pragma once
#include "host/python/interp.h"

MUST_CHECK bool entry_parameter(Interp *in, Span at, Value *out);
// ModelNew(...)(*arg). *at: where findings about the result belong.
MUST_CHECK bool entry_call_model(Interp *in, const Node *model, Value *arg, int count, Value *out, Span *at);
// The plain function of that name that the module has defined.
MUST_CHECK bool entry_function(Interp *in, const char *name, Value *out);
