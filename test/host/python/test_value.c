// Values: equality, truth, iteration, and the bytes that they may take.
#include "host/world.h"

static void test_python(void **state) {
    (void)state;
    static const char *const bodies[] = {
        "assert {k: v for k, v in zip('ab', (1, 2))} == {'b': 2, 'a': 1} and {1: 2} != {1: 3} and {1: 2} != "
        "{2: 2} and {} == {} and {} != {1: 2}",
    };
    EXPECT_OK(bodies);
}

static void test_refusals(void **state) {
    (void)state;
    static const Case cases[] = {
        {DIAG_REFUSED, "no truth", "if x:\n    pass"},
        {DIAG_REFUSED, "no truth", "y = not x"},
        {DIAG_REFUSED, "no truth", "y = x and 1"},
        {DIAG_REFUSED, "iterate", "y = max(x)"},
        {DIAG_REFUSED, "iterate", "for r in x:\n    pass"},
        {DIAG_REFUSED, "iterate", "a, b, c, d = x"},
        {DIAG_REFUSED, "iterate", "y = sum(x)"},
        {DIAG_UNSUPPORTED, "in two statements", "d = {}\nd[0] += 1"},
    };
    EXPECT_FAILURES(cases);
}

static void test_what_python_and_torch_raise(void **state) {
    (void)state;
    static const Case cases[] = {
        {DIAG_HOST, "not enough values to unpack (expected 3, got 2)", "a, b, c = x.shape"},
        {DIAG_HOST, "too many values to unpack (expected 2)", "a, b = (1, 2, 3)"},
        {DIAG_HOST, "RecursionError", "l = []\nl.append(l)\nm = []\nm.append(m)\ny = l == m"},
        {DIAG_HOST, "RecursionError", "l = {}\nl['a'] = l\nm = {}\nm['a'] = m\ny = l == m"},
        {DIAG_HOST, "changed size", "d = {1: 2}\nfor k in d:\n    d[k + 1] = 0"},
        {DIAG_HOST, "changed size", "d = {1: 2}\ny = [d.update({k + 1: 0}) for k in d]"},
    };
    EXPECT_FAILURES(cases);
}

static void test_everything_ends(void **state) {
    (void)state;
    static const Case cases[] = {
        {DIAG_BUDGET, "budget", "y = sum(range(10 ** 18))"},
        {DIAG_HOST, "MemoryError", "y = list(range(10 ** 12))"},
        {DIAG_HOST, "MemoryError", "y = [0] * 10 ** 9"},
        {DIAG_HOST, "MemoryError", "y = [0, 0] * 9223372036854775807"},
        {DIAG_HOST, "MemoryError", "y = 'a' * 10 ** 9"},
        {DIAG_HOST, "MemoryError", "y = 'ab' * 9223372036854775807"},
        {DIAG_HOST, "MemoryError", "y = 'a' * 1000000\ny = y + y"},
        {DIAG_HOST, "MemoryError", "l = []\nwhile True:\n    l.append('a' * 1000000)"},
        {DIAG_HOST, "MemoryError", "l = [1]\nwhile True:\n    l = l + l"},
        {DIAG_HOST, "OverflowError", "y = range(-9223372036854775807, 9223372036854775807)"},
    };
    EXPECT_FAILURES(cases);
}

static void test_steps_are_taken_from_the_machine(void **state) {
    (void)state;
    World w;
    world_open(&w, 1 << 20);
    assert_true(world_run(&w, "def run(x, s, t):\n    return x\n"));
    int64_t few = (1 << 20) - w.m.steps_left;
    assert_in_range(few, 1, 4096);
    int64_t before = w.m.steps_left;
    assert_true(world_run(&w, "def run(x, s, t):\n    for i in range(100):\n        pass\n    return x\n"));
    assert_true(before - w.m.steps_left > 100 * 64);
    world_close(&w);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_python),
        cmocka_unit_test(test_refusals),
        cmocka_unit_test(test_what_python_and_torch_raise),
        cmocka_unit_test(test_everything_ends),
        cmocka_unit_test(test_steps_are_taken_from_the_machine),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
