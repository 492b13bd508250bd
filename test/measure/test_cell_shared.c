// Which programs may share inputs: those that were fixed before the draw, and no more than a draw may serve.
#include "measure/cell_shared.h"

#include "../gpu/vm_gpu.h"
#include "base/clock.h"
#include "cases/domain/domain.h"

static const CellPlace place = {200, 16, DT_F16};

static const SharedDraw *take(CellShared *s, const Op *op, CellPlace at, double fixed) {
    Err e = {0};
    const SharedDraw *d = cell_shared_draw(s, op, at, fixed, &e);
    if (!d) fail_msg("%s", e.msg);
    return d;
}

static void test_who_was_fixed_before_a_draw_shares_it(void **state) {
    (void)state;
    Arena a = {0};
    Op op, other;
    assert_true(op_find(&a, STR("silu"), &op) && op_find(&a, STR("relu2"), &other));
    CellShared *s = cell_shared_open();
    double early = clock_seconds() - 1;
    assert_true(cell_shared_drawn(s, &op) == 0);
    const SharedDraw *one = take(s, &op, place, early), *two = take(s, &op, place, early);
    assert_ptr_equal(one, two);
    assert_int_equal(one->made, REPEATED_MADE);
    assert_int_equal(one->r.slices, 200);
    assert_true(cell_shared_drawn(s, &op) == one->from && cell_shared_drawn(s, &other) == 0);
    const SharedDraw *wide = take(s, &op, (CellPlace){200, 32, DT_F16}, early),
                     *of_other = take(s, &other, place, early);
    assert_ptr_not_equal(wide, one);
    assert_ptr_not_equal(of_other, one);
    // One that came later could have seen what came of it.
    const SharedDraw *late = take(s, &op, place, clock_seconds());
    assert_ptr_not_equal(late, one);
    assert_true(late->from > one->from);
    assert_ptr_equal(take(s, &op, place, early), late);
    // What is not kept any more is there for those who have it.
    assert_true(one->r.fd >= 0 && one->r.block.truth[0].expected->numel > 0);
    const SharedDraw *had[] = {one, two, wide, of_other, late, late};
    for (int i = 0; i < 6; i++) cell_shared_give_back(s, had[i]);
    cell_shared_close(s);
    arena_free(&a);
}

static void test_a_draw_serves_no_more_than_others_do(void **state) {
    (void)state;
    Arena a = {0};
    Op op;
    assert_true(op_find(&a, STR("silu"), &op));
    CellShared *s = cell_shared_open();
    double early = clock_seconds() - 1;
    const SharedDraw *first = take(s, &op, place, early);
    for (int i = 1; i < DRAW_SHARE_MAX; i++) assert_ptr_equal(take(s, &op, place, early), first);
    const SharedDraw *next = take(s, &op, place, early);
    assert_ptr_not_equal(next, first);
    for (int i = 0; i < DRAW_SHARE_MAX; i++) cell_shared_give_back(s, first);
    cell_shared_give_back(s, next);
    cell_shared_close(s);
    arena_free(&a);
}

// In one process only, for the same bytes of the same op.
static void test_streaming_is_kept_for_a_process(void **state) {
    (void)state;
    Arena a = {0};
    Op op, another;
    Measurer *m;
    DeviceFacts facts;
    Err e = {0};
    setenv("VM_GPU", "", 1);
    assert_true(op_find(&a, STR("silu"), &op) && op_find(&a, STR("relu2"), &another));
    assert_true(measurer_open(vm_gpu_library(), &m, &e) && measurer_facts(m, &facts, &e));
    CellShared *s = cell_shared_open();
    TimingJob job = {.inputs = 1, .input[0].bytes = 4096, .outputs = 1, .output = {4096}}, other = job;
    CellRequest q = {.measurer = m, .op = &op};
    const Figure f = {7, 0.01, 7}, g = {8, 0.01, 7};
    Figure seen, copy;
    assert_false(cell_shared_yardstick(s, &q, &job, &seen, &copy));
    cell_shared_yardstick_put(s, &q, &job, &f, &g);
    assert_true(cell_shared_yardstick(s, &q, &job, &seen, &copy) && seen.us == 7 && copy.us == 8);
    other.output[0] = 2048;
    assert_false(cell_shared_yardstick(s, &q, &other, &seen, &copy));
    q.op = &another;
    assert_false(cell_shared_yardstick(s, &q, &job, &seen, &copy));
    q.op = &op;
    measurer_renew(m);
    assert_true(measurer_facts(m, &facts, &e));
    assert_false(cell_shared_yardstick(s, &q, &job, &seen, &copy));
    cell_shared_close(s);
    measurer_close(m);
    arena_free(&a);
    unsetenv("VM_GPU");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_who_was_fixed_before_a_draw_shares_it),
        cmocka_unit_test(test_a_draw_serves_no_more_than_others_do),
        cmocka_unit_test(test_streaming_is_kept_for_a_process),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
