// From code and arguments to steps: what a constant or an argument becomes in its register's type.
#include "tile/asm.h"
#include "tile/vm/decode.h"
#include <math.h>

static void test_cells(void **state) {
    (void)state;
    Rig r;
    rig_open(&r);
    Storage *f = rig_storage(&r, DT_F32, 1, NULL, false), *h = rig_storage(&r, DT_F16, 1, NULL, false),
            *i = rig_storage(&r, DT_I8, 1, NULL, false);
    Storage *d = rig_storage(&r, DT_F64, 1, NULL, false), *l = rig_storage(&r, DT_I64, 1, NULL, false);
    Asm s = asm_new(&r.arena);
    put_out(&s, 0, asm_param(&s, scalar_type(DT_F32), 5));
    put_out(&s, 1, asm_float(&s, DT_F16, 0.1));
    put_out(&s, 2, asm_int(&s, DT_I8, 300));
    put_out(&s, 3, asm_param(&s, scalar_type(DT_F64), 5));
    put_out(&s, 4, asm_param(&s, scalar_type(DT_I64), 6));
    int64_t args[] = {rig_address(f), rig_address(h),      rig_address(i), rig_address(d),
                      rig_address(l), bits_of_double(0.1), INT64_MIN + 5};
    expect_clean(&r, rig_run(&r, asm_done(&s), args, 1, 1, 1));
    float want = 0.1f;
    double exact = 0.1;
    uint16_t half = f16_from_f64(0.1);
    assert_memory_equal(f->data, &want, 4);
    assert_memory_equal(h->data, &half, 2);
    assert_int_equal((int8_t)i->data[0], 44);
    assert_memory_equal(d->data, &exact, 8);
    assert_memory_equal(l->data, &args[6], 8);
    rig_close(&r);
}

static void test_widest_tile(void **state) {
    (void)state;
    Rig r;
    rig_open(&r);
    Asm s = asm_new(&r.arena);
    asm_int(&s, DT_I32, 1);
    assert_int_equal(decode_lanes_max(asm_done(&s)), 1);
    s = asm_new(&r.arena);
    (void)asm_arange(&s, 64);
    (void)asm_new_reg(&s, matrix_type(DT_F32, 8, 32), INSN_SPLAT, asm_float(&s, DT_F32, 1), -1, -1, 0);
    assert_int_equal(decode_lanes_max(asm_done(&s)), 256);
    rig_close(&r);
}

// What a GPU needs many instructions for is counted, and charged no more than before.
static void test_functions_are_counted(void **state) {
    (void)state;
    static const struct {
        InsnOp op;
        int64_t each;
    } row[] = {{INSN_ADD, 0}, {INSN_MAX, 0}, {INSN_EXP, 2}, {INSN_DIV, 8}, {INSN_ERF, 30}, {INSN_TANH, 40}};
    int64_t charged = 0;
    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        Rig r;
        rig_open(&r);
        Storage *y = rig_storage(&r, DT_F32, 64, NULL, false);
        Asm s = asm_new(&r.arena);
        bool two = row[i].op == INSN_ADD || row[i].op == INSN_MAX || row[i].op == INSN_DIV;
        int x = asm_cast(&s, asm_arange(&s, 64), DT_F32);
        int v = asm_new_reg(&s, vector_type(DT_F32, 64), row[i].op, x, two ? x : -1, -1, 0);
        int p = asm_param(&s, pointer_to(scalar_type(DT_F32)), 0);
        asm_store(&s, asm_ptradd(&s, p, asm_arange(&s, 64)), v, -1);
        expect_clean(&r, rig_run(&r, asm_done(&s), (int64_t[]){rig_address(y)}, 1, 1, 1));
        assert_int_equal(r.m.count.function_lanes, row[i].each * 64);
        if (i == 0) charged = r.m.count.lanes;
        assert_int_equal(r.m.count.lanes, charged);
        rig_close(&r);
    }
}

// Integers are reduced to their type, floats rounded to it once; a bool is 0 or 1.
static void test_each_type(void **state) {
    (void)state;
    static const struct {
        DType t;
        int64_t given, want;
    } whole[] = {{DT_I8, 300, 44},         {DT_I8, -129, 127},
                 {DT_U8, -1, 255},         {DT_I16, 65535, -1},
                 {DT_U16, 65536, 0},       {DT_I32, 4294967295, -1},
                 {DT_U32, -1, 4294967295}, {DT_I64, INT64_MIN, INT64_MIN},
                 {DT_BOOL, 1, 1}};
    for (size_t i = 0; i < sizeof whole / sizeof *whole; i++) {
        Rig r;
        rig_open(&r);
        Storage *y = rig_storage(&r, DT_I64, 1, NULL, false);
        Asm s = asm_new(&r.arena);
        put_out(&s, 0, asm_cast(&s, asm_int(&s, whole[i].t, whole[i].given), DT_I64));
        expect_clean(&r, rig_run(&r, asm_done(&s), (int64_t[]){rig_address(y)}, 1, 1, 1));
        assert_memory_equal(y->data, &whole[i].want, 8);
        rig_close(&r);
    }
    static const struct {
        DType t;
        double given, want;
    } real[] = {{DT_F16, 2049, 2048},
                {DT_BF16, 257, 256},
                {DT_F32, 16777217, 16777216},
                {DT_F64, 0.1, 0.1},
                {DT_F16, 1e9, INFINITY}};
    for (size_t i = 0; i < sizeof real / sizeof *real; i++) {
        Rig r;
        rig_open(&r);
        Storage *y = rig_storage(&r, DT_F64, 1, NULL, false);
        Asm s = asm_new(&r.arena);
        put_out(&s, 0, asm_cast(&s, asm_float(&s, real[i].t, real[i].given), DT_F64));
        expect_clean(&r, rig_run(&r, asm_done(&s), (int64_t[]){rig_address(y)}, 1, 1, 1));
        assert_memory_equal(y->data, &real[i].want, 8);
        rig_close(&r);
    }
}

// Of the columns of two rows: as they are, backwards, the even ones first, both.
static void lanes_come_in_four_orders(void **state) {
    (void)state;
    static const int32_t want[LANE_ORDERS][8] = {{0, 1, 2, 3, 4, 5, 6, 7},
                                                 {3, 2, 1, 0, 7, 6, 5, 4},
                                                 {0, 2, 1, 3, 4, 6, 5, 7},
                                                 {3, 1, 2, 0, 7, 5, 6, 4}};
    bool met[LANE_ORDERS] = {0};
    for (int order = 0; order < LANE_ORDERS; order++) {
        Rig r;
        rig_open(&r);
        r.m.lane_order = order;
        Storage *y = rig_storage(&r, DT_I32, 8, NULL, false);
        Asm s = asm_new(&r.arena);
        int p = asm_param(&s, pointer_to(scalar_type(DT_I32)), 0), cols = asm_arange(&s, 8);
        TileType rows = {.elem = DT_I32, .rank = 2, .shape = {2, 4}};
        int tile = asm_new_reg(&s, rows, INSN_RESHAPE, cols, -1, -1, 0);
        int ordered = asm_new_reg(&s, rows, INSN_ORDER, tile, -1, -1, 1);
        asm_store(&s, asm_ptradd(&s, p, cols),
                  asm_new_reg(&s, vector_type(DT_I32, 8), INSN_RESHAPE, ordered, -1, -1, 0), -1);
        expect_clean(&r, rig_run(&r, asm_done(&s), (int64_t[]){rig_address(y)}, 1, 1, 1));
        assert_memory_equal(y->data, want[order], sizeof want[order]);
        rig_close(&r);
    }
    for (int64_t n = 1; n < 64; n++) met[lane_order_of(n)] = true;
    for (int order = 0; order < LANE_ORDERS; order++) assert_true(met[order]);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_cells),
        cmocka_unit_test(test_widest_tile),
        cmocka_unit_test(test_functions_are_counted),
        cmocka_unit_test(test_each_type),
        cmocka_unit_test(lanes_come_in_four_orders),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
