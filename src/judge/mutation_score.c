#include "judge/mutation_score.h"

static const Proved table[] = {
#define PROVED(op, level, definition, kernel, version, mutants, killed, survived, equivalent, refused, \
               undecided, margin)                                                                      \
    {op,     level,    definition, kernel,  version,   mutants,                                        \
     killed, survived, equivalent, refused, undecided, margin},
#include "op/suite/proved.def"
#undef PROVED
};

const Proved *proved_table(int *count) {
    *count = (int)(sizeof table / sizeof *table);
    return table;
}

const Proved *proved_find(const Op *op, Level level) {
    char hash[65];
    sha256_hex(op->hash, hash);
    int n;
    const Proved *t = proved_table(&n);
    for (int i = 0; i < n; i++)
        if (t[i].level == level && strncmp(t[i].definition, hash, PROVED_DIGITS) == 0) return &t[i];
    return NULL;
}
