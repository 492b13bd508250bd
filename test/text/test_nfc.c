// Normalisation form C against utf8proc's own, and the ranges that it may skip.
#include "base/numeric/rng.h"
#include "text/nfc.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <utf8proc.h>

#include <cmocka.h>

static Str utf8(Arena *a, const int32_t *c, int n) {
    Buf b = BUF(a);
    for (int i = 0; i < n; i++) {
        uint8_t u[4];
        buf_put(&b, u, (size_t)utf8proc_encode_char(c[i], u));
    }
    return n ? buf_str(&b) : (Str){"", 0};
}

static Str form_c(Arena *a, Str s) {
    Buf b = BUF(a);
    nfc_put(s, &b);
    return b.p ? buf_str(&b) : (Str){"", 0};
}

static void assert_same(Str a, Str b) {
    if (!str_eq(a, b)) fail_msg("\"%.*s\" is not \"%.*s\"", STR_ARG(a), STR_ARG(b));
}

static void test_examples(void **state) {
    (void)state;
    Arena a = {0};
    assert_same(form_c(&a, STR("")), STR(""));
    assert_same(form_c(&a, STR("plain")), STR("plain"));
    assert_same(form_c(&a, STR("e\u0301x")), STR("\u00e9x"));
    assert_same(form_c(&a, STR("\u0301")), STR("\u0301"));
    assert_same(form_c(&a, STR("a\u0302\u0323")), STR("\u1ead"));      // reordered, then both composed
    assert_same(form_c(&a, STR("\u212b")), STR("\u00c5"));             // a singleton
    assert_same(form_c(&a, STR("\u1100\u1161\u11a8")), STR("\uac01")); // Hangul
    assert_same(form_c(&a, STR("\uac00\u11a8")), STR("\uac01")); // a syllable of a range that may be skipped
    assert_same(form_c(&a, STR("x\u0958")), STR("x\u0915\u093c")); // excluded from composition
    assert_same(form_c(&a, STR("か\u3099が")), STR("がが"));
    assert_same(form_c(&a, STR("a\u0315\u0300\u05aeb")), STR("\u00e0\u05ae\u0315b"));
    arena_free(&a);
}

// A character that may be skipped: unchanged, no mark, and never the second half of a composition.
static void test_plain_ranges(void **state) {
    (void)state;
    static bool second[0x110000];
    Arena a = {0};
    int plain = 0;
    for (int32_t c = 0; c < 0x110000; c++) {
        int32_t parts[8];
        int boundary = 0;
        if (c >= 0xd800 && c < 0xe000) continue;
        utf8proc_ssize_t n = utf8proc_decompose_char(c, parts, 8, UTF8PROC_DECOMPOSE, &boundary);
        for (int i = 1; i < n; i++) second[parts[i]] = true;
    }
    for (int32_t c = 0; c < 0x110000; c++) {
        if (c >= 0xd800 && c < 0xe000) continue;
        ArenaMark mark = arena_mark(&a);
        Str s = utf8(&a, &c, 1);
        if (nfc_plain(s)) {
            plain++;
            assert_false(second[c]);
            assert_int_equal(utf8proc_get_property(c)->combining_class, 0);
            uint8_t *want = NULL;
            utf8proc_ssize_t n = utf8proc_map((const uint8_t *)s.p, (utf8proc_ssize_t)s.len, &want,
                                              UTF8PROC_STABLE | UTF8PROC_COMPOSE);
            assert_true(n >= 0);
            assert_same(s, (Str){(const char *)want, (size_t)n});
            free(want);
        }
        arena_reset(&a, mark);
    }
    assert_true(plain > 30000);
    arena_free(&a);
}

static void test_random(void **state) {
    (void)state;
    static const int32_t kinds[] = {'a',    'e',    ' ',    0x300,  0x301,  0x323,  0x302,  0x3099, 0x304b,
                                    0x1100, 0x1161, 0x11a8, 0xac00, 0x212b, 0x958,  0x5ae,  0xe9,   0x1d15e,
                                    0x915,  0x93c,  0x344,  0xfb1d, 0x4e00, 0x1ead, 0x1f600};
    Arena a = {0};
    Rng r = rng_at(1, 2);
    int changed = 0;
    for (int k = 0; k < 20000; k++) {
        ArenaMark mark = arena_mark(&a);
        int32_t c[24];
        int n = (int)rng_below(&r, 24);
        for (int i = 0; i < n; i++) {
            int32_t base = kinds[rng_below(&r, sizeof kinds / sizeof *kinds)];
            c[i] = rng_below(&r, 4) ? base : base + (int32_t)rng_below(&r, 64);
        }
        Str s = utf8(&a, c, n);
        uint8_t *want = NULL;
        utf8proc_ssize_t m = utf8proc_map((const uint8_t *)s.p, (utf8proc_ssize_t)s.len, &want,
                                          UTF8PROC_STABLE | UTF8PROC_COMPOSE);
        assert_true(m >= 0);
        Str wanted = {(const char *)want, (size_t)m};
        assert_same(form_c(&a, s), wanted);
        changed += !str_eq(s, wanted);
        if (!str_eq(s, wanted)) assert_false(nfc_plain(s));
        free(want);
        arena_reset(&a, mark);
    }
    assert_in_range(changed, 5000, 20000);
    arena_free(&a);
}

// Marks in falling order of class, as many as make sorting by insertion take minutes.
static void test_long_run_of_marks(void **state) {
    (void)state;
    Arena a = {0};
    enum { N = 300000 };
    Buf b = BUF(&a);
    buf_puts(&b, "a");
    for (int i = 0; i < N; i++) buf_puts(&b, i < N / 2 ? "\u0315" : "\u0316"); // classes 232, 220
    Str got = form_c(&a, buf_str(&b));
    assert_int_equal(got.len, b.len);
    assert_true(str_starts(got, "a\u0316\u0316") && str_ends(got, "\u0315"));
    arena_free(&a);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_examples),
        cmocka_unit_test(test_plain_ranges),
        cmocka_unit_test(test_random),
        cmocka_unit_test(test_long_run_of_marks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
