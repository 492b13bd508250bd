#include "base/sealed.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/io.h"

enum { PAGE = 4096, STEP = 64 << 10, IDLE_MOST = 32 };
static const size_t idle_bytes_most = (size_t)192 << 20;

struct SealedFile {
    SealedFile *next;
    int fd;
    uint8_t *map;
    size_t bytes, touched; // touched: so much of it may not be zero, and has pages
    bool lasts;            // sealed for all but us, so it can be written again
    unsigned doubts;       // that were there when it was taken
};

// The one that was given back last comes first.
static pthread_mutex_t idle_lock = PTHREAD_MUTEX_INITIALIZER;
static SealedFile *idle;
static unsigned doubts;

static void file_drop(SealedFile *f) {
    if (f->map) munmap(f->map, f->bytes);
    if (f->fd >= 0) close(f->fd);
    free(f);
}

static bool file_map(SealedFile *f) {
    if (f->bytes > (size_t)INT64_MAX || ftruncate(f->fd, (off_t)f->bytes) != 0) return false;
    void *p = mmap(NULL, f->bytes, PROT_READ | PROT_WRITE, MAP_SHARED, f->fd, 0);
    if (p == MAP_FAILED) return false;
    f->map = p;
    // A process that is forked later, and what it forks, would write here, too: in draws to come as well.
    if (madvise(p, f->bytes, MADV_DONTFORK) != 0) return false;
    (void)madvise(p, f->bytes, MADV_HUGEPAGE); // a hint: most systems allow it for no shared memory
    return true;
}

static bool file_new(size_t bytes, const char *what, SealedFile **out, Err *e) {
    const int all_but_us = F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_FUTURE_WRITE | F_SEAL_SEAL;
    SealedFile *f = calloc(1, sizeof *f);
    if (!f) abort();
    f->bytes = bytes;
    f->fd = memfd_create(what, MFD_CLOEXEC | MFD_ALLOW_SEALING);
    if (f->fd < 0 || !file_map(f)) {
        err_record(e, ERR_IO, "%s: cannot map %zu bytes: %s", what, bytes, strerror(errno));
        file_drop(f);
        return false;
    }
    f->lasts = fcntl(f->fd, F_ADD_SEALS, all_but_us) == 0;
    *out = f;
    return true;
}

// The smallest that has room, and is not far too large.
static SealedFile *idle_take(size_t bytes) {
    SealedFile **best = NULL, *f = NULL;
    pthread_mutex_lock(&idle_lock);
    for (SealedFile **at = &idle; *at; at = &(*at)->next)
        if ((*at)->bytes >= bytes && (*at)->bytes / 8 <= bytes && (!best || (*at)->bytes < (*best)->bytes))
            best = at;
    if (best) {
        f = *best;
        *best = f->next;
        f->next = NULL;
    }
    pthread_mutex_unlock(&idle_lock);
    return f;
}

// What is left behind the first files of the list, which may hold so much.
static SealedFile *idle_rest(int files, size_t bytes) {
    SealedFile **at = &idle;
    for (; *at && files > 0 && (*at)->touched <= bytes; at = &(*at)->next, files--) bytes -= (*at)->touched;
    SealedFile *rest = *at;
    *at = NULL;
    return rest;
}

static void files_drop(SealedFile *f) {
    for (SealedFile *next; f; f = next) {
        next = f->next;
        file_drop(f);
    }
}

// What is idle may be in the way: its descriptors, its address space.
static bool file_new_at_last(size_t bytes, const char *what, SealedFile **out, Err *e) {
    Err first = {0};
    if (file_new(bytes, what, out, &first)) return true;
    sealed_give_back();
    return file_new(bytes, what, out, e);
}

bool sealed_take(size_t bytes, const char *what, Sealed *out, Err *e) {
    *out = (Sealed){.fd = -1};
    if (bytes > SIZE_MAX - STEP) return err_set(e, ERR_IO, "%s: %zu bytes: too many", what, bytes);
    size_t pages = (bytes + PAGE - 1) / PAGE * PAGE;
    SealedFile *f = idle_take(bytes);
    if (!f && !file_new_at_last((bytes / STEP + 1) * STEP, what, &f, e)) return false;
    memset(f->map, 0, pages < f->touched ? pages : f->touched);
    if (pages > f->touched) f->touched = pages;
    pthread_mutex_lock(&idle_lock);
    f->doubts = doubts;
    pthread_mutex_unlock(&idle_lock);
    *out = (Sealed){.fd = f->fd, .map = f->map, .bytes = bytes, .file = f};
    return true;
}

bool sealed_close(Sealed *s, const char *what, Err *e) {
    SealedFile *f = s->file;
    if (f->lasts) return true;
    munmap(f->map, f->bytes);
    f->map = s->map = NULL;
    if (!io_seal(f->fd, what, e)) return false;
    // Private, because these kernels refuse to share what is sealed.
    void *p = mmap(NULL, f->bytes, PROT_READ, MAP_PRIVATE, f->fd, 0);
    if (p == MAP_FAILED) return err_set(e, ERR_IO, "%s: cannot be mapped: %s", what, strerror(errno));
    f->map = s->map = p;
    return true;
}

void sealed_give(Sealed *s) {
    SealedFile *f = s->file, *rest = f;
    *s = (Sealed){.fd = -1};
    if (!f) return;
    pthread_mutex_lock(&idle_lock);
    // One that is larger than all that may wait would send away the others, and then go itself.
    if (f->lasts && f->doubts == doubts && f->touched <= idle_bytes_most / 2) {
        f->next = idle;
        idle = f;
        rest = idle_rest(IDLE_MOST, idle_bytes_most);
    }
    pthread_mutex_unlock(&idle_lock);
    files_drop(rest);
}

void sealed_doubt(void) {
    pthread_mutex_lock(&idle_lock);
    doubts++;
    pthread_mutex_unlock(&idle_lock);
}

void sealed_give_back(void) {
    pthread_mutex_lock(&idle_lock);
    SealedFile *all = idle_rest(0, 0);
    pthread_mutex_unlock(&idle_lock);
    files_drop(all);
}
