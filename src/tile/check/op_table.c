// The tables of names: op.def, unsupported.def, and the language reference printed from them.
#include "tile/check/checker.h"

#include <assert.h>
#include <pthread.h>

const OpRow oprows[] = {
#define OP(id, names, signature, doc) {check_##id, #id, names, signature, doc},
#include "tile/check/op.def"
#undef OP
};
const int oprow_count = sizeof oprows / sizeof *oprows;

static const struct {
    const char *names, *feature;
} unsupported[] = {
#define UNSUPPORTED(names, feature) {names, feature},
#include "tile/check/unsupported.def"
#undef UNSUPPORTED
};

// ---- finding a name ----

// Every name of both tables by its hash, built on first use: kernels look names up again for each signature
// they are compiled for. The index is complete before a child's door closes (child_prepare).
enum { NAME_SLOTS = 4096 };
typedef struct {
    Str name;
    const OpRow *row;    // NULL: unsupported
    const char *feature; // of an unsupported one
} NameSlot;
static NameSlot name_slot[NAME_SLOTS];
static pthread_once_t names_once = PTHREAD_ONCE_INIT;

static size_t hash_on(size_t h, const char *p, size_t n) {
    for (size_t i = 0; i < n; i++) h = (h ^ (uint8_t)p[i]) * 0x100000001b3;
    return h;
}

// The slot of a name spelled as `dot` and then `name`, or the free one where it belongs.
static NameSlot *name_find(const char *dot, Str name) {
    size_t skip = strlen(dot), at = hash_on(hash_on(0xcbf29ce484222325, dot, skip), name.p, name.len);
    for (;; at++) {
        NameSlot *s = &name_slot[(at ^ at >> 32) % NAME_SLOTS];
        bool same = s->name.len == name.len + skip && memcmp(s->name.p, dot, skip) == 0 &&
                    memcmp(s->name.p + skip, name.p, name.len) == 0;
        if (!s->name.p || same) return s;
    }
}

// The first row that has a name keeps it.
static int names_add(const char *names, const OpRow *row, const char *feature) {
    int added = 0;
    for (const char *p = names; *p;) {
        Str name = {p, strcspn(p, " ")};
        NameSlot *s = name_find("", name);
        if (!s->name.p) {
            *s = (NameSlot){name, row, feature};
            added++;
        }
        p += name.len;
        while (*p == ' ') p++;
    }
    return added;
}

// ---- signatures ----

static OpSignature signature[sizeof oprows / sizeof *oprows];

static Str trim(Str s) {
    while (s.len && *s.p == ' ') s.p++, s.len--;
    return s;
}

// Defaults in op.def are None, True, False, a whole number, a text in single quotes, or ().
static Val default_value(Str def) {
    if (str_is(def, "True")) return val_bool(true);
    if (str_is(def, "False")) return val_bool(false);
    if (*def.p == '\'') return val_str((Str){def.p + 1, def.len - 2});
    if (str_is(def, "()")) return val_tuple(NULL, 0);
    if (str_is(def, "None")) return val_none();
    int64_t i = 0;
    for (size_t k = 0; k < def.len; k++) i = i * 10 + (def.p[k] - '0');
    return val_int(i);
}

// One parameter, behind those before it; what takes the rest of `a, *rest, b=1` goes last, b is keyword-only.
static void signature_add(OpSignature *s, Str part, Str *rest) {
    const char *eq = memchr(part.p, '=', part.len);
    Str name = {part.p, (size_t)((eq ? eq : part.p + part.len) - part.p)};
    assert(s->params < OP_ARGS_MAX);
    if (*part.p == '*') {
        *rest = (Str){name.p + 1, name.len - 1};
        return;
    }
    s->keyword += rest->len > 0;
    s->name[s->params] = name;
    s->has_default[s->params] = eq != NULL;
    if (eq) s->def[s->params] = default_value((Str){eq + 1, (size_t)(part.p + part.len - eq - 1)});
    s->params++;
}

static void signature_parse(const char *text, OpSignature *s) {
    int depth = 0;
    Str rest = {0};
    for (const char *p = text, *start = text;; p++) {
        depth += (*p == '(') - (*p == ')');
        if (*p && (*p != ',' || depth)) continue;
        Str part = trim((Str){start, (size_t)(p - start)});
        if (part.len) signature_add(s, part, &rest);
        if (!*p) break;
        start = p + 1;
    }
    s->star = rest.len > 0;
    assert(s->params + s->star <= OP_ARGS_MAX);
    if (s->star) s->name[s->params++] = rest;
}

static void names_index(void) {
    int all = 0;
    for (int i = 0; i < oprow_count; i++) signature_parse(oprows[i].signature, &signature[i]);
    for (int i = 0; i < oprow_count; i++) all += names_add(oprows[i].names, &oprows[i], NULL);
    for (size_t i = 0; i < sizeof unsupported / sizeof *unsupported; i++)
        all += names_add(unsupported[i].names, NULL, unsupported[i].feature);
    assert(all < NAME_SLOTS / 2);
    (void)all;
}

static const NameSlot *name_known(const char *dot, Str name) {
    pthread_once(&names_once, names_index);
    return name_find(dot, name);
}

const OpRow *oprow_named(Str name) { return name.len && *name.p != '.' ? name_known("", name)->row : NULL; }
const OpRow *oprow_member(Str name) { return name.len && *name.p != '.' ? name_known(".", name)->row : NULL; }
const char *oprow_unsupported(Str name) { return name.len ? name_known("", name)->feature : NULL; }

const OpSignature *oprow_signature(const OpRow *row) {
    pthread_once(&names_once, names_index);
    return &signature[row - oprows];
}

// ---- printing ----

static void put_names(Buf *out, const OpRow *row) {
    bool first = true;
    for (const char *p = row->names; *p;) {
        size_t n = strcspn(p, " ");
        bool bare = *p != '.' && strncmp(p, "libdevice.", 10) != 0 && strncmp(p, "triton.", 7) != 0 &&
                    strncmp(p, "desc.", 5) != 0;
        buf_printf(out, "%s%s%s%.*s", first ? "" : ", ", bare ? "tl." : "", *p == '.' ? "x" : "", (int)n, p);
        first = false;
        p += n;
        while (*p == ' ') p++;
    }
    buf_printf(out, "(%s)\n    %s\n", row->signature, row->doc);
}

static const char *const float8_names[] = {"float8e4nv", "float8e5", "float8e4b8", "float8e5b16",
                                           "float8e4b15"};

void language_reference(Buf *out) {
    buf_puts(
        out,
        "What kernels may use. `tl` is triton.language; a method's receiver is its first parameter.\n\n");
    for (int i = 0; i < oprow_count; i++) put_names(out, &oprows[i]);
    buf_puts(out, "\nTypes: tl.");
    for (int t = 0; t < DT_COUNT; t++) {
        const char *name = t == DT_F16             ? "float16"
                           : t == DT_BF16          ? "bfloat16"
                           : t == DT_F32           ? "float32"
                           : t == DT_F64           ? "float64"
                           : dtype_is_f8((DType)t) ? float8_names[t - DT_F8E4NV]
                                                   : dtype_info[t].triton;
        buf_printf(out, "%s%s", t ? ", tl." : "", name);
    }
    buf_puts(out, "\n\nValid Triton that this version does not run:\n");
    for (size_t i = 0; i < sizeof unsupported / sizeof *unsupported; i++)
        buf_printf(out, "    %s\n", unsupported[i].feature);
}
