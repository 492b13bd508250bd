// Loads and stores: what arrives, and what is counted.
#include "base/numeric/rng.h"
#include "tile/copying.h"
#include <sys/mman.h>

static void test_copy(void **state) {
    (void)state;
    for (int k = 0; k < 4; k++) {
        Rig r;
        rig_open(&r);
        Storage *x = rig_storage(&r, DT_F32, 100, affine(&r.arena, 100), true),
                *y = rig_storage(&r, DT_F32, 100, NULL, false);
        r.m.order.seed = (uint64_t)k;
        const Code *c = copy_kernel(&r.arena, 16, true, k & 1, true);
        expect_clean(&r, rig_run(&r, c, (int64_t[]){rig_address(x), rig_address(y), 100}, 7, 1, 1));
        assert_memory_equal(x->data, y->data, 400);
        for (int i = 0; i < 400; i++) assert_int_equal(y->shadow[i], WRITTEN);
        assert_int_equal(r.m.count.programs, 7);
        assert_int_equal(r.m.count.bytes_loaded, 32 * 13); // 400 bytes are 12.5 sectors
        assert_int_equal(r.m.count.bytes_stored, 32 * 13);
        assert_int_equal(r.m.race.serial, 7);
        rig_close(&r);
    }
}

// Every type of memory through a register and back.
static void test_types(void **state) {
    (void)state;
    for (int t = 0; t < DT_COUNT; t++) {
        Rig r;
        rig_open(&r);
        uint8_t bytes[64 * 8];
        Rng rng = rng_at(7, (uint64_t)t);
        for (size_t i = 0; i < sizeof bytes; i++)
            // no NaN: on its way out of a register it becomes the canonical one
            bytes[i] =
                (uint8_t)(rng_u32(&rng) & (t == DT_BOOL                                            ? 1
                                           : dtype_bytes((DType)t) < 4 && dtype_is_float((DType)t) ? 0x3b
                                                                                                   : 0x7f));
        Storage *x = rig_storage(&r, (DType)t, 64, bytes, true),
                *y = rig_storage(&r, (DType)t, 64, NULL, false);
        Asm s = asm_new(&r.arena);
        int px = asm_param(&s, pointer_to(scalar_type((DType)t)), 0),
            py = asm_param(&s, pointer_to(scalar_type((DType)t)), 1);
        int i = asm_arange(&s, 64);
        asm_store(&s, asm_ptradd(&s, py, i), asm_load(&s, asm_ptradd(&s, px, i), -1, -1), -1);
        expect_clean(&r, rig_run(&r, asm_done(&s), (int64_t[]){rig_address(x), rig_address(y)}, 1, 1, 1));
        assert_memory_equal(x->data, y->data, x->bytes);
        rig_close(&r);
    }
}

// ---- poison at the door ----

static void test_poison(void **state) {
    (void)state;
    Rig r;
    for (int k = 0; k < 3; k++) {
        rig_open(&r);
        Storage *x = rig_storage(&r, DT_F32, 20, affine(&r.arena, 20), true),
                *y = rig_storage(&r, DT_F32, 32, NULL, false);
        const Code *c = copy_kernel(&r.arena, 16, true, k == 1, k == 2);
        bool ok = rig_run(&r, c, (int64_t[]){rig_address(x), rig_address(y), 20}, 2, 1, 1);
        if (k == 0) { // unmasked store of masked lanes without other
            assert_false(ok);
            expect_finding(&r, DIAG_UNINIT, "reached a store");
            expect_finding(&r, DIAG_UNINIT, "give the load an `other=`");
            expect_finding(&r, DIAG_UNINIT, "lane 4 of 16, program (1, 0, 0)");
        } else {
            expect_clean(&r, ok);
            float v;
            memcpy(&v, y->data + 4 * 31, 4);
            if (k == 1) assert_true(v == 42);
        }
        rig_close(&r);
    }
}

// An index loaded with undefined lanes: used as an address, or as a mask, where active and where not.
static void test_poisoned_address_and_mask(void **state) {
    (void)state;
    for (int k = 0; k < 4; k++) {
        Rig r;
        rig_open(&r);
        int32_t index[8] = {0, 1, 2, 3, 4, 5, 6, 7};
        Storage *x = rig_storage(&r, DT_I32, 8, index, true), *y = rig_storage(&r, DT_I32, 8, NULL, false);
        Asm s = asm_new(&r.arena);
        int p = asm_param(&s, pointer_to(scalar_type(DT_I32)), 0),
            q = asm_param(&s, pointer_to(scalar_type(DT_I32)), 1);
        int i = asm_arange(&s, 8), m = asm_op(&s, INSN_LT, i, asm_int(&s, DT_I32, 5));
        int j = asm_load(&s, asm_ptradd(&s, p, i), m, k == 3 ? asm_int(&s, DT_I32, 7) : -1);
        if (k == 2) {
            asm_store(&s, asm_ptradd(&s, q, i), i, asm_op(&s, INSN_LT, j, asm_int(&s, DT_I32, 3)));
        } else {
            int v = asm_load(&s, asm_ptradd(&s, p, j), k == 1 ? m : -1, -1);
            asm_store(&s, asm_ptradd(&s, q, i), v, k == 1 ? m : -1);
        }
        bool ok = rig_run(&r, asm_done(&s), (int64_t[]){rig_address(x), rig_address(y)}, 1, 1, 1);
        if (k == 0) expect_finding(&r, DIAG_UNINIT, "reached an address");
        if (k == 2) expect_finding(&r, DIAG_UNINIT, "reached a mask");
        if (k == 1 || k == 3) expect_clean(&r, ok);
        rig_close(&r);
    }
}

// Lanes of one store on one address: different values are a finding, equal ones are not. Also over rows.
static void test_lanes_collide(void **state) {
    (void)state;
    for (int k = 0; k < 4; k++) {
        Rig r;
        rig_open(&r);
        Storage *y = rig_storage(&r, DT_I32, 64, NULL, false);
        Asm s = asm_new(&r.arena);
        int p = asm_param(&s, pointer_to(scalar_type(DT_I32)), 0);
        bool same = k & 1;
        if (k < 2) {
            int i = asm_arange(&s, 16), half = asm_op(&s, INSN_IDIV, i, asm_int(&s, DT_I32, 2));
            asm_store(&s, asm_ptradd(&s, p, half), same ? half : i, -1);
        } else { // two rows of 8 that overlap by 4
            int i = asm_arange(&s, 8),
                row = asm_new_reg(&s, matrix_type(DT_I32, 1, 8), INSN_RESHAPE, i, -1, -1, 0);
            int rows = asm_new_reg(&s, matrix_type(DT_I32, 2, 8), INSN_BROADCAST, row, -1, -1, 0);
            int j = asm_arange(&s, 2),
                col = asm_new_reg(&s, matrix_type(DT_I32, 2, 1), INSN_RESHAPE, j, -1, -1, 0);
            int cols = asm_new_reg(&s, matrix_type(DT_I32, 2, 8), INSN_BROADCAST, col, -1, -1, 0);
            int off = asm_op(&s, INSN_ADD, rows, asm_op(&s, INSN_MUL, cols, asm_int(&s, DT_I32, 4)));
            asm_store(&s, asm_ptradd(&s, p, off), same ? off : rows, -1);
        }
        bool ok = rig_run(&r, asm_done(&s), (int64_t[]){rig_address(y)}, 1, 1, 1);
        if (same)
            expect_clean(&r, ok);
        else
            expect_finding(&r, DIAG_RACE, "two lanes of one store");
        rig_close(&r);
    }
}

// ---- gathers against a plain loop, with sectors counted by brute force ----

static void test_gather_scatter(void **state) {
    (void)state;
    enum { M = 8, K = 16, SPACE = 512 };
    Rng rng = rng_at(11, 1);
    for (int round = 0; round < 200; round++) {
        Rig r;
        rig_open(&r);
        int32_t where[M * K];
        uint8_t mask[M * K];
        bool taken[SPACE] = {false};
        int style = round % 5; // 4: consecutive addresses under a mask with holes
        for (int i = 0; i < M * K; i++) {
            int at = style == 0   ? i / K * 37 + i % K
                     : style == 1 ? i * 3
                     : style == 2 ? M * K - 1 - i
                     : style == 4 ? i
                                  : 0;
            while (style == 3 && taken[at = (int)rng_below(&rng, SPACE)]) {}
            taken[at] = true;
            where[i] = at;
            bool on = style == 0 ? i % K < 1 + round % K : rng_u32(&rng) % 4 != 0;
            mask[i] = on;
        }
        Storage *w = rig_storage(&r, DT_I32, M * K, where, true),
                *m = rig_storage(&r, DT_BOOL, M * K, mask, true);
        Storage *x = rig_storage(&r, DT_F32, SPACE, affine(&r.arena, SPACE), true),
                *y = rig_storage(&r, DT_F32, SPACE, NULL, false);
        Asm s = asm_new(&r.arena);
        TileType t = matrix_type(DT_I32, M, K);
        int pw = asm_param(&s, pointer_to(scalar_type(DT_I32)), 0),
            pm = asm_param(&s, pointer_to(scalar_type(DT_BOOL)), 1);
        int px = asm_param(&s, pointer_to(scalar_type(DT_F32)), 2),
            py = asm_param(&s, pointer_to(scalar_type(DT_F32)), 3);
        int i = asm_new_reg(&s, t, INSN_RESHAPE, asm_arange(&s, M * K), -1, -1, 0);
        int off = asm_load(&s, asm_ptradd(&s, pw, i), -1, -1),
            on = asm_load(&s, asm_ptradd(&s, pm, i), -1, -1);
        int v = asm_load(&s, asm_ptradd(&s, px, off), on, asm_float(&s, DT_F32, -1));
        asm_store(&s, asm_ptradd(&s, py, off), asm_op(&s, INSN_ADD, v, asm_float(&s, DT_F32, 1)), on);
        expect_clean(&r, rig_run(&r, asm_done(&s),
                                 (int64_t[]){rig_address(w), rig_address(m), rig_address(x), rig_address(y)},
                                 1, 1, 1));
        bool sector[SPACE / 8] = {false}, written[SPACE] = {false};
        int64_t sectors = 0;
        for (int k = 0; k < M * K; k++) {
            if (!mask[k]) continue;
            sectors += !sector[where[k] / 8];
            sector[where[k] / 8] = written[where[k]] = true;
        }
        for (int k = 0; k < SPACE; k++) {
            float got;
            memcpy(&got, y->data + 4 * k, 4);
            if (written[k]) assert_true(got == affine_at((size_t)k) + 1);
            assert_int_equal(y->shadow[4 * k], written[k] ? WRITTEN : SHADOW_ALLOC);
        }
        assert_int_equal(r.m.count.bytes_stored, 32 * sectors);
        assert_int_equal(r.m.count.bytes_loaded, 32 * (sectors + M * K * 4 / 32 + M * K / 32));
        rig_close(&r);
    }
}

// Sectors that one access has met mean nothing to those after it, however many there are: 65,535 have marks
// of their own (step.h), and then the first program's sectors come again.
static void test_sectors_of_many_accesses(void **state) {
    (void)state;
    enum { LANES = 8, APART = 8, MARKS = 65536, PROGRAMS = MARKS + 3, FAR = 512 };
    Rig r;
    rig_open(&r);
    r.m.steps_left = 1 << 26;
    Storage *x = rig_storage(&r, DT_F32, 2 * FAR, affine(&r.arena, 2 * FAR), true);
    Asm s = asm_new(&r.arena);
    int p = asm_param(&s, pointer_to(scalar_type(DT_F32)), 0);
    int pid = asm_new_reg(&s, scalar_type(DT_I32), INSN_PID, -1, -1, -1, 0);
    int again = asm_op(&s, INSN_SUB, asm_int(&s, DT_I32, MARKS), pid);
    int between = asm_op(&s, INSN_GT, asm_op(&s, INSN_MUL, pid, again), asm_int(&s, DT_I32, 0));
    int base = asm_new_reg(&s, scalar_type(DT_I32), INSN_WHERE, between, asm_int(&s, DT_I32, FAR),
                           asm_int(&s, DT_I32, 0), 0);
    int off = asm_op(&s, INSN_MUL, asm_arange(&s, LANES), asm_int(&s, DT_I32, APART));
    asm_load(&s, asm_ptradd(&s, p, asm_op(&s, INSN_ADD, off, base)), -1, -1);
    expect_clean(&r, rig_run(&r, asm_done(&s), (int64_t[]){rig_address(x)}, PROGRAMS, 1, 1));
    assert_int_equal(r.m.count.programs, PROGRAMS);
    assert_int_equal(r.m.count.bytes_loaded, (int64_t)32 * LANES * PROGRAMS);
    rig_close(&r);
}

// All lanes from one address, a scalar access, one value for all lanes, masks of one lane.
static void test_one_lane_operands(void **state) {
    (void)state;
    for (int on = 0; on < 2; on++) {
        Rig r;
        rig_open(&r);
        Storage *x = rig_storage(&r, DT_F32, 8, affine(&r.arena, 8), true),
                *y = rig_storage(&r, DT_F32, 8, NULL, false);
        Asm s = asm_new(&r.arena);
        int p = asm_param(&s, pointer_to(scalar_type(DT_F32)), 0),
            q = asm_param(&s, pointer_to(scalar_type(DT_F32)), 1);
        int m = asm_int(&s, DT_BOOL, on), i = asm_arange(&s, 8);
        int v =
            asm_load(&s, asm_ptradd(&s, p, asm_int(&s, DT_I32, 3)), m, asm_float(&s, DT_F32, 9)); // one lane
        int same = asm_load(&s, asm_new_reg(&s, pointer_to(vector_type(DT_F32, 8)), INSN_SPLAT, p, -1, -1, 0),
                            m, asm_float(&s, DT_F32, 1));
        asm_store(&s, asm_ptradd(&s, q, i), v, -1);
        asm_store(&s, asm_ptradd(&s, q, i), same, m);
        asm_put(&s, INSN_BARRIER, -1, -1, -1, -1, 0);
        asm_store(&s, asm_ptradd(&s, q, asm_int(&s, DT_I32, 7)), v, m);
        expect_clean(&r, rig_run(&r, asm_done(&s), (int64_t[]){rig_address(x), rig_address(y)}, 1, 1, 1));
        for (int k = 0; k < 8; k++) {
            float got;
            memcpy(&got, y->data + 4 * k, 4);
            assert_true(got == (on ? (k == 7 ? affine_at(3) : affine_at(0)) : 9));
        }
        rig_close(&r);
    }
}

// Of an input of zeros only the first bytes are touched, wherever a program loads: here the rest of it ends
// the process. What lies behind its end is no less a finding for that.
static void test_zeros(void **state) {
    (void)state;
    enum { ROOM = 1 << 20, FAR = ROOM / 8, LANES = 16 };
    for (int k = 0; k < 4; k++) { // a run, one lane, a run behind the end, a store
        Rig r;
        rig_open(&r);
        uint8_t *room = mmap(NULL, ROOM, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        assert_true(room != MAP_FAILED);
        storage_sparse_open(&r.m.storages, room, ROOM, 0);
        Storage *x, *y;
        assert_true(storage_wrap_zeros(&r.m.storages, DT_F32, ROOM / 2, &x));
        uintptr_t from = ((uintptr_t)x->data + 2 * 4096) & ~(uintptr_t)4095;
        assert_int_equal(mprotect((void *)from, (uintptr_t)room + ROOM - from, PROT_NONE), 0);
        r.m.storages.sparse = NULL;
        y = rig_storage(&r, DT_F32, LANES, NULL, false);
        Asm s = asm_new(&r.arena);
        int p = asm_param(&s, pointer_to(scalar_type(DT_F32)), 0),
            q = asm_param(&s, pointer_to(scalar_type(DT_F32)), 1);
        int i = asm_arange(&s, LANES), far = asm_int(&s, DT_I32, k == 2 ? FAR - LANES + 1 : FAR - LANES);
        int at = k == 1 ? far : asm_op(&s, INSN_ADD, i, far);
        if (k == 3) asm_store(&s, asm_ptradd(&s, p, at), asm_load(&s, asm_ptradd(&s, q, i), -1, -1), -1);
        if (k < 3) asm_store(&s, asm_ptradd(&s, q, i), asm_load(&s, asm_ptradd(&s, p, at), -1, -1), -1);
        if (k == 3) memset(y->shadow, WRITTEN, y->bytes);
        bool ok = rig_run(&r, asm_done(&s), (int64_t[]){rig_address(x), rig_address(y)}, 1, 1, 1);
        if (k < 2) expect_clean(&r, ok);
        for (size_t b = 0; k < 2 && b < LANES * 4; b++)
            assert_true(y->data[b] == 0 && y->shadow[b] == WRITTEN);
        if (k >= 2)
            expect_finding(&r, k == 2 ? DIAG_OOB : DIAG_WRITE,
                           k == 2 ? "1 past its last element" : "read-only");
        rig_close(&r);
        munmap(room, ROOM);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_copy),
        cmocka_unit_test(test_types),
        cmocka_unit_test(test_poison),
        cmocka_unit_test(test_poisoned_address_and_mask),
        cmocka_unit_test(test_lanes_collide),
        cmocka_unit_test(test_gather_scatter),
        cmocka_unit_test(test_sectors_of_many_accesses),
        cmocka_unit_test(test_one_lane_operands),
        cmocka_unit_test(test_zeros),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
