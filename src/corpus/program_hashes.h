// program_hashes.h - what a program is known by in the corpus: three hashes, from near to far.
#pragma once
#include "cases/draw.h"
#include "store/store.h"

typedef struct {
    // Of the canonical text (lang/ast.h): layout, comments and names of variables do not count.
    Sha256 canonical;
    // Of the canonical text of what can run: unused functions and classes are gone, imports spelled out.
    // Literals count: one of them can make a program wrong.
    Sha256 structure;
    // Without literals and options of launches, too: programs that differ only in sizes have one skeleton.
    Sha256 skeleton;
} Identity;
// Of a text that does not parse, all three are of the text.
Identity identity_of(Str source);

// On which inputs programs of an op are judged, as text: "any declared", "contiguous declared float16".
const char *domain_key(Arena *a, const Op *op, const DrawFilter *filter);
// Of a reference in module form: which one.
const char *module_key(Arena *a, const Op *op);
// The same text, read; false where it is none.
bool domain_of_key(Str key, DomainAsked *asked, DrawFilter *filter);
