// How floats and strings are spelled, and where lines end.
#include "lang_test.h"

#include "lang/text.h"
#include <math.h>
#include <stdlib.h>

static const char *spelled(double v) {
    Buf b = BUF(&arena);
    float_repr(&b, v);
    return buf_cstr(&b);
}

static void floats_as_python_has_them(void **state) {
    (void)state;
    static const struct {
        double v;
        const char *text;
    } rows[] = {{0, "0.0"},
                {-0.0, "-0.0"},
                {1, "1.0"},
                {0.1, "0.1"},
                {1e-4, "0.0001"},
                {1e-5, "1e-05"},
                {1e16, "1e+16"},
                {1e15, "1000000000000000.0"},
                {1.5e300, "1.5e+300"},
                {INFINITY, "inf"},
                {-INFINITY, "-inf"},
                {NAN, "nan"},
                {123.456, "123.456"},
                {5e-324, "5e-324"},
                {1.7976931348623157e308, "1.7976931348623157e+308"}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        assert_string_equal(spelled(rows[i].v), rows[i].text);
    uint64_t bits = 12345;
    for (int i = 0; i < 2000; i++) { // each reads back as the same bits
        bits = bits * 6364136223846793005u + 1442695040888963407u;
        double v, back;
        memcpy(&v, &bits, sizeof v);
        if (!isfinite(v)) continue;
        back = strtod(spelled(v), NULL);
        assert_memory_equal(&v, &back, sizeof v);
    }
}

static const char *body(const char *s, StringStyle style) {
    Buf b = BUF(&arena);
    string_body(&b, str_of(s), style);
    return buf_cstr(&b);
}

static void strings_as_they_are_quoted(void **state) {
    (void)state;
    const StringStyle plain = {.quote = '"'}, triple = {.quote = '"', .triple = true},
                      bytes = {.quote = '"', .bytes = true};
    assert_string_equal(body("a\"b'\\", plain), "a\\\"b'\\\\");
    assert_string_equal(body("a\n\t\x01", plain), "a\\n\\t\\x01");
    assert_string_equal(body("\xc3\xa9", plain), "\xc3\xa9");
    assert_string_equal(body("\xc3\xa9", bytes), "\\xc3\\xa9");
    assert_string_equal(body("\xe2\x80\xae", plain), "\\u202e"); // turns the text round: never as it is
    assert_string_equal(body("a\nb\"c", triple), "a\nb\"c");
    assert_string_equal(body("a\"\"b\"", triple), "a\\\"\"b\\\"");
    assert_string_equal(body("{a}", plain), "{a}");
    assert_string_equal(body("{a}", (StringStyle){.quote = '"', .braces = BRACES_DOUBLED}), "{{a}}");
    assert_string_equal(body("{a}", (StringStyle){.quote = '"', .braces = BRACES_ESCAPED}), "\\x7ba\\x7d");
}

static void lines_end_in_three_ways(void **state) {
    (void)state;
    static const char text[] = "\r\na\n\rb";
    const char *end = text + strlen(text);
    assert_int_equal(line_break(text, end), 2);
    assert_int_equal(line_break(text + 1, end), 1);
    assert_int_equal(line_break(text + 2, end), 0);
    assert_int_equal(line_break(text + 3, end), 1);
    assert_int_equal(line_break(text + 4, end), 1);
    assert_int_equal(line_break(end, end), 0);
    assert_int_equal(line_break(text, text + 1), 1); // what is behind the end does not count
}

static void some_characters_are_never_printed(void **state) {
    (void)state;
    static const uint32_t no[] = {0, 7, 0x1b, 0x7f, 0x9b, 0x200b, 0x202e, 0x2066, 0xfeff};
    for (size_t i = 0; i < sizeof no / sizeof *no; i++)
        if (char_printable(no[i])) fail_msg("U+%04x", no[i]);
    static const uint32_t yes[] = {' ', 'a', '~', 0xe9, 0x20ac, 0x4e2d};
    for (size_t i = 0; i < sizeof yes / sizeof *yes; i++)
        if (!char_printable(yes[i])) fail_msg("U+%04x", yes[i]);
}

static void text_for_a_terminal(void **state) {
    (void)state;
    assert_string_equal(text_escaped(&arena, "plain, \xc3\xa9\n"), "plain, \xc3\xa9\n");
    assert_string_equal(text_escaped(&arena, "\x1b[2J\r\x7f"), "\\x1b[2J\\r\\x7f");
    assert_string_equal(text_escaped(&arena, "\xe2\x80\xae"), "\\u202e");
    assert_string_equal(text_escaped(&arena, "\xff"
                                             "a\xc3"),
                        "\\xffa\\xc3"); // no UTF-8, and cut
    assert_string_equal(text_escaped(&arena, ""), "");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(floats_as_python_has_them), TEST(strings_as_they_are_quoted),
        TEST(lines_end_in_three_ways),   TEST(some_characters_are_never_printed),
        TEST(text_for_a_terminal),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
