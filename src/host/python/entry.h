// entry.h - where a file is entered: by a function, or by a module; see entry.c.
#pragma once
#include "host/python/interp.h"

MUST_CHECK bool entry_parameter(Interp *in, Span at, Value *out);
// ModelNew(...), and how it is called.
typedef struct {
    Value object;
    int given; // the op's first inputs, which forward takes
    // Of a reference in module form: what forward is called with, in order. Where tensor[i] is not set,
    // value[i].
    bool module;
    const bool *tensor;
    const Value *value;
    int values;
    int binding; // 1 + BindRule; 0: not in module form
    bool bound;  // made for weights or a length
    Span at;     // where findings about the result belong
} ModelEntry;
// `arg` has to outlive it.
MUST_CHECK bool entry_make_model(Interp *in, const Node *model, Value *arg, int count, ModelEntry *out);
MUST_CHECK bool entry_call_model(Interp *in, const ModelEntry *m, Value *arg, Value *out);
// The plain function of that name that the module has defined.
MUST_CHECK bool entry_function(Interp *in, const char *name, Value *out);
