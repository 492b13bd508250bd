// JSON from outside, read strictly, and JSON for outside on one line.
#include "base/json.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

static void only_an_object_is_read(void **state) {
    (void)state;
    static const char *const wrong[] = {"",
                                        "[1]",
                                        "3",
                                        "{\"a\": 1",
                                        "{\"a\": 1} 2",
                                        "{a: 1}",
                                        "{\"a\": 1, \"a\": 2}",
                                        "{\"a\": \"\\ud800\"}",
                                        "null"};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        Err e = {0};
        Json j;
        if (json_parse("file.json", str_of(wrong[i]), &j, &e)) fail_msg("taken: %s", wrong[i]);
        assert_int_equal(e.code, ERR_INPUT);
        assert_int_equal(strncmp(e.msg, "file.json: ", 11), 0);
        for (const char *p = e.msg; *p; p++) assert_in_range(*p, ' ', '~');
        json_close(&j);
    }
    Err e = {0};
    Json j;
    assert_true(json_parse("file.json", STR("{\"a\": {\"b\": [1]}}\n"), &j, &e));
    json_close(&j);
    json_close(&j); // twice is fine
    assert_false(
        json_parse("file.json", STR("{\"a\": \"\x1b[2J\"}"), &j, &e)); // no byte of it for a terminal
    assert_null(strchr(e.msg, '\x1b'));
}

#define TEXT                                                                                                \
    "{\"i\": 7, \"r\": 0.5, \"t\": true, \"s\": \"a\\u00e9b\", \"n\": null, \"big\": 9223372036854775807, " \
    "\"l\": []}"

static void values_have_their_type_and_range(void **state) {
    (void)state;
    Err e = {0};
    Json j;
    assert_true(json_parse("f", STR(TEXT), &j, &e));
    int64_t i = -1;
    double r = -1;
    bool t = false;
    Str s = {0};
    assert_true(json_get_int(&j, j.root, "i", 0, 7, &i) && i == 7);
    assert_true(json_get_int(&j, j.root, "big", 0, INT64_MAX, &i) && i == INT64_MAX);
    assert_true(json_get_real(&j, j.root, "r", &r) && r == 0.5);
    assert_true(json_get_real(&j, j.root, "i", &r) && r == 7);
    assert_true(json_get_bool(&j, j.root, "t", &t) && t);
    assert_true(json_get_text(&j, j.root, "s", &s));
    assert_true(str_is(s, "a\xc3\xa9"
                          "b"));
    // Absent and null leave what was there.
    i = 5, r = 5;
    assert_true(json_get_int(&j, j.root, "nowhere", 0, 1, &i) && json_get_int(&j, j.root, "n", 0, 1, &i));
    assert_true(json_get_real(&j, j.root, "n", &r) && json_get_bool(&j, j.root, "n", &t));
    assert_true(json_get_text(&j, j.root, "n", &s));
    assert_true(i == 5 && r == 5 && t && s.len == 4);
    json_close(&j);
}

static void another_type_names_the_key(void **state) {
    (void)state;
    Err none = {0};
    Json j;
    assert_true(json_parse("f", STR(TEXT), &j, &none));
    int64_t i;
    double r;
    bool t;
    Str s;
#define REFUSED(call, part)                                             \
    do {                                                                \
        Err e = {0};                                                    \
        j.e = &e;                                                       \
        assert_false(call);                                             \
        assert_int_equal(e.code, ERR_INPUT);                            \
        if (!strstr(e.msg, part)) fail_msg("%s lacks %s", e.msg, part); \
    } while (0)
    REFUSED(json_get_int(&j, j.root, "i", 0, 6, &i), "\"i\" is 7; from 0 to 6");
    REFUSED(json_get_int(&j, j.root, "i", 8, 9, &i), "\"i\" is 7; from 8 to 9");
    REFUSED(json_get_int(&j, j.root, "r", 0, 9, &i), "\"r\": a whole number");
    REFUSED(json_get_int(&j, j.root, "t", 0, 9, &i), "\"t\": a whole number");
    REFUSED(json_get_real(&j, j.root, "s", &r), "\"s\": a number");
    REFUSED(json_get_bool(&j, j.root, "i", &t), "\"i\": true or false");
    REFUSED(json_get_text(&j, j.root, "l", &s), "\"l\": a text");
    json_close(&j);
}

static void nothing_is_nothing(void **state) {
    (void)state;
    Err e = {0};
    Json j;
    assert_true(json_parse("f",
                           STR("{\"no\": [null, false, 0, 0.0, \"\", [], {}], \"yes\": [true, 1, -0.5, "
                               "\"a\", [0], {\"a\": null}]}"),
                           &j, &e));
    assert_true(json_is_nothing(NULL));
    size_t i;
    json_t *v;
    json_array_foreach(json_object_get(j.root, "no"), i, v) assert_true(json_is_nothing(v));
    json_array_foreach(json_object_get(j.root, "yes"), i, v) assert_false(json_is_nothing(v));
    json_close(&j);
}

static void one_line_in_order(void **state) {
    (void)state;
    Arena a = {0};
    Buf b = BUF(&a);
    json_put(&b, json_pack("{s:s, s:i, s:f, s:[]}", "z", "a\nb", "a", 1, "r", 1.0 / 3, "l"));
    assert_string_equal(buf_cstr(&b), "{\"z\":\"a\\nb\",\"a\":1,\"r\":0.333333,\"l\":[]}");
    b.len = 0;
    json_put(&b, json_string("x")); // any value
    assert_string_equal(buf_cstr(&b), "\"x\"");
    b.len = 0;
    json_put(&b, NULL);
    assert_string_equal(buf_cstr(&b), "null");
    arena_free(&a);
}

static void puts_as(const char *text, const char *json) {
    Arena a = {0};
    Buf out = BUF(&a);
    json_put(&out, json_string(text));
    assert_string_equal(buf_cstr(&out), json);
    json_t *back = json_loadb(out.p, out.len, JSON_DECODE_ANY, NULL);
    assert_string_equal(json_string_value(back), text);
    json_decref(back);
    arena_free(&a);
}

static void test_line_separators_are_escaped(void **state) {
    (void)state;
    puts_as("a\xe2\x80\xa8"
            "b",
            "\"a\\u2028b\"");
    puts_as("\xe2\x80\xa9\xe2\x80\xa9", "\"\\u2029\\u2029\"");
    puts_as("\xe2\x80\xa7\xe2\x80\xaa", "\"\xe2\x80\xa7\xe2\x80\xaa\""); // their neighbours stay
    puts_as("\xe2\x80\x99s", "\"\xe2\x80\x99s\"");
    puts_as("plain", "\"plain\"");
    puts_as("a\nb", "\"a\\nb\"");
}

static void quoted_text_is_always_text(void **state) {
    (void)state;
    static const struct {
        const char *given, *json;
    } rows[] = {{"plain \xc3\xa9", "\"plain \xc3\xa9\""},
                {"cut \xc3", "\"cut \xef\xbf\xbd\""},
                {"\xff\xfe"
                 "a\xe2\x82",
                 "\"\xef\xbf\xbd\xef\xbf\xbd"
                 "a\xef\xbf\xbd\xef\xbf\xbd\""},
                {"", "\"\""}};
    Arena a = {0};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        Buf out = BUF(&a);
        json_put(&out, json_quoted(str_of(rows[i].given)));
        assert_string_equal(buf_cstr(&out), rows[i].json);
    }
    Buf out = BUF(&a);
    json_put(&out, json_string("cut \xc3")); // what it is for
    assert_string_equal(buf_cstr(&out), "null");
    arena_free(&a);
}

static void test_digits(void **state) {
    (void)state;
    Arena a = {0};
    Buf out = BUF(&a);
    json_put(&out, json_real(1.0 / 3));
    assert_string_equal(buf_cstr(&out), "0.333333");
    out.len = 0;
    assert_true(json_put_precise(&out, json_real(1.0 / 3), 17));
    assert_string_equal(buf_cstr(&out), "0.33333333333333331");
    arena_free(&a);
}

static void test_no_value(void **state) {
    (void)state;
    Arena a = {0};
    Buf out = BUF(&a);
    assert_false(json_put_precise(&out, NULL, 17));
    assert_int_equal(out.len, 0);
    json_put(&out, NULL);
    assert_string_equal(buf_cstr(&out), "null");
    arena_free(&a);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(only_an_object_is_read),
        cmocka_unit_test(values_have_their_type_and_range),
        cmocka_unit_test(another_type_names_the_key),
        cmocka_unit_test(nothing_is_nothing),
        cmocka_unit_test(one_line_in_order),
        cmocka_unit_test(test_line_separators_are_escaped),
        cmocka_unit_test(quoted_text_is_always_text),
        cmocka_unit_test(test_digits),
        cmocka_unit_test(test_no_value),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
