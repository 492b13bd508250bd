// bpe.h - pieces of text to ids: merge the pair of lowest rank, leftmost first, until none is left.
#pragma once
#include "text/vocab.h"

typedef struct {
    uint64_t hash;
    uint8_t length, count; // of key and id; length 0: free
    char key[22];
    int32_t id[8];
} PieceMemo; // what a short piece became: a cache line

// One text on its way to ids.
typedef struct {
    const Tokenizer *t;
    Arena *scratch;
    int32_t *id;
    size_t count, room;
    PieceMemo *memo; // [memo_mask + 1], a piece has one place
    size_t memo_mask;
} BpeRun;
void bpe_start(BpeRun *r, const Tokenizer *t, Arena *scratch, size_t text_bytes);
void bpe_put(BpeRun *r, int32_t id);
MUST_CHECK bool bpe_piece(BpeRun *r, Str piece, Err *e);
