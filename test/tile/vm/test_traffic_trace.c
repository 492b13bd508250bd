// Which access moves how many bytes: a traced launch gives the same results and the same counters, and each
// access its share.
#include "tile/copying.h"

static void test_each_access_has_its_share(void **state) {
    (void)state;
    Counters plain = {0};
    uint8_t bytes[400];
    for (int traced = 0; traced < 2; traced++) {
        Rig r;
        rig_open(&r);
        Trace trace = {0};
        r.m.watch.trace = traced ? &trace : NULL;
        Storage *x = rig_storage(&r, DT_F32, 100, affine(&r.arena, 100), true),
                *y = rig_storage(&r, DT_F32, 100, NULL, false);
        const Code *c = copy_kernel(&r.arena, 16, true, true, true);
        expect_clean(&r, rig_run(&r, c, (int64_t[]){rig_address(x), rig_address(y), 100}, 7, 1, 1));
        if (!traced) {
            plain = r.m.count;
            memcpy(bytes, y->data, sizeof bytes);
        } else {
            assert_memory_equal(&plain, &r.m.count, sizeof plain);
            assert_memory_equal(bytes, y->data, sizeof bytes);
            assert_int_equal(trace.n, 2);
            const Traced *load = &trace.access[0], *store = &trace.access[1];
            assert_true(load->loaded == plain.bytes_loaded && load->stored == 0);
            assert_true(store->stored == plain.bytes_stored && store->loaded == 0);
            assert_true(load->rows == 1 && load->columns == 16 && load->at != store->at);
        }
        rig_close(&r);
    }
}

// Of many accesses the first ones are told; launches add up.
static void test_room_ends(void **state) {
    (void)state;
    Rig r;
    rig_open(&r);
    Trace trace = {0};
    r.m.watch.trace = &trace;
    Storage *x = rig_storage(&r, DT_F32, 8, affine(&r.arena, 8), true);
    Asm s = asm_new(&r.arena);
    int p = asm_param(&s, pointer_to(scalar_type(DT_F32)), 0), at = asm_ptradd(&s, p, asm_arange(&s, 8));
    for (int i = 0; i < TRACED_MAX + 5; i++) asm_load(&s, at, -1, -1);
    const Code *c = asm_done(&s);
    for (int launch = 1; launch <= 2; launch++) {
        expect_clean(&r, rig_run(&r, c, (int64_t[]){rig_address(x)}, 3, 1, 1));
        assert_int_equal(trace.n, TRACED_MAX);
        for (int i = 0; i < TRACED_MAX; i++) assert_int_equal(trace.access[i].loaded, launch * 3 * 32);
    }
    rig_close(&r);
}

// Two dimensions are told as rows and columns, and what touches no memory not at all.
static void test_tiles(void **state) {
    (void)state;
    Rig r;
    rig_open(&r);
    Trace trace = {0};
    r.m.watch.trace = &trace;
    Storage *x = rig_storage(&r, DT_F32, 32, affine(&r.arena, 32), true);
    Asm s = asm_new(&r.arena);
    int p = asm_param(&s, pointer_to(scalar_type(DT_F32)), 0);
    int i = asm_new_reg(&s, matrix_type(DT_I32, 4, 8), INSN_RESHAPE, asm_arange(&s, 32), -1, -1, 0);
    int none = asm_op(&s, INSN_LT, i, asm_int(&s, DT_I32, 0));
    asm_load(&s, asm_ptradd(&s, p, i), -1, -1);
    asm_load(&s, asm_ptradd(&s, p, i), none, asm_float(&s, DT_F32, 0));
    expect_clean(&r, rig_run(&r, asm_done(&s), (int64_t[]){rig_address(x)}, 1, 1, 1));
    assert_int_equal(trace.n, 1);
    assert_true(trace.access[0].rows == 4 && trace.access[0].columns == 8);
    assert_int_equal(trace.access[0].loaded, 128);
    rig_close(&r);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_each_access_has_its_share),
        cmocka_unit_test(test_room_ends),
        cmocka_unit_test(test_tiles),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
