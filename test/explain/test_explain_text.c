// An explanation in words: what was judged, what is wrong and where.
#include "explain/explained.h"

static void an_accepted_kernel(void **state) {
    (void)state;
    Bench b;
    bench_open(&b, NULL, "softmax");
    look(&b, softmax(&b.a, "c < N", "c < N"));
    const Explanation *x = &b.x;
    assert_int_equal(x->v.decision.status, STATUS_ok);
    assert_int_equal(x->case_index, -1);
    assert_null(x->case_words);
    assert_null(x->picture.pixel);
    assert_int_equal(x->minimal.runs, 0);
    assert_int_equal(x->lines, 2);
    assert_int_equal(x->line[0].line, 8);
    assert_int_equal(x->line[1].line, 10);
    assert_true(x->line[0].loaded == x->input_bytes && x->line[0].stored == 0);
    assert_true(x->line[1].stored == x->output_bytes && x->line[1].loaded == 0);
    assert_false(x->traffic_cut);
    bench_close(&b);
}

static void an_unwritten_column(void **state) {
    (void)state;
    Bench b;
    bench_open(&b, NULL, "softmax");
    b.q.filter = (DrawFilter){.m = 6, .n = 100, .dtype = DT_F32};
    look(&b, softmax(&b.a, "c < N", "c < N - 1"));
    const Explanation *x = &b.x;
    assert_int_equal(x->v.decision.status, STATUS_uncovered_output);
    assert_true(x->any_class);
    assert_int_equal(x->picture.rows, 6);
    assert_int_equal(x->picture.columns, 100);
    assert_int_equal(x->picture.tile_columns, 128);
    assert_int_equal(x->region.of[PIXEL_UNWRITTEN], 6);
    assert_int_equal(x->region.bad, 6);
    assert_true(x->region.solid && x->region.column_first == 99 && x->region.column_last == 99);
    const Minimal *m = &x->minimal;
    assert_true(m->found && m->rows == 1 && m->row == 1 && m->out_row == 0 && m->out_column == 0);
    assert_false(m->has_values);
    bench_close(&b);
}

static void a_finding_keeps_its_place(void **state) {
    (void)state;
    Bench b;
    bench_open(&b, NULL, "softmax");
    look(&b, softmax(&b.a, "c < N", "c < N + 1"));
    const Explanation *x = &b.x;
    assert_int_equal(x->v.decision.status, STATUS_oob);
    assert_non_null(x->finding.msg);
    assert_int_equal(line_col(b.q.source, x->finding.span.at).line, 10);
    assert_null(x->picture.pixel);
    assert_true(x->traffic_cut);
    // Three columns in a block of four: powers of two have no lane beyond the mask.
    assert_true(x->minimal.found && x->minimal.rows == 1 && x->minimal.row == 3);
    bench_close(&b);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_accepted_kernel),
        cmocka_unit_test(an_unwritten_column),
        cmocka_unit_test(a_finding_keeps_its_place),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
