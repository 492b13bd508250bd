// Patterns of pre-tokenizers: what is let through, what is refused, and that hostile ones end.
#include "text/pretokenizer.h"
#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

static const char llama[] = "(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\\r\\n\\p{L}\\p{N}]?\\p{L}+|\\p{N}{1,3}| "
                            "?[^\\s\\p{L}\\p{N}]+[\\r\\n]*|\\s*[\\r\\n]+|\\s+(?!\\S)|\\s+";

static bool is_ascii(Str s) {
    for (size_t i = 0; i < s.len; i++)
        if ((uint8_t)s.p[i] >= 0x80) return false;
    return true;
}

// The pieces with bars between; "!" where matching fails.
static const char *pieces(Arena *a, const Split *s, Str text, bool ascii, double seconds) {
    Err e = {0};
    SplitRun *run;
    Buf b = BUF(a);
    assert_true(split_start(a, seconds, &run, &e));
    for (size_t at = 0; at < text.len;) {
        SplitMatch m;
        if (!split_next(s, run, (SplitText){text, ascii}, at, &m, &e)) {
            assert_true(e.code == ERR_LIMIT || e.code == ERR_INPUT);
            buf_puts(&b, "!");
            break;
        }
        if (m.start > at) buf_printf(&b, "%.*s|", (int)(m.start - at), text.p + at);
        if (m.end > m.start) buf_printf(&b, "%.*s|", (int)(m.end - m.start), text.p + m.start);
        at = m.end;
    }
    split_stop(run);
    return buf_cstr(&b);
}

static const char *cut(Arena *a, const char *pattern, const char *text) {
    Err e = {0};
    Split *s;
    if (!split_open(a, str_of(pattern), &s, &e)) fail_msg("%s: %s", pattern, e.msg);
    const char *got = pieces(a, s, str_of(text), false, 60);
    for (int interpreted = 0; interpreted < 2; interpreted++) {
        assert_string_equal(pieces(a, s, str_of(text), false, 60), got);
        if (is_ascii(str_of(text))) assert_string_equal(pieces(a, s, str_of(text), true, 60), got);
        split_interpret(s);
    }
    split_close(s);
    return got;
}

static void test_pieces(void **state) {
    (void)state;
    Arena a = {0};
    assert_string_equal(cut(&a, llama, "It's 12345  x\n\n y"), "It|'s| |123|45| | x|\n\n| y|");
    assert_string_equal(cut(&a, llama, "WE'LL don\u2019t"), "WE|'LL| don|\u2019t|");
    assert_string_equal(cut(&a, llama, "a'\u017f"), "a|'\u017f|"); // long s folds to s
    assert_string_equal(cut(&a, llama, "a\u180eb"), "a|\u180eb|"); // no white space to Oniguruma
    assert_string_equal(cut(&a, "\\s+", "a\u180eb\u3000c"), "a\u180eb|\u3000|c|");
    assert_string_equal(cut(&a, "\\S", "a\u180e "), "a|\u180e| |");
    assert_string_equal(cut(&a, "\\p{N}{1,3}", "x1234y"), "x|123|4|y|");
    assert_string_equal(cut(&a, "\\p{L}+", "1\U000323ab\u1c89"),
                        "1|\U000323ab\u1c89|"); // newer than PCRE2's tables
    assert_string_equal(cut(&a, "\\P{L}", "a1"), "a|1|");
    assert_string_equal(cut(&a, "[a-c\\-\\]]+", "xa-]bd"), "x|a-]b|d|");
    assert_string_equal(cut(&a, "\\p{M}", "abc"), "abc|"); // an empty class in ASCII
    assert_string_equal(cut(&a, "[^\\p{M}]", "ab"), "a|b|");
    assert_string_equal(cut(&a, "a(b|(?:c)+)*?d", "abccd"), "abccd|");
    arena_free(&a);
}

// The end of the piece is the end of the world: a look-ahead sees nothing behind it.
static void test_reads_the_piece_alone(void **state) {
    (void)state;
    Arena a = {0};
    Err e = {0};
    Split *s;
    assert_true(split_open(&a, STR("\\s+(?!\\S)|\\s+"), &s, &e));
    for (int ascii = 0; ascii < 2; ascii++) {
        assert_string_equal(pieces(&a, s, (Str){"   x", 3}, ascii, 60), "   |");
        assert_string_equal(pieces(&a, s, (Str){"   x", 4}, ascii, 60), "  | |x|");
    }
    split_close(s);
    arena_free(&a);
}

static void test_refused(void **state) {
    (void)state;
    static const char *const wrong[] = {
        "\\d",
        "\\w+",
        "\\bx",
        "\\h",
        "\\R",
        "\\X",
        "\\1",
        "(a)\\1",
        "\\k<a>",
        "\\Qa",
        "\\G",
        "\\K",
        "\\C",
        "\\x{41}",
        "\\u0041",
        "^a",
        "a$",
        "(?<n>a)",
        "(?<=a)b",
        "(?<!a)b",
        "(?>a)",
        "(?R)",
        "(?1)",
        "(?#c)",
        "(?m)a",
        "(?i)a",
        "(?i:ss)",
        "(?i:St)",
        "(?i:\\p{L})",
        "(?i:[a])",
        "(?i:a",
        "(?C1)",
        "(*ACCEPT)",
        "(*UTF)a",
        "\\p{Lu}",
        "\\p{Greek}",
        "\\pL",
        "\\p{^L}",
        "\\p{",
        "\\p",
        "\\p{\0}",
        "[a",
        "[]a]",
        "[[:alpha:]]",
        "[a&&b]",
        "[a-\\s]",
        "[\\S]",
        "[\\P{L}]",
        "[z-a]",
        "[a-c-e]",
        "a{65}",
        "a{1,65}",
        "a{99999999999}",
        "a{,3}",
        "a{2,1}",
        "a{",
        "a{x}",
        "a{1,2}+",
        "a{2}?",
        "a{2}{2}",
        "*a",
        "a|+",
        "(|*)",
        "a**",
        "a+?+",
        "(?!a)+",
        "(?=a)?",
        "(a",
        "a)",
        "a]",
        "a}",
        "\\",
        "é",
        "[é]",
        "a\x01",
        "(?i:'s|\\w)",
        "((((((((((((((((((((((((((((((((((a))))))))))))))))))))))))))))))))))",
    };
    Arena a = {0};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        Err e = {0};
        Split *s = NULL;
        if (split_open(&a, str_of(wrong[i]), &s, &e)) fail_msg("%s was let through", wrong[i]);
        assert_int_equal(e.code, ERR_INPUT);
        assert_null(s);
        assert_true(e.msg[0]);
    }
    char *text = NEWN(&a, char, 5000);
    memset(text, 'a', 5000);
    Err e = {0};
    Split *s;
    assert_false(split_open(&a, (Str){text, 5000}, &s, &e));
    assert_int_equal(e.code, ERR_LIMIT);
    arena_free(&a);
}

// What takes exponential time, or matches nothing, is told.
static void test_limits(void **state) {
    (void)state;
    Arena a = {0};
    char text[64] = {0};
    memset(text, 'a', 40);
    text[40] = 'c';
    assert_string_equal(cut(&a, "(?:a+)+[bd]", text), "!");
    assert_string_equal(cut(&a, "(?:a|a|a)*[bd]", text), "!");
    assert_string_equal(cut(&a, "x*", "aaa"), "!");
    // Long runs are no reason to give up.
    enum { LONG = 300000 };
    char *run = NEWN(&a, char, LONG + 1);
    // A pattern that looks to the end from every place: few steps each time, and hours in all.
    Err e = {0};
    Split *s;
    memset(run, 'a', LONG);
    assert_true(split_open(&a, STR("a*b|a"), &s, &e));
    const char *most = pieces(&a, s, (Str){run, LONG}, true, 0.02);
    assert_int_equal(most[strlen(most) - 1], '!');
    assert_true(strlen(most) < LONG);
    assert_int_equal(strlen(pieces(&a, s, (Str){run, 3000}, true, 60)), 6000);
    split_close(s);
    for (int k = 0; k < 3; k++) {
        memset(run, " a="[k], LONG);
        const char *got = cut(&a, llama, run);
        assert_int_equal(strlen(got), LONG + 1);
        assert_int_equal(got[LONG], '|');
    }
    arena_free(&a);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_pieces),
        cmocka_unit_test(test_reads_the_piece_alone),
        cmocka_unit_test(test_refused),
        cmocka_unit_test(test_limits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
