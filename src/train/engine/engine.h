// engine.h - a step of training, whatever computes it: the CPU's engine is cpu_engine.c; a GPU's would fill
// the same table. Must not know: where batches come from, rewards, files.
#pragma once
#include "train/engine/parameters.h"

// Documents packed into one row of tokens, without padding. Attention stays within a document, positions
// begin anew in each: what is computed for one does not depend on its neighbours, bit for bit.
typedef struct {
    const int32_t *token;  // [count]
    const int *document;   // [count], 0 to documents - 1, in order
    const int32_t *target; // [count] the token that follows
    const float *weight; // [count] of -log p(target) in the loss; 0: not learned (a prompt, a document's end)
    int count, documents;
} TrainBatch;

typedef struct {
    double loss;   // sum over tokens of weight * -log p(target)
    double weight; // sum of |weight|
    int64_t tokens, learned;
} TrainSums;

typedef struct {
    double rate, beta1, beta2, eps, decay; // of AdamW
    double clip;                           // largest norm of the whole gradient; 0: any
    int64_t step;                          // of the optimizer, from 1
} TrainUpdate;

typedef struct Engine Engine;
typedef struct {
    const char *name;
    // Adds `scale` times the loss's gradient, and to *sums.
    bool (*learn)(Engine *, const TrainBatch *, float scale, TrainSums *sums, Err *);
    // log p(target) of each token with a weight, in order; NULL places are left alone. The very numbers that
    // sampling reports with the same type of keys and values.
    bool (*logprobs)(Engine *, const TrainBatch *, float *out, Err *);
    // Takes one step against the gradient and clears it. *norm: of the gradient before clipping. Gradients
    // that are no numbers end in ERR_INPUT and change nothing.
    bool (*update)(Engine *, const TrainUpdate *, double *norm, Err *);
    // The state as the host has it: call before reading or after changing Parameters.
    bool (*read)(Engine *, Err *);
    bool (*write)(Engine *, Err *);
    void (*close)(Engine *);
} EngineTable;
struct Engine {
    const EngineTable *table;
    Parameters *parameters;
    // For sampling from what is trained: always up to date behind read().
    Model *model;
    const Adapter *adapter; // NULL: none
};

typedef struct {
    const Checkpoint *base; // outlives the engine; of LoRA its weights are read where they are, of any type
    Parameters *parameters; // with their values
    Pool *pool;
    KvType kv;      // KV_F16 trains through rounded keys and values, as sampling sees them
    bool recompute; // keep only what enters each layer, and compute the rest again for the way back
} EngineChoice;
MUST_CHECK bool cpu_engine_open(Arena *a, const EngineChoice *c, Engine **out, Err *e);
