// distinct.h - telling programs apart by what they do, not by how they are spelled.
#pragma once
#include "propose/smith.h"

// Of the canonical text; of the text itself if it does not parse.
Sha256 program_hash(Str source);

// Of the canonical text without what says how big or how fast: literals, and the options of a launch.
// Programs that differ in this differ in structure. False if the source does not parse.
bool program_structure(Str source, Sha256 *out);

typedef struct {
    Arena *arena;
    Sha256 *at;
    int n, cap;
} SeenPrograms;
bool seen_before(SeenPrograms *s, Sha256 h); // and remembers it
