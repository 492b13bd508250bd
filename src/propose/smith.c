#include "propose/extract.h"
#include "propose/smith_kind.h"

static const struct {
    const char *spelling, *words;
    bool (*takes)(const char *which);
    bool (*open)(Arena *a, const char *which, const SmithOptions *o, Smith **out, Err *e);
} kinds[] = {
#define SMITH(id, spelling, words) {spelling, words, id##_takes, id##_open},
#include "propose/smith.def"
#undef SMITH
};
enum { KINDS = sizeof kinds / sizeof *kinds };

bool smith_kind(int i, const char **spelling, const char **words) {
    if (i < 0 || i >= KINDS) return false;
    *spelling = kinds[i].spelling;
    *words = kinds[i].words;
    return true;
}

bool smith_elsewhere(const SmithOptions *o, Err *e) {
    const char *given = o->adapter ? "--adapter" : o->chat ? "--chat-family" : o->kv ? "--kv" : NULL;
    return !given || err_set(e, ERR_USAGE, "%s is for models that run here", given);
}

bool smith_open(Arena *a, const char *which, const SmithOptions *o, Smith **out, Err *e) {
    static const SmithOptions none;
    for (int i = 0; i < KINDS; i++)
        if (kinds[i].takes(which)) return kinds[i].open(a, which, o ? o : &none, out, e);
    Buf b = BUF(a);
    for (int i = 0; i < KINDS; i++) buf_printf(&b, "%s%s", i ? ", " : "", kinds[i].spelling);
    return err_set(e, ERR_USAGE, "no smith is called '%s'; known: %s", which, buf_cstr(&b));
}

void smith_close(Smith *s) {
    if (s && s->close) s->close(s);
}

// Characters that a terminal obeys or that turn the direction of what follows: nobody's words.
static bool commands(uint32_t c) {
    return (c >= 0x80 && c < 0xa0) || c == 0x61c || c == 0x200e || c == 0x200f ||
           (c >= 0x2028 && c <= 0x202e) || (c >= 0x2066 && c <= 0x2069) || c == 0xfeff;
}

const char *smith_words(Arena *a, Str s, size_t max) {
    if (s.len > max) s.len = max;
    char *p = str_cdup(a, s);
    for (char *c = p; *c; c++)
        if ((unsigned char)*c < ' ' || *c == 127) *c = ' ';
    bool whole = utf8_valid(str_of(p));
    int bytes;
    for (char *c = p; *c; c += bytes) {
        bytes = 1;
        if ((unsigned char)*c < 127) continue;
        uint32_t code = whole ? utf8_at(c, &bytes) : 0;
        if (!whole || commands(code)) memset(c, '?', (size_t)bytes);
    }
    return p;
}

// ---- all at once ----

typedef struct {
    Arena *a;
    const Smith *smith;
    const SmithRequest *q;
    Proposal *at; // [count]; source.p == NULL: not there
} Collected;

static bool always(void *arg) { return arg != NULL; }
static void ignore(void *arg, int tokens) { (void)arg, (void)tokens; }

static bool collect(void *arg, const Reply *r) {
    Collected *c = arg;
    Str source = r->text;
    if (c->smith->takes_prompt && extract_kernel(r->text, r->cut, &source) != EXTRACT_KERNEL) return true;
    c->at[r->index - c->q->first] = (Proposal){.source = str_dup(c->a, source),
                                               .schedule = arena_printf(c->a, "%s", r->schedule),
                                               .flaw = r->flaw ? arena_printf(c->a, "%s", r->flaw) : NULL};
    return true;
}

bool smith_propose(Smith *s, Arena *a, const Op *op, const SmithRequest *q, Proposal *out, int *written,
                   Err *e) {
    Collected c = {a, s, q, NEWN(a, Proposal, (size_t)q->count)};
    SmithSink sink = {.wanted = always, .grew = ignore, .reply = collect, .arg = &c};
    *written = 0;
    if (!s->draft(s, op, q, &sink, e)) return false;
    for (int i = 0; i < q->count; i++)
        if (c.at[i].source.p) out[(*written)++] = c.at[i];
    return true;
}
