// entry.h - files whose entry is a module instead of a function; see entry.c.
#pragma once
#include "host/interp.h"

const Node *entry_model(const Node *module); // the class, where a file without `run` has one; NULL
bool is_parameter(const Node *call);         // nn.Parameter(...)
MUST_CHECK bool entry_parameter(Interp *in, Span at, Value *out);
// ModelNew(...)(*arg). *at: where findings about the result belong.
MUST_CHECK bool entry_call_model(Interp *in, const Node *model, Value *arg, int count, Value *out, Span *at);
