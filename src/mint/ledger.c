#include "mint/ledger.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/io.h"
#include "base/json.h"
#include "propose/smith_kind.h"

struct Ledger {
    Arena arena;
    int fd; // -1: no file
    LedgerDraft *draft;
    int count, cap;
};

Ledger *ledger_blank(void) {
    Arena a = {0};
    Ledger *l = NEW(&a, Ledger);
    l->fd = -1;
    l->arena = a;
    return l;
}

void ledger_close(Ledger *l) {
    if (!l) return;
    if (l->fd >= 0) close(l->fd);
    Arena a = l->arena;
    arena_free(&a);
}

const LedgerDraft *ledger_drafts(const Ledger *l, int *count) {
    *count = l->count;
    return l->draft;
}

static void remember(Ledger *l, const LedgerDraft *d) {
    if (l->count == l->cap) {
        l->draft = MORE(&l->arena, LedgerDraft, l->draft, l->count, l->cap * 2 + 256);
        l->cap = l->cap * 2 + 256;
    }
    l->draft[l->count++] = *d;
}

// ---- reading ----

static bool text_needed(const Json *j, const json_t *o, const char *key, Str *out) {
    *out = (Str){0};
    if (!json_get_text(j, o, key, out)) return false;
    return out->p || err_set(j->e, ERR_INPUT, "%s: \"%s\" is missing", j->file, key);
}

static bool read_hash(const Json *j, const char *key, char out[65]) {
    Str s;
    if (!text_needed(j, j->root, key, &s)) return false;
    if (s.len > 64) return err_set(j->e, ERR_INPUT, "%s: \"%s\" is no hash", j->file, key);
    memcpy(out, s.p, s.len + 1);
    return true;
}

static bool read_draft(Ledger *l, const Json *j) {
    enum { INDEX_MAX = 1000000, COUNT_MAX = 1 << 30 };
    LedgerDraft d = {0};
    Str op, status, end;
    int64_t index = -1, tokens = 0;
    if (!text_needed(j, j->root, "op", &op) || !text_needed(j, j->root, "end", &end) ||
        !text_needed(j, json_object_get(j->root, "verdict"), "status", &status) ||
        !read_hash(j, "definition", d.definition) || !read_hash(j, "prompt", d.prompt) ||
        !json_get_int(j, j->root, "index", 0, INDEX_MAX, &index) ||
        !json_get_int(j, j->root, "tokens", INT64_MIN, INT64_MAX, &tokens))
        return false;
    if (index < 0) return err_set(j->e, ERR_INPUT, "%s: \"index\" is missing", j->file);
    if (!status_by_name(status, &d.status))
        return err_set(j->e, ERR_INPUT, "%s: its status is unknown to this version", j->file);
    d.index = (int)index;
    d.op = str_dup(&l->arena, op);
    d.cut = str_is(end, "length");
    d.tokens = tokens > 0 && tokens < COUNT_MAX ? (int)tokens : 0;
    remember(l, &d);
    return true;
}

// A value in few words, from shortly before the place where the other one differs.
static const char *value_words(Arena *a, const json_t *value, const json_t *other) {
    enum { SHOWN = 60, BEFORE = 20 };
    char *text = value ? json_dumps(value, JSON_ENCODE_ANY | JSON_REAL_PRECISION(6)) : NULL;
    char *second = other ? json_dumps(other, JSON_ENCODE_ANY | JSON_REAL_PRECISION(6)) : NULL;
    const char *said = "unsaid";
    if (text) {
        size_t n = strlen(text), at = 0;
        while (second && at < n && text[at] == second[at]) at++;
        at = n <= SHOWN || at <= BEFORE ? 0 : at - BEFORE;
        said = smith_words(a, str_of(text + at), SHOWN);
        if (at || n - at > SHOWN)
            said = arena_printf(a, "%s%s%s", at ? "..." : "", said, n - at > SHOWN ? "..." : "");
    }
    free(text);
    free(second);
    return said;
}

// The first member that differs, as a path: "model.temperature"; an empty one when nothing does.
static const char *difference(Arena *a, const char *path, const json_t **there, const json_t **here) {
    const json_t *x = *there, *y = *here;
    const char *key, *found = "";
    json_t *value;
    if (x && y && json_equal((json_t *)(uintptr_t)x, (json_t *)(uintptr_t)y)) return "";
    if (!json_is_object(x) || !json_is_object(y)) return path;
    const json_t *side[] = {y, x};
    for (int i = 0; i < 2 && !*found; i++) {
        json_object_foreach((json_t *)(uintptr_t)side[i], key, value) {
            *there = json_object_get(x, key);
            *here = json_object_get(y, key);
            found = difference(a, arena_printf(a, "%s%s%s", path, *path ? "." : "", key), there, here);
            if (*found) break;
        }
    }
    return found;
}

// The first setting that differs, in the words of both, with room for them whatever the file's path is.
static bool same_settings(const char *name, const json_t *there, const json_t *here, Err *e) {
    if (!json_is_object(there)) return err_set(e, ERR_INPUT, "%s:1: no settings", name);
    Arena a = {0};
    const char *path = difference(&a, "", &there, &here);
    if (*path)
        err_record(e, ERR_INPUT, "%s was begun with %s %s, not %s",
                   smith_words(&a, str_last_part(str_of(name), '/'), 80), smith_words(&a, str_of(path), 60),
                   value_words(&a, there, here), value_words(&a, here, there));
    bool same = !*path;
    arena_free(&a);
    return same;
}

static bool read_line(Ledger *l, const char *name, int number, json_t *o, json_t *settings, Err *e) {
    const json_t *record = json_object_get(o, "record");
    if (number == 1) {
        if (!json_is_string(record) || !str_is(json_str(record), "eval"))
            return err_set(e, ERR_INPUT, "%s:1: not a file of an evaluation", name);
        return same_settings(name, json_object_get(o, "settings"), settings, e);
    }
    if (!json_is_string(record) || !str_is(json_str(record), "draft"))
        return err_set(e, ERR_INPUT, "%s:%d: neither the beginning nor a draft", name, number);
    Arena a = {0};
    bool ok = read_draft(l, &(Json){.file = arena_printf(&a, "%s:%d", name, number), .root = o, .e = e});
    arena_free(&a);
    return ok;
}

static int by_place(const void *x, const void *y) {
    const LedgerDraft *a = x, *b = y;
    int order = str_cmp(a->op, b->op);
    return order ? order : (a->index > b->index) - (a->index < b->index);
}

static bool no_draft_twice(const Ledger *l, const char *name, Err *e) {
    Arena a = {0};
    LedgerDraft *d = NEWN(&a, LedgerDraft, (size_t)l->count + 1);
    if (l->count) memcpy(d, l->draft, (size_t)l->count * sizeof *d);
    qsort(d, (size_t)l->count, sizeof *d, by_place);
    bool ok = true;
    for (int i = 1; ok && i < l->count; i++)
        if (by_place(&d[i - 1], &d[i]) == 0)
            ok = err_set(e, ERR_INPUT, "%s: draft %d of %.60s is there twice", name, d[i].index,
                         str_cdup(&a, d[i].op));
    arena_free(&a);
    return ok;
}

bool ledger_read(Ledger *l, const char *name, Str text, json_t *settings, Err *e) {
    for (int number = 1; text.len; number++) {
        const char *end = memchr(text.p, '\n', text.len);
        if (!end) break;
        Str line = {text.p, (size_t)(end - text.p)};
        text = (Str){end + 1, text.len - line.len - 1};
        json_error_t why;
        json_t *o = json_loadb(line.p, line.len, JSON_ALLOW_NUL, &why);
        if (!o) return err_set(e, ERR_INPUT, "%s:%d: no JSON: %s", name, number, why.text);
        bool ok = read_line(l, name, number, o, settings, e);
        json_decref(o);
        if (!ok) return false;
    }
    return no_draft_twice(l, name, e);
}

// ---- the file ----

static bool begin(Ledger *l, json_t *settings, Err *e) {
    Arena a = {0};
    Buf b = BUF(&a);
    json_put(&b, json_pack("{s:s, s:s, s:O}", "record", "eval", "version", OUROBOROS_VERSION, "settings",
                           settings));
    buf_putc(&b, '\n');
    bool ok = io_write_all(l->fd, b.p, b.len, e);
    arena_free(&a);
    return ok;
}

static bool open_file(Ledger *l, const char *path, json_t *settings, bool resume, Err *e) {
    l->fd = open(path, O_RDWR | O_APPEND | O_CREAT | O_CLOEXEC | O_NOCTTY, 0600);
    if (l->fd < 0) return err_set(e, ERR_IO, "%s: %s", path, strerror(errno));
    struct stat st;
    if (fstat(l->fd, &st) != 0 || !S_ISREG(st.st_mode))
        return err_set(e, ERR_IO, "%s: not an ordinary file", path);
    if (flock(l->fd, LOCK_EX | LOCK_NB) != 0)
        return err_set(e, ERR_IO, "%s: another process is writing it", path);
    if (fstat(l->fd, &st) != 0) return err_set(e, ERR_IO, "%s: %s", path, strerror(errno));
    if (st.st_size > 0 && !resume)
        return err_set(e, ERR_USAGE, "%s is there already; to go on with it: --resume -o %s", path, path);
    Arena a = {0};
    Str text = {0};
    bool ok = st.st_size == 0 || io_read(&a, path, LEDGER_BYTES_MAX, &text, e);
    ok = ok && ledger_read(l, path, text, settings, e);
    size_t whole = text.len;
    while (whole && text.p[whole - 1] != '\n') whole--;
    if (ok && whole < text.len && ftruncate(l->fd, (off_t)whole) != 0)
        ok = err_set(e, ERR_IO, "%s: cannot cut off a torn line: %s", path, strerror(errno));
    arena_free(&a);
    return ok && (whole || begin(l, settings, e));
}

bool ledger_open(const char *path, json_t *given, bool resume, Ledger **out, Err *e) {
    *out = ledger_blank();
    // As they will be read again: numbers have as many digits as are written.
    Buf b = BUF(&(*out)->arena);
    json_put(&b, json_incref(given));
    json_t *settings = json_loadb(b.p, b.len, 0, NULL);
    bool ok = settings ? open_file(*out, path, settings, resume, e)
                       : err_set(e, ERR_INPUT, "the settings are no text");
    json_decref(settings);
    if (ok) return true;
    ledger_close(*out);
    *out = NULL;
    return false;
}

bool ledger_seed(const char *path, uint64_t *seed) {
    Arena a = {0};
    Str text;
    Err ignored = {0};
    json_t *o = NULL;
    if (io_read(&a, path, LEDGER_BYTES_MAX, &text, &ignored)) {
        const char *end = text.len ? memchr(text.p, '\n', text.len) : NULL;
        if (end) o = json_loadb(text.p, (size_t)(end - text.p), 0, NULL);
    }
    const json_t *value = json_object_get(json_object_get(o, "settings"), "seed");
    bool found = json_is_integer(value) && json_integer_value(value) >= 0;
    if (found) *seed = (uint64_t)json_integer_value(value);
    json_decref(o);
    arena_free(&a);
    return found;
}

static json_t *text_or_null(Str s) { return s.p && utf8_valid(s) ? json_stringn(s.p, s.len) : json_null(); }

bool ledger_put(Ledger *l, const Op *op, const Attempt *t, Err *e) {
    LedgerDraft d = {.op = str_dup(&l->arena, op->name),
                     .index = t->index,
                     .status = t->verdict.decision.status,
                     .cut = t->cut,
                     .tokens = t->tokens};
    sha256_hex(op->hash, d.definition);
    memcpy(d.prompt, t->prompt, sizeof d.prompt);
    Arena a = {0};
    Buf b = BUF(&a);
    bool reply = t->prompt[0] != 0;
    json_put(&b, json_pack("{s:s, s:s%, s:s, s:i, s:s, s:o, s:s, s:i, s:s, s:o, s:o}", "record", "draft",
                           "op", op->name.p, op->name.len, "definition", d.definition, "index", t->index,
                           "prompt", t->prompt, "reply", reply ? text_or_null(t->reply) : json_null(), "end",
                           t->cut ? "length" : "stop", "tokens", t->tokens, "schedule", t->schedule, "source",
                           t->source.len ? text_or_null(t->source) : json_null(), "verdict",
                           verdict_object(&t->verdict)));
    buf_putc(&b, '\n');
    bool ok = io_write_all(l->fd, b.p, b.len, e);
    arena_free(&a);
    if (ok) remember(l, &d);
    return ok;
}

bool ledger_sync(Ledger *l, Err *e) {
    return fdatasync(l->fd) == 0 || err_set(e, ERR_IO, "the file of drafts: %s", strerror(errno));
}
