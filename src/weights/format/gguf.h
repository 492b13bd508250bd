// gguf.h - the reader of a GGUF file (version 2 and 3): keys with values, then tensors. Every rule that ggml
// checks is checked, and a few more; nothing is read outside the file.
#pragma once
#include "weights/format/stored.h"

typedef enum {
    GGUF_U8,
    GGUF_I8,
    GGUF_U16,
    GGUF_I16,
    GGUF_U32,
    GGUF_I32,
    GGUF_F32,
    GGUF_BOOL,
    GGUF_STRING,
    GGUF_ARRAY,
    GGUF_U64,
    GGUF_I64,
    GGUF_F64,
    GGUF_TYPES
} GgufType;

typedef struct {
    Str name;
    GgufType type; // of the value, or of an array's elements
    bool array;
    uint64_t n;       // elements; 1 unless an array
    const uint8_t *p; // the first element, in the file
    size_t bytes;
} GgufKey;

typedef struct {
    const char *file;
    uint32_t version;
    GgufKey *key;
    int keys;
    StoredTable tensors;
} Gguf;

bool gguf_looks(const Mapped *m);                                        // begins as a GGUF file does
MUST_CHECK bool gguf_read(Arena *a, const Mapped *m, Gguf *out, Err *e); // borrows from m

const GgufKey *gguf_find(const Gguf *g, const char *name); // NULL: none
// The value of a key. Absent: *out stays as it is and all is well. A wrong type or a value outside [min, max]
// is ERR_INPUT. An integer may be of any integer type, a real one F32 or F64. An array of equal integers
// passes as one integer (attention.head_count_kv of some writers).
MUST_CHECK bool gguf_int(const Gguf *g, const char *name, int64_t min, int64_t max, int64_t *out, Err *e);
MUST_CHECK bool gguf_real(const Gguf *g, const char *name, double *out, Err *e);
MUST_CHECK bool gguf_bool(const Gguf *g, const char *name, bool *out, Err *e);
MUST_CHECK bool gguf_text(const Gguf *g, const char *name, Str *out, Err *e);
// An array of texts, or of whole numbers, in the arena.
MUST_CHECK bool gguf_texts(Arena *a, const Gguf *g, const char *name, const Str **out, int *n, Err *e);
MUST_CHECK bool gguf_ints(Arena *a, const Gguf *g, const char *name, const int32_t **out, int *n, Err *e);
