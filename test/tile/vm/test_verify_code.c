// Code that is ill-typed in any way is told from code that is not.
#include "tile/asm.h"

static void test_verify(void **state) {
    (void)state;
    Rig r;
    rig_open(&r);
    enum { CASES = 18 };
    for (int k = -1; k < CASES; k++) {
        Asm s = asm_new(&r.arena);
        int p = asm_param(&s, pointer_to(scalar_type(DT_F32)), 0), i = asm_arange(&s, 8),
            m = asm_op(&s, INSN_LT, i, asm_int(&s, DT_I32, 5));
        int at = asm_ptradd(&s, p, i), v = asm_load(&s, at, m, -1), h = asm_cast(&s, v, DT_F16),
            fresh = asm_reg(&s, vector_type(DT_F32, 8));
        int odd = asm_reg(&s, vector_type(DT_F32, 16));
        switch (k) {
        case 0: asm_put(&s, INSN_ADD, fresh, v, h, -1, 0); break;
        case 1: asm_put(&s, INSN_ADD, odd, v, v, -1, 0); break;
        case 2: asm_put(&s, INSN_STORE, -1, at, h, m, 0); break;
        case 3: asm_put(&s, INSN_LOAD, fresh, at, i, -1, 0); break;
        case 4: asm_put(&s, INSN_LOAD, fresh, at, -1, v, 0); break;
        case 5: asm_put(&s, INSN_JUMP, -1, -1, -1, -1, 1000); break;
        case 6: asm_put(&s, INSN_JUMPNOT, -1, m, -1, -1, 0); break;
        case 7: asm_put(&s, INSN_ADD, fresh, fresh, v, -1, 0); break; // read before written
        case 8: asm_put(&s, INSN_AND, fresh, v, v, -1, 0); break;
        case 9: asm_put(&s, INSN_PTRADD, at, p, i, -1, 8); break;
        case 10: asm_put(&s, INSN_SUM, fresh, v, -1, -1, 0); break;
        case 11: asm_put(&s, INSN_TRANS, fresh, v, -1, -1, 1); break;
        case 12: asm_put(&s, INSN_CUMSUM, v, v, -1, -1, 0); break;
        case 13: asm_put(&s, (InsnOp)999, v, v, -1, -1, 0); break;
        case 14: asm_put(&s, INSN_ADD, fresh, v, 4000, -1, 0); break;
        case 15: asm_put(&s, INSN_ADD, fresh, v, -1, -1, 0); break;
        case 16: s.code.reg[odd].type.shape[0] = TILE_LANES_MAX + 1; break;
        case 17: asm_put(&s, INSN_EXP, fresh, h, -1, -1, 0); break;
        default: break;
        }
        asm_put(&s, INSN_END, -1, -1, -1, -1, 0);
        const char *why = NULL;
        bool ok = code_verify(&s.code, &why);
        if (ok != (k < 0)) fail_msg("case %d: %s", k, ok ? "accepted" : why);
        if (!ok) assert_non_null(why);
    }
    // [0, 3] and [2, 5] overlap; [0, 5] and [2, 3] nest.
    for (int k = 0; k < 2; k++) {
        Asm s = asm_new(&r.arena);
        int f = asm_int(&s, DT_BOOL, 1);
        asm_put(&s, INSN_COPY, f, f, -1, -1, 0);
        asm_put(&s, INSN_COPY, f, f, -1, -1, 0);
        asm_put(&s, INSN_JUMPNOT, -1, f, -1, -1, k ? 2 : 0);
        asm_put(&s, INSN_COPY, f, f, -1, -1, 0);
        asm_put(&s, INSN_JUMPNOT, -1, f, -1, -1, k ? 0 : 2);
        asm_put(&s, INSN_END, -1, -1, -1, -1, 0);
        const char *why = NULL;
        assert_int_equal(code_verify(&s.code, &why), k == 1);
    }
    Asm s = asm_new(&r.arena);
    asm_int(&s, DT_I32, 1);
    const char *why;
    assert_false(code_verify(&s.code, &why)); // runs off its end
    rig_close(&r);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_verify),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
