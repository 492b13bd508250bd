// mutation_score.h - how strong the test of a built-in op is, as measured once: the mutants of its built-in
// kernel, judged at each level. The table (op/suite/proved.def) is made by tools/prove.sh; a row speaks for
// the texts whose hashes stand in it, and for no others, so that a changed definition has no strength until
// it was measured again.
#pragma once
#include "cases/draw.h"
#include "op/op.h"

typedef struct {
    const char *op;
    Level level;
    const char *definition, *kernel; // the first SCORE_DIGITS hexadecimal digits of their SHA-256
    const char *version;             // of the referee that judged them
    int mutants, killed, survived;
    int equivalent;         // survived, and mean the same for a reason that is written down
    int refused, undecided; // never ran; neither is in a score
    double margin; // the nearest to the bound of all that were killed by their values, in bounds; 0: none was
} MutationScore;
enum { SCORE_DIGITS = 16 };

// NULL: this very definition was not measured at this level.
const MutationScore *mutation_score_find(const Op *op, Level level);
const MutationScore *mutation_score_table(int *count);
