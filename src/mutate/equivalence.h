// equivalence.h - mutants that nobody can tell from the original, each with its reason: the files of
// src/op/suite/equivalent. A reason alone proves nothing: the mutant that it names must still agree with the
// oracle on ten million elements.
#pragma once
#include "mutate/mutant.h"

typedef struct {
    Str ops; // names, separated by spaces
    Mutator kind;
    Str before, after; // as in Mutant
    Str reason;        // one sentence
} Equivalence;
typedef struct {
    Equivalence *at;
    int n;
} Equivalences;
// The built-in equivalences. False when one is malformed; the message says which.
MUST_CHECK bool equivalences_read(Arena *a, Equivalences *out, Err *e);
// From the text of one file: `equivalent = [{"ops": .., "kind": .., "before": .., "after": .., "reason": ..},
// ..]`.
MUST_CHECK bool equivalences_parse(Arena *a, const char *file, Str source, Equivalences *out, Err *e);
const Equivalence *equivalence_find(const Equivalences *c, Str op, const Mutant *m); // or NULL
