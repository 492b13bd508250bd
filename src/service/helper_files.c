#include "service/helper_files.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/io.h"

// Whether DIR/name is a file of its own: no link, no folder, no device.
static bool is_plain_file(DIR *d, const char *name) {
    struct stat st;
    return fstatat(dirfd(d), name, &st, AT_SYMLINK_NOFOLLOW) == 0 && S_ISREG(st.st_mode);
}

static bool file_names(Arena *a, const char *dir, Str name[LIBRARY_FILES_MAX], int *count, Err *e) {
    DIR *d = opendir(dir);
    if (!d) return err_set(e, ERR_IO, "cannot open the folder %s: %s", dir, strerror(errno));
    *count = 0;
    bool fits = true;
    for (const struct dirent *f; fits && (f = readdir(d)) != NULL;) {
        Str file = str_of(f->d_name);
        if (!str_ends(file, ".py")) continue;
        Str module = {file.p, file.len - 3};
        if (!library_name_ok(module) || !is_plain_file(d, f->d_name)) continue;
        fits = *count < LIBRARY_FILES_MAX;
        if (fits) name[(*count)++] = str_of(arena_strndup(a, module.p, module.len));
    }
    closedir(d);
    if (!fits) return err_set(e, ERR_INPUT, "%s: more than %d helper files", dir, LIBRARY_FILES_MAX);
    if (*count == 0) return err_set(e, ERR_INPUT, "%s: no helper files (NAME.py) in this folder", dir);
    qsort(name, (size_t)*count, sizeof *name, str_cmp_at);
    return true;
}

bool include_read(Arena *a, const char *dir, Str *out, Err *e) {
    Str name[LIBRARY_FILES_MAX], text;
    int count;
    size_t left = LIBRARY_BYTES_MAX;
    if (!file_names(a, dir, name, &count, e)) return false;
    Buf b = BUF(a);
    for (int i = 0; i < count; i++) {
        if (library_name_taken(name[i]))
            return err_set(e, ERR_INPUT, "%s/%.*s.py would hide a module that kernel files import: rename it",
                           dir, STR_ARG(name[i]));
        if (!io_read_file(a, arena_printf(a, "%s/%.*s.py", dir, STR_ARG(name[i])), left, &text, e)) return false;
        left -= text.len;
        library_pack(&b, name[i], text);
    }
    *out = buf_str(&b);
    return true;
}
