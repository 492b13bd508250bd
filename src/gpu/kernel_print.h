// kernel_print.h - a kernel as a module of our own making: what a compiler outside gets to see of an accepted
// program. At module level stand imports from Triton, constants, and @triton.jit functions; of those only
// what the kernel reaches. Nothing of it runs when the module is loaded but the making of constants from
// literals, operators, and functions of a short list. Decorators, defaults and annotations that say more
// than that are left out, or the kernel is refused; names that mean something to Python or Triton cannot be
// taken over.
//
// It prints from the tree (host_normalize() has seen it), so what the file looked like does not matter.
#pragma once
#include "gpu/recorded_run.h"
#include "lang/ast.h"

// False, with the reason: not every accepted program can be said in such a module.
MUST_CHECK bool kernel_print(Arena *a, const Node *module, const RunKernel *k, Str *out, Err *e);
// Of all kernels of a run; equal texts are one.
MUST_CHECK bool run_print(Arena *a, const Node *module, RecordedRun *run, Err *e);
