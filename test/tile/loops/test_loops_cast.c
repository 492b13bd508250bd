// Conversions between every two types, chopped ones too, against the same written down a second time.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "tile/loops/loop_lanes.h"

static double chop(DType t, double x) {
    double y = dtype_round(t, x);
    if (x != x) return y;
    if (isinf(x)) return x;
    if (isinf(y)) return copysign(dtype_max(t), x);
    return fabs(y) > fabs(x) ? dtype_next(t, y, x > 0 ? -1 : 1) : y;
}
static void cast_reference(DType from, const Lanes *a, DType to, Lanes *out, size_t i) {
    if (dtype_is_float(from)) {
        double x = get_float(from, a, i);
        if (dtype_is_float(to)) return set_float(to, out, i, dtype_round(to, x));
        if (to == DT_BOOL) return set_int(to, out, i, x != 0);
        double y = trunc(x);
        Wide v = x != x ? 0 : y >= 0x1p65 ? most(to) : y <= -0x1p65 ? least(to) : (Wide)y;
        return set_int(to, out, i, v < least(to) ? least(to) : v > most(to) ? most(to) : v);
    }
    Wide v = get_int(from, a, i);
    if (to == DT_BOOL) return set_int(to, out, i, v != 0);
    if (!dtype_is_float(to)) return set_int(to, out, i, wrap(to, v));
    if (to == DT_F32 || to == DT_F64) {
        bool big = from == DT_U64;
        double x = big ? (double)(uint64_t)v : (double)(int64_t)v;
        return set_float(to, out, i,
                         to == DT_F64 ? x
                         : big        ? (double)(float)(uint64_t)v
                                      : (double)(float)(int64_t)v);
    }
    // To 16 bits: nearest by trying the neighbours with exact integers. Values of 16-bit floats from 2^12 on
    // are integers.
    double y = dtype_round(to, (double)v);
    if (!isinf(y) && fabs(y) > 4096) {
        double best = y;
        for (int dir = -1; dir <= 1; dir += 2) {
            double other = dtype_next(to, y, dir);
            Wide e0 = v - (Wide)best, e1 = v - (Wide)other;
            if ((e1 < 0 ? -e1 : e1) < (e0 < 0 ? -e0 : e0)) best = other;
        }
        y = best;
    }
    set_float(to, out, i, y);
}
static void test_casts(void **state) {
    (void)state;
    static Lanes a, want, got;
    Rng r = rng_at(8, 1);
    for (int from = 0; from < DT_COUNT; from++) {
        for (int to = 0; to < DT_COUNT; to++) {
            bool f8 = dtype_is_f8((DType)from) || dtype_is_f8((DType)to);
            if (f8 && !(dtype_is_float((DType)from) && dtype_is_float((DType)to))) {
                assert_null(tile_loops_base.cast->cast[from][to]);
                continue;
            }
            for (int round = 0; round < 3; round++) {
                fill((DType)from, &a, &r);
                for (size_t i = 0; i < N; i++) cast_reference((DType)from, &a, (DType)to, &want, i);
                for (int isa = 0; isa < isas(); isa++) {
                    char what[64];
                    snprintf(what, sizeof what, "cast from %s to", dtype_info[from].triton);
                    memset(&got, 0xee, sizeof got);
                    tile_loops_of((IsaLevel)isa)->cast->cast[from][to](&got, &a, NULL, NULL, N);
                    check_same(what, isa, (DType)to, &got, &want, N);
                    if (!dtype_is_float((DType)from) || !dtype_is_float((DType)to)) continue;
                    if (f8 && (to != DT_F8E5 || dtype_is_f8((DType)from))) continue;
                    static Lanes chopped;
                    for (size_t i = 0; i < N; i++)
                        set_float((DType)to, &chopped, i, chop((DType)to, get_float((DType)from, &a, i)));
                    tile_loops_of((IsaLevel)isa)->cast->chop[from][to](&got, &a, NULL, NULL, N);
                    check_same("chop", isa, (DType)to, &got, &chopped, N);
                }
            }
        }
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_casts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
