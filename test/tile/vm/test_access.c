// What is wrong with an access: every finding in its words, with a control that must stay silent.
#include "base/numeric/rng.h"
#include "tile/copying.h"

static void test_oob(void **state) {
    (void)state;
    Rig r;
    rig_open(&r);
    Storage *x = rig_storage(&r, DT_F32, 100, affine(&r.arena, 100), true),
            *y = rig_storage(&r, DT_F32, 128, NULL, false);
    assert_false(rig_run(&r, copy_kernel(&r.arena, 16, false, false, true),
                         (int64_t[]){rig_address(x), rig_address(y), 100}, 7, 1, 1));
    expect_finding(&r, DIAG_OOB, "element offset 100, 1 past its last element");
    expect_finding(&r, DIAG_OOB, "lane 4 of 16, program (6, 0, 0)");
    rig_close(&r);
    rig_open(&r);
    x = rig_storage(&r, DT_F32, 112, affine(&r.arena, 112), true),
    y = rig_storage(&r, DT_F32, 100, NULL, false);
    assert_false(rig_run(&r, copy_kernel(&r.arena, 16, true, true, false),
                         (int64_t[]){rig_address(x), rig_address(y), 100}, 7, 1, 1));
    expect_finding(&r, DIAG_OOB, "store outside");
    rig_close(&r);
    // Before the first element, and a base that belongs to no storage.
    rig_open(&r);
    x = rig_storage(&r, DT_F32, 16, affine(&r.arena, 16), true), y = rig_storage(&r, DT_F32, 16, NULL, false);
    assert_false(rig_run(&r, copy_kernel(&r.arena, 16, false, false, false),
                         (int64_t[]){rig_address(x) - 12, rig_address(y), 16}, 1, 1, 1));
    expect_finding(&r, DIAG_OOB, "element offset -3, 3 before");
    rig_close(&r);
    for (int k = 0; k < 4; k++) {
        rig_open(&r);
        y = rig_storage(&r, DT_F32, 16, NULL, false);
        int64_t wild[] = {0, -1, ((int64_t)9 << ADDRESS_BITS) + ADDRESS_BIAS, INT64_MIN};
        assert_false(rig_run(&r, copy_kernel(&r.arena, 16, false, false, false),
                             (int64_t[]){wild[k], rig_address(y), 16}, 1, 1, 1));
        expect_finding(&r, DIAG_OOB, "left the range");
        rig_close(&r);
    }
    rig_open(&r);
    x = rig_storage(&r, DT_F32, 32, affine(&r.arena, 32), true), y = rig_storage(&r, DT_F32, 16, NULL, false);
    assert_false(rig_run(&r, copy_kernel(&r.arena, 16, false, false, false),
                         (int64_t[]){rig_address(x) + 2, rig_address(y), 16}, 1, 1, 1));
    expect_finding(&r, DIAG_OOB, "misaligned");
    rig_close(&r);
}

// The bytes before the end come when somebody looks (storage_reach()): nobody has, and what lies in their
// place says nothing.
static void what_is_not_there_yet_is_not_to_blame(void **state) {
    (void)state;
    Rig r;
    for (int wide = 0; wide < 2; wide++) {
        rig_open(&r);
        Storage *x = rig_storage(&r, DT_F32, 16, affine(&r.arena, 16), true),
                *y = rig_storage(&r, DT_F32, 4000, NULL, false);
        memset(y->shadow, 0, y->bytes);
        y->gap_to = y->bytes;
        const Code *c = copy_kernel(&r.arena, 16, wide, true, false);
        assert_false(rig_run(&r, c, (int64_t[]){rig_address(x), rig_address(y) + 3990 * 4, 16}, 1, 1, 1));
        expect_finding(&r, DIAG_OOB,
                       "store outside the tensor's memory: element offset 4000, 1 past its last");
        rig_close(&r);
    }
}

static void test_gap_uninit_write(void **state) {
    (void)state;
    const Code *c;
    Rig r;
    rig_open(&r); // an unallocated element in the middle
    Storage *x = rig_storage(&r, DT_F32, 16, affine(&r.arena, 16), true),
            *y = rig_storage(&r, DT_F32, 16, NULL, false);
    memset(x->shadow + 36, 0, 4);
    c = copy_kernel(&r.arena, 16, false, false, false);
    assert_false(rig_run(&r, c, (int64_t[]){rig_address(x), rig_address(y), 16}, 1, 1, 1));
    expect_finding(&r, DIAG_OOB, "element offset 9, which lies between the rows");
    rig_close(&r);
    rig_open(&r); // one byte not initialised
    x = rig_storage(&r, DT_F32, 16, affine(&r.arena, 16), false),
    y = rig_storage(&r, DT_F32, 16, NULL, false);
    x->shadow[23] = SHADOW_ALLOC;
    c = copy_kernel(&r.arena, 16, false, false, false);
    assert_false(rig_run(&r, c, (int64_t[]){rig_address(x), rig_address(y), 16}, 1, 1, 1));
    expect_finding(&r, DIAG_UNINIT, "element offset 5, which nothing has written");
    assert_int_equal(diag_first(&r.diags)->span.at % 10, 0);
    rig_close(&r);
    rig_open(&r); // masked off, the same bytes do no harm
    x = rig_storage(&r, DT_F32, 16, affine(&r.arena, 16), false),
    y = rig_storage(&r, DT_F32, 16, NULL, false);
    x->shadow[23] = SHADOW_ALLOC;
    c = copy_kernel(&r.arena, 16, true, false, true);
    expect_clean(&r, rig_run(&r, c, (int64_t[]){rig_address(x), rig_address(y), 5}, 1, 1, 1));
    assert_int_equal(y->shadow[19], WRITTEN);
    assert_int_equal(y->shadow[20], SHADOW_ALLOC);
    rig_close(&r);
    rig_open(&r); // an input is read-only, even for the value it holds
    x = rig_storage(&r, DT_F32, 16, affine(&r.arena, 16), true);
    c = copy_kernel(&r.arena, 16, false, false, false);
    assert_false(rig_run(&r, c, (int64_t[]){rig_address(x), rig_address(x), 16}, 1, 1, 1));
    expect_finding(&r, DIAG_WRITE, "store to an input");
    rig_close(&r);
    rig_open(&r); // an output may be read back and written again by its program
    x = rig_storage(&r, DT_F32, 16, affine(&r.arena, 16), false);
    c = copy_kernel(&r.arena, 16, false, false, false);
    expect_clean(&r, rig_run(&r, c, (int64_t[]){rig_address(x), rig_address(x), 16}, 1, 1, 1));
    rig_close(&r);
}

enum {
    RACE_NONE,
    RACE_WRITE_WRITE,
    RACE_SAME_VALUE,
    RACE_READ_THEN_WRITE,
    RACE_SHARED_READ,
    RACE_SHIFTED_READ,
    RACE_KINDS
};

static void test_races(void **state) {
    (void)state;
    for (int kind = 0; kind < RACE_KINDS; kind++) {
        for (uint64_t seed = 0; seed < 6; seed++) {
            Rig r;
            rig_open(&r);
            r.m.order.seed = seed;
            Storage *x = rig_storage(&r, DT_F32, 64, affine(&r.arena, 64), false);
            Asm s = asm_new(&r.arena);
            int p = asm_param(&s, pointer_to(scalar_type(DT_F32)), 0);
            int pid = asm_new_reg(&s, scalar_type(DT_I32), INSN_PID, -1, -1, -1, 0),
                block = asm_int(&s, DT_I32, 8);
            int base = asm_op(&s, INSN_MUL, pid, block), i = asm_arange(&s, 8),
                own = asm_op(&s, INSN_ADD, i, base);
            int value = asm_cast(&s, pid, DT_F32);
            int other = asm_op(&s, INSN_MOD, asm_op(&s, INSN_ADD, own, block),
                               asm_int(&s, DT_I32, 64)); // the next program's block
            switch (kind) {
            case RACE_NONE:
                asm_store(&s, asm_ptradd(&s, p, own), asm_load(&s, asm_ptradd(&s, p, own), -1, -1), -1);
                break;
            case RACE_WRITE_WRITE: asm_store(&s, asm_ptradd(&s, p, i), value, -1); break;
            case RACE_SAME_VALUE: asm_store(&s, asm_ptradd(&s, p, i), asm_float(&s, DT_F32, 1), -1); break;
            case RACE_READ_THEN_WRITE:
                asm_store(&s, asm_ptradd(&s, p, own), asm_load(&s, asm_ptradd(&s, p, i), -1, -1), -1);
                break;
            case RACE_SHARED_READ: (void)asm_load(&s, asm_ptradd(&s, p, i), -1, -1); break;
            default:
                asm_store(&s, asm_ptradd(&s, p, own), asm_load(&s, asm_ptradd(&s, p, other), -1, -1), -1);
                break;
            }
            const Code *c = asm_done(&s);
            bool ok = rig_run(&r, c, (int64_t[]){rig_address(x)}, 8, 1, 1);
            if (kind == RACE_NONE || kind == RACE_SHARED_READ) {
                expect_clean(&r, ok);
                expect_clean(&r,
                             rig_run(&r, c, (int64_t[]){rig_address(x)}, 8, 1, 1)); // launches are ordered
            } else {
                assert_false(ok);
                expect_finding(&r, DIAG_RACE, "another program of this launch");
            }
            rig_close(&r);
        }
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_oob),
        cmocka_unit_test(what_is_not_there_yet_is_not_to_blame),
        cmocka_unit_test(test_gap_uninit_write),
        cmocka_unit_test(test_races),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
