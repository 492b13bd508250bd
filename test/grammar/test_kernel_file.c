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

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_proposal_parses),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
