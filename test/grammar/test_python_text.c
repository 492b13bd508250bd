// Numbers as Python text: the shortest that comes back.
#include "grammar/proposals.h"

static void floats_are_written_shortest(void **state) {
    (void)state;
    static const struct {
        double x;
        const char *text;
    } cases[] = {{1, "1.0"},          {1e-6, "1e-06"},   {0.1, "0.1"},
                 {-2.5, "-2.5"},      {1e300, "1e+300"}, {1.0 / 3, "0.3333333333333333"},
                 {1e22 * 10, "1e+23"}};
    Arena a = {0};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        assert_string_equal(float_text(&a, cases[i].x), cases[i].text);
    assert_string_equal(float_text(&a, -__builtin_inf()), "float(\"-inf\")");
    arena_free(&a);
}

static void a_word_is_mentioned_only_as_a_word(void **state) {
    (void)state;
    Arena a = {0};
    Lines l = {.arena = &a};
    line_add(&l, 0, false, "x = load(cols_of + row)");
    assert_true(lines_mention(&l, "row") && lines_mention(&l, "x"));
    assert_false(lines_mention(&l, "cols") || lines_mention(&l, "ro") || lines_mention(&l, "of"));
    line_add(&l, 0, false, "y = cols_of * cols");
    assert_true(lines_mention(&l, "cols"));
    arena_free(&a);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(floats_are_written_shortest),
        cmocka_unit_test(a_word_is_mentioned_only_as_a_word),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
