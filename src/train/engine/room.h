// room.h - inside of the CPU's engine: what a forward pass leaves for the way back, and the ways back.
#pragma once
#include "model/forward.h"
#include "train/engine/backward_simd.h"
#include "train/engine/blas.h"
#include "train/engine/engine.h"

// What one layer leaves behind, row by row of a batch (LayerRoom's names; x0 and x1: the residual stream
// before the layer and between its halves).
typedef struct {
    float *x0, *x1, *q, *k, *v, *mixed, *gate, *up;
} Kept;

typedef struct {
    size_t tokens;  // that there is room for
    Kept *layer;    // [layers]; with recompute all but x0 are the same for every layer
    float *last;    // [tokens][hidden] behind the last layer
    float *normed;  // [tokens][hidden] what a product reads, computed again
    float *delta;   // [step][hidden]; of the forward pass
    float *act;     // [tokens][intermediate]
    float *dx;      // [tokens][hidden] gradient of the residual stream
    float *dnormed; // [tokens][hidden]
    float *dq, *dmixed, *dk, *dv;
    float *dact;            // [tokens][intermediate]
    float *low, *dlow;      // [tokens][rank]
    float *turned;          // [rank][largest] the outer half of LoRA
    int loss_rows;          // at most LOSS_ROWS_MAX
    float *logits;          // [loss_rows][vocab]
    float *head_in, *dhead; // [loss_rows][hidden]
    float *parts;           // [NORM_PARTS][hidden]
    float *decoded;         // [DECODE_ROWS][largest]
    KvPlace *place;         // [tokens]
    int *first;             // [tokens + 1] of a document
    int *learned;           // [tokens] rows with a weight
    void *memory;
    size_t bytes;
} TrainRoom;
enum { LOSS_ROWS = 128, LOSS_ROWS_MAX = 512, LOSS_NUMBERS = 1 << 23, NORM_PARTS = 60, DECODE_ROWS = 256 };

typedef struct Lanes Lanes; // batch_lanes.h
typedef struct {
    Engine engine; // first
    EngineChoice choice;
    Pool *pool;
    Model *m;
    const BackwardLoops *loops;
    Kv *kv;
    int kv_documents;
    int64_t kv_positions;
    TrainRoom room;
    Lanes *lanes; // NULL: none was needed yet
} CpuEngine;

MUST_CHECK bool room_ready(CpuEngine *c, const TrainBatch *b, Err *e); // of a batch that is sane
void room_free(CpuEngine *c);

// Fills the room (Kept of all layers, or only x0 with recompute) and `last`, not yet normed.
MUST_CHECK bool pass_forward(CpuEngine *c, const TrainBatch *b, Err *e);
// One layer once more, from x0.
void pass_again(CpuEngine *c, const TrainBatch *b, int layer);
// Loss over rows that have a weight, room.loss_rows at a time: logits never exist for more. With `sums` dx
// becomes the gradient behind the last layer, and gradients of head and norm are added; with `logprob` only
// that.
typedef struct {
    float scale;
    TrainSums *sums;
    float *logprob;
} LossAim;
void loss_run(CpuEngine *c, const TrainBatch *b, const LossAim *aim);
// Forward, the loss, and with `sums` the way back: of all of a batch, in the room of this engine.
MUST_CHECK bool batch_run(CpuEngine *c, const TrainBatch *b, const LossAim *aim, Err *e);
void rows_of_documents(const TrainBatch *b, int *first); // [documents + 1]; of a batch that is sane
// dx: from behind a layer to before it. Gradients of the layer's tensors are added.
void layer_backward(CpuEngine *c, const TrainBatch *b, int layer);

// The way back through y = W x + b + s B A x.
typedef struct {
    WeightRole role;
    int layer;
    const Weight *w;
    const float *x;  // [count][cols]
    const float *dy; // [count][rows]
    float *dx;       // [count][cols]; NULL: not asked for
    int count;
    bool adds; // to what dx holds; else dx is new
} LinearBack;
void linear_back(CpuEngine *c, const LinearBack *l);
void bias_back(CpuEngine *c, WeightRole role, int layer, const float *dy, int count);
void norm_back(CpuEngine *c, WeightRole role, int layer, const float *x, const float *dy, int count);

typedef struct {
    Pool *pool;
    const BackwardLoops *loops;
    const int *first; // [documents + 1]: rows of a document
    int documents, heads, kv_heads, dim;
    const float *q, *k, *v, *dmixed; // [rows][heads or kv_heads][dim]
    float *dq, *dk, *dv;
} AttentionBack;
void attention_back(const AttentionBack *a);
