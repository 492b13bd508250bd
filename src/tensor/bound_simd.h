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
enum { BOUND_COLUMNS = 16 }; // sums that are made side by side
// Rows of BOUND_COLUMNS elements. e: NULL: all zero. in: 1 where there is an element, 0 elsewhere, where v
// and e are 0; NULL: everywhere.
typedef struct {
    const double *v, *e, *in;
} BoundPanel;
typedef struct {
    double v[BOUND_COLUMNS], size[BOUND_COLUMNS], e[BOUND_COLUMNS];
} Sums;
// A row of windows. Of sums v, size (of |v|) and e, which start at 0; of maxima v, low and high, which start
// at -inf, and e, at 0.
typedef struct {
    double *v, *size, *low, *high, *e;
} PoolRow;
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
    // BOUND_COLUMNS sums of k products each: a[l] with row l of b, added in the order of l. `exact` takes
    // a without errors and tame values alone: e is |a| be, and what the products themselves cost is the
    // caller's. `tame` is the rule of a product; false: some product was not tame, and nothing counts.
    // `wild` is the rule for everything, where in[l][j] is set: elsewhere there is no product.
    void (*sums_exact)(size_t k, const double *av, const BoundPanel *b, Sums *out);
    bool (*sums_tame)(size_t k, const double *av, const double *ae, const BoundPanel *b, Sums *out);
    void (*sums_wild)(size_t k, const double *av, const double *ae, const BoundPanel *b, Sums *out);
    // Elements of an input under one tap of a pool, every step-th, taken into the windows' sums or maxima.
    // xe, and with it low, high and e, may be NULL.
    void (*pool_max)(size_t n, const double *x, const double *xe, int64_t step, PoolRow to);
    void (*pool_sum)(size_t n, const double *x, const double *xe, int64_t step, PoolRow to);
} BoundSimd;
extern const BoundSimd bound_simd_base, bound_simd_avx2, bound_simd_avx512;
const BoundSimd *bound_simd(void); // bound.c
