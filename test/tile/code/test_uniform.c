// Which comparisons of a kernel count as its conditions do, whatever uses them.
#include "tile/asm.h"
#include "tile/code/uniform.h"

typedef struct {
    Asm s;
    CodeStatement compare[16];
} Kernel;

static int compare(Kernel *k, InsnOp op, int a, int b) {
    int d = asm_op(&k->s, op, a, b);
    k->compare[k->s.code.compares] =
        (CodeStatement){.at = (uint32_t)k->s.code.compares, .first = k->s.code.insns - 1};
    k->s.code.compares++;
    k->s.code.compare = k->compare;
    return d;
}

static bool kept(const Code *c, uint32_t at) {
    for (int i = 0; i < c->compares; i++)
        if (c->compare[i].at == at) return true;
    return false;
}

static void which_ones_count(void **state) {
    (void)state;
    Rig r;
    rig_open(&r);
    Kernel k = {.s = asm_new(&r.arena)};
    Asm *s = &k.s;
    TileType whole = scalar_type(DT_I32);
    int n = asm_param(s, whole, 0), p = asm_param(s, pointer_to(whole), 1),
        x = asm_param(s, scalar_type(DT_F32), 2);
    int pid = asm_new_reg(s, whole, INSN_PID, -1, -1, -1, 0),
        all = asm_new_reg(s, whole, INSN_NPROG, -1, -1, -1, 0);
    int seven = asm_int(s, DT_I32, 7), zero = asm_int(s, DT_I32, 0), one = asm_int(s, DT_I32, 1);
    int hash = asm_op(s, INSN_MOD, asm_op(s, INSN_MUL, n, seven), asm_int(s, DT_I32, 97));
    int carried = asm_reg(s, whole);
    asm_put(s, INSN_COPY, carried, n, -1, -1, 0);
    asm_put(s, INSN_ADD, carried, carried, seven, -1, 0);
    enum {
        SIZE,
        SIZE_BOUND,
        HASH_BOUND,
        PLACE,
        PLACE_0,
        PLACE_BOUND,
        ONE_PROGRAM,
        LOADED,
        CARRIED,
        FLOATS,
        LANES,
        CONSTANTS
    };
    compare(&k, INSN_EQ, n, seven);
    compare(&k, INSN_LT, n, seven);
    compare(&k, INSN_LT, hash, seven);
    compare(&k, INSN_NE, pid, seven);
    compare(&k, INSN_EQ, pid, zero);
    compare(&k, INSN_LT, pid, n);
    compare(&k, INSN_EQ, all, one);
    compare(&k, INSN_EQ, asm_load(s, p, -1, -1), seven);
    compare(&k, INSN_EQ, carried, seven);
    compare(&k, INSN_EQ, x, asm_float(s, DT_F32, 7));
    compare(&k, INSN_EQ, asm_arange(s, 8), seven);
    compare(&k, INSN_EQ, one, seven);
    Code c = *asm_done(s);
    code_uniform(&r.arena, &c, NULL, 0, NOTES_NONE);
    static const bool want[] = {
        [SIZE] = true, [HASH_BOUND] = true, [PLACE] = true, [LANES] = true, [CONSTANTS] = false};
    for (uint32_t i = 0; i <= CONSTANTS; i++)
        if (kept(&c, i) != want[i]) fail_msg("comparison %u: %d", i, (int)kept(&c, i));
    rig_close(&r);
}

// What a launch has seen of them is marked beside the statements.
static void outcomes_are_marked(void **state) {
    (void)state;
    Rig r;
    rig_open(&r);
    Cover cover = {.n = 8};
    cover.at = NEWN(&r.arena, uint8_t, 8);
    r.m.watch.cover = &cover;
    Kernel k = {.s = asm_new(&r.arena)};
    int n = asm_param(&k.s, scalar_type(DT_I32), 0);
    compare(&k, INSN_EQ, n, asm_int(&k.s, DT_I32, 7));
    Code c = *asm_done(&k.s);
    code_uniform(&r.arena, &c, NULL, 0, NOTES_NONE);
    expect_clean(&r, rig_run(&r, &c, (int64_t[]){6}, 2, 1, 1));
    assert_int_equal(cover.at[0], COVER_FALSE);
    expect_clean(&r, rig_run(&r, &c, (int64_t[]){7}, 2, 1, 1));
    assert_int_equal(cover.at[0], COVER_FALSE | COVER_TRUE);
    rig_close(&r);
}

// Bounds are no conditions, but how they come out can be noted: all of them, or those with far numbers.
static void bounds_are_noted(void **state) {
    (void)state;
    for (int notes = NOTES_NONE; notes <= NOTES_FAR; notes++) {
        Rig r;
        rig_open(&r);
        Cover cover = {.n = 8};
        cover.at = NEWN(&r.arena, uint8_t, 8);
        r.m.watch.cover = &cover;
        Kernel k = {.s = asm_new(&r.arena)};
        int n = asm_param(&k.s, scalar_type(DT_I32), 0);
        int pid = asm_new_reg(&k.s, scalar_type(DT_I32), INSN_PID, -1, -1, -1, 0);
        compare(&k, INSN_LT, pid, n);
        compare(&k, INSN_GT, pid, asm_int(&k.s, DT_I32, 3000));
        compare(&k, INSN_LT, n, asm_int(&k.s, DT_I32, 5000));
        Code c = *asm_done(&k.s);
        code_uniform(&r.arena, &c, NULL, 0, (CodeNotes)notes);
        assert_int_equal(kept(&c, 0), notes == NOTES_ALL);
        assert_int_equal(kept(&c, 1), notes != NOTES_NONE);
        assert_int_equal(kept(&c, 2), notes != NOTES_NONE);
        expect_clean(&r, rig_run(&r, &c, (int64_t[]){6}, 2, 1, 1));
        // Nothing is asked of them: they are marked apart from conditions.
        assert_int_equal(cover.at[0], notes == NOTES_ALL ? COVER_NOTED_TRUE : 0);
        assert_int_equal(cover.at[1], notes != NOTES_NONE ? COVER_NOTED_FALSE : 0);
        assert_int_equal(cover.at[2], notes != NOTES_NONE ? COVER_NOTED_TRUE : 0);
        rig_close(&r);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(which_ones_count),
        cmocka_unit_test(outcomes_are_marked),
        cmocka_unit_test(bounds_are_noted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
