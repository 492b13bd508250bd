// smith.h - proposers: something that, asked for an op, writes kernel files. A smith sees what an op computes
// and its shapes; it knows nothing of how the referee judges. One interface for the grammar smith and for
// models.
#pragma once
#include "op/op.h"

typedef struct {
    Str source;           // a kernel file
    const char *schedule; // how it works, a few words: "looped, 2 passes, block 1024"; "" when unknown
    const char *flaw;     // the mistake it was asked to make; NULL: none
} Proposal;

typedef struct {
    int64_t m, n; // the shape to optimise for; 0: the headline shape
    uint64_t seed;
    int count;
    const char *flaw; // NULL, or a name of flaw.def: plausible kernels that are wrong in this way
} SmithRequest;

typedef struct Smith Smith;
struct Smith {
    const char *name; // "grammar"
    // Writes up to q->count proposals, reproducibly from q->seed; fewer when it has no more ideas. ERR_INPUT
    // when the op is beyond it, with the reason.
    bool (*propose)(Smith *s, Arena *a, const Op *op, const SmithRequest *q, Proposal *out, int *written,
                    Err *e);
};

// By the text after --smith. ERR_USAGE lists the known ones.
MUST_CHECK bool smith_open(Arena *a, const char *which, Smith **out, Err *e);

// The kinds of flaws, for messages and tests: name and what is wrong, NULL behind the last.
const char *smith_flaw(int i, const char **words);

// Drops proposals whose canonical program (lang/ast.h, print_canonical) was seen before; keeps order. A
// source that does not parse counts by its text. Returns how many stay.
int smith_distinct(Arena *a, Proposal *p, int n);
