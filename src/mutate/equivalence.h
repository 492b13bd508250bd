// claim.h - mutants that nobody can tell from the original, each with its reason: the files of
// src/op/suite/equivalent. A claim is no more than a reason: the mutant it names must still agree with the
// oracle on ten million elements.
#pragma once
#include "mutate/mutant.h"

typedef struct {
    Str ops; // names, separated by spaces
    Mutator kind;
    Str before, after; // as in Mutant
    Str reason;        // one sentence
} Claim;
typedef struct {
    Claim *at;
    int n;
} Claims;
// The built-in claims. False when one is malformed; the message says which.
MUST_CHECK bool claims_read(Arena *a, Claims *out, Err *e);
// From the text of one file: `equivalent = [{"ops": .., "kind": .., "before": .., "after": .., "reason": ..},
// ..]`.
MUST_CHECK bool claims_parse(Arena *a, const char *file, Str source, Claims *out, Err *e);
const Claim *claim_find(const Claims *c, Str op, const Mutant *m); // or NULL
