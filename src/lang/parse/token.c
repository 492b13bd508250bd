// What token.def says of each token: its name in findings, its operator, and the words that are keywords.
#include "lang/parse/lex.h"

static const char *const token_whats[TOK_COUNT] = {
#define TOKEN(id, what)                       what,
#define KEYWORD(id, text)                     "'" text "'",
#define PUNCT(id, text)                       "'" text "'",
#define INFIX(id, text, oper, level, assigns) "'" text "'", "'" assigns "'",
#include "lang/token.def"
#undef TOKEN
#undef KEYWORD
#undef PUNCT
#undef INFIX
};
static const TokenOper token_opers[TOK_COUNT] = {
#define TOKEN(id, what)
#define KEYWORD(id, text)
#define PUNCT(id, text)
#define INFIX(id, text, oper, level, assigns) \
    [TOK_##id] = {OPER_##oper, level, false, true}, [TOK_##id##_ASSIGN] = {OPER_##oper, 0, true, true},
#include "lang/token.def"
#undef TOKEN
#undef KEYWORD
#undef PUNCT
#undef INFIX
};
static const struct {
    const char *text;
    uint8_t len, kind;
} keywords[] = {
#define TOKEN(id, what)
#define KEYWORD(id, text) {text, sizeof(text) - 1, TOK_##id},
#define PUNCT(id, text)
#define INFIX(id, text, oper, level, assigns)
#include "lang/token.def"
#undef TOKEN
#undef KEYWORD
#undef PUNCT
#undef INFIX
};
enum { KEYWORDS = sizeof keywords / sizeof *keywords };

const char *token_what(TokenKind k) { return token_whats[k]; }
bool token_is_keyword(TokenKind k) { return k >= TOK_FALSE && k <= TOK_YIELD; }
TokenOper token_oper(TokenKind k) { return token_opers[k]; }

TokenKind token_of_word(Str s) {
    if (s.len > 8) return TOK_NAME;
    int lo = 0, hi = KEYWORDS - 1;
    while (lo <= hi) {
        int mid = (lo + hi) / 2;
        int order = str_cmp(s, (Str){keywords[mid].text, keywords[mid].len});
        if (order == 0) return (TokenKind)keywords[mid].kind;
        if (order < 0)
            hi = mid - 1;
        else
            lo = mid + 1;
    }
    return TOK_NAME;
}
