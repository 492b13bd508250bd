// seedling.h - the small model that comes with this program: where its file is, and which ops are like those
// that it has learned from. How it is asked stands in profile/seedling.txt; how it is made, in
// bench/seedling.sh.
#pragma once
#include "op/op.h"

// The variable OUROBOROS_SEEDLING, which may be empty: none; else share/ouroboros/seedling.gguf beside the
// program's folder, or models/seedling.gguf there. NULL: none is named, and there is no such file. A file
// that is named need not be there.
const char *seedling_path(Arena *a);
bool seedling_is_ours(void); // the variable names no other model, whose licence nobody knows here
// False where the op is far from what it has seen; *why says what about it is, in a few words.
bool seedling_knows(Arena *a, const Op *op, const char **why);
