#include "text/chat.h"

#include "text/chat_jinja.h"
#include "text/vocab.h"

struct ChatFamily {
    const char *name, *begin, *open, *close, *missing, *user, *end, *reply, *thinks, *empty;
    bool trim;
    Str live;
};
static const ChatFamily FAMILIES[] = {
#define CHAT(name, begin, open, close, missing, user, end, reply, thinks, empty, trim, live) \
    {#name, begin, open, close, missing, user, end, reply, thinks, empty, trim, {live, sizeof live - 1}},
#include "text/chat.def"
#undef CHAT
};
enum { FAMILY_COUNT = sizeof FAMILIES / sizeof *FAMILIES };

#define KNOWN "known are minicpm5, qwen35, qwen25 and llama31"

const char *chat_name(const ChatFamily *f) { return f->name; }
const ChatFamily *chat_at(int i) { return i >= 0 && i < FAMILY_COUNT ? &FAMILIES[i] : NULL; }
Str chat_live(const ChatFamily *f) { return f->live; }
Str chat_end(const ChatFamily *f) { return (Str){f->end, strcspn(f->end, "\n")}; }

bool chat_by_name(const char *name, const ChatFamily **out, Err *e) {
    for (int i = 0; i < FAMILY_COUNT; i++)
        if (strcmp(name, FAMILIES[i].name) == 0) return *out = &FAMILIES[i], true;
    Arena a = {0};
    err_record(e, ERR_USAGE, "no chat family is called %s; " KNOWN, text_shown(&a, str_of(name)));
    arena_free(&a);
    return false;
}

static size_t common(Str a, Str b) {
    size_t n = 0;
    while (n < a.len && n < b.len && a.p[n] == b.p[n]) n++;
    return n;
}

static bool detect(Arena *a, Str jinja, const ChatFamily **out, Err *e) {
    Buf live = BUF(a);
    if (!jinja.len) return err_set(e, ERR_INPUT, "there is no chat template");
    if (!jinja_live(a, jinja, &live, e)) return false;
    const ChatFamily *nearest = NULL;
    size_t same = 0;
    for (int i = 0; i < FAMILY_COUNT; i++) {
        const ChatFamily *f = &FAMILIES[i];
        if (str_eq(buf_str(&live), f->live)) return *out = f, true;
        size_t n = common(buf_str(&live), f->live);
        if (n > same) same = n, nearest = f;
    }
    if (!nearest) return err_set(e, ERR_INPUT, "this chat template is of no known family");
    size_t from = same < 20 ? 0 : same - 20; // with a little of what is still the same
    return err_set(e, ERR_INPUT, "this chat template is of no known family: it differs from %s at %s",
                   nearest->name, text_shown(a, (Str){live.p + from, live.len - from}));
}

bool chat_detect(Str jinja, const ChatFamily **out, Err *e) {
    Arena a = {0};
    Err why = {0};
    bool ok = detect(&a, jinja, out, &why);
    arena_free(&a);
    return ok || err_set(e, why.code, "%.255s (" KNOWN "; --chat-family NAME says which)", why.msg);
}

// ---- rendering ----

// What Python's str.strip() takes away.
static size_t blank_at(const uint8_t *p, size_t n) { // bytes of the one character; 0: it is none
    if (n && ((*p >= 9 && *p <= 13) || (*p >= 0x1c && *p <= 0x20))) return 1;
    if (n > 1 && p[0] == 0xc2 && (p[1] == 0x85 || p[1] == 0xa0)) return 2;
    if (n < 3 || (p[0] != 0xe1 && p[0] != 0xe2 && p[0] != 0xe3)) return 0;
    unsigned c = (p[0] & 15u) << 12 | (p[1] & 63u) << 6 | (p[2] & 63u);
    bool blank = c == 0x1680 || (c >= 0x2000 && c <= 0x200a) || c == 0x2028 || c == 0x2029 || c == 0x202f ||
                 c == 0x205f || c == 0x3000;
    return blank ? 3 : 0;
}

static Str strip(Str s) {
    for (size_t n; (n = blank_at((const uint8_t *)s.p, s.len)) > 0;) s = (Str){s.p + n, s.len - n};
    for (size_t n = 1; n <= 3 && n <= s.len; n++)
        if (blank_at((const uint8_t *)s.p + s.len - n, n) == n) s.len -= n, n = 0;
    return s;
}

void chat_render(const ChatFamily *f, const ChatTurn *turn, Buf *out) {
    Str system = turn->system.p ? turn->system : f->missing ? str_of(f->missing) : (Str){0};
    buf_puts(out, f->begin);
    if (system.p) {
        buf_puts(out, f->open);
        buf_str_put(out, f->trim ? strip(system) : system);
        buf_puts(out, f->close);
    }
    buf_puts(out, f->user);
    buf_str_put(out, f->trim ? strip(turn->user) : turn->user);
    buf_puts(out, f->end);
    buf_puts(out, f->reply);
    buf_puts(out, turn->think ? f->thinks : f->empty);
}

Str chat_reply(const ChatFamily *f, Str reply) {
    static const Str close = {"</think>", 8};
    Str s = strip(reply);
    if (!*f->thinks || !str_starts(s, "<think>")) return reply;
    const char *end = memmem(s.p, s.len, close.p, close.len);
    if (!end) return (Str){s.p + s.len, 0};
    return strip((Str){end + close.len, (size_t)(s.p + s.len - end) - close.len});
}
