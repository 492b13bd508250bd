// The table of how strong the tests of the built-in ops are: whole, of these very texts, and good enough.
#include "judge/verdict/mutation_score.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#define AGAIN "; measure it: TABLE=src/op/suite/proved.def OPS=%.*s sh tools/prove.sh"

static const Program *gold_of(const Program *p, int n, Str op) {
    for (int i = 0; i < n; i++)
        if (p[i].kind == PROGRAM_GOLD && str_eq(p[i].op, op)) return &p[i];
    return NULL;
}

static void every_op_was_measured(void **state) {
    (void)state;
    Arena a = {0};
    int names, programs;
    const Str *name = op_names(&a, &names);
    const Program *program = op_programs(&a, &programs);
    for (int i = 0; i < names; i++) {
        Op op;
        assert_true(op_find(&a, name[i], &op));
        const Program *gold = gold_of(program, programs, name[i]);
        assert_non_null(gold);
        char hash[65];
        sha256_hex(sha256_of(gold->source), hash);
        for (Level l = 0; l < LEVEL_COUNT; l++) {
            const MutationScore *p = mutation_score_find(&op, l);
            if (!p)
                fail_msg("%.*s has no row, or its definition has changed since" AGAIN, STR_ARG(op.name),
                         STR_ARG(op.name));
            if (!str_is(name[i], p->op))
                fail_msg("%.*s and %s are the same definition", STR_ARG(op.name), p->op);
            if (strncmp(hash, p->kernel, SCORE_DIGITS) != 0)
                fail_msg("the kernel of %.*s has changed since" AGAIN, STR_ARG(op.name), STR_ARG(op.name));
        }
    }
    int rows;
    (void)mutation_score_table(&rows);
    assert_int_equal(rows, names * LEVEL_COUNT); // none of an op that is gone
    arena_free(&a);
}

static void rows_add_up(void **state) {
    (void)state;
    int n, killed[LEVEL_COUNT] = {0}, told[LEVEL_COUNT] = {0};
    const MutationScore *p = mutation_score_table(&n);
    for (int i = 0; i < n; i++) {
        assert_int_equal(strlen(p[i].definition), SCORE_DIGITS);
        assert_int_equal(strlen(p[i].kernel), SCORE_DIGITS);
        assert_true(*p[i].version);
        assert_int_equal(p[i].killed + p[i].survived + p[i].equivalent + p[i].refused + p[i].undecided,
                         p[i].mutants);
        assert_true(p[i].killed > 0 && p[i].undecided == 0);
        assert_true(p[i].margin > 1); // what is killed by its values is beyond the bound
        killed[p[i].level] += p[i].killed;
        told[p[i].level] += p[i].killed + p[i].survived;
    }
    assert_true(killed[LEVEL_QUICK] * 100 >= told[LEVEL_QUICK] * 97);
    assert_true(killed[LEVEL_FULL] * 100 >= told[LEVEL_FULL] * 99);
}

// Another text, however close, has no row.
static void other_definitions_have_none(void **state) {
    (void)state;
    Arena a = {0};
    DiagList d = DIAGS(&a);
    Op op, other;
    assert_true(op_find(&a, STR("softmax"), &op));
    assert_non_null(mutation_score_find(&op, LEVEL_FULL));
    Str text = str_of(arena_printf(&a, "%.*s# a line more\n", STR_ARG(op.source)));
    assert_true(op_define(&a, STR("softmax"), text, true, &other, &d));
    assert_null(mutation_score_find(&other, LEVEL_FULL));
    assert_true(op_find(&a, STR("softmax_short"), &other)); // the same op on other sizes
    assert_ptr_equal(mutation_score_find(&other, LEVEL_FULL), mutation_score_find(&op, LEVEL_FULL));
    arena_free(&a);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_op_was_measured),
        cmocka_unit_test(rows_add_up),
        cmocka_unit_test(other_definitions_have_none),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
