// Claims of equivalence: found by op, kind and text; malformed ones are errors.
#include "../lang/lang_test.h"

#include "mutate/equivalence.h"

static void equivalences(void **state) {
    (void)state;
    Equivalences all;
    Err e = {0};
    if (!equivalences_read(&arena, &all, &e)) fail_msg("%s", e.msg);
    static const char good[] = "equivalent = [{\"ops\": \"one two\", \"kind\": \"sign\", \"before\": \"y = "
                               "a\", \"after\": \"y = -a\", \"reason\": \"Why.\"}]\n";
    Equivalences c = {0};
    assert_true(equivalences_parse(&arena, "good", STR(good), &c, &e));
    assert_int_equal(c.n, 1);
    Mutant m = {.kind = MUTATOR_sign, .before = STR("y = a"), .after = STR("y = -a")};
    assert_ptr_equal(equivalence_find(&c, STR("two"), &m), c.at);
    assert_null(equivalence_find(&c, STR("tw"), &m));
    assert_null(equivalence_find(&c, STR("three"), &m));
    m.kind = MUTATOR_term;
    assert_null(equivalence_find(&c, STR("two"), &m));
    m = (Mutant){.kind = MUTATOR_sign, .before = STR("y = a"), .after = STR("y = a")};
    assert_null(equivalence_find(&c, STR("two"), &m));
    static const char *const bad[] = {
        "equivalent = [{'ops': 'x', 'kind': 'no', 'before': 'a', 'after': 'b', 'reason': 'c'}]\n",
        "equivalent = [{'ops': 'x', 'kind': 'sign', 'before': 'a', 'after': 'b'}]\n",
        "equivalent = [3]\n",
        "equivalent = 3\n",
        "other = []\n",
        "equivalent = [\n",
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        Equivalences x = {0};
        Err why = {0};
        assert_false(equivalences_parse(&arena, "bad", str_of(bad[i]), &x, &why));
        assert_int_equal(why.code, ERR_INPUT);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(equivalences, arena_setup, arena_teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
