// How often a kernel has to go over a row before it knows each value.
#include "graph/passed.h"

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

static void each_reduction_waits_for_those_below(void **state) {
    (void)state;
    expect_passes("    return torch.exp(x.float()).to(x.dtype)\n", 0, 0);
    expect_passes("    return x.float().sum(-1).to(x.dtype)\n", 1, 1);
    expect_passes("    h = x.float()\n    return (h.sum(-1) + h.amax(-1)).to(x.dtype)\n", 1,
                  1); // side by side
    expect_passes("    return torch.softmax(x.float(), -1).to(x.dtype)\n", 2, 1);
    expect_passes("    h = x.float() - x.float().sum(-1, keepdim=True)\n    return h.amax(-1).to(x.dtype)\n",
                  2, 2);
}

static void partners_are_found(void **state) {
    (void)state;
    Arena a = {0};
    Op op;
    Graph g = traced(&a, &op, "    return torch.softmax(x.float(), -1).to(x.dtype)\n");
    int most = -1, sum = -1;
    for (int i = 0; i < g.nodes; i++) {
        if (g.node[i].op == BOUND_AMAX) most = i;
        if (g.node[i].op == BOUND_SUM) sum = i;
    }
    assert_true(most >= 0 && sum >= 0);
    assert_int_equal(passes_partner(&g, sum), most);
    assert_int_equal(passes_total(&g, most), sum);
    assert_int_equal(passes_partner(&g, most), -1);
    assert_int_equal(passes_total(&g, sum), -1);
    Moment m;
    assert_false(passes_moment(&g, sum, &m));
    g = traced(&a, &op, "    return x.float().var(-1, correction=0).to(x.dtype)\n");
    bool moment = false;
    for (int i = 0; i < g.nodes; i++) moment |= passes_moment(&g, i, &m);
    assert_true(moment && m.sum[0] == m.sum[1] && m.mean[0] == m.mean[1]);
    arena_free(&a);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sums_of_weighted_terms_need_one_pass),
        cmocka_unit_test(what_is_no_weighted_sum_waits),
        cmocka_unit_test(moments_around_means_need_one_pass),
        cmocka_unit_test(too_many_statistics_for_one_pass_wait),
        cmocka_unit_test(each_reduction_waits_for_those_below),
        cmocka_unit_test(partners_are_found),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
