// A mint: it ends at the first kernel that is proved, or with all that were tried.
#include "mint/smithy.h"

// ---- mint ----

static MintResult minted(Arena *a, const Op *op, Script *t, MintRequest q) {
    Smith smith = speaker(t);
    Profile p;
    Err e = {0};
    MintResult m;
    if (!profile_open(a, PROFILE_DEFAULT, &p, &e)) fail_msg("%s", e.msg);
    q.op = op;
    q.smith = &smith;
    q.profile = &p;
    q.filter.dtype = -1;
    if (!mint_run(service, a, &q, &m, &e)) fail_msg("%s", e.msg);
    return m;
}

static void mint_stops_at_the_first_that_is_proved(void **state) {
    (void)state;
    Arena a = {0};
    Op op = twice(&a);
    Script t = {.say = {FENCED(WRONG), "no", FENCED(RIGHT)}, .says = 3, .pause = 0.05};
    MintResult m = minted(&a, &op, &t, (MintRequest){.ask = {.count = 1000}, .first = true});
    assert_true(m.found && m.verdict.judged.level == LEVEL_FULL && verdict_accepted(&m.verdict));
    assert_true(t.gave < 1000);
    assert_true(str_is(m.best.source, RIGHT));
    assert_true(m.best.index % 3 == 2);
    Script all = {.say = {FENCED(WRONG), "no", FENCED(RIGHT)}, .says = 3};
    m = minted(&a, &op, &all, (MintRequest){.ask = {.count = 7}});
    assert_true(m.found && m.proposed == 7 && m.distinct == 2 && m.judged == 2 && m.accepted == 1 &&
                m.attempts == 7);
    Script none = {.say = {FENCED(WRONG), "no"}, .says = 2};
    m = minted(&a, &op, &none, (MintRequest){.ask = {.count = 4}, .first = true});
    assert_false(m.found);
    assert_int_equal(m.attempts, 4);
    arena_free(&a);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(mint_stops_at_the_first_that_is_proved),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
