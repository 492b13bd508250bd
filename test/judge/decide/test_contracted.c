// Answers of runs with products and sums rounded once: held to the bounds, never to the bits of the first
// run.
#include "judge/decide/contracted.h"
#include "judge/made_up.h"

static int case_with(const MadeUp *w, int32_t contract) {
    for (int i = 0; i < w->d.cases; i++)
        if (w->d.spec[i].contract == contract && w->d.truth[i].expected->numel > 8) return i;
    fail_msg("no case has %d", (int)contract);
    return -1;
}

static float *answer(const MadeUp *w, int at, int run, int element) {
    return (float *)(w->output + spec_output_at(&w->d.spec[at], run)) + element;
}

static void both_sides_are_drawn(void **state) {
    (void)state;
    MadeUp w;
    made_up_open(&w, "softmax", DT_F32, 3);
    int left = 0, right = 0, none = 0;
    for (int i = 0; i < w.d.cases; i++) {
        int32_t c = w.d.spec[i].contract;
        left += c >> CONTRACT_LEFT & 1;
        right += c >> CONTRACT_RIGHT & 1;
        none += c == 0;
        assert_true((size_t)spec_output_at(&w.d.spec[i], spec_last_run(&w.d.spec[i])) +
                        (size_t)w.d.spec[i].output_bytes <=
                    w.d.output_bytes);
    }
    assert_true(left > 0 && right > 0 && none > 0);
    made_up_close(&w);
}

static void values_decide(void **state) {
    (void)state;
    for (ContractSide side = CONTRACT_LEFT; side <= CONTRACT_RIGHT; side++) {
        MadeUp w;
        made_up_open(&w, "softmax", DT_F32, 3);
        int at = case_with(&w, 1 << side), run = spec_contracted(&w.d.spec[at], side);
        CaseReport *r = &w.report[at];
        uint8_t *judged_room = NEWN(&w.a, uint8_t, (size_t)w.d.truth[at].expected->numel + 1);
        assert_true(run > 0);
        // The right answer, with other bits.
        float was = *answer(&w, at, run, 5), *of = answer(&w, at, run, 5);
        *of = nextafterf(was, 1);
        r->contracted = 1 << side;
        assert_int_equal(judged(&w).decision.status, STATUS_ok);
        assert_int_equal(contracted_run(&w.a, &w.d, at, r, w.output), 0);
        // NaN.
        *of = NAN;
        Verdict v = judged(&w);
        assert_int_equal(v.decision.status, STATUS_nan_class);
        assert_string_equal(v.decision.rule, "contracted");
        assert_int_equal(v.decision.case_number, at + 1);
        assert_int_equal(v.decision.element, 5);
        assert_non_null(strstr(v.decision.feedback, "fused, as compilers do"));
        assert_non_null(strstr(v.decision.feedback, "(a - b) * c"));
        assert_true(strlen(v.decision.feedback) <= FEEDBACK_MAX);
        assert_int_equal(contracted_run(&w.a, &w.d, at, r, w.output), run);
        assert_int_equal(contracted_compare(&w.d, at, r, w.output, judged_room).worst_at, 5);
        // Far off; and nobody looks where the child has not run it.
        *of = was + 4096.0f;
        assert_int_equal(judged(&w).decision.status, STATUS_incorrect);
        r->contracted = 0;
        assert_int_equal(judged(&w).decision.status, STATUS_ok);
        // What is wrong without all this is told first.
        r->contracted = 1 << side;
        *answer(&w, at, 0, 5) = was + 4096.0f;
        assert_string_equal(judged(&w).decision.rule, "bounds");
        // A run that nobody has asked for.
        *answer(&w, at, 0, 5) = *of = was;
        r->contracted = 1 << CONTRACT_LEFT | 1 << CONTRACT_RIGHT;
        v = judged(&w);
        assert_int_equal(v.decision.status, STATUS_crash);
        assert_string_equal(v.decision.rule, "protocol");
        made_up_close(&w);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(both_sides_are_drawn),
        cmocka_unit_test(values_decide),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
