// Statistics that are corrected as they grow: a pass less.
#include "grammar/proposals.h"

static void online_needs_one_pass_less(void **state) {
    (void)state;
    Arena a = {0};
    Err e = {0};
    Graph g;
    Levels levels;
    Op op = define_body(&a, "    return torch.softmax(x.float() * w.float(), dim=-1).to(x.dtype)\n");
    assert_true(graph_trace(&a, &op, &g, &e));
    assert_int_equal(passes_levels(&g, false, false, &levels), 2);
    assert_int_equal(passes_levels(&g, true, false, &levels), 1);
    arena_free(&a);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(online_needs_one_pass_less),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
