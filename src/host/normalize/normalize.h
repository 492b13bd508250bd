// normalize.h - the parts of host_normalize(): each puts a common form in the place of what Python has many
// forms for. Here: what torch, Triton and frameworks mean, and what never runs; the rest is in desugar.h and
// module_level.h.
#pragma once
#include "host/module_level/module_level.h"

void module_holders_normalize(Arena *a, Node *module);
void compiled_kernels_normalize(Arena *a, Node *module); // kernel = f.warmup(...); kernel[grid](...)
void submodules_normalize(Arena *a, Node *module);       // from package import module, of --include
MUST_CHECK bool foreign_normalize(Arena *a, Node *module, DiagList *d);
void inductor_normalize(Arena *a, Node *module); // files that torch's compiler wrote
bool foreign_known(Str module, Str name);        // what that package's name means is known
bool foreign_type(Str path); // "torch.distributed.tensor.DTensor": a class that no value here is of
// Questions whether a value is of classes that no value here is of: imported ones, and numbers that are
// complex.
void types_normalize(Arena *a, Node *module, const Names *types);
bool facts_normalize(Arena *a, Node *module); // x.is_cuda, and flags of the module; false: nothing is asked
// Functions under the decorator of these names as what it makes of them.
MUST_CHECK bool pointwise_normalize(Arena *a, Node *module, const Names *names, DiagList *d);
void dead_code_drop(Arena *a, Node *module);
void backwards_drop(Node *module);                                           // what gradients alone ask for
bool is_backward(const Node *module, const Node *klass, const Node *method); // that it is such
void operators_normalize(Arena *a, Node *module); // torch.library, and calls by torch.ops
void operator_use(Arena *a, const Node *module, Str space, Str op, Str function);
void contiguous_normalize(Arena *a, Node *module); // decorators that make arguments contiguous
