// From what a child reported and wrote to a verdict: nothing but the right bytes, told in full, is accepted,
// and each other thing has its status and rule.
#include "judge/made_up.h"

#include "cases/domain/domain.h"

static int tiny_case(const MadeUp *w) {
    for (int i = 0; i < w->d.cases; i++)
        if (w->d.spec[i].again && w->d.truth[i].expected->numel > 8) return i;
    fail_msg("no tiny case");
    return -1;
}

static void two_orders(void **state) {
    (void)state;
    MadeUp w;
    made_up_open(&w, "softmax", DT_F32, 3);
    int at = tiny_case(&w);
    CaseReport *r = &w.report[at];
    const CaseSpec *s = &w.d.spec[at];
    float was, other;
    uint8_t *second = w.output + spec_output_at(s, 1) + 4 * 3;
    memcpy(&was, second, 4);
    // The same bits.
    r->again = 1;
    assert_int_equal(judged(&w).decision.status, STATUS_ok);
    // One bit, which only atomics may change.
    uint32_t bits;
    memcpy(&bits, &was, 4);
    bits ^= 1;
    memcpy(second, &bits, 4);
    Verdict v = judged(&w);
    assert_int_equal(v.decision.status, STATUS_nondeterministic);
    assert_string_equal(v.decision.rule, "orders");
    r->atomic_launches = 1;
    assert_int_equal(judged(&w).decision.status, STATUS_ok);
    // Another value.
    other = was + 0.25f;
    memcpy(second, &other, 4);
    v = judged(&w);
    assert_int_equal(v.decision.status, STATUS_nondeterministic);
    assert_non_null(strstr(v.decision.feedback, "order in which the programs"));
    assert_true(strlen(v.decision.feedback) <= FEEDBACK_MAX);
    // The same wrong value in both orders is merely wrong.
    memcpy(w.output + s->output_at + 4 * 3, &other, 4);
    assert_int_equal(judged(&w).decision.status, STATUS_incorrect);
    // Not run again: nobody looks at the second one.
    memcpy(w.output + s->output_at + 4 * 3, &was, 4);
    r->again = 0;
    assert_int_equal(judged(&w).decision.status, STATUS_ok);
    // Another shape in the second order; an order that there was no room for.
    r->again = -1;
    assert_int_equal(judged(&w).decision.status, STATUS_nondeterministic);
    r->again = 0;
    int large = 0;
    while (w.d.spec[large].again) assert_true(++large < w.d.cases);
    w.report[large].again = 1;
    v = judged(&w);
    assert_int_equal(v.decision.status, STATUS_crash);
    assert_string_equal(v.decision.rule, "protocol");
    made_up_close(&w);
}

static void bits_that_depend_on_a_rows_place(void **state) {
    (void)state;
    MadeUp w;
    made_up_open(&w, "softmax", DT_F32, 7);
    int i = twin_of(&w);
    const CaseTruth *t = &w.d.truth[i];
    int64_t n = t->expected->numel / t->slices;
    for (int c = i - 1; c <= i; c++) // every row from itself alone
        for (int64_t k = 0; k < t->expected->numel; k++)
            w.output[w.d.spec[c].origin_at + k] = (uint8_t)(1 << k / n);
    assert_int_equal(judged(&w).decision.status, STATUS_ok);
    // One bit of one element: far within the bound.
    w.output[w.d.spec[i].output_at + 4 * n] ^= 1;
    Verdict v = judged(&w);
    assert_int_equal(v.decision.status, STATUS_nondeterministic);
    assert_string_equal(v.decision.rule, "rows");
    assert_non_null(strstr(v.decision.feedback, "Row 1 of the result"));
    assert_true(strlen(v.decision.feedback) <= FEEDBACK_MAX);
    // Each honest reason for such a bit is enough; the evidence says what was seen.
    CaseReport *r = &w.report[i];
    uint8_t *origin = &w.output[w.d.spec[i - 1].origin_at], was = *origin;
    for (int reason = 0; reason < 4; reason++) {
        if (reason == 0) r->atomic_launches = 1;
        if (reason == 1) r->configs = 2;
        if (reason == 2) r->read_back = 1;
        if (reason == 3) *origin |= 2; // its program works on two rows
        v = judged(&w);
        assert_int_equal(v.decision.status, STATUS_ok);
        assert_int_equal(v.evidence.row_bits, ROW_BITS_DIFFER);
        r->atomic_launches = r->configs = r->read_back = 0;
        *origin = was;
    }
    assert_int_equal(judged(&w).decision.status, STATUS_nondeterministic);
    made_up_close(&w);
}

// ---- counters below what the output needs ----

// A child that hands in the oracle's own values, and these counters.
static Verdict decided(const Counters *count, int64_t *output_bytes) {
    Arena a = {0};
    Err e = {0};
    Pool *pool;
    Op op;
    Draw d;
    DrawFilter f32 = {.dtype = DT_F32};
    assert_true(op_find(&a, STR("softmax"), &op));
    pool = pool_open(1);
    if (!draw_make(&a, pool, &(DrawRequest){.op = &op, .level = LEVEL_QUICK, .seed = 5, .filter = &f32}, &d,
                   &e))
        fail_msg("%s", e.msg);
    uint8_t *output = NEWN(&a, uint8_t, d.output_bytes);
    memset(output, 0xff, d.output_bytes); // the answer comes from everything that was marked
    CaseReport *report = NEWN(&a, CaseReport, (size_t)d.cases + 1);
    for (int i = 0; i < d.cases; i++) {
        const Bound *b = d.truth[i].expected;
        CaseReport *r = &report[i];
        *r = (CaseReport){
            .case_index = i,
            .kind = REPORT_RAN,
            .output[0].dtype = DT_F32,
            .output[0].rank = b->rank,
        };
        memcpy(r->output[0].shape, b->shape, sizeof(int64_t) * (size_t)b->rank);
        wire_message(r, "");
        for (int64_t k = 0; k < b->numel; k++) {
            float x = (float)b->v[k];
            memcpy(output + d.spec[i].output_at + 4 * k, &x, sizeof x);
        }
    }
    *output_bytes = d.spec[d.traffic_case].output_bytes;
    Counters c = *count;
    if (c.bytes_stored < 0) c.bytes_stored += *output_bytes; // so much below
    report[d.traffic_case].count = c;
    report[d.cases] = (CaseReport){
        .case_index = -1,
        .kind = REPORT_DONE,
    };
    wire_message(&report[d.cases], "");
    ChildResult child = {.end = CHILD_EXITED,
                         .report = report,
                         .reports = d.cases + 1,
                         .output = output,
                         .output_bytes = d.output_bytes};
    Verdict v = {0};
    decide(&a, &d, STR("source"), &child, &v);
    v.decision.feedback = "";
    draw_free(&d);
    pool_close(pool);
    arena_free(&a);
    return v;
}

static void stores_below_the_output_are_no_verdict(void **state) {
    (void)state;
    int64_t bytes = 0;
    Verdict none = decided(&(Counters){.launches = 1}, &bytes);
    assert_int_equal(none.decision.status, STATUS_referee_error);
    assert_string_equal(none.decision.rule, "traffic");
    Verdict less = decided(&(Counters){.launches = 1, .bytes_stored = -1}, &bytes);
    assert_int_equal(less.decision.status, STATUS_referee_error);
    Verdict right = decided(&(Counters){.launches = 1, .bytes_stored = bytes}, &bytes);
    assert_int_equal(right.decision.status, STATUS_ok);
    assert_true(right.traffic.facts.row_bytes == 2.0 * (double)bytes); // x and the answer
    assert_true(right.traffic.facts.shared_bytes == 0 && right.traffic.facts.elem_bytes == 4);
    assert_int_equal(right.traffic.facts.rows * right.traffic.facts.row * 4, bytes);
    Verdict copied = decided(&(Counters){.launches = 1, .bytes_copied = bytes}, &bytes);
    assert_int_equal(copied.decision.status, STATUS_ok);
}

// ---- how a child ends, what it found, what it returned ----

static Verdict judged_as(MadeUp *w, ChildEnd end, int code, int reports, bool garbage) {
    ChildResult child = {.end = end,
                         .code = code,
                         .report = w->report,
                         .reports = reports,
                         .garbage = garbage,
                         .output = w->output,
                         .output_bytes = w->d.output_bytes};
    Verdict v = {0};
    decide(&w->a, &w->d, STR("source"), &child, &v);
    return v;
}

static void expect(Verdict v, Status status, const char *rule) {
    if (v.decision.status != status || strcmp(v.decision.rule, rule) != 0)
        fail_msg("%s (%s), not %s (%s): %s", status_name(v.decision.status), v.decision.rule,
                 status_name(status), rule, v.decision.feedback);
    assert_true(strlen(v.decision.feedback) <= FEEDBACK_MAX);
}

static void each_end_of_a_child_has_its_verdict(void **state) {
    (void)state;
    MadeUp w;
    made_up_open(&w, "softmax", DT_F16, 2);
    int all = w.d.cases + 1;
    expect(judged_as(&w, CHILD_EXITED, 0, all, false), STATUS_ok, "all");
    expect(judged_as(&w, CHILD_OVERDUE, 0, all, false), STATUS_referee_error, "clock");
    expect(judged_as(&w, CHILD_SIGNALLED, 9, all, false), STATUS_referee_error, "killed");
    expect(judged_as(&w, CHILD_SIGNALLED, 11, all, false), STATUS_crash, "child");
    expect(judged_as(&w, CHILD_EXITED, 1, all, false), STATUS_crash, "child");
    expect(judged_as(&w, CHILD_EXITED, 0, all, true), STATUS_crash, "protocol");
    expect(judged_as(&w, CHILD_EXITED, 0, all - 1, false), STATUS_crash, "protocol"); // it never said so
    expect(judged_as(&w, CHILD_EXITED, 0, 0, false), STATUS_crash, "protocol");
    w.report[1].magic ^= 1;
    expect(judged_as(&w, CHILD_EXITED, 0, all, false), STATUS_crash, "protocol");
    made_up_close(&w);
}

static void each_finding_has_its_status(void **state) {
    (void)state;
    static const struct {
        DiagKind kind;
        Status status;
        const char *rule;
    } want[] = {
        {DIAG_SYNTAX, STATUS_parse_reject, "syntax"}, {DIAG_REFUSED, STATUS_parse_reject, "privilege"},
        {DIAG_COMPILE, STATUS_compile_fail, "types"}, {DIAG_UNSUPPORTED, STATUS_unsupported, "unsupported"},
        {DIAG_HOST, STATUS_host_error, "host"},       {DIAG_OOB, STATUS_oob, "memory"},
        {DIAG_UNINIT, STATUS_uninit_read, "memory"},  {DIAG_WRITE, STATUS_input_write, "memory"},
        {DIAG_RACE, STATUS_race, "memory"},           {DIAG_BUDGET, STATUS_timeout, "budget"},
        {DIAG_VALUE, STATUS_bad_value, "arithmetic"}};
    MadeUp w;
    made_up_open(&w, "softmax", DT_F16, 2);
    enum { AT = 2 };
    for (size_t i = 0; i < sizeof want / sizeof *want; i++) {
        const char *rule;
        assert_int_equal(finding_status(want[i].kind, &rule), want[i].status);
        assert_string_equal(rule, want[i].rule);
        assert_int_not_equal(status_class(want[i].status), CLASS_ACCEPTED);
        w.report[AT] = (CaseReport){
            .case_index = AT,
            .kind = REPORT_FINDING,
            .finding = (int32_t)want[i].kind,
            .at = 2,
            .len = 3,
        };
        wire_message(&w.report[AT], "something is wrong");
        Verdict v = judged_as(&w, CHILD_EXITED, 0, AT + 1, false);
        expect(v, want[i].status, want[i].rule);
        assert_true(v.decision.found && v.decision.placed && v.decision.place.at == 2 &&
                    v.decision.place.len == 3);
        assert_int_equal(v.decision.case_number, AT + 1);
        assert_int_equal(v.cases.passed, AT);
        assert_non_null(strstr(v.decision.feedback, "line 1:3: something is wrong"));
    }
    made_up_close(&w);
}

static void what_was_returned_must_be_the_outputs_own(void **state) {
    (void)state;
    MadeUp w;
    made_up_open(&w, "softmax", DT_F16, 2);
    CaseReport *r = &w.report[0], was = *r;
    r->output[0].shape[0]++;
    expect(judged(&w), STATUS_wrong_shape, "shape");
    *r = was;
    r->output[0].rank = 1;
    expect(judged(&w), STATUS_wrong_shape, "shape");
    *r = was;
    r->output[0].dtype = DT_F32;
    expect(judged(&w), STATUS_wrong_dtype, "dtype");
    *r = was;
    r->output[0].unwritten = 1;
    r->output[0].first_unwritten = 0;
    Verdict v = judged(&w);
    expect(v, STATUS_uncovered_output, "coverage");
    assert_true(v.decision.case_number == 1 && v.decision.element == 0);
    *r = was;
    expect(judged(&w), STATUS_ok, "all");
    made_up_close(&w);
}

static void put(MadeUp *w, int index, int64_t element, double x) {
    const Bound *b = w->d.truth[index].expected;
    dtype_store(b->dtype, w->output + w->d.spec[index].output_at + element * dtype_bytes(b->dtype), x);
}

// The largest expected value of a case of those with a narrow bound: far from zero, where a wrong one is no
// rounding.
static int64_t largest(const MadeUp *w, int index) {
    const Bound *b = w->d.truth[index].expected;
    int64_t at = 0;
    for (int64_t i = 0; i < b->numel; i++)
        if (b->v[i] > b->v[at] && (!b->e || b->e[i] < 512 * b->v[i])) at = i;
    return at;
}

static void the_worst_kind_of_the_whole_draw_decides(void **state) {
    (void)state;
    MadeUp w;
    made_up_open(&w, "softmax", DT_F32, 2);
    int last = w.d.cases - 1, length = w.d.op->row_dim;
    assert_true(w.d.truth[0].dim[length] < w.d.truth[last].dim[length]);
    int64_t at = largest(&w, last), first = largest(&w, 0);
    double right = w.d.truth[last].expected->v[at];
    put(&w, last, at, right + 1);
    Verdict v = judged(&w);
    expect(v, STATUS_incorrect, "bounds");
    assert_true(v.decision.case_number == last + 1 && v.decision.element == at && v.cases.worst.use > 1);
    assert_int_equal(v.cases.passed, last);
    // A NaN in the same case is worse than any number.
    int64_t other = at ? at - 1 : at + 1;
    put(&w, last, other, NAN);
    v = judged(&w);
    expect(v, STATUS_nan_class, "class");
    assert_true(v.decision.element == other);
    // A shorter row that is wrong by a number does not hide it: the worst kind of all cases is what is said.
    put(&w, 0, first, w.d.truth[0].expected->v[first] + 1);
    v = judged(&w);
    expect(v, STATUS_nan_class, "class");
    assert_true(v.decision.case_number == last + 1 && v.decision.element == other);
    assert_int_equal(v.cases.passed, v.cases.run - 2);
    // Of the same kind, the shortest row that shows it.
    put(&w, last, other, w.d.truth[last].expected->v[other]);
    v = judged(&w);
    expect(v, STATUS_incorrect, "bounds");
    assert_true(v.decision.case_number >= 1 &&
                w.d.truth[v.decision.case_number - 1].dim[length] == w.d.truth[0].dim[length]);
    put(&w, 0, first, NAN);
    v = judged(&w);
    expect(v, STATUS_nan_class, "class");
    assert_int_equal(v.decision.case_number, 1);
    // What a longer row's finding says comes behind a number that is wrong.
    put(&w, 0, first, w.d.truth[0].expected->v[first] + 1);
    w.report[last] = (CaseReport){
        .magic = WIRE_MAGIC,
        .kind = REPORT_FINDING,
        .case_index = last,
        .finding = DIAG_OOB,
        .at = 2,
        .len = 3,
    };
    expect(judged_as(&w, CHILD_EXITED, 0, last + 1, false), STATUS_incorrect, "bounds");
    put(&w, 0, first, w.d.truth[0].expected->v[first]);
    expect(judged_as(&w, CHILD_EXITED, 0, last + 1, false), STATUS_oob, "memory");
    made_up_close(&w);
    // One unit in the last place of a float32 answer is rounding; a thousandth is not, and no other value.
    made_up_open(&w, "softmax", DT_F32, 2);
    last = w.d.cases - 1;
    at = largest(&w, last);
    right = w.d.truth[last].expected->v[at];
    put(&w, last, at, right * (1 + 0x1p-23));
    expect(judged(&w), STATUS_ok, "all");
    put(&w, last, at, right * 1.001);
    v = judged(&w);
    assert_true(v.decision.status == STATUS_inaccurate || v.decision.status == STATUS_incorrect);
    made_up_close(&w);
}

static void cases_have_names(void **state) {
    (void)state;
    MadeUp w;
    made_up_open(&w, "softmax", DT_F16, 2);
    bool strided = false, plain = false;
    for (int i = 0; i < w.d.cases; i++) {
        const CaseTruth *t = &w.d.truth[i];
        Buf b = BUF(&w.a);
        truth_name(&b, &w.d, i);
        assert_string_equal(buf_cstr(&b),
                            arena_printf(&w.a, "float16 %lldx%lld%s", (long long)t->dim[w.d.op->rows_dim],
                                         (long long)t->dim[w.d.op->row_dim], t->strided ? " strided" : ""));
        strided |= t->strided;
        plain |= !t->strided;
        int64_t n = t->expected->numel / t->slices;
        for (int64_t r = 0; r < t->slices; r++) {
            assert_int_equal(truth_class(&w.d, i, 0, r * n), t->line_class[r]);
            assert_int_equal(truth_class(&w.d, i, 0, r * n + n - 1), t->line_class[r]);
        }
    }
    assert_true(strided && plain);
    // Which inputs, where it is not all of them.
    Op op;
    assert_true(op_find(&w.a, STR("add_rmsnorm"), &op));
    CaseTruth t = {.dtype = DT_F16, .dim = {7, 129}};
    Draw d = {.domain = domain_make(&w.a, &op), .op = &op, .truth = &t, .cases = 1};
    static const char *const names[] = {"",
                                        ", x strided",
                                        ", residual strided",
                                        ", x and residual strided",
                                        ", w strided",
                                        ", x and w strided",
                                        ", residual and w strided",
                                        " strided"};
    for (int i = 0; i < 8; i++) {
        t.strided = (uint8_t)i;
        Buf b = BUF(&w.a);
        truth_name(&b, &d, 0);
        assert_string_equal(buf_cstr(&b), arena_printf(&w.a, "float16 7x129%s", names[i]));
    }
    made_up_close(&w);
}

// Whether a wrong value runs over float16's end is luck: finite wrong values name the program, wherever they
// are.
static void an_infinity_in_float16_names_what_nothing_else_does(void **state) {
    (void)state;
    MadeUp w;
    made_up_open(&w, "softmax", DT_F16, 2);
    int last = w.d.cases - 1;
    int64_t at = largest(&w, last), first = largest(&w, 0);
    put(&w, 0, first, INFINITY);
    Verdict v = judged(&w);
    expect(v, STATUS_nan_class, "class");
    assert_int_equal(v.decision.case_number, 1);
    put(&w, last, at, w.d.truth[last].expected->v[at] + 100);
    v = judged(&w);
    expect(v, STATUS_incorrect, "bounds");
    assert_int_equal(v.decision.case_number, last + 1);
    put(&w, 0, first, NAN);
    expect(judged(&w), STATUS_nan_class, "class");
    made_up_close(&w);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(two_orders),
        cmocka_unit_test(bits_that_depend_on_a_rows_place),
        cmocka_unit_test(stores_below_the_output_are_no_verdict),
        cmocka_unit_test(each_end_of_a_child_has_its_verdict),
        cmocka_unit_test(each_finding_has_its_status),
        cmocka_unit_test(what_was_returned_must_be_the_outputs_own),
        cmocka_unit_test(the_worst_kind_of_the_whole_draw_decides),
        cmocka_unit_test(an_infinity_in_float16_names_what_nothing_else_does),
        cmocka_unit_test(cases_have_names),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
