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

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(floats_are_written_shortest),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
