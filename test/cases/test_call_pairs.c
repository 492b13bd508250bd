// Calls of one object with two shapes: which they are, of which values, and whose weights.
// clang-format off
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
// clang-format on

#include "cases/call_pairs.h"

static Arena a;
static Pool *pool;

static int before;
static Draw draw_of(Op *op, const char *name, const CallPair *pair, int pairs) {
    static const PlannedCase plan[] = {{.dtype = DT_F32, .dim = {3, 61}, .processors = 80},
                                       {.dtype = DT_F32, .dim = {5, 61}},
                                       {.dtype = DT_F16, .dim = {3, 125}}};
    Draw d;
    Err e = {0};
    assert_true(op_find(&a, str_of(name), op));
    const DrawRequest q = {.op = op,
                           .domain = domain_make(&a, op),
                           .level = LEVEL_QUICK,
                           .seed = 5,
                           .plan = plan,
                           .cases = 3,
                           .more = true,
                           .pair = pair,
                           .pairs = pairs,
                           .before = before};
    if (!draw_make(&a, pool, &q, &d, &e)) fail_msg("%s", e.msg);
    return d;
}

static void each_comes_first_on_an_object_of_its_own(void **state) {
    (void)state;
    Op op;
    static const CallPair pair[] = {{0, 1}, {2, 0}};
    static const int cases[] = {0, 1, 0, 1, 0, 1, 2, 0, 2, 0, 2, 0};
    Draw d = draw_of(&op, "softmax", pair, 2);
    assert_int_equal(d.calls, 2 * calls_of_a_pair(1));
    for (int i = 0; i < d.calls; i++) {
        const CallSpec *c = &d.call[i];
        bool builds = i % 3 == 0;
        assert_int_equal(c->case_index, cases[i]);
        assert_true(!!(c->flags & CALL_BUILDS) == builds);
        assert_int_equal(d.called[i].behind, builds ? 0 : i);
        assert_int_equal(c->repeats, 1);
        assert_int_equal(c->spec.processors, d.call[i - i % 3].spec.processors); // one GPU
        assert_ptr_equal(d.called[i].expected, d.truth[cases[i]].expected);
        // Rows of another length are nothing for an object that was made for some.
        assert_true(!!(c->flags & CALL_OTHER) == (i > 6 && i % 3 == 1));
    }
    draw_free(&d);
}

// After a warm-up, the first shape comes so often before the second.
static void the_first_comes_several_times(void **state) {
    (void)state;
    Op op;
    static const CallPair pair[] = {{0, 1}};
    static const int cases[] = {0, 0, 0, 1, 0, 1, 1, 1, 0, 1};
    before = 3;
    Draw d = draw_of(&op, "softmax", pair, 1);
    before = 0;
    assert_int_equal(d.calls, calls_of_a_pair(3));
    for (int i = 0; i < d.calls; i++) {
        assert_int_equal(d.call[i].case_index, cases[i]);
        assert_int_equal(!!(d.call[i].flags & CALL_BUILDS), i % 5 == 0);
    }
    draw_free(&d);
}

// An object that was made for weights has the rows of another case, and no other weights: the right answer
// is another one then.
static void weights_are_those_of_the_object(void **state) {
    (void)state;
    Op op;
    static const CallPair pair[] = {{0, 1}, {0, 2}};
    Draw d = draw_of(&op, "rmsnorm_gemma", pair, 2);
    const CaseTensor *own = d.spec[0].input, *other = d.call[1].spec.input;
    assert_int_equal(d.call[1].flags, 0);
    assert_true(other[1].at == own[1].at && other[0].at == d.spec[1].input[0].at);
    assert_ptr_not_equal(d.called[1].expected, d.truth[1].expected);
    bool differs = false;
    for (int64_t i = 0; i < d.truth[1].expected->numel; i++)
        differs |= d.called[1].expected->v[i] != d.truth[1].expected->v[i];
    assert_true(differs);
    assert_int_equal(d.call[7].flags, CALL_OTHER);
    assert_true(d.call[7].spec.input[1].at == d.spec[2].input[1].at);
    draw_free(&d);
}

int main(void) {
    pool = pool_open(1);
    const struct CMUnitTest tests[] = {cmocka_unit_test(each_comes_first_on_an_object_of_its_own),
                                       cmocka_unit_test(the_first_comes_several_times),
                                       cmocka_unit_test(weights_are_those_of_the_object)};
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    pool_close(pool);
    arena_free(&a);
    return failed;
}
