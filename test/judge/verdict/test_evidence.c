// What a verdict says to people about its evidence: what was tried, what came closest, what nothing covers.
#include "judge/made_up.h"
#include "judge/verdict/evidence.h"

static Verdict verdict(Status status, int run, int passed) {
    return (Verdict){.decision = {.status = status},
                     .cases = {.run = run, .passed = passed},
                     .judged = {.level = LEVEL_FULL}};
}

static const char *told(Arena *a, const Verdict *v) {
    Buf out = BUF(a);
    evidence_text(&out, v, "# ");
    return buf_cstr(&out);
}

static void says(const Verdict *v, const char *what) {
    Arena a = {0};
    const char *text = told(&a, v);
    if (!strstr(text, what)) fail_msg("not told: %s\nin: %s", what, text);
    arena_free(&a);
}

static void says_not(const Verdict *v, const char *what) {
    Arena a = {0};
    const char *text = told(&a, v);
    if (strstr(text, what)) fail_msg("told: %s\nin: %s", what, text);
    arena_free(&a);
}

static void says_where_judging_stopped(void **state) {
    (void)state;
    Verdict v = verdict(STATUS_ok, 45, 45);
    says(&v, "# cases: 45 of 45 passed\n");
    says_not(&v, "stopped");
    v = verdict(STATUS_incorrect, 21, 14);
    says(&v, "# cases: 14 of 21 passed; the other cases were only searched for a worse failure\n");
    v = verdict(STATUS_oob, 6, 6);
    says(&v, "# cases: 6 passed, then judging stopped\n");
    v = verdict(STATUS_compile_fail, 0, 0);
    says(&v, "# cases: none ran to its end, so no value was compared\n");
    says_not(&v, "passed");
}

static void says_the_closest_call_as_a_share(void **state) {
    (void)state;
    Verdict v = verdict(STATUS_ok, 45, 45);
    says_not(&v, "largest error:");
    snprintf(v.cases.worst.where, sizeof v.cases.worst.where, "float16 8x1024 spike_last");
    v.cases.worst.use = 0.2296;
    says(&v, "# largest error: 23 % of the allowed error, on float16 8x1024, class spike_last "
             "(one large value last, small ones before it)\n");
    says_not(&v, "times");
    v.cases.worst.use = 0.00123;
    says(&v, "largest error: 0.12 % of");
    v.cases.worst.use = 0;
    says(&v, "# largest error: none beyond rounding to the output's type, as on float16 8x1024");
    snprintf(v.cases.worst.where, sizeof v.cases.worst.where,
             "float16 8x1024 strided"); // a hidden case: no class is told
    says(&v, "on float16 8x1024 strided\n");
}

static void says_the_worst_of_what_failed(void **state) {
    (void)state;
    Verdict v = verdict(STATUS_inaccurate, 21, 14);
    snprintf(v.cases.worst.where, sizeof v.cases.worst.where, "float32 3x7 bell");
    v.cases.worst.use = 1.25;
    says(&v, "# largest error: 1.25 times the allowed error, on float32 3x7, class bell (");
    says_not(&v, "%");
    v.cases.worst.use = 326584.2;
    says(&v, "largest error: 326584 times");
    v.cases.worst.use = INFINITY;
    says(&v, "# largest error: some where none is allowed, on float32 3x7");
    v.decision.status = STATUS_nan_class;
    says(&v, "# largest error: NaN or infinity where the reference has none, or the reverse, on float32 3x7");
}

static void says_what_is_not_covered(void **state) {
    (void)state;
    Verdict v = verdict(STATUS_ok, 2, 2);
    says(&v, "# level full: ");
    says(&v, "# not covered: speed on a GPU, and sizes that no case had (");
    v.evidence.every_size = 500;
    says(&v, "# not covered: speed on a GPU\n");
    says_not(&v, "no case had");
    v.evidence.every_size = 0;
    v.judged.level = LEVEL_QUICK;
    says(&v, "# level quick: short rows in every dtype; not covered: what level full adds");
    v.judged.only = (DrawFilter){.m = 7, .n = 64, .dtype = DT_BF16};
    says(&v, "# not covered: any other shape or dtype\n");
    says_not(&v, "# level");
    v.judged.only = (DrawFilter){.m = 7, .n = 64, .dtype = -1};
    says(&v, "# not covered: any other shape\n");
    v.judged.only = (DrawFilter){.dtype = DT_BF16};
    says(&v, "# not covered: any other dtype\n");
    says(&v, "# level quick: ");
    v.judged.only = (DrawFilter){.dtype = -1};
    says_not(&v, "any other");
    v.evidence.coverage = (Coverage){.line = {8, 9, 20}, .lines = 3};
    v.evidence.untested[0] = 700000;
    v.evidence.untesteds = 1;
    says(&v, "# not covered: lines 8-9, 20 of the source, which no case executed\n");
    says(&v, "# not covered: sizes that the source compares with: 700000\n");
    v.decision.status = STATUS_incorrect; // what a rejection did not cover does not matter
    says_not(&v, "which no case executed");
    says_not(&v, "speed");
}

static void an_acceptance_is_told_fact_by_fact(void **state) {
    (void)state;
    static const MutationScore score = {.killed = 3, .survived = 1, .version = "1"};
    Verdict v = verdict(STATUS_ok, 2, 2);
    says_not(&v, "row position:");
    v.evidence.row_bits = ROW_BITS_SAME;
    says(&v, "# row position: moved among other rows, a row gave exactly the same result\n");
    v.evidence.row_bits = ROW_BITS_DIFFER;
    says(&v, "a row gave a slightly different result");
    v.evidence.metamorphic_bits = ROW_BITS_SAME;
    says(&v, "# shifts and scales that the definition declares: exactly the same result\n");
    v.evidence.proved = &score;
    says(&v, "reject 3 of 4");
    v.evidence.large = (LargeTensors){.asked = true, .safe = 7};
    says(&v, "# large tensors: addresses are right up to 7 elements");
    v.allowed.old_names = true;
    says(&v, "--old-names");
    v.evidence.every_size = 2000;
    says(&v, "# every row length up to 2000");
    says(&v, "every number of rows up to 1024 had a case\n"); // there it ends
    v.evidence.every_size = 60;
    says(&v, "every number of rows up to 60 had a case\n");
    v.evidence.tried[0] = 50, v.evidence.tried[1] = 51, v.evidence.tries = 2;
    v.evidence.tried_as[0] = TRIED_LENGTH, v.evidence.tried_as[1] = TRIED_LENGTH | TRIED_SLICES;
    says(&v, "# also judged at row lengths that its numbers and conditions lead to: 50, 51\n");
    says(&v, "# also judged at numbers of rows that its numbers and conditions lead to: 51\n");
    v.evidence.untested[0] = 70000, v.evidence.untesteds = 1, v.evidence.coverage.more_sizes = true;
    says(&v, "with: 70000 and further ones\n");
    v.decision.status = STATUS_race; // of a rejection none of it matters
    says_not(&v, "row position:");
    says_not(&v, "--old-names");
}

static bool untested(const Evidence *e, int64_t size) {
    for (int i = 0; i < e->untesteds; i++)
        if (e->untested[i] == size) return true;
    return false;
}

static void a_size_without_a_case_is_untested(void **state) {
    (void)state;
    MadeUp w;
    made_up_open(&w, "softmax", DT_F32, 3);
    int64_t length = w.d.truth[0].dim[w.op.row_dim], rows = w.d.truth[w.d.cases - 1].dim[w.op.rows_dim];
    Evidence e = {.coverage = {.size = {length, rows, 33333, 44444, 55555},
                               .sizes = 5,
                               .constants = 4, // the last follows from one case's sizes
                               .beyond = {77777},
                               .beyonds = 1}};
    evidence_sizes(&w.d, &e);
    assert_int_equal(e.untesteds, 3);
    assert_true(untested(&e, 33333) && untested(&e, 44444) && untested(&e, 77777));
    // A case of its own, and every size up to one.
    e.tried[0] = 33333, e.tries = 1;
    evidence_sizes(&w.d, &e);
    assert_true(e.untesteds == 2 && !untested(&e, 33333));
    e.every_size = 44444;
    evidence_sizes(&w.d, &e);
    assert_true(e.untesteds == 1 && untested(&e, 77777));
    made_up_close(&w);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(says_where_judging_stopped),
        cmocka_unit_test(says_the_closest_call_as_a_share),
        cmocka_unit_test(says_the_worst_of_what_failed),
        cmocka_unit_test(says_what_is_not_covered),
        cmocka_unit_test(an_acceptance_is_told_fact_by_fact),
        cmocka_unit_test(a_size_without_a_case_is_untested),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
