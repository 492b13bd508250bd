#include "weights/format/gguf_write.h"

#include <assert.h>

static void put_u32(Buf *b, uint32_t v) { buf_put(b, &v, sizeof v); }
static void put_u64(Buf *b, uint64_t v) { buf_put(b, &v, sizeof v); }
static void put_str(Buf *b, Str s) {
    put_u64(b, s.len);
    buf_str_put(b, s);
}

static void put_name(GgufHead *h, Str name, GgufType type) {
    put_str(&h->keys, name);
    put_u32(&h->keys, type);
    h->key_count++;
}

GgufHead gguf_head(Arena *a) { return (GgufHead){.keys = BUF(a), .infos = BUF(a)}; }

void gguf_put_int(GgufHead *h, const char *key, int64_t value) {
    assert(value >= 0 && value <= UINT32_MAX);
    put_name(h, str_of(key), GGUF_U32);
    put_u32(&h->keys, (uint32_t)value);
}

void gguf_put_real(GgufHead *h, const char *key, double value) {
    float f = (float)value;
    put_name(h, str_of(key), GGUF_F32);
    buf_put(&h->keys, &f, sizeof f);
}

void gguf_put_bool(GgufHead *h, const char *key, bool value) {
    put_name(h, str_of(key), GGUF_BOOL);
    buf_putc(&h->keys, value ? 1 : 0);
}

void gguf_put_text(GgufHead *h, const char *key, Str value) {
    put_name(h, str_of(key), GGUF_STRING);
    put_str(&h->keys, value);
}

static void put_array(GgufHead *h, Str name, GgufType type, uint64_t n) {
    put_name(h, name, GGUF_ARRAY);
    put_u32(&h->keys, type);
    put_u64(&h->keys, n);
}

void gguf_put_texts(GgufHead *h, const char *key, const Str *value, int n) {
    put_array(h, str_of(key), GGUF_STRING, (uint64_t)n);
    for (int i = 0; i < n; i++) put_str(&h->keys, value[i]);
}

void gguf_put_ints(GgufHead *h, const char *key, const int32_t *value, int n) {
    put_array(h, str_of(key), GGUF_I32, (uint64_t)n);
    buf_put(&h->keys, value, (size_t)n * sizeof *value);
}

void gguf_put_key(GgufHead *h, const GgufKey *k) {
    if (k->array)
        put_array(h, k->name, k->type, k->n);
    else
        put_name(h, k->name, k->type);
    buf_put(&h->keys, k->p, k->bytes);
}

void gguf_put_tensor(GgufHead *h, const char *name, int gguf_id, int rank, const int64_t *shape,
                     uint64_t bytes) {
    put_str(&h->infos, str_of(name));
    put_u32(&h->infos, (uint32_t)rank);
    for (int i = rank; i-- > 0;) put_u64(&h->infos, (uint64_t)shape[i]);
    put_u32(&h->infos, (uint32_t)gguf_id);
    put_u64(&h->infos, h->data);
    h->data += bytes + gguf_padding(bytes);
    h->tensor_count++;
}

Str gguf_head_bytes(Arena *a, const GgufHead *h) {
    Buf b = BUF(a);
    buf_puts(&b, "GGUF");
    put_u32(&b, 3);
    put_u64(&b, h->tensor_count);
    put_u64(&b, h->key_count);
    buf_str_put(&b, buf_str(&h->keys));
    buf_str_put(&b, buf_str(&h->infos));
    for (uint64_t n = gguf_padding(b.len); n > 0; n--) buf_putc(&b, 0);
    return buf_str(&b);
}
