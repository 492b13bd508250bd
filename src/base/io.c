#include "base/io.h"
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

_Static_assert(IO_PATH >= PATH_MAX, "realpath writes that much");

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

bool io_read_file(Arena *a, const char *path, size_t max, Str *out, Err *e) {
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK); // opening a pipe would wait, too
    if (fd < 0) return err_set(e, ERR_IO, "%s: %s", path, strerror(errno));
    struct stat st;
    bool ok = fstat(fd, &st) == 0;
    if (!ok)
        (void)err_set(e, ERR_IO, "%s: %s", path, strerror(errno));
    else if (S_ISDIR(st.st_mode))
        ok = err_set(e, ERR_IO, "%s: %s", path, strerror(EISDIR));
    else if (!S_ISREG(st.st_mode))
        ok = err_set(e, ERR_IO, "%s: not a regular file", path);
    ok = ok && read_all(a, fd, path, max, out, e);
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

bool io_begin(IoFile *f, const char *path, Err *e) {
    char folder[PATH_MAX];
    struct stat st;
    *f = (IoFile){.fd = -1, .path = path};
    f->exists = stat(path, &st) == 0;
    if (f->exists && S_ISDIR(st.st_mode)) return err_set(e, ERR_IO, "%s: %s", path, strerror(EISDIR));
    // A device or a pipe cannot be replaced by a rename (and /dev/null should not be).
    f->in_place = f->exists && !S_ISREG(st.st_mode);
    if (f->in_place) {
        f->fd = open(path, O_WRONLY | O_CLOEXEC | O_NOCTTY);
        return f->fd >= 0 || err_set(e, ERR_IO, "%s: %s", path, strerror(errno));
    }
    // Through a symbolic link to its file: the rename would replace the link otherwise.
    if (!f->exists || !realpath(path, f->target)) {
        if (snprintf(f->target, sizeof f->target, "%s", path) >= IO_PATH)
            return err_set(e, ERR_IO, "%s: %s", path, strerror(ENAMETOOLONG));
    }
    if (snprintf(f->part, sizeof f->part, "%s.%ld.part", f->target, (long)getpid()) >= IO_PATH)
        return err_set(e, ERR_IO, "%s: %s", path, strerror(ENAMETOOLONG));
    folder_of(f->target, folder);

    // A nameless file vanishes by itself when the program is killed; it gets its name when it is whole. Some
    // file systems cannot, and a named part file has to do.
    f->mode = f->exists ? st.st_mode & 0777 : 0666;
    f->fd = open(folder, O_TMPFILE | O_WRONLY | O_CLOEXEC, f->mode);
    f->named = f->fd < 0;
    if (f->named) f->fd = open(f->part, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, f->mode);
    if (f->fd < 0) return err_set(e, ERR_IO, "%s: %s", path, strerror(errno));
    if (f->exists && fchmod(f->fd, f->mode) != 0) {
    } // the umask cut it; a file system without modes will not mind
    return true;
}

void io_abandon(IoFile *f) {
    if (f->named) unlink(f->part);
    if (f->fd >= 0) close(f->fd);
    f->fd = -1;
}

bool io_commit(IoFile *f, Err *e) {
    char self[64];
    bool ok = true;
    if (!f->in_place) {
        if (fsync(f->fd) != 0 && errno != EINVAL) ok = err_set(e, ERR_IO, "%s: %s", f->path, strerror(errno));
        if (ok && !f->named) {
            snprintf(self, sizeof self, "/proc/self/fd/%d", f->fd);
            unlink(f->part); // of a process long dead that had our number
            f->named = ok = linkat(AT_FDCWD, self, AT_FDCWD, f->part, AT_SYMLINK_FOLLOW) == 0;
            if (!ok) err_record(e, ERR_IO, "%s: %s", f->path, strerror(errno));
        }
        if (ok && rename(f->part, f->target) != 0)
            ok = err_set(e, ERR_IO, "%s: %s", f->path, strerror(errno));
        if (ok) f->named = false;
    }
    int fd = f->fd;
    if (ok) f->fd = -1; // what follows is told once
    if (ok && close(fd) != 0 && f->in_place) return err_set(e, ERR_IO, "%s: %s", f->path, strerror(errno));
    if (!ok) io_abandon(f);
    return ok;
}

bool io_write_atomic(const char *path, Str text, Err *e) {
    IoFile f;
    if (!io_begin(&f, path, e)) return false;
    if (io_write_all(f.fd, text.p, text.len, e)) return io_commit(&f, e);
    io_abandon(&f);
    return err_ctx(e, "%s", path);
}

bool io_seal(int fd, const char *what, Err *e) {
    enum { TRIES = 400, PAUSE = 5000000 }; // nanoseconds
    for (int i = 0; i < TRIES; i++) {
        if (fcntl(fd, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_WRITE | F_SEAL_SEAL) == 0)
            return true;
        if (errno != EBUSY) break;
        nanosleep(&(struct timespec){.tv_nsec = PAUSE}, NULL);
    }
    return err_set(e, ERR_IO, "%s: cannot be sealed: %s", what, strerror(errno));
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
