// safetensors_write.h - a .safetensors file, tensor by tensor. The header is written first, so names and
// shapes come before the numbers.
#pragma once
#include "base/io.h"

typedef struct {
    const char *name;
    int rank; // 1 or 2
    int64_t shape[2];
    const float *data; // float32
} SafetensorsRow;
// Metadata: {"format": "pt"}, which transformers asks for.
MUST_CHECK bool safetensors_write(const char *path, const SafetensorsRow *row, int rows, Err *e);
