// rope.h - rotary positions: the angle of pair i at a position is position * frequency[i]. Frequencies and
// angles are float32, as the reference implementation has them.
#pragma once
#include "weights/checkpoint.h"

// One per pair: theta^(-2i / head_dim), scaled as `llama3` where the config says so, divided by what a GGUF
// file carries. [head_dim / 2]
void rope_frequencies(const Checkpoint *c, float *frequency);
void rope_angles(const float *frequency, int half, int position, float *cos, float *sin);
