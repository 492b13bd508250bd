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
    Schedule order[SCHEDULE_COUNT];
    int possible = plan_schedules(&g, 8192, 4096, order);
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

static bool has_two_tiles(const Graph *g, int64_t n) {
    Schedule order[SCHEDULE_COUNT];
    const int count = plan_schedules(g, 8192, n, order);
    for (int i = 0; i < count - 1; i++) assert_int_not_equal(order[i], SCHEDULE_TWO_TILES); // last, if at all
    return count > 0 && order[count - 1] == SCHEDULE_TWO_TILES;
}

// Where they would be whole rows once more they are not proposed, and what others draw stays as it was.
static void two_tiles_are_for_rows_that_have_fewer_lanes_then(void **state) {
    (void)state;
    static const int64_t fewer[] = {3, 5, 129, 1025, 1536, 2560, 3072, 5120, 6144, 12288, 20480},
                         equal[] = {1, 2, 4, 7, 128, 1024, 1537, 3073, 4096, 7168, 8191, 16384};
    Arena a = {0};
    Err e = {0};
    Graph g;
    Op op = define_body(&a, "    return torch.softmax(x.float() * w.float(), dim=-1).to(x.dtype)\n");
    assert_true(graph_trace(&a, &op, &g, &e));
    for (size_t i = 0; i < sizeof fewer / sizeof *fewer; i++) assert_true(has_two_tiles(&g, fewer[i]));
    for (size_t i = 0; i < sizeof equal / sizeof *equal; i++) assert_false(has_two_tiles(&g, equal[i]));
    // In the second tile the first part of a row would have a mask that never holds.
    Op parts = define_body(&a, "    return torch.cat((x, x * w), dim=-1)\n");
    assert_true(graph_trace(&a, &parts, &g, &e));
    assert_false(plan_possible(&g, SCHEDULE_TWO_TILES));
    // All lengths of an op are of one kind: one of both kernels would never run.
    static const char *const dims[] = {"\"multiple_of\": 4096, \"min\": 4096, \"max\": 4096",
                                       "\"min\": 5, \"max\": 6", "\"min\": 7, \"max\": 9"};
    for (int i = 0; i < 3; i++) {
        Op narrow = define(&a, "narrow",
                           arena_printf(&a,
                                        "\"\"\"A test.\"\"\"\n"
                                        "inputs = {\"x\": {\"shape\": (\"M\", \"N\"), \"scale\": (0.1, 4)}}\n"
                                        "dims = {\"N\": {%s}}\n"
                                        "def reference(x):\n"
                                        "    return torch.softmax(x.float(), dim=-1).to(x.dtype)\n",
                                        dims[i]));
        assert_true(graph_trace(&a, &narrow, &g, &e));
        assert_int_equal(plan_possible(&g, SCHEDULE_TWO_TILES), i == 2);
    }
    arena_free(&a);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_first_proposals_differ_in_schedule),
        cmocka_unit_test(nothing_is_reduced_across_a_grid_of_blocks),
        cmocka_unit_test(two_tiles_are_for_rows_that_have_fewer_lanes_then),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
