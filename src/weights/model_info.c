#include "weights/model_info.h"

#include <inttypes.h>

#include "base/json.h"
#include "text/chat.h"
#include "weights/vocabulary.h"

static void info_weights(ModelInfo *f) {
    for (int role = 0; role < ROLE_COUNT; role++)
        for (int layer = 0; layer < (role_per_layer((WeightRole)role) ? f->c->config.layers : 1); layer++) {
            const Weight *w = checkpoint_weight(f->c, (WeightRole)role, layer);
            if (!w) continue;
            f->parameters += w->rows * w->cols;
            if (role == ROLE_EMBED || role == ROLE_HEAD) f->embedding += w->rows * w->cols;
            f->type[w->type].tensors++;
            f->type[w->type].bytes += (size_t)w->rows * weight_row_bytes(w);
        }
}

// Whoever runs the model opens its tokenizer: what would stop that is told here already.
static void info_tokens(ModelInfo *f) {
    const TokenizerSource *from = &f->c->vocabulary;
    Tokenizer *t;
    Err e = {0}, none = {0};
    f->why_no_tokens = f->c->no_vocabulary;
    if (f->why_no_tokens) return;
    if (!tokenizer_open(f->a, from, &t, &e)) {
        f->why_no_tokens = arena_printf(f->a, "%s", e.msg);
        return;
    }
    if (tokenizer_size(t) > f->c->config.vocab)
        f->why_no_tokens = arena_printf(f->a, "%s: %d tokens, but the embedding has %d rows", from->name,
                                        tokenizer_size(t), f->c->config.vocab);
    else if (!vocabulary_split(f->a, from, &f->split, &none))
        f->split = (Str){0};
    tokenizer_close(t);
}

static void info_chat(ModelInfo *f) {
    Err e = {0};
    const ChatFamily *family;
    if (!f->c->chat_template.len)
        f->why_no_chat = "no template";
    else if (chat_detect(f->c->chat_template, &family, &e))
        f->chat = chat_name(family);
    else
        f->why_no_chat = arena_printf(f->a, "%s", e.msg);
}

static const char *grouped(Arena *a, int64_t n) { // 1,080,632,832
    const char *digits = arena_printf(a, "%" PRId64, n);
    Buf b = BUF(a);
    for (size_t i = 0, len = strlen(digits); i < len; i++) {
        if (i && (len - i) % 3 == 0) buf_putc(&b, ',');
        buf_putc(&b, digits[i]);
    }
    return buf_cstr(&b);
}

const char *size_text(Arena *a, size_t bytes) {
    double mb = (double)bytes / 1e6;
    return mb >= 1000 ? arena_printf(a, "%.2f GB", mb / 1e3)
                      : arena_printf(a, mb >= 10 ? "%.0f MB" : "%.2f MB", mb);
}

void describe_text(const ModelInfo *f, Buf *out) {
    const Checkpoint *c = f->c;
    const ModelConfig *m = &c->config;
    Arena *a = f->a;
    buf_printf(out, "%s\n", c->path);
    buf_printf(out, "  architecture   %s (%s), %d layers, hidden size %d, MLP size %d, vocabulary %d\n",
               ARCH_INFO[m->arch].gguf, c->is_gguf ? "GGUF" : "safetensors", m->layers, m->hidden,
               m->intermediate, m->vocab);
    buf_printf(out, "  attention      %d query heads of %d numbers, %d heads for keys and values%s\n", m->heads,
               m->head_dim, m->kv_heads, ARCH_INFO[m->arch].biases ? ", biases on q, k and v" : "");
    buf_printf(out, "  context        %d tokens, rope base %g%s\n", m->context, m->rope_theta,
               m->llama3_rope || c->rope_divisor ? ", llama3 scaling" : "");
    buf_printf(out, "  parameters     %s, %s without embedding and head%s\n", grouped(a, f->parameters),
               grouped(a, f->parameters - f->embedding), m->tied ? " (one matrix is both)" : "");
    buf_printf(out, "  weights        %s", size_text(a, c->bytes));
    const char *between = ": ";
    for (int t = 0; t < W_COUNT; t++)
        if (f->type[t].tensors) {
            buf_printf(out, "%s%d tensors of %s, %s", between, f->type[t].tensors, WEIGHT_TYPE[t].name,
                       size_text(a, f->type[t].bytes));
            between = "; ";
        }
    buf_printf(out, "\n  tokenizer      ");
    if (f->why_no_tokens)
        buf_printf(out, "%s (%s)\n", c->no_vocabulary ? "none" : "not usable", f->why_no_tokens);
    else if (f->split.len)
        buf_printf(out, "byte-level BPE, %.*s\n", STR_ARG(f->split));
    else
        buf_printf(out, "byte-level BPE of an unknown family\n");
    buf_printf(out, "  chat template  %s\n", f->chat ? f->chat : f->why_no_chat);
    buf_printf(out, "  prompt profile %s\n", f->profile);
    buf_printf(out, "  end tokens     ");
    for (int i = 0; i < m->eos_count; i++) buf_printf(out, i ? ", %d" : "%d", m->eos[i]);
    buf_printf(out, m->eos_count ? "\n" : "none: replies end at --max-tokens\n");
    if (m->generation.temperature >= 0 || m->generation.top_p >= 0 || m->generation.top_k >= 0) {
        buf_printf(out, "  sampling      ");
        if (m->generation.temperature >= 0) buf_printf(out, " temperature %g", m->generation.temperature);
        if (m->generation.top_p >= 0) buf_printf(out, " top_p %g", m->generation.top_p);
        if (m->generation.top_k >= 0) buf_printf(out, " top_k %d", m->generation.top_k);
        if (m->generation.min_p >= 0) buf_printf(out, " min_p %g", m->generation.min_p);
        buf_printf(out, " (generation_config.json)\n");
    }
    buf_printf(
        out,
        "  memory         weights are read in place; keys and values of %d draft%s (%d + %d tokens each): "
        "%s in F16, %s in F32\n",
        f->drafts, f->drafts == 1 ? "" : "s", f->prompt_tokens, f->reply_tokens, size_text(a, f->kv_f16),
        size_text(a, f->kv_f32));
}

// A path, or words that quote one, need not be UTF-8; JSON has to be.
static json_t *json_path(Arena *a, const char *path) {
    char *text = arena_printf(a, "%s", path);
    for (char *c = text; !utf8_valid(str_of(path)) && *c; c++)
        if ((unsigned char)*c > 126) *c = '?';
    return json_string(text);
}

static json_t *json_of(Str s) { return s.len ? json_stringn(s.p, s.len) : json_null(); }
static json_t *json_said(double x) { return x >= 0 ? json_real(x) : json_null(); }

void describe_json(const ModelInfo *f, Buf *out) {
    const Checkpoint *c = f->c;
    const ModelConfig *m = &c->config;
    json_t *types = json_object(), *eos = json_array();
    for (int t = 0; t < W_COUNT; t++)
        if (f->type[t].tensors)
            json_object_set_new(types, WEIGHT_TYPE[t].name,
                                json_pack("{s:i, s:I}", "tensors", f->type[t].tensors, "bytes",
                                          (json_int_t)f->type[t].bytes));
    for (int i = 0; i < m->eos_count; i++) json_array_append_new(eos, json_integer(m->eos[i]));
    json_t *o =
        json_pack("{s:o, s:s, s:s, s:i, s:i, s:i, s:i, s:i, s:i, s:i, s:i, s:f, s:b, s:b, s:I, s:I, s:I, "
                  "s:o, s:o, s:o, s:s?, s:s, s:i, s:o}",
                  "path", json_path(f->a, c->path), "format", c->is_gguf ? "gguf" : "safetensors",
                  "architecture", ARCH_INFO[m->arch].gguf, "layers", m->layers, "hidden", m->hidden, "heads",
                  m->heads, "kv_heads", m->kv_heads, "head_dim", m->head_dim, "intermediate", m->intermediate,
                  "vocab", m->vocab, "context", m->context, "rope_theta", m->rope_theta, "llama3_rope",
                  m->llama3_rope || c->rope_divisor, "tied", m->tied, "parameters", (json_int_t)f->parameters,
                  "parameters_without_embedding", (json_int_t)(f->parameters - f->embedding), "bytes",
                  (json_int_t)c->bytes, "types", types, "tokenizer", json_of(f->split), "tokenizer_error",
                  f->why_no_tokens ? json_path(f->a, f->why_no_tokens) : json_null(), "chat", f->chat,
                  "profile", f->profile, "bos", m->bos, "eos", eos);
    json_object_set_new(
        o, "generation",
        json_pack("{s:o, s:o, s:o, s:o}", "temperature", json_said(m->generation.temperature), "top_p",
                  json_said(m->generation.top_p), "min_p", json_said(m->generation.min_p), "top_k",
                  m->generation.top_k >= 0 ? json_integer(m->generation.top_k) : json_null()));
    json_object_set_new(o, "memory",
                        json_pack("{s:i, s:i, s:i, s:I, s:I}", "drafts", f->drafts, "prompt_tokens",
                                  f->prompt_tokens, "reply_tokens", f->reply_tokens, "kv_f16",
                                  (json_int_t)f->kv_f16, "kv_f32", (json_int_t)f->kv_f32));
    enum { DIGITS = 17 };
    if (!json_put_precise(out, o, DIGITS)) buf_puts(out, "null");
    buf_putc(out, '\n');
}

ModelInfo describe_checkpoint(Arena *a, const Checkpoint *c) {
    ModelInfo f = {.c = c, .a = a};
    info_weights(&f);
    info_tokens(&f);
    info_chat(&f);
    return f;
}
