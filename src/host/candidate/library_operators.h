// library_operators.h - operators of PyTorch that a ModelNew leaves to the library (host/policy/library.def):
// executed as a reference executes them (host/reference, module/library), each result rounded once to its
// type. What computes is the interpreter of references, on copies of the tensors as values with bounds; the
// bounds go unused. Every call is billed to the step budget and counted (Counters.library_calls and behind).
#pragma once
#include "host/policy/library_names.h"
#include "host/python/module_form.h"

typedef struct Operators Operators;
// The functions that `tree` defines (module_library() of module/module.h), for a file that may use so much.
// Nothing in them changes afterwards. NULL where they could not be read: a mistake of ours.
const Operators *operators_open(Arena *a, const Node *tree, LibraryUse allowed, DiagList *d);
