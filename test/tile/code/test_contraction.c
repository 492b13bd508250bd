// Products and the sums that they go into, rounded once: which ones, from which side, with which bits.
#include "tile/asm.h"
#include "tile/code/contraction.h"
#include <math.h>

enum { N = 64, LEFT_ONLY = 1 << CONTRACT_LEFT, BOTH = LEFT_ONLY | 1 << CONTRACT_RIGHT };

static float x_of(int i) { return -1e30f + 1e24f * (float)i; }
static float y_of(int i) { return i % 3 ? -1e30f : x_of(i); }

// out = x * c OP y * c over N lanes.
static const Code *two_products(Asm *s, InsnOp op, double factor) {
    int x = take_in(s, 0, vector_type(DT_F32, N)), y = take_in(s, 1, vector_type(DT_F32, N));
    int c = asm_float(s, DT_F32, factor);
    int left = asm_op(s, INSN_MUL, x, c), right = asm_op(s, INSN_MUL, c, y);
    put_out(s, 2, asm_op(s, op, left, right));
    return asm_done(s);
}

static void run_two(const Code *made, Rig *r, float out[N]) {
    float x[N], y[N];
    for (int i = 0; i < N; i++) x[i] = x_of(i), y[i] = y_of(i);
    Storage *a = rig_storage(r, DT_F32, N, x, true), *b = rig_storage(r, DT_F32, N, y, true),
            *o = rig_storage(r, DT_F32, N, NULL, false);
    expect_clean(r, rig_run(r, made, (int64_t[]){rig_address(a), rig_address(b), rig_address(o)}, 1, 1, 1));
    memcpy(out, o->data, sizeof(float) * N);
}

static void each_side_has_its_bits(void **state) {
    (void)state;
    const float c = 1.44269504f;
    static const InsnOp ops[] = {INSN_SUB, INSN_ADD};
    for (int k = 0; k < 2; k++)
        for (ContractSide side = CONTRACT_NONE; side <= CONTRACT_RIGHT; side++) {
            Rig r;
            rig_open(&r);
            Asm s = asm_new(&r.arena);
            const Code *plain = two_products(&s, ops[k], c);
            assert_int_equal(code_contracts(&r.arena, plain), BOTH);
            const Code *made = side ? code_contract(&r.arena, plain, side) : plain;
            const char *why = "";
            if (!code_verify(made, &why)) fail_msg("%s", why);
            float out[N], again[N];
            run_two(made, &r, out);
            run_two(made, &r, again);
            assert_memory_equal(out, again, sizeof out);
            for (int i = 0; i < N; i++) {
                float sign = ops[k] == INSN_SUB ? -1.0f : 1.0f, x = x_of(i), y = y_of(i), left = x * c,
                      right = y * c, want = left + sign * right;
                if (side == CONTRACT_LEFT) want = fmaf(x, c, sign * right);
                if (side == CONTRACT_RIGHT) want = fmaf(sign * y, c, left);
                assert_memory_equal(&out[i], &want, sizeof want);
                if (ops[k] == INSN_SUB && i == 0) assert_int_equal(out[i] == 0, side == CONTRACT_NONE);
            }
            rig_close(&r);
        }
}

// What differs from the code itself, and what does not.
static void which_products_count(void **state) {
    (void)state;
    enum { USUAL, POWER, HALVES, ONE_SIDE, CHANGED, BRANCH, INTEGERS, CASES };
    static const unsigned want[CASES] = {BOTH, 0, 0, LEFT_ONLY, 0, 0, 0};
    for (int k = 0; k < CASES; k++) {
        Rig r;
        rig_open(&r);
        Asm s = asm_new(&r.arena);
        DType t = k == INTEGERS ? DT_I32 : DT_F32;
        int x = take_in(&s, 0, vector_type(k == HALVES ? DT_F16 : t, N));
        int c = k == INTEGERS ? asm_int(&s, t, 3) : asm_float(&s, t, k == POWER ? 0.25 : 1.1);
        int on = asm_int(&s, DT_BOOL, 1), y = -1;
        if (k == HALVES) x = asm_cast(&s, x, DT_F32), y = x;
        int p = asm_reg(&s, s.code.reg[x].type), q = -1;
        int skip = k == BRANCH ? asm_put(&s, INSN_JUMPNOT, -1, on, -1, -1, 0) : -1;
        asm_put(&s, INSN_MUL, p, x, k == HALVES ? y : c, -1, 0);
        if (k == CHANGED) asm_put(&s, INSN_COPY, x, p, -1, -1, 0);
        if (k != ONE_SIDE) q = asm_op(&s, INSN_MUL, x, k == HALVES ? x : c);
        if (k == CHANGED) asm_put(&s, INSN_COPY, x, q, -1, -1, 0);
        if (k == BRANCH) s.code.insn[skip].imm = s.code.insns;
        put_out(&s, 1, asm_op(&s, INSN_ADD, p, q < 0 ? x : q));
        assert_int_equal(code_contracts(&r.arena, asm_done(&s)), want[k]);
        rig_close(&r);
    }
}

// A product of rows that is spread over a tile, in a loop: acc = (acc + m * c spread) - x * c, three turns.
static void through_moves_and_loops(void **state) {
    (void)state;
    enum { ROWS = 4, COLS = 8 };
    const float c = 1.1f;
    for (ContractSide side = CONTRACT_LEFT; side <= CONTRACT_RIGHT; side++) {
        Rig r;
        rig_open(&r);
        float m[ROWS], x[ROWS * COLS], want[ROWS * COLS];
        for (int i = 0; i < ROWS; i++) m[i] = 1e20f + 3e18f * (float)i;
        for (int i = 0; i < ROWS * COLS; i++) x[i] = i % 5 ? m[i / COLS] : 1e20f;
        Storage *a = rig_storage(&r, DT_F32, ROWS, m, true),
                *b = rig_storage(&r, DT_F32, ROWS * COLS, x, true),
                *o = rig_storage(&r, DT_F32, ROWS * COLS, NULL, false);
        Asm s = asm_new(&r.arena);
        TileType tile = matrix_type(DT_F32, ROWS, COLS);
        int rm = take_in(&s, 0, vector_type(DT_F32, ROWS)), rx = take_in(&s, 1, tile);
        int rc = asm_float(&s, DT_F32, c), zero = asm_float(&s, DT_F32, 0);
        int acc = asm_new_reg(&s, tile, INSN_SPLAT, zero, -1, -1, 0);
        int i = asm_int(&s, DT_I32, 0), end = asm_int(&s, DT_I32, 3), one = asm_int(&s, DT_I32, 1);
        int top = asm_put(&s, INSN_LOOPTEST, i, end, one, -1, 0);
        int mc = asm_op(&s, INSN_MUL, rm, rc);
        int wide = asm_new_reg(&s, tile, INSN_BROADCAST,
                               asm_new_reg(&s, matrix_type(DT_F32, ROWS, 1), INSN_RESHAPE, mc, -1, -1, 0), -1,
                               -1, 0);
        int less = asm_op(&s, INSN_SUB, wide, asm_op(&s, INSN_MUL, rx, rc));
        asm_put(&s, INSN_ADD, acc, acc, less, -1, 0);
        asm_put(&s, INSN_ADD, i, i, one, -1, 0);
        asm_put(&s, INSN_JUMP, -1, -1, -1, -1, top);
        s.code.insn[top].imm = s.code.insns;
        put_out(&s, 2, acc);
        const Code *plain = asm_done(&s);
        assert_int_equal(code_contracts(&r.arena, plain), BOTH);
        const Code *made = code_contract(&r.arena, plain, side);
        const char *why = "";
        if (!code_verify(made, &why)) fail_msg("%s", why);
        expect_clean(&r,
                     rig_run(&r, made, (int64_t[]){rig_address(a), rig_address(b), rig_address(o)}, 1, 1, 1));
        for (int k = 0; k < ROWS * COLS; k++) {
            float mk = m[k / COLS],
                  one_turn = side == CONTRACT_LEFT ? fmaf(mk, c, -(x[k] * c)) : fmaf(-x[k], c, mk * c);
            want[k] = one_turn + one_turn + one_turn;
        }
        assert_memory_equal(o->data, want, sizeof want);
        rig_close(&r);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_side_has_its_bits),
        cmocka_unit_test(which_products_count),
        cmocka_unit_test(through_moves_and_loops),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
