// lora.h - low-rank adapters, applied beside the base's products: y += scale * B (A x). The products with A
// join the sweep over the base's weights; those with B follow in one of their own.
#pragma once
#include "model/product/product.h"
#include "weights/checkpoint.h"

enum { LORA_RANK_MAX = 1024, LORA_TOGETHER = 3 };

typedef struct {
    float *inner[LORA_TOGETHER]; // [tokens][rank]
    float *outer[LORA_TOGETHER]; // [tokens][out]
} LoraRoom;

// part[layer * ROLE_COUNT + role] of an adapter, NULL where it has none; checked against the base's shapes.
MUST_CHECK bool lora_index(const Adapter *ad, const Checkpoint *base, const LoraPart **part, Err *e);
// A as a weight, to be multiplied with the base's input.
Weight lora_inner(const LoraPart *part);
Weight lora_outer(const LoraPart *part);
