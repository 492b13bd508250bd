// mapped.h - a file, mapped read-only. Whoever shortens a file while it is mapped ends the program (SIGBUS):
// models are replaced by renaming, never written in place.
#pragma once
#include "base/json.h"
#include "base/str.h"

typedef struct {
    const char *path;
    const uint8_t *p;
    size_t len;
} Mapped;

// Regular files only, at least one byte long, and not what git leaves in the place of a large file.
MUST_CHECK bool mapped_open(Arena *a, const char *path, Mapped *out, Err *e);
// A small one, copied: the same rules, but it may be empty.
MUST_CHECK bool small_read(Arena *a, const char *path, size_t max, Str *out, Err *e);
void mapped_close(Mapped *m); // {0} is fine
// The pages of p[0, n) may be dropped from memory: they come back from the file when they are read again.
void mapped_forget(const void *p, size_t n);

static inline uint16_t read_u16(const void *p) {
    uint16_t v;
    memcpy(&v, p, sizeof v);
    return v;
}
static inline uint32_t read_u32(const void *p) {
    uint32_t v;
    memcpy(&v, p, sizeof v);
    return v;
}
static inline uint64_t read_u64(const void *p) {
    uint64_t v;
    memcpy(&v, p, sizeof v);
    return v;
}
// The JSON object in a small file (base/json.h). json_close() in any case.
MUST_CHECK bool json_open(Arena *a, const char *path, size_t max, Json *out, Err *e);
