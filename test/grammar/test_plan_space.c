// The space of plans: all of it is written as files that parse, and tables of it pick by the shape.
#include "grammar/plan_space.h"
#include "grammar/proposals.h"

static void parses(Arena *a, Str source) {
    DiagList d = DIAGS(a);
    const Node *module = parse_module(a, source, &d);
    if (!module) fail_msg("%s\n%.*s", d.at[0].msg, STR_ARG(source));
    if (!host_screen(module, &d)) fail_msg("%s\n%.*s", diag_first(&d)->msg, STR_ARG(source));
}

static int times(Str source, const char *what) {
    int n = 0;
    for (size_t i = 0; i < source.len; i++) n += str_starts((Str){source.p + i, source.len - i}, what);
    return n;
}

static void traced(Arena *a, const char *name, Op *op, Graph *g) {
    Err e = {0};
    assert_true(op_find(a, str_of(name), op));
    if (!graph_trace(a, op, g, &e)) fail_msg("%s", e.msg);
}

static void plans_and_their_neighbours_parse(void **state) {
    (void)state;
    static const char *const ops[] = {"softmax", "swiglu", "add_layernorm", "cross_entropy", "rope"};
    for (size_t k = 0; k < sizeof ops / sizeof *ops; k++) {
        Arena a = {0};
        Op op;
        Graph g;
        Plans *starts = NEW(&a, Plans), *near = NEW(&a, Plans);
        traced(&a, ops[k], &op, &g);
        plan_starts(&g, 4096, starts);
        assert_true(starts->n >= 6 && starts->n <= PLANS_MAX);
        for (int i = 0; i < starts->n; i++) {
            assert_true(plan_possible(&g, starts->at[i].schedule));
            assert_int_equal(starts->at[i].style, starts->at[0].style);
            parses(&a, kernel_emit(&a, &g, &starts->at[i], NULL));
            plan_neighbours(&g, &starts->at[i], near);
            assert_true(near->n >= 8);
            for (int j = 0; j < near->n; j++) {
                assert_int_not_equal(memcmp(&near->at[j], &starts->at[i], sizeof(Plan)), 0);
                parses(&a, kernel_emit(&a, &g, &near->at[j], NULL));
            }
        }
        arena_free(&a);
    }
}

// A program for each of many short rows is mostly dispatch: tiles of rows come first.
static void short_rows_begin_with_tiles(void **state) {
    (void)state;
    Arena a = {0};
    Op op;
    Graph g;
    Plans *p = NEW(&a, Plans);
    traced(&a, "qknorm_rope", &op, &g);
    plan_starts(&g, 128, p);
    assert_true(p->n >= 6);
    assert_int_equal(p->at[0].schedule, SCHEDULE_ROWS);
    assert_int_equal(p->at[0].tile, 1024);
    for (int i = 0; i < p->n; i++) parses(&a, kernel_emit(&a, &g, &p->at[i], NULL));
    arena_free(&a);
}

// Weights of a norm are loaded before its first reduction, where the plan says so.
static void loads_first(void **state) {
    (void)state;
    Arena a = {0};
    Op op;
    Graph g;
    Plans *p = NEW(&a, Plans);
    traced(&a, "layernorm", &op, &g);
    plan_starts(&g, 4096, p);
    bool seen[2] = {false};
    for (int i = 0; i < p->n; i++) {
        if (p->at[i].schedule != SCHEDULE_TWO_TILES || seen[p->at[i].early]) continue;
        seen[p->at[i].early] = true;
        p->at[i].schedule = SCHEDULE_WHOLE;
        Str s = kernel_emit(&a, &g, &p->at[i], NULL);
        const char *text = str_cdup(&a, s), *load = strstr(text, "w = tl.load("),
                   *sum = strstr(text, "tl.sum(");
        assert_true(load && sum);
        assert_int_equal(load < sum, p->at[i].early);
        parses(&a, s);
    }
    assert_true(seen[false] && seen[true]);
    arena_free(&a);
}

static const Plan *of_schedule(const Plans *p, Schedule s) {
    for (int i = 0; i < p->n; i++)
        if (p->at[i].schedule == s) return &p->at[i];
    return NULL;
}

// One step from whole rows, with all else as it is, and back again; no step from any other schedule.
static void two_tiles_are_one_step_from_whole_rows(void **state) {
    (void)state;
    Arena a = {0};
    Op op;
    Graph g;
    Plans *starts = NEW(&a, Plans), *near = NEW(&a, Plans), *back = NEW(&a, Plans);
    traced(&a, "layernorm", &op, &g);
    plan_starts(&g, 4096, starts);
    for (int i = 0; i < starts->n; i++) {
        Plan *from = &starts->at[i];
        if (from->schedule == SCHEDULE_TWO_TILES) from->schedule = SCHEDULE_WHOLE;
        plan_neighbours(&g, from, near);
        const Plan *two = of_schedule(near, SCHEDULE_TWO_TILES);
        assert_int_equal(two != NULL, from->schedule == SCHEDULE_WHOLE);
        if (!two) continue;
        Plan same = *two;
        same.schedule = SCHEDULE_WHOLE;
        assert_memory_equal(&same, from, sizeof same);
        plan_neighbours(&g, two, back);
        assert_non_null(of_schedule(back, SCHEDULE_WHOLE));
        assert_memory_equal(of_schedule(back, SCHEDULE_WHOLE), from, sizeof *from);
        for (int k = 0; k < back->n; k++) parses(&a, kernel_emit(&a, &g, &back->at[k], NULL));
    }
    arena_free(&a);
}

// Limits lie between shapes that are usually measured.
static void classes_hold_shapes(void **state) {
    (void)state;
    assert_true(shape_class_has(SHAPES_FEW_LONG, 256, 16384));
    assert_false(shape_class_has(SHAPES_FEW_LONG, 256, 4096));
    assert_false(shape_class_has(SHAPES_FEW_LONG, 1024, 16384));
    assert_true(shape_class_has(SHAPES_FEW, 1024, 4096));
    assert_false(shape_class_has(SHAPES_FEW, 4096, 4096));
    assert_true(shape_class_has(SHAPES_SHORT, 16384, 2048));
    assert_false(shape_class_has(SHAPES_SHORT, 16384, 4096));
    assert_true(shape_class_has(SHAPES_ANY, 1, 1));
}

static void tables_pick_by_the_shape(void **state) {
    (void)state;
    Arena a = {0};
    Op op;
    Graph g;
    Plans *p = NEW(&a, Plans);
    traced(&a, "softmax", &op, &g);
    plan_starts(&g, 4096, p);
    const Plan *tiles = of_schedule(p, SCHEDULE_ROWS);
    Plan whole = *of_schedule(p, SCHEDULE_TWO_TILES);
    whole.schedule = SCHEDULE_WHOLE;
    const TableRow row[] = {
        {SHAPES_FEW_LONG, *of_schedule(p, SCHEDULE_SPLIT)}, {SHAPES_FEW, whole}, {SHAPES_ANY, *tiles}};
    Str source = kernel_table_emit(&a, &g, row, 3);
    parses(&a, source);
    assert_int_equal(times(source, "@triton.jit"), 4);
    assert_int_equal(times(source, "    if M < 512 and N > 6144:\n"), 1);
    assert_int_equal(times(source, "    elif M < 2048:\n"), 1);
    assert_int_equal(times(source, "    else:\n"), 1);
    // One row is the plan's own file.
    const TableRow one = {SHAPES_ANY, *tiles};
    assert_true(str_eq(kernel_table_emit(&a, &g, &one, 1), kernel_emit(&a, &g, tiles, NULL)));
    arena_free(&a);
}

// Inputs with gaps have one kernel in all: what follows is for those without.
static void gaps_are_looked_for_once(void **state) {
    (void)state;
    Arena a = {0};
    Op op;
    Graph g;
    Plans *p = NEW(&a, Plans);
    traced(&a, "swiglu", &op, &g);
    plan_starts(&g, 4096, p);
    const TableRow row[] = {{SHAPES_FEW, p->at[2]}, {SHAPES_ANY, p->at[0]}};
    assert_true(p->at[0].gapless && p->at[2].gapless);
    Str source = kernel_table_emit(&a, &g, row, 2);
    parses(&a, source);
    assert_int_equal(times(source, "    if not (gate.is_contiguous() and up.is_contiguous()):\n"), 1);
    assert_int_equal(times(source, "is_contiguous"), 2);
    assert_int_equal(times(source, "@triton.jit"), 3);
    arena_free(&a);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(plans_and_their_neighbours_parse),
        cmocka_unit_test(short_rows_begin_with_tiles),
        cmocka_unit_test(loads_first),
        cmocka_unit_test(two_tiles_are_one_step_from_whole_rows),
        cmocka_unit_test(classes_hold_shapes),
        cmocka_unit_test(tables_pick_by_the_shape),
        cmocka_unit_test(gaps_are_looked_for_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
