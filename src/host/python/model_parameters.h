// model_parameters.h - the parameters that a ModelNew makes, found by making it once on the side: their
// names, shapes and order. What fills them is the referee's business, so that an nn.Parameter's expression is
// asked for its shape alone.
#pragma once
#include "host/python/binding.h"
#include "host/python/interp.h"

enum { PARAMETERS_MAX = 512 };
typedef struct DeclaredParameters {
    ModuleSlot at[PARAMETERS_MAX];
    const HostTensor *made[PARAMETERS_MAX];
    int n;
} DeclaredParameters;
// nn.Parameter(...): a tensor of zeros of that shape, which is noted in in->declared.
MUST_CHECK bool parameter_declare(Interp *in, Env *env, const Node *call, Value *out);
// Their names, as a state dictionary has them: by the attributes of the object that hold them.
void parameters_name(Interp *in, const Object *model, DeclaredParameters *d);
