// String literals and f-strings.
#include "lang/parse/parse.h"
#include "lang/text.h"

static int hex_digit(char c) {
    if (c >= '0' && c <= '9') return c - '0';
    c |= 32;
    return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

// A literal's text without prefix and quotes, or a piece of an f-string.
typedef struct {
    Str text;
    bool raw, bytes;
    bool braces; // `{{` and `}}` stand for one brace
} Piece;

static Piece string_piece(Str s) {
    Piece piece = {0};
    for (; *s.p != '"' && *s.p != '\''; s.p++, s.len--) {
        piece.raw |= (*s.p | 32) == 'r';
        piece.bytes |= (*s.p | 32) == 'b';
    }
    size_t quotes = s.len >= 6 && s.p[1] == s.p[0] && s.p[2] == s.p[0] ? 3 : 1;
    piece.text = (Str){s.p + quotes, s.len - 2 * quotes};
    return piece;
}

// `count` hexadecimal digits at s[i + 2], the i-th character being a backslash.
static bool hex_escape(Parser *p, Buf *out, const Piece *piece, size_t i, size_t count) {
    Str s = piece->text;
    uint32_t code = 0;
    uint32_t start = (uint32_t)(s.p + i - p->source.p);
    for (size_t k = 0; k < count; k++) {
        int digit = i + 2 + k < s.len ? hex_digit(s.p[i + 2 + k]) : -1;
        if (digit < 0)
            return fail(p, (Span){start, (uint32_t)(2 + k)}, "'\\%c' needs %zu hexadecimal digits",
                        s.p[i + 1], count);
        code = code << 4 | (uint32_t)digit;
    }
    Span span = {start, (uint32_t)(2 + count)};
    if (code > 0x10ffff) return fail(p, span, "there is no character U+%X", code);
    if (code >= 0xd800 && code < 0xe000)
        return fail(p, span, "U+%04X is half of a surrogate pair, no character", code);
    if (piece->bytes)
        buf_putc(out, (char)code);
    else
        utf8_put(out, code);
    return true;
}

// Up to three octal digits at s[i + 1]; the number of them.
static size_t octal_escape(Buf *out, const Piece *piece, size_t i) {
    Str s = piece->text;
    uint32_t code = 0;
    size_t k = 0;
    while (k < 3 && i + 1 + k < s.len && s.p[i + 1 + k] >= '0' && s.p[i + 1 + k] <= '7')
        code = code * 8 + (uint32_t)(s.p[i + 1 + k++] - '0');
    if (piece->bytes)
        buf_putc(out, (char)(code & 0xff));
    else
        utf8_put(out, code);
    return k;
}

// Appends what the escape at s[i] stands for; its length in the source, 0 after an error.
static size_t decode_escape(Parser *p, Buf *out, const Piece *piece, size_t i) {
    Str s = piece->text;
    static const char plain[] = "\\\\''\"\"a\ab\bf\fn\nr\rt\tv\v";
    int br = line_break(s.p + i + 1, s.p + s.len);
    if (br) return 1 + (size_t)br;
    char c = i + 1 < s.len ? s.p[i + 1] : 0;
    for (const char *k = plain; *k; k += 2)
        if (c == *k) return buf_putc(out, k[1]), 2;
    if (c >= '0' && c <= '7') return 1 + octal_escape(out, piece, i);
    if (c == 'x') return hex_escape(p, out, piece, i, 2) ? 4 : 0;
    if (c == 'u' && !piece->bytes) return hex_escape(p, out, piece, i, 4) ? 6 : 0;
    if (c == 'U' && !piece->bytes) return hex_escape(p, out, piece, i, 8) ? 10 : 0;
    if (c == 'N' && !piece->bytes) {
        fail(p, (Span){(uint32_t)(s.p + i - p->source.p), 2}, "escapes by character name are not supported");
        return 0;
    }
    buf_putc(out, '\\'); // Python keeps the backslash of an escape that it does not know
    return 1;
}

static bool needs_decoding(const Piece *piece) {
    Str s = piece->text;
    if (!s.len) return false;
    if (memchr(s.p, '\r', s.len) || (!piece->raw && memchr(s.p, '\\', s.len))) return true;
    return piece->braces && (memchr(s.p, '{', s.len) || memchr(s.p, '}', s.len));
}

static bool decode(Parser *p, Buf *out, const Piece *piece) {
    Str s = piece->text;
    if (!needs_decoding(piece)) return buf_str_put(out, s), true;
    for (size_t i = 0; i < s.len;) {
        char c = s.p[i];
        int br = line_break(s.p + i, s.p + s.len);
        if (br) {
            buf_putc(out, '\n');
            i += (size_t)br;
        } else if (c == '\\' && !piece->raw) {
            size_t used = decode_escape(p, out, piece, i);
            if (!used) return false;
            i += used;
        } else {
            buf_putc(out, c);
            i += piece->braces && (c == '{' || c == '}') ? 2 : 1;
        }
    }
    return true;
}

static bool ascii_only(Parser *p, const Piece *piece) {
    for (size_t i = 0; i < piece->text.len; i++)
        if ((unsigned char)piece->text.p[i] >= 0x80)
            return fail(p, (Span){(uint32_t)(piece->text.p + i - p->source.p), 1},
                        "bytes hold ASCII characters only");
    return true;
}

static bool is_blank_line(const char *p, const char *end) {
    const char *from = p;
    while (p < end && (*p == ' ' || *p == '\t')) p++;
    return p > from && line_break(p, end);
}

// A pattern of Triton's takes the first line that reads like a `def`, from the first decorator on, and
// another one empties lines of blanks. Neither knows strings.
static bool lines_kept(Parser *p, Token t) {
    Str s = token_str(p, t);
    bool docstring = t.at == p->statement && p->next.kind == TOK_NEWLINE;
    if ((!p->in_decorator && !p->in_def) || docstring) return true;
    for (size_t i = 0; i < s.len; i++) {
        int br = line_break(s.p + i, s.p + s.len);
        if (!br) continue;
        if (p->in_decorator)
            return fail(p, token_span(t), "a string above a function must not run over several lines");
        if (is_blank_line(s.p + i + br, s.p + s.len))
            return fail(p, token_span(t), "a string of a function must not hold a line of blanks: write \\n");
    }
    return true;
}

// ---- f-strings

// Pieces of an f-string under construction: literal text gathers in `text` until an expression follows.
typedef struct {
    Buf text;
    uint32_t text_at;
} Joined;

static bool flush_text(Parser *p, Joined *j) {
    if (!j->text.len) return true;
    Node *n = node_new(p, NODE_STRING, j->text_at);
    n->string.text = buf_str(&j->text);
    j->text = BUF(p->arena);
    if (!node_done(p, n)) return false;
    push(p, n);
    return true;
}

static bool add_text(Parser *p, Joined *j, const Piece *piece, uint32_t where) {
    if (!j->text.len) j->text_at = where;
    return decode(p, &j->text, piece);
}

static Node *parse_spec(Parser *p, bool raw);

// The conversion and specification after the expression. Returns the expression, wrapped if there are any.
static Node *parse_format(Parser *p, Node *value, uint32_t start, bool shows_source, bool raw) {
    Node *n = node_new(p, NODE_FORMAT, start);
    n->format.value = value;
    if (accept(p, TOK_BANG)) {
        Str s = token_str(p, p->tok);
        bool known = at(p, TOK_NAME) && s.len == 1 && (*s.p == 'r' || *s.p == 's' || *s.p == 'a');
        if (!known || p->tok.at != p->prev_end) return fail_token(p, "'r', 's' or 'a' right after '!'");
        n->format.conversion = *s.p;
        advance(p);
    }
    if (at(p, TOK_COLON)) {
        advance(p);
        n->format.spec = parse_spec(p, raw);
        if (!n->format.spec) return NULL;
    }
    if (shows_source && !n->format.conversion && !n->format.spec) n->format.conversion = 'r';
    if (!n->format.conversion && !n->format.spec) return value;
    return node_done(p, n);
}

// `{expression}` with its variants, the `{` not taken yet. Pushes at most two pieces.
static bool parse_field(Parser *p, Joined *j, bool raw) {
    Token open = p->tok;
    advance(p);
    if (at(p, TOK_RBRACE) || at(p, TOK_BANG) || at(p, TOK_COLON))
        return fail_token(p, "an expression in the braces of the f-string");
    if (at(p, TOK_LAMBDA)) // its colon would start the format specification
        return fail(p, token_span(p->tok), "a lambda in the braces of an f-string needs parentheses");
    uint32_t text_at = open.at + 1, start = p->tok.at;
    if (!enter(p)) return false;
    Node *value = parse_value(p);
    if (!value) return false;
    leave(p);
    bool shows_source = accept(p, TOK_ASSIGN);
    // An error's token points to what it is about, perhaps to the quote that nothing closes.
    if (shows_source && at(p, TOK_ERROR)) return fail_token(p, "'}'");
    if (shows_source) {
        Piece shown = {.text = {p->source.p + text_at, p->tok.at - text_at}, .raw = true};
        if (!add_text(p, j, &shown, text_at)) return false;
    }
    value = parse_format(p, value, start, shows_source, raw);
    if (!value) return false;
    if (!expect(p, TOK_RBRACE, "after the expression of the f-string")) return false;
    if (value->kind == NODE_STRING && !value->string.bytes) { // {"text"}: no different from text
        if (!j->text.len) j->text_at = start;
        buf_str_put(&j->text, value->string.text);
        return true;
    }
    if (!flush_text(p, j)) return false;
    push(p, value);
    return true;
}

static Node *parse_spec(Parser *p, bool raw) {
    if (!enter(p)) return NULL;
    Node *n = node_new(p, NODE_FSTRING, p->tok.at);
    int mark = p->top;
    Joined j = {.text = BUF(p->arena)};
    while (!at(p, TOK_RBRACE)) {
        if (at(p, TOK_FTEXT)) {
            if (!lines_kept(p, p->tok)) return NULL;
            Piece piece = {.text = token_str(p, p->tok), .raw = raw};
            if (!add_text(p, &j, &piece, p->tok.at)) return NULL;
            advance(p);
        } else if (at(p, TOK_LBRACE)) {
            if (!parse_field(p, &j, raw)) return NULL;
        } else
            return fail_token(p, "'}' after the format specification");
    }
    if (!flush_text(p, &j)) return NULL;
    n->items = pop_list(p, mark);
    leave(p);
    return node_done(p, n);
}

// One f-string: its pieces go to the stack, or to the text that is still open.
static bool parse_fstring(Parser *p, Joined *j) {
    Str start = token_str(p, p->tok);
    bool raw = (start.p[0] | 32) == 'r' || (start.len > 1 && (start.p[1] | 32) == 'r');
    advance(p);
    while (!accept(p, TOK_FEND)) {
        if (at(p, TOK_FTEXT)) {
            if (!lines_kept(p, p->tok)) return false;
            Piece piece = {.text = token_str(p, p->tok), .raw = raw, .braces = true};
            if (!add_text(p, j, &piece, p->tok.at)) return false;
            advance(p);
        } else if (at(p, TOK_LBRACE)) {
            if (!parse_field(p, j, raw)) return false;
        } else
            return fail_token(p, "the end of the f-string");
    }
    return true;
}

// A lone literal without escapes borrows its text from the source.
static Node *parse_lone_string(Parser *p) {
    Piece piece = string_piece(token_str(p, p->tok));
    if (!lines_kept(p, p->tok) || (piece.bytes && !ascii_only(p, &piece))) return NULL;
    Node *n = node_new(p, NODE_STRING, p->tok.at);
    n->string.bytes = piece.bytes;
    n->string.text = piece.text;
    if (needs_decoding(&piece)) {
        Buf text = BUF(p->arena);
        if (!decode(p, &text, &piece)) return NULL;
        n->string.text = buf_str(&text);
    }
    advance(p);
    return node_done(p, n);
}

Node *parse_strings(Parser *p) {
    if (at(p, TOK_STRING) && p->next.kind != TOK_STRING && p->next.kind != TOK_FSTART)
        return parse_lone_string(p);
    Node *n = node_new(p, NODE_STRING, p->tok.at);
    int mark = p->top;
    Joined j = {.text = BUF(p->arena), .text_at = p->tok.at};
    bool text = false, bytes = false, fields = false;
    while (at(p, TOK_STRING) || at(p, TOK_FSTART)) {
        Token t = p->tok;
        bool is_bytes = false;
        if (at(p, TOK_FSTART)) {
            fields = true;
            if (!parse_fstring(p, &j)) return NULL;
        } else {
            Piece piece = string_piece(token_str(p, t));
            if (!lines_kept(p, t)) return NULL;
            is_bytes = piece.bytes;
            if (is_bytes && !ascii_only(p, &piece)) return NULL;
            if (!add_text(p, &j, &piece, t.at)) return NULL;
            advance(p);
        }
        text |= !is_bytes;
        bytes |= is_bytes;
        if (text && bytes) return fail(p, token_span(t), "bytes and text cannot be joined");
    }
    if (!fields) {
        n->string.text = buf_str(&j.text);
        n->string.bytes = bytes;
        return node_done(p, n);
    }
    if (!flush_text(p, &j)) return NULL;
    n->kind = NODE_FSTRING;
    n->items = pop_list(p, mark);
    return node_done(p, n);
}
