// compare_simd.h - the cheap half of the comparison, compiled for each instruction set (base/isa.h): which
// elements are surely inside their interval. The others are judged one by one (compare.c).
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct {
    double scale;         // kappa * u
    double half;          // half an ulp of a value in [1, 2) of the output type; 0 for integers
    double half_smallest; // half an ulp at and below its smallest normal number
} CompareRule;

typedef struct {
    // sure[i] = 1 where |o - v| <= scale * e + (half the width of o's cell), everything finite; e may be NULL
    // (all zero). Returns how many are sure. *beyond: whether some |o - v| may be more than `least` times
    // that sum; where it is false, none is.
    size_t (*sure)(const CompareRule *r, const double *v, const double *e, const double *o, size_t n,
                   uint8_t *sure, double least, bool *beyond);
    // ratio[i] = |o - v| over that sum, 0 where that is not a number: an order for "worst", not a test.
    // Returns the largest.
    double (*ratios)(const CompareRule *r, const double *v, const double *e, const double *o, size_t n,
                     double *ratio);
} CompareLoops;
extern const CompareLoops compare_loops_base, compare_loops_avx2, compare_loops_avx512;
