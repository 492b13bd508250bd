// What a child says about lines and sizes: well-formed texts are read, everything else says nothing; and the
// walk over a tree finds what was never executed.
#include "sandbox/child/coverage.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>

#include <cmocka.h>

static const char *words(const Coverage *c, Arena *a) {
    Buf b = BUF(a);
    coverage_words(&b, c);
    return buf_cstr(&b);
}

static void texts_are_read(void **state) {
    (void)state;
    Arena a = {0};
    Coverage c;
    coverage_read("sizes 50 64 lines 3 12 13 14 20 +", &c);
    assert_int_equal(c.sizes, 2);
    assert_int_equal(c.size[1], 64);
    assert_string_equal(words(&c, &a), "3, 12-14, 20 and further ones");
    assert_int_equal(c.beyonds, 0);
    coverage_read("sizes 50 beyond 70000 100000 + lines 3", &c);
    assert_true(c.sizes == 1 && c.beyonds == 2 && c.beyond[1] == 100000 && c.more_sizes && c.lines == 1);
    coverage_read("sizes 50 seldom 64 65 beyond 9 lines", &c);
    assert_true(c.sizes == 3 && c.constants == 1 && c.size[2] == 65 && c.beyonds == 1);
    coverage_read("sizes beyond 70000 reach 0 500000 lines", &c);
    assert_true(c.told && c.reach[0] == 0 && c.reach[1] == 500000);
    coverage_read("sizes reach 90000 90000 values 3f000000 lines", &c);
    assert_true(c.told && c.reach[0] == 90000 && c.reach[1] == 90000 && c.values == 1);
    coverage_read("sizes far 4000 values 3f000000 lines", &c);
    assert_true(c.told && c.far == 4000 && c.furthers == 0 && c.values == 1);
    coverage_read("sizes far 4000 further 9000 5001 values 3f000000 lines", &c);
    assert_true(c.told && c.furthers == 2 && c.further[0] == 9000 && c.further[1] == 5001);
    coverage_read("sizes beyond 70000 lines", &c);
    assert_true(c.sizes == 0 && c.beyonds == 1 && !c.more_sizes);
    coverage_read("sizes lines", &c);
    assert_int_equal(c.sizes + c.lines + c.more, 0);
    coverage_read("sizes 5 seldom 6 written 61 64 beyond 70000 values 3f000000 41200000 lines 3", &c);
    assert_true(c.sizes == 2 && c.writtens == 2 && c.written[1] == 64 && c.beyonds == 1 && c.lines == 1);
    assert_true(c.values == 2 && c.value[0] == 0.5f && c.value[1] == 10.0f);
    static const char *const bad[] = {"",
                                      "size 5 lines 1",
                                      "sizes 5",
                                      "sizes -5 lines 1",
                                      "sizes 5 lines 0",
                                      "sizes x",
                                      "sizes 5  lines",
                                      "sizes 5 lines 3 3",
                                      "sizes 5 lines 3 2",
                                      "sizes 5 lines 3 x",
                                      "lines 1",
                                      "sizes beyond lines",
                                      "sizes seldom lines",
                                      "sizes beyond 5 seldom 6 lines",
                                      "sizes beyond + lines",
                                      "sizes beyond 70000 lines 1 +  ",
                                      "sizes beyond 1 2 3 4 5 6 7 lines",
                                      "sizes 5 lines 3 + +",
                                      "sizes 99999999999999999999 lines 1",
                                      "sizes 5 written lines 1",
                                      "sizes 5 reach 90000 lines 1",
                                      "sizes 5 reach 70000 65537 lines 1",
                                      "sizes 5 reach 300000 300000 lines 1",
                                      "sizes 5 reach 0 100000000 lines 1",
                                      "sizes 5 far 0 lines 1",
                                      "sizes 5 far 5001 lines 1",
                                      "sizes 5 further lines 1",
                                      "sizes 5 further 5000 lines 1",
                                      "sizes 5 further 65538 lines 1",
                                      "sizes 5 further 7000 7000 lines 1",
                                      "sizes 5 further 9005 9004 9003 9002 9001 lines 1",
                                      "sizes 5 written 70000 lines 1",
                                      "sizes 5 values lines 1",
                                      "sizes 5 values 3f00000 lines 1",
                                      "sizes 5 values 3F000000 lines 1",
                                      "sizes 5 values 00000000 lines 1",
                                      "sizes 5 values 7f800000 lines 1",
                                      "sizes 5 values bf000000 lines 1",
                                      "sizes 5 values 3f000000 written 7 lines 1",
                                      "sizes 05 lines 1"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        coverage_read(bad[i], &c);
        assert_int_equal(c.sizes + c.lines + c.more + c.beyonds + c.more_sizes, 0);
    }
    Buf many = BUF(&a);
    buf_puts(&many, "sizes lines");
    for (int i = 1; i <= COVERAGE_LINES_MAX + 1; i++) buf_printf(&many, " %d", i);
    coverage_read(buf_cstr(&many), &c);
    assert_int_equal(c.lines, 0);
    arena_free(&a);
}

static void passes_meet(void **state) {
    (void)state;
    Arena a = {0};
    Coverage one, two;
    coverage_read("sizes 5 lines 3 7 9 12", &one);
    coverage_read("sizes 6 lines 1 7 12 30", &two);
    coverage_meet(&one, &two);
    assert_string_equal(words(&one, &a), "7, 12");
    assert_int_equal(one.size[0], 5);
    coverage_read("sizes lines 3 7 40", &one); // what two has not had room for stays
    coverage_read("sizes lines 7 9 +", &two);
    coverage_meet(&one, &two);
    assert_string_equal(words(&one, &a), "7, 40");
    assert_false(one.more);
    arena_free(&a);
}

static const VariesInputs given = {.n = 1, .rank = {2}};

static const char source[] = "import triton\n"
                             "@triton.jit\n"
                             "def k(x):\n"
                             "    '''a docstring'''\n"
                             "    if x > 5:\n"
                             "        y = 1\n" // 6
                             "    tl.store(x, 0)\n"
                             "def run(x):\n"
                             "    n = 3 if x else 4\n" // 9
                             "    if n == 4:\n"
                             "        return x\n" // 11
                             "    return n\n";

static void leaves_are_found(void **state) {
    (void)state;
    Arena a = {0};
    DiagList d = DIAGS(&a);
    const Node *m = parse_module(&a, STR(source), &d);
    assert_non_null(m);
    Cover c = {.n = sizeof source - 1, .at = NEWN(&a, uint8_t, sizeof source)};
    Coverage said;
    Buf none = BUF(&a), some = BUF(&a), all = BUF(&a);
    coverage_say(&a, m, &c, &given, &none);
    coverage_read(buf_cstr(&none), &said);
    assert_string_equal(words(&said, &a), "6-7, 9, 11-12");
#define AT(text) (uint32_t)(strstr(source, text) - source)
    cover_mark(&c, AT("n = 3"), COVER_HOST);
    cover_mark(&c, AT("x else"), COVER_HOST); // one arm of two, by its condition
    cover_mark(&c, AT("return n"), COVER_HOST);
    cover_mark(&c, AT("y = 1"), COVER_VISITED | COVER_EMITTED);
    cover_mark(&c, AT("tl.store"), COVER_VISITED | COVER_EMITTED | COVER_RUN);
    cover_size(&c, 50);
    coverage_say(&a, m, &c, &given, &some);
    coverage_read(buf_cstr(&some), &said);
    assert_string_equal(words(&said, &a), "6, 9, 11");
    assert_int_equal(said.sizes, 1);
    cover_mark(&c, AT("4\n    if"), COVER_HOST);
    cover_mark(&c, AT("return x"), COVER_HOST);
    cover_mark(&c, AT("y = 1"), COVER_RUN);
    coverage_say(&a, m, &c, &given, &all);
    coverage_read(buf_cstr(&all), &said);
    assert_string_equal(words(&said, &a), "");
    arena_free(&a);
}

static void sizes_that_recur_come_first(void **state) {
    (void)state;
    Arena a = {0};
    DiagList d = DIAGS(&a);
    const Node *m = parse_module(&a, STR("x = 1\n"), &d);
    static uint8_t at[6];
    Cover c = {.n = 5, .at = at};
    for (c.case_index = 0; c.case_index < 40; c.case_index++) {
        c.owns = 1;
        c.own[0] = 1000 + c.case_index;
        cover_size(&c, 1000 + c.case_index); // its own
        cover_size(&c, 3000 + c.case_index); // another one in every case
        if (c.case_index % 2) cover_size(&c, 77);
        cover_size(&c, 50);
        cover_size(&c, 50);
        cover_size(&c, 1);                      // says nothing
        cover_size(&c, 1 << 20);                // no such rows are drawn
        cover_size(&c, 1000000 + c.case_index); // nor such, and they follow from the case
    }
    Buf b = BUF(&a);
    Coverage said;
    coverage_say(&a, m, &c, &given, &b);
    coverage_read(buf_cstr(&b), &said);
    assert_int_equal(said.sizes, COVERAGE_SIZES_MAX);
    assert_int_equal(said.size[0], 50);
    assert_int_equal(said.size[1], 77);
    for (int i = 2; i < said.sizes; i++) assert_true(said.size[i] >= 3000 && said.size[i] < 3040);
    assert_int_equal(said.constants, 2);
    // What no rows are drawn for is named, unless it follows from a case's own sizes.
    assert_true(said.beyonds == 1 && said.beyond[0] == 1 << 20 && !said.more_sizes);
    Cover many = {.n = 5, .at = at};
    for (many.case_index = 0; many.case_index < 40; many.case_index++)
        for (int i = 0; i < 20; i++) cover_size(&many, 100 + i);
    Buf b2 = BUF(&a);
    coverage_say(&a, m, &many, &given, &b2);
    coverage_read(buf_cstr(&b2), &said);
    assert_true(said.sizes == COVERAGE_SIZES_MAX && said.constants == said.sizes);
    assert_int_equal(said.beyonds, COVERAGE_BEYOND_MAX);
    assert_true(said.more_sizes);
    cover_size(NULL, 5);
    cover_mark(NULL, 5, COVER_HOST);
    arena_free(&a);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(texts_are_read), cmocka_unit_test(passes_meet),
                                       cmocka_unit_test(leaves_are_found),
                                       cmocka_unit_test(sizes_that_recur_come_first)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
