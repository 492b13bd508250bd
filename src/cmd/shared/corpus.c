#include "cmd/shared/corpus.h"

#include <stdio.h>

void times_kept(const char *verb, const char *dir, const Timed *t) {
    Err e = {0};
    int kept;
    if (!times_record(dir, t, &kept, &e))
        fprintf(stderr, "ouroboros %s: times are not kept in the store: %s\n", verb, e.msg);
}
