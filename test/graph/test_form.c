// How each elementwise operation may be written in Triton: the rows of form.def.
#include "grammar/smith_test.h"
#include "graph/form.h"
#include "graph/graph.h"

static void choices_go_round(void **state) {
    (void)state;
    int with = 0, several = 0;
    for (BoundOp op = 0; op < BOUND_COUNT; op++) {
        int n = form_count(op);
        with += n > 0, several += n > 1;
        if (n == 0) {
            assert_null(form_of(op, 0));
            continue;
        }
        for (int i = 0; i < n; i++) {
            assert_non_null(form_of(op, i));
            assert_ptr_equal(form_of(op, i), form_of(op, i + n));
            assert_true(*form_of(op, i)->text);
            for (int k = 0; k < i; k++) assert_string_not_equal(form_of(op, i)->text, form_of(op, k)->text);
        }
    }
    assert_true(with > 20 && several > 3);
    assert_string_equal(form_of(BOUND_EXP, 0)->text, form_of(BOUND_EXP, form_count(BOUND_EXP))->text);
}

// Whatever the suite needs is there; reductions and moves are written by others.
static void every_elementwise_node_has_a_form(void **state) {
    (void)state;
    Arena a = {0};
    Op *ops;
    int n = all_ops(&a, &ops), asked = 0;
    for (int i = 0; i < n; i++) {
        Err e = {0};
        Graph g;
        ArenaMark mark = arena_mark(&a);
        if (!graph_trace(&a, &ops[i], &g, &e)) fail_msg("%s", e.msg);
        for (int k = 0; k < g.nodes; k++) {
            BoundOp op = g.node[k].op;
            if (graph_is_reduction(op)) assert_int_equal(form_count(op), 0);
            if (g.node[k].inputs == 2 && op >= BOUND_LT && op <= BOUND_LOGICAL_OR) {
                assert_true(form_count(op) > 0);
                asked++;
            }
        }
        arena_reset(&a, mark);
    }
    assert_true(asked > 0);
    assert_true(form_count(BOUND_ADD) && form_count(BOUND_MUL) && form_count(BOUND_EXP) &&
                form_count(BOUND_NEG));
    arena_free(&a);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(choices_go_round),
        cmocka_unit_test(every_elementwise_node_has_a_form),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
