// loop_lanes.h - lanes of every type for the tests of the loops: filling, reading, comparing. Included by one
// test program each, after cmocka.h.
#pragma once
#include "base/numeric/fmath.h"
#include "base/numeric/rng.h"
#include "tile/loops/loops.h"
#include <math.h>
#include <stdlib.h>

enum { N = 531 }; // more than two blocks of the functions, and an odd rest
typedef __int128 Wide;

typedef union {
    uint8_t b[N + 1];
    int32_t i[N + 1];
    uint32_t u[N + 1];
    int64_t l[N + 1];
    uint64_t ul[N + 1];
    float f[N + 1];
    double d[N + 1];
} Lanes;

static __attribute__((unused)) size_t lane_size(DType t) {
    TileType tt = {.elem = t};
    return (size_t)tile_lane_bytes(&tt);
}
static __attribute__((unused)) double get_float(DType t, const Lanes *x, size_t i) {
    return t == DT_F64 ? x->d[i] : (double)x->f[i];
}
static __attribute__((unused)) void set_float(DType t, Lanes *x, size_t i, double v) {
    if (t == DT_F64)
        x->d[i] = v;
    else
        x->f[i] = (float)v;
}
static __attribute__((unused)) Wide get_int(DType t, const Lanes *x, size_t i) {
    if (t == DT_BOOL) return x->b[i];
    if (t == DT_I64) return x->l[i];
    if (t == DT_U64) return x->ul[i];
    return dtype_info[t].kind == DTYPE_KIND_I ? (Wide)x->i[i] : (Wide)x->u[i];
}
static __attribute__((unused)) void set_int(DType t, Lanes *x, size_t i, Wide v) {
    if (t == DT_BOOL)
        x->b[i] = v & 1;
    else if (lane_size(t) == 8)
        x->ul[i] = (uint64_t)v;
    else
        x->u[i] = (uint32_t)v;
}
static __attribute__((unused)) Wide wrap(DType t, Wide v) {
    int bits = dtype_bits(t);
    Wide m = (Wide)1 << bits;
    v &= m - 1;
    return dtype_info[t].kind == DTYPE_KIND_I && v >> (bits - 1) ? v - m : v;
}
static __attribute__((unused)) Wide least(DType t) {
    return dtype_info[t].kind == DTYPE_KIND_I ? -((Wide)1 << (dtype_bits(t) - 1)) : 0;
}
static __attribute__((unused)) Wide most(DType t) {
    return dtype_info[t].kind == DTYPE_KIND_I ? -least(t) - 1 : ((Wide)1 << dtype_bits(t)) - 1;
}

static const double special[] = {
    0.0,    -0.0,    1,           -1,       INFINITY, -INFINITY,  NAN,
    65504,  -65504,  65519.99,    65520,    0x1p-14,  0x1p-24,    0x1p-25,
    1.5,    2.5,     0x1p-126,    0x1p-149, 0x1p-133, 0x1.fep127, 3.4028234663852886e38,
    0x1p31, -0x1p31, 0x1p63,      -0x1p63,  0x1p64,   0x1p-1074,  1e308,
    -1e308, 127.9,   -128.9,      0.49999,  -0.7,     2147483647, 4294967295,
    88.0,   -104.0,  0x1.fffp-15, 1e-30,    -1e-30};
static __attribute__((unused)) void fill(DType t, Lanes *x, Rng *r) {
    for (size_t i = 0; i <= N; i++) {
        uint32_t kind = rng_u32(r) % 8;
        if (dtype_is_float(t)) {
            double v = special[rng_u32(r) % (sizeof special / sizeof *special)];
            if (kind >= 2)
                v = rng_normal(r) * ldexp(1.0, (int)(rng_u32(r) % (kind < 5 ? 8 : 60)) - (kind < 5 ? 4 : 30));
            if (kind == 7) v = rng_normal(r) * ldexp(1.0, (int)(rng_u32(r) % 300) - 150);
            set_float(t, x, i, dtype_round(t, v));
        } else {
            Wide v = (Wide)(int64_t)rng_u64(r);
            if (kind == 0) v = least(t);
            if (kind == 1) v = most(t);
            if (kind == 2) v = 0;
            if (kind == 3) v = -1;
            if (kind == 4) v = (Wide)(rng_u32(r) % 70);
            if (kind == 5) v = (Wide)(rng_u32(r) % 70000) - 35000;
            set_int(t, x, i, wrap(t, v));
        }
    }
}
static __attribute__((unused)) bool same_lane(DType t, const Lanes *x, const Lanes *y, size_t i) {
    if (!dtype_is_float(t)) return get_int(t, x, i) == get_int(t, y, i);
    double a = get_float(t, x, i), b = get_float(t, y, i);
    if (a != a || b != b) return a != a && b != b;
    return a == b && signbit(a) == signbit(b);
}
static __attribute__((unused)) void check_same(const char *what, int isa, DType t, const Lanes *got,
                                               const Lanes *want, size_t n) {
    for (size_t i = 0; i < n; i++) {
        if (same_lane(t, got, want, i)) continue;
        if (dtype_is_float(t))
            fail_msg("%s %s isa %d lane %zu: %a, expected %a", what, dtype_info[t].triton, isa, i,
                     get_float(t, got, i), get_float(t, want, i));
        fail_msg("%s %s isa %d lane %zu: %lld, expected %lld", what, dtype_info[t].triton, isa, i,
                 (long long)get_int(t, got, i), (long long)get_int(t, want, i));
    }
}
static __attribute__((unused)) int isas(void) { return (int)isa_level() + 1; }
