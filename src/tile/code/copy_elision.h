// copy_elision.h - moves that need not be made: where a register is computed only to be moved, unchanged,
// into another one, the value can be computed in its place. Part of code_layout().
#pragma once
#include "tile/code/code.h"

// d's lanes are a's, bit for bit and in the same order. (float16, bfloat16 and float32 are all held as
// floats.)
bool move_keeps_bits(const Code *c, const Insn *s);

// For each register the one whose place it takes: mostly itself. Forms and taint are known already.
int *moves_join(Arena *a, const Code *c);
