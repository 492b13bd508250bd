// From the trace of a reference to a graph: columns that move, results of their own shape, and the reasons
// for which there is none.
#include "graph/traced.h"

static void sizes_in_formulas_are_found(void **state) {
    (void)state;
    expect_graph("    M, N = x.shape\n    return ((x.float() + N) * N ** -0.5 + (N - 1)).to(x.dtype)\n",
                 "0: INPUT x [M,N] level 0\n"
                 "1: LITERAL N [1,1] level 0\n"
                 "2: ADD 0 1 [M,N] level 0\n"
                 "3: LITERAL N^-0.5 [1,1] level 0\n"
                 "4: MUL 2 3 [M,N] level 0\n"
                 "5: LITERAL (1N-1)/1 [1,1] level 0\n"
                 "6: ADD 4 5 [M,N] level 0\n"
                 "result M N like x\n");
}

static void halves_are_moves_of_columns(void **state) {
    (void)state;
    expect_graph("    n = x.shape[-1] - 1\n    return torch.cat((x[:, 1:], -x[:, :1]), dim=-1) * (w > 0.5)\n",
                 "0: INPUT x [M,N] level 0\n"
                 "1: SLICE 0 from 1 step 1 [M,(1N-1)/1] level 0\n"
                 "2: SELECT 0 from 0 [M,1] level 0\n"
                 "3: NEG 2 [M,1] level 0\n"
                 "4: CAT 1 3 [M,N] level 0\n"
                 "5: INPUT w [1,N] level 0\n"
                 "6: LITERAL 0.5 [1,1] level 0\n"
                 "7: GT 5 6 [1,N] level 0\n"
                 "8: MUL 4 7 [M,N] level 0\n"
                 "result M N like x\n");
}

static void neighbours_take_turns(void **state) {
    (void)state;
    expect_graph("    return torch.stack((x * 2, x), dim=-1).flatten(-2)\n",
                 "0: INPUT x [M,N] level 0\n"
                 "1: LITERAL 2 [1,1] level 0\n"
                 "2: MUL 0 1 [M,N] level 0\n"
                 "3: CAT 2 0 in turns [M,(2N+0)/1] level 0\n"
                 "result M (2N+0)/1 like x\n");
    expect_graph("    return torch.stack((x * 2, x), dim=-1)[:, :, 1] + x\n",
                 "0: INPUT x [M,N] level 0\n"
                 "1: LITERAL 2 [1,1] level 0\n"
                 "2: MUL 0 1 [M,N] level 0\n"
                 "3: CAT 2 0 in turns [M,(2N+0)/1] level 0\n"
                 "4: SLICE 3 from 1 step 2 [M,N] level 0\n"
                 "5: ADD 4 0 [M,N] level 0\n"
                 "result M N like x\n");
}

static void a_row_result_has_its_own_type(void **state) {
    (void)state;
    expect_graph("    return (x.float() * 2).sum(-1).half()\n", "0: INPUT x [M,N] level 0\n"
                                                                "1: LITERAL 2 [1,1] level 0\n"
                                                                "2: MUL 0 1 [M,N] level 0\n"
                                                                "3: SUM 2 [M,1] level 1\n"
                                                                "result M as float16\n");
}

static void what_cannot_be_fused_is_named_with_its_line(void **state) {
    (void)state;
    expect_refused("    h = x.float()\n    i = h.argmax(-1)\n    return i\n",
                   "cannot fuse argmax (line 10 of the definition)");
    expect_refused("    h = x.float()\n    return h - h.sum(0)\n",
                   "cannot fuse sum (line 10 of the definition): it runs over the rows");
    expect_refused("    return x.reshape(-1) * 2\n", "cannot fuse reshape");
    expect_refused("    return x.float().t()\n", "transposed");
    expect_refused("    return (x[1:, :] * w)\n", "cannot fuse [] (line 9 of the definition): rows");
    expect_refused("    return x[0] * x\n", "it picks some of the rows");
    expect_refused("    return torch.cat((x, x), dim=0)\n", "rows may not be joined");
    expect_refused("    return w * 2\n", "a result for every row");
    expect_refused("    return torch.stack((x, x), dim=-1).sum(-1)\n", "runs over groups");
    expect_refused("    return torch.stack((x, x), dim=-1).sum(-2)\n", "runs over groups");
    expect_refused("    return torch.stack((x, x), dim=1).flatten(-2)\n", "more dimensions");
    expect_refused("    return (torch.stack((x, x), dim=-1) * x.unsqueeze(-1)).flatten(-2)\n",
                   "repeats columns");
    expect_refused("    return torch.stack((x, x), dim=-1)[:, 1:].flatten(-2)\n", "several groups");
    expect_refused("    return torch.stack((x, x), dim=-1)\n", "rows and columns only");
    expect_refused("    return torch.cumsum(x.flip(0), 0)\n", "reference fails");
    expect_refused("    return torch.cumsum(x.float(), -1)[:, 1:].sum(-1)\n",
                   "moves the columns of a prefix sum");
    expect_refused("    c = torch.cumsum(x.float(), -1)\n    return c - c[:, -1:]\n",
                   "moves the columns of a prefix");
}

static void shapes_may_not_steer_the_computation(void **state) {
    (void)state;
    expect_refused("    if x.shape[-1] > 22:\n        return x * 2\n    return x + 2\n",
                   "depends on the sizes");
    expect_refused("    if x.dtype == torch.float16:\n        return x * 2\n    return x + 2\n",
                   "depends on the sizes or the types");
    expect_refused("    return x * (x.shape[-1] % 7 + 0.5)\n", "in no simple way");
}

// A reference of hundreds of steps ends in a message, not in a deep recursion.
static void long_references_are_refused(void **state) {
    (void)state;
    expect_refused("    for i in range(3000):\n        x = x + 1.5 * i\n    return x\n", "too long");
    expect_refused("    for i in range(20):\n        x = x - x.sum(-1, keepdim=True)\n    return x\n",
                   "wait for each other");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sizes_in_formulas_are_found),
        cmocka_unit_test(halves_are_moves_of_columns),
        cmocka_unit_test(neighbours_take_turns),
        cmocka_unit_test(a_row_result_has_its_own_type),
        cmocka_unit_test(what_cannot_be_fused_is_named_with_its_line),
        cmocka_unit_test(shapes_may_not_steer_the_computation),
        cmocka_unit_test(long_references_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
