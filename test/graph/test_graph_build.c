// Making the nodes of a graph: equal ones once, composites spelled out, what nobody uses dropped.
#include "graph/graph_build.h"
#include "graph/traced.h"

static void statistics_are_spelled_out(void **state) {
    (void)state;
    expect_graph(
        "    h = x.float()\n"
        "    return (h * torch.rsqrt(h.pow(2).mean(-1, keepdim=True) + 1e-6) * w.float()).to(x.dtype)\n",
        "0: INPUT x [M,N] level 0\n"
        "1: SQUARE 0 [M,N] level 0\n"
        "2: SUM 1 [M,1] level 1\n"
        "3: LITERAL N [1,1] level 0\n"
        "4: DIV 2 3 [M,1] level 1\n"
        "5: LITERAL 1e-06 [1,1] level 0\n"
        "6: ADD 4 5 [M,1] level 1\n"
        "7: RSQRT 6 [M,1] level 1\n"
        "8: MUL 0 7 [M,N] level 1\n"
        "9: INPUT w [1,N] level 0\n"
        "10: MUL 8 9 [M,N] level 1\n"
        "result M N like x\n");
}

static void equal_parts_are_one_node(void **state) {
    (void)state;
    expect_graph(
        "    a = torch.exp(x.float()) + torch.exp(x.float())\n    return a.to(x.dtype)\n",
        "0: INPUT x [M,N] level 0\n1: EXP 0 [M,N] level 0\n2: ADD 1 1 [M,N] level 0\nresult M N like x\n");
}

static Build made(Arena *a) {
    Graph *g = NEW(a, Graph);
    g->node = NEWN(a, GraphNode, GRAPH_NODES_MAX);
    return (Build){.g = g};
}
static int row_input(Build *b) {
    return build_node(
        b, (GraphNode){.op = BOUND_INPUT, .rows = true, .cols = {SIZE_COLS, 1, 1, 0}, .size = size_const(0)});
}

static void literals_are_told_apart(void **state) {
    (void)state;
    Arena a = {0};
    Build b = made(&a);
    int zero = build_literal(&b, 0.0, VALUE_FLOAT);
    assert_int_equal(build_literal(&b, 0.0, VALUE_FLOAT), zero);
    assert_int_not_equal(build_literal(&b, -0.0, VALUE_FLOAT), zero);
    assert_int_not_equal(build_literal(&b, 0.0, VALUE_INT), zero);
    // A size that is a number becomes one.
    int root = build_sized(&b, size_const(16), -0.5);
    assert_true(b.g->node[root].scalar == 0.25 && !b.g->node[root].sized);
    int cols = build_sized(&b, (Size){SIZE_COLS, 1, 1, 0}, 1);
    assert_true(b.g->node[cols].sized && b.g->node[cols].kind == VALUE_INT);
    arena_free(&a);
}

static void powers_are_products_and_roots(void **state) {
    (void)state;
    static const struct {
        double exponent;
        int nodes; // beyond the base
        BoundOp last;
    } want[] = {{2, 1, BOUND_SQUARE},   {3, 2, BOUND_MUL},         {8, 3, BOUND_SQUARE}, {0.5, 1, BOUND_SQRT},
                {-0.5, 1, BOUND_RSQRT}, {-1, 1, BOUND_RECIPROCAL}, {0, 1, BOUND_LITERAL}};
    Arena a = {0};
    for (size_t i = 0; i < sizeof want / sizeof *want; i++) {
        Build b = made(&a);
        int x = row_input(&b), out = -1;
        assert_true(build_power(&b, x, want[i].exponent, &out));
        assert_int_equal(b.g->nodes, 1 + want[i].nodes);
        assert_int_equal(b.g->node[out].op, want[i].last);
    }
    Build b = made(&a);
    int x = row_input(&b), out = -1;
    assert_true(build_power(&b, x, 1, &out) && out == x);
    static const double none[] = {9, -9, 1.5, 1e300, -1e300, 0.25};
    for (size_t i = 0; i < sizeof none / sizeof *none; i++) assert_false(build_power(&b, x, none[i], &out));
    arena_free(&a);
}

static void what_nobody_uses_is_dropped(void **state) {
    (void)state;
    Arena a = {0};
    Build b = made(&a);
    int x = row_input(&b);
    build_unary(&b, BOUND_EXP, x); // for nobody
    int sum = build_reduce(&b, BOUND_SUM, x), y = build_binary(&b, BOUND_SUB, x, sum);
    build_finish(&b, build_reduce(&b, BOUND_AMAX, y));
    assert_int_equal(b.g->nodes, 4);
    assert_int_equal(b.g->node[0].uses, 2);
    assert_int_equal(b.g->node[1].level, 1);
    assert_int_equal(b.g->node[b.g->result].level, 2); // a reduction that waits for another one
    assert_int_equal(b.g->node[b.g->result].op, BOUND_AMAX);
    assert_true(b.g->node[2].rows && !size_is(b.g->node[2].cols, 1));
    arena_free(&a);
}

static void a_full_graph_says_so(void **state) {
    (void)state;
    Arena a = {0};
    Build b = made(&a);
    for (int i = 0; i < GRAPH_NODES_MAX; i++) build_literal(&b, i, VALUE_FLOAT);
    assert_false(b.full);
    build_literal(&b, 5, VALUE_FLOAT); // is there
    assert_false(b.full);
    build_literal(&b, -1, VALUE_FLOAT);
    assert_true(b.full);
    arena_free(&a);
}

static void reductions_are_told(void **state) {
    (void)state;
    int n = 0;
    for (BoundOp op = 0; op < BOUND_COUNT; op++) n += graph_is_reduction(op);
    assert_int_equal(n, 4);
    assert_true(graph_is_reduction(BOUND_SUM) && graph_is_reduction(BOUND_AMIN) &&
                !graph_is_reduction(BOUND_MEAN));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(statistics_are_spelled_out),  cmocka_unit_test(equal_parts_are_one_node),
        cmocka_unit_test(literals_are_told_apart),     cmocka_unit_test(powers_are_products_and_roots),
        cmocka_unit_test(what_nobody_uses_is_dropped), cmocka_unit_test(a_full_graph_says_so),
        cmocka_unit_test(reductions_are_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
