// mutant.h - small edits of a kernel that is known to be right: what a referee must reject. mutant.def is the
// table of kinds, mutate.c holds one function for each. A mutant is the canonical text of the whole file with
// one edit; texts that equal the original's or an earlier mutant's are dropped.
#pragma once
#include "lang/ast.h"

typedef enum {
#define MUTATOR(kind, where, doc) MUTATOR_##kind,
#include "mutate/mutant.def"
#undef MUTATOR
    MUTATOR_COUNT
} Mutator;
const char *mutator_name(Mutator m); // "mask_load"
const char *mutator_doc(Mutator m);
bool mutator_by_name(Str name, Mutator *out);

typedef struct {
    Mutator kind;
    int line;   // of the source, where the edit begins
    Str before; // the canonical lines that differ, without indentation, joined by newlines
    Str after;  // the same of the mutant; empty where lines were left out
    Str text;   // the mutated file
} Mutant;

typedef struct {
    Mutant *at;
    int n;
    int sites[MUTATOR_COUNT]; // edits tried
    int same[MUTATOR_COUNT];  // of these: equal to the original or to an earlier mutant
    Str original;             // the canonical text of the unchanged file
    bool cut;                 // there are more than fit: the source is enormous
} Mutants;

enum {
    MUTANTS_MAX = 4096,
    MUTANT_SOURCE_MAX = 64 * 1024, // a longer source gives none, and says so by `cut`
    MUTANT_BYTES_MAX = 64 << 20,   // of all texts made, kept or not
};

// `module` was parsed from `source`; both must outlive the result. full: for cases of level full.
void mutants_make(Arena *a, const Node *module, Str source, bool full, Mutants *out);
