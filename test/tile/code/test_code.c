// Code as text, and code that outlives where it was made.
#include "tile/asm.h"

static void test_dump(void **state) {
    (void)state;
    Rig r;
    rig_open(&r);
    Asm s = asm_new(&r.arena);
    int p = asm_param(&s, pointer_to(scalar_type(DT_F16)), 0), i = asm_arange(&s, 8),
        m = asm_op(&s, INSN_LT, i, asm_int(&s, DT_I32, 5));
    (void)asm_load(&s, asm_ptradd(&s, p, i), m, -1);
    const Code *c = asm_done(&s);
    Buf b = BUF(&r.arena);
    code_dump(&b, c);
    assert_non_null(strstr(buf_cstr(&b), "PARAM     %0:pointer<fp16>"));
    assert_non_null(
        strstr(buf_cstr(&b), "LOAD      %5?:<['8'], fp16> = %4:<['8'], pointer<fp16>>, %3:<['8'], int1>"));
    assert_non_null(strstr(buf_cstr(&b), "END"));
    rig_close(&r);
}

static const char *type_name(Arena *a, TileType t) {
    Buf b = BUF(a);
    tile_type_name(&b, &t);
    return buf_cstr(&b);
}

static void test_names(void **state) {
    (void)state;
    Arena a = {0};
    assert_string_equal(type_name(&a, scalar_type(DT_F32)), "fp32");
    assert_string_equal(type_name(&a, pointer_to(scalar_type(DT_F16))), "pointer<fp16>");
    assert_string_equal(type_name(&a, vector_type(DT_F32, 128)), "<['128'], fp32>");
    assert_string_equal(type_name(&a, pointer_to(matrix_type(DT_BOOL, 2, 4))), "<['2', '4'], pointer<int1>>");
    assert_string_equal(insn_name(INSN_LOAD), "LOAD");
    assert_string_equal(insn_name(INSN_COUNT), "?");
    assert_string_equal(insn_name((InsnOp)-1), "?");
    for (InsnOp op = 0; op < INSN_COUNT; op++) assert_true(*insn_name(op));
    arena_free(&a);
}

static void test_a_copy_stands_by_itself(void **state) {
    (void)state;
    Rig r;
    rig_open(&r);
    Asm s = asm_new(&r.arena);
    int p = asm_param(&s, pointer_to(scalar_type(DT_F32)), 0), i = asm_arange(&s, 8);
    asm_store(&s, asm_ptradd(&s, p, i), asm_load(&s, asm_ptradd(&s, p, i), -1, -1), -1);
    const Code *c = asm_done(&s);
    Arena other = {0};
    Code *kept = code_keep(&other, c);
    Buf before = BUF(&r.arena), after = BUF(&r.arena);
    code_dump(&before, c);
    memset((void *)(uintptr_t)c->insn, 0xee, (size_t)c->insns * sizeof *c->insn);
    memset((void *)(uintptr_t)c->reg, 0xee, (size_t)c->regs * sizeof *c->reg);
    code_dump(&after, kept);
    assert_string_equal(buf_cstr(&before), buf_cstr(&after));
    arena_free(&other);
    rig_close(&r);
}

// The first fold of a row: tiles of one dimension alone have one.
static void test_row_folds(void **state) {
    (void)state;
    Rig r;
    rig_open(&r);
    Asm s = asm_new(&r.arena);
    int v = asm_new_reg(&s, vector_type(DT_F32, 8), INSN_SPLAT, asm_float(&s, DT_F32, 1), -1, -1, 0),
        m = asm_new_reg(&s, matrix_type(DT_F32, 2, 4), INSN_RESHAPE, v, -1, -1, 0);
    (void)asm_new_reg(&s, vector_type(DT_F32, 2), INSN_SUM, m, -1, -1, 1);
    assert_null(code_row_fold(&s.code));
    (void)asm_new_reg(&s, scalar_type(DT_F32), INSN_RMAX, v, -1, -1, 0);
    (void)asm_new_reg(&s, scalar_type(DT_F32), INSN_SUM, v, -1, -1, 0);
    assert_non_null(code_row_fold(&s.code));
    assert_int_equal(code_row_fold(&s.code)->op, INSN_RMAX);
    rig_close(&r);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_dump),
        cmocka_unit_test(test_names),
        cmocka_unit_test(test_a_copy_stands_by_itself),
        cmocka_unit_test(test_row_folds),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
