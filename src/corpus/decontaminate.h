// decontaminate.h - programs of files that a data set must not hold: those that a model will be tested on.
#pragma once
#include "corpus/program_hashes.h"

typedef struct {
    Arena arena;
    Sha256 *at[3]; // canonical, structure, skeleton: each sorted after against_ready()
    int n, room;
    int64_t unread; // lines that hold no program
} Against;
// A .py file is one program; anything else is JSON Lines in a form of row.h.
MUST_CHECK bool against_add(Against *g, const char *path, Err *e);
void against_ready(Against *g);
bool against_has(const Against *g, const StoredProgram *p);
void against_free(Against *g);
