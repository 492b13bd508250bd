// packing.h - documents in an order that a seed fixes, packed into batches. The order is a function of seed
// and place: what was taken before need not be remembered to go on.
#pragma once
#include "train/documents.h"
#include "train/engine/engine.h"

typedef struct {
    const Document *at; // [count]
    int count;
    uint64_t seed;
    bool whole; // learn prompts, too; else completions only
    int64_t epoch;
    int place;       // in the epoch's order
    int *order;      // [count]
    int64_t ordered; // the epoch that `order` is of; -1: none
} Packing;

void packing_open(Arena *a, Packing *p, const Document *at, int count, uint64_t seed);
// The documents of the next step: as many as have at most `tokens` together, one at least. [*n] indices,
// which live until the next call.
const int *packing_take(Packing *p, int64_t tokens, int *n);
// Documents as one batch. Weights are 1 where a token is learned.
TrainBatch packing_batch(Arena *a, const Packing *p, const int *document, int n);
int64_t packing_learned(const Packing *p, const int *document, int n);
