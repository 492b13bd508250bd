// distinct.h - telling programs apart by what they do, not by how they are spelled.
#pragma once
#include "smith/smith.h"

// Of the canonical text; of the text itself if it does not parse.
Sha256 program_hash(Str source);

typedef struct {
    Arena *arena;
    Sha256 *at;
    int n, cap;
} SeenPrograms;
bool seen_before(SeenPrograms *s, Sha256 h); // and remembers it
