// cubin.h - a compiled kernel: what Triton's compiler says that its launcher must know.
#pragma once
#include "base/str.h"

enum { CUBIN_MAX = 16 << 20, CUBIN_NAME_MAX = 512 };
typedef struct {
    Str image;              // the ELF file
    Str entry;              // name of the function in it
    int shared;             // dynamic shared memory, bytes
    int num_warps;          // threads of a block / 32
    int num_ctas;           // blocks of a cluster; the grid's first size is multiplied by it
    int64_t global_scratch; // bytes for each block of each cluster: program count * num_ctas * this much
    int global_scratch_align;
    int64_t profile_scratch;
    int profile_scratch_align;
    bool cooperative, pdl;
} Cubin;
