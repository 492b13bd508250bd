// Smiths by name: which there are, and what each of them does.
#include "grammar/smith_test.h"

static void unknown_smiths_are_refused_with_the_known_ones(void **state) {
    (void)state;
    Arena a = {0};
    Err e = {0};
    Smith *s = NULL;
    assert_false(smith_open(&a, "grammer", NULL, &s, &e));
    assert_int_equal(e.code, ERR_USAGE);
    assert_non_null(strstr(e.msg, "grammar"));
    arena_free(&a);
}

static void the_grammar_proposes_as_many_as_asked(void **state) {
    (void)state;
    Arena a = {0};
    Err e = {0};
    Smith *s;
    Op op;
    assert_true(op_find(&a, STR("softmax"), &op));
    if (!smith_open(&a, "grammar", NULL, &s, &e)) fail_msg("%s", e.msg);
    for (int asked = 1; asked <= 4; asked++) {
        Proposal p[4];
        int got = 0;
        SmithRequest q = {.seed = 3, .count = asked};
        if (!smith_propose(s, &a, &op, &q, p, &got, &e)) fail_msg("%s", e.msg);
        assert_int_equal(got, asked);
        for (int i = 0; i < got; i++) assert_true(p[i].source.len > 0);
    }
    arena_free(&a);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(unknown_smiths_are_refused_with_the_known_ones),
        cmocka_unit_test(the_grammar_proposes_as_many_as_asked),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
