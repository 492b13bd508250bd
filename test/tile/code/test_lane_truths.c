// Which truths of lanes have to come out some way: masks of several conditions, and no bounds.
#include "tile/asm.h"
#include "tile/code/lane_truths.h"

enum { LANES = 8, CASES = 32 };
typedef struct {
    Asm s;
    CodeStatement at[CASES];
    uint8_t want[CASES];
    const char *name[CASES];
} Kernel;

static void expect(Kernel *k, const char *name, int reg, uint8_t want) {
    int n = k->s.code.compares++;
    for (int i = 0; i < k->s.code.insns; i++)
        if (k->s.code.insn[i].d == reg) k->at[n].first = i;
    k->name[n] = name;
    k->want[n] = want;
    k->s.code.compare = k->at;
}

static void what_is_wanted(void **state) {
    (void)state;
    Rig r;
    rig_open(&r);
    Kernel k = {.s = asm_new(&r.arena)};
    Asm *s = &k.s;
    TileType whole = scalar_type(DT_I32), truths = vector_type(DT_BOOL, LANES);
    int n = asm_param(s, whole, 0), p = asm_param(s, pointer_to(whole), 1),
        row = asm_new_reg(s, whole, INSN_PID, -1, -1, -1, 0), cols = asm_arange(s, LANES),
        seven = asm_int(s, DT_I32, 7), far = asm_int(s, DT_I32, 4000), one = asm_int(s, DT_I32, 1),
        loaded = asm_load(s, asm_ptradd(s, p, cols), -1, -1);
    int column = asm_op(s, INSN_EQ, cols, seven), place = asm_op(s, INSN_EQ, row, seven),
        beyond = asm_op(s, INSN_EQ, cols, far), other = asm_op(s, INSN_NE, cols, seven),
        of_memory = asm_op(s, INSN_EQ, loaded, seven), bound = asm_op(s, INSN_LT, cols, n);
    expect(&k, "a lane", column, TAKEN_ON);
    expect(&k, "not a lane", other, TAKEN_AWAY);
    expect(&k, "a lane far away", beyond, TAKEN_ON | WANTS_FAR);
    expect(&k, "a place: uniform.c", place, 0);
    expect(&k, "a bound", bound, 0);
    expect(&k, "memory", of_memory, 0);
    expect(&k, "both", asm_op(s, INSN_AND, column, place), TAKEN_ON);
    expect(&k, "both, far", asm_op(s, INSN_AND, beyond, place), TAKEN_ON | WANTS_FAR);
    expect(&k, "either", asm_op(s, INSN_OR, column, place), TAKEN_AWAY);
    expect(&k, "with memory", asm_op(s, INSN_AND, column, of_memory), 0);
    int a = asm_cast(s, column, DT_F32), b = asm_cast(s, place, DT_F32);
    expect(&k, "a product", asm_op(s, INSN_MUL, a, b), TAKEN_ON);
    expect(&k, "the greater", asm_op(s, INSN_MAX, a, b), TAKEN_AWAY);
    expect(&k, "a product of numbers", asm_op(s, INSN_MUL, cols, n), 0);
    int sum = asm_op(s, INSN_ADD, asm_cast(s, column, DT_I32), asm_cast(s, place, DT_I32));
    expect(&k, "a sum of truths", asm_op(s, INSN_GT, sum, one), TAKEN_ON | TAKEN_AWAY);
    int offset = asm_op(s, INSN_ADD, asm_op(s, INSN_MUL, row, n), cols);
    expect(&k, "a bound of an offset", asm_op(s, INSN_LT, offset, n), 0);
    int distance =
        asm_new_reg(s, vector_type(DT_I32, LANES), INSN_ABS, asm_op(s, INSN_SUB, cols, n), -1, -1, 0);
    expect(&k, "a distance", asm_op(s, INSN_LT, distance, one), TAKEN_ON | TAKEN_AWAY);
    expect(&k, "a distance that is cut", asm_op(s, INSN_MIN, distance, one), TAKEN_AWAY);
    expect(&k, "a choice", asm_new_reg(s, truths, INSN_WHERE, column, bound, other, 0),
           TAKEN_ON | TAKEN_AWAY);
    int carried = asm_reg(s, whole);
    asm_put(s, INSN_COPY, carried, n, -1, -1, 0);
    asm_put(s, INSN_ADD, carried, carried, seven, -1, 0);
    expect(&k, "what a loop carries", asm_op(s, INSN_EQ, cols, carried), TAKEN_ON);
    Code c = *asm_done(s);
    uint8_t wants[CASES];
    code_lane_truths(&r.arena, &c, wants);
    for (int i = 0; i < c.compares; i++)
        if (wants[i] != k.want[i]) fail_msg("%s: %d", k.name[i], wants[i]);
    rig_close(&r);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(what_is_wanted)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
