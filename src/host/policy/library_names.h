// library_names.h - lookup in library.def: which operators a ModelNew may leave to PyTorch's library. How
// much of that a caller allows stands beside what the ModelNew is called with (Node.module.model).
#pragma once
#include "lang/ast.h"

typedef enum { LIBRARY_NONE, LIBRARY_LIGHT, LIBRARY_ALL } LibraryUse;
extern const char *const library_use_name[]; // "none", "light", "all"
bool library_use_by_name(Str name, LibraryUse *out);

// Why one is refused: what is allowed, what it would take.
#define LIBRARY_REFUSES                                                                                     \
    "it computes on tensors; do it in a kernel (--library %s is in force; with --library %s PyTorch's own " \
    "would be executed and billed)"

// How much has to be allowed for an operator of this name: "F.relu", ".sum", "nn.Conv2d", "+"; LIBRARY_NONE:
// it is none of the library's.
LibraryUse library_needs(Str name);
// The same of a method: its name without the dot.
LibraryUse library_method_needs(Str name);
// What a candidate may use, by the facts that it is judged with.
LibraryUse library_allowed(const Node *module);
static inline bool library_has(LibraryUse allowed, LibraryUse needs) {
    return needs != LIBRARY_NONE && needs <= allowed;
}
