#include "judge/decide/compare_simd.h"

#include <math.h>
#include <string.h>

#include "base/build.h"
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

static inline double room_of(const CompareRule *r, const double *e, size_t i, double o) {
    return (e ? r->scale * e[i] : 0) + half_cell(r, o);
}
#define ROOM_MIN 0x1p-200 // no division by zero

// A quotient that rounds to more than `least` has a numerator above least * (1 - 2^-49) times the
// denominator, however these products round.
static inline size_t sure_loop(const CompareRule *r, const double *restrict v, const double *restrict e,
                               const double *restrict o, size_t n, uint8_t *restrict sure, double least,
                               bool *beyond) {
    size_t count = 0;
    uint64_t any = 0;
    double below = least * (1 - 0x1p-49);
    for (size_t i = 0; i < n; i++) {
        double room = room_of(r, e, i, o[i]), off = fabs(o[i] - v[i]);
        // An infinite bound or a value that is not finite is for the slow side: its comparisons fail here.
        uint8_t yes = (off <= room) & (room < INFINITY) & (off < INFINITY);
        sure[i] = yes;
        any |= off > below * (room + ROOM_MIN);
        count += yes;
    }
    *beyond = any != 0 || least < 0;
    return count;
}

enum { LANES = 8 }; // of the running maximum: written out, so that the loop vectorises

static inline double ratio_loop(const CompareRule *r, const double *restrict v, const double *restrict e,
                                const double *restrict o, size_t n, double *restrict ratio) {
    for (size_t i = 0; i < n; i++) {
        double x = fabs(o[i] - v[i]) / (room_of(r, e, i, o[i]) + ROOM_MIN);
        ratio[i] = x < INFINITY ? x : 0;
    }
    double lane[LANES] = {0};
    size_t i = 0;
    for (; i + LANES <= n; i += LANES)
        for (int k = 0; k < LANES; k++) lane[k] = ratio[i + k] > lane[k] ? ratio[i + k] : lane[k];
    for (; i < n; i++) lane[0] = ratio[i] > lane[0] ? ratio[i] : lane[0];
    for (int k = 1; k < LANES; k++) lane[0] = lane[k] > lane[0] ? lane[k] : lane[0];
    return lane[0];
}

static size_t sure_any(const CompareRule *r, const double *v, const double *e, const double *o, size_t n,
                       uint8_t *sure, double least, bool *beyond) {
    LOOP_READS(v, n), LOOP_READS(o, n), LOOP_WRITES(sure, n);
    if (e) LOOP_READS(e, n);
    return e ? sure_loop(r, v, e, o, n, sure, least, beyond)
             : sure_loop(r, v, NULL, o, n, sure, least, beyond);
}
static double ratios_any(const CompareRule *r, const double *v, const double *e, const double *o, size_t n,
                         double *ratio) {
    LOOP_READS(v, n), LOOP_READS(o, n), LOOP_WRITES(ratio, n);
    if (e) LOOP_READS(e, n);
    return e ? ratio_loop(r, v, e, o, n, ratio) : ratio_loop(r, v, NULL, o, n, ratio);
}

const CompareLoops ISA_NAME(compare_loops) = {.sure = sure_any, .ratios = ratios_any};
