// Shapes that kernels are timed at: the grid's, and those of a search, which stay apart from what is held
// out.
#include "base/io.h"
#include "service/timed_places.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static int places_of(const char *name, bool searched, CellPlace out[TIMED_CELLS_MAX]) {
    Arena a = {0};
    Op op;
    assert_true(op_find(&a, str_of(name), &op));
    int n = searched ? places_searched(&op, DT_BF16, out) : places_published(&op, DT_BF16, out);
    arena_free(&a);
    return n;
}

static bool are_equal(CellPlace a, CellPlace b) {
    return a.rows == b.rows && a.columns == b.columns && a.dtype == b.dtype;
}

static void a_search_has_the_grid_first_and_other_rows_behind_it(void **state) {
    (void)state;
    CellPlace grid[TIMED_CELLS_MAX], search[TIMED_CELLS_MAX];
    assert_int_equal(places_of("softmax", false, grid), PLACES_SIX);
    const int n = places_of("softmax", true, search);
    assert_int_equal(n, PLACES_SIX + 3);
    int odd = 0;
    for (int i = 0; i < n; i++) {
        const bool power = (search[i].columns & (search[i].columns - 1)) == 0;
        assert_int_equal(search[i].dtype, DT_BF16);
        if (i < PLACES_SIX) assert_true(are_equal(grid[i], search[i]) && power);
        odd += !power;
        for (int k = 0; k < i; k++) assert_false(are_equal(search[k], search[i]));
    }
    assert_int_equal(odd, 2);
}

static void short_rows_have_the_grid_alone(void **state) {
    (void)state;
    CellPlace grid[TIMED_CELLS_MAX], search[TIMED_CELLS_MAX];
    assert_int_equal(places_of("rope", false, grid), 4);
    assert_int_equal(places_of("rope", true, search), 4);
    for (int i = 0; i < 4; i++) assert_true(are_equal(grid[i], search[i]));
}

// What the benchmark calls unseen no search may take.
static void held_out_shapes_are_not_searched(void **state) {
    (void)state;
    Arena a = {0};
    Err e = {0};
    Str file;
    CellPlace search[TIMED_CELLS_MAX];
    if (!io_read_file(&a, "bench/grid.py", 1 << 20, &file, &e)) fail_msg("%s", e.msg);
    const char *unseen = strstr(str_cdup(&a, file), "\nUNSEEN = ");
    assert_non_null(unseen);
    const char *line = arena_printf(&a, "%.*s", (int)strcspn(unseen + 1, "\n"), unseen + 1);
    assert_non_null(
        strstr(line, "\"2304x3584,")); // as it is written there: what follows could find something
    for (int i = 0, n = places_of("softmax", true, search); i < n; i++) {
        // Nor rows of such a length.
        const char *columns = arena_printf(&a, "x%lld", (long long)search[i].columns);
        for (const char *at = strstr(line, columns); at; at = strstr(at + 1, columns))
            if (at[strlen(columns)] == ',' || at[strlen(columns)] == '"') fail_msg("%s is held out", columns);
    }
    arena_free(&a);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_search_has_the_grid_first_and_other_rows_behind_it),
        cmocka_unit_test(short_rows_have_the_grid_alone),
        cmocka_unit_test(held_out_shapes_are_not_searched),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
