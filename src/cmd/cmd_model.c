#include <inttypes.h>
#include <jansson.h>
#include <stdio.h>
#include <string.h>

#include "base/progress.h"
#include "cmd/judging.h"
#include "model/model.h"
#include "text/chat.h"
#include "weights/quantise.h"
#include "weights/vocabulary.h"

// What `model info` tells the memory for, unless asked otherwise: an op's prompt and a kernel's reply.
enum { PROMPT_TOKENS = 800, REPLY_TOKENS = 768, DRAFTS = 8 };

typedef struct {
    const Checkpoint *c;
    Arena *a;
    int64_t parameters, embedding; // embedding and head
    struct {
        int tensors;
        size_t bytes;
    } type[W_COUNT];
    Str split;        // the tokenizer's family, as GGUF names it; len 0: unknown
    const char *chat; // NULL: unknown
    const char *why_no_chat;
    int drafts;
    size_t kv[2]; // bytes of `drafts` drafts, by KvType
} Info;

static void info_weights(Info *f) {
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

static void info_text(Info *f) {
    Err e = {0}, none = {0};
    const ChatFamily *family;
    if (!f->c->no_vocabulary && !vocabulary_split(f->a, &f->c->vocabulary, &f->split, &none))
        f->split = (Str){0};
    if (!f->c->chat_template.len)
        f->why_no_chat = "no template";
    else if (chat_detect(f->c->chat_template, &family, &e))
        f->chat = chat_name(family);
    else
        f->why_no_chat = arena_printf(f->a, "%s", e.msg);
}

// The profile that mint takes for this model unless told otherwise.
static const char *info_profile(const Info *f) {
    if (!f->chat) return "plain";
    return strcmp(f->chat, "qwen25") == 0 ? "kwen" : "ouroboros";
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

static const char *size_text(Arena *a, size_t bytes) {
    double mb = (double)bytes / 1e6;
    return mb >= 1000 ? arena_printf(a, "%.2f GB", mb / 1e3)
                      : arena_printf(a, mb >= 10 ? "%.0f MB" : "%.2f MB", mb);
}

static void print_info(const Info *f) {
    const Checkpoint *c = f->c;
    const ModelConfig *m = &c->config;
    Arena *a = f->a;
    printf("%s\n", c->path);
    printf("  architecture   %s (%s), %d layers, hidden %d, MLP %d, vocabulary %d\n", ARCH_INFO[m->arch].gguf,
           c->is_gguf ? "GGUF" : "safetensors", m->layers, m->hidden, m->intermediate, m->vocab);
    printf("  attention      %d heads of %d numbers, %d for keys and values%s\n", m->heads, m->head_dim,
           m->kv_heads, ARCH_INFO[m->arch].biases ? ", biases on q, k and v" : "");
    printf("  positions      %d, rope base %g%s\n", m->context, m->rope_theta,
           m->llama3_rope || c->rope_divisor ? ", llama3 scaling" : "");
    printf("  parameters     %s, %s without embedding and head%s\n", grouped(a, f->parameters),
           grouped(a, f->parameters - f->embedding), m->tied ? " (the head is the embedding)" : "");
    printf("  weights        %s", size_text(a, c->bytes));
    const char *between = ": ";
    for (int t = 0; t < W_COUNT; t++)
        if (f->type[t].tensors) {
            printf("%s%d tensors of %s, %s", between, f->type[t].tensors, WEIGHT_TYPE[t].name,
                   size_text(a, f->type[t].bytes));
            between = "; ";
        }
    printf("\n  tokenizer      ");
    if (c->no_vocabulary)
        printf("none (%s)\n", c->no_vocabulary);
    else if (f->split.len)
        printf("byte-level BPE, %.*s\n", STR_ARG(f->split));
    else
        printf("byte-level BPE of an unknown family\n");
    printf("  chat template  %s\n", f->chat ? f->chat : f->why_no_chat);
    printf("  profile        %s\n", info_profile(f));
    printf("  ends with      ");
    for (int i = 0; i < m->eos_count; i++) printf(i ? ", %d" : "%d", m->eos[i]);
    printf(m->eos_count ? "\n" : "nothing: replies end at the limit\n");
    if (m->generation.temperature >= 0 || m->generation.top_p >= 0 || m->generation.top_k >= 0) {
        printf("  sampling      ");
        if (m->generation.temperature >= 0) printf(" temperature %g", m->generation.temperature);
        if (m->generation.top_p >= 0) printf(" top_p %g", m->generation.top_p);
        if (m->generation.top_k >= 0) printf(" top_k %d", m->generation.top_k);
        if (m->generation.min_p >= 0) printf(" min_p %g", m->generation.min_p);
        printf(" (generation_config.json)\n");
    }
    printf("  memory         weights stay mapped; keys and values of %d draft%s (%d + %d tokens): %s in F16, "
           "%s in F32\n",
           f->drafts, f->drafts == 1 ? "" : "s", PROMPT_TOKENS, REPLY_TOKENS, size_text(a, f->kv[KV_F16]),
           size_text(a, f->kv[KV_F32]));
}

static json_t *json_of(Str s) { return s.len ? json_stringn(s.p, s.len) : json_null(); }
static json_t *json_said(double x) { return x >= 0 ? json_real(x) : json_null(); }

static void print_json(const Info *f) {
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
        json_pack("{s:s, s:s, s:s, s:i, s:i, s:i, s:i, s:i, s:i, s:i, s:i, s:f, s:b, s:b, s:I, s:I, s:I, "
                  "s:o, s:o, s:s?, s:s, s:i, s:o}",
                  "path", c->path, "format", c->is_gguf ? "gguf" : "safetensors", "architecture",
                  ARCH_INFO[m->arch].gguf, "layers", m->layers, "hidden", m->hidden, "heads", m->heads,
                  "kv_heads", m->kv_heads, "head_dim", m->head_dim, "intermediate", m->intermediate, "vocab",
                  m->vocab, "context", m->context, "rope_theta", m->rope_theta, "llama3_rope",
                  m->llama3_rope || c->rope_divisor, "tied", m->tied, "parameters", (json_int_t)f->parameters,
                  "parameters_without_embedding", (json_int_t)(f->parameters - f->embedding), "bytes",
                  (json_int_t)c->bytes, "types", types, "tokenizer", json_of(f->split), "chat", f->chat,
                  "profile", info_profile(f), "bos", m->bos, "eos", eos);
    json_object_set_new(
        o, "generation",
        json_pack("{s:o, s:o, s:o, s:o}", "temperature", json_said(m->generation.temperature), "top_p",
                  json_said(m->generation.top_p), "min_p", json_said(m->generation.min_p), "top_k",
                  m->generation.top_k >= 0 ? json_integer(m->generation.top_k) : json_null()));
    json_object_set_new(o, "memory",
                        json_pack("{s:i, s:i, s:i, s:I, s:I}", "drafts", f->drafts, "prompt_tokens",
                                  PROMPT_TOKENS, "reply_tokens", REPLY_TOKENS, "kv_f16",
                                  (json_int_t)f->kv[KV_F16], "kv_f32", (json_int_t)f->kv[KV_F32]));
    json_dumpf(o, stdout, JSON_COMPACT);
    putchar('\n');
    json_decref(o);
}

static int model_info(int argc, char **argv) {
    Positionals rest;
    Err e = {0};
    bool json = false;
    int drafts = DRAFTS;
    Option options[] = {{"--json", OPTION_FLAG, &json}, {"-n", OPTION_COUNT, &drafts}};
    if (!options_parse(argc, argv, options, sizeof options / sizeof *options, &rest, &e))
        return cmd_fail("model", &e);
    if (rest.n != 1) return cmd_usage("model", "name one model: a folder, a .gguf file, or hf:org/name");
    Arena a = {0};
    Checkpoint *c;
    int code = EXIT_OK;
    if (!checkpoint_open(&a, rest.at[0], &c, &e)) {
        code = cmd_fail("model", &e);
    } else {
        Info f = {.c = c, .a = &a, .drafts = drafts};
        info_weights(&f);
        info_text(&f);
        for (int type = KV_F16; type <= KV_F32; type++)
            f.kv[type] =
                kv_bytes(&c->config, (KvType)type, drafts, PROMPT_TOKENS + (int64_t)drafts * REPLY_TOKENS);
        if (json)
            print_json(&f);
        else
            print_info(&f);
        checkpoint_close(c);
    }
    arena_free(&a);
    return code;
}

// ---- quantize

static void quantise_step(void *arg, size_t read, size_t of) {
    (void)of;
    progress_step(arg, read >> 20, NULL);
}

static void print_report(const QuantiseRequest *q, const QuantiseReport *r, Arena *a) {
    printf("%s: %zu tensors, %s from %s", q->path, r->tensors, size_text(a, r->bytes_out),
           size_text(a, r->bytes_in));
    const char *between = ": ";
    for (int t = 0; t < W_COUNT; t++)
        if (r->type_count[t]) {
            printf("%s%zu of %s", between, r->type_count[t], WEIGHT_TYPE[t].name);
            between = ", ";
        }
    printf("\n");
    if (r->fallbacks)
        printf("%d matrices have rows that do not divide into the blocks of %s, and got a larger type\n",
               r->fallbacks, filetype_name(q->type));
    if (q->from->no_vocabulary) printf("without a tokenizer (%s)\n", q->from->no_vocabulary);
}

static int model_quantize(int argc, char **argv) {
    Positionals rest;
    Err e = {0};
    const char *type = NULL;
    int jobs = 0;
    Option options[] = {{"--type", OPTION_TEXT, &type}, {"--jobs", OPTION_COUNT, &jobs}};
    if (!options_parse(argc, argv, options, sizeof options / sizeof *options, &rest, &e))
        return cmd_fail("model", &e);
    if (rest.n != 2) return cmd_usage("model", "quantize needs a model and the file to write");
    QuantiseRequest q = {.path = rest.at[1]};
    if (!type || !filetype_by_name(type, &q.type))
        return cmd_usage("model", "--type is one of f16, q8_0, q4_k_m, q5_k_m, q6_k");
    Arena a = {0};
    Checkpoint *c;
    int code = EXIT_OK;
    if (!checkpoint_open(&a, rest.at[0], &c, &e)) {
        code = cmd_fail("model", &e);
    } else {
        Progress bar;
        QuantiseReport report;
        q.from = c;
        q.pool = pool_open(jobs);
        q.progress = quantise_step;
        q.arg = &bar;
        q.stop = interrupts_seen;
        interrupts_catch();
        progress_start(&bar, "MB", c->bytes >> 20);
        bool ok = checkpoint_quantise(&a, &q, &report, &e);
        progress_end(&bar);
        if (ok)
            print_report(&q, &report, &a);
        else
            code = cmd_fail("model", &e);
        pool_close(q.pool);
        checkpoint_close(c);
    }
    arena_free(&a);
    return code;
}

int cmd_model(int argc, char **argv) {
    static const struct {
        const char *name;
        int (*run)(int, char **);
    } parts[] = {{"info", model_info}, {"quantize", model_quantize}};
    for (size_t i = 0; argc && i < sizeof parts / sizeof *parts; i++)
        if (strcmp(argv[0], parts[i].name) == 0) return parts[i].run(argc - 1, argv + 1);
    return cmd_usage("model", "what to do: info or quantize");
}
