// Sums weighted by exponentials: which of them can be carried along in one pass, and what is left of them.
#include "grammar/smith_test.h"
#include "graph/online_algebra.h"

static int waiting(const Graph *g, bool online) {
    Levels levels;
    return passes_levels(g, online, false, &levels);
}

static Graph traced(Arena *a, Op *op, const char *body) {
    Graph g;
    Err e = {0};
    *op = define_body(a, body);
    if (!graph_trace(a, op, &g, &e)) fail_msg("%s", e.msg);
    return g;
}

// Passes when nothing, and when everything possible is corrected as it grows.
static void expect_passes(const char *body, int plain, int online) {
    Arena a = {0};
    Op op;
    Graph g = traced(&a, &op, body);
    assert_int_equal(waiting(&g, false), plain);
    assert_int_equal(waiting(g.online ? g.online : &g, true), online);
    assert_true(g.online == NULL || waiting(g.online, true) < waiting(&g, true));
    arena_free(&a);
}

static void sums_of_weighted_terms_need_one_pass(void **state) {
    (void)state;
    expect_passes("    p = torch.softmax(x.float(), -1)\n    return (p * w).sum(-1).to(x.dtype)\n", 3, 1);
    expect_passes("    l = torch.log_softmax(x.float(), -1)\n    return (l.exp() * l).sum(-1).to(x.dtype)\n",
                  3, 1);
    expect_passes("    l = torch.log_softmax(x.float(), -1)\n"
                  "    return (0.5 * l.exp() * -(l - 2 * (x - 3))).sum(-1).to(x.dtype)\n",
                  3, 1);
    // A statistic of another pass stands before it.
    expect_passes("    h = x.float() - x.float().mean(-1, keepdim=True)\n    l = torch.log_softmax(h, -1)\n"
                  "    return (l.exp() * l).sum(-1).to(x.dtype)\n",
                  4, 2);
}

static void what_is_no_weighted_sum_waits(void **state) {
    (void)state;
    expect_passes("    p = torch.softmax(x.float(), -1)\n    return (p * p).sum(-1).to(x.dtype)\n", 3, 2);
    expect_passes("    p = torch.softmax(x.float(), -1)\n    return (p * p.log()).sum(-1).to(x.dtype)\n", 3,
                  2);
    expect_passes("    p = torch.softmax(x.float(), -1)\n    return (p / (p + w)).sum(-1).to(x.dtype)\n", 3,
                  2);
    expect_passes("    h = x.float()\n    t = h - h.mean(-1, keepdim=True)\n"
                  "    return (torch.softmax(h, -1) * t * t).sum(-1).to(x.dtype)\n",
                  3, 2);
    // No other sum of these weights is asked for: nothing to rescale by.
    expect_passes("    h = x.float()\n    d = h - h.amax(-1, keepdim=True)\n"
                  "    return (d.exp() * d).sum(-1).to(x.dtype)\n",
                  2, 2);
}

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

static void moments_around_means_need_one_pass(void **state) {
    (void)state;
    const char *c = "    c = x.float() - x.float().mean(-1, keepdim=True)\n"
                    "    d = w.float() * x.float()\n    d = d - d.mean(-1, keepdim=True)\n";
    Arena a = {0};
    expect_passes(arena_printf(&a, "%s    return (c * d).sum(-1).to(x.dtype)\n", c), 2, 1);
    expect_passes(arena_printf(&a, "%s    return (c * c).mean(-1).to(x.dtype)\n", c), 2, 1);
    expect_passes(arena_printf(&a, "%s    return ((c * d).sum(-1) / d.square().sum(-1)).to(x.dtype)\n", c), 2,
                  1);
    expect_passes("    h = x.float()[:, ::2]\n    return h.var(-1, correction=0).to(x.dtype)\n", 2, 1);
    // The mean of another number of columns, a third power, and a mean that is known a pass later.
    expect_passes("    h = x.float()\n    c = h - h.sum(-1, keepdim=True) / (h.shape[-1] + 1)\n"
                  "    return (c * c).sum(-1).to(x.dtype)\n",
                  2, 2);
    expect_passes(arena_printf(&a, "%s    return (c * c * d).sum(-1).to(x.dtype)\n", c), 2, 2);
    expect_passes(arena_printf(&a,
                               "%s    e = c * c.amax(-1, keepdim=True)\n"
                               "    return (c * (e - e.mean(-1, keepdim=True))).sum(-1).to(x.dtype)\n",
                               c),
                  4, 4);
    arena_free(&a);
}

// A pass has room for so many and no more: the kernel is written with more passes instead.
static void too_many_statistics_for_one_pass_wait(void **state) {
    (void)state;
    expect_passes("    h = x.float()\n    s = 0\n    for i in range(16):\n        s = s + torch.softmax(h * "
                  "(i + 2), -1)\n"
                  "    return s.to(x.dtype)\n",
                  2, 1);
    expect_passes("    h = x.float()\n    s = 0\n    for i in range(17):\n        s = s + torch.softmax(h * "
                  "(i + 2), -1)\n"
                  "    return s.to(x.dtype)\n",
                  2, 2);
    expect_passes("    h = x.float()\n    s = 0\n    for i in range(9):\n        s = s + (h + i + 1).var(-1, "
                  "correction=0)\n"
                  "    return s.to(x.dtype)\n",
                  2, 2);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sums_of_weighted_terms_need_one_pass),
        cmocka_unit_test(what_is_no_weighted_sum_waits),
        cmocka_unit_test(the_algebra_is_as_written),
        cmocka_unit_test(shifts_are_found_with_their_factors),
        cmocka_unit_test(moments_around_means_need_one_pass),
        cmocka_unit_test(too_many_statistics_for_one_pass_wait),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
