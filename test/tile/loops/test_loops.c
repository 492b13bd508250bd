// Every loop of the elementwise table against scalar arithmetic written down a second time, over random and
// special lanes.
#include <fenv.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "tile/loops/loop_lanes.h"

// ---- two operands ----

static double extreme(double a, double b, bool want_max) {
    if (a != a) return b;
    if (b != b) return a;
    if (a == b) return want_max == !signbit(a) ? a : b; // max prefers +0, min -0
    return (a > b) == want_max ? a : b;
}
// The reference; *bad as the loops report it. False: the type has no such operation.
static bool binary(InsnOp op, DType t, const Lanes *x, size_t i, const Lanes *y, size_t j, Lanes *out,
                   size_t k, uint32_t *bad) {
    if (op >= INSN_LT && op <= INSN_NE) {
        bool lt, eq;
        if (dtype_is_float(t))
            lt = get_float(t, x, i) < get_float(t, y, j), eq = get_float(t, x, i) == get_float(t, y, j);
        else
            lt = get_int(t, x, i) < get_int(t, y, j), eq = get_int(t, x, i) == get_int(t, y, j);
        bool nan = dtype_is_float(t) && isunordered(get_float(t, x, i), get_float(t, y, j));
        bool r[] = {lt, lt || eq, !nan && !lt && !eq, !nan && !lt, eq, !eq};
        out->b[k] = r[op - INSN_LT];
        return true;
    }
    if (dtype_is_float(t)) {
        double a = get_float(t, x, i), b = get_float(t, y, j), r;
        switch (op) {
        case INSN_ADD: r = dtype_round(t, a + b); break;
        case INSN_SUB: r = dtype_round(t, a - b); break;
        case INSN_MUL: r = dtype_round(t, a * b); break;
        case INSN_DIV: r = dtype_round(t, a / b); break;
        case INSN_MOD: r = fmod(a, b); break;
        case INSN_MAX: r = extreme(a, b, true); break;
        case INSN_MIN: r = extreme(a, b, false); break;
        case INSN_POW: r = dtype_round(t, f64_pow(a, b)); break;
        default: return false;
        }
        set_float(t, out, k, r);
        return true;
    }
    Wide a = get_int(t, x, i), b = get_int(t, y, j), r = 0;
    bool is_bool = t == DT_BOOL;
    switch (op) {
    case INSN_ADD: r = a + b; break;
    case INSN_SUB: r = a - b; break;
    case INSN_MUL: r = (Wide)((unsigned __int128)a * (unsigned __int128)b); break;
    case INSN_AND: r = a & b; break;
    case INSN_OR: r = a | b; break;
    case INSN_XOR: r = a ^ b; break;
    case INSN_MAX: r = a > b ? a : b; break;
    case INSN_MIN: r = a < b ? a : b; break;
    case INSN_IDIV:
    case INSN_MOD:
        if (is_bool) return false;
        if (b == 0)
            *bad |= LOOP_ZERO;
        else if (b == -1 && a == least(t))
            *bad |= LOOP_QUOTIENT;
        else
            r = op == INSN_IDIV ? a / b : a % b;
        if (*bad) return set_int(t, out, k, 0), true;
        break;
    case INSN_SHL:
    case INSN_SHR:
        if (is_bool) return false;
        if (b < 0 || b >= dtype_bits(t))
            *bad |= LOOP_SHIFT;
        else
            r = op == INSN_SHL ? (Wide)((unsigned __int128)a << (int)b) : a >> (int)b;
        break;
    default: return false;
    }
    set_int(t, out, k, wrap(t, r));
    return true;
}
static bool is_binary(InsnOp op) { return (op >= INSN_ADD && op <= INSN_NE) || op == INSN_POW; }

static void test_binary(void **state) {
    (void)state;
    static Lanes a, b, want, got;
    Rng r = rng_at(1, 1);
    int loops = 0;
    for (int op = 0; op < INSN_COUNT; op++) {
        if (!is_binary((InsnOp)op)) continue;
        for (int t = 0; t < DT_COUNT; t++) {
            fill((DType)t, &a, &r), fill((DType)t, &b, &r);
            uint32_t dummy = 0;
            bool has = !dtype_is_f8((DType)t) && binary((InsnOp)op, (DType)t, &a, 0, &b, 0, &want, 0, &dummy);
            assert_int_equal(has, tile_loops_base.op[op][t][0] != NULL);
            if (!has) continue;
            DType result = op >= INSN_LT && op <= INSN_NE ? DT_BOOL : (DType)t;
            for (int mode = 0; mode < 3; mode++) {
                for (int round = 0; round < 4; round++) {
                    size_t at = rng_u32(&r) % 100, n = round == 0 ? 1 : round == 1 ? 7 : N - at;
                    size_t size = lane_size((DType)t);
                    uint32_t bad = 0;
                    static uint32_t lane_bad[N];
                    for (size_t i = 0; i < n; i++) {
                        lane_bad[i] = 0;
                        binary((InsnOp)op, (DType)t, &a, at + (mode == 1 ? 0 : i), &b,
                               at + (mode == 2 ? 0 : i), &want, i, &lane_bad[i]);
                        bad |= lane_bad[i];
                    }
                    for (int isa = 0; isa < isas(); isa++) {
                        const TileLoops *l = tile_loops_of((IsaLevel)isa);
                        memset(&got, 0xee, sizeof got);
                        uint32_t is =
                            l->op[op][t][mode](&got, (char *)&a + at * size, (char *)&b + at * size, NULL, n);
                        assert_int_equal(is, bad);
                        for (size_t i = 0; i < n;
                             i++) // what a lane without a meaning holds is nobody's business
                            if (lane_bad[i] && lane_size(result) == 4)
                                want.u[i] = got.u[i];
                            else if (lane_bad[i])
                                want.ul[i] = got.ul[i];
                        check_same(insn_name((InsnOp)op), isa, result, &got, &want, n);
                        loops++;
                    }
                }
            }
        }
    }
    assert_true(loops > 1000);
}

// A tree in one call gives what its rounds give one by one, for odd lengths too.
static void test_trees(void **state) {
    (void)state;
    static Lanes a, want, got, scratch;
    static const InsnOp op[] = {INSN_ADD, INSN_MAX, INSN_MIN};
    static const size_t length[] = {1, 2, 3, 5, 8, 31, 64, 100, N};
    Rng r = rng_at(12, 1);
    for (int k = 0; k < 3; k++)
        for (int t = 0; t < DT_COUNT; t++) {
            bool has = dtype_is_float((DType)t) && !dtype_is_f8((DType)t);
            assert_int_equal(tile_loops_base.fold->tree[k][t] != NULL, has);
            for (size_t z = 0; has && z < sizeof length / sizeof *length; z++) {
                fill((DType)t, &a, &r);
                want = a;
                size_t size = (size_t)tile_lane_bytes(&(TileType){.elem = (DType)t});
                for (size_t n = length[z]; n > 1; n -= n / 2)
                    tile_loops_base.op[op[k]][t][0](&want, &want, (char *)&want + (n - n / 2) * size, NULL,
                                                    n / 2);
                for (int isa = 0; isa < isas(); isa++) {
                    tile_loops_of((IsaLevel)isa)->fold->tree[k][t](&got, &a, &scratch, length[z]);
                    check_same("tree", isa, (DType)t, &got, &want, 1);
                }
            }
        }
}

// The result may lie on an operand.
static void test_in_place(void **state) {
    (void)state;
    static Lanes a, b, want;
    Rng r = rng_at(2, 1);
    for (int op = INSN_ADD; op <= INSN_MIN; op++) {
        for (int t = 0; t < DT_COUNT; t++) {
            if (!tile_loops_base.op[op][t][0]) continue;
            for (int isa = 0; isa < isas(); isa++) {
                const TileLoops *l = tile_loops_of((IsaLevel)isa);
                fill((DType)t, &a, &r), fill((DType)t, &b, &r);
                l->op[op][t][0](&want, &a, &b, NULL, N);
                l->op[op][t][0](&a, &a, &b, NULL, N);
                check_same("in place", isa, (DType)t, &a, &want, N);
                l->op[op][t][0](&want, &a, &b, NULL, N);
                l->op[op][t][0](&b, &a, &b, NULL, N);
                check_same("in place", isa, (DType)t, &b, &want, N);
            }
        }
    }
}

static void test_propagate_nan(void **state) {
    (void)state;
    static Lanes a, b, want, got;
    Rng r = rng_at(3, 1);
    for (int t = DT_F16; t <= DT_F64; t++) {
        fill((DType)t, &a, &r), fill((DType)t, &b, &r);
        for (int op = INSN_MAX; op <= INSN_MIN; op++) {
            for (size_t i = 0; i < N; i++) {
                double x = get_float((DType)t, &a, i), y = get_float((DType)t, &b, i);
                set_float((DType)t, &want, i, x != x || y != y ? NAN : extreme(x, y, op == INSN_MAX));
            }
            for (int isa = 0; isa < isas(); isa++) {
                tile_loops_of((IsaLevel)isa)->propagate[op][t - DT_F16][0](&got, &a, &b, NULL, N);
                check_same("propagate", isa, (DType)t, &got, &want, N);
            }
        }
    }
}

static void test_checked(void **state) {
    (void)state;
    static Lanes a, b, want, got;
    Rng r = rng_at(4, 1);
    InsnOp ops[] = {INSN_ADD, INSN_SUB, INSN_MUL, INSN_SHL};
    int clean = 0, over = 0;
    for (int k = 0; k < 4; k++) {
        for (int round = 0; round < 400; round++) {
            fill(DT_I32, &a, &r), fill(DT_I32, &b, &r);
            int mode = round % 3;
            size_t n = 1 + rng_u32(&r) % 4;
            uint32_t bad = 0;
            for (size_t i = 0; i < n; i++) {
                uint32_t lane = 0;
                size_t ia = mode == 1 ? 0 : i, ib = mode == 2 ? 0 : i;
                binary(ops[k], DT_I32, &a, ia, &b, ib, &want, i, &lane);
                Wide x = a.i[ia], y = b.i[ib];
                Wide v = ops[k] == INSN_ADD   ? x + y
                         : ops[k] == INSN_SUB ? x - y
                         : ops[k] == INSN_MUL ? x * y
                         : lane               ? 0
                                              : x * ((Wide)1 << (int)y);
                if (v < INT32_MIN || v > INT32_MAX) lane |= LOOP_OVERFLOW;
                bad |= lane;
            }
            for (int isa = 0; isa < isas(); isa++) {
                uint32_t is = tile_loops_of((IsaLevel)isa)->checked[ops[k]][mode](&got, &a, &b, NULL, n);
                assert_int_equal(is, bad);
                check_same("checked", isa, DT_I32, &got, &want, n);
            }
            if (bad & LOOP_OVERFLOW)
                over++;
            else
                clean++;
        }
    }
    assert_true(clean > 100 && over > 100);
}

// ---- one operand ----

static double library(InsnOp op, double x) {
    switch (op) {
    case INSN_EXP: return exp(x);
    case INSN_EXP2: return exp2(x);
    case INSN_EXPM1: return expm1(x);
    case INSN_LOG: return log(x);
    case INSN_LOG2: return log2(x);
    case INSN_LOG1P: return log1p(x);
    case INSN_SQRT: return sqrt(x);
    case INSN_RSQRT: return 1 / sqrt(x);
    case INSN_SIN: return sin(x);
    case INSN_COS: return cos(x);
    case INSN_ERF: return erf(x);
    case INSN_TANH: return tanh(x);
    case INSN_FLOOR: return floor(x);
    case INSN_CEIL: return ceil(x);
    case INSN_RINT: return rint(x);
    case INSN_ROUND: return round(x);
    case INSN_TRUNC: return trunc(x);
    default: return fabs(x);
    }
}
static void test_unary(void **state) {
    (void)state;
    static Lanes a, base, got;
    Rng r = rng_at(5, 1);
    for (int op = INSN_ABS; op <= INSN_TRUNC; op++) {
        for (int t = 0; t < DT_COUNT; t++) {
            bool is_float = dtype_is_float((DType)t);
            bool has =
                !dtype_is_f8((DType)t) && (op == INSN_ABS || (op == INSN_INVERT ? !is_float : is_float));
            assert_int_equal(has, tile_loops_base.op[op][t][0] != NULL);
            if (!has) continue;
            fill((DType)t, &a, &r);
            for (int isa = 0; isa < isas(); isa++) {
                memset(&got, 0xee, sizeof got);
                tile_loops_of((IsaLevel)isa)->op[op][t][0](isa ? &got : &base, &a, NULL, NULL, N);
                if (isa) check_same(insn_name((InsnOp)op), isa, (DType)t, &got, &base, N);
            }
            for (size_t i = 0; i < N; i++) {
                if (!is_float) {
                    Wide x = get_int((DType)t, &a, i);
                    Wide want = op == INSN_ABS ? (x < 0 ? -x : x) : t == DT_BOOL ? !x : ~x;
                    assert_true(get_int((DType)t, &base, i) == wrap((DType)t, want));
                    continue;
                }
                double x = get_float((DType)t, &a, i), y = get_float((DType)t, &base, i),
                       exact = library((InsnOp)op, x);
                double want = dtype_round((DType)t, exact);
                bool sloppy =
                    t == DT_F64 && op != INSN_ABS && op != INSN_SQRT && op != INSN_FLOOR && op != INSN_CEIL;
                if (want != want || isinf(want) || want == 0) {
                    if (want != want ? y == y : y != want && !sloppy)
                        fail_msg("%s(%a) = %a, expected %a", insn_name((InsnOp)op), x, y, want);
                } else if (sloppy ? fabs(y - want) > 8 * dtype_half_ulp(DT_F64, want)
                                  : fabs(y - want) > 2 * dtype_half_ulp((DType)t, want)) {
                    fail_msg("%s(%a) = %a, expected %a (%s)", insn_name((InsnOp)op), x, y, want,
                             dtype_info[t].triton);
                }
            }
        }
    }
}

// ---- three operands ----

static double fma_reference(DType t, double a, double b, double c) {
    if (t == DT_F64) return fma(a, b, c);
    if (t == DT_F32) return fmaf((float)a, (float)b, (float)c);
    // The exact sum cut to double with its inexact bit ORed in, by the machine's own rounding mode and flags.
    volatile double p = a * b, s;
    feclearexcept(FE_INEXACT);
    fesetround(FE_TOWARDZERO);
    s = p + c;
    bool inexact = fetestexcept(FE_INEXACT);
    fesetround(FE_TONEAREST);
    uint64_t u;
    double out = s;
    memcpy(&u, &out, sizeof u);
    if (inexact && !isinf(out) && out == out) u |= 1;
    memcpy(&out, &u, sizeof u);
    return dtype_round(t, out);
}
static void test_fma(void **state) {
    (void)state;
    static Lanes a, b, c, want, got;
    Rng r = rng_at(6, 1);
    for (int t = DT_F16; t <= DT_F64; t++) {
        for (int round = 0; round < 14; round++) {
            int mode = round % 7;
            fill((DType)t, &a, &r), fill((DType)t, &b, &r), fill((DType)t, &c, &r);
            // Sums that end near a tie are where two roundings go wrong: c = -(a * b) rounded, give or take.
            for (size_t i = 0; i < N && mode == 0; i += 2) {
                double p = get_float((DType)t, &a, i) * get_float((DType)t, &b, i);
                set_float((DType)t, &c, i, dtype_round((DType)t, i % 4 ? -p : ldexp(p, 20 + (int)(i % 16))));
            }
            for (size_t i = 0; i < N; i++)
                set_float((DType)t, &want, i,
                          fma_reference((DType)t, get_float((DType)t, &a, mode & 1 ? 0 : i),
                                        get_float((DType)t, &b, mode & 2 ? 0 : i),
                                        get_float((DType)t, &c, mode & 4 ? 0 : i)));
            for (int isa = 0; isa < isas(); isa++) {
                tile_loops_of((IsaLevel)isa)->op[INSN_FMA][t][mode](&got, &a, &b, &c, N);
                check_same("FMA", isa, (DType)t, &got, &want, N);
            }
        }
    }
    // A case where rounding the exact sum first to double and then to float is wrong.
    float x = 0x1.000002p0f, y = 0x1.000002p0f, z = 0x1p-60f;
    tile_loops_base.op[INSN_FMA][DT_F32][0](&got, &x, &y, &z, 1);
    assert_true(got.f[0] == fmaf(x, y, z));
}
static void test_where(void **state) {
    (void)state;
    static Lanes m, b, c, want, got;
    Rng r = rng_at(7, 1);
    for (int t = 0; t < DT_COUNT; t++) {
        for (int mode = 0; mode < 7; mode++) {
            size_t size = lane_size((DType)t);
            fill(DT_BOOL, &m, &r), fill((DType)t, &b, &r), fill((DType)t, &c, &r);
            for (size_t i = 0; i < N; i++)
                memcpy((char *)&want + i * size,
                       m.b[mode & 1 ? 0 : i] ? (char *)&b + (mode & 2 ? 0 : i) * size
                                             : (char *)&c + (mode & 4 ? 0 : i) * size,
                       size);
            for (int isa = 0; isa < isas(); isa++) {
                tile_loops_of((IsaLevel)isa)->op[INSN_WHERE][t][mode](&got, &m, &b, &c, N);
                assert_memory_equal(&got, &want, N * size);
            }
        }
    }
}

static void test_division_near_2_to_52(void **state) {
    (void)state;
    enum { MANY = 4096 };
    static int64_t a[MANY], b[MANY], got[MANY], rest[MANY];
    Rng r = rng_at(3, 1);
    for (int round = 0; round < 4; round++) {
        int bits = round < 2 ? 52 : 53; // 53: some quotients would be wrong
        for (int i = 0; i < MANY; i++) {
            int most = 1 + (int)rng_below(&r, (uint64_t)bits - 1);
            int64_t by = 1 + (int64_t)(rng_u64(&r) >> (64 - most)), limit = ((int64_t)1 << bits) - 1;
            if (by > limit) by = limit;
            int64_t times = (int64_t)(rng_u64(&r) >> 12) % (limit / by) + 1,
                    off = (int64_t)rng_below(&r, 3) - 1, x = by * times + off;
            a[i] = x > limit ? limit : x;
            b[i] = by;
            if (round % 2 && (i & 1)) a[i] = -a[i];
            if (round % 2 && (i & 2)) b[i] = -b[i];
        }
        bool is_signed = round % 2;
        for (int isa = 0; isa < isas(); isa++) {
            const TileLoops *l = tile_loops_of((IsaLevel)isa);
            DType t = is_signed ? DT_I64 : DT_U64;
            for (int mode = 0; mode < 3; mode++) {
                assert_int_equal(l->op[INSN_IDIV][t][mode](got, a, b, NULL, MANY), 0);
                assert_int_equal(l->op[INSN_MOD][t][mode](rest, a, b, NULL, MANY), 0);
                for (int i = 0; i < MANY; i++) {
                    int64_t x = mode == 1 ? a[0] : a[i], y = mode == 2 ? b[0] : b[i];
                    assert_true(got[i] == x / y && rest[i] == x % y);
                }
            }
        }
    }
    // What looks small as a signed number is none; a zero is told wherever it is.
    for (int isa = 0; isa < isas(); isa++) {
        const TileLoops *l = tile_loops_of((IsaLevel)isa);
        uint64_t x[2] = {UINT64_MAX, 7}, y[2] = {3, 2}, q[2];
        assert_int_equal(l->op[INSN_IDIV][DT_U64][0](q, x, y, NULL, 2), 0);
        assert_true(q[0] == UINT64_MAX / 3 && q[1] == 3);
        y[1] = 0;
        assert_int_equal(l->op[INSN_IDIV][DT_U64][0](q, x, y, NULL, 2), LOOP_ZERO);
        int64_t p[2] = {5, 7}, z[2] = {3, 0}, s[2];
        assert_int_equal(l->op[INSN_MOD][DT_I64][0](s, p, z, NULL, 2), LOOP_ZERO);
        p[0] = INT64_MIN, z[0] = -1, z[1] = 1;
        assert_int_equal(l->op[INSN_IDIV][DT_I64][0](s, p, z, NULL, 2), LOOP_QUOTIENT);
    }
}

// By one number: numbers around its multiples, and around what a product with it may be.
static void test_one_factor(void **state) {
    (void)state;
    enum { MANY = 4096 };
    static int32_t a[MANY], got[MANY], rest[MANY], times[MANY];
    static const int32_t by[] = {1,       2,       3,          7,          16,         49,         1000,
                                 46341,   65536,   1 << 30,    INT32_MAX,  INT32_MIN,  -2,         -3,
                                 -46341,  -65536,  -INT32_MAX, 715827883,  -715827883, 1431655765, 0x7ffffffe,
                                 1000003, 2147483, 536870909,  -536870909, 357913941,  12345678,   -1};
    Rng r = rng_at(5, 1);
    int over = 0, clean = 0;
    for (size_t k = 0; k < sizeof by / sizeof *by; k++) {
        const int64_t b = by[k];
        for (int i = 0; i < MANY; i++) {
            int64_t near = (int64_t)(int32_t)rng_u32(&r) / b * b + (int64_t)rng_below(&r, 3) - 1,
                    limit = (i & 1 ? INT32_MAX : INT32_MIN) / b + (int64_t)rng_below(&r, 3) - 1,
                    x = k % 2 || i % 3 ? near : limit;
            if (i == 17) x = i & 1 ? INT32_MAX : INT32_MIN;
            if (i == 18) x = INT32_MAX;
            if (x > INT32_MAX) x = INT32_MAX;
            if (x < INT32_MIN) x = INT32_MIN;
            if (b == -1 && x == INT32_MIN) x++;
            a[i] = (int32_t)x;
        }
        for (int isa = 0; isa < isas(); isa++) {
            const TileLoops *l = tile_loops_of((IsaLevel)isa);
            assert_int_equal(l->op[INSN_IDIV][DT_I32][2](got, a, &by[k], NULL, MANY), 0);
            assert_int_equal(l->op[INSN_MOD][DT_I32][2](rest, a, &by[k], NULL, MANY), 0);
            for (int i = 0; i < MANY; i++) assert_true(got[i] == a[i] / b && rest[i] == a[i] % b);
            for (int i = 0; i < MANY; i++) { // one lane that overflows tells
                const int64_t x = a[i] * b;
                const bool bad = x > INT32_MAX || x < INT32_MIN;
                assert_int_equal(l->checked[INSN_MUL][2](times, &a[i], &by[k], NULL, 1),
                                 bad ? LOOP_OVERFLOW : 0);
                assert_int_equal(times[0], (int32_t)(uint32_t)x);
                assert_int_equal(l->checked[INSN_MUL][1](times, &by[k], &a[i], NULL, 1),
                                 bad ? LOOP_OVERFLOW : 0);
                over += bad, clean += !bad;
            }
        }
    }
    assert_true(over > 1000 && clean > 1000);
    // Sums, of which one lane of many overflows, and none does.
    for (int isa = 0; isa < isas(); isa++) {
        const TileLoops *l = tile_loops_of((IsaLevel)isa);
        const int32_t one = 1;
        for (int i = 0; i < MANY; i++) a[i] = INT32_MAX - 1;
        assert_int_equal(l->checked[INSN_ADD][2](got, a, &one, NULL, MANY), 0);
        a[MANY - 5] = INT32_MAX;
        assert_int_equal(l->checked[INSN_ADD][2](got, a, &one, NULL, MANY), LOOP_OVERFLOW);
        for (int i = 0; i < MANY; i++) a[i] = INT32_MIN + 1;
        assert_int_equal(l->checked[INSN_SUB][2](got, a, &one, NULL, MANY), 0);
        a[MANY - 5] = INT32_MIN;
        assert_int_equal(l->checked[INSN_SUB][2](got, a, &one, NULL, MANY), LOOP_OVERFLOW);
        const int32_t zero = 0;
        assert_int_equal(l->op[INSN_IDIV][DT_I32][2](got, a, &zero, NULL, MANY), LOOP_ZERO);
        const int32_t minus = -1;
        assert_int_equal(l->op[INSN_IDIV][DT_I32][2](got, a, &minus, NULL, MANY), LOOP_QUOTIENT);
        assert_int_equal(got[0], INT32_MAX);
    }
}

// Every pair of these, with either operand as the one lane beside many: zeros of both signs, and no NaN's
// bits.
static void test_signed_extremes(void **state) {
    (void)state;
    static const float one[] = {0.0f, -0.0f, 1, -1, INFINITY, -INFINITY, NAN};
    enum { KINDS = sizeof one / sizeof *one, MANY = 37 };
    float a[MANY], b[MANY], got[MANY];
    for (int isa = 0; isa < isas(); isa++)
        for (int k = 0; k < KINDS * KINDS * 6; k++) {
            float x = one[k % KINDS], y = one[k / KINDS % KINDS];
            int mode = k / KINDS / KINDS % 3;
            bool most = k / KINDS / KINDS / 3;
            for (int i = 0; i < MANY; i++) a[i] = x, b[i] = y;
            for (int i = 0; i < MANY && mode != ONE_A; i += 5) a[i] = 0.5f;
            tile_loops_of((IsaLevel)isa)->op[most ? INSN_MAX : INSN_MIN][DT_F32][mode](got, a, b, NULL, MANY);
            for (int i = 0; i < MANY; i++) {
                float l = mode == ONE_A ? a[0] : a[i], r = mode == ONE_B ? b[0] : b[i];
                float want = (float)extreme(l, r, most);
                assert_true(want != want ? got[i] != got[i] : memcmp(&want, &got[i], sizeof want) == 0);
            }
        }
}

// tf32: low bits go, but a NaN that has only such stays one.
static void test_cut(void **state) {
    (void)state;
    static const uint32_t bits[] = {0x3f801fff, 0xbf801fff, 0x7f800001, 0xff800001,
                                    0x7fc01fff, 0x7f800000, 0x1fff};
    static const uint32_t want[] = {0x3f800000, 0xbf800000, 0x7f800001, 0xff800001,
                                    0x7fc01fff, 0x7f800000, 0};
    enum { KINDS = sizeof bits / sizeof *bits, MANY = 5 * KINDS };
    uint32_t a[MANY], got[MANY];
    const uint32_t keep = UINT32_MAX << 13;
    for (int i = 0; i < MANY; i++) a[i] = bits[i % KINDS];
    for (int isa = 0; isa < isas(); isa++) {
        tile_loops_of((IsaLevel)isa)->fold->cut(got, a, &keep, NULL, MANY);
        for (int i = 0; i < MANY; i++) assert_int_equal(got[i], want[i % KINDS]);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_binary),
        cmocka_unit_test(test_in_place),
        cmocka_unit_test(test_propagate_nan),
        cmocka_unit_test(test_checked),
        cmocka_unit_test(test_one_factor),
        cmocka_unit_test(test_unary),
        cmocka_unit_test(test_fma),
        cmocka_unit_test(test_where),
        cmocka_unit_test(test_trees),
        cmocka_unit_test(test_division_near_2_to_52),
        cmocka_unit_test(test_signed_extremes),
        cmocka_unit_test(test_cut),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
