// module_pair.h - KernelBook's pairs as references in module form. A pair names a class of PyTorch, `X`, and
// one with kernels, `XNew`, that takes the same arguments; get_init_inputs() gives these as [[...], {...}].
#pragma once
#include "base/str.h"

// The op of a program that is judged by the module that came with it.
#define MODULE_OP "module"

typedef struct {
    Str name;                 // X
    Str reference, candidate; // the two texts with `class Model` and `class ModelNew`
} ModulePair;
// False: `kernels` has no class XNew of a class X of `module`. Texts live in `a`.
MUST_CHECK bool module_pair(Arena *a, Str module, Str kernels, ModulePair *out);
