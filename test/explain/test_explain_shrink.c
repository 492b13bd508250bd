// The smallest case on which it is still wrong.
#include "explain/explained.h"

// Wrong from the 17th column on: one row of 17 is the least that shows it, and the element has both values.
static void a_dropped_tail_shrinks_to_its_edge(void **state) {
    (void)state;
    Bench b;
    bench_open(&b, NULL, "softmax");
    b.q.filter = (DrawFilter){.m = 40, .n = 1000, .dtype = DT_F32};
    b.op.input[0].neg_inf = false; // where all that is left is -inf, the failure is NaN, which shows later
    look(&b, softmax(&b.a, "(c < N) & (c < 16)", "c < N"));
    const Explanation *x = &b.x;
    assert_true(explain_values_matter(x->v.decision.status));
    assert_false(x->any_class);
    const Minimal *m = &x->minimal;
    assert_true(m->found && !m->same && !m->strided);
    assert_int_equal(m->rows, 1);
    assert_int_equal(m->row, 17);
    assert_in_range(m->runs, 2, SHRINK_RUNS_MAX);
    assert_int_equal(m->cls, x->cls);
    assert_int_equal(m->v.decision.status, x->v.decision.status);
    assert_true(m->has_values && m->out_row == 0);
    assert_true(isnan(m->got) || fabs(m->got - m->expected) > m->bound);
    // Again from the same seed: the same.
    Minimal before = *m;
    look(&b, b.q.source);
    assert_true(b.x.minimal.runs == before.runs && b.x.minimal.row == before.row);
    assert_memory_equal(&b.x.minimal.expected, &before.expected, sizeof before.expected);
    assert_memory_equal(&b.x.minimal.got, &before.got, sizeof before.got);
    bench_close(&b);
}

static void a_race_needs_two_programs(void **state) {
    (void)state;
    Bench b;
    bench_open(&b, NULL, "softmax");
    look(&b, program(&b.a, "softmax_ticket"));
    assert_int_equal(b.x.v.decision.status, STATUS_nondeterministic);
    assert_true(b.x.minimal.found);
    assert_int_equal(b.x.minimal.rows, 2); // one program alone has no order
    bench_close(&b);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_dropped_tail_shrinks_to_its_edge),
        cmocka_unit_test(a_race_needs_two_programs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
