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

enum { LANES = 8 }; // of the running maximum: written out, so that the loop vectorises

static inline size_t sure_loop(const CompareRule *r, const double *restrict v, const double *restrict e,
                               const double *restrict o, size_t n, uint8_t *restrict sure,
                               double *restrict ratio, double *most) {
    size_t count = 0;
    for (size_t i = 0; i < n; i++) {
        double bound = e ? r->scale * e[i] : 0, room = bound + half_cell(r, o[i]), off = fabs(o[i] - v[i]);
        // An infinite bound or a value that is not finite is for the slow side: its comparisons fail here.
        uint8_t yes = (off <= room) & (room < INFINITY) & (off < INFINITY);
        sure[i] = yes;
        double x = off / (room + 0x1p-200);
        ratio[i] = x < INFINITY ? x : 0;
        count += yes;
    }
    double lane[LANES] = {0};
    size_t i = 0;
    for (; i + LANES <= n; i += LANES)
        for (int k = 0; k < LANES; k++) lane[k] = ratio[i + k] > lane[k] ? ratio[i + k] : lane[k];
    for (; i < n; i++) lane[0] = ratio[i] > lane[0] ? ratio[i] : lane[0];
    for (int k = 1; k < LANES; k++) lane[0] = lane[k] > lane[0] ? lane[k] : lane[0];
    *most = lane[0];
    return count;
}

static size_t sure_any(const CompareRule *r, const double *v, const double *e, const double *o, size_t n,
                       uint8_t *sure, double *ratio, double *most) {
    return e ? sure_loop(r, v, e, o, n, sure, ratio, most) : sure_loop(r, v, NULL, o, n, sure, ratio, most);
}

const CompareLoops ISA_NAME(compare_loops) = {.sure = sure_any};
