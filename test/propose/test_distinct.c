// How many different programs the smith has: structures, with literals and launch options masked.
#include "grammar/smith_test.h"

static bool same_structure(const char *a, const char *b) {
    Sha256 x, y;
    assert_true(program_structure(str_of(a), &x));
    assert_true(program_structure(str_of(b), &y));
    return memcmp(&x, &y, sizeof x) == 0;
}

static void literals_and_launch_options_do_not_count(void **state) {
    (void)state;
    assert_true(same_structure(
                    "def run(x):\n    k[(1, 2)](x, 3, B=64, num_warps=4)\n",
                    "def run(y):\n    k[(7, 9)](y, 1e-5, B=128, num_stages=2, num_warps=min(8, max(1, 2)))\n"
                    "# another comment\n") ||
                same_structure("def run(x):\n    k[(1, 2)](x, 3, B=64, num_warps=4)\n",
                               "def run(y):\n    k[(7, 9)](y, 8, B=128, num_warps=min(8, max(1, 2)))\n"));
    assert_true(same_structure("def f(x):\n    return x + 1.5e-3\n", "def f(x):\n    return x + 2\n"));
    assert_true(
        same_structure("def f(x):\n    return g(x, p='ab')\n", "def f(x):\n    return g(x, p='c')\n"));
}

static void names_of_constants_do_not_count(void **state) {
    (void)state;
#define KERNEL(name)                                                                                \
    "@triton.jit\ndef k(p, " name ": tl.constexpr):\n    tl.store(p + tl.arange(0, " name "), 1)\n" \
    "def run(x):\n    k[lambda meta: (meta[\"" name "\"],)](x, " name "=8)\n"
    assert_true(same_structure(KERNEL("BLOCK"), KERNEL("LANES")));
}

static void everything_else_counts(void **state) {
    (void)state;
    assert_false(same_structure("def f(x):\n    return x + 1\n", "def f(x):\n    return x - 1\n"));
    assert_false(same_structure("def f(x, y):\n    return x + y\n", "def f(x, y):\n    return y + x\n"));
    assert_false(same_structure("def f(x):\n    return g(x)\n", "def f(x):\n    return g(x, p='c')\n"));
    assert_false(same_structure("def f(x):\n    y = x * 2\n    return y\n", "def f(x):\n    return x * 2\n"));
    assert_false(same_structure("def run(x):\n    k[(1,)](x, num_warps=4)\n",
                                "def run(x):\n    k[(1,)](x, y, num_warps=4)\n"));
    Sha256 h;
    assert_false(program_structure(STR("def f(:\n"), &h));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(literals_and_launch_options_do_not_count),
        cmocka_unit_test(names_of_constants_do_not_count),
        cmocka_unit_test(everything_else_counts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
