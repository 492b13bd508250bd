// What a number has to do with the shape, found from a few of them.
#include "graph/size_formula.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

static const Probes probes = {.rows = {3, 6, 4, 7}, .cols = {20, 25, 30, 23}};

static void sizes_are_recognised(void **state) {
    (void)state;
    static const struct {
        int64_t p, q, r;
    } formulas[] = {{1, 1, 0}, {1, 2, 0}, {1, 2, 1}, {1, 1, -1}, {2, 1, 0}, {1, 4, 0}, {3, 1, 5}};
    for (size_t i = 0; i < sizeof formulas / sizeof *formulas; i++) {
        int64_t v[PROBES], back[3] = {1, 17, 1000};
        Size want = {SIZE_COLS, formulas[i].p, formulas[i].q, formulas[i].r}, s;
        for (int k = 0; k < PROBES; k++) v[k] = size_at(want, 0, probes.cols[k]);
        assert_true(size_fit(&probes, v, &s));
        assert_int_equal(s.of, SIZE_COLS);
        for (int k = 0; k < 3; k++) assert_int_equal(size_at(s, 0, back[k]), size_at(want, 0, back[k]));
    }
}

static void rows_columns_and_constants_differ(void **state) {
    (void)state;
    Size s;
    assert_true(size_fit(&probes, probes.rows, &s));
    assert_true(s.of == SIZE_ROWS && size_plain(s));
    assert_true(size_fit(&probes, (int64_t[]){7, 7, 7, 7}, &s));
    assert_true(size_is(s, 7));
    assert_false(size_fit(&probes, (int64_t[]){1, 9, 4, 30}, &s));
    assert_false(size_fit(&probes, (int64_t[]){60, 150, 120, 161}, &s)); // rows times columns
}

static void formulas_round_down(void **state) {
    (void)state;
    const Size half = {SIZE_COLS, 1, 2, 0}, less = {SIZE_ROWS, 1, 2, -3};
    assert_int_equal(size_at(half, 5, 7), 3);
    assert_int_equal(size_at(less, 2, 100), -1); // floor(-1 / 2)
    assert_int_equal(size_at(less, 5, 100), 1);
    assert_int_equal(size_at(size_const(9), 5, 7), 9);
    assert_true(size_equal(half, half) && !size_equal(half, less));
    assert_true(size_is(size_const(9), 9) && !size_is(size_const(9), 8) && !size_is(half, 0));
}

static void huge_numbers_fit_nothing(void **state) {
    (void)state;
    Size s;
    const int64_t far = (int64_t)1 << 41;
    assert_false(size_fit(&probes, (int64_t[]){far, far, far, far}, &s));
    assert_false(size_fit(&probes, (int64_t[]){-far, -far, -far, -far}, &s));
    assert_true(size_fit(&probes, (int64_t[]){-5, -5, -5, -5}, &s) && size_is(s, -5));
}

// An op whose row length is fixed: a number that is that length is it.
static void a_fixed_length_is_recognised(void **state) {
    (void)state;
    const Probes fixed = {.rows = {3, 6, 4, 7}, .cols = {64, 64, 64, 64}};
    Size s;
    assert_true(size_fit(&fixed, (int64_t[]){64, 64, 64, 64}, &s) && s.of == SIZE_COLS && size_plain(s));
    assert_true(size_fit(&fixed, (int64_t[]){32, 32, 32, 32}, &s) && size_is(s, 32));
    assert_true(size_fit(&fixed, fixed.rows, &s) && s.of == SIZE_ROWS);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sizes_are_recognised),         cmocka_unit_test(rows_columns_and_constants_differ),
        cmocka_unit_test(formulas_round_down),          cmocka_unit_test(huge_numbers_fit_nothing),
        cmocka_unit_test(a_fixed_length_is_recognised),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
