#include "package/champion_record.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>

#include "base/io.h"
#include "base/sha256.h"

enum { FILE_MAX = 1 << 20, KEPT_MAX = 4096 };

const char *champion_path(Arena *a, const char *folder, Str name, const char *end) {
    return arena_printf(a, "%s/%.*s%s", folder, STR_ARG(name), end);
}

bool champion_read(Arena *a, const char *folder, Str name, Json *j, ChampionRecord *out, Err *e) {
    Str text;
    char sha[65];
    const char *path = champion_path(a, folder, name, ".json");
    *out = (ChampionRecord){.op = {0}};
    *j = (Json){.root = NULL};
    if (!io_read_file(a, path, FILE_MAX, &text, e) || !json_parse(path, text, j, e) ||
        !json_get_text(j, j->root, "op", &out->op) || !json_get_text(j, j->root, "op_hash", &out->op_hash) ||
        !json_get_text(j, j->root, "gpu", &out->gpu) ||
        !json_get_text(j, j->root, "source_sha256", &out->source_sha256) ||
        !io_read_file(a, champion_path(a, folder, name, ".py"), FILE_MAX, &out->source, e))
        return false;
    sha256_hex(sha256_of(out->source), sha);
    out->changed = !str_eq(out->op, name) || !str_is(out->source_sha256, sha);
    if (out->changed) return err_set(e, ERR_INPUT, "the kernel or its record was changed by hand");
    return true;
}

static int by_name(const void *a, const void *b) {
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

bool champion_names(Arena *a, const char *folder, const char *option, const char ***out, int *n, Err *e) {
    DIR *d = opendir(folder);
    if (!d)
        return err_set(e, ERR_IO, "%s: %s; %s FOLDER says where champions were kept", folder, strerror(errno),
                       option);
    const char **all = NEWN(a, const char *, KEPT_MAX);
    int found = 0;
    for (const struct dirent *f; (f = readdir(d)) && found < KEPT_MAX;) {
        Str name = str_of(f->d_name);
        size_t end = str_ends(name, ".json") ? 5 : str_ends(name, ".py") ? 3 : 0;
        if (end && name.len > end && name.p[0] != '.')
            all[found++] = arena_strndup(a, name.p, name.len - end);
    }
    closedir(d);
    if (found) qsort(all, (size_t)found, sizeof *all, by_name);
    *n = 0;
    for (int i = 0; i < found; i++) // a record and its kernel are one champion; either alone is told
        if (!i || strcmp(all[i], all[*n - 1]) != 0) all[(*n)++] = all[i];
    *out = all;
    return *n > 0 || err_set(e, ERR_INPUT, "%s: no champions are kept here", folder);
}
