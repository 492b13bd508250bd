// baseline_kept.h - what PyTorch's compiler made of a definition, kept on disk, so that it is tuned once for
// each GPU model, driver and versions and replayed ever after. A file is the sum of what follows, then the
// answer of baseline.py as it came; it is read as that answer is, and a changed or half-written one does not
// count.
#pragma once
#include "gpu/device.h"
#include "measure/baseline.h"

typedef struct {
    const char *folder; // NULL: nothing is kept
    const DeviceFacts *gpu;
    TorchProcess *baseline; // whose versions count
} BaselineKept;
bool baseline_kept_find(Arena *a, const BaselineKept *k, const BaselineRequest *q, BaselineTimes *out);
// What cannot be written is tuned again.
void baseline_kept_put(const BaselineKept *k, const BaselineRequest *q, Str answer);
