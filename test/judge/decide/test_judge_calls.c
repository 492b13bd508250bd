// What is made of calls on an object that has been called before.
#include "judge/made_up.h"

// The made-up child once more, with calls that hand in the right answers.
typedef struct {
    MadeUp w;
    CaseReport *report;
    int reports;
} Called;

// Of calls that are made many times, that to the values whose turn it is.
static const Bound *answer_of(const Draw *d, int call) {
    const CallSpec *s = &d->call[call];
    return d->called[s->turns > 0 ? call_values(s, 1 + call) : call].expected;
}

static void called_open(Called *c) {
    made_up_open(&c->w, "softmax", DT_F32, 3);
    const Draw *d = &c->w.d;
    c->report = NEWN(&c->w.a, CaseReport, (size_t)(d->cases + d->calls + 1));
    memcpy(c->report, c->w.report, sizeof *c->report * (size_t)d->cases);
    for (int i = 0; i < d->calls; i++) {
        const Bound *b = answer_of(d, i);
        const CallSpec *s = &d->call[i];
        CaseReport *r = &c->report[d->cases + i];
        *r = (CaseReport){.case_index = s->case_index,
                          .kind = REPORT_CALL,
                          .output[0].dtype = (int32_t)b->dtype,
                          .output[0].rank = b->rank,
                          .call = 1 + i,
                          .nth = 1 + i};
        memcpy(r->output[0].shape, b->shape, sizeof(int64_t) * (size_t)b->rank);
        wire_message(r, "");
        for (int64_t k = 0; k < b->numel; k++) {
            dtype_store(b->dtype, c->w.output + s->spec.output_at + k * dtype_bytes(b->dtype), b->v[k]);
            dtype_store(b->dtype, c->w.output + s->kept_at + k * dtype_bytes(b->dtype), b->v[k]);
        }
    }
    c->reports = d->cases + d->calls + 1;
    c->report[c->reports - 1] = c->w.report[d->cases];
    c->report[c->reports - 1].keeps = 1;
}

static Verdict called_judged(Called *c) {
    ChildResult child = {.end = CHILD_EXITED,
                         .report = c->report,
                         .reports = c->reports,
                         .output = c->w.output,
                         .output_bytes = c->w.d.output_bytes};
    Verdict v = {0};
    decide(&c->w.a, &c->w.d, STR("source"), &child, &v);
    assert_true(v.decision.feedback && strlen(v.decision.feedback) <= FEEDBACK_MAX);
    return v;
}

static void assert_said(Called *c, Status status, const char *rule, const char *words) {
    Verdict v = called_judged(c);
    if (v.decision.status != status || strcmp(v.decision.rule, rule) != 0 ||
        !strstr(v.decision.feedback, words))
        fail_msg("%s (%s): %s", status_name(v.decision.status), v.decision.rule, v.decision.feedback);
}

// The largest element of a call's answer, which lies in the output from `at` on.
static float *float_at(Called *c, int call, int64_t at) {
    const Bound *b = answer_of(&c->w.d, call);
    int64_t most = 0;
    for (int64_t i = 1; i < b->numel; i++)
        if (b->v[i] > b->v[most]) most = i;
    return (float *)(void *)(c->w.output + at) + most;
}

static void every_answer_is_judged(void **state) {
    (void)state;
    Called c;
    called_open(&c);
    int calls = c.w.d.calls, first = c.w.d.cases;
    assert_true(calls > 4);
    assert_said(&c, STATUS_ok, "all", "Accepted");
    for (int i = 0; i < calls; i++) {
        float *x = float_at(&c, i, c.w.d.call[i].spec.output_at), was = *x;
        *x = 50;
        assert_said(&c, STATUS_incorrect, "calls", "on the same object");
        *x = NAN;
        assert_said(&c, STATUS_nan_class, "calls", "Something kept from an earlier call");
        *x = was;
    }
    c.report[first + 1].output[0].unwritten = 2;
    c.report[first + 1].output[0].first_unwritten = 0;
    assert_said(&c, STATUS_uncovered_output, "calls", "2 of ");
    c.report[first + 1].output[0].unwritten = 0;
    c.report[first + 1].output[0].first_unwritten = -1;
    c.report[first + 1].output[0].dtype = DT_F16;
    assert_said(&c, STATUS_wrong_dtype, "calls", "call 2 on the same object");
    c.report[first + 1].output[0].dtype = DT_F32;
    c.report[first + 1].output[0].shape[0]++;
    assert_said(&c, STATUS_wrong_shape, "calls", "shape");
    made_up_close(&c.w);
}

static void what_was_returned_stays(void **state) {
    (void)state;
    Called c;
    called_open(&c);
    for (int i = 0; i < c.w.d.calls; i++) {
        float *x = float_at(&c, i, c.w.d.call[i].kept_at), was = *x;
        *x = 50;
        assert_said(&c, STATUS_incorrect, "kept_answer", "overwritten by a later call");
        *x = was;
    }
    made_up_close(&c.w);
}

static void the_same_values_give_the_same_bits(void **state) {
    (void)state;
    Called c;
    called_open(&c);
    int last = c.w.d.calls - 1, first = c.w.d.cases;
    const CallSpec *s = &c.w.d.call[last];
    float *x = float_at(&c, last, s->spec.output_at), *kept = float_at(&c, last, s->kept_at);
    assert_int_equal(s->same_as, 0);
    *x = *kept = nextafterf(*x, 0);
    assert_said(&c, STATUS_nondeterministic, "calls", "other bits than that of call 1");
    c.report[first].atomic_launches = 1;
    assert_said(&c, STATUS_ok, "all", "Accepted");
    c.report[first].atomic_launches = 0;
    c.report[first + last].configs = 3;
    assert_said(&c, STATUS_ok, "all", "Accepted");
    made_up_close(&c.w);
}

static void calls_are_not_left_out(void **state) {
    (void)state;
    Called c;
    called_open(&c);
    int calls = c.w.d.calls, first = c.w.d.cases;
    CaseReport *all = NEWN(&c.w.a, CaseReport, (size_t)c.reports), done = c.report[c.reports - 1];
    memcpy(all, c.report, sizeof *all * (size_t)c.reports);
    for (int out = 0; out < calls; out++) {
        memcpy(c.report, all, sizeof *all * (size_t)c.reports);
        memmove(&c.report[first + out], &all[first + out + 1],
                sizeof *all * (size_t)(c.reports - 1 - first - out));
        c.reports--;
        bool may = c.w.d.call[out].flags & CALL_OTHER;
        assert_said(&c, may ? STATUS_ok : STATUS_crash, may ? "all" : "protocol", "");
        c.reports++;
    }
    // None, of a program that says that it keeps something; none, of one that keeps nothing.
    c.reports = first + 1;
    c.report[first] = done;
    assert_said(&c, STATUS_crash, "protocol", "calls are missing");
    c.report[first].keeps = 0;
    assert_said(&c, STATUS_ok, "all", "Accepted");
    // Of another case than was asked for; one too many.
    memcpy(c.report, all, sizeof *all * (size_t)(first + calls + 1));
    c.reports = first + calls + 1;
    c.report[first].case_index = (c.report[first].case_index + 1) % c.w.d.cases;
    assert_said(&c, STATUS_crash, "protocol", "nobody asked for");
    c.report[first] = all[first];
    c.report[first + calls - 1].call++;
    assert_said(&c, STATUS_crash, "protocol", "nobody asked for");
    made_up_close(&c.w);
}

static void a_finding_names_the_call(void **state) {
    (void)state;
    Called c;
    called_open(&c);
    int first = c.w.d.cases;
    CaseReport f = {.case_index = c.w.d.call[2].case_index,
                    .kind = REPORT_FINDING,
                    .finding = DIAG_OOB,
                    .call = 3,
                    .nth = 3,
                    .len = 1};
    wire_message(&f, "store outside");
    c.report[first + 2] = f;
    c.reports = first + 3;
    assert_said(&c, STATUS_oob, "memory", "in call 3 on the same object");
    c.report[first + 2].case_index = (f.case_index + 1) % c.w.d.cases;
    assert_said(&c, STATUS_crash, "protocol", "nobody asked for");
    // A wrong answer before it is told first.
    c.report[first + 2] = f;
    *float_at(&c, 1, c.w.d.call[1].spec.output_at) = 50;
    assert_said(&c, STATUS_incorrect, "calls", "call 2 on the same object");
    made_up_close(&c.w);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_answer_is_judged),
        cmocka_unit_test(what_was_returned_stays),
        cmocka_unit_test(the_same_values_give_the_same_bits),
        cmocka_unit_test(calls_are_not_left_out),
        cmocka_unit_test(a_finding_names_the_call),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
