#include "service/helper_files.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/io.h"

enum { FOLDERS_DEEP = 6 };

typedef struct {
    Arena *arena;
    Str name[LIBRARY_FILES_MAX]; // as library_pack() takes them
    int count;
} Found;

// Whether DIR/name is a file, or a folder, of its own: no link, no device.
static bool is_kind(DIR *d, const char *name, mode_t kind) {
    struct stat st;
    return fstatat(dirfd(d), name, &st, AT_SYMLINK_NOFOLLOW) == 0 && (st.st_mode & S_IFMT) == kind;
}

static bool too_many(const Found *f, const char *dir, Err *e) {
    return f->count == LIBRARY_FILES_MAX &&
           !err_set(e, ERR_INPUT, "%s: more than %d helper files", dir, LIBRARY_FILES_MAX);
}

static const char *init_of(Arena *a, const char *dir, const char *name) {
    return arena_printf(a, "%s/%s/__init__.py", dir, name);
}

// A folder with an __init__.py is a package; others are none of the program's.
static bool folder_names(Found *f, const char *dir, Str package, int depth, Err *e) {
    DIR *d = opendir(dir);
    if (!d) return err_set(e, ERR_IO, "cannot open the folder %s: %s", dir, strerror(errno));
    bool ok = true;
    for (const struct dirent *entry; ok && (entry = readdir(d)) != NULL;) {
        Str file = str_of(entry->d_name), module = file;
        bool plain = str_ends(file, ".py") && is_kind(d, entry->d_name, S_IFREG);
        if (plain) module.len -= 3;
        struct stat st;
        bool folder = !plain && depth < FOLDERS_DEEP && library_name_ok(module) &&
                      is_kind(d, entry->d_name, S_IFDIR) &&
                      lstat(init_of(f->arena, dir, entry->d_name), &st) == 0 && S_ISREG(st.st_mode);
        if (!library_name_ok(module) || !(plain || folder)) continue;
        Str path = str_of(
            arena_printf(f->arena, "%.*s%s%.*s", STR_ARG(package), package.len ? "." : "", STR_ARG(module)));
        if (path.len >= LIBRARY_PATH_MAX) continue;
        if (too_many(f, dir, e)) {
            ok = false;
            break;
        }
        f->name[f->count++] = folder ? str_of(arena_printf(f->arena, "%.*s/", STR_ARG(path))) : path;
        if (folder)
            ok = folder_names(f, arena_printf(f->arena, "%s/%s", dir, entry->d_name), path, depth + 1, e);
    }
    closedir(d);
    return ok;
}

// "package.helpers" is package/helpers.py.
static const char *file_of(Arena *a, const char *dir, Str name) {
    bool package = name.p[name.len - 1] == '/';
    char *path = arena_strndup(a, name.p, name.len - package);
    for (char *p = path; *p; p++)
        if (*p == '.') *p = '/';
    return arena_printf(a, "%s/%s%s.py", dir, path, package ? "/__init__" : "");
}

static Str first_part(Str name) {
    size_t n = 0;
    while (n < name.len && name.p[n] != '.' && name.p[n] != '/') n++;
    return (Str){name.p, n};
}

bool include_read(Arena *a, const char *dir, Str *out, Err *e) {
    Found *f = NEW(a, Found);
    Str text;
    size_t left = LIBRARY_BYTES_MAX;
    f->arena = a;
    if (!folder_names(f, dir, (Str){"", 0}, 0, e)) return false;
    if (f->count == 0)
        return err_set(e, ERR_INPUT, "%s: no helper files (NAME.py, or packages) in this folder", dir);
    qsort(f->name, (size_t)f->count, sizeof *f->name, str_cmp_at);
    Buf b = BUF(a);
    for (int i = 0; i < f->count; i++) {
        const char *path = file_of(a, dir, f->name[i]);
        if (library_name_taken(first_part(f->name[i])))
            return err_set(e, ERR_INPUT, "%s would hide a module that kernel files import: rename it", path);
        if (!io_read_file(a, path, left, &text, e)) return false;
        left -= text.len;
        library_pack(&b, f->name[i], text);
    }
    *out = buf_str(&b);
    return true;
}

Str package_of(Arena *a, const char *path) {
    const char *slash = strrchr(path, '/');
    char *dir = slash ? arena_strndup(a, path, (size_t)(slash - path) + 1) : arena_strndup(a, ".", 1);
    char *full = realpath(dir, NULL);
    Str folder = full ? str_of(arena_strndup(a, full, strlen(full))) : (Str){0}, package = {"", 0};
    free(full);
    for (int depth = 0; folder.len && depth <= FOLDERS_DEEP; depth++) {
        struct stat st;
        const char *end = memrchr(folder.p, '/', folder.len);
        Str name = {end + 1, folder.len - (size_t)(end + 1 - folder.p)};
        if (!library_name_ok(name) || lstat(arena_printf(a, "%.*s/__init__.py", STR_ARG(folder)), &st) != 0 ||
            !S_ISREG(st.st_mode))
            break;
        package =
            str_of(arena_printf(a, "%.*s%s%.*s", STR_ARG(name), package.len ? "." : "", STR_ARG(package)));
        folder.len = (size_t)(end - folder.p);
    }
    return package;
}
