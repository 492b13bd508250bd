// A sentence about a program, said again about another spelling of it. Candidates choose their names, so the
// words of a sentence are only taken for names inside quotes, and only where one variable has that name.
#include <stdlib.h>

#include "lang/canon.h"
#include "referee/memo.h"

static bool map_of(Arena *a, Str source, CanonMap *map) {
    DiagList diags = DIAGS(a);
    const Node *module = parse_module(a, source, &diags);
    if (!module) return false;
    Buf text = BUF(a);
    *map = (CanonMap){.arena = a};
    print_canonical_map(&text, module, map);
    return true;
}

static bool in_name(char c) {
    unsigned char u = (unsigned char)c;
    return u >= 0x80 || u == '_' || (u >= '0' && u <= '9') || ((u | 32) >= 'a' && (u | 32) <= 'z');
}

// The first node that is exactly this place, else the first that starts there.
static int node_at(const CanonMap *m, Span place) {
    int starts = -1;
    for (int i = 0; i < m->spans; i++) {
        if (m->span[i].at != place.at || !m->span[i].len) continue;
        if (m->span[i].len == place.len) return i;
        if (starts < 0) starts = i;
    }
    return starts;
}

static const char *place_text(Arena *a, Str source, uint32_t at) {
    LineCol where = line_col(source, at);
    return arena_printf(a, "line %d:%d", where.line, where.col);
}

// How many variables have the name; *number is one of them.
static int variables(const CanonMap *m, Str word, int *number) {
    int n = 0;
    for (int i = 0; i < m->names; i++)
        if (str_eq(m->name[i], word)) *number = i, n++;
    return n;
}

static bool says_line(Str s, size_t i) { // another place than the finding's
    return s.len - i > 5 && memcmp(s.p + i, "line ", 5) == 0 && s.p[i + 5] >= '0' && s.p[i + 5] <= '9';
}

bool said_of(Arena *a, Str source, Str feedback, bool placed, Span place, Said *out) {
    CanonMap map;
    if (!map_of(a, source, &map)) return false;
    *out = (Said){.node = placed ? node_at(&map, place) : -1, .nodes = map.spans};
    if (placed && out->node < 0) return false;
    const char *where = placed ? place_text(a, source, place.at) : "";
    Buf b = BUF(a);
    char quote = 0;
    bool placed_once = false;
    for (size_t i = 0; i < feedback.len;) {
        char c = feedback.p[i];
        size_t len = strlen(where);
        bool here = len && !placed_once && feedback.len - i > len &&
                    memcmp(feedback.p + i, where, len) == 0 && !in_name(feedback.p[i + len]);
        if (here) {
            buf_puts(&b, "$@");
            i += len;
            placed_once = true;
            continue;
        }
        if (says_line(feedback, i)) return false;
        if (!in_name(c)) {
            if (c == quote)
                quote = 0;
            else if (!quote && (c == '\'' || c == '`' || c == '"') && !(i && in_name(feedback.p[i - 1])))
                quote = c; // and no apostrophe
            buf_putc(&b, c);
            if (c == '$') buf_putc(&b, c);
            i++;
            continue;
        }
        size_t end = i;
        while (end < feedback.len && in_name(feedback.p[end])) end++;
        Str word = {feedback.p + i, end - i};
        bool member = i && feedback.p[i - 1] == '.'; // of something, whatever variables are called
        int number = -1, many = member ? 0 : variables(&map, word, &number);
        if (many > 1 || (many == 1 && !quote)) return false;
        if (many)
            buf_printf(&b, "$%d", number);
        else
            buf_str_put(&b, word);
        i = end;
    }
    if (placed && !placed_once) return false;
    out->said = buf_str(&b);
    return true;
}

bool said_about(Arena *a, Str source, const Said *s, Buf *out) {
    CanonMap map;
    if (!map_of(a, source, &map) || map.spans != s->nodes || s->node >= map.spans) return false;
    for (size_t i = 0; i < s->said.len; i++) {
        char c = s->said.p[i], next = i + 1 < s->said.len ? s->said.p[i + 1] : 0;
        if (c != '$') {
            buf_putc(out, c);
        } else if (next == '$') {
            buf_putc(out, '$');
            i++;
        } else if (next == '@' && s->node >= 0) {
            buf_puts(out, place_text(a, source, map.span[s->node].at));
            i++;
        } else {
            int number = 0, digits = 0;
            for (; digits < 7 && i + 1 < s->said.len && s->said.p[i + 1] >= '0' && s->said.p[i + 1] <= '9';
                 i++)
                number = number * 10 + (s->said.p[i + 1] - '0'), digits++;
            if (!digits || number >= map.names) return false;
            buf_str_put(out, map.name[number]);
        }
    }
    return out->len <= FEEDBACK_MAX;
}
