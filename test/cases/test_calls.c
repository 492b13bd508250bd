// Which calls a draw asks for on one object, with which values.
// clang-format off
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
// clang-format on
#include <math.h>

#include "cases/calls.h"
#include "cases/domain/lines.h"

static Arena a;
static Pool *pool;

static Draw draw_of(Op *op, const char *name, Level level, uint64_t seed) {
    Draw d;
    Err e = {0};
    assert_true(op_find(&a, str_of(name), op));
    if (!draw_make(&a, pool, &(DrawRequest){.op = op, .level = level, .seed = seed}, &d, &e))
        fail_msg("%s", e.msg);
    return d;
}

static const uint8_t *bytes_of(const Draw *d, const CaseSpec *s, int input) {
    return d->mapping + s->input[input].at;
}

static int64_t differing(const Draw *d, const CallSpec *c, int input) {
    const CaseSpec *first = &d->spec[c->case_index];
    int64_t n = 0;
    for (int64_t i = 0; i < first->input[input].bytes; i += dtype_bytes((DType)first->input[input].dtype))
        n += memcmp(bytes_of(d, &c->spec, input) + i, bytes_of(d, first, input) + i,
                    (size_t)dtype_bytes((DType)first->input[input].dtype)) != 0;
    return n;
}

static void a_sequence_has_all_that_may_change(void **state) {
    (void)state;
    Op op;
    bool dtype = false, rows = false;
    for (uint64_t seed = 1; seed <= 4; seed++) {
        Draw d = draw_of(&op, "rmsnorm_gemma", LEVEL_QUICK, seed);
        assert_true(d.calls >= 14 && d.calls <= 18);
        assert_int_equal(d.call[0].flags, CALL_BUILDS);
        int last = d.calls - 1, same = 0, repeated = 0;
        assert_int_equal(d.call[last - 1].same_as, 0);
        for (int i = 0; i < d.calls; i++) {
            const CallSpec *c = &d.call[i];
            const CaseTruth *t = &d.truth[c->case_index];
            assert_non_null(d.called[i].expected);
            assert_true(c->spec.processors == d.call[0].spec.processors);
            same += c->same_as == 0;
            repeated += c->repeats > 1;
            // Of an element, of a slice, of all, and the first ones take turns.
            if (c->repeats > 1) assert_true(c->turns == 4 && c->turn_of == 0);
            dtype |= t->dtype != d.truth[d.call[0].case_index].dtype;
            rows |= memcmp(d.called[i].dim, t->dim, sizeof t->dim) != 0;
            assert_int_equal(c->spec.output_bytes,
                             d.called[i].expected->numel * dtype_bytes(d.called[i].expected->dtype));
            // The weight is what the object has; elements of x change, one or all of its rows.
            if (!(c->flags & CALL_OTHER)) assert_int_equal(differing(&d, c, 1), 0);
        }
        assert_int_equal(same, 1); // near the end
        // Right behind, other weights and nothing else, in the tensors that are there.
        assert_int_equal(d.call[last].flags, CALL_RENEWS | CALL_OTHER);
        assert_int_equal(differing(&d, &d.call[last], 0), 0);
        int64_t weights = d.spec[d.call[last].case_index].input[1].shape[0];
        assert_true(differing(&d, &d.call[last], 1) > weights / 2);
        assert_int_equal(repeated, 6);
        assert_int_equal(differing(&d, &d.call[1], 0), 2);
        int64_t row = d.spec[d.call[2].case_index].input[0].shape[1];
        assert_true(differing(&d, &d.call[2], 0) <= row && differing(&d, &d.call[3], 0) > row);
        draw_free(&d);
    }
    assert_true(dtype && rows);
}

// A call that answers 0 since a counter has come to its end is seen: what is repeated has answers other than
// 0.
static void what_is_repeated_shows_something(void **state) {
    (void)state;
    Op op;
    int hidden = 0;
    for (uint64_t seed = 1; seed <= 24; seed++) {
        Draw d = draw_of(&op, "silu", LEVEL_FULL, seed);
        for (int i = 0; i < d.calls; i++) {
            const Bound *b = d.truth[d.call[i].case_index].expected;
            bool any = d.call[i].repeats == 1;
            for (int64_t k = 0; k < b->numel && !any; k++) any = fabs(b->v[k]) > 1e-9;
            assert_true(any);
        }
        for (int i = 0; i < d.cases; i++) { // there are others
            const Bound *b = d.truth[i].expected;
            bool any = false;
            for (int64_t k = 0; k < b->numel; k++) any |= fabs(b->v[k]) > 1e-9;
            hidden += !any;
        }
        draw_free(&d);
    }
    assert_true(hidden > 0);
}

// What is kept of one input may be renewed where another has changed: each changes while the others do not.
static void one_input_changes_alone(void **state) {
    (void)state;
    Op op;
    for (uint64_t seed = 1; seed <= 4; seed++) {
        Draw d = draw_of(&op, "rope", LEVEL_FULL, seed);
        bool alone[3] = {false};
        for (int i = 0; i < d.calls; i++) {
            if (d.called[i].change == 0 || d.called[i].moved) continue;
            const bool other[] = {differing(&d, &d.call[i], 0) > 0, differing(&d, &d.call[i], 1) > 0,
                                  differing(&d, &d.call[i], 2) > 0};
            for (int k = 0; k < 3; k++) alone[k] |= other[k] && !other[(k + 1) % 3] && !other[(k + 2) % 3];
        }
        assert_true(alone[0] && alone[1] && alone[2]);
        draw_free(&d);
    }
}

// An input says where another keeps its values: these two change together.
static void what_belongs_together_changes_together(void **state) {
    (void)state;
    Op op;
    for (uint64_t seed = 1; seed <= 4; seed++) {
        Draw d = draw_of(&op, "cross_entropy", LEVEL_FULL, seed);
        for (int i = 0; i < d.calls; i++) {
            const CallSpec *c = &d.call[i];
            if (d.called[i].change == 0 || d.called[i].moved) continue;
            const CaseSpec *first = &d.spec[c->case_index];
            assert_int_equal(c->spec.input[0].at != first->input[0].at,
                             c->spec.input[1].at != first->input[1].at);
        }
        draw_free(&d);
    }
}

// Element k of an input, in the order of its rows.
static double value_of(const Draw *d, const CaseTensor *t, int64_t k) {
    return dtype_load((DType)t->dtype,
                      d->mapping + t->at + tensor_element(t, k) * dtype_bytes((DType)t->dtype));
}

// Right behind calls of that shape: what an object keeps for a shape meets another stride, and another dtype.
static void one_shape_comes_in_another_layout_and_dtype(void **state) {
    (void)state;
    Op op;
    for (uint64_t seed = 1; seed <= 12; seed++) {
        Draw d = draw_of(&op, "softmax", LEVEL_QUICK, seed);
        bool layout = false, dtype = false;
        for (int i = 1; i < d.calls; i++) {
            const CallSpec *c = &d.call[i];
            const CaseTruth *first = &d.truth[c->case_index];
            const CaseTensor *x = &c->spec.input[0], *was = &d.spec[c->case_index].input[0];
            if (!d.called[i].moved) continue;
            assert_memory_equal(d.called[i].dim, first->dim, sizeof first->dim);
            assert_memory_equal(d.called[i - 1].dim, first->dim, sizeof first->dim);
            assert_memory_equal(x->shape, was->shape, sizeof x->shape);
            assert_int_equal(d.called[i].expected->dtype, d.called[i].dtype);
            bool other = x->dtype != was->dtype;
            layout |= !other && x->stride[0] == 2 * was->stride[0];
            dtype |= other && c->flags == CALL_OTHER;
            for (int64_t k = 0; k < x->shape[0] * x->shape[1]; k++) {
                double v = value_of(&d, x, k), w = value_of(&d, was, k);
                if (other && isfinite(w))
                    assert_true(isfinite(v) && fabs(v - w) <= fabs(w) * 0x1p-7 + 0x1p-133); // bf16's least
                else
                    assert_true(v == w);
            }
        }
        assert_true(layout && dtype);
        draw_free(&d);
    }
}

// A caller who asks for one dtype has one, and a domain without gaps has none here either.
static void what_the_domain_lacks_is_not_called(void **state) {
    (void)state;
    Op op;
    Draw d;
    Err e = {0};
    DrawFilter filter = {.dtype = DT_F16};
    assert_true(op_find(&a, STR("softmax"), &op));
    op.domain.contiguous = true;
    assert_true(draw_make(
        &a, pool, &(DrawRequest){.op = &op, .level = LEVEL_QUICK, .seed = 1, .filter = &filter}, &d, &e));
    assert_true(d.calls >= 4);
    for (int i = 0; i < d.calls; i++) assert_false(d.called[i].moved);
    draw_free(&d);
}

static void full_has_more_of_them_and_further_cases_fewer(void **state) {
    (void)state;
    Op op;
    Draw d = draw_of(&op, "softmax", LEVEL_FULL, 5);
    int sequences = 0, repeats = 0, to_news = 0, far = 0;
    for (int i = 0; i < d.calls; i++) {
        sequences += d.call[i].flags & CALL_BUILDS;
        if (d.call[i].repeats > repeats) repeats = d.call[i].repeats;
        if (d.call[i].far > far) far = d.call[i].far;
        to_news += d.call[i].repeats > 1 && (d.call[i].flags & CALL_TO_NEWS);
    }
    assert_true(to_news >= 3 && far > repeats);
    assert_int_equal(sequences, 6);
    // The last one is for counters: some calls, and as many of their values as there may be; some of each
    // other dtype behind.
    int last = d.calls - 9, large = last;
    assert_int_equal(d.call[last].flags, CALL_BUILDS | CALL_FAR);
    assert_true(d.call[last + 4].far == far && d.call[last + 4].turn_of == last);
    assert_int_equal(d.call[last + 4].turns, 4);
    for (int i = last + 6; i < d.calls; i += 2) {
        assert_true(d.call[i].repeats > 300 && d.call[i].turn_of == i - 1);
        assert_true(d.called[i].dtype != d.called[last].dtype);
    }
    assert_true(d.called[last + 6].dtype != d.called[last + 8].dtype);
    while (!(d.call[--large].flags & CALL_BUILDS)) continue;
    int tour = large;
    while (!(d.call[--tour].flags & CALL_BUILDS)) continue;
    assert_true(large - tour >= 20);
    for (int i = tour; i < large - 2; i++)
        for (int k = tour; k < i; k++)
            assert_memory_not_equal(d.called[i].dim, d.called[k].dim, sizeof d.called[i].dim);
    // It comes back with other values before the first ones.
    assert_true(d.call[large - 2].same_as < 0 && differing(&d, &d.call[large - 2], 0) > 0);
    assert_int_equal(d.call[large - 1].same_as, tour);
    assert_true(repeats >= 1000);
    draw_free(&d);
}

static int64_t numel(const Draw *d, int call) { return d->called[call].dim[0] * d->called[call].dim[1]; }

// What is counted of large tensors: one object has more rows than it was made with, after many calls, then
// long and many ones; a large shape comes many times, and at the end again.
static void large_calls_have_a_sequence(void **state) {
    (void)state;
    Op op;
    for (uint64_t seed = 1; seed <= 3; seed++) {
        Draw d = draw_of(&op, "softmax", LEVEL_FULL, seed);
        int begin = d.calls - 10, large = 0, small = 0;
        while (!(d.call[--begin].flags & CALL_BUILDS)) continue;
        const int64_t *few = d.called[begin].dim, *more = d.called[begin + 2].dim;
        assert_true(few[1] == more[1] && few[0] < more[0]);
        assert_true(d.call[begin + 1].repeats >= 100 && d.call[begin + 1].turn_of == begin);
        assert_memory_equal(d.called[begin + 1].dim, few, 2 * sizeof *few);
        assert_true(d.call[begin + 4].repeats >= 10 && d.call[begin + 4].turn_of == begin + 2);
        assert_int_equal(d.call[begin + 4].turns, 2);
        assert_int_equal(differing(&d, &d.call[begin + 3], 0), 2);
        int last = begin;
        for (int i = begin; !(d.call[i].flags & CALL_FAR); i++) {
            large += numel(&d, i) > 16384;
            small += numel(&d, i) < 64;
            last = i;
        }
        assert_true(large >= 7 && small == 1);
        assert_int_equal(d.call[last].same_as, begin + 2);
        // Of many rows the last one changes.
        int many = begin + 6; // before lines are long
        assert_int_equal(d.call[many].case_index, d.call[many - 1].case_index);
        int64_t changed = differing(&d, &d.call[many], 0);
        assert_true(changed > 0 && changed <= d.called[many].dim[1] && d.called[many].dim[0] > 64);
        assert_true(differing(&d, &d.call[last - 1], 0) > 16384);
        draw_free(&d);
    }
}

static void one_seed_one_sequence(void **state) {
    (void)state;
    Op op;
    Draw x = draw_of(&op, "gelu", LEVEL_QUICK, 7), y = draw_of(&op, "gelu", LEVEL_QUICK, 7);
    assert_int_equal(x.calls, y.calls);
    for (int i = 0; i < x.calls; i++) assert_int_equal(x.call[i].spec.inputs, y.call[i].spec.inputs);
    assert_int_equal(x.bytes, y.bytes);
    assert_memory_equal(x.mapping, y.mapping, x.bytes); // the calls, their inputs, their values
    draw_free(&x);
    draw_free(&y);
}

// One row of one element has no other values: the calls are there all the same.
static void a_case_of_one_element(void **state) {
    (void)state;
    Op op;
    Draw d;
    Err e = {0};
    DrawFilter filter = {.m = 1, .n = 1, .dtype = DT_F32};
    assert_true(op_find(&a, STR("gelu"), &op));
    assert_true(draw_make(
        &a, pool, &(DrawRequest){.op = &op, .level = LEVEL_QUICK, .seed = 1, .filter = &filter}, &d, &e));
    assert_true(d.calls >= 2);
    draw_free(&d);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_sequence_has_all_that_may_change),
        cmocka_unit_test(what_is_repeated_shows_something),
        cmocka_unit_test(one_input_changes_alone),
        cmocka_unit_test(what_belongs_together_changes_together),
        cmocka_unit_test(one_shape_comes_in_another_layout_and_dtype),
        cmocka_unit_test(what_the_domain_lacks_is_not_called),
        cmocka_unit_test(full_has_more_of_them_and_further_cases_fewer),
        cmocka_unit_test(large_calls_have_a_sequence),
        cmocka_unit_test(one_seed_one_sequence),
        cmocka_unit_test(a_case_of_one_element),
    };
    pool = pool_open(1);
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    pool_close(pool);
    arena_free(&a);
    return failed;
}
