// phrasing.h - the texts of a row: how a kernel is asked for, in many ways, and the answer. phrase.def has
// the ways.
#pragma once
#include "cases/draw.h"
#include "store/store.h"

typedef enum { PHRASE_IMPLEMENT, PHRASE_CONVERT, PHRASE_KINDS } PhraseKind;
extern const char *const phrase_kind_name[PHRASE_KINDS]; // "implementation", "conversion"

typedef struct {
    PhraseKind kind;
    Str prompt, completion;
} Phrased;
typedef struct {
    const Op *op;
    const DrawFilter *filter;
    uint64_t choice;    // picks the kind and the way
    double conversions; // share of rows that are conversions
} PhraseAsk;
void phrase_row(Arena *a, const PhraseAsk *q, Str source, Phrased *out);
// The definition's function in PyTorch with what it calls, and nothing of its domain.
Str reference_text(Arena *a, const Op *op);
// The same as a module: class Model, whose forward() it is.
Str reference_module(Arena *a, const Op *op);
