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
    w->at = (CodeStatement){3, s.code.insns - 1, 0};
    s.code.compare = &w->at;
    s.code.compares = 1;
    w->code = *asm_done(&s);
    code_uniform(&w->r.arena, &w->code);
    assert_int_equal(w->code.compares, 1);
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

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(both_have_to_hold_at_once)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
