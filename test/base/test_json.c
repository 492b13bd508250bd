// JSON for outside: on one line for every reader of lines.
#include "base/json.h"
#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

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
        cmocka_unit_test(test_line_separators_are_escaped),
        cmocka_unit_test(test_digits),
        cmocka_unit_test(test_no_value),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
