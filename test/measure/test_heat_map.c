#include "measure/heat_map.h"

#include <assert.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

static Arena a;

static const char *drawn(const HeatField *field, int n, bool share) {
    Buf out = BUF(&a);
    heat_map_svg(
        &out, &(HeatMap){.title = "A & B", .legend = "legend", .share = share, .field = field, .fields = n});
    return buf_cstr(&out);
}
static int count(const char *text, const char *part) {
    int n = 0;
    for (const char *at = text; (at = strstr(at, part)); at++) n++;
    return n;
}

static void test_fields_have_their_numbers(void **state) {
    (void)state;
    const HeatField field[] = {{STR("one"), STR("8x8"), 2, NULL},
                               {STR("one"), STR("16x8"), 0.5, NULL},
                               {STR("two <b>"), STR("8x8"), 0, "below_floor"}};
    const char *svg = drawn(field, 3, false);
    assert_true(strstr(svg, "<svg ") && str_ends(str_of(svg), "</svg>\n"));
    assert_non_null(strstr(svg, "A &amp; B"));
    assert_non_null(strstr(svg, ">two &lt;b&gt;</text>"));
    assert_non_null(strstr(svg, ">2.00</text>"));
    assert_non_null(strstr(svg, ">below_floor</text>"));
    // Twice and half as fast are equally dark, and their geometric mean is one.
    assert_non_null(strstr(svg, "fill=\"#2166ac\""));
    assert_non_null(strstr(svg, "fill=\"#b2182b\""));
    assert_int_equal(count(svg, ">1.00</text>"), 1);
    assert_int_equal(count(svg, ">8x8</text>"), 1); // a column has one head
}

static void test_shares_are_per_cent(void **state) {
    (void)state;
    const HeatField field[] = {{STR("one"), STR("8x8"), 0.975, NULL}};
    const char *svg = drawn(field, 1, true);
    assert_int_equal(count(svg, ">98 %</text>"), 2); // its own, and the mean of one
}

static int end(void **state) {
    (void)state;
    arena_free(&a);
    return 0;
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(test_fields_have_their_numbers, end),
        cmocka_unit_test_teardown(test_shares_are_per_cent, end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
