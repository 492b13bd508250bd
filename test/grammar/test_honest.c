// The proof that the smith writes correct kernels: every schedule of every op runs in the VM on a few small
// shapes, with row strides, offsets and every float type, and each element is held against the reference's
// own bound.
#include "run_kernel.h"

static void expect_right(Arena *a, const Op *op, const Node *module, Str source, const char *schedule,
                         Shape s, uint64_t seed) {
    ArenaMark mark = arena_mark(a);
    const char *why = run_one(a, op, module, source, s, seed);
    if (why)
        fail_msg("%.*s, %s, %lld x %lld %s%s: %s\n%.*s", STR_ARG(op->name), schedule, (long long)s.m,
                 (long long)s.n, dtype_info[s.dtype].torch, s.strided ? ", strided" : "", why,
                 STR_ARG(source));
    arena_reset(a, mark);
}

static int64_t fit(const OpDim *d, int64_t n) {
    if (n > d->max) n = d->max;
    n -= n % d->multiple_of;
    return n < d->min ? d->min : n;
}

// Every form of every operation comes up: the plan's forms are shifted with its number.
static void check_schedule(Arena *a, const Op *op, const Graph *g, Schedule schedule, int plans) {
    static const Shape shapes[] = {
        {5, 257, DT_F32, true, 1},
        {3, 1, DT_F16, false, 1},
        {1, 2, DT_BF16, true, 1},
        {2, 1030, DT_F32, false, 1},
        {9, 31, DT_F16, true, 1},
        {1, 1, DT_F32, false, 1},
        {2, 5003, DT_F32, true, 1},
        // Many rows, and few long ones: what a variant asks for.
        {530, 9, DT_F16, false, 1},
        {2, 16400, DT_F32, true, 1},
    };
    enum { SHAPES = sizeof shapes / sizeof *shapes, LONG = SHAPES - 1 };
    Rng r = rng_at(2026, schedule);
    for (int i = 0; i < plans; i++) {
        ArenaMark mark = arena_mark(a);
        Plan p = plan_draw(g, schedule, 700, i == 0, &r);
        for (int k = 0; k < BOUND_COUNT; k++) p.form[k] = (uint8_t)i;
        if (schedule == SCHEDULE_ROWS_LOOPED) p.online = i % 2;
        p.one_load = i / 2 % 2;
        p.scalars = i % 2;
        p.fold = i / 2 % 2;
        p.inline_mask = i % 3 == 1;
        p.aligned = i % 2;
        p.autotune = i % 3 == 2 && schedule != SCHEDULE_SPLIT && schedule != SCHEDULE_FILLED &&
                     schedule != SCHEDULE_TWO_TILES;
        p.gapless = schedule == SCHEDULE_FLAT && i % 4 != 3;
        p.tile = schedule == SCHEDULE_ROWS && i % 2 == 0 ? 1024 : 0;
        p.hints = (4 + i) % 5;
        if (schedule == SCHEDULE_WHOLE || schedule == SCHEDULE_FILLED || schedule == SCHEDULE_TWO_TILES ||
            p.tile)
            p.warps = 0;
        p.sizes = i;
        p.view = i % 2;
        p.lambda_grid = i / 2 % 2;
        p.style = (StyleId)((i + (int)schedule) % STYLE_COUNT);
        p.fit = i % 2;
        Str source = kernel_emit(a, g, &p, NULL);
        DiagList d = DIAGS(a);
        const Node *module = parse_module(a, source, &d);
        assert_non_null(module);
        for (int k = 0; k < SHAPES; k++) {
            if (i > 0 && (k + i) % 3 != 0) continue;
            if (k == LONG && schedule != SCHEDULE_FILLED) continue;
            Shape s = shapes[k];
            if (op->rows_dim < 0) s.m = 1;
            if (s.n != fit(&op->dim[op->row_dim], s.n) && s.n < 16) s.n = op->dim[op->row_dim].min;
            s.n = fit(&op->dim[op->row_dim], s.n);
            expect_right(a, op, module, source, plan_words(a, g, &p), s, (uint64_t)(i * 100 + k));
        }
        arena_reset(a, mark);
    }
}

// Ops made of parts stand behind the others and are many: every fifth of them is enough here.
static bool skipped(const Op *ops, int i) { return !ops[i].user && i >= 24 && i % 5 != 0; }

static void every_schedule_of_every_op_is_within_the_bound(void **state) {
    (void)state;
    Arena a = {0};
    Op *ops;
    int n = all_ops(&a, &ops), kernels = 0;
    for (int i = 0; i < n; i++) {
        if (skipped(ops, i)) continue;
        ArenaMark mark = arena_mark(&a);
        Err e = {0};
        Graph g;
        if (!graph_trace(&a, &ops[i], &g, &e)) fail_msg("%.*s: %s", STR_ARG(ops[i].name), e.msg);
        for (int s = 0; s < SCHEDULE_COUNT; s++) {
            if (!plan_possible(&g, (Schedule)s)) continue;
            int plans = ops[i].user ? 4 : 2;
            check_schedule(&a, &ops[i], &g, (Schedule)s, plans);
            kernels += plans;
        }
        arena_reset(&a, mark);
    }
    assert_true(kernels > 400);
    assert_true(elements > 200000 && judged * 100 > elements * 99);
    arena_free(&a);
}

// What the proposer hands out is checked as it is, too.
static void proposals_are_within_the_bound(void **state) {
    (void)state;
    Arena a = {0};
    Op *ops;
    int n = all_ops(&a, &ops);
    for (int i = 0; i < n; i++) {
        if (skipped(ops, i)) continue;
        ArenaMark mark = arena_mark(&a);
        Smith *smith;
        Err e = {0};
        Proposal p[6];
        int got = 0;
        assert_true(smith_open(&a, "grammar", NULL, &smith, &e));
        SmithRequest q = {.seed = 99 + (uint64_t)i, .count = 6};
        if (!smith_propose(smith, &a, &ops[i], &q, p, &got, &e)) fail_msg("%s", e.msg);
        for (int k = 0; k < got; k++) {
            DiagList d = DIAGS(&a);
            const Node *module = parse_module(&a, p[k].source, &d);
            assert_non_null(module);
            Shape s = {ops[i].rows_dim < 0 ? 1 : 4, fit(&ops[i].dim[ops[i].row_dim], 130),
                       (DType[]){DT_F32, DT_F16, DT_BF16}[k % 3], true, 1};
            expect_right(&a, &ops[i], module, p[k].source, p[k].schedule, s, 7 + (uint64_t)k);
        }
        arena_reset(&a, mark);
    }
    arena_free(&a);
}

static bool right_for(const char *judged_by, const char *written, Shape s) {
    Arena a = {0};
    Err e = {0};
    Graph g;
    Op op = define_body(&a, written), other = define_body(&a, judged_by);
    Rng r = rng_at(1, 1);
    if (!graph_trace(&a, &op, &g, &e)) fail_msg("%s", e.msg);
    Plan p = plan_draw(&g, SCHEDULE_WHOLE, 100, true, &r);
    Str source = kernel_emit(&a, &g, &p, NULL);
    DiagList d = DIAGS(&a);
    bool right = !run_one(&a, &other, parse_module(&a, source, &d), source, s, 3);
    arena_free(&a);
    return right;
}

// The comparison does say no: to the kernel of an op that is a little different.
static void a_kernel_of_another_op_is_found_out(void **state) {
    (void)state;
    const Shape s = {3, 100, DT_F32, true, 1};
    const char *right = "    return (x.float() * w.float() + 1e-3).to(x.dtype)\n";
    assert_true(right_for(right, right, s));
    assert_false(right_for("    return (x.float() * w.float() + 2e-3).to(x.dtype)\n", right, s));
    assert_false(right_for("    return (x.float() * w.float() + 1e-3).half()\n", right, s));
    assert_false(right_for("    return (x.float() * w.float() + 1e-3)[:, :50].to(x.dtype)\n", right, s));
    assert_false(right_for("    return (x.float()[:, 1:]).sum(-1).to(x.dtype)\n",
                           "    return x.float().sum(-1).to(x.dtype)\n", s));
}

static void the_comparison_can_fail(void **state) {
    (void)state;
    assert_true(acceptable(DT_F32, 1.0, 1.0, 0));
    assert_false(acceptable(DT_F32, 1.0 + 0x1p-20, 1.0, 4));
    assert_true(acceptable(DT_F16, 1.0, 1.0 + 0x1p-12, 0));
    assert_false(acceptable(DT_F32, NAN, 1.0, 100));
    assert_false(acceptable(DT_F32, INFINITY, 1.0, 100));
    assert_false(acceptable(DT_F32, 0, NAN, 0));
    assert_true(acceptable(DT_F32, -INFINITY, -INFINITY, 0));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_comparison_can_fail),
        cmocka_unit_test(a_kernel_of_another_op_is_found_out),
        cmocka_unit_test(every_schedule_of_every_op_is_within_the_bound),
        cmocka_unit_test(proposals_are_within_the_bound),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
