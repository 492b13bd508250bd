// sample.h - from logits to a token. The order of the filters is that of Hugging Face transformers:
// temperature, top_k, top_p, min_p; each sees what the one before left. Defined here, where the reference
// leaves it open: equal logits count as ordered by id, the lower id first. top_k keeps everything that equals
// the k-th (as the reference does); top_p keeps a token when what comes before it in that order has less than
// top_p of the mass; min_p keeps what has at least min_p times the largest probability. The first always
// stays. Then one number in [0, 1) picks by going through the kept tokens by id.
#pragma once
#include "base/err.h"
#include <stddef.h>
#include <stdint.h>

typedef struct {
    double temperature; // 0: the most likely token
    int top_k;          // 0: all
    double top_p;       // 1: all
    double min_p;       // 0: all
} Sampling;

MUST_CHECK bool sampling_check(const Sampling *s, Err *e); // ranges
size_t sample_room(int vocab);                             // bytes, aligned to 64
// -1: there is a logit that is no number (a broken model).
int sample_token(const float *logits, int vocab, const Sampling *s, double u, void *room);
// log(softmax(logits)[token]), without temperature and filters.
float sample_logprob(const float *logits, int vocab, int token);
