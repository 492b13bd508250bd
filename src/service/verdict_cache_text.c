// A sentence about a program, said again about another spelling of it: its place is another one there. A
// sentence that holds a word which is also the name of a variable is not said again, since the word may be
// the variable's name or Triton's own ("`other` cannot be provided without `mask`").
#include <stdlib.h>

#include "lang/canon.h"
#include "service/verdict_cache.h"

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

static bool is_variable(const CanonMap *m, Str word) {
    for (int i = 0; i < m->names; i++)
        if (str_eq(m->name[i], word)) return true;
    return false;
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
            buf_putc(&b, c);
            if (c == '$') buf_putc(&b, c);
            i++;
            continue;
        }
        size_t end = i;
        while (end < feedback.len && in_name(feedback.p[end])) end++;
        Str word = {feedback.p + i, end - i};
        bool member = i && feedback.p[i - 1] == '.'; // of something, whatever variables are called
        if (!member && is_variable(&map, word)) return false;
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
            continue;
        }
        i++;
        if (next == '$')
            buf_putc(out, '$');
        else if (next == '@' && s->node >= 0)
            buf_puts(out, place_text(a, source, map.span[s->node].at));
        else
            return false; // an altered record
    }
    return out->len <= FEEDBACK_MAX;
}
