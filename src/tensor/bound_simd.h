// bound_simd.h - the oracle's inner loops, compiled once for each instruction set (base/isa.h). All tables
// give the same bits. Elementwise loops get whole chunks of contiguous operands and never alias their
// outputs; row loops get one row. e may be NULL only where that is said.
#pragma once
#include "tensor/bound_rules.h"
#include <stddef.h>

enum {
    BOUND_CHUNK = 512
}; // elements that a driver hands over at once: operands and results stay in the L1 cache

typedef struct {
    double sum, size, e; // of v, of |v|, of e
} RowSum;
typedef struct {
    double s, te; // sum of t = exp(x - m), sum of t * E
} ExpSum;
typedef struct {
    double v, low, high; // largest v and largest ends of the intervals; NaN if an element is
} RowMax;

typedef void UnaryLoop(size_t n, const double *v, const double *e, double scalar, double *ov, double *oe);
typedef void BinaryLoop(size_t n, const double *av, const double *ae, const double *bv, const double *be,
                        double *ov, double *oe);
typedef void TernaryLoop(size_t n, const double *const v[3], const double *const e[3], double *ov,
                         double *oe);

typedef struct {
    UnaryLoop *unary[BOUND_COUNT];
    BinaryLoop *binary[BOUND_COUNT];
    TernaryLoop *ternary[BOUND_COUNT];
    // What is uncertain about an input before anything is computed: rule_stored of each, and whether any is
    // not 0.
    void (*uncertainty)(size_t n, const double *v, double *e);
    bool (*any_uncertain)(size_t n, const double *v);
    // Charges the rounding to a narrower float type: e += half_ulp(|v| + k e) / k, unknown where that
    // overflows. Exact values that the type holds are left alone; with only_exact so is everything that has
    // an e.
    void (*round)(DType t, bool only_exact, size_t n, const double *v, double *e);
    // Sums run in 16 lanes: lane l adds elements l, l + 16, ... in ascending order, and the lanes are then
    // added pairwise (l and l + 8, l and l + 4, ...).
    RowSum (*sum)(size_t n, const double *v, const double *e); // e may be NULL
    RowSum (*deviations)(size_t n, const double *v, const double *e,
                         Ve mean); // of (v - mean)^2; e may be NULL
    RowMax (*largest)(size_t n, const double *v, const double *e, double sign); // of sign * v; e may be NULL
    ExpSum (*exps)(size_t n, const double *x, const double *ex, double m, double *t,
                   double *big_e); // see the loop
    void (*softmax)(size_t n, double s, double spread, double *v, double *e);
    void (*log_softmax)(size_t n, const double *x, const double *ex, double m, double log_s, double spread,
                        double *v, double *e);
    void (*cumsum)(size_t n, const double *v, const double *e, double growth, double *ov,
                   double *oe); // n < 2^31
    // The products of a with n elements, each added to its sums: of v, of |v|, of e. be may be NULL.
    void (*add_products)(size_t n, Ve a, const double *bv, const double *be, double *v, double *size,
                         double *e);
} BoundSimd;
extern const BoundSimd bound_simd_base, bound_simd_avx2, bound_simd_avx512;
const BoundSimd *bound_simd(void); // bound.c
