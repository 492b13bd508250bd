// model.h - the forward pass of Llama and Qwen2 on a CPU (equations: models.md A2). One call advances any
// number of sequences by any number of positions each; what a position computes depends on its own sequence
// alone, bit for bit: not on the batch, the pieces a prompt came in, or threads.
#pragma once
#include "base/pool.h"
#include "weights/checkpoint.h"

typedef enum { KV_F16, KV_F32 } KvType;
typedef struct Model Model;
// Borrows the checkpoint. Weights are used where they are mapped.
MUST_CHECK bool model_open(Arena *a, const Checkpoint *c, Pool *pool, Model **out, Err *e);
const ModelConfig *model_config(const Model *m);

// Keys and values of sequences. Positions of a sequence live in pages, so that sequences which begin alike
// share their beginning (kv_fork) and finished ones give their room back.
typedef struct Kv Kv;
size_t kv_bytes(const ModelConfig *c, KvType type, int sequences, int64_t positions); // told in advance
MUST_CHECK bool kv_open(const Model *m, KvType type, int sequences, int64_t positions, Kv **out, Err *e);
void kv_close(Kv *kv);
int kv_length(const Kv *kv, int seq);
MUST_CHECK bool kv_fork(Kv *kv, int from, int to, Err *e); // `to` begins as `from` is now; shares whole pages
void kv_drop(Kv *kv, int seq);                             // forget it

// One step: `count` tokens, token[i] goes to sequence seq[i] at its next position (several of one sequence in
// order). Logits are computed for the tokens with want[i]: logits[k] of the k-th wanted one, [vocab] each.
// ERR_LIMIT: no room in the cache, or beyond the context.
typedef struct {
    const int32_t *token;
    const int *seq;
    const bool *want;
    int count;
    const Adapter *adapter; // NULL: the base alone; applied without merging, any one per step
} ModelStep;
MUST_CHECK bool model_step(Model *m, Kv *kv, const ModelStep *step, float *logits, Err *e);
enum { MODEL_STEP_MAX = 512 }; // tokens in one step
