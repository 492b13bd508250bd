// input_cache.h - inputs that the fork server keeps as memory of its own. Children inherit it with a few
// entries of their page table; mapping the parent's file would cost each of them an entry for every 4 KiB.
// Private to fork_server_child.c.
#pragma once
#include <stddef.h>
#include <stdint.h>

// As many as a stream works on at once.
enum { CACHED_DRAWS = 2 };
typedef struct {
    struct CachedDraw {
        uint64_t key, used; // 0: empty
        uint8_t *map;
        size_t bytes, held; // of the mapping; of the inputs
    } at[CACHED_DRAWS];
    uint64_t uses;
} InputCache;

// A read-only copy of the sealed file's bytes. A new key replaces the copy that was used least recently.
// NULL: there is no copy; the caller maps the file instead.
const uint8_t *input_cache_get(InputCache *k, uint64_t key, int fd, size_t bytes);
// In a child: unmaps every copy except the one that it may see (NULL: every one).
void input_cache_forget(InputCache *k, const uint8_t *but);
