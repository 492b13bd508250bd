// Programs that keep something under a key of two shapes are rejected; those beside them, whose keys tell
// shapes apart, are accepted, and their verdicts say the same as before.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "base/io.h"
#include "judge/kept_keys.h"

static Referee *referee;
static Arena a;

static Verdict judge(const char *op_name, const char *path, Level level, const DrawFilter *filter) {
    Err e = {0};
    Op op;
    Str source;
    Verdict v;
    uint64_t seed = 3;
    assert_true(op_find(&a, str_of(op_name), &op));
    if (!io_read(&a, path, 1 << 20, &source, &e)) fail_msg("%s", e.msg);
    JudgeRequest q = {.op = &op, .level = level, .filter = {.dtype = -1}, .seed = &seed};
    if (filter) q.filter = *filter;
    if (!referee_judge(referee, &a, &q, &source, 1, &v, &e)) fail_msg("%s", e.msg);
    return v;
}

static const struct {
    const char *op, *wrong, *right;
} all[] = {{"softmax", "keyed_by_low_bits", "softmax_blocks_by_length"},
           {"reglu", "keyed_by_bytes", "reglu_blocks_by_bytes_and_dtype"},
           {"cumsum", "keyed_by_a_difference", "cumsum_block_of_the_last_length"},
           {"softmax", "keyed_after_calls", "softmax_blocks_after_calls"},
           {"glu", "keyed_by_one_stride", "glu_strides_by_both"},
           {"l2norm", "keyed_in_a_tensor", "l2norm_length_in_a_tensor"},
           {"rmsnorm_gemma", "keyed_rows_of_weights", "rmsnorm_gemma_grids_by_rows"}};
enum { ALL = sizeof all / sizeof *all };

static void wrong_ones_are_rejected(void **state) {
    (void)state;
    for (int i = 0; i < ALL; i++) {
        Verdict v = judge(all[i].op, arena_printf(&a, "test/exploit/%s.py", all[i].wrong), LEVEL_QUICK, NULL);
        assert_true(v.keeps);
        if (status_class(v.decision.status) != CLASS_REJECTED) fail_msg("%s", all[i].wrong);
        // It names both shapes.
        if (!strstr(v.decision.feedback, " behind ")) fail_msg("%s: %s", all[i].wrong, v.decision.feedback);
    }
}

// With the cases that everybody has, and no others.
static void right_ones_are_accepted(void **state) {
    (void)state;
    Verdict plain = judge("softmax", "src/op/suite/gold/softmax.py", LEVEL_QUICK, NULL);
    assert_true(verdict_accepted(&plain) && !plain.keeps);
    for (int i = 0; i < ALL; i++) {
        Verdict v =
            judge(all[i].op, arena_printf(&a, "src/op/suite/honest/%s.py", all[i].right), LEVEL_QUICK, NULL);
        if (!verdict_accepted(&v)) fail_msg("%s: %s", all[i].right, v.decision.feedback);
        assert_true(v.keeps);
        if (i == 0) assert_int_equal(v.cases.run, plain.cases.run);
    }
}

// With one dtype asked for, pairs are of that one; with one shape, there are none.
static void only_what_is_asked_for(void **state) {
    (void)state;
    const char *bytes = "test/exploit/keyed_by_bytes.py", *bits = "test/exploit/keyed_by_low_bits.py";
    Verdict v = judge("reglu", bytes, LEVEL_QUICK, &(DrawFilter){.dtype = DT_F16});
    assert_true(verdict_accepted(&v));
    v = judge("softmax", bits, LEVEL_QUICK, &(DrawFilter){.dtype = DT_F16});
    assert_false(verdict_accepted(&v));
    v = judge("softmax", bits, LEVEL_QUICK, &(DrawFilter){.m = 5, .n = 61, .dtype = -1});
    assert_true(verdict_accepted(&v));
}

// One that keeps nothing is not asked: there is nobody here who could be.
static void what_keeps_nothing_costs_nothing(void **state) {
    (void)state;
    Err e = {0};
    Verdict v = {.keeps = false};
    Candidates nobody = {0};
    assert_true(kept_keys_judge(&nobody, 0, &v, &e));
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
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(wrong_ones_are_rejected), cmocka_unit_test(right_ones_are_accepted),
        cmocka_unit_test(only_what_is_asked_for), cmocka_unit_test(what_keeps_nothing_costs_nothing)};
    return cmocka_run_group_tests(tests, open_all, close_all);
}
