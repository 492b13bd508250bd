// contraction.h - code as a compiler may make it that rounds a product and the sum it goes into once (a fused
// multiply-add), where a program asks for two roundings. Triton's compiler is free to do so unless a launch
// says enable_fp_fusion=False. What it chooses is its own affair; there are two choices where both operands
// of a sum are products.
#pragma once
#include "tile/code/code.h"

typedef enum {
    CONTRACT_NONE,
    CONTRACT_LEFT,  // the left product where both operands are products, else the only one
    CONTRACT_RIGHT, // the right one
} ContractSide;

// The ways that differ from the code itself, as bits 1 << ContractSide: none, LEFT alone (both would be the
// same), or both. Products that are exact, of a power of two or of two 16-bit floats, change nothing.
unsigned code_contracts(Arena *scratch, const Code *c);

// Code of `a` that has been through code_layout(), with the meaning of `c` but for these roundings. Lists
// that neither changes are shared.
Code *code_contract(Arena *a, const Code *c, ContractSide side);
