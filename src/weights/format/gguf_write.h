// gguf_write.h - the head of a GGUF file (version 3), as bytes: keys in the order they are put, then the
// table of tensors. The data follows, each tensor padded to GGUF_ALIGNMENT.
#pragma once
#include "weights/format/gguf.h"

enum { GGUF_ALIGNMENT = 32 };
typedef struct {
    Buf keys, infos;
    uint64_t key_count, tensor_count;
    uint64_t data; // bytes of data so far, padded
} GgufHead;

GgufHead gguf_head(Arena *a);
void gguf_put_int(GgufHead *h, const char *key, int64_t value); // U32; 0 <= value < 2^32
void gguf_put_real(GgufHead *h, const char *key, double value); // F32
void gguf_put_bool(GgufHead *h, const char *key, bool value);
void gguf_put_text(GgufHead *h, const char *key, Str value);
void gguf_put_texts(GgufHead *h, const char *key, const Str *value, int n);
void gguf_put_ints(GgufHead *h, const char *key, const int32_t *value, int n);
void gguf_put_key(GgufHead *h, const GgufKey *k); // as another file has it
// shape in torch's order.
void gguf_put_tensor(GgufHead *h, const char *name, int gguf_id, int rank, const int64_t *shape,
                     uint64_t bytes);
Str gguf_head_bytes(Arena *a, const GgufHead *h); // padded: the data begins behind it
static inline uint64_t gguf_padding(uint64_t n) {
    return (GGUF_ALIGNMENT - n % GGUF_ALIGNMENT) % GGUF_ALIGNMENT;
}
