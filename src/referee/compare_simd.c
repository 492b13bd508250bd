#include "referee/compare_simd.h"

#include <math.h>
#include <string.h>

#include "base/isa.h"

// Half the distance from o to its nearer neighbour: a power of two has a closer one below it. Never too
// large, and exact but for zero.
static inline double half_cell(const CompareRule *r, double o) {
    uint64_t bits, power;
    memcpy(&bits, &o, sizeof bits);
    power = bits & 0x7ff0000000000000u;
    double p;
    memcpy(&p, &power, sizeof p);
    double h = p * r->half * ((bits & 0x000fffffffffffffu) ? 1.0 : 0.5);
    return h > r->half_smallest ? h : r->half_smallest;
}

static inline size_t sure_loop(const CompareRule *r, const double *restrict v, const double *restrict e,
                               const double *restrict o, size_t n, uint8_t *restrict sure,
                               double *restrict ratio) {
    size_t count = 0;
    for (size_t i = 0; i < n; i++) {
        double bound = e ? r->scale * e[i] : 0, room = bound + half_cell(r, o[i]), off = fabs(o[i] - v[i]);
        // An infinite bound or a value that is not finite is for the slow side: its comparisons fail here.
        uint8_t yes = (off <= room) & (room < INFINITY) & (off < INFINITY);
        sure[i] = yes;
        ratio[i] = off / (room + 0x1p-200);
        count += yes;
    }
    return count;
}

static size_t sure_any(const CompareRule *r, const double *v, const double *e, const double *o, size_t n,
                       uint8_t *sure, double *ratio) {
    return e ? sure_loop(r, v, e, o, n, sure, ratio) : sure_loop(r, v, NULL, o, n, sure, ratio);
}

const CompareLoops ISA_NAME(compare_loops) = {.sure = sure_any};
