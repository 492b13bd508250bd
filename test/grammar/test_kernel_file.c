// Whole files: every proposal parses.
#include "grammar/proposals.h"

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

// ---- variants

typedef struct {
    Op op;
    Graph g;
    Plan plan;
} Planned;

static Planned *planned(Arena *a, Schedule s, const char *body) {
    Planned *p = NEW(a, Planned);
    Err e = {0};
    Rng r = rng_at(3, 3);
    p->op = define_body(a, body);
    if (!graph_trace(a, &p->op, &p->g, &e)) fail_msg("%s", e.msg);
    assert_true(plan_possible(&p->g, s));
    p->plan = plan_draw(&p->g, s, 4096, true, &r);
    return p;
}

static int times(Str source, const char *what) {
    int n = 0;
    for (size_t i = 0; i < source.len; i++) n += str_starts((Str){source.p + i, source.len - i}, what);
    return n;
}

// Rows that are few and long are split, all others are not; both ways are in the file and are launched.
static void few_long_rows_are_split_and_others_whole(void **state) {
    (void)state;
    Arena a = {0};
    const char *body = "    return torch.softmax(x.float() * w.float(), dim=-1).to(x.dtype)\n";
    Planned *p = planned(&a, SCHEDULE_FILLED, body);
    Str source = kernel_emit(&a, &p->g, &p->plan, NULL);
    assert_int_equal(times(source, "@triton.jit"), 3);
    assert_int_equal(times(source, " < 128 and "), 1);
    assert_int_equal(times(source, "    else:"), 1);
    Planned *whole = planned(&a, SCHEDULE_WHOLE, body);
    source = kernel_emit(&a, &whole->g, &whole->plan, NULL);
    assert_int_equal(times(source, "@triton.jit"), 1);
    assert_int_equal(times(source, "    else:"), 0);
    arena_free(&a);
}

// Without gaps nothing is divided; a vector that all rows share still needs its column.
static void without_gaps_elements_are_numbered_through(void **state) {
    (void)state;
    Arena a = {0};
    Planned *p = planned(&a, SCHEDULE_FLAT, "    return (x.float() * 2.0).to(x.dtype)\n");
    Str source = kernel_emit(&a, &p->g, &p->plan, NULL);
    assert_int_equal(times(source, "x.is_contiguous()"), 1);
    assert_int_equal(times(source, "w.is_contiguous()"), 0);
    assert_int_equal(times(source, "@triton.jit"), 2);
    assert_int_equal(times(source, " // "), 1); // of the general one
    assert_int_equal(times(source, " % "), 1);
    p->plan.gapless = false;
    assert_int_equal(times(kernel_emit(&a, &p->g, &p->plan, NULL), "@triton.jit"), 1);
    Planned *shared = planned(&a, SCHEDULE_FLAT, "    return (x.float() * w.float()).to(x.dtype)\n");
    source = kernel_emit(&a, &shared->g, &shared->plan, NULL);
    assert_int_equal(times(source, " // "), 1);
    assert_int_equal(times(source, " % "), 2);
    arena_free(&a);
}

// A row of 5,120 as 4,096 and 1,024: what is reduced is put together, and each tile is stored. Other lengths
// have whole rows.
static void rows_lie_in_two_tiles_where_that_takes_fewer_lanes(void **state) {
    (void)state;
    Arena a = {0};
    const char *body = "    return torch.softmax(x.float() * w.float(), dim=-1).to(x.dtype)\n";
    Planned *p = planned(&a, SCHEDULE_TWO_TILES, body);
    p->plan.style = STYLE_PLAIN;
    p->plan.fold = p->plan.lambda_grid = p->plan.helper = false;
    p->plan.axis = 2;
    Str source = kernel_emit(&a, &p->g, &p->plan, NULL);
    assert_int_equal(times(source, "@triton.jit"), 2);
    assert_int_equal(times(source, "    if 4 * N <= 3 * triton.next_power_of_2(N):\n"), 1);
    assert_int_equal(times(source, "    else:\n"), 1);
    assert_int_equal(times(source, "BLOCK_A = triton.next_power_of_2(N) // 2\n"), 1);
    assert_int_equal(times(source, "BLOCK_B = triton.next_power_of_2(N - BLOCK_A)\n"), 1);
    assert_int_equal(times(source, "num_warps=min(16, max(1, BLOCK_A // 512))"), 1);
    assert_int_equal(times(source, "num_warps=min(16, max(1, BLOCK // 512))"), 1);
    assert_int_equal(times(source, "    cols_b = BLOCK_A + tl.arange(0, BLOCK_B)\n"), 1);
    assert_int_equal(times(source, "tl.load("), 6); // two inputs in three tiles
    assert_int_equal(times(source, "tl.store("), 3);
    assert_int_equal(times(source, "tl.maximum(tl.max("), 1);
    assert_int_equal(times(source, " + tl.sum("), 1);
    // Nothing is loaded behind a store: it would wait for it.
    const char *text = str_cdup(&a, source), *store = strstr(text, "tl.store("),
               *next = strstr(store, "@triton.jit");
    assert_true(next && strstr(store, "tl.load(") > next);
    // Whole rows alone have none of it.
    Planned *whole = planned(&a, SCHEDULE_WHOLE, body);
    source = kernel_emit(&a, &whole->g, &whole->plan, NULL);
    assert_int_equal(times(source, "_A"), 0);
    assert_int_equal(times(source, "    if "), 0);
    assert_int_equal(times(source, "tl.maximum("), 0);
    arena_free(&a);
}

// A prefix sum goes on in the second tile from what the first has come to.
static void prefix_sums_go_on_in_the_second_tile(void **state) {
    (void)state;
    Arena a = {0};
    Planned *p = planned(&a, SCHEDULE_TWO_TILES,
                         "    return torch.cumsum(x.float() * w.float(), dim=-1).to(x.dtype)\n");
    p->plan.style = STYLE_PLAIN;
    Str source = kernel_emit(&a, &p->g, &p->plan, NULL);
    assert_int_equal(times(source, "tl.cumsum("), 3);
    assert_int_equal(times(source, "    carry = tl.sum("), 1);
    assert_int_equal(times(source, "carry + tl.cumsum("), 1);
    arena_free(&a);
}

// In a table its rows keep their class: both kernels stand below it.
static void a_row_of_a_table_may_have_two_tiles(void **state) {
    (void)state;
    Arena a = {0};
    const char *body = "    return torch.softmax(x.float() * w.float(), dim=-1).to(x.dtype)\n";
    Planned *p = planned(&a, SCHEDULE_TWO_TILES, body);
    p->plan.style = STYLE_PLAIN;
    p->plan.helper = false;
    TableRow row[] = {{SHAPES_FEW, p->plan}, {SHAPES_ANY, p->plan}};
    row[1].plan.hints = 4;
    Str source = kernel_table_emit(&a, &p->g, row, 2);
    assert_int_equal(times(source, "    if M < 2048 and 4 * N <= 3 * triton.next_power_of_2(N):\n"), 1);
    assert_int_equal(times(source, "    elif M < 2048:\n"), 1);
    assert_int_equal(times(source, "    elif 4 * N <= 3 * triton.next_power_of_2(N):\n"), 1);
    assert_int_equal(times(source, "    else:\n"), 1);
    assert_int_equal(times(source, "@triton.jit"), 4);
    row[0].plan.schedule = SCHEDULE_WHOLE;
    source = kernel_table_emit(&a, &p->g, row, 2);
    assert_int_equal(times(source, "    if M < 2048:\n"), 1);
    assert_int_equal(times(source, "@triton.jit"), 3);
    arena_free(&a);
}

// What was fast most often on a GPU comes first.
static void the_first_of_a_schedule_has_the_fast_choices(void **state) {
    (void)state;
    Arena a = {0};
    Planned *p =
        planned(&a, SCHEDULE_WHOLE, "    return torch.softmax(x.float() * w.float(), dim=-1).to(x.dtype)\n");
    Str source = kernel_emit(&a, &p->g, &p->plan, NULL);
    assert_int_equal(times(source, "eviction_policy"), 0); // they cost where tensors are large
    assert_int_equal(times(source, " // 512)"), 1);        // 16 elements a thread
    Planned *flat = planned(&a, SCHEDULE_WHOLE, "    return (x.float() * w.float()).to(x.dtype)\n");
    assert_int_equal(times(kernel_emit(&a, &flat->g, &flat->plan, NULL), " // 256)"), 1);
    Planned *rows = planned(&a, SCHEDULE_ROWS, "    return (x.float() * w.float()).to(x.dtype)\n");
    source = kernel_emit(&a, &rows->g, &rows->plan, NULL);
    assert_int_equal(times(source, "max(1, min(2048 // "), 1);
    assert_int_equal(times(source, " // 512))"), 1);
    arena_free(&a);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_proposal_parses),
        cmocka_unit_test(few_long_rows_are_split_and_others_whole),
        cmocka_unit_test(without_gaps_elements_are_numbered_through),
        cmocka_unit_test(rows_lie_in_two_tiles_where_that_takes_fewer_lanes),
        cmocka_unit_test(prefix_sums_go_on_in_the_second_tile),
        cmocka_unit_test(a_row_of_a_table_may_have_two_tiles),
        cmocka_unit_test(the_first_of_a_schedule_has_the_fast_choices),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
