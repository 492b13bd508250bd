// product_loops.h - the insides of product.c: the rounded inputs, what a block means as integers, and the
// table of loops that each instruction set fills. For a quantised weight, blocks of 32 columns:
//
//   y = sum over blocks b of  scale[b] * dx[b] * I[b]  +  min[b] * s[b]
//
// I[b] is an integer, exact in every path: sum of q * x8 over the block (for Q6_K: each half times its own
// scale). It stays below 2^24, and scale and min are exact in float32 (products of a float16 and a small
// integer), so that the paths differ at most in rounding from here on, and the paths of one instruction set
// not at all:
//
//   lane[b mod 8] = fma(I * scale, dx, lane[b mod 8]); then, for types that have min, fma(min, s, lane)
//   y = ((lane0 + lane4) + (lane2 + lane6)) + ((lane1 + lane5) + (lane3 + lane7))
//
// (the portable loops multiply and add, because they may not count on a fused instruction). Weights of F32,
// F16 and BF16: lane[c mod 16] = fma(w[c], x[c], lane[c mod 16]), then the tree that float_tree() spells out.
#pragma once
#include "model/product/product.h"
#include <string.h>

enum { BLOCK = 32, LANES = 8, CHUNK = BLOCK * LANES, FLOAT_LANES = 16 };

// 256 rounded columns of one input; those beyond the end are zero. off32 and off16 are what an unsigned sum
// of products is too large by: weights meet the inputs as q + 128 (Q8_0) and q + 32 (Q6_K).
typedef struct {
    int8_t q[CHUNK];          // round(x / dx), halves to even, |q| <= 127
    float dx[LANES];          // largest |x| of 32 columns / 127
    float s[LANES];           // dx * sum of q
    int32_t off32[LANES];     // -128 * sum of q over 32
    int32_t off16[LANES * 2]; // -32 * sum over 16; columns 16 i at index 4 (i mod 4) + i / 4
    int32_t unused[8];        // whole cache lines
} Rounded;

static inline int64_t rounded_chunks(int64_t cols) { return (cols + CHUNK - 1) / CHUNK; }
static inline const Rounded *rounded_of(const ProductInput *in, int input) {
    const char *at = in->rounded;
    at += -(uintptr_t)at % 64;
    return (const Rounded *)at + input * rounded_chunks(in->cols);
}

// One block of 32 weights as integers: w = scale * sub[half] * (q - off) + min.
typedef struct {
    float scale, min;
    uint8_t q[BLOCK];
    int off;
    int sub[2];
} PlainBlock;
// Columns 32 b to 32 b + 31 of a row.
void plain_block(WeightType type, const uint8_t *row, int64_t b, PlainBlock *out);
static inline bool type_quantised(WeightType t) { return t != W_F32 && t != W_F16 && t != W_BF16; }
static inline bool type_has_min(WeightType t) { return t == W_Q4_K || t == W_Q5_K || t == W_Q5_1; }

// Rows [first, first + rows) times every input.
typedef struct {
    const Product *p;
    int64_t first, rows;
} Piece;

typedef struct {
    void (*round)(const float *x, int64_t cols, Rounded *to);
    // now: what to do. then: the piece that this thread does after it (NULL: none is known), so that memory
    // need not rest in between. room: scratch(now->p) bytes, aligned to 64.
    void (*quantised)(const Piece *now, const Piece *then, void *room);
    void (*floats)(const Piece *now, const Piece *then, void *room);
    size_t (*scratch)(const Product *p);
    int tile; // pieces of a matrix begin at multiples of so many rows
} ProductLoops;
extern const ProductLoops product_base;
#if defined(__x86_64__) && !defined(PORTABLE)
extern const ProductLoops product_avx2, product_vnni;
#endif
