// Rows that several programs share: only where few numbers are handed on.
#include "grammar/proposals.h"

// The workspace of a split row has room for so much.
static void rows_with_many_statistics_are_not_split(void **state) {
    (void)state;
    Arena a = {0};
    Err e = {0};
    Graph g;
    for (int n = 3; n <= 60; n += 57) {
        const char *body =
            arena_printf(&a,
                         "    t = x.float()\n    for i in range(%d):\n"
                         "        t = t + (x.float() * (1.5 + i)).sum(-1, keepdim=True)\n    return t\n",
                         n);
        Op op = define_body(&a, body);
        if (!graph_trace(&a, &op, &g, &e)) fail_msg("%s", e.msg);
        assert_true(plan_possible(&g, SCHEDULE_SPLIT) == (n == 3));
    }
    arena_free(&a);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_with_many_statistics_are_not_split),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
