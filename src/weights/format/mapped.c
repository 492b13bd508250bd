#include "weights/format/mapped.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/io.h"

_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__,
               "model files are little-endian, and read as they lie");

static bool no_pointer(const char *path, Str s, Err *e) {
    return !str_starts(s, "version https://git-lfs.github.com/spec/") ||
           err_set(e, ERR_INPUT,
                   "%s: a pointer of git-lfs, not the file itself: git lfs pull fetches it, and so does hf "
                   "download",
                   path);
}

bool small_read(Arena *a, const char *path, size_t max, Str *out, Err *e) {
    struct stat st;
    if (stat(path, &st) != 0) return err_set(e, ERR_IO, "%s: %s", path, strerror(errno));
    if (!S_ISREG(st.st_mode)) return err_set(e, ERR_INPUT, "%s: not a regular file", path);
    return io_read(a, path, max, out, e) && no_pointer(path, *out, e);
}

bool mapped_open(Arena *a, const char *path, Mapped *out, Err *e) {
    *out = (Mapped){.path = str_cdup(a, str_of(path))};
    // Without O_NONBLOCK, opening a pipe would wait for its other end.
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
    if (fd < 0) return err_set(e, ERR_IO, "%s: %s", path, strerror(errno));
    struct stat st;
    bool ok = fstat(fd, &st) == 0 || err_set(e, ERR_IO, "%s: %s", path, strerror(errno));
    if (ok && !S_ISREG(st.st_mode)) ok = err_set(e, ERR_INPUT, "%s: not a regular file", path);
    if (ok && st.st_size <= 0) ok = err_set(e, ERR_INPUT, "%s: empty", path);
    if (ok) {
        void *p = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
        if (p == MAP_FAILED) ok = err_set(e, ERR_IO, "%s: mmap: %s", path, strerror(errno));
        if (ok) {
            out->p = p;
            out->len = (size_t)st.st_size;
        }
    }
    close(fd);
    return ok && no_pointer(path, (Str){(const char *)out->p, out->len}, e);
}

void mapped_close(Mapped *m) {
    if (m->p) munmap((void *)(uintptr_t)m->p, m->len);
    *m = (Mapped){0};
}

void mapped_forget(const void *p, size_t n) {
    uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
    uintptr_t from = ((uintptr_t)p + page - 1) / page * page, to = ((uintptr_t)p + n) / page * page;
    if (from < to) (void)madvise((void *)from, to - from, MADV_DONTNEED); // a hint
}

bool json_open(Arena *a, const char *path, size_t max, Json *out, Err *e) {
    Str text;
    *out = (Json){.file = path, .e = e};
    return small_read(a, path, max, &text, e) && json_parse(path, text, out, e);
}
