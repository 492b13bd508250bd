// attention.h - causal attention of the tokens of one step over their sequences' pages, in one layer. The
// order of sums is that of attention_simd.h; how tokens and heads are dealt to threads does not enter.
#pragma once
#include "model/kv.h"

typedef struct {
    const Kv *kv; // holds the positions of this step already
    int layer;
    const int *seq; // [count]
    const KvPlace *place;
    int count, heads; // heads of q; a multiple of the cache's
    const float *q;   // [count][heads][dim], rotated
    float *out;       // [count][heads][dim]
} Attention;
void attention_run(Pool *pool, const Attention *a);
