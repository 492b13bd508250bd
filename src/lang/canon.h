// canon.h - the canonical text and the way back from it: two sources with one canonical text are the same
// program in two spellings, and what was found at a place of one can be said about the other.
#pragma once
#include "lang/ast.h"

typedef struct {
    Arena *arena;
    Span *span; // of the canonical tree's nodes, a parent before its children: node i of one spelling is node
                // i of another. {0, 0} for nodes that no source wrote.
    int spans, span_cap;
    Str *name; // what $0, $1 .. are called in this spelling
    int names, name_cap;
} CanonMap;

// print_canonical(), and the map of this spelling in `map->arena`.
void print_canonical_map(Buf *out, const Node *module, CanonMap *map);
