#include "tile/vm/gpu_model.h"

#include <stddef.h>

static const GpuModel model[] = {
#define MODEL(processors, major, minor, count, shared, name) \
    {(processors), (major), (minor), (count), (shared), (name), 0, {0}},
#include "tile/vm/gpu_model.def"
#undef MODEL
};
enum { MODELS = sizeof model / sizeof *model, OTHERS = 1 };

const GpuModel *gpu_model(int64_t processors) {
    for (int i = 0; i < MODELS; i++)
        if (model[i].processors == processors) return &model[i];
    return &model[OTHERS];
}

const GpuModel *gpu_model_at(int i) { return i >= 0 && i < MODELS ? &model[i] : NULL; }
