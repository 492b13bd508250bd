// lex.h - Python's tokens, one at a time: the lexer is a value that can be copied to look ahead, and owns
// nothing. Indentation becomes INDENT and DEDENT; line ends inside brackets vanish; an f-string is FSTART,
// then FTEXT and braces with ordinary tokens between them, then FEND. The source must be valid UTF-8. After
// an ERROR it stays there.
#pragma once
#include "lang/ast.h"

typedef enum {
#define TOKEN(id, what)                       TOK_##id,
#define KEYWORD(id, text)                     TOK_##id,
#define PUNCT(id, text)                       TOK_##id,
#define INFIX(id, text, oper, level, assigns) TOK_##id, TOK_##id##_ASSIGN,
#include "lang/token.def"
#undef TOKEN
#undef KEYWORD
#undef PUNCT
#undef INFIX
    TOK_COUNT
} TokenKind;

typedef struct {
    TokenKind kind;
    uint32_t at, len;
} Token;

// What is open at the current place. TEXT and SPEC are literal parts of an f-string, FIELD one of its
// expressions.
typedef enum { OPEN_BRACKET, OPEN_TEXT, OPEN_FIELD, OPEN_SPEC } OpenKind;
typedef struct {
    uint8_t kind; // OpenKind
    char mark;    // the bracket, or the quote of the f-string around
    bool triple, raw;
    uint32_t at;
} Open;

enum { OPEN_MAX = 3 * NESTING_MAX + 2, TAB_WIDTH = 8 };

typedef struct {
    Str source;
    uint32_t at;
    int tokens;
    bool line_start; // the next token opens a logical line
    bool in_line;    // the last token was not a NEWLINE
    int dedents;     // DEDENTs still to hand out
    int indents;     // open blocks; each by its column with tabs to 8 and, to find inconsistent tabs, to 1
    uint32_t column[NESTING_MAX + 1], narrow[NESTING_MAX + 1];
    int opens;
    Open open[OPEN_MAX];
    Span where;      // of the ERROR
    char error[160]; // ASCII
} Lexer;

// Starts after a byte order mark. `source` is at most SOURCE_MAX bytes.
void lex_start(Lexer *l, Str source);
Token lex_next(Lexer *l);

const char *token_what(TokenKind k); // "'+='", "a name"
bool token_is_keyword(TokenKind k);
TokenKind token_of_word(Str word); // a keyword or TOK_NAME
// The operator behind an infix token and its level (0 for none), or behind its assigning form.
typedef struct {
    Oper oper;
    int8_t level;
    bool assigns;
    bool infix; // either of the two forms
} TokenOper;
TokenOper token_oper(TokenKind k);
