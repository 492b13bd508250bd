// making.h - files for the tests of weights/, written byte by byte and without the code under test.
#pragma once
#include <assert.h>
#include <ftw.h>
#include <jansson.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/numeric/rng.h"
#include "weights/checkpoint.h"
#include "weights/format/gguf.h"

#include <cmocka.h>

// ---- folders

static inline int remove_one(const char *path, const struct stat *st, int kind, struct FTW *f) {
    (void)st, (void)kind, (void)f;
    return remove(path);
}
static inline void folder_remove(const char *path) { nftw(path, remove_one, 16, FTW_DEPTH | FTW_PHYS); }

static inline const char *folder_new(Arena *a) {
    char name[] = "/tmp/ouroboros-weights-XXXXXX";
    assert_non_null(mkdtemp(name));
    return str_cdup(a, str_of(name));
}

static inline void file_put(const char *path, const void *p, size_t n) {
    FILE *f = fopen(path, "wb");
    assert_non_null(f);
    assert_int_equal(fwrite(p, 1, n, f), n);
    assert_int_equal(fclose(f), 0);
}
static inline void text_put(Arena *a, const char *folder, const char *name, const char *text) {
    file_put(arena_printf(a, "%s/%s", folder, name), text, strlen(text));
}

// The message of a failure, checked to hold `words`.
#define assert_says(e, words)                                                                    \
    do {                                                                                         \
        if (!strstr((e).msg, (words))) fail_msg("\"%s\" does not say \"%s\"", (e).msg, (words)); \
    } while (0)

// ---- numbers

// A number that depends on its place alone: small, and exact in F16.
static inline float number_at(uint64_t tensor, uint64_t i) {
    uint64_t h = (tensor * 1000003u + i + 1) * 0x9e3779b97f4a7c15u;
    h ^= h >> 29;
    return (float)(int)(h % 255) / 256.0f - 0.5f;
}

// ---- safetensors

typedef struct {
    const char *name, *dtype;
    int rank;
    int64_t shape[4];
    const void *data; // NULL: zeros
    size_t bytes;
} Tensor;

static inline void safetensors_bytes(Buf *out, Str header, size_t data) {
    uint64_t n = header.len;
    buf_put(out, &n, sizeof n);
    buf_str_put(out, header);
    for (size_t i = 0; i < data; i++) buf_putc(out, 0);
}

static inline void safetensors_put(Arena *a, const char *path, const Tensor *t, int n) {
    Buf header = BUF(a), out = BUF(a);
    size_t at = 0;
    buf_puts(&header, "{\"__metadata__\":{\"format\":\"pt\"}");
    for (int i = 0; i < n; i++) {
        buf_printf(&header, ",\"%s\":{\"dtype\":\"%s\",\"shape\":[", t[i].name, t[i].dtype);
        for (int k = 0; k < t[i].rank; k++)
            buf_printf(&header, k ? ",%lld" : "%lld", (long long)t[i].shape[k]);
        buf_printf(&header, "],\"data_offsets\":[%zu,%zu]}", at, at + t[i].bytes);
        at += t[i].bytes;
    }
    buf_putc(&header, '}');
    while (header.len % 8) buf_putc(&header, ' ');
    safetensors_bytes(&out, buf_str(&header), 0);
    for (int i = 0; i < n; i++) {
        if (t[i].data) buf_put(&out, t[i].data, t[i].bytes);
        for (size_t k = 0; !t[i].data && k < t[i].bytes; k++) buf_putc(&out, 0);
    }
    file_put(path, out.p, out.len);
}

// ---- GGUF

typedef struct {
    Buf keys, infos, data;
    uint64_t key_count, tensor_count;
    uint32_t version, alignment;
} Made;

static inline void put32(Buf *b, uint32_t v) { buf_put(b, &v, 4); }
static inline void put64(Buf *b, uint64_t v) { buf_put(b, &v, 8); }
static inline void put_text(Buf *b, const char *s) {
    put64(b, strlen(s));
    buf_puts(b, s);
}
static inline Made made_new(Arena *a) {
    return (Made){.keys = BUF(a), .infos = BUF(a), .data = BUF(a), .version = 3, .alignment = 32};
}
static inline void made_key(Made *m, const char *key, GgufType type, const void *value, size_t bytes) {
    put_text(&m->keys, key);
    put32(&m->keys, type);
    buf_put(&m->keys, value, bytes);
    m->key_count++;
}
static inline void made_int(Made *m, const char *key, uint32_t v) { made_key(m, key, GGUF_U32, &v, 4); }
static inline void made_real(Made *m, const char *key, float v) { made_key(m, key, GGUF_F32, &v, 4); }
static inline void made_text(Made *m, const char *key, const char *v) {
    made_key(m, key, GGUF_STRING, "", 0);
    put_text(&m->keys, v);
}
static inline void made_array(Made *m, const char *key, GgufType type, uint64_t n, const void *value,
                              size_t bytes) {
    put_text(&m->keys, key);
    put32(&m->keys, GGUF_ARRAY);
    put32(&m->keys, type);
    put64(&m->keys, n);
    buf_put(&m->keys, value, bytes);
    m->key_count++;
}
// ne as GGUF has it: the contiguous dimension first. data NULL: zeros.
static inline void made_tensor(Made *m, const char *name, uint32_t type, uint32_t dims, const uint64_t *ne,
                               const void *data, size_t bytes) {
    put_text(&m->infos, name);
    put32(&m->infos, dims);
    for (uint32_t i = 0; i < dims; i++) put64(&m->infos, ne[i]);
    put32(&m->infos, type);
    put64(&m->infos, m->data.len);
    m->tensor_count++;
    for (size_t i = 0; i < bytes; i++) buf_putc(&m->data, data ? ((const char *)data)[i] : 0);
    while (m->data.len % m->alignment) buf_putc(&m->data, 0);
}
static inline Str made_bytes(Arena *a, const Made *m) {
    Buf b = BUF(a);
    buf_puts(&b, "GGUF");
    put32(&b, m->version);
    put64(&b, m->tensor_count);
    put64(&b, m->key_count);
    buf_str_put(&b, buf_str(&m->keys));
    buf_str_put(&b, buf_str(&m->infos));
    while (b.len % m->alignment) buf_putc(&b, 0);
    buf_str_put(&b, buf_str(&m->data));
    return buf_str(&b);
}

// ---- a tiny Llama or Qwen2

enum { HIDDEN = 32, LAYERS = 2, HEADS = 4, KV_HEADS = 2, HEAD_DIM = 16, INNER = 64, VOCAB = 40 };
#define LLAMA_CONFIG                                                                                     \
    "{\"model_type\":\"llama\",\"architectures\":[\"LlamaForCausalLM\"],\"hidden_size\":32,"             \
    "\"num_hidden_layers\":2,\"num_attention_heads\":4,\"num_key_value_heads\":2,\"head_dim\":16,"       \
    "\"intermediate_size\":64,\"vocab_size\":40,\"max_position_embeddings\":128,\"rms_norm_eps\":1e-06," \
    "\"rope_theta\":10000.0,\"bos_token_id\":0,\"eos_token_id\":1,\"tie_word_embeddings\":false,"        \
    "\"hidden_act\":\"silu\"}"

// The configuration with some keys replaced; null removes one.
static inline const char *config_with(Arena *a, const char *changes) {
    json_t *base = json_loads(LLAMA_CONFIG, 0, NULL), *other = json_loads(changes, 0, NULL);
    assert_non_null(base);
    if (!other) fail_msg("test: %s", changes);
    const char *key;
    json_t *v;
    json_object_foreach(other, key, v) {
        if (json_is_null(v))
            json_object_del(base, key);
        else
            json_object_set(base, key, v);
    }
    char *text = json_dumps(base, 0);
    const char *out = str_cdup(a, str_of(text));
    free(text);
    json_decref(base);
    json_decref(other);
    return out;
}

typedef struct {
    Tensor at[64];
    int n;
} Tensors;

static inline void tensor_put(Arena *a, Tensors *t, const char *name, int64_t rows, int64_t cols) {
    size_t count = (size_t)(rows ? rows * cols : cols);
    float *x = NEWN(a, float, count);
    for (size_t i = 0; i < count; i++) x[i] = number_at((uint64_t)t->n, i);
    t->at[t->n++] =
        (Tensor){str_cdup(a, str_of(name)), "F32", rows ? 2 : 1, {rows ? rows : cols, cols}, x, 4 * count};
}

// Every tensor of the tiny model, in Hugging Face's names.
static inline Tensors tensors_of(Arena *a, bool biases, bool head) {
    static const struct {
        const char *name;
        int64_t rows, cols;
    } layer[] = {{"input_layernorm", 0, HIDDEN},
                 {"self_attn.q_proj", HEADS * HEAD_DIM, HIDDEN},
                 {"self_attn.k_proj", KV_HEADS * HEAD_DIM, HIDDEN},
                 {"self_attn.v_proj", KV_HEADS * HEAD_DIM, HIDDEN},
                 {"self_attn.o_proj", HIDDEN, HEADS * HEAD_DIM},
                 {"post_attention_layernorm", 0, HIDDEN},
                 {"mlp.gate_proj", INNER, HIDDEN},
                 {"mlp.up_proj", INNER, HIDDEN},
                 {"mlp.down_proj", HIDDEN, INNER}};
    Tensors t = {.n = 0};
    tensor_put(a, &t, "model.embed_tokens.weight", VOCAB, HIDDEN);
    for (int l = 0; l < LAYERS; l++)
        for (size_t i = 0; i < sizeof layer / sizeof *layer; i++) {
            tensor_put(a, &t, arena_printf(a, "model.layers.%d.%s.weight", l, layer[i].name), layer[i].rows,
                       layer[i].cols);
            if (biases && i >= 1 && i <= 3)
                tensor_put(a, &t, arena_printf(a, "model.layers.%d.%s.bias", l, layer[i].name), 0,
                           layer[i].rows);
        }
    tensor_put(a, &t, "model.norm.weight", 0, HIDDEN);
    if (head) tensor_put(a, &t, "lm_head.weight", VOCAB, HIDDEN);
    return t;
}

static inline Tensor *tensor_named(Tensors *t, const char *name) {
    for (int i = 0; i < t->n; i++)
        if (strcmp(t->at[i].name, name) == 0) return &t->at[i];
    fail_msg("test: no tensor %s", name);
    return NULL;
}

static inline const char *model_folder(Arena *a, const char *config, const Tensors *t) {
    const char *folder = folder_new(a);
    text_put(a, folder, "config.json", config);
    safetensors_put(a, arena_printf(a, "%s/model.safetensors", folder), t->at, t->n);
    return folder;
}

// The same as GGUF: names by replacing, rows of q and k of arch llama reordered so that (i, i + d/2) become
// neighbours.
static inline const char *gguf_name(Arena *a, const char *hf) {
    static const char *const pairs[][2] = {{"model.embed_tokens", "token_embd"},
                                           {"model.norm", "output_norm"},
                                           {"lm_head", "output"},
                                           {"model.layers", "blk"},
                                           {"input_layernorm", "attn_norm"},
                                           {"post_attention_layernorm", "ffn_norm"},
                                           {"self_attn.q_proj", "attn_q"},
                                           {"self_attn.k_proj", "attn_k"},
                                           {"self_attn.v_proj", "attn_v"},
                                           {"self_attn.o_proj", "attn_output"},
                                           {"mlp.gate_proj", "ffn_gate"},
                                           {"mlp.up_proj", "ffn_up"},
                                           {"mlp.down_proj", "ffn_down"}};
    const char *out = hf;
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
        const char *at = strstr(out, pairs[i][0]);
        if (at)
            out = arena_printf(a, "%.*s%s%s", (int)(at - out), out, pairs[i][1], at + strlen(pairs[i][0]));
    }
    return out;
}
static inline const float *pairs_of_halves(Arena *a, const float *x, int64_t rows, int64_t cols) {
    float *y = NEWN(a, float, (size_t)(rows * cols));
    for (int64_t r = 0; r < rows; r++) {
        int64_t head = r / HEAD_DIM, i = r % HEAD_DIM, half = HEAD_DIM / 2;
        int64_t to = head * HEAD_DIM + (i < half ? 2 * i : 2 * (i - half) + 1);
        memcpy(y + to * cols, x + r * cols, (size_t)cols * sizeof *y);
    }
    return y;
}
static inline void made_keys(Made *m, const char *arch, Arena *a) {
    static const struct {
        const char *key;
        uint32_t value;
    } sizes[] = {{"context_length", 128},
                 {"embedding_length", HIDDEN},
                 {"block_count", LAYERS},
                 {"feed_forward_length", INNER},
                 {"attention.head_count", HEADS},
                 {"attention.head_count_kv", KV_HEADS},
                 {"attention.key_length", HEAD_DIM},
                 {"attention.value_length", HEAD_DIM},
                 {"rope.dimension_count", HEAD_DIM}};
    made_text(m, "general.architecture", arch);
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
        made_int(m, arena_printf(a, "%s.%s", arch, sizes[i].key), sizes[i].value);
    made_real(m, arena_printf(a, "%s.attention.layer_norm_rms_epsilon", arch), 1e-6f);
    made_real(m, arena_printf(a, "%s.rope.freq_base", arch), 10000.0f);
}
static inline void made_weights(Arena *a, Made *m, const Tensors *t, bool reorder) {
    for (int i = 0; i < t->n; i++) {
        const Tensor *x = &t->at[i];
        const float *data = x->data;
        bool q_or_k = strstr(x->name, "q_proj.weight") || strstr(x->name, "k_proj.weight");
        if (reorder && q_or_k) data = pairs_of_halves(a, data, x->shape[0], x->shape[1]);
        uint64_t ne[2] = {(uint64_t)x->shape[x->rank - 1], (uint64_t)x->shape[0]};
        made_tensor(m, gguf_name(a, x->name), 0, (uint32_t)x->rank, ne, data, x->bytes);
    }
}
static inline const char *made_file(Arena *a, const Made *m, const char *folder, const char *name) {
    Str s = made_bytes(a, m);
    const char *path = arena_printf(a, "%s/%s", folder, name);
    file_put(path, s.p, s.len);
    return path;
}
