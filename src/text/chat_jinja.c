#include "text/chat_jinja.h"

enum { JINJA_MAX = 256 << 10, TAGS_MAX = 4096, DEPTH_MAX = 32 };

typedef struct {
    char kind; // '%' a statement, '{' an output
    Str text;  // in normal form, without the braces
    Str word;  // its first word, of a statement
} Tag;

typedef struct {
    Arena *arena;
    Tag *tag;
    int tags, at;
    Err *e;
} Reader;

static bool refuse(Reader *r, const char *what) {
    return err_set(r->e, ERR_INPUT, "chat template: %s", what);
}

// What may be part of a longer operator.
static bool is_sign(char c) { return c && strchr("=<>!*/|{}%-+~#", c); }
static bool is_blank(char c) { return c == ' ' || c == '\n' || c == '\t' || c == '\r'; }

// ---- tags in normal form ----

// A literal at s.p[*i], with single quotes; what it holds stays as it is written.
static bool put_string(Reader *r, Str s, size_t *i, Buf *out) {
    char quote = s.p[(*i)++];
    buf_putc(out, '\'');
    for (; *i < s.len && s.p[*i] != quote; ++*i) {
        char c = s.p[*i];
        if (c == '\\' && *i + 1 < s.len) {
            char next = s.p[++*i];
            if (next != '"') buf_putc(out, '\\');
            buf_putc(out, next);
        } else {
            if (c == '\'') buf_putc(out, '\\');
            buf_putc(out, c);
        }
    }
    if (*i == s.len) return refuse(r, "a string without an end");
    ++*i;
    buf_putc(out, '\'');
    return true;
}

static size_t behind_blanks(Str s, size_t i) {
    while (i < s.len && is_blank(s.p[i])) i++;
    return i;
}

// ['name'] behind a value is .name.
static bool put_subscript(Str s, size_t *i, Buf *out) {
    size_t k = behind_blanks(s, *i + 1);
    if (!out->len || (!char_is_word(out->p[out->len - 1]) && out->p[out->len - 1] != ']')) return false;
    if (k >= s.len || (s.p[k] != '\'' && s.p[k] != '"')) return false;
    char quote = s.p[k];
    size_t from = ++k;
    while (k < s.len && char_is_word(s.p[k])) k++;
    if (k == from || k >= s.len || s.p[k] != quote) return false;
    size_t end = behind_blanks(s, k + 1);
    if (end >= s.len || s.p[end] != ']') return false;
    buf_putc(out, '.');
    buf_put(out, s.p + from, k - from);
    *i = end + 1;
    return true;
}

static bool put_code(Reader *r, Str s, Buf *out) {
    bool apart = false;
    for (size_t i = 0; i < s.len;) {
        char c = s.p[i];
        if (is_blank(c)) {
            apart = true;
            i++;
            continue;
        }
        if (c == '\'' || c == '"') {
            if (!put_string(r, s, &i, out)) return false;
        } else if (c != '[' || !put_subscript(s, &i, out)) {
            char last = out->len ? out->p[out->len - 1] : ' ';
            if (apart && ((char_is_word(c) && char_is_word(last)) || (is_sign(c) && is_sign(last))))
                buf_putc(out, ' ');
            buf_putc(out, c);
            i++;
        }
        apart = false;
    }
    return true;
}

// Where a tag ends: at its closing mark outside of strings. s begins behind the opening one.
static bool tag_end(Str s, const char *mark, size_t *end) {
    char quote = 0;
    for (size_t i = 0; i + 1 < s.len; i++) {
        char c = s.p[i];
        if (quote) {
            if (c == '\\')
                i++;
            else if (c == quote)
                quote = 0;
        } else if (s.p[i] == mark[0] && s.p[i + 1] == mark[1]) {
            return *end = i, true;
        } else if (c == '\'' || c == '"') {
            quote = c;
        }
    }
    return false;
}

static bool add_tag(Reader *r, char kind, Str code) {
    if (r->tags == TAGS_MAX) return refuse(r, "too many tags");
    Buf b = BUF(r->arena);
    if (!put_code(r, code, &b)) return false;
    Tag t = {.kind = kind, .text = buf_str(&b)};
    size_t n = 0;
    while (n < t.text.len && char_is_word(t.text.p[n])) n++;
    t.word = (Str){t.text.p, kind == '%' ? n : 0};
    r->tag[r->tags++] = t;
    return true;
}

// Whether nothing is written of the blanks between two tags, by the rules that templates of models are read
// with: a `-` takes all of them; else a statement or comment takes a newline right behind it, and one that
// begins its line the spaces before it (Jinja's trim_blocks and lstrip_blocks). before, behind: kinds of the
// tags, 0: the file's ends.
static bool taken(Str blanks, char before, char behind) {
    bool line = !before;
    if ((before == '%' || before == '#') && blanks.len && *blanks.p == '\n') {
        blanks = (Str){blanks.p + 1, blanks.len - 1};
        line = true;
    } else if (!behind && blanks.len == 1 && *blanks.p == '\n') {
        return true; // the last newline of the file
    }
    while (line && (behind == '%' || behind == '#') && blanks.len && (*blanks.p == ' ' || *blanks.p == '\t'))
        blanks = (Str){blanks.p + 1, blanks.len - 1};
    return !blanks.len;
}

// Between tags there is nothing that is written: text that is written as it stands is in none of the
// templates we know.
static bool read_tags(Reader *r, Str s) {
    bool eats = false;
    char before = 0;
    for (size_t i = 0; i < s.len;) {
        size_t from = i;
        while (i < s.len && is_blank(s.p[i])) i++;
        Str blanks = {s.p + from, i - from};
        if (i == s.len) return eats || taken(blanks, before, 0) || refuse(r, "blanks at the end");
        if (i + 2 >= s.len || s.p[i] != '{' || !s.p[i + 1] || !strchr("{%#", s.p[i + 1]))
            return refuse(r, "text outside of tags");
        char kind = s.p[i + 1];
        char mark[3] = {kind == '{' ? '}' : kind, '}', 0};
        i += 2;
        bool eats_before = s.p[i] == '-';
        if (!eats && !eats_before && !taken(blanks, before, kind))
            return refuse(r, "blanks that are written");
        before = kind;
        i += eats_before;
        Str rest = {s.p + i, s.len - i};
        size_t end;
        if (kind == '#') {
            const char *p = memmem(rest.p, rest.len, "#}", 2);
            if (!p) return refuse(r, "a comment without an end");
            end = (size_t)(p - rest.p);
        } else if (!tag_end(rest, mark, &end)) {
            return refuse(r, "a tag without an end");
        }
        eats = end && rest.p[end - 1] == '-';
        if (kind != '#' && !add_tag(r, kind, (Str){rest.p, end - eats})) return false;
        i += end + 2;
    }
    return true;
}

// ---- what can run ----

// For turns of the roles system and user, contents that are strings, and no tools.
static const char *const NEVER[] = {
    "tools",
    "tools and tools is iterable and tools is not mapping",
    "tools is not none and not tools_in_user_message",
    "tools_in_user_message and not tools is none",
    "custom_tools is defined",
    "builtin_tools is defined",
    "builtin_tools is defined or tools is not none",
    "message.role=='assistant'",
    "message.role=='tool'",
    "message.role=='tool'or message.role=='ipython'",
    "'tool_calls'in message",
};
static const char *const ALWAYS[] = {"content is string", "message.content is string"};

static bool put_block(Reader *r, Buf *out, int depth);

// Code and the end of its tag, apart where they would be read as one.
static void put_ended(Str code, char kind, Buf *out) {
    buf_str_put(out, code);
    if (code.len && strchr("-+%}", code.p[code.len - 1])) buf_putc(out, ' ');
    buf_puts(out, kind == '%' ? "%}" : "}}");
}

static void put_tag(const Tag *t, Buf *out) {
    buf_printf(out, "{%c", t->kind);
    if (t->text.len && (*t->text.p == '-' || *t->text.p == '+')) buf_putc(out, ' ');
    put_ended(t->text, t->kind, out);
}

static Str behind_word(const Tag *t) {
    size_t n = t->word.len;
    if (n < t->text.len && t->text.p[n] == ' ') n++;
    return (Str){t->text.p + n, t->text.len - n};
}

// if, elif, else, endif; at the if.
static bool put_chain(Reader *r, Buf *out, int depth) {
    bool some = false, decided = false, last = false;
    for (;;) {
        const Tag *t = &r->tag[r->at++];
        bool bare = str_is(t->word, "endif") || str_is(t->word, "else");
        if (bare && !str_eq(t->word, t->text)) return refuse(r, "branches in disorder");
        if (str_is(t->word, "endif")) break;
        if (last || !(str_is(t->word, "if") || str_is(t->word, "elif") || str_is(t->word, "else")))
            return refuse(r, "branches in disorder");
        last = str_is(t->word, "else");
        Str when = behind_word(t);
        bool never = !last && str_is_any(when, NEVER, sizeof NEVER / sizeof *NEVER);
        bool always = last || str_is_any(when, ALWAYS, sizeof ALWAYS / sizeof *ALWAYS);
        Buf body = BUF(r->arena);
        if (!put_block(r, &body, depth + 1)) return false;
        if (r->at == r->tags) return refuse(r, "an if without an end");
        if (decided || never) continue;
        decided = always;
        if (!always) {
            buf_puts(out, some ? "{%elif" : "{%if");
            if (when.len && char_is_word(when.p[0])) buf_putc(out, ' ');
            put_ended(when, '%', out);
        } else if (some) {
            buf_puts(out, "{%else%}");
        }
        buf_str_put(out, buf_str(&body));
        some |= !always;
    }
    if (some) buf_puts(out, "{%endif%}");
    return true;
}

// Up to a tag that ends or divides a block, or the end.
static bool put_block(Reader *r, Buf *out, int depth) {
    if (depth > DEPTH_MAX) return refuse(r, "nested too deeply");
    while (r->at < r->tags) {
        const Tag *t = &r->tag[r->at];
        if (t->kind == '%' &&
            (str_is(t->word, "elif") || str_is(t->word, "else") || str_starts(t->word, "end")))
            return true;
        if (t->kind == '%' && str_is(t->word, "if")) {
            if (!put_chain(r, out, depth)) return false;
            continue;
        }
        put_tag(t, out);
        r->at++;
        bool block = t->kind == '%' && (str_is(t->word, "for") || str_is(t->word, "macro") ||
                                        (str_is(t->word, "set") && !memchr(t->text.p, '=', t->text.len)));
        if (!block) continue;
        if (!put_block(r, out, depth + 1)) return false;
        const Tag *end = &r->tag[r->at];
        if (r->at == r->tags || !str_starts(end->word, "end") ||
            !str_eq(t->word, (Str){end->word.p + 3, end->word.len - 3}))
            return refuse(r, "a block without its end");
        put_tag(end, out);
        r->at++;
    }
    return true;
}

bool jinja_live(Arena *a, Str jinja, Buf *out, Err *e) {
    Reader r = {.arena = a, .e = e};
    if (jinja.len > JINJA_MAX)
        return err_set(e, ERR_LIMIT, "chat template: %zu bytes, at most %d are supported", jinja.len,
                       JINJA_MAX);
    r.tag = NEWN(a, Tag, TAGS_MAX);
    return read_tags(&r, jinja) && put_block(&r, out, 0) &&
           (r.at == r.tags || refuse(&r, "an end of nothing"));
}
