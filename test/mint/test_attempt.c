// Drafts from the question to the verdict, with smiths made for the purpose.
#include "mint/smithy.h"

static AttemptResult run_script(Arena *a, const Op *op, Script *t, AttemptRequest q) {
    Smith smith = speaker(t);
    Profile p;
    Err e = {0};
    AttemptResult out;
    if (!profile_open(a, PROFILE_DEFAULT, &p, &e)) fail_msg("%s", e.msg);
    q.service = service;
    q.op = op;
    q.smith = &smith;
    q.profile = &p;
    q.filter.dtype = -1;
    if (!attempts_run(a, &q, &out, &e)) fail_msg("%s", e.msg);
    return out;
}

static void each_draft_gets_the_verdict_of_its_kernel(void **state) {
    (void)state;
    Arena a = {0};
    Op op = twice(&a);
    for (int backwards = 0; backwards < 2; backwards++) {
        Script t = {.say = {FENCED(WRONG), FENCED(RIGHT), "No.", FENCED(RIGHT) "#", FENCED("def run(x)")},
                    .says = 5,
                    .backwards = backwards};
        AttemptResult r = run_script(&a, &op, &t, (AttemptRequest){.ask = {.count = 6}});
        static const Status expected[] = {STATUS_incorrect, STATUS_ok,           STATUS_no_kernel,
                                          STATUS_ok,        STATUS_parse_reject, STATUS_incorrect};
        static const int same_as[] = {-1, -1, -1, 1, -1, 0};
        assert_int_equal(r.count, 6);
        for (int i = 0; i < 6; i++) {
            assert_int_equal(r.at[i].index, i);
            if (r.at[i].verdict.decision.status != expected[i] || r.at[i].same_as != same_as[i])
                fail_msg("draft %d: %s, same as %d", i, status_name(r.at[i].verdict.decision.status),
                         r.at[i].same_as);
            assert_int_equal(strlen(r.at[i].prompt), 64);
        }
        assert_int_equal(r.tally.replies, 6);
        assert_int_equal(r.tally.judged, 6);
        assert_int_equal(r.tally.accepted, 2);
        assert_int_equal(r.tally.tokens, 60);
        assert_int_equal(r.smith_error.code, ERR_NONE);
        assert_true(str_is(r.at[1].source, RIGHT) && str_is(r.at[2].reply, "No."));
    }
    arena_free(&a);
}

static void a_cut_reply_is_truncated_unless_its_block_is_closed(void **state) {
    (void)state;
    Arena a = {0};
    Op op = twice(&a);
    Script t = {.say = {"```python\n" RIGHT, FENCED(RIGHT)}, .says = 2, .cut = true};
    AttemptResult r = run_script(&a, &op, &t, (AttemptRequest){.ask = {.count = 2}});
    assert_int_equal(r.at[0].verdict.decision.status, STATUS_truncated);
    assert_string_equal(r.at[0].verdict.decision.rule, "reply");
    assert_int_equal(r.at[1].verdict.decision.status, STATUS_ok);
    arena_free(&a);
}

static void feedback_is_given_to_the_rejected_only(void **state) {
    (void)state;
    Arena a = {0};
    Op op = twice(&a);
    Script t = {.say = {FENCED(WRONG), FENCED(RIGHT), "No."}, .says = 3, .then = FENCED(RIGHT)};
    AttemptResult r = run_script(&a, &op, &t, (AttemptRequest){.ask = {.count = 3}, .feedback = 3});
    assert_int_equal(t.prompts_with_feedback, 2);
    assert_int_equal(t.questions, 2); // all retries at once
    assert_int_equal(r.count, 5);
    assert_true(r.at[1].index == 0 && r.at[1].retry == 1 && verdict_accepted(&r.at[1].verdict));
    assert_true(r.at[4].index == 2 && r.at[4].retry == 1 && verdict_accepted(&r.at[4].verdict));
    assert_string_not_equal(r.at[0].prompt, r.at[1].prompt);
    assert_string_not_equal(r.at[1].prompt, r.at[4].prompt);
    assert_string_equal(r.at[0].prompt, r.at[2].prompt);
    assert_non_null(strstr(t.last_user, "The reply holds no kernel"));
    // Still wrong after each sentence: as often as asked for, no oftener.
    Script stubborn = {.say = {FENCED(WRONG)}, .says = 1, .then = FENCED(WRONG)};
    r = run_script(&a, &op, &stubborn, (AttemptRequest){.ask = {.count = 2}, .feedback = 2});
    assert_int_equal(stubborn.asked, 6);
    assert_int_equal(stubborn.questions, 3);
    assert_int_equal(r.tally.accepted, 0);
    arena_free(&a);
}

static void a_smith_that_fails_is_a_result(void **state) {
    (void)state;
    Arena a = {0};
    Op op = twice(&a);
    Script t = {.say = {FENCED(RIGHT)}, .says = 1, .fails_after = 2, .then = "-"};
    AttemptResult r = run_script(&a, &op, &t, (AttemptRequest){.ask = {.count = 5}, .feedback = 1});
    assert_int_equal(r.smith_error.code, ERR_IO);
    assert_string_equal(r.smith_error.msg, "out of words");
    assert_int_equal(r.count, 2);
    assert_true(verdict_accepted(&r.at[0].verdict) && verdict_accepted(&r.at[1].verdict));
    arena_free(&a);
}

typedef struct {
    atomic_int replies, verdicts, verdicts_before_the_last_reply;
    int enough, interrupt_at, asked;
} Watch;

static bool watch(void *arg, const AttemptTally *tally, const Attempt *t) {
    Watch *w = arg;
    atomic_store(&w->replies, tally->replies);
    if (t) atomic_fetch_add(&w->verdicts, 1);
    if (t && tally->replies < w->asked) atomic_fetch_add(&w->verdicts_before_the_last_reply, 1);
    return !(w->enough && t && verdict_accepted(&t->verdict));
}
static bool interrupt(void *arg) {
    Watch *w = arg;
    return w->interrupt_at && atomic_load(&w->replies) >= w->interrupt_at;
}

static void judging_goes_on_while_the_smith_writes(void **state) {
    (void)state;
    Arena a = {0};
    Op op = twice(&a);
    Watch w = {.asked = 4};
    Script t = {.say = {FENCED(RIGHT), FENCED(WRONG)}, .says = 2, .pause = 0.3};
    AttemptResult r =
        run_script(&a, &op, &t, (AttemptRequest){.ask = {.count = 4}, .told = watch, .arg = &w});
    assert_int_equal(r.count, 4);
    assert_int_equal(w.verdicts, 4);
    assert_true(w.verdicts_before_the_last_reply >= 1);
    arena_free(&a);
}

static void enough_is_enough(void **state) {
    (void)state;
    Arena a = {0};
    Op op = twice(&a);
    Watch w = {.asked = 1000, .enough = 1};
    Script t = {.say = {FENCED(WRONG), FENCED(RIGHT)}, .says = 2, .pause = 0.05};
    AttemptResult r =
        run_script(&a, &op, &t, (AttemptRequest){.ask = {.count = 1000}, .told = watch, .arg = &w});
    assert_true(r.stopped && t.gave < 1000 && r.tally.accepted >= 1);
    arena_free(&a);
}

static void an_interrupt_keeps_what_is_finished(void **state) {
    (void)state;
    Arena a = {0};
    Op op = twice(&a);
    Watch w = {.asked = 50, .interrupt_at = 3};
    Script t = {.say = {FENCED(WRONG), FENCED(RIGHT)}, .says = 2};
    AttemptResult r = run_script(
        &a, &op, &t,
        (AttemptRequest){.ask = {.count = 50}, .told = watch, .interrupted = interrupt, .arg = &w});
    assert_true(r.stopped);
    assert_int_equal(t.gave, 3);
    assert_int_equal(r.count, 3);
    assert_true(verdict_accepted(&r.at[1].verdict));
    arena_free(&a);
}

// ---- a round shares a draw, and nobody joins a draw that is made ----

enum { DRAFTS = 6 };
typedef struct {
    char sha[DRAFTS][65];
    uint64_t seed[DRAFTS]; // of the draw that each was judged by
    bool frozen[DRAFTS];
    uint64_t told[DRAFTS]; // seeds that a verdict was told of, so far
    int seeds;
    bool late;
} Seen;

static bool see_record(void *arg, Str json) {
    Seen *s = arg;
    json_t *o = json_loadb(json.p, json.len, 0, NULL);
    assert_non_null(o);
    bool source = strcmp(json_string_value(json_object_get(o, "record")), "source") == 0;
    const char *sha = json_string_value(json_object_get(o, source ? "sha256" : "source_sha256"));
    for (int i = 0; i < DRAFTS; i++) {
        if (strcmp(sha, s->sha[i]) != 0) continue;
        bool told = false;
        for (int k = 0; k < s->seeds; k++) told |= s->told[k] == s->seed[i];
        if (source) {
            s->frozen[i] = true;
            s->late |= told;
        } else if (!told)
            s->told[s->seeds++] = s->seed[i];
    }
    json_decref(o);
    return true;
}

// Before the journal tells a verdict under some seed it has told all sources that this seed judges.
static void a_draft_never_joins_a_draw_that_was_made_before_it(void **state) {
    (void)state;
    Arena a = {0};
    Op op = twice(&a);
    Script t = {.says = DRAFTS, .pause = 0.03};
    for (int i = 0; i < DRAFTS; i++)
        t.say[i] =
            arena_printf(&a, "```python\n" HEAD "    v = v * %d.0\n" TAIL "```", i + 11); // of no other test
    AttemptResult r = run_script(&a, &op, &t, (AttemptRequest){.ask = {.count = DRAFTS}});
    Seen seen = {0};
    for (int i = 0; i < DRAFTS; i++) {
        memcpy(seen.sha[i], r.at[i].verdict.source_sha256, 65);
        seen.seed[i] = r.at[i].verdict.judged.seed;
    }
    int damaged;
    Err e = {0};
    assert_true(journal_scan(state_dir, see_record, &seen, &damaged, &e));
    for (int i = 0; i < DRAFTS; i++) assert_true(seen.frozen[i]);
    assert_false(seen.late);
    assert_true(seen.seeds >= 2); // some arrived after the first draw
    arena_free(&a);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_draft_gets_the_verdict_of_its_kernel),
        cmocka_unit_test(a_cut_reply_is_truncated_unless_its_block_is_closed),
        cmocka_unit_test(feedback_is_given_to_the_rejected_only),
        cmocka_unit_test(a_smith_that_fails_is_a_result),
        cmocka_unit_test(judging_goes_on_while_the_smith_writes),
        cmocka_unit_test(enough_is_enough),
        cmocka_unit_test(an_interrupt_keeps_what_is_finished),
        cmocka_unit_test(a_draft_never_joins_a_draw_that_was_made_before_it),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
