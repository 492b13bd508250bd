#include "base/io.h"
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

// EINTR has to be tried again everywhere: a Ctrl-C handler that only sets a flag must not truncate a file.
static ssize_t read_some(int fd, void *p, size_t n) {
    for (;;) {
        ssize_t got = read(fd, p, n);
        if (got >= 0 || errno != EINTR) return got;
    }
}

static bool read_all(Arena *a, int fd, const char *name, size_t max, Str *out, Err *e) {
    struct stat st;
    size_t cap = 64 << 10;
    if (fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && st.st_size > 0) {
        if ((uintmax_t)st.st_size > max)
            return err_set(e, ERR_LIMIT, "%s: %jd bytes, more than the %zu allowed", name,
                           (intmax_t)st.st_size, max);
        cap = (size_t)st.st_size + 1; // one more, so that the end shows without growing
    }
    char *p = arena_raw(a, cap + 1, 1);
    size_t len = 0;
    for (;;) {
        if (len == cap) {
            char *bigger = arena_raw(a, 2 * cap + 1, 1);
            memcpy(bigger, p, len);
            p = bigger;
            cap *= 2;
        }
        ssize_t got = read_some(fd, p + len, cap - len);
        if (got < 0) return err_set(e, ERR_IO, "%s: %s", name, strerror(errno));
        if (got == 0) break;
        len += (size_t)got;
        if (len > max) return err_set(e, ERR_LIMIT, "%s: more than the %zu bytes allowed", name, max);
    }
    p[len] = 0;
    *out = (Str){p, len};
    return true;
}

bool io_read(Arena *a, const char *path, size_t max, Str *out, Err *e) {
    if (strcmp(path, "-") == 0) return read_all(a, STDIN_FILENO, "standard input", max, out, e);
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY);
    if (fd < 0) return err_set(e, ERR_IO, "%s: %s", path, strerror(errno));
    bool ok = read_all(a, fd, path, max, out, e);
    close(fd);
    return ok;
}

bool io_write_all(int fd, const void *p, size_t n, Err *e) {
    const char *at = p;
    while (n) {
        ssize_t put = write(fd, at, n);
        if (put < 0 && errno == EINTR) continue;
        if (put < 0) return err_set(e, ERR_IO, "write: %s", strerror(errno));
        at += put;
        n -= (size_t)put;
    }
    return true;
}

// The folder part of a path, "." without one.
static void folder_of(const char *path, char folder[PATH_MAX]) {
    const char *slash = strrchr(path, '/');
    size_t n = !slash ? 0 : slash == path ? 1 : (size_t)(slash - path);
    snprintf(folder, PATH_MAX, "%.*s", (int)n, path);
    if (!n) memcpy(folder, ".", 2);
}

// A device or a pipe cannot be replaced by a rename (and /dev/null should not be): written in place.
static bool write_in_place(const char *path, Str text, Err *e) {
    int fd = open(path, O_WRONLY | O_CLOEXEC | O_NOCTTY);
    if (fd < 0) return err_set(e, ERR_IO, "%s: %s", path, strerror(errno));
    bool ok = io_write_all(fd, text.p, text.len, e) || err_ctx(e, "%s", path);
    if (close(fd) != 0 && ok) ok = err_set(e, ERR_IO, "%s: %s", path, strerror(errno));
    return ok;
}

bool io_write_atomic(const char *path, Str text, Err *e) {
    char target[PATH_MAX], folder[PATH_MAX], part[PATH_MAX], self[64];
    struct stat st;
    bool exists = stat(path, &st) == 0;
    if (exists && S_ISDIR(st.st_mode)) return err_set(e, ERR_IO, "%s: %s", path, strerror(EISDIR));
    if (exists && !S_ISREG(st.st_mode)) return write_in_place(path, text, e);
    // Through a symbolic link to its file: the rename would replace the link otherwise.
    if (!exists || !realpath(path, target)) {
        if (snprintf(target, sizeof target, "%s", path) >= PATH_MAX)
            return err_set(e, ERR_IO, "%s: %s", path, strerror(ENAMETOOLONG));
    }
    if (snprintf(part, sizeof part, "%s.%ld.part", target, (long)getpid()) >= PATH_MAX)
        return err_set(e, ERR_IO, "%s: %s", path, strerror(ENAMETOOLONG));
    folder_of(target, folder);

    // A nameless file vanishes by itself when the program is killed; it gets its name when it is whole. Some
    // file systems cannot, and a named part file has to do.
    mode_t mode = exists ? st.st_mode & 0777 : 0666;
    int fd = open(folder, O_TMPFILE | O_WRONLY | O_CLOEXEC, mode);
    bool named = fd < 0;
    if (named) fd = open(part, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, mode);
    if (fd < 0) return err_set(e, ERR_IO, "%s: %s", path, strerror(errno));

    if (exists && fchmod(fd, mode) != 0) {} // the umask cut it; a file system without modes will not mind
    bool ok = io_write_all(fd, text.p, text.len, e) || err_ctx(e, "%s", path);
    if (ok && fsync(fd) != 0 && errno != EINVAL) ok = err_set(e, ERR_IO, "%s: %s", path, strerror(errno));
    if (ok && !named) {
        snprintf(self, sizeof self, "/proc/self/fd/%d", fd);
        unlink(part); // of a process long dead that had our number
        named = ok = linkat(AT_FDCWD, self, AT_FDCWD, part, AT_SYMLINK_FOLLOW) == 0;
        if (!ok) err_record(e, ERR_IO, "%s: %s", path, strerror(errno));
    }
    if (ok && rename(part, target) != 0) ok = err_set(e, ERR_IO, "%s: %s", path, strerror(errno));
    if (!ok && named) unlink(part);
    close(fd);
    return ok;
}

bool io_make_dirs(const char *path, Err *e) {
    char at[PATH_MAX];
    if (snprintf(at, sizeof at, "%s", path) >= PATH_MAX || !*path)
        return err_set(e, ERR_IO, "%s: %s", path, strerror(*path ? ENAMETOOLONG : ENOENT));
    for (char *p = at + 1;; p++) {
        if (*p && *p != '/') continue;
        char end = *p;
        *p = 0;
        if (mkdir(at, 0700) != 0 && errno != EEXIST) return err_set(e, ERR_IO, "%s: %s", at, strerror(errno));
        *p = end;
        if (!end) break;
    }
    struct stat st;
    if (stat(at, &st) != 0) return err_set(e, ERR_IO, "%s: %s", at, strerror(errno));
    if (!S_ISDIR(st.st_mode)) return err_set(e, ERR_IO, "%s: %s", at, strerror(ENOTDIR));
    return true;
}
