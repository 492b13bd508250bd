// reached.h - which functions and classes of a file the entry can come to. Edits elsewhere change nothing
// that is judged, so they say nothing of a test.
#pragma once
#include "host/policy/scope.h"
#include "lang/ast.h"

// The names that `run`, or ModelNew, mentions, and those that what they stand for mentions. `entered` is
// false where the file has neither as a definition: then everything may be reached.
typedef struct {
    bool entered;
    Names names;
} Reached;
void reached_find(Arena *a, const Node *module, Reached *out);
// Of a statement at module level. What is no definition runs whenever the file is read.
bool reached_has(const Reached *r, const Node *statement);
