// product.h - matrix products with stored weights: y[i][r] = sum over c of w[r][c] * x[i][c].
// The order of summation of an output depends on the weight's type and width alone: neither on how many
// inputs are multiplied together, nor on which one this is, nor on threads. Quantised weights meet inputs
// that are rounded to 8 bits in blocks of 32 columns, each with its own scale (llama.cpp: of 32 or 256);
// F32, F16 and BF16 weights meet float32 inputs. product_loops.h writes the order down.
// product_plain() is the definition that the fast paths are tested against.
#pragma once
#include "base/pool.h"
#include "weights/format/weight.h"

// Inputs of a product, prepared once for all matrices that read them (q, k and v; gate and up).
typedef struct {
    const float *x; // [count, cols], rows `stride` floats apart
    int count;
    int64_t cols, stride;
    void *rounded; // 8-bit blocks, filled by product_prepare() when a quantised type needs them
} ProductInput;
// Bytes of `rounded` for this many inputs; any alignment.
size_t product_room(int64_t cols, int count);
// All quantised types share one rounding: preparing for any of them serves all. For the others nothing
// happens.
void product_prepare(Pool *pool, ProductInput *in, WeightType type);

typedef struct {
    const Weight *w;
    const ProductInput *in; // prepared for w->type
    float *y;               // [count, rows], rows `stride` floats apart
    int64_t stride;
} Product;
// Several products in one sweep over the threads.
enum { PRODUCTS_MAX = 8 };
void product_run(Pool *pool, const Product *p, int n);
// One thread, no vectors, the same mathematics: for tests. Agrees within rounding, not bit for bit.
void product_plain(const Weight *w, const ProductInput *in, float *y, int64_t stride);
