// rows_simd.h - what is done to every value of a drawn row, compiled for each instruction set (base/isa.h).
#pragma once
#include <stddef.h>

typedef struct {
    void (*stretch)(double *x, size_t n, double scale, double mean); // x * scale + mean
    void (*clip)(double *x, size_t n, double limit);                 // to [-limit, limit]; -inf stays
} RowLoops;
extern const RowLoops row_loops_base, row_loops_avx2, row_loops_avx512;
