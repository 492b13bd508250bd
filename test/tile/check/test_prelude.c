// Rows of op.def that Triton defines in its own language: values, and where it is said that something is
// wrong.
#include "tile/gives.h"
#include "tile/golden.h"

static void test_golden(void **state) {
    (void)state;
    golden("prelude");
}

// The place of a fault is the call's, in the kernel's own text.
static void test_faults_have_the_calls_place(void **state) {
    (void)state;
    static const char source[] = "@triton.jit\ndef k(x):\n    y = 1\n    v = tl.rand(1.5 + tl.load(x), y)\n";
    Arena a = {0};
    DiagList d = DIAGS(&a);
    LaunchText l;
    Launchable out;
    assert_true(launch_text(&a, &d, STR(source), STR("*fp32"), &l));
    assert_false(launch_check(&l, NULL, &out));
    LineCol at = line_col(STR(source), diag_first(&d)->span.at);
    assert_int_equal(at.line, 4);
    arena_free(&a);
}

// Groups of rows, column by column: each place of the grid comes once.
static void test_swizzled_places(void **state) {
    (void)state;
    static const char helper[] = "@triton.jit\ndef place(i, j):\n    a, b = tl.swizzle2d(i, j, 4, 2, 2)\n"
                                 "    return a * 2 + b\n";
    GIVES(helper, "    tl.store(y + o, place(o // 2, o % 2))\n", 0, 2, 1, 3, 4, 6, 5, 7);
}

static void test_uniform_numbers_keep_to_their_range(void **state) {
    (void)state;
    GIVES("",
          "    v = tl.rand(n, o)\n    w = tl.rand(n, o)\n    u = tl.rand(n + 1, o)\n"
          "    tl.store(y, tl.min((v >= 0.0).to(tl.int32)) + tl.min((v < 1.0).to(tl.int32)))\n"
          "    tl.store(y + 1, tl.min((v == w).to(tl.int32)))\n"
          "    tl.store(y + 2, tl.max((v == u).to(tl.int32)))\n",
          2, 1, 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_golden),
        cmocka_unit_test(test_faults_have_the_calls_place),
        cmocka_unit_test(test_swizzled_places),
        cmocka_unit_test(test_uniform_numbers_keep_to_their_range),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
