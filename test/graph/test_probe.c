// Evaluating a reference on a few tiny inputs: sizes and values of the domain, and what cannot be looked at.
#include "graph/traced.h"

static void other_dimensions_are_refused(void **state) {
    (void)state;
    Arena a = {0};
    Op op = define(&a, "three",
                   "\"\"\"Heads.\"\"\"\ninputs = {\"x\": {\"shape\": (\"M\", \"H\", \"N\")}}\ndef "
                   "reference(x):\n    return x * 2\n");
    expect_no(&op, &a, "dimension H");
    arena_free(&a);
}

static void every_op_has_a_graph(void **state) {
    (void)state;
    Arena a = {0};
    Op *ops;
    int n = all_ops(&a, &ops);
    assert_true(n > 20);
    for (int i = 0; i < n; i++) {
        Err e = {0};
        Graph g;
        ArenaMark mark = arena_mark(&a);
        if (!graph_trace(&a, &ops[i], &g, &e)) fail_msg("%.*s: %s", STR_ARG(ops[i].name), e.msg);
        assert_true(g.nodes > 0 && g.result == g.nodes - 1);
        arena_reset(&a, mark);
    }
    arena_free(&a);
}

static Op defined(Arena *a, const char *inputs, const char *dims, const char *body) {
    return define(a, "mine",
                  arena_printf(a, "\"\"\"An op.\"\"\"\ninputs = {%s}\n%s\ndef reference(x):\n    %s\n",
                               inputs, dims, body));
}
static void expect_taken(const char *inputs, const char *dims, const char *body) {
    Arena a = {0};
    Err e = {0};
    Graph g;
    Op op = defined(&a, inputs, dims, body);
    if (!graph_trace(&a, &op, &g, &e)) fail_msg("%s: %s", dims, e.msg);
    arena_free(&a);
}
static void expect_none(const char *inputs, const char *dims, const char *body, const char *part) {
    Arena a = {0};
    Op op = defined(&a, inputs, dims, body);
    expect_no(&op, &a, part);
    arena_free(&a);
}

#define X    "\"x\": {\"shape\": (\"M\", \"N\")}"
#define BODY "return torch.exp(x.float()).to(x.dtype)"
static void sizes_keep_to_the_domain(void **state) {
    (void)state;
    expect_taken(X, "", BODY);
    expect_taken(X, "dims = {\"N\": {\"multiple_of\": 8}}", "assert x.shape[1] % 8 == 0\n    " BODY);
    expect_taken(X, "dims = {\"N\": {\"min\": 5000}}", "assert x.shape[1] >= 5000\n    " BODY);
    expect_taken(X, "dims = {\"N\": {\"max\": 24}}", "assert x.shape[1] <= 24\n    " BODY);
    expect_taken(X, "dims = {\"N\": {\"min\": 64, \"max\": 64}}", "assert x.shape[1] == 64\n    " BODY);
    // The control: outside of it the reference fails, and is heard.
    expect_none(X, "", "assert x.shape[1] < 10\n    " BODY, "the reference fails on a ");
}

static void rows_have_to_be_free(void **state) {
    (void)state;
    expect_taken(X, "dims = {\"M\": {\"min\": 2}}", BODY);
    expect_none(X, "dims = {\"M\": {\"min\": 4, \"max\": 4}}", BODY, "free number of rows");
    expect_taken("\"x\": {\"shape\": (\"N\",)}", "", BODY); // no rows at all
}

static void failures_have_their_line(void **state) {
    (void)state;
    expect_none(X, "", "h = x.float()\n    return h.sum(5)", "(line 6): ");
    expect_none(X, "", "while True:\n        pass", "budget");
    expect_none("\"x\": {\"shape\": (\"M\", \"N\")}", "dims = {\"N\": {\"min\": 100000000}}", BODY,
                "too large");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(other_dimensions_are_refused), cmocka_unit_test(every_op_has_a_graph),
        cmocka_unit_test(sizes_keep_to_the_domain),     cmocka_unit_test(rows_have_to_be_free),
        cmocka_unit_test(failures_have_their_line),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
