// attention_simd.h - one block of keys against rows that read it: heads of one token, or tokens one behind
// the other of one head.
// The order of an output: positions are cut into blocks of KV_PAGE at absolute places. Within a block a score
// is the sum over the head's dimensions from first to last; the block's largest score is folded into the
// running one, what was gathered before is scaled to it, and then weights and weighted values are added, the
// values from the first position to the last. So it depends on the token's own keys alone.
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { KV_PAGE = 64, ATTENTION_ROWS = 4 };

typedef struct {
    const void *k;  // [dim][KV_PAGE]: a dimension of all positions side by side
    const void *v;  // [KV_PAGE][padded]
    bool half;      // k and v are float16: widened as they are read
    const float *q; // [rows], `q_stride` floats apart
    float *out; // [rows][padded], rows `row_stride` apart: weighted values so far, not yet divided by `sum`
    float *top,
        *sum; // [rows]: largest score so far and the sum of weights relative to it; -inf and 0 at first
    size_t q_stride;
    int row_stride; // of `out`, `top` and `sum`, in rows
    // rows <= ATTENTION_ROWS; keys: positions of this block that the first row sees, >= 1; each row sees
    // `more` (0 or 1) of them beyond those of the row before, KV_PAGE at most.
    int rows, keys, more, dim, padded;
    float scale; // of a score: 1 / sqrt(dim)
} AttentionBlock;

typedef struct {
    void (*block)(const AttentionBlock *b);
    // False: some are no numbers, which become 0, or beyond 65504, where they are cut off.
    bool (*narrow)(const float *x, size_t n, uint16_t *half);
} AttentionLoops;

extern const AttentionLoops attention_loops_base, attention_loops_avx2, attention_loops_avx512;
const AttentionLoops *attention_loops(void);
