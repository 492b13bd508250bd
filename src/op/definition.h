// definition.h - what the two readers of a definition share: define.c, and define_inputs.c for its inputs.
#pragma once
#include "op/literal.h"
#include "op/op.h"

typedef struct {
    Arena *arena;
    DiagList *diags;
    Op *op;
    const Node *inputs, *outputs, *dims, *tf32, *large, *invariant, *layout, *published, *roundings,
        **keep; // of each input: the value of that key, or NULL
} Reader;

#define wrong(r, node, ...) diag_add((r)->diags, DIAG_REFUSED, (node)->span, __VA_ARGS__)

int definition_input(const Op *op, Str name); // -1: there is none
int definition_dim(const Op *op, Str name);
bool definition_is_float(const OpInput *in);
bool definition_inputs(Reader *r);    // false: a finding
bool definition_published(Reader *r); // after the inputs
