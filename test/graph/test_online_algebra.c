// Sums weighted by exponentials: which of them can be carried along in one pass, and what is left of them.
#include "graph/passed.h"

static const char *online_text(Arena *a, const char *body) {
    Op op;
    Graph g = traced(a, &op, body);
    Buf b = BUF(a);
    assert_non_null(g.online);
    graph_print(&b, g.online);
    return buf_cstr(&b);
}

static void the_algebra_is_as_written(void **state) {
    (void)state;
    Arena a = {0};
    assert_string_equal(online_text(&a, "    l = torch.log_softmax(x.float(), -1)\n"
                                        "    return -(l.exp() * l).sum(-1).to(x.dtype)\n"),
                        "0: INPUT x [M,N] level 0\n"
                        "1: AMAX 0 [M,1] level 1\n"
                        "2: SUB 0 1 [M,N] level 1\n"
                        "3: EXP 2 [M,N] level 1\n"
                        "4: SUM 3 [M,1] level 2\n"
                        "5: LOG 4 [M,1] level 2\n"
                        "6: MUL 3 2 [M,N] level 1\n"
                        "7: SUM 6 [M,1] level 2\n"
                        "8: DIV 7 4 [M,1] level 2\n"
                        "9: SUB 8 5 [M,1] level 2\n"
                        "10: NEG 9 [M,1] level 2\n"
                        "result M like x\n");
    arena_free(&a);
}

static void shifts_are_found_with_their_factors(void **state) {
    (void)state;
    Arena a = {0};
    Op op;
    Graph g = traced(&a, &op,
                     "    l = torch.log_softmax(x.float(), -1)\n"
                     "    return (l.exp() * (w - 3 * l)).sum(-1).to(x.dtype)\n");
    int found = 0;
    for (int i = 0; g.online && i < g.online->nodes; i++) {
        Shifts s;
        int most = passes_weighed(g.online, i, &s);
        if (most < 0) continue;
        found++;
        assert_int_equal(s.n, 1);
        assert_true(s.at[0].by == -3 && s.at[0].most == most);
    }
    assert_int_equal(found, 1);
    arena_free(&a);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_algebra_is_as_written),
        cmocka_unit_test(shifts_are_found_with_their_factors),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
