// making.h - small models and batches for the tests of training.
#pragma once
#include "base/numeric/rng.h"
#include "train/engine/plain.h"
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

static inline void must(bool ok, const Err *e) {
    if (!ok) fail_msg("%s", e->msg);
}

static inline ModelConfig tiny_config(Arch arch) {
    return (ModelConfig){.arch = arch,
                         .hidden = 12,
                         .layers = 2,
                         .heads = 4,
                         .kv_heads = 2,
                         .head_dim = 4,
                         .intermediate = 20,
                         .vocab = 23,
                         .context = 256,
                         .norm_eps = 1e-5f,
                         .rope_theta = 10000,
                         .tied = arch == ARCH_QWEN2,
                         .bos = -1,
                         .eos = {1},
                         .eos_count = 1};
}

// Every number of what is trained drawn anew: also biases, norms and B, which begin as 0 and 1.
static inline void stir(Parameters *p, uint64_t seed, double size) {
    Rng r = rng_at(seed, 7);
    for (int i = 0; i < p->count; i++) {
        const TrainTensor *t = &p->tensor[i];
        for (int64_t k = 0; k < t->rows * t->cols; k++)
            p->value[t->at + (size_t)k] =
                (float)(size * rng_normal(&r)) + (t->rows == 1 && !t->decays ? 0.7f : 0);
    }
}

// Documents of the given lengths; the first `prompt` tokens of each are not learned.
static inline TrainBatch make_batch(Arena *a, const ModelConfig *c, const int *length, int documents,
                                    int prompt) {
    int count = 0;
    for (int i = 0; i < documents; i++) count += length[i];
    int32_t *token = NEWN(a, int32_t, (size_t)count), *target = NEWN(a, int32_t, (size_t)count);
    int *document = NEWN(a, int, (size_t)count);
    float *weight = NEWN(a, float, (size_t)count);
    Rng r = rng_at(11, 3);
    int at = 0;
    for (int d = 0; d < documents; d++)
        for (int i = 0; i < length[d]; i++, at++) {
            token[at] = (int32_t)rng_below(&r, (uint64_t)c->vocab);
            document[at] = d;
            if (i) target[at - 1] = token[at];
            bool last = i == length[d] - 1;
            weight[at] = last || i < prompt ? 0 : 0.5f + (float)rng_unit(&r);
        }
    return (TrainBatch){token, document, target, weight, count, documents};
}

static inline double *doubles_of(Arena *a, const Parameters *p) {
    double *x = NEWN(a, double, p->numbers);
    for (size_t i = 0; i < p->numbers; i++) x[i] = (double)p->value[i];
    return x;
}

// ||x - y|| / ||y||
static inline double relative_distance(const float *x, const double *y, size_t n) {
    double off = 0, all = 0;
    for (size_t i = 0; i < n; i++) {
        double d = (double)x[i] - y[i];
        off += d * d;
        all += y[i] * y[i];
    }
    return all > 0 ? sqrt(off / all) : sqrt(off);
}

// A base of its own: a model in memory, drawn and stirred.
static inline const Checkpoint *make_base(Arena *a, const ModelConfig *c, uint64_t seed) {
    Parameters *p = parameters_lay(a, c, 0, 0, 0);
    stir(p, seed, 0.3);
    Checkpoint *nothing = NEW(a, Checkpoint);
    *nothing = (Checkpoint){.path = "(made)", .config = *c};
    return parameters_checkpoint(a, p, nothing);
}

enum { ALL_ROLES = (1 << LORA_ROLES) - 1 };
