// Findings: order, places in the source, what a terminal gets to see.
#include "lang_test.h"

static Span span(uint32_t at, uint32_t len) { return (Span){at, len}; }

static void test_first_that_rejects(void **state) {
    (void)state;
    DiagList d = DIAGS(&arena);
    assert_null(diag_first(&d));
    assert_false(diag_add(&d, DIAG_WARNING, span(0, 0), "mind %d", 1));
    assert_null(diag_first(&d));
    assert_false(diag_add(&d, DIAG_OOB, span(1, 2), "at %s", "x"));
    assert_false(diag_add(&d, DIAG_RACE, span(3, 4), "later"));
    assert_int_equal(d.count, 3);
    assert_int_equal(diag_first(&d)->kind, DIAG_OOB);
    assert_string_equal(diag_first(&d)->msg, "at x");
    assert_string_equal(diag_name(DIAG_OOB), "OOB");
    assert_string_equal(diag_name(DIAG_WARNING), "WARNING");
}

static void test_warnings_cannot_hide_an_error(void **state) {
    (void)state;
    DiagList d = DIAGS(&arena);
    for (int i = 0; i < 100; i++) diag_record(&d, DIAG_WARNING, span(0, 0), "w");
    assert_null(diag_first(&d));
    diag_record(&d, DIAG_SYNTAX, span(0, 0), "first");
    diag_record(&d, DIAG_OOB, span(0, 0), "second");
    assert_int_equal(d.count, 16);
    assert_string_equal(diag_first(&d)->msg, "first");
}

static void test_messages_are_plain(void **state) {
    (void)state;
    DiagList d = DIAGS(&arena);
    diag_record(&d, DIAG_SYNTAX, span(0, 0), "bad \x1b[31m \xc3\xa9\n");
    assert_string_equal(d.at[0].msg, "bad ?[31m ???");
    char big[2000];
    memset(big, 'x', sizeof big);
    big[sizeof big - 1] = 0;
    diag_record(&d, DIAG_SYNTAX, span(0, 0), "%s", big);
    assert_true(strlen(d.at[1].msg) < 1000);
}

static void check_place(const char *source, uint32_t at, int line, int col) {
    LineCol lc = line_col(str_of(source), at);
    assert_int_equal(lc.line, line);
    assert_int_equal(lc.col, col);
}

static void test_places(void **state) {
    (void)state;
    check_place("", 0, 1, 1);
    check_place("abc", 2, 1, 3);
    check_place("a\nb", 1, 1, 2);
    check_place("a\nb", 2, 2, 1);
    check_place("a\r\nb", 3, 2, 1);
    check_place("a\rb", 2, 2, 1);
    check_place("\xc3\xa9x", 2, 1, 2);
    check_place("\xef\xbb\xbfx", 3, 1, 1);
    check_place("ab", 99, 1, 3); // beyond the end: the end
    assert_true(str_is(source_line(STR("a\r\nbc\n\nd"), 2), "bc"));
    assert_true(str_is(source_line(STR("a\r\nbc\n\nd"), 3), ""));
    assert_true(str_is(source_line(STR("a\r\nbc\n\nd"), 4), "d"));
    assert_true(str_is(source_line(STR("a"), 7), ""));
    assert_true(str_is(source_line(STR("\xef\xbb\xbf"
                                       "a"),
                                   1),
                       "a"));
}

static const char *rendered(const char *source, Span s, DiagKind kind) {
    Buf b = BUF(&arena);
    diag_render(&b, "k.py", str_of(source), &(Diag){kind, s, "says"});
    return buf_cstr(&b);
}

static void test_render(void **state) {
    (void)state;
    assert_string_equal(rendered("a\nb = cd", span(6, 2), DIAG_SYNTAX),
                        "k.py:2:5: says\n    b = cd\n        ^~\n");
    assert_string_equal(rendered("a", span(0, 1), DIAG_WARNING), "k.py:1:1: warning: says\n    a\n    ^\n");
    assert_string_equal(rendered("a", span(1, 0), DIAG_SYNTAX), "k.py:1:2: says\n    a\n     ^\n");
    assert_string_equal(rendered("\tx = \xc3\xa9 + y", span(10, 1), DIAG_SYNTAX), // a tab takes one column
                        "k.py:1:10: says\n     x = \xc3\xa9 + y\n             ^\n");
    assert_string_equal(rendered("f(\na)", span(1, 4), DIAG_SYNTAX), "k.py:1:2: says\n    f(\n     ^\n");
    assert_string_equal(rendered("a\x1b[0m\xe2\x80\xae", span(0, 1), DIAG_SYNTAX),
                        "k.py:1:1: says\n    a?[0m?\n    ^\n");
    assert_string_equal(rendered("", span(0, 0), DIAG_SYNTAX), "k.py:1:1: says\n    \n    ^\n");
    assert_string_equal(rendered("a\xff", span(0, 1), DIAG_SYNTAX), "k.py:1:1: says\n");
    assert_string_equal(rendered("ab", span(UINT32_MAX, UINT32_MAX), DIAG_SYNTAX),
                        "k.py:1:3: says\n    ab\n      ^\n");
}

static void test_render_of_long_lines(void **state) {
    (void)state;
    Str s = repeated("", "abcdefghij", 10000, "");
    for (uint32_t at = 0; at <= s.len; at += 9999) {
        Buf b = BUF(&arena);
        diag_render(&b, "k.py", s, &(Diag){DIAG_SYNTAX, span(at, 50000), "says"});
        assert_true(b.len < 400);
        const char *text = buf_cstr(&b), *caret = strchr(text, '^');
        const char *line = strchr(text, '\n') + 1, *below = strchr(line, '\n') + 1;
        if (at < s.len)
            assert_int_equal(line[caret - below], s.p[at]); // the caret stands under its character
    }
}

static void test_syntax_error_from_parser(void **state) {
    (void)state;
    Str source = STR("if x\n    y\n");
    Diag found;
    assert_null(try_parse(source, &found));
    Buf b = BUF(&arena);
    diag_render(&b, "k.py", source, &found);
    assert_string_equal(buf_cstr(&b),
                        "k.py:1:5: expected ':' after the condition of `if`, found the end of the line\n"
                        "    if x\n        ^\n");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(test_first_that_rejects),
        TEST(test_warnings_cannot_hide_an_error),
        TEST(test_messages_are_plain),
        TEST(test_places),
        TEST(test_render),
        TEST(test_render_of_long_lines),
        TEST(test_syntax_error_from_parser),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
