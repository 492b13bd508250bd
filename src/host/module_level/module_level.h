// module_level.h - passes of host_normalize() over what a file does when it is imported.
#pragma once
#include "host/desugar/desugar.h"

void named_values_normalize(Arena *a, Node *module);
void entry_forms_normalize(Arena *a, Node *module);
void inherits_normalize(Arena *a, Node *module);
void local_imports_normalize(Arena *a, Node *module);
void versions_normalize(Arena *a, Node *module); // what is asked of torch.version
void questions_normalize(Arena *a, Node *module);
// Definitions under an `if` of the module whose answer is not fixed: both, one of them chosen.
void device_halves_normalize(Arena *a, Node *module); // of functions that kernels call
void module_branches_normalize(Arena *a, Node *module);
bool conditions_normalize(Arena *a, Node *module);   // false: there was nothing to decide
void module_loops_normalize(Arena *a, Node *module); // lists and dictionaries that a loop fills
void registries_normalize(Arena *a, Node *module);   // @register("name")
void module_tests_drop(Arena *a, Node *module);      // tests that run when a file is imported
// Whether a statement of the module can change, when the file is imported, what the names of `kept` mean, or
// anything outside the file. What those names are themselves is not looked at.
bool statement_leaves(Arena *a, const Node *module, const Names *kept, const Node *s);
