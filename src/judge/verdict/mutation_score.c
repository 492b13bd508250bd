#include "judge/verdict/mutation_score.h"

static const MutationScore table[] = {
#define PROVED(op, level, definition, kernel, version, mutants, killed, survived, equivalent, refused, \
               undecided, margin)                                                                      \
    {op,     level,    definition, kernel,  version,   mutants,                                        \
     killed, survived, equivalent, refused, undecided, margin},
#include "op/suite/proved.def"
#undef PROVED
};

const MutationScore *mutation_score_table(int *count) {
    *count = (int)(sizeof table / sizeof *table);
    return table;
}

const MutationScore *mutation_score_find(const Op *op, Level level) {
    char hash[65];
    sha256_hex(op->core, hash);
    int n;
    const MutationScore *t = mutation_score_table(&n);
    for (int i = 0; i < n; i++)
        if (t[i].level == level && strncmp(t[i].definition, hash, SCORE_DIGITS) == 0) return &t[i];
    return NULL;
}
