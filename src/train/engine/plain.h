// plain.h - training's mathematics in float64 and in plain loops: loss of a batch and its gradient with
// respect to every parameter. Slow, and what the fast ways are tested against; itself it is tested by finite
// differences. Each layer type is a pair of functions, there and back (plain_*), so that each can be tried
// alone.
#pragma once
#include "train/engine/engine.h"

// values: [numbers] as Parameters lays them out. gradient: [numbers], added to; NULL: the loss alone. base:
// the frozen weights under LoRA.
typedef struct {
    const Parameters *parameters;
    const double *value;
    const Checkpoint *base;
    const TrainBatch *batch;
    double *gradient;
} PlainTask;
double plain_loss(const PlainTask *t);

// y[count][rows] = w x + b; b may be NULL. Back: dx, dw, db are added to, each may be NULL.
typedef struct {
    int count, rows, cols;
    const double *x, *w, *b;
} PlainLinear;
void plain_linear(const PlainLinear *l, double *y);
void plain_linear_back(const PlainLinear *l, const double *dy, double *dx, double *dw, double *db);

typedef struct {
    int count, n;
    double eps;
    const double *x, *w;
} PlainNorm;
void plain_norm(const PlainNorm *l, double *y);
void plain_norm_back(const PlainNorm *l, const double *dy, double *dx, double *dw);

void plain_swiglu(int n, const double *gate, const double *up, double *y);
void plain_swiglu_back(int n, const double *gate, const double *up, const double *dy, double *dgate,
                       double *dup);

// One document: q [length][heads][dim], k and v [length][kv_heads][dim], rotated already.
typedef struct {
    int length, heads, kv_heads, dim;
    const double *q, *k, *v;
} PlainAttention;
void plain_attention(const PlainAttention *a, double *y);
void plain_attention_back(const PlainAttention *a, const double *dy, double *dq, double *dk, double *dv);

// Rotates x [heads][dim] by the angles of a position, or back.
typedef struct {
    int heads, dim;
    bool neighbours, back;
    const float *cos, *sin; // [dim / 2]
} PlainTurn;
void plain_turn(const PlainTurn *t, double *x);

// -log softmax(logits)[target]; back: dlogits is added to, weight times.
double plain_cross(int vocab, const double *logits, int target);
void plain_cross_back(int vocab, const double *logits, int target, double weight, double *dlogits);
