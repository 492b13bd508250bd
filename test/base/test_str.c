// Borrowed text, growing text, UTF-8 and errors.
#include "base/numeric/rng.h"
#include "base/str.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

static void test_comparisons(void **state) {
    (void)state;
    Str s = STR("tl.load"), none = {0};
    assert_true(str_starts(s, "tl."));
    assert_false(str_starts(s, "tl.loads"));
    assert_true(str_ends(s, "load"));
    assert_false(str_ends(s, "xtl.load"));
    assert_true(str_starts(none, "") && str_ends(none, "") && str_is(none, ""));
    assert_true(str_eq(none, STR("")));
    assert_false(str_eq(STR("ab"), STR("ac")));
    assert_false(str_is(STR("ab"), "abc"));
    assert_false(str_is(STR("abc"), "ab"));
    assert_false(str_is(STR("ab"), "") || str_is(none, "ab") || str_is((Str){"\0", 1}, ""));
    assert_int_equal(str_cmp(STR("ab"), STR("abc")), -1);
    assert_int_equal(str_cmp(STR("b"), STR("abc")), 1);
    assert_int_equal(str_cmp(STR("\xff"), STR("a")), 1); // bytes, not chars
    assert_int_equal(str_cmp(none, STR("")), 0);
}

static void test_hash_vectors(void **state) {
    (void)state; // from the FNV page
    assert_true(str_hash(STR("")) == 0xcbf29ce484222325u);
    assert_true(str_hash(STR("a")) == 0xaf63dc4c8601ec8cu);
    assert_true(str_hash(STR("foobar")) == 0x85944171f73967e8u);
}

static void test_copies(void **state) {
    (void)state;
    Arena a = {0};
    char text[] = "mutable";
    Str s = str_dup(&a, str_of(text));
    char *c = str_cdup(&a, (Str){text, 3});
    text[0] = 'M';
    assert_true(str_is(s, "mutable"));
    assert_string_equal(c, "mut");
    Str path = str_join(&a, STR("triton"), '.', STR("language")), dot = str_join(&a, (Str){0}, '.', (Str){0});
    assert_true(str_is(path, "triton.language") && path.p[path.len] == 0);
    assert_true(str_is(dot, ".") && dot.p[1] == 0);
    arena_free(&a);
}

// Against a plain array, with every way of appending.
static void test_buf_follows_a_model(void **state) {
    (void)state;
    for (uint64_t seed = 1; seed <= 20; seed++) {
        Rng r = rng_at(seed, 1);
        Arena a = {0};
        Buf b = BUF(&a);
        static char model[1 << 20], piece[600];
        size_t n = 0;
        for (int step = 0; step < 300; step++) {
            size_t len = rng_below(&r, sizeof piece - 1);
            for (size_t i = 0; i < len; i++) piece[i] = (char)rng_between(&r, 'a', 'z');
            piece[len] = 0;
            memcpy(model + n, piece, len);
            switch (rng_below(&r, 5)) {
            case 0: buf_put(&b, piece, len); break;
            case 1: buf_puts(&b, piece); break;
            case 2: buf_str_put(&b, (Str){piece, len}); break;
            case 3: buf_printf(&b, "%s", piece); break;
            default:
                buf_putc(&b, '\0');
                model[n] = 0;
                len = 1;
            }
            n += len;
            if (step % 7 == 0 && buf_cstr(&b)[n] != 0)
                fail_msg("seed %llu step %d: no NUL", (unsigned long long)seed, step);
            if (b.len != n || memcmp(b.p, model, n) != 0)
                fail_msg("seed %llu step %d: differs", (unsigned long long)seed, step);
        }
        arena_free(&a);
    }
}

static void test_empty_buf(void **state) {
    (void)state;
    Arena a = {0};
    Buf b = BUF(&a);
    assert_int_equal(buf_str(&b).len, 0);
    buf_put(&b, NULL, 0);
    assert_string_equal(buf_cstr(&b), "");
    arena_free(&a);
}

static size_t encode(uint32_t c, char out[4]) {
    if (c < 0x80) return out[0] = (char)c, 1;
    if (c < 0x800) return out[0] = (char)(0xc0 | c >> 6), out[1] = (char)(0x80 | (c & 63)), 2;
    size_t n = c < 0x10000 ? 3 : 4;
    out[0] = (char)(n == 3 ? 0xe0 | c >> 12 : 0xf0 | c >> 18);
    for (size_t i = 1; i < n; i++) out[i] = (char)(0x80 | (c >> 6 * (n - 1 - i) & 63));
    return n;
}

static void test_utf8_every_code_point(void **state) {
    (void)state;
    char s[4];
    for (uint32_t c = 0; c < 0x112000; c++) {
        size_t n = encode(c, s);
        bool fine = c <= 0x10ffff && (c < 0xd800 || c > 0xdfff);
        if (utf8_valid((Str){s, n}) != fine) fail_msg("U+%04X", c);
        if (n > 1 && utf8_valid((Str){s, n - 1})) fail_msg("U+%04X cut short", c);
        if (!fine) continue;
        Arena a = {0};
        Buf b = BUF(&a);
        int len;
        utf8_put(&b, c);
        if (!str_eq(buf_str(&b), (Str){s, n})) fail_msg("U+%04X is put wrongly", c);
        if (utf8_at(s, &len) != c || (size_t)len != n) fail_msg("U+%04X is read wrongly", c);
        arena_free(&a);
    }
}

static void test_utf8_wrong_forms(void **state) {
    (void)state;
    static const char *const wrong[] = {
        "\x80",
        "\xbf",
        "\xc0\x80",
        "\xc1\xbf",
        "\xe0\x80\x80",
        "\xe0\x9f\xbf",
        "\xf0\x80\x80\x80",
        "\xf0\x8f\xbf\xbf",
        "\xf4\x90\x80\x80",
        "\xf5\x80\x80\x80",
        "\xfe",
        "\xff",
        "a\xc3",
        "\xc3(",
        "\xe2\x82(",
        "\xed\xa0\x80",
        "\xf8\x88\x80\x80\x80",
    };
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++)
        if (utf8_valid(str_of(wrong[i]))) fail_msg("row %zu", i);
    assert_true(utf8_valid(STR("a\0b")));
    assert_true(utf8_valid(STR("\xc3\xa9\xe2\x82\xac\xf0\x9f\x90\x8d")));
}

static void test_lists_and_parts(void **state) {
    (void)state;
    static const char *const list[] = {"one", "two"};
    assert_true(str_is_any(STR("two"), list, 2));
    assert_false(str_is_any(STR("two"), list, 1));
    assert_false(str_is_any(STR("tw"), list, 2));
    assert_true(str_eq(str_last_part(STR("torch.nn.relu"), '.'), STR("relu")));
    assert_true(str_eq(str_last_part(STR("relu"), '.'), STR("relu")));
    assert_true(str_eq(str_last_part(STR("torch."), '.'), STR("")));
    Str two[] = {STR_INIT("b"), STR_INIT("a")};
    assert_true(str_cmp_at(&two[0], &two[1]) > 0 && str_cmp_at(&two[1], &two[0]) < 0);
}

static void test_characters(void **state) {
    (void)state;
    for (const char *c = "azAZ09_"; *c; c++) assert_true(char_is_word(*c));
    for (const char *c = "@[`{/:-.$ \xe9"; *c; c++) assert_false(char_is_word(*c));
    for (const char *c = " \t\n\v\f\r"; *c; c++) assert_true(char_is_space(*c));
    for (const char *c = "\b\x0e\x1f_\xa0"; *c; c++) assert_false(char_is_space(*c));
    assert_true(char_is_digit('0') && char_is_digit('9') && !char_is_digit('/') && !char_is_digit(':'));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_comparisons),      cmocka_unit_test(test_lists_and_parts),
        cmocka_unit_test(test_characters),       cmocka_unit_test(test_hash_vectors),
        cmocka_unit_test(test_copies),           cmocka_unit_test(test_buf_follows_a_model),
        cmocka_unit_test(test_empty_buf),        cmocka_unit_test(test_utf8_every_code_point),
        cmocka_unit_test(test_utf8_wrong_forms),
    };
    return cmocka_run_group_tests_name("str", tests, NULL, NULL);
}
