// From text to tokens: names and numbers, strings, punctuation, and lines with their indentation.
#include "lang/parse/lex.h"
#include "lang/text.h"

#include <assert.h>
#include <stdarg.h>
#include <stdio.h>

static const struct {
    uint32_t first, last;
} letters[] = {
#define LETTERS(first, last) {first, last},
#include "lang/parse/letters.def"
#undef LETTERS
};
enum { LETTER_RANGES = sizeof letters / sizeof *letters };

// ---- characters

static bool is_digit(int c) { return char_is_digit(c); } // a function, for digits()
static bool is_hex(int c) { return is_digit(c) || ((c | 32) >= 'a' && (c | 32) <= 'f'); }
static bool is_letter(int c) { return ((c | 32) >= 'a' && (c | 32) <= 'z') || c == '_'; }

static bool letter_beyond_ascii(uint32_t code) {
    int lo = 0, hi = LETTER_RANGES - 1;
    while (lo <= hi) {
        int mid = (lo + hi) / 2;
        if (code < letters[mid].first)
            hi = mid - 1;
        else if (code > letters[mid].last)
            lo = mid + 1;
        else
            return true;
    }
    return false;
}

// The byte n places ahead; 0 beyond the end (the source holds no NUL).
static int peek(const Lexer *l, uint32_t n) {
    return l->at + n < l->source.len ? (unsigned char)l->source.p[l->at + n] : 0;
}
static const char *here(const Lexer *l) { return l->source.p + l->at; }
static const char *end_of(const Lexer *l) { return l->source.p + l->source.len; }
static int break_here(const Lexer *l) { return line_break(here(l), end_of(l)); }

static Token token(TokenKind kind, uint32_t at, uint32_t len) { return (Token){kind, at, len}; }
static Token token_since(const Lexer *l, TokenKind kind, uint32_t at) { return token(kind, at, l->at - at); }

PRINTF(4, 5) static Token lex_fail(Lexer *l, uint32_t at, uint32_t len, const char *fmt, ...) {
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(l->error, sizeof l->error, fmt, ap);
    va_end(ap);
    l->where = (Span){at, len};
    return token(TOK_ERROR, at, len);
}

// ---- what is open

static Open *top(Lexer *l) { return l->opens ? &l->open[l->opens - 1] : NULL; }

static bool open_push(Lexer *l, Open o) {
    if (l->opens == OPEN_MAX) {
        lex_fail(l, o.at, 1, "brackets nested more than %d deep", NESTING_MAX);
        return false;
    }
    l->open[l->opens++] = o;
    return true;
}

static Token bracket_open(Lexer *l, TokenKind kind) {
    if (!open_push(l, (Open){.kind = OPEN_BRACKET, .mark = *here(l), .at = l->at}))
        return token(TOK_ERROR, l->at, 1);
    return token(kind, l->at++, 1);
}

static Token bracket_close(Lexer *l, TokenKind kind) {
    char mark = *here(l);
    const Open *o = top(l);
    if (!o) return lex_fail(l, l->at, 1, "'%c' closes nothing", mark);
    if (o->kind == OPEN_FIELD) {
        if (mark != '}')
            return lex_fail(l, l->at, 1, "'%c' inside the braces of an f-string closes nothing", mark);
    } else {
        char expected = o->mark == '(' ? ')' : o->mark == '[' ? ']' : '}';
        if (mark != expected) {
            LineCol open = line_col(l->source, o->at);
            return lex_fail(l, l->at, 1, "'%c' does not close the '%c' of line %d", mark, o->mark, open.line);
        }
    }
    l->opens--;
    return token(kind, l->at++, 1);
}

// ---- names, numbers, strings

static Token stray_character(Lexer *l) {
    int len;
    uint32_t code = utf8_at(here(l), &len);
    if (code >= 0x20 && code < 0x7f) return lex_fail(l, l->at, 1, "unexpected character '%c'", (char)code);
    if (code == 0x201c || code == 0x201d || code == 0x2018 || code == 0x2019)
        return lex_fail(l, l->at, (uint32_t)len, "typographic quote U+%04X: strings take straight quotes",
                        code);
    return lex_fail(l, l->at, (uint32_t)len, "unexpected character U+%04X", code);
}

static Token lex_name(Lexer *l) {
    uint32_t at = l->at;
    for (;;) {
        int c = peek(l, 0);
        if (is_letter(c) || is_digit(c)) {
            l->at++;
            continue;
        }
        if (c < 0x80) break;
        int len;
        if (!letter_beyond_ascii(utf8_at(here(l), &len))) return stray_character(l);
        l->at += (uint32_t)len;
    }
    Str s = {l->source.p + at, l->at - at};
    return token(token_of_word(s), at, (uint32_t)s.len);
}

// Digits with single underscores between them; false if an underscore stands elsewhere or none was there.
static bool digits(Lexer *l, bool (*ok)(int)) {
    if (!ok(peek(l, 0))) return false;
    for (;;) {
        while (ok(peek(l, 0))) l->at++;
        if (peek(l, 0) != '_') return true;
        l->at++;
        if (!ok(peek(l, 0))) return false;
    }
}

static bool is_octal(int c) { return c >= '0' && c <= '7'; }
static bool is_binary(int c) { return c == '0' || c == '1'; }

// Python lets a keyword follow a number without a space: `1if x else 2`.
static Token number_end(Lexer *l, TokenKind kind, uint32_t at) {
    int c = peek(l, 0);
    if (!is_letter(c) && !is_digit(c) && c < 0x80) return token_since(l, kind, at);
    uint32_t end = l->at;
    if ((c | 32) == 'j' && !is_letter(peek(l, 1)) && !is_digit(peek(l, 1)))
        return lex_fail(l, at, end + 1 - at, "imaginary numbers are not part of this language");
    Token word = lex_name(l);
    l->at = end;
    switch (word.kind) {
    case TOK_AND:
    case TOK_ELSE:
    case TOK_FOR:
    case TOK_IF:
    case TOK_IN:
    case TOK_IS:
    case TOK_NOT:
    case TOK_OR: return token_since(l, kind, at);
    case TOK_ERROR: return word;
    default: return lex_fail(l, at, word.at + word.len - at, "a number runs into a name");
    }
}

static Token based_number(Lexer *l, const char *name, bool (*ok)(int)) {
    uint32_t at = l->at;
    l->at += 2;
    if (peek(l, 0) == '_') l->at++;
    if (!digits(l, ok)) return lex_fail(l, at, l->at - at, "%s number lacks a digit", name);
    if (is_digit(peek(l, 0)))
        return lex_fail(l, l->at, 1, "the digit '%c' does not belong in %s number", peek(l, 0), name);
    return number_end(l, TOK_INT, at);
}

static Token lex_number(Lexer *l) {
    int c = peek(l, 0), after = peek(l, 1) | 32;
    if (c == '0' && after == 'x') return based_number(l, "a hexadecimal", is_hex);
    if (c == '0' && after == 'o') return based_number(l, "an octal", is_octal);
    if (c == '0' && after == 'b') return based_number(l, "a binary", is_binary);
    uint32_t at = l->at;
    TokenKind kind = TOK_INT;
    if (c != '.' && !digits(l, is_digit))
        return lex_fail(l, at, l->at - at, "'_' in a number must stand between digits");
    uint32_t whole = l->at - at;
    if (peek(l, 0) == '.') {
        kind = TOK_FLOAT;
        l->at++;
        if (is_digit(peek(l, 0)) && !digits(l, is_digit))
            return lex_fail(l, at, l->at - at, "'_' in a number must stand between digits");
    }
    uint32_t sign = peek(l, 1) == '+' || peek(l, 1) == '-';
    if ((peek(l, 0) | 32) == 'e' && is_digit(peek(l, 1 + sign))) {
        kind = TOK_FLOAT;
        l->at += 1 + sign;
        if (!digits(l, is_digit))
            return lex_fail(l, at, l->at - at, "'_' in a number must stand between digits");
    }
    if (kind == TOK_INT && c == '0')
        for (uint32_t i = 0; i < whole; i++)
            if (l->source.p[at + i] >= '1' && l->source.p[at + i] <= '9')
                return lex_fail(l, at, whole,
                                "an integer must not start with 0; octal numbers are written 0o17");
    return number_end(l, kind, at);
}

// Skips the character after a backslash, so that a quote there does not end the string. CR LF counts as one.
static void skip_escaped(Lexer *l) {
    l->at++;
    if (l->at == l->source.len) return;
    int br = break_here(l);
    l->at += br ? (uint32_t)br : 1;
}

static bool at_quotes(const Lexer *l, char quote, bool triple) {
    if (peek(l, 0) != quote) return false;
    return !triple || (peek(l, 1) == quote && peek(l, 2) == quote);
}

// The text of an f-string up to a brace that matters or its end. The token may be empty.
static Token lex_text(Lexer *l) {
    const Open o = *top(l);
    bool spec = o.kind == OPEN_SPEC;
    uint32_t at = l->at;
    for (;;) {
        bool end = l->at == l->source.len;
        int c = peek(l, 0), next = peek(l, 1);
        if (at_quotes(l, o.mark, o.triple)) break;
        if (!o.triple && (end || break_here(l)))
            return lex_fail(l, o.at, l->at - o.at, "this f-string is not closed on its line");
        if (end) return lex_fail(l, o.at, 1, "this f-string is never closed");
        if (c == '{' && !spec && next == '{')
            l->at += 2;
        else if (c == '}' && !spec && next == '}')
            l->at += 2;
        else if (c == '{')
            break;
        else if (c == '}' && spec)
            break;
        else if (c == '}')
            return lex_fail(l, l->at, 1, "a single '}' in an f-string must be written '}}'");
        else if (c == '\\' && !o.raw && next == 'N' && peek(l, 2) == '{')
            return lex_fail(l, l->at, 3, "escapes by character name are not supported");
        else if (c == '\\' && next != '{' && next != '}')
            skip_escaped(l);
        else
            l->at++;
    }
    if (l->at > at) return token_since(l, TOK_FTEXT, at);
    if (peek(l, 0) == '{') {
        if (!open_push(l, (Open){OPEN_FIELD, o.mark, o.triple, o.raw, l->at}))
            return token(TOK_ERROR, l->at, 1);
        return token(TOK_LBRACE, l->at++, 1);
    }
    if (spec) {
        if (peek(l, 0) != '}') return lex_fail(l, l->at, 1, "expected '}' before the end of the f-string");
        l->opens -= 2; // the specification and its field
        return token(TOK_RBRACE, l->at++, 1);
    }
    l->opens--;
    l->at += o.triple ? 3 : 1;
    return token_since(l, TOK_FEND, at);
}

// The string or f-string whose prefix is `prefix` bytes long.
static Token lex_string(Lexer *l, uint32_t prefix) {
    uint32_t at = l->at;
    bool raw = false, f = false;
    for (uint32_t i = 0; i < prefix; i++) {
        raw |= (peek(l, i) | 32) == 'r';
        f |= (peek(l, i) | 32) == 'f';
    }
    l->at += prefix;
    char quote = *here(l);
    bool triple = at_quotes(l, quote, true);
    l->at += triple ? 3 : 1;
    if (f) {
        if (!open_push(l, (Open){OPEN_TEXT, quote, triple, raw, at})) return token(TOK_ERROR, at, 1);
        return token_since(l, TOK_FSTART, at);
    }
    while (!at_quotes(l, quote, triple)) {
        bool end = l->at == l->source.len;
        if (!triple && (end || break_here(l)))
            return lex_fail(l, at, l->at - at, "this string is not closed on its line");
        if (end) return lex_fail(l, at, prefix + 3, "this string is never closed");
        if (peek(l, 0) == '\\')
            skip_escaped(l);
        else
            l->at++;
    }
    l->at += triple ? 3 : 1;
    return token_since(l, TOK_STRING, at);
}

// Length of a string prefix at the current place, or -1 if no string starts here.
static int string_prefix(const Lexer *l) {
    static const char *const prefixes[] = {"", "r", "u", "b", "f", "br", "rb", "fr", "rf"};
    char word[3] = "";
    uint32_t n = 0;
    while (n < 2 && is_letter(peek(l, n)) && peek(l, n) != '_') {
        word[n] = (char)(peek(l, n) | 32);
        n++;
    }
    if (peek(l, n) != '"' && peek(l, n) != '\'') return -1;
    for (size_t i = 0; i < sizeof prefixes / sizeof *prefixes; i++)
        if (strcmp(prefixes[i], word) == 0) return (int)n;
    return -1;
}

// ---- punctuation

static Token take(Lexer *l, TokenKind kind, uint32_t len) {
    l->at += len;
    return token(kind, l->at - len, len);
}

// One of `x`, `x=`.
static Token maybe_assign(Lexer *l, TokenKind kind, uint32_t len) {
    if (peek(l, len) == '=') return take(l, (TokenKind)(kind + 1), len + 1);
    return take(l, kind, len);
}

static Token lex_punct(Lexer *l) {
    int c = peek(l, 0), next = peek(l, 1);
    const Open *o = top(l);
    bool field = o && o->kind == OPEN_FIELD; // directly in the braces of an f-string
    switch (c) {
    case '(': return bracket_open(l, TOK_LPAREN);
    case '[': return bracket_open(l, TOK_LBRACKET);
    case '{': return bracket_open(l, TOK_LBRACE);
    case ')': return bracket_close(l, TOK_RPAREN);
    case ']': return bracket_close(l, TOK_RBRACKET);
    case '}': return bracket_close(l, TOK_RBRACE);
    case ',': return take(l, TOK_COMMA, 1);
    case ';': return take(l, TOK_SEMI, 1);
    case '~': return take(l, TOK_TILDE, 1);
    case '.': return next == '.' && peek(l, 2) == '.' ? take(l, TOK_ELLIPSIS, 3) : take(l, TOK_DOT, 1);
    case ':':
        if (!field) return next == '=' ? take(l, TOK_WALRUS, 2) : take(l, TOK_COLON, 1);
        if (!open_push(l, (Open){OPEN_SPEC, o->mark, o->triple, o->raw, l->at}))
            return token(TOK_ERROR, l->at, 1);
        return take(l, TOK_COLON, 1);
    case '=': return next == '=' ? take(l, TOK_EQ, 2) : take(l, TOK_ASSIGN, 1);
    case '!':
        if (next == '=') return take(l, TOK_NE, 2);
        if (field) return take(l, TOK_BANG, 1);
        return lex_fail(l, l->at, 1, "unexpected '!': negation is written `not`");
    case '<':
        if (next == '<') return maybe_assign(l, TOK_SHL, 2);
        if (next == '>') return lex_fail(l, l->at, 2, "unexpected '<>': inequality is written '!='");
        return next == '=' ? take(l, TOK_LE, 2) : take(l, TOK_LT, 1);
    case '>':
        if (next == '>') return maybe_assign(l, TOK_SHR, 2);
        return next == '=' ? take(l, TOK_GE, 2) : take(l, TOK_GT, 1);
    case '+': return maybe_assign(l, TOK_PLUS, 1);
    case '-': return next == '>' ? take(l, TOK_ARROW, 2) : maybe_assign(l, TOK_MINUS, 1);
    case '*': return next == '*' ? maybe_assign(l, TOK_DSTAR, 2) : maybe_assign(l, TOK_STAR, 1);
    case '/': return next == '/' ? maybe_assign(l, TOK_DSLASH, 2) : maybe_assign(l, TOK_SLASH, 1);
    case '%': return maybe_assign(l, TOK_PERCENT, 1);
    case '@': return maybe_assign(l, TOK_AT, 1);
    case '^': return maybe_assign(l, TOK_CARET, 1);
    case '&':
        if (next == '&') return lex_fail(l, l->at, 2, "unexpected '&&': it is written `and`");
        return maybe_assign(l, TOK_AMPER, 1);
    case '|':
        if (next == '|') return lex_fail(l, l->at, 2, "unexpected '||': it is written `or`");
        return maybe_assign(l, TOK_PIPE, 1);
    default: return stray_character(l);
    }
}

// ---- lines

static void skip_comment(Lexer *l) {
    while (l->at < l->source.len && !break_here(l)) l->at++;
}

// A backslash outside strings: joins this line and the next.
static bool continue_line(Lexer *l) {
    uint32_t at = l->at++;
    int br = break_here(l);
    if (l->at == l->source.len) {
        lex_fail(l, at, 1, "the file ends after a line continuation");
        return false;
    }
    if (!br) {
        lex_fail(l, at, 1, "only a line end may follow the backslash of a line continuation");
        return false;
    }
    l->at += (uint32_t)br;
    if (l->at == l->source.len) lex_fail(l, at, 1, "the file ends after a line continuation");
    return l->at < l->source.len;
}

// Blanks, comments and, inside brackets, line ends. False on an error.
static bool skip_blank(Lexer *l) {
    while (l->at < l->source.len) {
        int c = peek(l, 0);
        if (c == ' ' || c == '\t' || c == '\f')
            l->at++;
        else if (c == '#')
            skip_comment(l);
        else if (c == '\\') {
            if (!continue_line(l)) return false;
        } else if (l->opens && break_here(l))
            l->at += (uint32_t)break_here(l);
        else
            break;
    }
    return true;
}

// Compares the indentation of a new logical line with the open blocks; false on an error. INDENT is told by
// *deeper.
static bool indentation(Lexer *l, uint32_t column, uint32_t narrow, bool *deeper) {
    static const char tabs[] = "tabs and spaces in this indentation do not agree with the lines above";
    uint32_t at = l->at;
    if (column == l->column[l->indents]) {
        if (narrow == l->narrow[l->indents]) return true;
        lex_fail(l, at, 0, "%s", tabs);
        return false;
    }
    if (column > l->column[l->indents]) {
        if (narrow <= l->narrow[l->indents]) {
            lex_fail(l, at, 0, "%s", tabs);
            return false;
        }
        if (l->indents == NESTING_MAX) {
            lex_fail(l, at, 0, "blocks nested more than %d deep", NESTING_MAX);
            return false;
        }
        l->indents++;
        l->column[l->indents] = column;
        l->narrow[l->indents] = narrow;
        *deeper = true;
        return true;
    }
    while (column < l->column[l->indents]) {
        l->indents--;
        l->dedents++;
    }
    if (column != l->column[l->indents]) {
        lex_fail(l, at, 0, "this indentation matches no block above");
        return false;
    }
    if (narrow != l->narrow[l->indents]) {
        lex_fail(l, at, 0, "%s", tabs);
        return false;
    }
    return true;
}

// Skips blank lines and settles the indentation of the next one with text. False on an error.
static bool start_line(Lexer *l, bool *deeper) {
    uint32_t column = 0, narrow = 0;
    for (;;) {
        int c = peek(l, 0);
        if (c == ' ')
            column++, narrow++;
        else if (c == '\t')
            column = (column / TAB_WIDTH + 1) * TAB_WIDTH, narrow++;
        else if (c == '\f')
            column = narrow = 0;
        else if (c == '\\') { // readers do not agree which line's indentation counts
            lex_fail(l, l->at, 1, "a line must not begin with a line continuation");
            return false;
        } else if (c == '#') {
            skip_comment(l);
            continue;
        } else if (break_here(l)) {
            l->at += (uint32_t)break_here(l);
            column = narrow = 0;
            continue;
        } else
            break;
        l->at++;
    }
    if (l->at == l->source.len) column = narrow = 0;
    l->line_start = false;
    return indentation(l, column, narrow, deeper);
}

static Token lex_end(Lexer *l) {
    const Open *o = top(l);
    if (o && o->kind == OPEN_BRACKET) return lex_fail(l, o->at, 1, "this '%c' is never closed", o->mark);
    if (o) return lex_fail(l, o->at, 1, "this '{' of an f-string is never closed");
    if (l->in_line) {
        l->in_line = false;
        l->line_start = true;
        return token(TOK_NEWLINE, l->at, 0);
    }
    return token(TOK_END, l->at, 0);
}

static Token lex_any(Lexer *l) {
    if (top(l) && (top(l)->kind == OPEN_TEXT || top(l)->kind == OPEN_SPEC)) return lex_text(l);
    if (l->line_start) {
        bool deeper = false;
        if (!start_line(l, &deeper)) return token(TOK_ERROR, l->where.at, l->where.len);
        if (deeper) return token(TOK_INDENT, l->at, 0);
    }
    if (l->dedents) return l->dedents--, token(TOK_DEDENT, l->at, 0);
    if (!skip_blank(l)) return token(TOK_ERROR, l->where.at, l->where.len);
    if (l->at == l->source.len) return lex_end(l);
    int br = break_here(l);
    if (br) {
        l->in_line = false;
        l->line_start = true;
        return take(l, TOK_NEWLINE, (uint32_t)br);
    }
    l->in_line = true;
    int c = peek(l, 0);
    if (is_digit(c) || (c == '.' && is_digit(peek(l, 1)))) return lex_number(l);
    int prefix = string_prefix(l);
    if (prefix >= 0) return lex_string(l, (uint32_t)prefix);
    if (is_letter(c) || c >= 0x80) return lex_name(l);
    return lex_punct(l);
}

// "# -*- coding: NAME -*-" in one of the first two lines: Python would read the file in that encoding, and
// might see another program than we do. Where the name stands, or an empty text; a second line counts behind
// a comment only.
static Str encoding_declared(Str s) {
    for (int line = 0; line < 2; line++) {
        size_t at = 0, len = 0;
        while (len < s.len && !line_break(s.p + len, s.p + s.len)) len++;
        while (at < len && (s.p[at] == ' ' || s.p[at] == '\t' || s.p[at] == '\f')) at++;
        if (at < len && s.p[at] != '#') return (Str){0};
        for (; at + 7 < len; at++) {
            if (memcmp(s.p + at, "coding", 6) != 0 || (s.p[at + 6] != ':' && s.p[at + 6] != '=')) continue;
            size_t from = at + 7;
            while (from < len && (s.p[from] == ' ' || s.p[from] == '\t')) from++;
            size_t to = from;
            while (to < len && (is_letter(s.p[to]) || is_digit(s.p[to]) || s.p[to] == '-' || s.p[to] == '.'))
                to++;
            if (to > from) return (Str){s.p + from, to - from};
        }
        len += len < s.len ? (size_t)line_break(s.p + len, s.p + s.len) : 0;
        s = (Str){s.p + len, s.len - len};
    }
    return (Str){0};
}

static bool is_utf8_name(Str s) {
    static const char *const name[] = {"utf-8", "utf8", "utf_8", "UTF-8", "UTF8", "UTF_8"};
    for (size_t i = 0; i < sizeof name / sizeof *name; i++)
        if (str_is(s, name[i])) return true;
    return false;
}

void lex_start(Lexer *l, Str source) {
    assert(source.len <= SOURCE_MAX);
    *l = (Lexer){.source = source, .line_start = true};
    if (str_starts(source, "\xef\xbb\xbf")) l->at = 3;
    Str encoding = encoding_declared((Str){source.p + l->at, source.len - l->at});
    if (encoding.len && !is_utf8_name(encoding))
        lex_fail(l, (uint32_t)(encoding.p - source.p), (uint32_t)encoding.len,
                 "kernel files are UTF-8: another encoding is not read");
}

Token lex_next(Lexer *l) {
    if (l->error[0]) return token(TOK_ERROR, l->where.at, l->where.len);
    if (l->tokens++ == TOKENS_MAX) return lex_fail(l, l->at, 0, "more than %d tokens", TOKENS_MAX);
    return lex_any(l);
}
