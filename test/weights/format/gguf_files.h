// gguf_files.h - for tests of GGUF files: read from a copy of exactly their size.
#pragma once
#include "weights/format/gguf_write.h"
#include "weights/making.h"

static inline bool reads_copy(Arena *a, Str s, Gguf *g, uint8_t **copy, Err *e) {
    *copy = malloc(s.len ? s.len : 1); // of exactly this size, for AddressSanitizer
    if (s.len) memcpy(*copy, s.p, s.len);
    Mapped *m = NEW(a, Mapped);
    *m = (Mapped){"file", *copy, s.len};
    return gguf_read(a, m, g, e);
}

static inline Made sample(Arena *a) {
    Made m = made_new(a);
    made_text(&m, "general.architecture", "llama");
    made_int(&m, "n", 7);
    made_array(&m, "list", GGUF_I16, 3, (int16_t[]){1, -2, 3}, 6);
    made_array(&m, "words", GGUF_STRING, 2, "\1\0\0\0\0\0\0\0a\2\0\0\0\0\0\0\0bc", 19);
    made_tensor(&m, "first", 0, 2, (uint64_t[]){3, 2}, NULL, 24);
    made_tensor(&m, "second", 8, 1, (uint64_t[]){64}, NULL, 68);
    return m;
}
