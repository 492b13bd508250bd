// model_plain.h - the forward pass as the equations have it: one sequence, one thread, float64, no cache, no
// vectors. Slow; for tests and for readers.
#pragma once
#include "weights/checkpoint.h"

// logits: [count][vocab].
void model_plain(const Checkpoint *c, const Adapter *adapter, const int32_t *token, int count, float *logits);
