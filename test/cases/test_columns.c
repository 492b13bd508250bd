// Columns of an output that some case judges, by dtype and row length.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "cases/columns.h"
#include "cases/domain/domain.h"

enum { CASES = 3, N = 4 };
typedef struct {
    Arena a;
    Op op;
    CaseTruth truth[CASES];
    Bound expected[CASES];
    double v[CASES][2 * N], e[CASES][2 * N];
    Draw d;
} Made;

// Cases of two rows; the first two are alike, the third has shorter rows.
static Made *made(bool rows) {
    static Made m;
    m = (Made){.op = {.outputs = 1, .rows_dim = rows ? 0 : -1, .row_dim = 1}};
    for (int i = 0; i < CASES; i++) {
        int64_t n = i == 2 ? 2 : N;
        m.expected[i] =
            (Bound){.dtype = DT_F32, .rank = 2, .shape = {2, n}, .numel = 2 * n, .v = m.v[i], .e = m.e[i]};
        m.truth[i].expected = &m.expected[i];
    }
    m.d = (Draw){.domain = domain_make(&m.a, &m.op), .op = &m.op, .cases = CASES, .truth = m.truth};
    return &m;
}

static void a_column_needs_one_judge(void **state) {
    (void)state;
    Made *m = made(true);
    Columns *c = columns_open(&m->a, &m->d);
    assert_true(columns_all(c)); // nothing was asked
    columns_note(c, 0, &m->expected[0], (const uint8_t[]){1, 1, 0, 0, 1, 0, 0, 0});
    assert_false(columns_all(c));
    columns_note(c, 0, &m->expected[1], (const uint8_t[]){0, 0, 0, 1, 0, 0, 1, 0});
    assert_true(columns_all(c));
    columns_note(c, 0, &m->expected[2], (const uint8_t[]){1, 0, 1, 0}); // other columns
    assert_false(columns_all(c));
    columns_note(c, 0, &m->expected[2], NULL);
    assert_true(columns_all(c));
    arena_free(&m->a);
    // One value a row: the column is the value, any row judges it.
    m = made(true);
    m->expected[0].rank = 1;
    m->expected[0].shape[0] = 8;
    c = columns_open(&m->a, &m->d);
    columns_note(c, 0, &m->expected[0], (const uint8_t[]){0, 0, 0, 0, 0, 1, 0, 0});
    assert_true(columns_all(c));
    arena_free(&m->a);
    m = made(false); // without rows each is a column of its own
    m->expected[0].rank = 1;
    m->expected[0].shape[0] = 8;
    c = columns_open(&m->a, &m->d);
    columns_note(c, 0, &m->expected[0], (const uint8_t[]){0, 0, 0, 0, 0, 1, 0, 0});
    assert_false(columns_all(c));
    arena_free(&m->a);
}

static void infinite_bounds_judge_nothing(void **state) {
    (void)state;
    Made *m = made(true);
    assert_true(columns_judgeable(&m->d));
    m->e[0][1] = m->e[0][5] = INFINITY; // column 1 of the first case
    assert_true(columns_judgeable(&m->d));
    m->e[1][1] = INFINITY;
    assert_true(columns_judgeable(&m->d));
    m->e[1][5] = INFINITY;
    assert_false(columns_judgeable(&m->d));
    m->v[1][5] = NAN; // a NaN is wanted there whatever the bound
    assert_true(columns_judgeable(&m->d));
    m->expected[2].e = NULL; // exact
    assert_true(columns_judgeable(&m->d));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_column_needs_one_judge),
        cmocka_unit_test(infinite_bounds_judge_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
