// desugar.h - passes of host_normalize() that put one form of Python in the place of another, wherever it
// stands.
#pragma once
#include "host/desugar/rewriting.h"

void data_classes_normalize(Arena *a, Node *module);
#define DATA_CLASS  "data class"  // a name in such a class
#define NAMED_TUPLE "named tuple" // of a class whose objects are tuples
void enums_normalize(Arena *a, Node *module);
#define ENUM_CLASS "enum class" // of one whose constants are its only objects
void matches_normalize(Arena *a, Node *module);
void finally_normalize(Arena *a, Node *module);           // try without handlers
void text_formats_normalize(Arena *a, Node *module);      // "{}".format(n)
void generators_normalize(Arena *a, Node *module);        // functions with `yield`
void look_ups_normalize(Arena *a, Node *module);          // try: x = C[key] except KeyError: ...
void context_functions_normalize(Arena *a, Node *module); // @contextmanager without effect
void typing_words_normalize(Arena *a, Node *module);      // Protocol, TypeVar and their like; SimpleNamespace
void wrappers_normalize(Arena *a, Node *module);
Node *wrapper_given(const Node *g);                // the one function that g defines and returns; NULL
void attributes_normalize(Arena *a, Node *module); // getattr and its like, of names that are written down
bool is_member_of_modules(Str name);               // that nn.Module gives every module, or may give it
void memoised_normalize(Arena *a, Node *module);
void augmented_normalize(Arena *a, Node *module);
void first_items_normalize(Arena *a, Node *module);  // next(iter(x))
void named_truths_normalize(Arena *a, Node *module); // bool, any and their like where they are not called
