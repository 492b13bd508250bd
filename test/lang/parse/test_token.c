// The rows of token.def: each keyword is found by its text, and nothing else is one.
#include "lang/lang_test.h"

#include "lang/parse/lex.h"

static void keywords_are_found(void **state) {
    (void)state;
    int n = 0;
    for (int k = 0; k < TOK_COUNT; k++) {
        const char *what = token_what((TokenKind)k);
        assert_true(what && *what);
        if (!token_is_keyword((TokenKind)k)) continue;
        n++;
        Str text = {what + 1, strlen(what) - 2}; // without the quotes
        assert_int_equal(token_of_word(text), k);
        assert_int_equal(token_of_word((Str){text.p, text.len - 1}) == (TokenKind)k, false);
        assert_int_equal(token_of_word(str_of(arena_printf(&arena, "%.*sx", STR_ARG(text)))), TOK_NAME);
    }
    assert_int_equal(n, 35); // Python's
    static const char *const names[] = {"",      "x",         "Iff",   "none", "true",
                                        "print", "continued", "match", "case", "_"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        assert_int_equal(token_of_word(str_of(names[i])), TOK_NAME);
}

static void operators_know_their_assignment(void **state) {
    (void)state;
    int infix = 0, assigns = 0;
    for (int k = 0; k < TOK_COUNT; k++) {
        TokenOper o = token_oper((TokenKind)k);
        infix += strchr(token_what((TokenKind)k), '=') == NULL && o.level > 0;
        size_t n = strlen(token_what((TokenKind)k));
        assigns +=
            n > 3 && token_what((TokenKind)k)[n - 2] == '=' && memcmp(&o, &(TokenOper){0}, sizeof o) != 0;
    }
    assert_true(infix >= 12);
    assert_int_equal(assigns, 13); // += -= *= @= /= %= &= |= ^= <<= >>= **= //=
}

int main(void) {
    const struct CMUnitTest tests[] = {TEST(keywords_are_found), TEST(operators_know_their_assignment)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
