// parameters.h - what training changes, and how: either every tensor of a model, or the two small matrices of
// a LoRA adapter beside each of its linear layers. All numbers lie in one row of float32, tensor behind
// tensor, and so do gradients and the optimizer's two moments.
#pragma once
#include "model/model.h"

typedef enum { PART_WHOLE, PART_A, PART_B, PARTS } TensorPart;
typedef struct {
    WeightRole role;
    int layer;
    TensorPart part;    // of LoRA: A is [rank, in], B is [out, rank]
    int64_t rows, cols; // a vector is one row
    size_t at;          // of its first number
    bool decays;        // matrices do, norms and biases do not
} TrainTensor;

typedef struct {
    ModelConfig config;
    int rank;    // 0: every tensor of the model
    float alpha; // of LoRA: y += alpha / rank * B (A x)
    TrainTensor *tensor;
    int count;
    size_t numbers;
    int *index;   // [ROLE_COUNT * layers * PARTS] into tensor; -1: none
    float *value; // [numbers]
    float *gradient, *first, *second;
} Parameters;

enum { LORA_ROLES = 7 };
extern const WeightRole LORA_ROLE[LORA_ROLES]; // q k v o gate up down

// A new Llama: heads of 64 numbers, or of 32 or 16 where it is narrow; the head is the embedding.
typedef struct {
    int layers, width, vocab, context;
    int32_t end; // the token that ends a reply
} NewModel;
MUST_CHECK bool config_of_new(const NewModel *n, ModelConfig *out, Err *e);

// Laid out, all numbers 0. roles: which of LORA_ROLE are adapted, as bits; ignored when rank is 0.
Parameters *parameters_lay(Arena *a, const ModelConfig *c, int rank, float alpha, unsigned roles);
const TrainTensor *parameters_find(const Parameters *p, WeightRole role, int layer, TensorPart part);
// Where a tensor's numbers are in a row of all; NULL: it is not trained.
float *parameters_in(const Parameters *p, float *all, WeightRole role, int layer, TensorPart part);
// First values from a seed. Of a model: matrices normal with deviation 0.02 (those that add to the residual
// stream less, by the square root of twice the layers), norms 1, biases 0. Of LoRA: A uniform within
// 1 / sqrt(in), B 0, so that training begins at the base itself.
void parameters_draw(Parameters *p, uint64_t seed);
// The values of a base that lies in files; of a model of the same shapes.
void parameters_take(Parameters *p, const Checkpoint *base);
// An adapter's values. ERR_INPUT: another rank, other roles or another scale than were laid out.
MUST_CHECK bool parameters_take_adapter(Parameters *p, const Adapter *ad, Err *e);

// The same numbers as a model that can run: they are shared, not copied. `base` gives the vocabulary and, for
// LoRA, the weights.
const Checkpoint *parameters_checkpoint(Arena *a, const Parameters *p, const Checkpoint *base);
const Adapter *parameters_adapter(Arena *a, const Parameters *p); // NULL unless LoRA
// Norms and biases are copied when a model is opened: this points it at the trained ones.
typedef struct Model Model;
void parameters_attach(const Parameters *p, Model *m);
