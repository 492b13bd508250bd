// Which truths of lanes have to come out some way: masks of several conditions, and no bounds.
#include "tile/asm.h"
#include "tile/code/lane_truths.h"

enum { LANES = 8, CASES = 48 };
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

static void check(Rig *r, Kernel *k) {
    Code c = *asm_done(&k->s);
    c.compare = k->at;
    (void)code_lane_truths(&r->arena, &c, NULL, c.compare);
    for (int i = 0; i < c.compares; i++)
        if (c.compare[i].wants != k->want[i]) fail_msg("%s: %d", k->name[i], c.compare[i].wants);
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
    check(&r, &k);
    rig_close(&r);
}

// A row and a column of a kernel, a distance of both, and something that was loaded.
typedef struct {
    Kernel k;
    int row, cols, seven, one, loaded, distance, quotient;
} Places;

static Places places_of(Rig *r) {
    Places p = {.k.s = asm_new(&r->arena)};
    Asm *s = &p.k.s;
    TileType whole = scalar_type(DT_I32), lanes = vector_type(DT_I32, LANES);
    int n = asm_param(s, whole, 0), base = asm_param(s, pointer_to(whole), 1);
    p.row = asm_new_reg(s, whole, INSN_PID, -1, -1, -1, 1);
    p.cols = asm_arange(s, LANES);
    p.seven = asm_int(s, DT_I32, 7);
    p.one = asm_int(s, DT_I32, 1);
    p.loaded = asm_load(s, asm_ptradd(s, base, p.cols), -1, -1);
    int apart = asm_new_reg(s, lanes, INSN_ABS, asm_op(s, INSN_SUB, p.cols, n), -1, -1, 0);
    p.distance = asm_op(s, INSN_ADD, apart, p.row);
    p.quotient = asm_op(s, INSN_IDIV, p.one, asm_op(s, INSN_ADD, p.one, p.distance));
    return p;
}

static void numbers_of_places_have_to_change(void **state) {
    (void)state;
    Rig r;
    rig_open(&r);
    Places p = places_of(&r);
    Kernel *k = &p.k;
    Asm *s = &k->s;
    uint8_t both = TAKEN_ON | TAKEN_AWAY | WANTS_CHANGE;
    int bound = asm_cast(s, asm_op(s, INSN_LT, p.cols, p.seven), DT_I32), none = asm_int(s, DT_I32, 0);
    expect(k, "a factor", asm_op(s, INSN_MUL, p.loaded, p.quotient), both);
    expect(k, "a summand", asm_op(s, INSN_ADD, p.quotient, p.loaded), both);
    expect(k, "a distance", asm_op(s, INSN_SUB, p.loaded, p.distance), both);
    expect(k, "a place itself", asm_op(s, INSN_MUL, p.loaded, p.cols), 0);
    expect(k, "a bound", asm_op(s, INSN_MUL, p.loaded, bound), 0);
    expect(k, "no place", asm_op(s, INSN_MUL, p.loaded, asm_op(s, INSN_IDIV, p.seven, p.one)), 0);
    expect(k, "nothing loaded", asm_op(s, INSN_ADD, p.quotient, p.cols), 0);
    expect(k, "none of it", asm_op(s, INSN_ADD, p.loaded, asm_op(s, INSN_MUL, p.quotient, none)), 0);
    check(&r, k);
    Code c = *asm_done(s);
    c.compare = k->at;
    assert_int_equal(code_lane_truths(&r.arena, &c, NULL, c.compare), WANTS_CORNER);
    assert_true(c.compare[0].place == p.quotient && c.compare[0].lanes && c.compare[0].axes == 2);
    rig_close(&r);
}

static void choices_of_places_have_to_matter(void **state) {
    (void)state;
    Rig r;
    rig_open(&r);
    Places p = places_of(&r);
    Kernel *k = &p.k;
    Asm *s = &k->s;
    TileType lanes = vector_type(DT_I32, LANES);
    int more = asm_op(s, INSN_ADD, p.loaded, p.one), far = asm_int(s, DT_I32, 4000);
    int block = asm_op(s, INSN_EQ, asm_op(s, INSN_IDIV, p.cols, p.seven), p.seven);
    int other = asm_op(s, INSN_NE, p.cols, far), first = asm_op(s, INSN_EQ, p.cols, p.one),
        bound = asm_op(s, INSN_LT, p.cols, far), data = asm_op(s, INSN_EQ, p.loaded, far);
    int beyond = asm_op(s, INSN_GT, p.cols, far), turned = asm_op(s, INSN_GE, far, p.cols);
    int near = asm_op(s, INSN_LT, p.cols, p.seven);
    int of[] = {block, other, first, bound, data, beyond, turned, near};
    uint8_t on = TAKEN_ON | WANTS_EFFECT, away = TAKEN_AWAY | WANTS_EFFECT;
    uint8_t want[] = {on, away, 0, away, 0, on, away, 0};
    const char *name[] = {
        "a block of places",  "all but a far one",        "the first",   "a far bound", "by what was loaded",
        "beyond a far bound", "a far bound turned round", "a near bound"};
    for (int i = 0; i < 8; i++)
        expect(k, name[i], asm_new_reg(s, lanes, INSN_WHERE, of[i], more, p.loaded, 0), want[i]);
    int zero = asm_int(s, DT_I32, 0), zeros = asm_new_reg(s, lanes, INSN_SPLAT, zero, -1, -1, 0);
    expect(k, "a guard, as a mask", asm_new_reg(s, lanes, INSN_WHERE, block, zeros, p.loaded, 0), 0);
    int line = asm_op(s, INSN_IDIV, p.cols, p.seven), edge = asm_op(s, INSN_EQ, line, p.one),
        inside = asm_op(s, INSN_LT, line, p.seven);
    expect(k, "an edge of a plane", asm_new_reg(s, lanes, INSN_WHERE, edge, more, p.loaded, 0), 0);
    expect(k, "a bound of a plane", asm_new_reg(s, lanes, INSN_WHERE, inside, more, p.loaded, 0), 0);
    int area = asm_op(s, INSN_MUL, line, asm_op(s, INSN_IDIV, p.row, p.seven));
    expect(k, "an area", asm_op(s, INSN_MUL, p.loaded, asm_op(s, INSN_IDIV, p.one, area)), 0);
    check(&r, k);
    rig_close(&r);
}

// One kernel stores truths of places, zeros, and what it has loaded; another one loads them.
static void tables_are_what_was_stored(void **state) {
    (void)state;
    enum { FLAGS, CLEARED, LOADED, MARKED, CELLS };
    Rig r;
    rig_open(&r);
    uint16_t held[CELLS] = {0}, stored[CELLS] = {0};
    TileType whole = scalar_type(DT_I32), pointer = pointer_to(whole);
    Asm s = asm_new(&r.arena);
    int p[CELLS];
    for (int i = 0; i < CELLS; i++) p[i] = asm_param(&s, pointer, i);
    int cols = asm_arange(&s, LANES), seven = asm_int(&s, DT_I32, 7), zero = asm_int(&s, DT_I32, 0);
    int is = asm_op(&s, INSN_EQ, cols, seven), bound = asm_op(&s, INSN_LT, cols, seven);
    int none = asm_new_reg(&s, vector_type(DT_I32, LANES), INSN_SPLAT, zero, -1, -1, 0);
    int at[CELLS];
    for (int i = 0; i < CELLS; i++) at[i] = asm_ptradd(&s, p[i], cols);
    asm_store(&s, at[FLAGS], asm_cast(&s, is, DT_I32), bound);
    asm_store(&s, at[CLEARED], none, bound);
    asm_store(&s, at[LOADED], asm_load(&s, at[FLAGS], -1, -1), bound);
    asm_store(&s, at[MARKED], none, is);
    Code first = *asm_done(&s);
    first.cells = CELLS;
    first.stored = stored;
    uint8_t touched[CELLS] = {0};
    first.touched = touched;
    (void)code_lane_truths(&r.arena, &first, held, NULL);
    assert_true(first.loads);
    assert_true(stored[FLAGS] && !(stored[FLAGS] & HOLDS_LOADED));
    assert_int_equal(stored[CLEARED], 0);
    assert_true(stored[LOADED] & HOLDS_LOADED);
    assert_true(stored[MARKED] && !(stored[MARKED] & HOLDS_LOADED));
    assert_int_equal(touched[FLAGS], TOUCHED_LOADED | TOUCHED_CHANGED);
    for (int i = CLEARED; i < CELLS; i++) assert_int_equal(touched[i], TOUCHED_CHANGED);

    Kernel k = {.s = asm_new(&r.arena)};
    int q = asm_param(&k.s, pointer, 0), other = asm_param(&k.s, pointer, 1), lanes = asm_arange(&k.s, LANES);
    int row = asm_load(&k.s, q, -1, -1), column = asm_load(&k.s, asm_ptradd(&k.s, q, lanes), -1, -1);
    int data = asm_load(&k.s, asm_ptradd(&k.s, other, lanes), -1, -1);
    expect(&k, "two of a table", asm_op(&k.s, INSN_MUL, row, column), TAKEN_ON);
    expect(&k, "a table and data", asm_op(&k.s, INSN_MUL, row, data), 0);
    uint16_t of[] = {stored[FLAGS], 0}, data_alone[] = {0, 0}, none_stored[2] = {0};
    for (int known = 0; known < 2; known++) {
        Code c = *asm_done(&k.s);
        c.compare = k.at;
        c.cells = 2;
        c.stored = none_stored;
        uint8_t of_two[2] = {0};
        c.touched = of_two;
        (void)code_lane_truths(&r.arena, &c, known ? of : data_alone, c.compare);
        assert_true(of_two[0] == TOUCHED_LOADED && of_two[1] == TOUCHED_LOADED);
        assert_int_equal(c.compare[0].wants, known ? TAKEN_ON : 0);
        assert_int_equal(c.compare[1].wants, 0);
    }
    rig_close(&r);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_wanted), cmocka_unit_test(numbers_of_places_have_to_change),
        cmocka_unit_test(choices_of_places_have_to_matter), cmocka_unit_test(tables_are_what_was_stored)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
