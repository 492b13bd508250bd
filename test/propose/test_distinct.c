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

enum { ASKED = 24, LEAST = 8 };

static void every_op_has_different_programs(void **state) {
    (void)state;
    Arena a = {0};
    Op *ops;
    Err e = {0};
    Smith *smith;
    assert_true(smith_open(&a, "grammar", NULL, &smith, &e));
    int n = all_ops(&a, &ops), total = 0;
    for (int i = 0; i < n; i++) {
        ArenaMark mark = arena_mark(&a);
        Proposal p[ASKED];
        int got = 0, structures = 0;
        SmithRequest q = {.seed = 17, .count = ASKED};
        if (!smith_propose(smith, &a, &ops[i], &q, p, &got, &e))
            fail_msg("%.*s: %s", STR_ARG(ops[i].name), e.msg);
        SeenPrograms seen = {.arena = &a};
        for (int k = 0; k < got; k++) {
            Sha256 h;
            assert_true(program_structure(p[k].source, &h));
            structures += !seen_before(&seen, h);
        }
        if (structures < LEAST) fail_msg("%.*s has only %d", STR_ARG(ops[i].name), structures);
        total += structures;
        arena_reset(&a, mark);
    }
    assert_true(total > 15 * n);
    arena_free(&a);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(literals_and_launch_options_do_not_count),
        cmocka_unit_test(names_of_constants_do_not_count),
        cmocka_unit_test(everything_else_counts),
        cmocka_unit_test(every_op_has_different_programs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
