// dtype_simd.h - conversion of whole contiguous rows, compiled once for each instruction set (base/isa.h).
// Every table gives the same bits as dtype_load() and dtype_store() element by element.
#pragma once
#include "tensor/dtype.h"

typedef struct {
    void (*load)(DType t, const void *p, double *out, size_t n);
    void (*store)(DType t, void *p, const double *in, size_t n);
} DTypeSimd;
extern const DTypeSimd dtype_simd_base, dtype_simd_avx2, dtype_simd_avx512;
