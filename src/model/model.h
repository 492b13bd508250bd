// model.h - the forward pass of Llama and Qwen2 on a CPU (equations: Vaswani et al. 2017, Su et al. 2021,
// Shazeer 2020, as Hugging Face's `llama` and `qwen2` have them). One call advances any number of sequences
// by any number of positions each; what a position computes depends on its own sequence alone, bit for bit:
// not on the batch, the pieces a prompt came in, or threads. Bits may differ between instruction sets.
// model_plain.h is the same in a page of plain C, and the tests hold both together.
#pragma once
#include "base/pool.h"
#include "weights/checkpoint.h"

typedef enum { KV_F16, KV_F32 } KvType;
typedef struct Model Model;
// Borrows the checkpoint. Weights are used where they are mapped. One step at a time: a model has one room
// for what it computes (model_room() bytes, touched as needed).
MUST_CHECK bool model_open(Arena *a, const Checkpoint *c, Pool *pool, Model **out, Err *e);
const ModelConfig *model_config(const Model *m);
Pool *model_pool(const Model *m);
size_t model_room(const ModelConfig *c);

// Keys and values of sequences. Positions of a sequence live in pages, so that sequences which begin alike
// share their beginning (kv_fork) and finished ones give their room back. A cache opened for `positions`
// holds any `sequences` sequences of that many positions in all, where those that are shared count once.
typedef struct Kv Kv;
size_t kv_bytes(const ModelConfig *c, KvType type, int sequences, int64_t positions); // told in advance
MUST_CHECK bool kv_open(const Model *m, KvType type, int sequences, int64_t positions, Kv **out, Err *e);
void kv_close(Kv *kv);
int kv_length(const Kv *kv, int seq);
void kv_fork(Kv *kv, int from, int to); // `to` begins as `from` is now: shares its pages until one is written
void kv_drop(Kv *kv, int seq);          // forget it

// One step: `count` tokens, token[i] goes to sequence seq[i] at its next position (several of one sequence in
// order). Logits are computed for the tokens with want[i]: logits[k] of the k-th wanted one, [vocab] each.
// ERR_LIMIT: no room in the cache, or beyond the context; ERR_INPUT: a token that the vocabulary lacks, an
// adapter of other shapes. Then nothing has changed.
typedef struct {
    const int32_t *token;
    const int *seq;
    const bool *want;
    int count;
    const Adapter *adapter; // NULL: the base alone; applied without merging, any one per step
    // NULL, or asked before every layer: on false the step ends, true, as if it had never been asked for;
    // whoever said so knows that there are no logits.
    bool (*wanted)(void *arg);
    void *arg;
} ModelStep;
MUST_CHECK bool model_step(Model *m, Kv *kv, const ModelStep *step, float *logits, Err *e);
enum { MODEL_STEP_MAX = 512 }; // tokens in one step
