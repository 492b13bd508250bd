// binding.h - which parameter of Model each one of another module is.
#pragma once
#include "base/str.h"
#include "tensor/tensor.h"

typedef struct {
    Str name; // as in a state dictionary
    int rank;
    int64_t shape[TENSOR_RANK_MAX];
} ModuleSlot;
typedef struct {
    const ModuleSlot *at;
    int n;
} ModuleSlots;
typedef enum { BIND_NAME, BIND_ORDER, BIND_SHAPE, BIND_NONE } BindRule;
typedef struct {
    BindRule how;
    int *of;   // for each slot of the other module, the one of Model
    int wrong; // BIND_NONE: a slot that could not be bound; -1: some of Model's are left over
} ModuleBinding;
// By names, else by order, else by shapes that only one has. Each rule binds all of the other module's or
// none; fewer than Model has are bound by names alone. How it was bound is for evidence to tell.
ModuleBinding module_bind(Arena *a, ModuleSlots model, ModuleSlots other);
void slots_text(Buf *out, ModuleSlots s); // "weight[8, 4], bias[8]"; "none"
