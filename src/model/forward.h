// forward.h - inside of the model: its weights by layer, the room of a step, and the layer.
// For training: backward through a layer needs what LayerRoom names and no more (`x` before the layer and
// between its halves, inputs of the products, rotated q, k and v, the attention's output, gate and up).
// Inference lets every layer write into one LayerRoom, where `act` is `gate` and `x` is updated in place;
// training gives each layer a room of its own, with those apart, and keeps it.
#pragma once
#include "model/forward_simd.h"
#include "model/kv.h"
#include "model/lora.h"
#include "model/model.h"
#include "model/product/product.h"

typedef struct {
    const Weight *q, *k, *v, *o, *gate, *up, *down;
    const float *attn_norm, *ffn_norm;     // as float32
    const float *q_bias, *k_bias, *v_bias; // NULL: none
} LayerWeights;

typedef struct {
    float *x;               // [rows][hidden] the residual stream
    float *normed;          // [rows][hidden] what q, k and v read; later what gate and up read
    float *q;               // [rows][heads * head_dim], rotated
    float *k, *v;           // [rows][kv_heads * head_dim]
    float *mixed;           // [rows][heads * head_dim] the attention's output
    float *delta;           // [rows][hidden] what is added to x
    float *gate, *up, *act; // [rows][intermediate]
} LayerRoom;

struct Model {
    const Checkpoint *checkpoint;
    Pool *pool;
    const ForwardLoops *loops;
    ModelConfig config;
    const Weight *embed, *head;
    const float *norm;
    LayerWeights *layer;
    float *frequency; // of rotary positions, [head_dim / 2]
    // The room of a step, for MODEL_STEP_MAX tokens.
    LayerRoom room;
    float *cos, *sin; // [tokens][head_dim / 2]
    void *rounded;    // inputs of products
    KvPlace *place;
    LoraRoom lora;
    const LoraPart **part; // [layers * ROLE_COUNT], of the step's adapter
};

typedef struct {
    Model *m;
    Kv *kv;
    const ModelStep *step;
    int rows;  // tokens that are computed: all, or the wanted ones at the very end
    bool lora; // Model.part holds an adapter
} Pass;

// One layer over the rows of the pass; `last`: only rows that are wanted go on after attention.
void layer_forward(Pass *p, int layer, const LayerRoom *r, bool last);
// out = norm(x) * w, row by row; with `delta`, x += delta before.
void rows_norm(const Pass *p, float *x, const float *delta, const float *w, float *out);
