// op_set.h - the value of --ops: names, globs, plain words, paths, "all" and @FILE, with commas between.
#pragma once
#include "service/service.h"

enum { OPS_MAX = 16384 };
typedef struct {
    const char *verb; // for messages
    Service *service; // checks definitions of the user's
    DomainAsked domain;
    bool skips; // what cannot be judged is told and left out
    Op *op;     // what came of it
    int count, room, skipped;
} OpSet;
// ERR_USAGE where the text names no op.
MUST_CHECK bool op_set_read(Arena *a, OpSet *set, const char *text, Err *e);
