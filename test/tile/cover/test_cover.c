// What of a source has run, and which numbers its sizes were compared with.
#include "tile/asm.h"
#include "tile/cover/cover.h"
#include "tile/run.h"

static void test_marks_stay_inside(void **state) {
    (void)state;
    uint8_t at[4] = {0};
    Cover c = {.at = at, .n = 3};
    cover_mark(&c, 1, COVER_HOST);
    cover_mark(&c, 1, COVER_RUN);
    cover_mark(&c, 3, COVER_RUN); // beyond the source
    cover_mark(NULL, 0, COVER_RUN);
    assert_true(at[0] == 0 && at[1] == (COVER_HOST | COVER_RUN) && at[3] == 0);
    cover_size(NULL, 5);
}

// Ways of expressions, by node; of too many, nothing is known.
static void test_truths_are_kept_by_node(void **state) {
    (void)state;
    static CoverTruth room[COVER_TRUTHS_MAX];
    static char node[COVER_TRUTHS_MAX];
    Cover c = {.truth = room}, none = {0};
    cover_truth(NULL, node, true);
    cover_truth(&none, node, true);
    assert_int_equal(cover_truth_of(&none, node), 0);
    cover_truth(&c, node, true), cover_truth(&c, node, true);
    assert_true(cover_truth_of(&c, node) == COVER_TRUE && c.news == 1);
    cover_truth(&c, node, false);
    assert_true(cover_truth_of(&c, node) == (COVER_TRUE | COVER_FALSE) && c.news == 2);
    assert_int_equal(cover_truth_of(&c, node + 1), 0);
    for (int i = 0; i < COVER_TRUTHS_MAX; i++) cover_truth(&c, node + i, i % 2);
    assert_int_equal(cover_truth_of(&c, node + 1), COVER_TRUE);
    assert_int_equal(cover_truth_of(&c, node + COVER_TRUTHS_MAX - 1), 0);
    uint8_t at[2] = {0};
    Cover marks = {.at = at, .n = 2};
    cover_mark(&marks, 0, COVER_HOST), cover_mark(&marks, 0, COVER_HOST), cover_mark(&marks, 5, COVER_HOST);
    assert_int_equal(marks.news, 1);
}

static void test_sizes_are_counted_by_case(void **state) {
    (void)state;
    Cover c = {.own = {17}, .owns = 1};
    cover_size(&c, 17); // the case's own
    cover_size(&c, 1), cover_size(&c, 0), cover_size(&c, -5), cover_size(&c, (int64_t)INT32_MAX + 1);
    assert_int_equal(c.sizes, 0);
    cover_size(&c, 50), cover_size(&c, 50);
    c.case_index = 1;
    cover_size(&c, 50), cover_size(&c, 60);
    assert_int_equal(c.sizes, 2);
    assert_true(c.size[0].value == 50 && c.size[0].cases == 2);
    assert_true(c.size[1].value == 60 && c.size[1].cases == 1);
    for (int i = 0; i < COVER_SIZES_MAX; i++) cover_size(&c, 1000 + i);
    assert_int_equal(c.sizes, COVER_SIZES_MAX); // and no further
}

// Made for one row, code may have a constant where other code has a mask: none of its ways is asked for, and
// none of them is seen by that.
static void test_code_that_asks_for_nothing(void **state) {
    (void)state;
    Rig r;
    rig_open(&r);
    Cover c = {.n = 8, .at = NEWN(&r.arena, uint8_t, 8)};
    Asm s = asm_new(&r.arena);
    int seven = asm_int(&s, DT_I32, 7), is = asm_op(&s, INSN_EQ, asm_arange(&s, 8), seven);
    Code code = *asm_done(&s);
    CodeStatement mask = {.at = 3, .wants = WANTS_FAR, .place = -1};
    for (int i = 0; i < code.insns; i++)
        if (code.insn[i].d == is) mask.first = i;
    code.compare = &mask;
    code.compares = 1;
    cover_code(&c, &code, &r.arena);
    assert_int_equal(c.at[3], 0);
    code.taken[mask.first] = TAKEN_AWAY; // of one lane it is noted all the same
    cover_code(&c, &code, &r.arena);
    assert_int_equal(c.at[3], 0);
    code.taken[mask.first] = 0;
    mask.wants = WANTS_FAR | TAKEN_ON;
    cover_code(&c, &code, &r.arena);
    assert_int_equal(c.at[3], COVER_FALSE); // the one that nobody wants
    code.taken[mask.first] = TAKEN_ON;
    cover_code(&c, &code, &r.arena);
    assert_int_equal(c.at[3], COVER_FALSE | COVER_TRUE);
    rig_close(&r);
}

// An arm that no program takes is emitted and never run.
static void test_code_marks_what_its_branches_reached(void **state) {
    (void)state;
    static const char source[] =
        "@triton.jit\ndef k(y, n):\n    a = n\n    if n > 5:\n        tl.store(y, 1)\n"
        "    else:\n        tl.store(y, 2)\n";
    for (int n = 5; n < 7; n++) {
        Run r;
        run_begin(&r);
        uint8_t at[sizeof source] = {0};
        Cover c = {.at = at, .n = sizeof source - 1};
        r.machine.watch.cover = &c;
        LaunchText l;
        Launchable k;
        Binding b;
        output(&r, DT_I64, 8);
        number(&r, n);
        assert_true(launch_text(&r.arena, &r.diags, STR(source), (Str){0}, &l));
        memcpy(l.arg, r.arg, sizeof r.arg);
        l.args = r.args;
        assert_true(launch_bind(l.arena, &(LaunchCall){l.module, l.kernel, l.arg, l.args, l.kernel->span}, &b,
                                l.diags));
        b.cover = &c;
        assert_true(kernel_check(l.arena, NULL, &b, &k, l.diags));
        assert_true(vm_launch(&r.machine, k.code, k.cells, (int64_t[3]){1, 1, 1}));
        cover_code(&c, k.code, &r.arena);
        size_t one = (size_t)(strstr(source, "tl.store(y, 1)") - source),
               two = (size_t)(strstr(source, "tl.store(y, 2)") - source);
        assert_true((at[one] & COVER_EMITTED) && (at[two] & COVER_EMITTED));
        assert_int_equal(!!(at[one] & COVER_RUN), n > 5);
        assert_int_equal(!!(at[two] & COVER_RUN), n <= 5);
        run_end(&r);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_marks_stay_inside),
        cmocka_unit_test(test_truths_are_kept_by_node),
        cmocka_unit_test(test_sizes_are_counted_by_case),
        cmocka_unit_test(test_code_that_asks_for_nothing),
        cmocka_unit_test(test_code_marks_what_its_branches_reached),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
