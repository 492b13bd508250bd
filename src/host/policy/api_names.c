#include "host/policy/api_names.h"

#include "base/numeric/fmath.h"
#include "base/suggest.h"
#include "host/host.h"
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

const Api api_rows[] = {
#define API(fn, op, may, kind, names, signature, doc) \
    {BOUND_##op, FOR_##may, API_##kind, names, signature, doc},
#include "host/policy/api.def"
#undef API
};
enum { ROWS = sizeof api_rows / sizeof *api_rows };
const int api_count = ROWS;

typedef struct {
    DiagKind kind;
    const char *names, *reason;
    bool computes; // of torch and of tensors, both
} Refused;
static const Refused refused[] = {
#define REFUSED(kind, names, reason) {DIAG_##kind, names, reason, false},
#define COMPUTES(names, reason)      {DIAG_REFUSED, names, reason, true},
#include "host/policy/refused.def"
};

// One entry for each name of each row.
typedef struct {
    Str name; // without the dot of a member
    bool member;
    const Api *row;
    Str receiver; // of a member
} Entry;
enum { ENTRIES_MAX = 1024, BUCKETS = 2048 };
static Entry entry[ENTRIES_MAX];
static int entries;
static int16_t bucket[BUCKETS]; // first entry + 1
static int16_t chain[ENTRIES_MAX];
static pthread_once_t once = PTHREAD_ONCE_INIT;
// What stands before a dot of some name, and for whom.
enum { MODULES_MAX = 64 };
static struct {
    Str name;
    unsigned may;
} module[MODULES_MAX];
static int modules;

static bool word_next(const char **p, Str *out) {
    while (**p == ' ') ++*p;
    const char *from = *p;
    while (**p && **p != ' ') ++*p;
    *out = (Str){from, (size_t)(*p - from)};
    return out->len > 0;
}

// The first parameter of a method's signature.
static Str receiver_of(const char *signature) { return (Str){signature, strcspn(signature, ",")}; }

static void note_modules(Str name, unsigned may) {
    for (size_t n = 1; n < name.len; n++) {
        if (name.p[n] != '.') continue;
        Str path = {name.p, n};
        int i = 0;
        while (i < modules && !str_eq(module[i].name, path)) i++;
        assert(i < MODULES_MAX);
        if (i == modules) module[modules++].name = path;
        module[i].may |= may;
    }
}

static void index_build(void) {
    for (int i = 0; i < ROWS; i++) {
        const char *p = api_rows[i].names;
        for (Str w; word_next(&p, &w);) {
            assert(entries < ENTRIES_MAX);
            bool member = w.p[0] == '.';
            if (member) w = (Str){w.p + 1, w.len - 1};
            entry[entries] =
                (Entry){w, member, &api_rows[i], member ? receiver_of(api_rows[i].signature) : (Str){0}};
            if (!member) note_modules(w, api_rows[i].may);
            uint64_t h = str_hash(w) % BUCKETS;
            chain[entries] = bucket[h];
            bucket[h] = (int16_t)(++entries);
        }
    }
}

static bool row_allows(const Api *row, bool candidate) {
    return (row->may & (candidate ? FOR_C : FOR_R)) != 0;
}

// `receiver`: of a member, or NULL for any.
static const Entry *entry_for(Str name, bool member, const char *receiver, Privilege who) {
    pthread_once(&once, index_build);
    for (int i = bucket[str_hash(name) % BUCKETS]; i; i = chain[i - 1]) {
        const Entry *e = &entry[i - 1];
        if (e->member == member && (!receiver || str_is(e->receiver, receiver)) && (e->row->may & who) &&
            str_eq(e->name, name))
            return e;
    }
    return NULL;
}
static const Entry *entry_find(Str name, bool member, const char *receiver, bool candidate) {
    return entry_for(name, member, receiver, candidate ? FOR_C : FOR_R);
}

const Api *api_of_module(Str name) {
    const Entry *e = entry_for(name, false, NULL, FOR_M);
    return e ? e->row : NULL;
}
const Api *api_member_of_module(Str name, const char *receiver) {
    const Entry *e = entry_for(name, true, receiver, FOR_M);
    return e ? e->row : NULL;
}

const Api *api_named(Str name, bool candidate) {
    const Entry *e = entry_find(name, false, NULL, candidate);
    return e ? e->row : NULL;
}

const Api *api_member_of(Str name, const char *receiver, bool candidate) {
    const Entry *e = entry_find(name, true, receiver, candidate);
    return e ? e->row : NULL;
}

bool api_is_member(Str name, bool candidate) { return entry_find(name, true, NULL, candidate) != NULL; }

bool api_is_last_part(Str name, bool candidate) {
    pthread_once(&once, index_build);
    for (int i = 0; i < entries; i++)
        if (!entry[i].member && row_allows(entry[i].row, candidate) &&
            str_eq(str_last_part(entry[i].name, '.'), name))
            return true;
    return false;
}

static bool is_prefix(Str path, Str name) {
    return name.len > path.len && name.p[path.len] == '.' && memcmp(name.p, path.p, path.len) == 0;
}

bool api_is_module(Str path, bool candidate) {
    pthread_once(&once, index_build);
    if (candidate && (str_is(path, "libdevice") || str_is(path, "tl") || str_is(path, "F"))) return true;
    for (int i = 0; i < modules; i++)
        if ((module[i].may & (candidate ? FOR_C : FOR_R)) && str_eq(module[i].name, path)) return true;
    return false;
}

Str api_canonical(Arena *a, Str dotted) {
    static const struct {
        const char *from, *to;
    } alias[] = {{"torch.nn.functional", "F"},
                 {"nn.functional", "F"}, // where torch.nn is `nn`
                 {"triton.language.extra.libdevice", "libdevice"},
                 {"triton.language.extra.cuda.libdevice", "libdevice"},
                 {"triton.language.libdevice", "libdevice"}, // of older versions
                 {INDUCTOR_HELPERS ".libdevice", "libdevice"},
                 {"triton.language", "tl"}};
    for (size_t i = 0; i < sizeof alias / sizeof *alias; i++) {
        size_t n = strlen(alias[i].from);
        if (dotted.len < n || memcmp(dotted.p, alias[i].from, n) != 0) continue;
        if (dotted.len == n) return str_of(alias[i].to);
        if (dotted.p[n] != '.') continue;
        return str_of(arena_printf(a, "%s%.*s", alias[i].to, (int)(dotted.len - n), dotted.p + n));
    }
    return dotted;
}

static const Entry *nearest(Str name, bool member, bool candidate) {
    pthread_once(&once, index_build);
    const Entry *best = NULL;
    Nearest near = nearest_to(name);
    for (int i = 0; i < entries; i++) {
        const Entry *e = &entry[i];
        if (e->member != member || e->name.p[0] == '<' || !row_allows(e->row, candidate) ||
            str_eq(e->name, name))
            continue;
        if (nearest_offer(&near, e->name)) best = e;
    }
    return best;
}

// torch.add, x.add, x.add_: the word alone; empty for what is none of these.
static Str computing_word(Str name, bool member) {
    if (!member && !str_starts(name, "torch.")) return (Str){0};
    if (!member) name = (Str){name.p + 6, name.len - 6};
    while (name.len && name.p[name.len - 1] == '_') name.len--;
    return name;
}

static const Refused *refused_find(Str name, bool member) {
    Str word = computing_word(name, member);
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) {
        const char *p = refused[i].names;
        for (Str w; word_next(&p, &w);) {
            if (refused[i].computes) {
                if (str_eq(w, word)) return &refused[i];
                continue;
            }
            bool dotted = w.p[0] == '.';
            if (dotted) w = (Str){w.p + 1, w.len - 1};
            if (dotted != member) continue;
            if (str_eq(w, name) || (!member && is_prefix(w, name))) return &refused[i];
        }
    }
    return NULL;
}

bool api_known_refused(Str name, bool method, bool candidate) {
    return refused_find(name, method) || entry_find(name, method, NULL, !candidate);
}

bool api_refused_itself(Str name) {
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) {
        const char *p = refused[i].names;
        for (Str w; !refused[i].computes && word_next(&p, &w);)
            if (str_eq(w, name)) return true;
        if (refused[i].computes && refused_find(name, false) == &refused[i]) return true;
    }
    return entry_find(name, false, NULL, false);
}

const char *api_reason(Arena *a, Str name, bool method, bool candidate, DiagKind *kind) {
    *kind = DIAG_REFUSED;
    const Refused *r = refused_find(name, method);
    if (r && !(r->kind == DIAG_UNSUPPORTED && !candidate)) {
        *kind = r->kind;
        return r->reason;
    }
    const Entry *other = entry_find(name, method, NULL, !candidate);
    if (other && other->row->may == FOR_B) other = NULL; // another kind of value has it
    if (other && candidate) return "it computes on tensors; do it in a kernel";
    if (other) return "it belongs to kernel files, not to references";
    if (candidate && !method && str_starts(name, "tl."))
        return "it belongs inside kernels; did you forget @triton.jit?";
    const Entry *near = nearest(name, method, candidate);
    const char *what = candidate ? "host code has allocation, shapes, views and launches only"
                                 : "references have the operations listed by the API table only";
    // What nobody has listed may be anything that torch has; a slip of the pen is none of it.
    if (!near && candidate) *kind = DIAG_UNSUPPORTED;
    if (!near) return what;
    return arena_printf(a, "%s; did you mean %s%.*s?", what, near->member ? "." : "", STR_ARG(near->name));
}

void host_api_reference(Buf *out) {
    static const struct {
        Privilege may;
        const char *title;
    } part[] = {
        {FOR_B, "In kernel files and references"},
        {FOR_C, "In the host code of kernel files"},
        {FOR_R, "In references"},
        {FOR_M,
         "In references in module form, besides those of references and what src/module/library spells out"}};
    for (size_t i = 0; i < sizeof part / sizeof *part; i++) {
        buf_printf(out, "%s%s:\n", i ? "\n" : "", part[i].title);
        for (int r = 0; r < ROWS; r++) {
            const Api *row = &api_rows[r];
            if (row->may != part[i].may || row->names[0] == '<') continue; // no file can write it
            const char *p = row->names;
            bool first = true, called = row->kind == API_FUNCTION || row->kind == API_METHOD;
            for (Str w; word_next(&p, &w); first = false)
                buf_printf(out, "%s%s%.*s", first ? "  " : ", ", w.p[0] == '.' ? "x" : "", STR_ARG(w));
            if (called) buf_printf(out, "(%s)", row->signature);
            buf_printf(out, ": %s\n", row->doc);
        }
    }
}
