// written_gpu.h - GPUs beyond those of gpu_model.def: what a file asks of one, answered in every way that the
// file itself writes down or that a GPU may give. Known by numbers above GPU_PROCESSORS_MOST, which stand
// where a number of processors does; what they mean follows from the file alone.
#pragma once
#include "lang/ast.h"
#include "tile/vm/gpu_model.h"

enum { GPU_WRITTEN = 4096, GPU_WRITTEN_MOST = GPU_WRITTEN + 512 };

// Which questions a file asks; a bit for each. ANY: one that other GPUs answer otherwise. INDEX: which of
// several like it the device is.
enum { GPU_ASKS_ANY = 1, GPU_ASKS_NAME = 2, GPU_ASKS_KIND = 4, GPU_ASKS_COUNT = 8, GPU_ASKS_INDEX = 16 };
unsigned gpu_asked(const Node *module);

// The GPU of that number; false: there is none, nor behind it. The first ones come first where values may
// follow from an answer without a condition: written_gpu_shown() of them get a case in any event.
bool written_gpu(const Node *module, int64_t number, GpuModel *out);
int written_gpu_shown(unsigned asked);
