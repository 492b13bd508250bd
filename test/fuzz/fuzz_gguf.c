// Any bytes as a GGUF file: refused, or a whole model whose every weight, token and merge lies inside the
// file. The input is a patch of a small right file, or a file itself.
#include <stdlib.h>

#include "weights/config.h"
#include "weights/files.h"
#include "weights/format/gguf_write.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { HIDDEN = 32, LAYERS = 1, HEADS = 2, HEAD_DIM = 16, INNER = 32, VOCAB = 8 };

static void put_tensor(GgufHead *h, const char *name, int rank, int64_t rows, int64_t cols, int type) {
    int64_t shape[] = {rank == 2 ? rows : cols, cols};
    size_t blocks = (size_t)(rows * cols / WEIGHT_TYPE[type].block);
    gguf_put_tensor(h, name, WEIGHT_TYPE[type].gguf_id, rank, shape,
                    blocks * (size_t)WEIGHT_TYPE[type].block_bytes);
}

static Str right_file(Arena *a) {
    static const char *const sizes[] = {
        "context_length",       "embedding_length",       "block_count",
        "feed_forward_length",  "attention.head_count",   "attention.head_count_kv",
        "attention.key_length", "attention.value_length", "rope.dimension_count"};
    static const int values[] = {64, HIDDEN, LAYERS, INNER, HEADS, 1, HEAD_DIM, HEAD_DIM, HEAD_DIM};
    GgufHead h = gguf_head(a);
    gguf_put_text(&h, "general.architecture", STR("llama"));
    for (size_t i = 0; i < sizeof values / sizeof *values; i++)
        gguf_put_int(&h, arena_printf(a, "llama.%s", sizes[i]), values[i]);
    gguf_put_real(&h, "llama.attention.layer_norm_rms_epsilon", 1e-6);
    Str tokens[VOCAB];
    int32_t kinds[VOCAB];
    for (int i = 0; i < VOCAB; i++) {
        tokens[i] = str_of(arena_printf(a, "t%d", i));
        kinds[i] = 1;
    }
    gguf_put_text(&h, "tokenizer.ggml.model", STR("gpt2"));
    gguf_put_text(&h, "tokenizer.ggml.pre", STR("qwen2"));
    gguf_put_texts(&h, "tokenizer.ggml.tokens", tokens, VOCAB);
    gguf_put_ints(&h, "tokenizer.ggml.token_type", kinds, VOCAB);
    gguf_put_texts(&h, "tokenizer.ggml.merges", tokens, 2);
    gguf_put_int(&h, "tokenizer.ggml.eos_token_id", 1);
    gguf_put_text(&h, "tokenizer.chat_template", STR("x"));
    ModelConfig c = {.hidden = HIDDEN,
                     .layers = LAYERS,
                     .heads = HEADS,
                     .kv_heads = 1,
                     .head_dim = HEAD_DIM,
                     .intermediate = INNER,
                     .vocab = VOCAB};
    for (int role = 0; role < ROLE_COUNT; role++) {
        int64_t rows, cols;
        if (role == ROLE_Q_BIAS || role == ROLE_K_BIAS || role == ROLE_V_BIAS) continue;
        role_shape(&c, (WeightRole)role, &rows, &cols);
        bool vector = role_is_vector((WeightRole)role);
        put_tensor(&h, role_name((WeightRole)role, 0, true).at, vector ? 1 : 2, rows, cols,
                   vector ? W_F32 : W_Q8_0);
    }
    put_tensor(&h, "rope_freqs.weight", 1, 1, HEAD_DIM / 2, W_F32);
    Buf all = BUF(a);
    buf_str_put(&all, gguf_head_bytes(a, &h));
    for (uint64_t i = 0; i < h.data; i++)
        buf_putc(&all, i + 32 >= h.data && i % 4 == 3 ? 0x3f : 0); // divisors above 0
    return buf_str(&all);
}

// An even first byte: patches of three bytes (place, value) on the right file.
static Str whole_file(Arena *a, const uint8_t *data, size_t size) {
    if (!size || data[0] % 2) return (Str){(const char *)data + (size > 0), size - (size > 0)};
    Str s = right_file(a);
    char *p = (char *)(uintptr_t)s.p;
    for (size_t i = 1; i + 2 < size; i += 3) p[(data[i] | data[i + 1] << 8) % s.len] = (char)data[i + 2];
    if (data[0] & 2) s.len -= data[0] >> 2;
    return s;
}

static volatile unsigned seen; // keeps the reads

static void look_at(const Checkpoint *c) {
    float row[4096];
    for (int role = 0; role < ROLE_COUNT; role++)
        for (int layer = 0; layer < (role_per_layer((WeightRole)role) ? c->config.layers : 1); layer++) {
            const Weight *w = checkpoint_weight(c, (WeightRole)role, layer);
            if (!w || w->cols > 4096) continue;
            weight_row(w, 0, row);
            weight_row(w, w->rows - 1, row);
        }
    const TokenizerSource *v = &c->vocabulary;
    for (int i = 0; i < v->count; i++)
        for (size_t k = 0; k < v->tokens[i].len; k++)
            seen += (unsigned)v->tokens[i].p[k] + (unsigned)v->kinds[i];
    for (int i = 0; i < v->merge_count; i++)
        for (size_t k = 0; k < v->merges[i].len; k++) seen += (unsigned)v->merges[i].p[k];
    for (size_t k = 0; k < c->chat_template.len; k++) seen += (unsigned)c->chat_template.p[k];
    for (int i = 0; i < c->config.eos_count; i++)
        if (c->config.eos[i] < 0 || c->config.eos[i] >= c->config.vocab) abort();
    if (c->config.bos >= c->config.vocab || c->config.heads % c->config.kv_heads) abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    Arena a = {0};
    Err e = {0};
    Str file = whole_file(&a, data, size);
    uint8_t *copy = malloc(file.len + 1);
    if (!copy) abort();
    if (file.len) memcpy(copy, file.p, file.len);
    Mapped m = {"file", copy, file.len};
    CheckpointFiles files = {0};
    Checkpoint c = {.path = "file", .files = &files};
    if (checkpoint_of_gguf(&a, &m, &c, &e))
        look_at(&c);
    else if (e.code == ERR_NONE || !e.msg[0])
        abort();
    free(copy);
    arena_free(&a);
    return 0;
}
