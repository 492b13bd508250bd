// decode.h - from a Code and a launch's register file to steps with addresses in it.
#pragma once
#include "tile/compute/step.h"

// Bytes that a launch needs besides the register file: for v->scratch and v->poison_scratch, each.
size_t decode_lanes_max(const Code *c);
InsnOp folding(InsnOp op); // what a reduction or a scan does with two lanes
// Fills v->step; v->code, v->loops, v->pid and v->grid must be in place, file is the register file.
void decode(Arena *a, Vm *v, char *file, const int64_t *args);
