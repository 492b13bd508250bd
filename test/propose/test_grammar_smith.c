// The grammar as a smith: how many different programs it has.
#include "grammar/smith_test.h"

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
        cmocka_unit_test(every_op_has_different_programs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
