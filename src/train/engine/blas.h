// blas.h - dense float32 products of the backward pass. OpenBLAS is loaded when training begins, by nobody
// else: programs that only judge start no thread of it and map none of its pages. It computes on the thread
// that calls; a large product is cut into pieces by its shape and the kind of pool alone, so that bits do not
// depend on how many threads run them.
#pragma once
#include "base/pool.h"
#include "base/str.h"

MUST_CHECK bool blas_open(Err *e); // once per process is enough, more is fine
const char *blas_config(void);     // what OpenBLAS says of itself, once it is open

// c = a' b' + beta * c, all row by row; a' is a, or its transpose: [m, k]; b' is [k, n].
typedef struct {
    bool a_turned, b_turned;
    int m, n, k;
    const float *a, *b;
    float *c;
    int a_stride, b_stride, c_stride; // floats from row to row, as stored
    float beta;
} Gemm;
void gemm_alone(const Gemm *g);           // in the calling thread
void gemm_run(Pool *pool, const Gemm *g); // in pieces, on all
