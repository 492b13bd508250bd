#include "sandbox/input_cache.h"

#include <errno.h>
#include <stdbool.h>
#include <sys/mman.h>
#include <unistd.h>

enum { LARGE_PAGE = 2 << 20, LARGEST = 64 << 20 };

static void drop(struct CachedDraw *d) {
    if (d->map) munmap(d->map, d->bytes);
    *d = (struct CachedDraw){0};
}

static bool read_all(int fd, uint8_t *to, size_t bytes) {
    for (size_t at = 0; at < bytes;) {
        ssize_t n = pread(fd, to + at, bytes - at, (off_t)at);
        if (n < 0 && errno == EINTR) continue;
        if (n <= 0) return false;
        at += (size_t)n;
    }
    return true;
}

static void fill(struct CachedDraw *d, uint64_t key, int fd, size_t bytes) {
    size_t room = (bytes + LARGE_PAGE - 1) / LARGE_PAGE * LARGE_PAGE;
    void *p = mmap(NULL, room, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (p == MAP_FAILED) return;
    *d = (struct CachedDraw){.key = key, .map = p, .bytes = room, .held = bytes};
    (void)madvise(p, room, MADV_HUGEPAGE); // a hint
    if (!read_all(fd, p, bytes) || mprotect(p, room, PROT_READ) != 0) drop(d);
}

const uint8_t *input_cache_get(InputCache *k, uint64_t key, int fd, size_t bytes) {
    if (!key || !bytes || bytes > LARGEST) return NULL;
    struct CachedDraw *d = NULL, *oldest = &k->at[0];
    for (int i = 0; i < CACHED_DRAWS; i++) {
        if (k->at[i].key == key) d = &k->at[i];
        if (k->at[i].used < oldest->used) oldest = &k->at[i];
    }
    if (!d) {
        d = oldest;
        drop(d);
        fill(d, key, fd, bytes);
    }
    d->used = ++k->uses;
    return d->map && bytes == d->held ? d->map : NULL;
}

void input_cache_forget(InputCache *k, const uint8_t *but) {
    for (int i = 0; i < CACHED_DRAWS; i++)
        if (k->at[i].map != but) drop(&k->at[i]);
}
