// Moves, reductions and scans: every lane where it belongs, and sums in the documented order, bit for bit.
#include "base/numeric/rng.h"
#include "tile/asm.h"
#include "tile/compute/step.h"
#include <math.h>

static void test_moves(void **state) {
    (void)state;
    for (int t = 0; t < DT_COUNT; t++) {
        Rig r;
        rig_open(&r);
        uint8_t raw[24 * 8];
        for (size_t i = 0; i < sizeof raw; i++) raw[i] = t == DT_BOOL ? i % 3 == 0 : (uint8_t)(i % 61);
        size_t size = (size_t)dtype_bytes((DType)t);
        Storage *x = rig_storage(&r, (DType)t, 24, raw, true),
                *y = rig_storage(&r, (DType)t, 24, NULL, false),
                *z = rig_storage(&r, (DType)t, 72, NULL, false);
        Asm s = asm_new(&r.arena);
        TileType cube = {.elem = (DType)t, .rank = 3, .shape = {2, 3, 4}},
                 turned = {.elem = (DType)t, .rank = 3, .shape = {4, 2, 3}};
        TileType flat = {.elem = (DType)t, .rank = 3, .shape = {24, 1, 1}},
                 wide = {.elem = (DType)t, .rank = 3, .shape = {24, 3, 1}};
        int v = take_in(&s, 0, cube);
        put_out(&s, 1, asm_new_reg(&s, turned, INSN_TRANS, v, -1, -1, 0x102)); // dims 2, 0, 1
        put_out(&s, 2,
                asm_new_reg(&s, wide, INSN_BROADCAST, asm_new_reg(&s, flat, INSN_RESHAPE, v, -1, -1, 0), -1,
                            -1, 0));
        expect_clean(&r, rig_run(&r, asm_done(&s),
                                 (int64_t[]){rig_address(x), rig_address(y), rig_address(z)}, 1, 1, 1));
        for (int a = 0; a < 4; a++)
            for (int b = 0; b < 2; b++)
                for (int c = 0; c < 3; c++)
                    assert_memory_equal(y->data + (size_t)(a * 6 + b * 3 + c) * size,
                                        x->data + (size_t)(b * 12 + c * 4 + a) * size, size);
        for (size_t i = 0; i < 72; i++) assert_memory_equal(z->data + i * size, x->data + i / 3 * size, size);
        rig_close(&r);
    }
}

// Walks of all kinds against their definition, before and after axes are merged: strides of 0, 1, more, and
// backwards; rows of every length that has a loop of its own.
static void test_walks(void **state) {
    (void)state;
    enum { LANES = 4096, MID = LANES / 2 };
    static uint8_t from[LANES * 8], want[LANES * 8], got[LANES * 8];
    for (size_t i = 0; i < sizeof from; i++) from[i] = (uint8_t)(i * 7 + i / 256);
    Rng rng = rng_at(6, 6);
    int merged = 0;
    for (int turn = 0; turn < 3000; turn++) {
        static const int lengths[] = {1, 2, 3, 4, 5, 8, 16, 17};
        Walk w = {.rank = (int)rng_below(&rng, 4)};
        int lanes = 1, dense = 1, size = (int[]){1, 4, 8}[turn % 3];
        for (int k = w.rank - 1; k >= 0; k--) {
            w.shape[k] = lengths[rng_below(&rng, k ? 5 : 8)];
            int other = (int)rng_below(&rng, 11) - 5, how = (int)rng_below(&rng, 4);
            w.stride[k] = how == 0 ? other : how == 1 ? 0 : dense;
            lanes *= w.shape[k], dense *= w.shape[k];
        }
        for (int i = 0; i < lanes; i++) {
            int at = MID, rest = i;
            for (int k = w.rank - 1; k >= 0; k--) at += rest % w.shape[k] * w.stride[k], rest /= w.shape[k];
            memcpy(want + i * size, from + at * size, (size_t)size);
        }
        for (int again = 0; again < 2; again++) {
            memset(got, 0xa5, sizeof got);
            step_walk(&w, size, got, from + MID * size);
            assert_memory_equal(got, want, (size_t)(lanes * size));
            assert_int_equal(got[lanes * size], 0xa5);
            int rank = w.rank;
            walk_merge(&w);
            merged += w.rank < rank;
        }
    }
    assert_true(merged > 1000);
}

static float tree_sum(const float *x, int n, int stride) { // the documented order, written recursively
    float half[1024];
    if (n == 1) return x[0];
    int h = n - n / 2;
    for (int i = 0; i < h; i++) half[i] = i + h < n ? x[i * stride] + x[(i + h) * stride] : x[i * stride];
    return tree_sum(half, h, 1);
}
static float scan_at(const float *x, int i, int span, int stride,
                     int n) { // value of lane i when spans of `span` are folded
    if (span == 1) return x[i * stride];
    int before = i - span / 2;
    float own = scan_at(x, i, span / 2, stride, n);
    return before < 0 ? own : scan_at(x, before, span / 2, stride, n) + own;
}
static void test_sum_and_scan_order(void **state) {
    (void)state;
    const int shapes[][3] = {{1, 64, 1}, {4, 32, 1}, {16, 8, 1}, {1, 16, 8},   {2, 8, 4},
                             {32, 2, 1}, {3, 7, 5},  {9, 5, 1},  {1, 1024, 1}, {8, 1, 2}};
    Rng rng = rng_at(5, 5);
    for (size_t k = 0; k < sizeof shapes / sizeof *shapes; k++) {
        int o = shapes[k][0], n = shapes[k][1], in = shapes[k][2], all = o * n * in;
        Rig r;
        rig_open(&r);
        float *data = NEWN(&r.arena, float, (size_t)all);
        for (int i = 0; i < all; i++)
            data[i] = (float)(rng_normal(&rng) * ldexp(1.0, (int)(rng_u32(&rng) % 12)));
        Storage *x = rig_storage(&r, DT_F32, (size_t)all, data, true),
                *y = rig_storage(&r, DT_F32, (size_t)(o * in), NULL, false);
        Storage *up = rig_storage(&r, DT_F32, (size_t)all, NULL, false),
                *down = rig_storage(&r, DT_F32, (size_t)all, NULL, false);
        Asm s = asm_new(&r.arena);
        TileType t = {.elem = DT_F32, .rank = 3, .shape = {o, n, in}};
        int v = take_in(&s, 0, t);
        put_out(&s, 1, asm_new_reg(&s, matrix_type(DT_F32, o, in), INSN_SUM, v, -1, -1, 1));
        put_out(&s, 2, asm_new_reg(&s, t, INSN_CUMSUM, v, -1, -1, 1));
        put_out(&s, 3, asm_new_reg(&s, t, INSN_CUMSUM, v, -1, -1, 1 | 16));
        expect_clean(&r,
                     rig_run(&r, asm_done(&s),
                             (int64_t[]){rig_address(x), rig_address(y), rig_address(up), rig_address(down)},
                             1, 1, 1));
        int span = 1;
        while (span < n) span *= 2;
        for (int a = 0; a < o; a++) {
            for (int c = 0; c < in; c++) {
                const float *row = data + a * n * in + c;
                float want = tree_sum(row, n, in);
                assert_memory_equal(y->data + 4 * (a * in + c), &want, 4);
                float turned[1024];
                for (int i = 0; i < n; i++) turned[i] = row[(n - 1 - i) * in];
                for (int i = 0; i<n; i += n> 64 ? 37 : 1) {
                    float u = scan_at(row, i, span, in, n), d = scan_at(turned, n - 1 - i, span, 1, n);
                    assert_memory_equal(up->data + 4 * (a * n * in + i * in + c), &u, 4);
                    assert_memory_equal(down->data + 4 * (a * n * in + i * in + c), &d, 4);
                }
            }
        }
        rig_close(&r);
    }
}

static void test_other_folds(void **state) {
    (void)state;
    Rig r;
    rig_open(&r);
    float data[16] = {3, NAN, -1, 7, NAN, NAN, NAN, NAN, 7, 7, -0.0f, 0, -1, -1, NAN, 2};
    int32_t ints[16] = {5, -3, 9, 9, 1, 2, 4, 8, -7, -7, -7, -7, INT32_MAX, 1, 1, 0};
    Storage *x = rig_storage(&r, DT_F32, 16, data, true), *xi = rig_storage(&r, DT_I32, 16, ints, true);
    Storage *hi = rig_storage(&r, DT_F32, 4, NULL, false), *lo = rig_storage(&r, DT_F32, 4, NULL, false),
            *ahi = rig_storage(&r, DT_I32, 4, NULL, false), *alo = rig_storage(&r, DT_I32, 4, NULL, false);
    Storage *xs = rig_storage(&r, DT_I32, 4, NULL, false), *is = rig_storage(&r, DT_I32, 4, NULL, false),
            *cp = rig_storage(&r, DT_I32, 16, NULL, false), *all = rig_storage(&r, DT_I32, 1, NULL, false);
    Asm s = asm_new(&r.arena);
    int v = take_in(&s, 0, matrix_type(DT_F32, 4, 4)), w = take_in(&s, 1, matrix_type(DT_I32, 4, 4));
    put_out(&s, 2, asm_new_reg(&s, vector_type(DT_F32, 4), INSN_RMAX, v, -1, -1, 1));
    put_out(&s, 3, asm_new_reg(&s, vector_type(DT_F32, 4), INSN_RMIN, v, -1, -1, 1));
    put_out(&s, 4, asm_new_reg(&s, vector_type(DT_I32, 4), INSN_ARGMAX, v, -1, -1, 1));
    put_out(&s, 5, asm_new_reg(&s, vector_type(DT_I32, 4), INSN_ARGMIN, w, -1, -1, 0));
    put_out(&s, 6, asm_new_reg(&s, vector_type(DT_I32, 4), INSN_XORSUM, w, -1, -1, 1));
    put_out(&s, 7, asm_new_reg(&s, vector_type(DT_I32, 4), INSN_SUM, w, -1, -1, 1));
    put_out(&s, 8, asm_new_reg(&s, matrix_type(DT_I32, 4, 4), INSN_CUMPROD, w, -1, -1, 0));
    put_out(&s, 9, asm_new_reg(&s, scalar_type(DT_I32), INSN_RMAX, w, -1, -1, -1));
    int64_t args[] = {rig_address(x),   rig_address(xi), rig_address(hi), rig_address(lo), rig_address(ahi),
                      rig_address(alo), rig_address(xs), rig_address(is), rig_address(cp), rig_address(all)};
    expect_clean(&r, rig_run(&r, asm_done(&s), args, 1, 1, 1));
    float fh[4], fl[4];
    int32_t ah[4], al[4], xo[4], su[4], pr[16], top;
    memcpy(fh, hi->data, 16), memcpy(fl, lo->data, 16), memcpy(ah, ahi->data, 16), memcpy(al, alo->data, 16);
    memcpy(xo, xs->data, 16), memcpy(su, is->data, 16), memcpy(pr, cp->data, 64), memcpy(&top, all->data, 4);
    assert_true(fh[0] == 7 && fh[1] != fh[1] && fh[2] == 7 && fh[3] == 2);
    assert_true(fl[0] == -1 && fl[1] != fl[1] && fl[2] == 0 && signbit(fl[2]) && fl[3] == -1);
    assert_true(ah[0] == 3 && ah[1] == 0 && ah[2] == 0 && ah[3] == 3);
    assert_true(al[0] == 2 && al[1] == 2 && al[2] == 2 && al[3] == 2);
    for (int i = 0; i < 4; i++) {
        assert_int_equal(xo[i], ints[4 * i] ^ ints[4 * i + 1] ^ ints[4 * i + 2] ^ ints[4 * i + 3]);
        assert_int_equal(su[i], (int32_t)((uint32_t)ints[4 * i] + (uint32_t)ints[4 * i + 1] +
                                          (uint32_t)ints[4 * i + 2] + (uint32_t)ints[4 * i + 3]));
        uint32_t p = 1;
        for (int k = 0; k < 4; k++)
            p *= (uint32_t)ints[4 * k + i], assert_int_equal(pr[4 * k + i], (int32_t)p);
    }
    assert_int_equal(top, INT32_MAX);
    rig_close(&r);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_moves),
        cmocka_unit_test(test_walks),
        cmocka_unit_test(test_sum_and_scan_order),
        cmocka_unit_test(test_other_folds),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
