// A host function that becomes an object which keeps something: once for all, once for each shape, one tensor.
#include "edits.h"

static const char host[] = "def run(x, w):\n"
                           "    out = torch.empty_like(x)\n"
                           "    k[(2,)](x, w, out)\n"
                           "    return out\n";

static bool holds(const Mutants *s, int nth, const char *text) {
    for (int i = 0; i < s->n; i++)
        if (s->at[i].kind == MUTATOR_state && nth-- == 0) return strstr(arena_strndup(&arena, s->at[i].text.p, s->at[i].text.len), text) != NULL;
    return false;
}

static void three_ways_of_keeping(void **state) {
    (void)state;
    Mutants s = mutants_of(host);
    assert_int_equal(s.sites[MUTATOR_state], 3);
    assert_true(holds(&s, 0, "        if self.kept is None:\n            self.kept = self.compute(x, w)\n"));
    assert_true(holds(&s, 1, "        if self.kept is None or self.shape != x.shape:\n"
                             "            self.kept = self.compute(x, w)\n"));
    assert_true(holds(&s, 2, "            self.kept = torch.empty_like(x)\n            self.shape = x.shape\n"
                             "        out = self.kept\n        k[2,](x, w, out)\n        return out\n"));
}

static void other_functions_stay(void **state) {
    (void)state;
    assert_int_equal(mutants_of("def go(x):\n    return x\n").sites[MUTATOR_state], 0);
    assert_int_equal(mutants_of("def run(*x):\n    return x\n").sites[MUTATOR_state], 0);
    assert_int_equal(mutants_of("def run(x, n=1):\n    return x\n").sites[MUTATOR_state], 0);
    assert_int_equal(mutants_of("def run(x):\n    return x\n").sites[MUTATOR_state], 2); // no tensor is made
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(three_ways_of_keeping, arena_setup, arena_teardown),
        cmocka_unit_test_setup_teardown(other_functions_stay, arena_setup, arena_teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
