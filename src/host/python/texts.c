// Methods of texts that take them apart. A number that was made a text could be asked for its digits that way
// without a condition that shows it, so they are for texts that are written down, or name a dtype or device.
#include "host/python/api.h"

static bool is_written_text(Value v) { return v.kind == V_STR && v.written; }
static Value written(Str s) {
    Value v = value_str(s);
    v.written = true;
    return v;
}

// The receiver and all arguments that are texts.
static bool need_written(Call *c, int args) {
    for (int i = 0; i < args; i++) {
        if (c->arg[i].kind == V_NONE) continue;
        if (c->arg[i].kind != V_STR) return wrong_type(c, c->arg[i], "a text");
        if (!is_written_text(c->arg[i]))
            return host_unsupported(
                c->in, c->at,
                "`.%.*s` of a text that may hold a number's digits: ask the number itself, by "
                "//, %% and comparisons",
                STR_ARG(c->name));
    }
    return host_work(c->in, c->at, 1 + (int64_t)c->arg[0].s.len / 4);
}

// How often: all, or once. Another number would say by its size what comes out.
static bool need_times(Call *c, Value v, bool *once) {
    int64_t n;
    if (!value_as_int(v, &n)) return wrong_type(c, v, "an integer");
    if (n != -1 && n != 1)
        return host_unsupported(c->in, c->at, "`.%.*s` takes no other count than 1 here", STR_ARG(c->name));
    return *once = n == 1, true;
}

static bool is_blank(char c) { return c == ' ' || (c >= '\t' && c <= '\r') || (c >= 0x1c && c <= 0x1f); }

// Where `part` stands in `s`, from a place on; s.len where it does not.
static size_t find(Str s, Str part, size_t from) {
    const char *p = from <= s.len ? memmem(s.p + from, s.len - from, part.p, part.len) : NULL;
    return p ? (size_t)(p - s.p) : s.len;
}

static bool push(Call *c, Value *out, const char *from, const char *to) {
    return seq_push(c->in, c->at, out->seq, written((Str){from, (size_t)(to - from)}));
}

static bool split_blanks(Call *c, Str s, bool once, Value *out) {
    const char *p = s.p, *end = s.p + s.len;
    for (int n = 0;; n++) {
        while (p < end && is_blank(*p)) p++;
        const char *from = p;
        if (p == end) return true;
        if (once && n == 1) {
            while (is_blank(end[-1])) end--;
            return push(c, out, from, end);
        }
        while (p < end && !is_blank(*p)) p++;
        if (!push(c, out, from, p)) return false;
    }
}

bool api_str_split(Call *c, Value *out) {
    bool once;
    if (!need_written(c, 2) || !need_times(c, c->arg[2], &once)) return false;
    Str s = c->arg[0].s, by = c->arg[1].s;
    for (size_t i = 0; i < s.len; i++) // Unicode has blanks of its own
        if ((s.p[i] & 0x80) && c->arg[1].kind == V_NONE)
            return host_unsupported(c->in, c->at, "blanks beyond ASCII are not known here");
    if (!seq_new(c->in, c->at, V_LIST, 0, out)) return false;
    if (c->arg[1].kind == V_NONE) return split_blanks(c, s, once, out);
    if (!by.len) return host_raise(c->in, c->at, "ValueError: empty separator");
    size_t from = 0;
    for (size_t at = find(s, by, 0); at < s.len; at = once ? s.len : find(s, by, from)) {
        if (!push(c, out, s.p + from, s.p + at)) return false;
        from = at + by.len;
    }
    return push(c, out, s.p + from, s.p + s.len);
}

bool api_str_strip(Call *c, Value *out) {
    if (!need_written(c, 2)) return false;
    Str s = c->arg[0].s, chars = c->arg[1].s;
    bool blanks = c->arg[1].kind == V_NONE;
    for (size_t i = 0; i < s.len + (blanks ? 0 : chars.len); i++)
        if ((i < s.len ? s.p[i] : chars.p[i - s.len]) & 0x80)
            return host_unsupported(c->in, c->at, "letters beyond ASCII are not taken off here");
#define GOES(x) (blanks ? is_blank(x) : chars.len && memchr(chars.p, (x), chars.len) != NULL)
    while (!str_is(c->name, "rstrip") && s.len && GOES(s.p[0])) s.p++, s.len--;
    while (!str_is(c->name, "lstrip") && s.len && GOES(s.p[s.len - 1])) s.len--;
#undef GOES
    return *out = written(s), true;
}

bool api_str_replace(Call *c, Value *out) {
    bool once;
    if (!need_written(c, 3) || !need_times(c, c->arg[3], &once)) return false;
    Str s = c->arg[0].s, old = c->arg[1].s, by = c->arg[2].s;
    if (c->arg[1].kind != V_STR || c->arg[2].kind != V_STR) return wrong_type(c, NONE_VALUE, "a text");
    if (!old.len) return host_unsupported(c->in, c->at, "`.replace` of nothing");
    Buf text = BUF(c->in->arena);
    size_t from = 0;
    for (size_t at = find(s, old, 0); at < s.len; at = once ? s.len : find(s, old, from)) {
        size_t more = at - from + by.len;
        if (text.len + more + s.len > STRING_MAX || more > c->in->heap_left)
            return host_raise(c->in, c->at, "MemoryError: a string of host code may take 1 MiB");
        c->in->heap_left -= more;
        if (!host_work(c->in, c->at, 1 + (int64_t)more / 16)) return false;
        buf_put(&text, s.p + from, at - from);
        buf_str_put(&text, by);
        from = at + old.len;
    }
    if (!from) return *out = c->arg[0], true;
    buf_put(&text, s.p + from, s.len - from);
    return *out = written(buf_str(&text)), true;
}

bool api_str_digits(Call *c, Value *out) {
    if (!need_written(c, 1)) return false;
    Str s = c->arg[0].s;
    bool all = s.len > 0;
    for (size_t i = 0; i < s.len; i++) {
        if (s.p[i] & 0x80) return host_unsupported(c->in, c->at, "digits beyond ASCII are not known here");
        all &= s.p[i] >= '0' && s.p[i] <= '9';
    }
    return *out = value_bool(all), true;
}
