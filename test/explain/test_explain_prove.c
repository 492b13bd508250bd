// The mutants of an accepted kernel, judged on the same cases.
#include "explain/explained.h"

static void mutants_of_an_accepted_kernel(void **state) {
    (void)state;
    Bench b;
    bench_open(&b, NULL, "softmax");
    b.q.minimize = false;
    b.q.prove = true;
    look(&b, softmax(&b.a, "c < N", "c < N"));
    const Strength *s = &b.x.strength;
    assert_true(s->asked);
    assert_in_range(s->killed, 10, s->mutants);
    assert_int_equal(s->killed + s->survived + s->refused + s->undecided, s->mutants);
    assert_non_null(s->nearest);
    assert_true(s->margin > 1);
    look(&b, softmax(&b.a, "c < N", "c < N - 1")); // rejected: its mutants say nothing
    assert_false(b.x.strength.asked);
    bench_close(&b);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(mutants_of_an_accepted_kernel),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
