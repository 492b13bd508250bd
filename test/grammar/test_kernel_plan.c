// Schedules: which there are for an op, and which there must not be.
#include "grammar/proposals.h"

// The first ones are as unlike as can be: no two share a schedule.
static void the_first_proposals_differ_in_schedule(void **state) {
    (void)state;
    Arena a = {0};
    Op op = define_body(&a, "    h = x.float() * w.float()\n    return (h * torch.sigmoid(h)).to(x.dtype)\n");
    Proposal p[SCHEDULE_COUNT];
    Graph g;
    Err e = {0};
    assert_true(graph_trace(&a, &op, &g, &e));
    int possible = 0;
    for (int i = 0; i < SCHEDULE_COUNT; i++) possible += plan_possible(&g, (Schedule)i);
    assert_true(possible >= 6);
    assert_int_equal(proposals(&a, &op, 3, possible, p), possible);
    for (int i = 0; i < possible; i++)
        for (int k = 0; k < i; k++) {
            size_t len = strcspn(p[i].schedule, ",");
            bool same = strncmp(p[i].schedule, p[k].schedule, len) == 0 && strcspn(p[k].schedule, ",") == len;
            assert_true(!same || strstr(p[i].schedule, "looped") || strstr(p[k].schedule, "looped"));
            assert_string_not_equal(p[i].schedule, p[k].schedule);
        }
    arena_free(&a);
}

static void nothing_is_reduced_across_a_grid_of_blocks(void **state) {
    (void)state;
    Arena a = {0};
    Err e = {0};
    Graph g;
    Op flat = define_body(&a, "    return x * w\n"), sums = define_body(&a, "    return x * w.sum()\n");
    assert_true(graph_trace(&a, &flat, &g, &e));
    assert_true(plan_possible(&g, SCHEDULE_GRID));
    assert_true(graph_trace(&a, &sums, &g, &e));
    assert_false(plan_possible(&g, SCHEDULE_GRID));
    arena_free(&a);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_first_proposals_differ_in_schedule),
        cmocka_unit_test(nothing_is_reduced_across_a_grid_of_blocks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
