// Kernel files of the grammar smith: they parse, differ from each other, and depend on the seed alone.
#include "host/host.h"
#include "smith_test.h"

enum { ASKED = 12 };

static int proposals(Arena *a, const Op *op, uint64_t seed, int count, Proposal *out) {
    Smith *s;
    Err e = {0};
    int n = 0;
    if (!smith_open(a, "grammar", NULL, &s, &e)) fail_msg("%s", e.msg);
    SmithRequest q = {.seed = seed, .count = count};
    if (!smith_propose(s, a, op, &q, out, &n, &e)) fail_msg("%.*s: %s", STR_ARG(op->name), e.msg);
    return n;
}

static void over_all_ops(void (*check)(Arena *a, const Op *op)) {
    Arena a = {0};
    Op *ops;
    int n = all_ops(&a, &ops);
    for (int i = 0; i < n; i++) {
        ArenaMark mark = arena_mark(&a);
        check(&a, &ops[i]);
        arena_reset(&a, mark);
    }
    arena_free(&a);
}

static void check_parses(Arena *a, const Op *op) {
    Proposal p[ASKED];
    int n = proposals(a, op, 11, ASKED, p);
    assert_int_equal(n, ASKED);
    for (int i = 0; i < n; i++) {
        DiagList d = DIAGS(a);
        const Node *module = parse_module(a, p[i].source, &d);
        if (!module) fail_msg("%s\n%.*s", d.at[0].msg, STR_ARG(p[i].source));
        if (!host_screen(module, &d)) fail_msg("%s\n%.*s", diag_first(&d)->msg, STR_ARG(p[i].source));
        const Node *run = module_function(module, STR("run"));
        assert_non_null(run);
        assert_int_equal(run->function.params.n, op->inputs);
        assert_true(p[i].schedule[0] != 0);
    }
}
static void every_proposal_parses(void **state) {
    (void)state;
    over_all_ops(check_parses);
}

static void check_distinct(Arena *a, const Op *op) {
    Proposal p[ASKED];
    int n = proposals(a, op, 5, ASKED, p);
    assert_int_equal(smith_distinct(a, p, n), n);
    p[n - 1] = p[0]; // the control: a copy is found
    assert_int_equal(smith_distinct(a, p, n), n - 1);
}
static void no_program_is_proposed_twice(void **state) {
    (void)state;
    over_all_ops(check_distinct);
}

static void check_seeds(Arena *a, const Op *op) {
    Proposal p[4], again[4], other[4];
    int n = proposals(a, op, 77, 4, p), differ = 0;
    assert_int_equal(proposals(a, op, 77, 4, again), n);
    assert_int_equal(proposals(a, op, 78, 4, other), n);
    for (int i = 0; i < n; i++) {
        assert_true(str_eq(p[i].source, again[i].source));
        assert_string_equal(p[i].schedule, again[i].schedule);
        differ += !str_eq(p[i].source, other[i].source);
    }
    assert_true(differ > 0);
}
static void the_seed_decides_every_byte(void **state) {
    (void)state;
    over_all_ops(check_seeds);
}

static void more_can_be_asked_for_and_the_first_stay(void **state) {
    (void)state;
    Arena a = {0};
    Op op = define_body(&a, "    h = x.float() * w.float()\n    return (h * torch.sigmoid(h)).to(x.dtype)\n");
    Proposal few[3], many[40];
    assert_int_equal(proposals(&a, &op, 3, 3, few), 3);
    assert_int_equal(proposals(&a, &op, 3, 40, many), 40);
    for (int i = 0; i < 3; i++) assert_true(str_eq(few[i].source, many[i].source));
    assert_int_equal(proposals(&a, &op, 3, 0, few), 0);
    arena_free(&a);
}

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

static void distinct_ignores_names_and_layout_but_not_numbers(void **state) {
    (void)state;
    Arena a = {0};
    Proposal p[] = {
        {.source = STR("def run(x):\n    y = x\n    return y\n")},
        {.source = STR("# the same\ndef run(x):\n    out = x; return out\n")},
        {.source = STR("def run(x):\n    return 1\n")},
        {.source = STR("def run(x):\n    return 1.0\n")},
        {.source = STR("def run(x:\n")},
        {.source = STR("def run(x:\n")},
    };
    assert_int_equal(smith_distinct(&a, p, 6), 4);
    assert_true(str_starts(p[1].source, "def run(x):\n    return 1\n"));
    arena_free(&a);
}

static void unknown_smiths_are_refused_with_the_known_ones(void **state) {
    (void)state;
    Arena a = {0};
    Err e = {0};
    Smith *s = NULL;
    assert_false(smith_open(&a, "grammer", NULL, &s, &e));
    assert_int_equal(e.code, ERR_USAGE);
    assert_non_null(strstr(e.msg, "grammar"));
    arena_free(&a);
}

static void an_op_beyond_the_grammar_is_refused(void **state) {
    (void)state;
    Arena a = {0};
    Err e = {0};
    Smith *s;
    Op op = define_body(&a, "    return x.argmax(-1)\n");
    Proposal p[2];
    int n = 9;
    assert_true(smith_open(&a, "grammar", NULL, &s, &e));
    SmithRequest q = {.seed = 1, .count = 2};
    assert_false(smith_propose(s, &a, &op, &q, p, &n, &e));
    assert_int_equal(e.code, ERR_INPUT);
    assert_int_equal(n, 0);
    arena_free(&a);
}

static void floats_are_written_shortest(void **state) {
    (void)state;
    static const struct {
        double x;
        const char *text;
    } cases[] = {{1, "1.0"},          {1e-6, "1e-06"},   {0.1, "0.1"},
                 {-2.5, "-2.5"},      {1e300, "1e+300"}, {1.0 / 3, "0.3333333333333333"},
                 {1e22 * 10, "1e+23"}};
    Arena a = {0};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        assert_string_equal(float_text(&a, cases[i].x), cases[i].text);
    assert_string_equal(float_text(&a, -__builtin_inf()), "float(\"-inf\")");
    arena_free(&a);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_proposal_parses),
        cmocka_unit_test(no_program_is_proposed_twice),
        cmocka_unit_test(the_seed_decides_every_byte),
        cmocka_unit_test(more_can_be_asked_for_and_the_first_stay),
        cmocka_unit_test(the_first_proposals_differ_in_schedule),
        cmocka_unit_test(nothing_is_reduced_across_a_grid_of_blocks),
        cmocka_unit_test(rows_with_many_statistics_are_not_split),
        cmocka_unit_test(online_needs_one_pass_less),
        cmocka_unit_test(distinct_ignores_names_and_layout_but_not_numbers),
        cmocka_unit_test(unknown_smiths_are_refused_with_the_known_ones),
        cmocka_unit_test(an_op_beyond_the_grammar_is_refused),
        cmocka_unit_test(floats_are_written_shortest),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
