#include <errno.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "base/json.h"
#include "weights/files.h"
#include "weights/format/safetensors.h"
#include "weights/hub.h"

bool file_exists(const char *path) {
    struct stat st;
    return stat(path, &st) == 0;
}

bool path_resolve(Arena *a, const char *path, const char **out, bool *folder, Err *e) {
    struct stat st;
    *out = str_cdup(a, str_of(path));
    if (hub_names(path) && !hub_path(a, path, out, e)) return false;
    if (stat(*out, &st) != 0)
        return err_set(e, ERR_IO, "%s: %s%s", *out, strerror(errno), hub_instead(a, path));
    *folder = S_ISDIR(st.st_mode);
    return true;
}

static bool seal(Arena *a, CheckpointFiles *f, Err *e) {
    const Stored *twice = stored_seal(a, &f->tensors);
    if (!twice) return true;
    return err_set(e, ERR_INPUT, "%s: tensor \"%s\" is there twice", twice->file, shown(twice->name).at);
}

// A plain name of a file in the same folder, and nothing else: an index from outside must not reach
// elsewhere.
static bool name_plain(Str s) {
    if (!s.len || s.len > 200 || s.p[0] == '.') return false;
    for (size_t i = 0; i < s.len; i++)
        if (s.p[i] == '/' || s.p[i] == '\\' || (unsigned char)s.p[i] <= ' ' || s.p[i] == 127) return false;
    return str_ends(s, ".safetensors");
}

static int by_text(const void *x, const void *y) { return str_cmp(*(const Str *)x, *(const Str *)y); }

// The different files of the map, sorted.
static bool shard_names(Arena *a, const Json *j, const json_t *map, const Str **out, int *n) {
    size_t count = json_object_size(map), at = 0;
    if (count > STORED_MAX) return err_set(j->e, ERR_INPUT, "%s: more than %d tensors", j->file, STORED_MAX);
    Str *name = NEWN(a, Str, count);
    const char *key;
    json_t *v;
    json_object_foreach((json_t *)(uintptr_t)map, key, v) {
        if (!json_is_string(v) || !name_plain(json_str(v)))
            return err_set(j->e, ERR_INPUT,
                           "%s: \"%s\": the plain name of a .safetensors file beside the index belongs here",
                           j->file, shown(str_of(key)).at);
        name[at++] = json_str(v);
    }
    if (count) qsort(name, count, sizeof *name, by_text);
    *n = 0;
    for (size_t i = 0; i < count; i++)
        if (!i || !str_eq(name[i], name[i - 1])) name[(*n)++] = name[i];
    *out = name;
    return *n <= SHARDS_MAX || err_set(j->e, ERR_INPUT, "%s: more than %d files", j->file, SHARDS_MAX);
}

// Index and files agree tensor by tensor, in both directions.
static bool index_agrees(const Json *j, const json_t *map, const CheckpointFiles *f) {
    const char *key;
    json_t *v;
    json_object_foreach((json_t *)(uintptr_t)map, key, v) {
        Stored *s = stored_find(&f->tensors, str_of(key));
        if (!s || strcmp(strrchr(s->file, '/') + 1, json_string_value(v)) != 0)
            return err_set(j->e, ERR_INPUT, "%s: tensor \"%s\" is not in %s, which the index names for it",
                           j->file, shown(str_of(key)).at, json_string_value(v));
        s->used = true;
    }
    for (int i = 0; i < f->tensors.count; i++) {
        Stored *s = &f->tensors.at[i];
        if (!s->used)
            return err_set(j->e, ERR_INPUT, "%s: tensor \"%s\" is not in the index", s->file,
                           shown(s->name).at);
        s->used = false;
    }
    return true;
}

static bool shard_open(Arena *a, const char *path, CheckpointFiles *f, Err *e) {
    Mapped *m = &f->map[f->maps];
    if (!mapped_open(a, path, m, e)) return false;
    f->maps++;
    return safetensors_read(a, m, &f->tensors, e);
}

static bool open_indexed(Arena *a, const char *folder, const Json *j, CheckpointFiles *f, Err *e) {
    const json_t *map = json_object_get(j->root, "weight_map");
    const Str *name;
    int n;
    if (!json_is_object(map)) return err_set(e, ERR_INPUT, "%s: \"weight_map\" is missing", j->file);
    if (!shard_names(a, j, map, &name, &n)) return false;
    if (!n) return err_set(e, ERR_INPUT, "%s: \"weight_map\" is empty", j->file);
    f->map = NEWN(a, Mapped, (size_t)n);
    for (int i = 0; i < n; i++) {
        const char *path = arena_printf(a, "%s/%.*s", folder, STR_ARG(name[i]));
        if (!file_exists(path))
            return err_set(e, ERR_IO,
                           "%s, part %d of %d, is not there: finish the download (hf download goes on where "
                           "it stopped)%s",
                           path, i + 1, n, hub_rest(a, folder));
        if (!shard_open(a, path, f, e)) return false;
    }
    return seal(a, f, e) && index_agrees(j, map, f);
}

bool shards_open(Arena *a, const char *folder, CheckpointFiles *f, Err *e) {
    const char *single = arena_printf(a, "%s/model.safetensors", folder);
    const char *index = arena_printf(a, "%s/model.safetensors.index.json", folder);
    if (file_exists(single)) { // transformers, too, prefers it over an index
        f->map = NEWN(a, Mapped, 1);
        return shard_open(a, single, f, e) && seal(a, f, e);
    }
    if (!file_exists(index)) {
        bool pickled = file_exists(arena_printf(a, "%s/pytorch_model.bin", folder)) ||
                       file_exists(arena_printf(a, "%s/pytorch_model.bin.index.json", folder));
        return err_set(
            e, ERR_INPUT, "%s: no model.safetensors and no model.safetensors.index.json%s", folder,
            pickled ? "; pytorch_model.bin is a pickle, which is a program: save the model as safetensors"
                    : hub_rest(a, folder));
    }
    Json j;
    bool ok = json_open(a, index, JSON_BYTES_MAX, &j, e) && open_indexed(a, folder, &j, f, e);
    json_close(&j);
    return ok;
}
