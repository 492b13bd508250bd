// shared_memory.h - how much shared memory a launch needs at least. Triton fetches what products multiply
// ahead of the loop that does it, in as many buffers as num_stages allows; a launch that needs more than a
// block has fails with OutOfResources. What is counted here is what Triton 3.6 surely does for compute
// capability 9.0 (test/conformance/resources.py holds it against the real compiler), so the true need may be
// larger.
#pragma once
#include "lang/diag.h"

enum { SHARED_MEMORY_MAX = 232448 }; // bytes that a block of an H200 may ask for

// One product, or one loop whose loads are fetched ahead.
typedef struct {
    int64_t once;          // of a product: bytes, whatever the stages
    int64_t ahead, longer; // bytes in one buffer of float32 tiles that a loop loads for its products
                           // longer: which wgmma reads where they lie, for one iteration more
    int stages;            // of tl.range(num_stages=); 0: the launch's
    Span span;
} SharedUse;

int64_t shared_bytes(const SharedUse *use, int warps, int stages);
