// Registers and instructions: which are made, and how large a tile may be.
#include "tile/golden.h"

static void test_golden(void **state) {
    (void)state;
    golden("emit");
}

static int count_insns(const char *source, const char *line, InsnOp op, bool in_loop) {
    Arena a = {0};
    DiagList d = DIAGS(&a);
    LaunchText l;
    Launchable out;
    assert_true(launch_text(&a, &d, str_of(source), str_of(line), &l) && launch_check(&l, NULL, &out));
    int n = 0;
    bool loop = false;
    for (int i = 0; i < out.code->insns; i++) {
        InsnOp at = out.code->insn[i].op;
        if (at == INSN_LOOPTEST) loop = true;
        if (at == INSN_JUMP) loop = false;
        n += at == op && (loop || !in_loop);
    }
    arena_free(&a);
    return n;
}

// An accumulator is updated in place, unless its old value is still wanted; constants are made before the
// loop.
static void test_code(void **state) {
    (void)state;
    static const char sum[] = "@triton.jit\ndef k(x, n):\n    a = 0.0\n    for i in range(n):\n"
                              "        a += tl.load(x + i, mask=i < n, other=0.0)\n    tl.store(x, a)\n";
    static const char old[] = "@triton.jit\ndef k(x, n):\n    a = 0.0\n    for i in range(n):\n"
                              "        b = a\n        a = a + tl.load(x + i)\n        tl.store(x, b)\n";
    assert_int_equal(count_insns(sum, "*fp32 10", INSN_COPY, true), 0);
    assert_int_equal(count_insns(old, "*fp32 10", INSN_COPY, true), 1);
    assert_int_equal(count_insns(sum, "*fp32 10", INSN_CAST, true), 0);
    assert_int_equal(count_insns(sum, "*fp16 10", INSN_CAST, true), 1); // of the loaded value, not of `other`
    assert_int_equal(count_insns(sum, "*fp32 10", INSN_CONST, true), 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_golden),
        cmocka_unit_test(test_code),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
