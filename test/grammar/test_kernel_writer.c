// Kernel files of the grammar smith: they parse, differ from each other, and depend on the seed alone.
#include "grammar/proposals.h"

static void check_distinct(Arena *a, const Op *op) {
    Proposal p[ASKED];
    int n = proposals(a, op, 5, ASKED, p);
    assert_int_equal(smith_distinct(a, p, n), n);
    p[n - 1] = p[0]; // the control: a copy is found
    assert_int_equal(smith_distinct(a, p, n), n - 1);
}
static void no_program_is_proposed_twice(void **state) {
    (void)state;
    over_all_ops(check_distinct);
}

static void check_seeds(Arena *a, const Op *op) {
    Proposal p[4], again[4], other[4];
    int n = proposals(a, op, 77, 4, p), differ = 0;
    assert_int_equal(proposals(a, op, 77, 4, again), n);
    assert_int_equal(proposals(a, op, 78, 4, other), n);
    for (int i = 0; i < n; i++) {
        assert_true(str_eq(p[i].source, again[i].source));
        assert_string_equal(p[i].schedule, again[i].schedule);
        differ += !str_eq(p[i].source, other[i].source);
    }
    assert_true(differ > 0);
}
static void the_seed_decides_every_byte(void **state) {
    (void)state;
    over_all_ops(check_seeds);
}

static void more_can_be_asked_for_and_the_first_stay(void **state) {
    (void)state;
    Arena a = {0};
    Op op = define_body(&a, "    h = x.float() * w.float()\n    return (h * torch.sigmoid(h)).to(x.dtype)\n");
    Proposal few[3], many[40];
    assert_int_equal(proposals(&a, &op, 3, 3, few), 3);
    assert_int_equal(proposals(&a, &op, 3, 40, many), 40);
    for (int i = 0; i < 3; i++) assert_true(str_eq(few[i].source, many[i].source));
    assert_int_equal(proposals(&a, &op, 3, 0, few), 0);
    arena_free(&a);
}

static void distinct_ignores_names_and_layout_but_not_numbers(void **state) {
    (void)state;
    Arena a = {0};
    Proposal p[] = {
        {.source = STR("def run(x):\n    y = x\n    return y\n")},
        {.source = STR("# the same\ndef run(x):\n    out = x; return out\n")},
        {.source = STR("def run(x):\n    return 1\n")},
        {.source = STR("def run(x):\n    return 1.0\n")},
        {.source = STR("def run(x:\n")},
        {.source = STR("def run(x:\n")},
    };
    assert_int_equal(smith_distinct(&a, p, 6), 4);
    assert_true(str_starts(p[1].source, "def run(x):\n    return 1\n"));
    arena_free(&a);
}

static void an_op_beyond_the_grammar_is_refused(void **state) {
    (void)state;
    Arena a = {0};
    Err e = {0};
    Smith *s;
    Op op = define_body(&a, "    return x.argmax(-1)\n");
    Proposal p[2];
    int n = 9;
    assert_true(smith_open(&a, "grammar", NULL, &s, &e));
    SmithRequest q = {.seed = 1, .count = 2};
    assert_false(smith_propose(s, &a, &op, &q, p, &n, &e));
    assert_int_equal(e.code, ERR_INPUT);
    assert_int_equal(n, 0);
    arena_free(&a);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_program_is_proposed_twice),
        cmocka_unit_test(the_seed_decides_every_byte),
        cmocka_unit_test(more_can_be_asked_for_and_the_first_stay),
        cmocka_unit_test(distinct_ignores_names_and_layout_but_not_numbers),
        cmocka_unit_test(an_op_beyond_the_grammar_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
