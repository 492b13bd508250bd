// Masks that are watched: what some lane of some program has shown, and that results stay the same.
#include "tile/asm.h"
#include "tile/code/uniform.h"

enum { LANES = 16 };

typedef struct {
    Rig r;
    Cover cover;
    Code code;
    CodeStatement at;
} Watched;

static void watch_last(Watched *w, Asm *s) {
    w->at = (CodeStatement){.at = 3, .first = s->code.insns - 1};
    s->code.compare = &w->at;
    s->code.compares = 1;
    w->code = *asm_done(s);
    code_uniform(&w->r.arena, &w->code, NULL, 0, NOTES_NONE);
    assert_int_equal(w->code.compares, 1);
}

// x[cols] = x[cols] + 1 where cols == argument 0 and the place is argument 1.
static void kernel(Watched *w, InsnOp op) {
    rig_open(&w->r);
    w->cover = (Cover){.n = 8, .at = NEWN(&w->r.arena, uint8_t, 8)};
    w->r.m.watch.cover = &w->cover;
    Asm s = asm_new(&w->r.arena);
    TileType whole = scalar_type(DT_I32);
    int column = asm_param(&s, whole, 0), place = asm_param(&s, whole, 1);
    int row = asm_new_reg(&s, whole, INSN_PID, -1, -1, -1, 0), cols = asm_arange(&s, LANES);
    bool both = op == INSN_AND;
    int a = asm_op(&s, both ? INSN_EQ : INSN_NE, cols, column),
        b = asm_op(&s, both ? INSN_EQ : INSN_NE, row, place);
    (void)asm_op(&s, op, a, b);
    watch_last(w, &s);
}

static uint8_t after(Watched *w, int64_t column, int64_t place) {
    expect_clean(&w->r, rig_run(&w->r, &w->code, (int64_t[]){column, place}, 4, 1, 1));
    return w->cover.at[3];
}

static void both_have_to_hold_at_once(void **state) {
    (void)state;
    Watched w;
    kernel(&w, INSN_AND);
    assert_int_equal(after(&w, 3, 9), COVER_FALSE);  // the column alone
    assert_int_equal(after(&w, 99, 2), COVER_FALSE); // the place alone
    assert_int_equal(after(&w, 3, 2), COVER_FALSE | COVER_TRUE);
    assert_int_equal(after(&w, 99, 9), COVER_FALSE | COVER_TRUE); // it stays seen
    rig_close(&w.r);
    kernel(&w, INSN_OR);
    assert_int_equal(after(&w, 3, 9), COVER_TRUE);
    assert_int_equal(after(&w, 3, 2), COVER_FALSE | COVER_TRUE);
    rig_close(&w.r);
}

// Twice what was loaded, with 1 // (1 + |cols - argument 0| + |row - argument 1|) for a factor; or where
// cols // 2 is argument 0, and else what was loaded, within the same choice by the row.
static void kernel_of_values(Watched *w, bool choice) {
    rig_open(&w->r);
    w->cover = (Cover){.n = 8, .at = NEWN(&w->r.arena, uint8_t, 8)};
    w->r.m.watch.cover = &w->cover;
    Asm s = asm_new(&w->r.arena);
    TileType whole = scalar_type(DT_I32), lanes = vector_type(DT_I32, LANES);
    int column = asm_param(&s, whole, 0), place = asm_param(&s, whole, 1),
        base = asm_param(&s, pointer_to(whole), 2);
    int row = asm_new_reg(&s, whole, INSN_PID, -1, -1, -1, 0), cols = asm_arange(&s, LANES);
    int x = asm_load(&s, asm_ptradd(&s, base, cols), -1, -1), one = asm_int(&s, DT_I32, 1),
        two = asm_int(&s, DT_I32, 2), more = asm_op(&s, INSN_ADD, x, one);
    if (choice) {
        int block = asm_op(&s, INSN_EQ, asm_op(&s, INSN_IDIV, cols, two), column),
            rows = asm_op(&s, INSN_EQ, asm_op(&s, INSN_IDIV, row, two), place),
            all = asm_new_reg(&s, vector_type(DT_BOOL, LANES), INSN_SPLAT, rows, -1, -1, 0);
        int within = asm_new_reg(&s, lanes, INSN_WHERE, block, more, x, 0);
        (void)asm_new_reg(&s, lanes, INSN_WHERE, all, within, x, 0);
    } else {
        int apart = asm_new_reg(&s, lanes, INSN_ABS, asm_op(&s, INSN_SUB, cols, column), -1, -1, 0);
        int off = asm_new_reg(&s, whole, INSN_ABS, asm_op(&s, INSN_SUB, row, place), -1, -1, 0);
        int d = asm_op(&s, INSN_ADD, apart, off);
        (void)asm_op(&s, INSN_MUL, more, asm_op(&s, INSN_IDIV, one, asm_op(&s, INSN_ADD, one, d)));
    }
    watch_last(w, &s);
}

static uint8_t after_values(Watched *w, int64_t column, int64_t place, int rows) {
    static const int32_t all[LANES] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16};
    int64_t x = rig_address(rig_storage(&w->r, DT_I32, LANES, all, true));
    expect_clean(&w->r, rig_run(&w->r, &w->code, (int64_t[]){column, place, x}, rows, 1, 1));
    return w->cover.at[3];
}

static void a_factor_has_to_change(void **state) {
    (void)state;
    Watched w;
    kernel_of_values(&w, false);
    assert_int_equal(after_values(&w, 3, 9, 4), COVER_FALSE);  // the column alone
    assert_int_equal(after_values(&w, 99, 2, 4), COVER_FALSE); // the row alone
    assert_int_equal(after_values(&w, 3, 2, 4), COVER_FALSE | COVER_TRUE);
    rig_close(&w.r);
}

static void a_choice_has_to_matter(void **state) {
    (void)state;
    Watched w;
    kernel_of_values(&w, true);
    assert_int_equal(after_values(&w, 99, 1, 4), 0);          // its values never differed
    assert_int_equal(after_values(&w, 3, 9, 4), COVER_FALSE); // they do, in other rows
    assert_int_equal(after_values(&w, 3, 1, 4), COVER_FALSE | COVER_TRUE);
    rig_close(&w.r);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(both_have_to_hold_at_once),
                                       cmocka_unit_test(a_factor_has_to_change),
                                       cmocka_unit_test(a_choice_has_to_matter)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
