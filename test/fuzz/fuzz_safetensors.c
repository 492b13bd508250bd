// Any bytes as a .safetensors file: refused, or every tensor lies inside the file, behind one another, and is
// found by its name.
#include <stdlib.h>

#include "weights/format/safetensors.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

// Half of the inputs are a header alone: the fuzzer need not guess its length, and every such file has the
// data that its last tensor asks for, up to a limit.
static Str whole_file(Arena *a, const uint8_t *data, size_t size) {
    if (!size || data[0] % 2) return (Str){(const char *)data + (size > 0), size - (size > 0)};
    enum { DATA = 256 };
    uint64_t n = size - 1;
    Buf b = BUF(a);
    buf_put(&b, &n, sizeof n);
    buf_put(&b, data + 1, size - 1);
    for (int i = 0; i < (data[0] >> 1) * 2 && i < DATA; i++) buf_putc(&b, 0);
    return buf_str(&b);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    Arena a = {0};
    StoredTable t = {0};
    Err e = {0};
    Str file = whole_file(&a, data, size);
    uint8_t *copy = malloc(file.len + 1);
    if (!copy) abort();
    if (file.len) memcpy(copy, file.p, file.len);
    Mapped m = {"file", copy, file.len};
    if (safetensors_read(&a, &m, &t, &e)) {
        size_t bytes = 0;
        unsigned sum = 0; // every byte can be read, once
        const Stored *twice = stored_seal(&a, &t);
        const uint8_t *at = NULL;
        for (int i = 0; i < t.count; i++) {
            const Stored *s = &t.at[i];
            if (at && s->data != at) abort(); // in the order of their places, without holes
            at = s->data + s->bytes;
            bytes += s->bytes;
            for (size_t k = 0; k < s->bytes; k++) sum += s->data[k];
            if (!twice && stored_find(&t, s->name) != s) abort();
        }
        if (t.count && at != copy + file.len) abort();
        if (bytes > file.len) abort();
        for (size_t k = file.len - bytes; k < file.len; k++) sum -= copy[k];
        if (sum) abort();
    } else if (e.code == ERR_NONE || !e.msg[0]) {
        abort();
    }
    free(copy);
    arena_free(&a);
    return 0;
}
