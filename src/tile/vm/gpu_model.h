// gpu_model.h - what a GPU says of itself, by its number of processors: the rows of gpu_model.def, and, for
// any other number, an A100 with so many.
#pragma once
#include "base/str.h"

// What a device may have; tries begin with what the smallest one has that Triton compiles for.
enum { GPU_PROCESSORS_LEAST = 4, GPU_PROCESSORS_MOST = 2048 };

typedef struct GpuModel {
    int32_t processors, major, minor, count;
    int64_t shared; // bytes
    const char *name;
    int32_t index; // of the device that calls use
    Str name_text; // in the place of `name`, if it is not empty
} GpuModel;

const GpuModel *gpu_model(int64_t processors);
// The rows in their order; NULL behind the last.
const GpuModel *gpu_model_at(int i);
