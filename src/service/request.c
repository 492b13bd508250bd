#include "service/request.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/json.h"
#include "base/suggest.h"
#include "host/policy/library_names.h"
#include "judge/verdict/verdict.h"

static bool side(Str s, int64_t *out) {
    enum { SIDE_MAX = 1 << 20, DIGITS = 20 };
    if (!s.len || s.len > DIGITS) return false;
    int64_t v = 0;
    for (size_t i = 0; i < s.len; i++) {
        if (s.p[i] < '0' || s.p[i] > '9') return false;
        v = v * 10 + (s.p[i] - '0');
        if (v > SIDE_MAX) return false;
    }
    return *out = v, v > 0;
}

bool filter_shape(Str text, int64_t *m, int64_t *n) {
    const char *x = text.len ? memchr(text.p, 'x', text.len) : NULL;
    if (!x) return false;
    size_t left = (size_t)(x - text.p);
    return side((Str){text.p, left}, m) && side((Str){x + 1, text.len - left - 1}, n);
}

bool filter_dtype(Str name, int *out) {
    static const struct {
        const char *name;
        DType t;
    } names[] = {{"fp16", DT_F16},      {"float16", DT_F16}, {"bf16", DT_BF16},
                 {"bfloat16", DT_BF16}, {"fp32", DT_F32},    {"float32", DT_F32}};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (str_is(name, names[i].name)) return *out = (int)names[i].t, true;
    return false;
}

bool levels_by_name(Str name, Levels *out) {
    static const char *const names[] = {
        [LEVELS_QUICK] = "quick", [LEVELS_FULL] = "full", [LEVELS_LADDER] = "ladder"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (str_is(name, names[i])) return *out = (Levels)i, true;
    return false;
}

// "time": true is the usual places; a list names its own.
static bool read_time(const Json *j, StreamRequest *q, bool level_said) {
    static const int64_t usual[][2] = {{1024, 4096}, {4096, 4096}, {8192, 4096}};
    const json_t *time = json_object_get(j->root, "time");
    if (json_absent(time) || json_is_false(time)) return true;
    size_t n = json_is_true(time) ? sizeof usual / sizeof *usual : json_array_size(time);
    if (n < 1 || n > TIMED_ASKED_MAX)
        return err_set(j->e, ERR_INPUT,
                       "%s: \"time\" is true, or a list of 1 to %d shapes such as \"8192x4096\"", j->file,
                       TIMED_ASKED_MAX);
    if (level_said && q->levels == LEVELS_QUICK)
        return err_set(
            j->e, ERR_INPUT,
            "%s: \"time\": only what level full accepts is timed; \"level\" is \"full\" or \"ladder\"",
            j->file);
    if (q->levels == LEVELS_QUICK) q->levels = LEVELS_LADDER;
    for (size_t i = 0; i < n; i++) {
        CellPlace *p = &q->place[q->places++];
        *p = (CellPlace){.dtype = DT_F16};
        if (json_is_true(time)) {
            p->rows = usual[i][0];
            p->columns = usual[i][1];
        } else if (!filter_shape(json_str(json_array_get(time, i)), &p->rows, &p->columns)) {
            return err_set(j->e, ERR_INPUT, "%s: \"time\": a shape such as \"8192x4096\" belongs here",
                           j->file);
        }
    }
    return true;
}

static bool read_group(Arena *a, const Json *j, StreamRequest *q) {
    Str name = {0};
    int64_t of = 0;
    if (!json_get_text(j, j->root, "group", &name) ||
        !json_get_int(j, j->root, "of", 1, GROUP_MEMBERS_MAX, &of))
        return false;
    if (!name.p && !of) return true;
    if (!name.p || !of)
        return err_set(j->e, ERR_INPUT,
                       "%s: \"group\" and \"of\" go together: a name, and how many requests have it",
                       j->file);
    if (!name.len || name.len > GROUP_NAME_MAX)
        return err_set(j->e, ERR_INPUT, "%s: \"group\" is a text of 1 to %d bytes", j->file, GROUP_NAME_MAX);
    if (q->levels != LEVELS_LADDER)
        return err_set(j->e, ERR_INPUT,
                       "%s: \"group\": its best is judged at level full; \"level\" is \"ladder\"", j->file);
    q->group = str_dup(a, name);
    q->of = (int)of;
    return true;
}

// Absent or null: as the stream's options have it.
static bool read_options(const Json *j, StreamRequest *q) {
    Str level = {0}, shape = {0}, dtype = {0}, layout = {0}, policy = STR("default");
    q->filter = (DrawFilter){.dtype = -1};
    if (!json_get_text(j, j->root, "level", &level) || !json_get_text(j, j->root, "shape", &shape) ||
        !json_get_text(j, j->root, "dtype", &dtype) || !json_get_text(j, j->root, "layout", &layout) ||
        !json_get_text(j, j->root, "policy", &policy))
        return false;
    if (level.p && !levels_by_name(level, &q->levels))
        return err_set(j->e, ERR_INPUT, "%s: \"level\" is \"quick\", \"full\" or \"ladder\"", j->file);
    if (!read_time(j, q, level.p != NULL)) return false;
    if (shape.p && !filter_shape(shape, &q->filter.m, &q->filter.n))
        return err_set(j->e, ERR_INPUT,
                       "%s: \"shape\" is a text ROWSxCOLUMNS such as \"8192x4096\", each at most 1048576",
                       j->file);
    if (dtype.p && !filter_dtype(dtype, &q->filter.dtype))
        return err_set(j->e, ERR_INPUT,
                       "%s: \"dtype\" is \"fp16\", \"bf16\" or \"fp32\", or torch's name of one", j->file);
    if (layout.p && !layout_by_name(layout, &q->layout))
        return err_set(j->e, ERR_INPUT, "%s: \"layout\" is \"any\" or \"contiguous\"", j->file);
    for (int i = 0; i < q->places && q->filter.dtype >= 0; i++) q->place[i].dtype = (DType)q->filter.dtype;
    // Judged by another rule than the one asked for would be worse than not judged.
    return str_is(policy, "default") ||
           err_set(j->e, ERR_INPUT, "%s: \"policy\" is \"default\": there is no other yet", j->file);
}

static Str json_text(Arena *a, const json_t *id) {
    enum { DIGITS = 17 };
    Buf b = BUF(a);
    return json_put_precise(&b, json_incref((json_t *)(uintptr_t)id), DIGITS) ? buf_str(&b) : STR("null");
}

// Keys of one's own are allowed, but a misspelt "level" must not be answered at another one, and what only
// the command line has must not look as if it had been heard.
static bool keys_mean_something(const Json *j) {
    static const char *const option[] = {"level",  "shape",    "dtype", "layout", "policy",
                                         "module", "manifest", "time",  "tf32",   "ragged",
                                         "shapes", "library",  "group", "of"},
                             *const elsewhere[] = {"seed",  "fresh",  "include",    "suite",    "jobs",
                                                   "entry", "domain", "every_size", "old_names"};
    const char *key;
    json_t *v;
    json_object_foreach(j->root, key, v) {
        char small[16] = ""; // "LEVEL" is a misspelt "level", too
        for (size_t i = 0; key[i] && i + 1 < sizeof small; i++)
            small[i] = (char)(key[i] >= 'A' && key[i] <= 'Z' ? key[i] + 32 : key[i]);
        bool known = false;
        for (size_t i = 0; i < sizeof option / sizeof *option; i++) known |= strcmp(key, option[i]) == 0;
        // "op" and "if" are like "of", and mean something else.
        for (size_t i = 0; i < sizeof option / sizeof *option && !known; i++)
            if (edit_distance(str_of(small), str_of(option[i])) <= (strlen(option[i]) > 2))
                return err_set(j->e, ERR_INPUT, "%s: \"%.40s\": no such key; did you mean \"%s\"?", j->file,
                               key, option[i]);
        for (size_t i = 0; i < sizeof elsewhere / sizeof *elsewhere; i++)
            if (strcmp(key, elsewhere[i]) == 0)
                return err_set(
                    j->e, ERR_INPUT,
                    "%s: \"%s\": no such key; a request has id, op or module, source, level, shape, "
                    "dtype, layout, policy, manifest, time, tf32, ragged, shapes, library, group and of",
                    j->file, key);
    }
    return true;
}

static bool text_needed(Arena *a, const Json *j, const char *key, Str *out) {
    Str text = {0};
    if (!json_get_text(j, j->root, key, &text)) return false;
    if (!text.p) return err_set(j->e, ERR_INPUT, "%s: \"%s\" is missing", j->file, key);
    *out = str_dup(a, text);
    return true;
}

// Absent or null: false.
static bool read_flag(const Json *j, const char *key, bool *out) {
    const json_t *flag = json_object_get(j->root, key);
    if (!json_absent(flag) && !json_is_boolean(flag))
        return err_set(j->e, ERR_INPUT, "%s: \"%s\": true or false belongs here", j->file, key);
    *out = json_is_true(flag);
    return true;
}

static bool read_members(Arena *a, const Json *j, StreamRequest *q) {
    enum { OP_TEXT_MAX = 4096 };
    const json_t *id = json_object_get(j->root, "id"), *manifest = json_object_get(j->root, "manifest");
    if (id) q->id = json_text(a, id);
    const json_t *module = json_object_get(j->root, "module");
    if (!json_absent(module)) {
        if (!json_absent(json_object_get(j->root, "op")))
            return err_set(j->e, ERR_INPUT, "%s: \"op\" and \"module\": one of them says what is computed",
                           j->file);
        if (!text_needed(a, j, "module", &q->module)) return false;
    } else if (!text_needed(a, j, "op", &q->op)) {
        return false;
    }
    if (!text_needed(a, j, "source", &q->source)) return false;
    if (!read_flag(j, "tf32", &q->tf32) || !read_flag(j, "ragged", &q->ragged)) return false;
    Str shapes = STR("small");
    if (!json_get_text(j, j->root, "shapes", &shapes)) return false;
    q->shapes = str_is(shapes, "published");
    if (!q->shapes && !str_is(shapes, "small"))
        return err_set(j->e, ERR_INPUT, "%s: \"shapes\" is \"small\" or \"published\"", j->file);
    Str library = {0};
    LibraryUse use = LIBRARY_NONE;
    if (!json_get_text(j, j->root, "library", &library)) return false;
    if (library.p && !library_use_by_name(library, &use))
        return err_set(j->e, ERR_INPUT, "%s: \"library\" is \"none\", \"light\" or \"all\"", j->file);
    q->library = library.p ? 1 + (int)use : 0;
    if (q->op.len > OP_TEXT_MAX || (q->op.len && memchr(q->op.p, 0, q->op.len)))
        return err_set(j->e, ERR_INPUT, "%s: \"op\" is not a name, a description or a path", j->file);
    if (!json_absent(manifest) && !json_is_object(manifest))
        return err_set(j->e, ERR_INPUT,
                       "%s: \"manifest\": an object belongs here: how the kernels are launched", j->file);
    if (!json_absent(manifest)) q->manifest = json_text(a, manifest);
    return keys_mean_something(j) && read_options(j, q) && read_group(a, j, q);
}

static size_t past(Str s, size_t at, const char *word) {
    while (at < s.len && (s.p[at] == ' ' || s.p[at] == '\t')) at++;
    size_t n = strlen(word);
    return at <= s.len && s.len - at >= n && memcmp(s.p + at, word, n) == 0 ? at + n : SIZE_MAX / 2;
}

// The id of a line that is not JSON as a whole, when it comes first: whoever sent it waits for an answer.
static Str broken_id(Arena *a, Str line) {
    enum { ID_MAX = 1024 };
    size_t at = past(line, past(line, past(line, 0, "{"), "\"id\""), ":");
    if (at >= line.len) return STR("null");
    json_error_t error;
    json_t *id = json_loadb(line.p + at, line.len - at < ID_MAX ? line.len - at : ID_MAX,
                            JSON_DECODE_ANY | JSON_DISABLE_EOF_CHECK, &error);
    Str s = id ? json_text(a, id) : STR("null");
    json_decref(id);
    return s;
}

void stream_request_read(Arena *a, Str line, long number, Levels levels, StreamRequest *out) {
    *out = (StreamRequest){.id = STR("null"), .levels = levels};
    if (line.len > STREAM_REQUEST_MAX) {
        out->id = broken_id(a, line);
        out->bad = arena_printf(a, "line %ld is longer than %d bytes", number, STREAM_REQUEST_MAX);
        return;
    }
    json_error_t error;
    json_t *o = json_loadb(line.p, line.len, JSON_ALLOW_NUL | JSON_REJECT_DUPLICATES, &error);
    if (!o) {
        out->id = broken_id(a, line);
        out->bad = arena_printf(a, "line %ld, column %d: %s", number, error.column, error.text);
        return;
    }
    char name[32];
    Err e = {0};
    snprintf(name, sizeof name, "line %ld", number);
    if (!json_is_object(o))
        out->bad = arena_printf(a, "%s: a request is a JSON object", name);
    else if (!read_members(a, &(Json){.file = name, .root = o, .e = &e}, out))
        out->bad = arena_printf(a, "%s", e.msg);
    json_decref(o);
}
