// Whole launches of hand-assembled kernels: control flow, undefined lanes, budget and program order.
#include "base/numeric/rng.h"
#include "tile/asm.h"
#include <math.h>

// Each program stores once into its own place; orders differ, results do not.
static void test_grid(void **state) {
    (void)state;
    int32_t first[3 * 4 * 5] = {0};
    for (uint64_t seed = 0; seed < 5; seed++) {
        Rig r;
        rig_open(&r);
        r.m.order.seed = seed;
        Storage *y = rig_storage(&r, DT_I32, 60, NULL, false);
        Asm s = asm_new(&r.arena);
        int id[3], size[3];
        for (int k = 0; k < 3; k++) {
            id[k] = asm_new_reg(&s, scalar_type(DT_I32), INSN_PID, -1, -1, -1, k);
            size[k] = asm_new_reg(&s, scalar_type(DT_I32), INSN_NPROG, -1, -1, -1, k);
        }
        int row = asm_op(&s, INSN_ADD, id[1], asm_op(&s, INSN_MUL, id[2], size[1]));
        int at = asm_op(&s, INSN_ADD, id[0], asm_op(&s, INSN_MUL, row, size[0]));
        int p = asm_param(&s, pointer_to(scalar_type(DT_I32)), 0);
        int v = asm_op(
            &s, INSN_ADD, id[0],
            asm_op(&s, INSN_MUL, asm_int(&s, DT_I32, 100),
                   asm_op(&s, INSN_ADD, id[1], asm_op(&s, INSN_MUL, id[2], asm_int(&s, DT_I32, 100)))));
        asm_store(&s, asm_ptradd(&s, p, at), v, -1);
        const Code *c = asm_done(&s);
        expect_clean(&r, rig_run(&r, c, (int64_t[]){rig_address(y)}, 3, 4, 5));
        assert_int_equal(r.m.count.programs, 60);
        assert_int_equal(r.m.count.instructions, 60 * c->insns);
        if (seed == 0) memcpy(first, y->data, sizeof first);
        assert_memory_equal(first, y->data, sizeof first);
        for (int i = 0; i < 60; i++) assert_int_equal(first[i], i % 3 + 100 * (i / 3 % 4) + 10000 * (i / 12));
        int64_t before = r.m.steps_left;
        expect_clean(&r, rig_run(&r, c, (int64_t[]){rig_address(y)}, 3, 0, (int64_t)1 << 62));
        assert_int_equal(r.m.steps_left, before);
        assert_int_equal(r.m.count.launches, 1);
        assert_false(rig_run(&r, c, (int64_t[]){rig_address(y)}, 1, 65536, 1));
        expect_finding(&r, DIAG_HOST, "axis 1");
        rig_close(&r);
    }
}

// ---- loops and branches ----

// acc over `for i in range(start, end, step)`; returns what it stored, or INT64_MIN after a finding.
static int64_t run_range(Rig *r, DType t, int64_t start, int64_t end, int64_t step) {
    rig_open(r);
    r->m.steps_left = 100000;
    Storage *y = rig_storage(r, t, 1, NULL, false);
    Asm s = asm_new(&r->arena);
    int p = asm_param(&s, pointer_to(scalar_type(t)), 0), i = asm_param(&s, scalar_type(t), 1),
        e = asm_param(&s, scalar_type(t), 2), d = asm_param(&s, scalar_type(t), 3);
    int acc = asm_int(&s, t, 0);
    int top = asm_put(&s, INSN_LOOPTEST, i, e, d, -1, 0);
    asm_put(&s, INSN_ADD, acc, acc, i, -1, 0);
    asm_put(&s, INSN_ADD, i, i, d, -1, 0);
    asm_put(&s, INSN_JUMP, -1, -1, -1, -1, top);
    s.code.insn[top].imm = s.code.insns;
    asm_store(&s, p, acc, -1);
    if (!rig_run(r, asm_done(&s), (int64_t[]){rig_address(y), start, end, step}, 1, 1, 1)) return INT64_MIN;
    int64_t out = 0;
    memcpy(&out, y->data, (size_t)dtype_bytes(t));
    return dtype_bytes(t) == 4 && dtype_info[t].kind == DTYPE_KIND_I ? (int32_t)out : out;
}
static void test_loops(void **state) {
    (void)state;
    Rig r;
    const struct {
        DType t;
        int64_t start, end, step, want;
    } row[] = {{DT_I32, 0, 10, 1, 45}, {DT_I32, 10, 0, -3, 22}, {DT_I64, 5, 5, 1, 0},
               {DT_I32, 5, 0, 1, 0},   {DT_I64, -4, 4, 3, -3},  {DT_U32, 0, 7, 2, 12},
               {DT_U64, 1, 4, 1, 6},   {DT_I32, 0, -9, -4, -12}};
    for (size_t k = 0; k < sizeof row / sizeof *row; k++) {
        int64_t got = run_range(&r, row[k].t, row[k].start, row[k].end, row[k].step);
        expect_clean(&r, true);
        assert_int_equal(got, row[k].want);
        rig_close(&r);
    }
    assert_true(run_range(&r, DT_I32, 0, 10, 0) == INT64_MIN);
    expect_finding(&r, DIAG_VALUE, "step of a loop is zero");
    rig_close(&r);
    assert_true(run_range(&r, DT_I32, 0, INT32_MAX, 1) == INT64_MIN);
    expect_finding(&r, DIAG_BUDGET, "budget is spent");
    assert_int_equal(r.m.steps_left, 0);
    rig_close(&r);
}

// The budget is paid before an instruction runs: exactly enough passes, one less does not.
static void test_budget(void **state) {
    (void)state;
    int64_t need = 0;
    for (int k = 0; k < 3; k++) {
        Rig r;
        rig_open(&r);
        Storage *y = rig_storage(&r, DT_F32, 64, NULL, false);
        Asm s = asm_new(&r.arena);
        put_out(&s, 0,
                asm_new_reg(&s, vector_type(DT_F32, 64), INSN_SPLAT, asm_float(&s, DT_F32, 2), -1, -1, 0));
        const Code *c = asm_done(&s);
        int64_t steps = k == 0 ? 1 << 20 : need + 1 - k;
        r.m.steps_left = steps;
        bool ok = rig_run(&r, c, (int64_t[]){rig_address(y)}, 2, 1, 1);
        if (k < 2) {
            assert_false(ok); // the second program races with the first, after everything was paid for
            expect_finding(&r, DIAG_RACE, "program (1, 0, 0)");
            need = steps - r.m.steps_left;
            assert_int_equal(r.m.count.lanes, need - c->insns);
        } else {
            assert_false(ok);
            expect_finding(&r, DIAG_BUDGET, "budget");
        }
        rig_close(&r);
    }
}

// ---- undefined lanes ----

typedef enum {
    THROUGH_ADD,
    WHERE_HIDES,
    WHERE_PICKS,
    WHERE_CONDITION,
    SUMMED,
    HIDDEN_THEN_SUMMED,
    ARG,
    CUMSUM_FIRST,
    CUMSUM_ALL,
    BRANCH,
    BOUND,
    DIVISOR,
    DIVISOR_DEFINED,
    OTHER_UNDEFINED,
    TRANSPOSED,
    AROUND_LOOP,
    UNUSED,
    POISON_CASES
} PoisonCase;
static bool expects_finding(PoisonCase k) {
    return k != WHERE_HIDES && k != HIDDEN_THEN_SUMMED && k != CUMSUM_FIRST && k != DIVISOR && k != UNUSED;
}
static void test_poison(void **state) {
    (void)state;
    for (int k = 0; k < POISON_CASES; k++) {
        Rig r;
        rig_open(&r);
        int32_t data[16] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16};
        if (k == DIVISOR_DEFINED) data[2] = 0;
        Storage *x = rig_storage(&r, DT_I32, 16, data, true), *y = rig_storage(&r, DT_I32, 16, NULL, false);
        Asm s = asm_new(&r.arena);
        TileType t = vector_type(DT_I32, 16);
        int p = asm_param(&s, pointer_to(scalar_type(DT_I32)), 0),
            q = asm_param(&s, pointer_to(scalar_type(DT_I32)), 1);
        int i = asm_arange(&s, 16), limit = asm_int(&s, DT_I32, 10), m = asm_op(&s, INSN_LT, i, limit),
            zero = asm_int(&s, DT_I32, 0);
        int v = asm_load(&s, asm_ptradd(&s, p, i), m, -1); // lanes 10.. are undefined
        int out = asm_ptradd(&s, q, i), one = asm_int(&s, DT_I32, 1);
        int last = asm_new_reg(&s, scalar_type(DT_I32), INSN_SUM, i, -1, -1, 0);
        switch ((PoisonCase)k) {
        case THROUGH_ADD: asm_store(&s, out, asm_op(&s, INSN_ADD, v, one), -1); break;
        case WHERE_HIDES: asm_store(&s, out, asm_new_reg(&s, t, INSN_WHERE, m, v, zero, 0), -1); break;
        case WHERE_PICKS: asm_store(&s, out, asm_new_reg(&s, t, INSN_WHERE, m, zero, v, 0), -1); break;
        case WHERE_CONDITION:
            asm_store(&s, out, asm_new_reg(&s, t, INSN_WHERE, asm_op(&s, INSN_LT, v, limit), zero, one, 0),
                      -1);
            break;
        case SUMMED:
            asm_store(&s, q, asm_new_reg(&s, scalar_type(DT_I32), INSN_SUM, v, -1, -1, 0), -1);
            break;
        case HIDDEN_THEN_SUMMED:
            asm_store(&s, q,
                      asm_new_reg(&s, scalar_type(DT_I32), INSN_SUM,
                                  asm_new_reg(&s, t, INSN_WHERE, m, v, zero, 0), -1, -1, 0),
                      -1);
            break;
        case ARG:
            asm_store(&s, q, asm_new_reg(&s, scalar_type(DT_I32), INSN_ARGMAX, v, -1, -1, 0), -1);
            break;
        case CUMSUM_FIRST: asm_store(&s, out, asm_new_reg(&s, t, INSN_CUMSUM, v, -1, -1, 0), m); break;
        case CUMSUM_ALL: asm_store(&s, out, asm_new_reg(&s, t, INSN_CUMSUM, v, -1, -1, 16), m); break;
        case BRANCH:
        case BOUND: {
            int flag = asm_int(&s, DT_BOOL, 0), u = asm_load(&s, p, flag, -1);
            if (k == BRANCH)
                asm_put(&s, INSN_JUMPNOT, -1, asm_op(&s, INSN_EQ, u, one), -1, -1, s.code.insns + 2);
            else
                asm_put(&s, INSN_LOOPTEST, zero, u, one, -1, s.code.insns + 1);
            asm_put(&s, INSN_COPY, one, one, -1, -1, 0);
            break;
        }
        case DIVISOR:
        case DIVISOR_DEFINED: asm_store(&s, out, asm_op(&s, INSN_IDIV, i, v), m); break;
        case OTHER_UNDEFINED: asm_store(&s, out, asm_load(&s, asm_ptradd(&s, p, i), m, v), -1); break;
        case TRANSPOSED: {
            int a = asm_new_reg(&s, matrix_type(DT_I32, 2, 8), INSN_RESHAPE, v, -1, -1, 0);
            int b = asm_new_reg(&s, matrix_type(DT_I32, 8, 2), INSN_TRANS, a, -1, -1, 0x01);
            asm_store(&s, out, asm_new_reg(&s, t, INSN_RESHAPE, b, -1, -1, 0),
                      asm_op(&s, INSN_LT, i, asm_int(&s, DT_I32, 6)));
            break;
        }
        case AROUND_LOOP: { // carried to the second iteration, stored there
            int acc = asm_new_reg(&s, t, INSN_SPLAT, zero, -1, -1, 0), n = asm_int(&s, DT_I32, 0),
                two = asm_int(&s, DT_I32, 2);
            int top = asm_put(&s, INSN_LOOPTEST, n, two, one, -1, 0);
            asm_store(&s, out, acc, -1);
            asm_put(&s, INSN_ADD, acc, acc, v, -1, 0);
            asm_put(&s, INSN_ADD, n, n, one, -1, 0);
            asm_put(&s, INSN_JUMP, -1, -1, -1, -1, top);
            s.code.insn[top].imm = s.code.insns;
            break;
        }
        default: (void)asm_op(&s, INSN_MUL, v, last); break;
        }
        bool ok = rig_run(&r, asm_done(&s), (int64_t[]){rig_address(x), rig_address(y)}, 1, 1, 1);
        if (!expects_finding((PoisonCase)k))
            expect_clean(&r, ok);
        else if (ok)
            fail_msg("case %d: no finding", k);
        else if (k == DIVISOR_DEFINED)
            expect_finding(&r, DIAG_VALUE, "division by zero (lane 2 of 16");
        else
            expect_finding(&r, DIAG_UNINIT,
                           k == BRANCH   ? "branch"
                           : k == BOUND  ? "bounds of a loop"
                           : k == SUMMED ? "tl.sum"
                           : k == ARG    ? "tl.argmax"
                                         : "a store");
        if (k == TRANSPOSED) expect_finding(&r, DIAG_UNINIT, "lane 5 of 16"); // b[2, 1] = a[1, 2] = v[10]
        rig_close(&r);
    }
}

// ---- arithmetic without a meaning ----

static void test_address_overflow(void **state) {
    (void)state;
    for (int k = 0; k < 6; k++) {
        Rig r;
        rig_open(&r);
        Storage *x = rig_storage(&r, DT_F32, 16, NULL, false), *y = rig_storage(&r, DT_I32, 1, NULL, false);
        memset(x->shadow, SHADOW_ALLOC | SHADOW_INIT, 64);
        Asm s = asm_new(&r.arena);
        int p = asm_param(&s, pointer_to(scalar_type(DT_F32)), 0),
            q = asm_param(&s, pointer_to(scalar_type(DT_I32)), 1),
            big = asm_param(&s, scalar_type(DT_I32), 2);
        int off = asm_op(&s, INSN_MUL, big, asm_int(&s, DT_I32, 4)); // wraps for 2^30 + 1
        switch (k) {
        case 0:
        case 1: (void)asm_load(&s, asm_ptradd(&s, p, off), -1, -1); break; // finding in case 0
        case 2: asm_store(&s, q, off, -1); break;                          // a value: wraps silently
        case 3:
            (void)asm_load(&s, asm_ptradd(&s, p, asm_op(&s, INSN_AND, off, asm_int(&s, DT_I32, 15))), -1, -1);
            break;
        case 4: // through a cast, a select and a loop-carried copy, in place
            asm_put(&s, INSN_ADD, big, big, big, -1, 0);
            (void)asm_load(&s, asm_ptradd(&s, p, asm_cast(&s, big, DT_I64)), -1, -1);
            break;
        default: { // wide enough
            int wide = asm_op(&s, INSN_MUL, asm_cast(&s, big, DT_I64), asm_int(&s, DT_I64, 4));
            (void)asm_load(&s, asm_ptradd(&s, p, asm_op(&s, INSN_SUB, wide, asm_int(&s, DT_I64, 4294967300))),
                           -1, -1);
            break;
        }
        }
        bool ok = rig_run(&r, asm_done(&s),
                          (int64_t[]){rig_address(x), rig_address(y), k == 1 ? 3 : (1 << 30) + 1}, 1, 1, 1);
        if (k == 0 || k == 4)
            expect_finding(&r, DIAG_VALUE,
                           "int32 overflow in an address computation; cast to tl.int64 first");
        else
            expect_clean(&r, ok);
        int32_t v;
        memcpy(&v, y->data, 4);
        if (k == 2) assert_int_equal(v, 4);
        rig_close(&r);
    }
}

static void test_values(void **state) {
    (void)state;
    const struct {
        InsnOp op;
        DType t;
        int64_t a, b;
        const char *words;
    } row[] = {{INSN_IDIV, DT_I32, 7, 0, "division by zero"},
               {INSN_MOD, DT_U64, 7, 0, "division by zero"},
               {INSN_IDIV, DT_I32, INT32_MIN, -1, "overflows"},
               {INSN_MOD, DT_I64, INT64_MIN, -1, "overflows"},
               {INSN_SHL, DT_I32, 1, 32, "shift"},
               {INSN_SHR, DT_I8, 1, 8, "shift"},
               {INSN_SHL, DT_I64, 1, -1, "shift"},
               {INSN_IDIV, DT_I32, -7, 2, NULL},
               {INSN_MOD, DT_I32, -7, 2, NULL},
               {INSN_SHR, DT_I32, -8, 31, NULL}};
    for (size_t k = 0; k < sizeof row / sizeof *row; k++) {
        Rig r;
        rig_open(&r);
        Asm s = asm_new(&r.arena);
        int a = asm_int(&s, row[k].t, row[k].a), b = asm_int(&s, row[k].t, row[k].b);
        asm_put(&s, row[k].op, a, a, b, -1, 0); // in place: the finding still sees the operand
        bool ok = rig_run(&r, asm_done(&s), NULL, 1, 1, 1);
        if (row[k].words)
            expect_finding(&r, DIAG_VALUE, row[k].words);
        else
            expect_clean(&r, ok);
        rig_close(&r);
    }
}

static void test_too_many_registers(void **state) {
    (void)state;
    Rig r;
    rig_open(&r);
    Asm s = asm_new(&r.arena);
    int v[40], one = asm_float(&s, DT_F64, 1);
    for (int i = 0; i < 40; i++)
        v[i] = asm_new_reg(&s, vector_type(DT_F64, TILE_LANES_MAX), INSN_SPLAT, one, -1, -1, 0);
    for (int i = 1; i < 40; i++) (void)asm_op(&s, INSN_ADD, v[i - 1], v[i]);
    assert_false(rig_run(&r, asm_done(&s), NULL, 1, 1, 1));
    expect_finding(&r, DIAG_COMPILE, "out of resource");
    rig_close(&r);
}

// Elementwise instructions whose operands all have one lane spread their one result.
static void test_one_lane_spreads(void **state) {
    (void)state;
    Rig r;
    rig_open(&r);
    Storage *y = rig_storage(&r, DT_F32, 32, NULL, false), *z = rig_storage(&r, DT_F32, 32, NULL, false);
    Asm s = asm_new(&r.arena);
    int a = asm_float(&s, DT_F32, 3), b = asm_float(&s, DT_F32, 4), c = asm_int(&s, DT_BOOL, 0);
    put_out(&s, 0, asm_new_reg(&s, vector_type(DT_F32, 32), INSN_FMA, a, b, a, 0));
    put_out(&s, 1, asm_new_reg(&s, vector_type(DT_F32, 32), INSN_WHERE, c, a, b, 0));
    expect_clean(&r, rig_run(&r, asm_done(&s), (int64_t[]){rig_address(y), rig_address(z)}, 1, 1, 1));
    for (int i = 0; i < 32; i++) {
        float f, g;
        memcpy(&f, y->data + 4 * i, 4), memcpy(&g, z->data + 4 * i, 4);
        assert_true(f == 15 && g == 4);
    }
    rig_close(&r);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_grid),
        cmocka_unit_test(test_loops),
        cmocka_unit_test(test_budget),
        cmocka_unit_test(test_poison),
        cmocka_unit_test(test_address_overflow),
        cmocka_unit_test(test_values),
        cmocka_unit_test(test_too_many_registers),
        cmocka_unit_test(test_one_lane_spreads),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
