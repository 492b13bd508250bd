// Values that are computed only to be moved are computed where they go, unless somebody would notice.
#include "tile/asm.h"
#include "tile/code/copy_elision.h"

// Values that are computed only to be moved are computed where they go, unless somebody would notice.
static void test_moves(void **state) {
    (void)state;
    Rig r;
    rig_open(&r);
    enum { TWICE = 1, BETWEEN, UNDEFINED, ENTERED, CASES };
    for (int k = 0; k < CASES; k++) {
        Asm s = asm_new(&r.arena);
        TileType half = vector_type(DT_F16, 64), full = vector_type(DT_F32, 64);
        int p = asm_param(&s, pointer_to(scalar_type(DT_F16)), 0), i = asm_arange(&s, 64);
        int m = asm_op(&s, INSN_LT, i, asm_int(&s, DT_I32, 5)), on = asm_int(&s, DT_BOOL, 1);
        int zero = asm_new_reg(&s, half, INSN_SPLAT, asm_float(&s, DT_F16, 0), -1, -1, 0);
        int acc = asm_new_reg(&s, full, INSN_SPLAT, asm_float(&s, DT_F32, 0), -1, -1, 0);
        int at = asm_ptradd(&s, p, i);
        int h = asm_reg(&s, half), wide = asm_reg(&s, full), sum = asm_reg(&s, full);
        int jump = k == ENTERED ? asm_put(&s, INSN_JUMPNOT, -1, on, -1, -1, 0) : -1;
        asm_put(&s, INSN_LOAD, h, at, m, k == UNDEFINED ? -1 : zero, 0);
        if (k == ENTERED) s.code.insn[jump].imm = s.code.insns;
        if (k == ENTERED) asm_put(&s, INSN_COPY, h, zero, -1, -1, 0);
        asm_put(&s, INSN_CAST, wide, h, -1, -1, 0);
        if (k == TWICE) (void)asm_op(&s, INSN_ADD, h, zero);
        // What a loop carries: acc = acc + wide, by way of another register.
        asm_put(&s, INSN_ADD, sum, acc, wide, -1, 0);
        if (k == BETWEEN) (void)asm_op(&s, INSN_MUL, acc, wide);
        asm_put(&s, INSN_COPY, acc, sum, -1, -1, 0);
        int low = asm_cast(&s, acc, DT_F16); // rounds: not a move
        int other = asm_reg(&s, half);       // computed from what it replaces, which a load reads
        asm_put(&s, INSN_LOAD, other, at, m, zero, 0);
        asm_put(&s, INSN_COPY, zero, other, -1, -1, 0);
        (void)asm_op(&s, INSN_ADD, low, zero);
        const Code *c = asm_done(&s);
        const Register *reg = c->reg;
        bool load_cast = reg[h].offset == reg[wide].offset, carried = reg[sum].offset == reg[acc].offset;
        assert_int_equal(load_cast, k != TWICE && k != UNDEFINED && k != ENTERED);
        assert_int_equal(carried, k != BETWEEN && k != UNDEFINED);
        assert_true(reg[low].offset != reg[acc].offset);
        assert_true(reg[other].offset != reg[zero].offset);
    }
    rig_close(&r);
}

static bool keeps_bits(InsnOp op, TileType from, TileType to) {
    Register reg[2] = {{.type = from}, {.type = to}};
    const Code c = {.reg = reg, .regs = 2};
    const Insn s = {.op = op, .d = 1, .a = 0, .b = -1, .c = -1};
    return move_keeps_bits(&c, &s);
}

static void test_which_moves_keep_bits(void **state) {
    (void)state;
    TileType f32 = vector_type(DT_F32, 8), f16 = vector_type(DT_F16, 8), i32 = vector_type(DT_I32, 8);
    assert_true(keeps_bits(INSN_COPY, f32, f32) && keeps_bits(INSN_COPY, i32, i32));
    assert_true(keeps_bits(INSN_RESHAPE, f32, matrix_type(DT_F32, 2, 4)));
    assert_true(keeps_bits(INSN_CAST, f16, f32));  // held as floats already
    assert_false(keeps_bits(INSN_CAST, f32, f16)); // rounds
    assert_false(keeps_bits(INSN_CAST, i32, f32));
    assert_false(keeps_bits(INSN_COPY, f32, vector_type(DT_F32, 16)));
    assert_false(keeps_bits(INSN_ADD, f32, f32));
    assert_true(keeps_bits(INSN_COPY, pointer_to(f32), pointer_to(f32)));
    assert_false(keeps_bits(INSN_COPY, pointer_to(f32), f32));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_moves),
        cmocka_unit_test(test_which_moves_keep_bits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
