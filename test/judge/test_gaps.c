// Rejections that inputs with gaps cause: what is said of them, without the stream's second judgment and with
// it.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "base/io.h"
#include "judge/gaps.h"

static Referee *referee;
static Arena a;

static Verdict judge(const char *name, LayoutAsked layout, Level level, bool again) {
    Err e = {0};
    Op op;
    Str source;
    Verdict v;
    uint64_t seed = 1;
    assert_true(op_find(&a, STR("softmax"), &op));
    assert_true(op_in_domain(&op, &(DomainAsked){.layout = layout}, &e));
    if (!io_read(&a, arena_printf(&a, "test/op/user/layout/%s.py", name), 1 << 20, &source, &e))
        fail_msg("%s", e.msg);
    JudgeRequest q = {
        .op = &op, .level = level, .filter = {.dtype = -1}, .seed = &seed, .without_gaps = again};
    if (!referee_judge(referee, &a, &q, &source, 1, &v, &e)) fail_msg("%s", e.msg);
    assert_true(v.domain.contiguous == (layout == LAYOUT_CONTIGUOUS));
    return v;
}

static bool says(const Verdict *v, const char *words) { return strstr(v->decision.feedback, words) != NULL; }

static void programs(void **state) {
    (void)state;
    static const struct {
        const char *name;
        Status any, contiguous;
        const char *mend; // of the first
    } all[] = {
        {"strides", STATUS_ok, STATUS_ok, NULL},
        {"flat", STATUS_oob, STATUS_ok, "asks for no stride. Count their rows in steps of x.stride(0)"},
        {"output_stride", STATUS_oob, STATUS_ok,
         "Store rows in steps of the output's own stride(0), not of x.stride(0)"},
        {"asserts", STATUS_host_error, STATUS_ok, "the program itself refuses them"},
        // Offsets and unaligned bases stay, and so does everything else.
        {"aligned", STATUS_oob, STATUS_bad_value, "asks for no stride"},
        {"no_mask", STATUS_oob, STATUS_oob, "asks for no stride"},
    };
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        Verdict any = judge(all[i].name, LAYOUT_ANY, LEVEL_QUICK, true),
                dense = judge(all[i].name, LAYOUT_CONTIGUOUS, LEVEL_QUICK, true);
        if (any.decision.status != all[i].any || dense.decision.status != all[i].contiguous)
            fail_msg("%s: %s, %s", all[i].name, any.decision.feedback, dense.decision.feedback);
        assert_false(dense.gaps.inputs);
        if (!all[i].mend) continue;
        if (!says(&any, all[i].mend)) fail_msg("%s: %s", all[i].name, any.decision.feedback);
        assert_true(any.gaps.judged && any.gaps.contiguous == all[i].contiguous);
        bool only = all[i].contiguous == STATUS_ok;
        assert_true(any.gaps.only == only);
        assert_true(says(&any, only ? "Only inputs with gaps" : "Inputs have gaps between their rows there"));
        assert_true(
            says(&any, only ? "With --layout contiguous it is accepted." : "Contiguous inputs fail, too"));
        assert_false(only && says(&any, "Guard that access"));
    }
}

// Without judging again nothing is claimed that no case has shown.
static void a_stream_says_what_its_cases_have_shown(void **state) {
    (void)state;
    Verdict v = judge("flat", LAYOUT_ANY, LEVEL_QUICK, false);
    assert_true(v.gaps.inputs == 1 && !v.gaps.judged);
    assert_true(says(&v, "x.stride(0)"));
    assert_false(says(&v, "--layout"));
    v = judge("no_mask", LAYOUT_ANY, LEVEL_QUICK, false);
    assert_false(v.gaps.inputs && v.gaps.only);
    assert_false(says(&v, "Only inputs with gaps"));
}

// Rows longer than a block fail with gaps or without: strides are counted, and nothing is said of them.
static void an_error_of_sizes_gets_no_advice_on_gaps(void **state) {
    (void)state;
    for (int again = 0; again < 2; again++) {
        Verdict v = judge("short_rows", LAYOUT_ANY, LEVEL_QUICK, again);
        assert_int_equal(v.decision.status, STATUS_uncovered_output);
        assert_true(v.gaps.inputs == 1 && !v.gaps.only); // the case that decides has gaps
        assert_false(says(&v, "in steps of") || says(&v, "Only inputs") || says(&v, "have gaps"));
        assert_true(says(&v, "Contiguous inputs fail, too (uncovered_output).") == again);
    }
}

// A fused product is wrong in whatever rows have it: those without gaps that ran without one say nothing.
static void fused_products_have_nothing_to_do_with_gaps(void **state) {
    (void)state;
    Err e = {0};
    Op op;
    Str source;
    int fused = 0;
    assert_true(op_find(&a, STR("log_softmax"), &op));
    const char *path = "src/op/suite/wrong/log_softmax_lanes_two_products.py";
    if (!io_read(&a, path, 1 << 20, &source, &e)) fail_msg("%s", e.msg);
    for (int i = 1; i <= 12; i++) {
        uint64_t seed = (uint64_t)i << 7; // which cases are run so follows from bits from the seventh on
        JudgeRequest q = {.op = &op, .level = LEVEL_QUICK, .filter = {.dtype = -1}, .seed = &seed};
        Verdict v;
        if (!referee_judge(referee, &a, &q, &source, 1, &v, &e)) fail_msg("%s", e.msg);
        if (strcmp(v.decision.rule, "contracted") != 0) continue;
        fused++;
        assert_false(v.gaps.inputs || says(&v, "Only inputs with gaps"));
    }
    assert_true(fused > 0);
}

static int open_all(void **state) {
    (void)state;
    Err e = {0};
    RefereeConfig config = {.jobs = 1, .no_journal = true};
    return referee_open(&config, &referee, &e) ? 0 : 1;
}
static int close_all(void **state) {
    (void)state;
    referee_close(referee);
    arena_free(&a);
    return 0;
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(programs),
                                       cmocka_unit_test(a_stream_says_what_its_cases_have_shown),
                                       cmocka_unit_test(an_error_of_sizes_gets_no_advice_on_gaps),
                                       cmocka_unit_test(fused_products_have_nothing_to_do_with_gaps)};
    return cmocka_run_group_tests(tests, open_all, close_all);
}
