#include "weights/quant/quantize.h"

#include <assert.h>
#include <math.h>
#include <sys/stat.h>

#include "base/io.h"
#include "base/numeric/fmath.h"
#include "weights/files.h"
#include "weights/format/gguf_write.h"
#include "weights/vocabulary.h"

static const struct {
    const char *name;
    int id;
    WeightType most, some, head;
} mixes[FTYPE_COUNT] = {
#define FTYPE(name, id, most, some, head) {#name, id, W_##most, W_##some, W_##head},
#include "weights/quant/ftype.def"
#undef FTYPE
};

bool filetype_by_name(const char *name, FileType *out) {
    for (int i = 0; i < FTYPE_COUNT; i++)
        if (strcmp(mixes[i].name, name) == 0) {
            *out = (FileType)i;
            return true;
        }
    return false;
}
const char *filetype_name(FileType t) { return mixes[t].name; }
int filetype_id(FileType t) { return mixes[t].id; }

// The layers whose errors cost most get more bits: the first and last eighth, and every third between.
static bool layer_matters(int layer, int layers) {
    return layer < layers / 8 || layer >= 7 * layers / 8 || (layer - layers / 8) % 3 == 2;
}

WeightType filetype_of(FileType t, const ModelConfig *c, WeightRole role, int layer, int64_t cols,
                       bool *fallback) {
    *fallback = false;
    if (role_is_vector(role)) return W_F32;
    WeightType type = mixes[t].most;
    if (role == ROLE_HEAD || (role == ROLE_EMBED && c->tied)) type = mixes[t].head;
    if ((role == ROLE_V || role == ROLE_DOWN) && layer_matters(layer, c->layers)) type = mixes[t].some;
    if (cols % WEIGHT_TYPE[type].block == 0) return type;
    *fallback = true;
    type = type == W_Q4_K ? W_Q5_0 : type == W_Q5_K ? W_Q5_1 : W_Q8_0;
    return cols % WEIGHT_TYPE[type].block == 0 ? type : W_F16;
}

// ---- what is written

typedef struct {
    const Weight *from; // NULL: `values`
    const float *values;
    RoleName name;
    WeightRole role;
    WeightType type;
    size_t bytes;
} Output;

typedef struct {
    Output *at;
    int n;
} Outputs;

static void output_add(Outputs *o, GgufHead *h, QuantiseReport *r, Output t, int rank, const int64_t *shape) {
    int64_t rows = rank == 2 ? shape[0] : 1, cols = shape[rank - 1];
    const WeightTypeInfo *info = &WEIGHT_TYPE[t.type];
    t.bytes = (size_t)rows * (size_t)(cols / info->block) * (size_t)info->block_bytes;
    gguf_put_tensor(h, t.name.at, info->gguf_id, rank, shape, t.bytes);
    r->tensors++;
    r->bytes_out += t.bytes;
    r->type_bytes[t.type] += t.bytes;
    r->type_count[t.type]++;
    o->at[o->n++] = t;
}

static Outputs outputs_plan(Arena *a, const QuantiseRequest *q, const float *divisor, GgufHead *h,
                            QuantiseReport *r) {
    const ModelConfig *c = &q->from->config;
    Outputs o = {NEWN(a, Output, (size_t)ROLE_COUNT * (size_t)c->layers + 1), 0};
    if (divisor) {
        Output t = {.values = divisor, .name = {"rope_freqs.weight"}, .type = W_F32};
        output_add(&o, h, r, t, 1, &(int64_t){c->head_dim / 2});
    }
    // Layer by layer, as they are read in a pass through the model.
    for (int layer = -1; layer <= c->layers; layer++)
        for (int role = 0; role < ROLE_COUNT; role++) {
            bool inside = layer >= 0 && layer < c->layers;
            if (role_per_layer((WeightRole)role) != inside || (layer < 0) != (role == ROLE_EMBED && !inside))
                continue;
            const Weight *w = checkpoint_weight(q->from, (WeightRole)role, inside ? layer : 0);
            if (!w) continue;
            bool fallback;
            Output t = {.from = w, .role = (WeightRole)role};
            t.type = filetype_of(q->type, c, t.role, layer, w->cols, &fallback);
            r->fallbacks += fallback;
            t.name = role_name(t.role, layer, true);
            int64_t shape[] = {w->rows, w->cols};
            bool vector = role_is_vector(t.role);
            output_add(&o, h, r, t, vector ? 1 : 2, vector ? &shape[1] : shape);
        }
    return o;
}

// ---- keys

static Str model_name(const char *path) {
    const char *hub = strstr(path, "/models--"); // a snapshot's own folder is named by its commit
    if (hub) {
        const char *from = hub + strlen("/models--"), *dashes = strstr(from, "--");
        if (dashes) from = dashes + 2;
        return (Str){from, strcspn(from, "/")};
    }
    size_t n = strlen(path);
    while (n > 1 && path[n - 1] == '/') n--;
    size_t from = n;
    while (from > 0 && path[from - 1] != '/') from--;
    return (Str){path + from, n - from};
}

static bool vocabulary_keys(Arena *a, const Checkpoint *c, GgufHead *h, Err *e) {
    if (c->no_vocabulary) {
        gguf_put_text(h, "tokenizer.ggml.model", STR("none"));
        return true;
    }
    TokenizerSource v;
    if (!vocabulary_arrays(a, &c->vocabulary, c->config.vocab, &v, e)) return false;
    gguf_put_text(h, "tokenizer.ggml.model", STR("gpt2"));
    gguf_put_text(h, "tokenizer.ggml.pre", v.pre);
    gguf_put_texts(h, "tokenizer.ggml.tokens", v.tokens, v.count);
    gguf_put_ints(h, "tokenizer.ggml.token_type", v.kinds, v.count);
    gguf_put_texts(h, "tokenizer.ggml.merges", v.merges, v.merge_count);
    gguf_put_bool(h, "tokenizer.ggml.add_bos_token", v.add_bos > 0);
    if (c->chat_template.len) gguf_put_text(h, "tokenizer.chat_template", c->chat_template);
    return true;
}

static const char *const ends[] = {"tokenizer.ggml.eos_token_id", "tokenizer.ggml.eot_token_id",
                                   "tokenizer.ggml.eom_token_id"};
enum { ENDS = sizeof ends / sizeof *ends };

static bool keys_of_folder(Arena *a, const Checkpoint *c, GgufHead *h, Err *e) {
    const ModelConfig *m = &c->config;
    const char *arch = ARCH_INFO[m->arch].gguf;
    const struct {
        const char *key;
        int64_t value;
    } sizes[] = {
        {"context_length", m->context},
        {"embedding_length", m->hidden},
        {"block_count", m->layers},
        {"feed_forward_length", m->intermediate},
        {"attention.head_count", m->heads},
        {"attention.head_count_kv", m->kv_heads},
        {"attention.key_length", m->head_dim},
        {"attention.value_length", m->head_dim},
        {"rope.dimension_count", m->head_dim},
        {"vocab_size", m->vocab},
    };
    gguf_put_text(h, "general.architecture", str_of(arch));
    gguf_put_text(h, "general.type", STR("model"));
    if (m->profile[0]) gguf_put_text(h, "ouroboros.profile", str_of(m->profile));
    if (utf8_valid(model_name(c->path))) gguf_put_text(h, "general.name", model_name(c->path));
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
        gguf_put_int(h, arena_printf(a, "%s.%s", arch, sizes[i].key), sizes[i].value);
    gguf_put_real(h, arena_printf(a, "%s.attention.layer_norm_rms_epsilon", arch), (double)m->norm_eps);
    gguf_put_real(h, arena_printf(a, "%s.rope.freq_base", arch), m->rope_theta);
    if (!vocabulary_keys(a, c, h, e)) return false;
    if (m->bos >= 0) gguf_put_int(h, "tokenizer.ggml.bos_token_id", m->bos);
    for (int i = 0; i < m->eos_count && i < ENDS; i++) gguf_put_int(h, ends[i], m->eos[i]);
    return true;
}

static void keys_of_gguf(const Gguf *g, GgufHead *h) {
    static const char *const ours[] = {"general.file_type", "general.quantization_version",
                                       "general.alignment"};
    for (int i = 0; i < g->keys; i++) {
        bool skip = str_starts(g->key[i].name, "split.");
        for (size_t k = 0; k < sizeof ours / sizeof *ours; k++) skip |= str_is(g->key[i].name, ours[k]);
        if (!skip) gguf_put_key(h, &g->key[i]);
    }
}

// What divides the frequencies of llama3 scaling (the equations of models with rope_type "llama3").
static const float *llama3_divisor(Arena *a, const ModelConfig *c) {
    float *out = NEWN(a, float, (size_t)c->head_dim / 2);
    for (int i = 0; i < c->head_dim / 2; i++) {
        double f = f64_pow(c->rope_theta, -2.0 * i / c->head_dim), wave = 6.283185307179586 / f;
        double smooth = (c->rope_original / wave - c->rope_low) / (c->rope_high - c->rope_low);
        if (wave < c->rope_original / c->rope_high)
            out[i] = 1;
        else if (wave > c->rope_original / c->rope_low)
            out[i] = (float)c->rope_factor;
        else
            out[i] = (float)(1 / ((1 - smooth) / c->rope_factor + smooth));
    }
    return out;
}

// ---- data

typedef struct {
    const QuantiseRequest *q;
    const Output *t;
    int64_t first, last; // rows of this batch
    int64_t rows;        // of an item
    size_t row_bytes;    // written
    uint8_t *out;
    int64_t *bad; // [items] the first row that cannot be written; -1: none
} Batch;

// The row of the source that becomes row r: GGUF has q and k of some architectures in another order.
static int64_t source_row(const Checkpoint *c, const Output *t, int64_t r) {
    bool reordered = !c->rope_neighbours && ARCH_INFO[c->config.arch].neighbours;
    if (!reordered || (t->role != ROLE_Q && t->role != ROLE_K)) return r;
    int64_t d = c->config.head_dim, i = r % d;
    return r - i + i % 2 * (d / 2) + i / 2;
}

static bool row_fits(const float *x, int64_t n, float most) {
    for (int64_t i = 0; i < n; i++)
        if (!(fabsf(x[i]) <= most)) return false;
    return true;
}

static void batch_item(void *arg, size_t item, int worker) {
    Batch *b = arg;
    const Weight *w = b->t->from;
    float *x = pool_scratch(b->q->pool, worker, (size_t)w->cols * sizeof *x);
    // Beyond the largest F16 there is no scale for a block, either.
    float most = b->t->type == W_F32 || b->t->type == W_BF16 ? 3.4028234e38f : 65504.0f;
    int64_t from = b->first + (int64_t)item * b->rows,
            to = from + b->rows < b->last ? from + b->rows : b->last;
    b->bad[item] = -1;
    for (int64_t r = from; r < to; r++) {
        int64_t source = source_row(b->q->from, b->t, r);
        uint8_t *out = b->out + (size_t)(r - b->first) * b->row_bytes;
        weight_row(w, source, x);
        if (!row_fits(x, w->cols, most)) {
            b->bad[item] = source;
            return;
        }
        if (w->type == b->t->type)
            memcpy(out, w->data + (size_t)source * weight_row_bytes(w), b->row_bytes);
        else
            quant_encode(b->t->type, x, w->cols, out);
    }
}

static bool batch_told(const Batch *b, int items, Err *e) {
    for (int i = 0; i < items; i++)
        if (b->bad[i] >= 0)
            return err_set(e, ERR_INPUT,
                           "%s: tensor \"%s\", row %lld holds a number that %s cannot hold (not finite, or "
                           "beyond 65504)",
                           b->q->from->path, b->t->name.at, (long long)b->bad[i],
                           WEIGHT_TYPE[b->t->type].name);
    return true;
}

typedef struct {
    IoFile file;
    size_t read, of;
} Sink;

static bool put_padding(Sink *s, uint64_t bytes, Err *e) {
    static const uint8_t zeros[GGUF_ALIGNMENT];
    return io_write_all(s->file.fd, zeros, gguf_padding(bytes), e);
}

// One tensor in batches of pieces; its pages leave memory as soon as they are read.
static bool put_weight(Arena *a, const QuantiseRequest *q, const Output *t, Sink *s, Err *e) {
    enum { ITEM = 1 << 18, BATCH = 64 << 20 };
    const Weight *w = t->from;
    size_t row_bytes = t->bytes / (size_t)w->rows, source_bytes = weight_row_bytes(w);
    int64_t rows = w->cols < ITEM ? ITEM / w->cols : 1;
    int64_t fit = (int64_t)(BATCH / ((size_t)rows * row_bytes)), items = 4 * pool_size(q->pool);
    if (items > fit) items = fit > 0 ? fit : 1;
    Batch b = {q,
               t,
               0,
               0,
               rows,
               row_bytes,
               arena_raw(a, (size_t)(items * rows) * row_bytes, 64),
               NEWN(a, int64_t, (size_t)items)};
    for (; b.first < w->rows; b.first = b.last) {
        if (q->stop && q->stop(q->arg)) return err_set(e, ERR_IO, "stopped; %s is as it was", q->path);
        b.last = b.first + items * rows < w->rows ? b.first + items * rows : w->rows;
        int n = (int)((b.last - b.first + rows - 1) / rows);
        pool_run(q->pool, (size_t)n, batch_item, &b);
        if (!batch_told(&b, n, e) ||
            !io_write_all(s->file.fd, b.out, (size_t)(b.last - b.first) * row_bytes, e))
            return false;
        mapped_forget(w->data + (size_t)b.first * source_bytes, (size_t)(b.last - b.first) * source_bytes);
        s->read += (size_t)(b.last - b.first) * source_bytes;
        if (q->progress) q->progress(q->arg, s->read, s->of);
    }
    return put_padding(s, t->bytes, e);
}

static bool put_output(Arena *a, const QuantiseRequest *q, const Output *t, Sink *s, Err *e) {
    if (!t->from) return io_write_all(s->file.fd, t->values, t->bytes, e) && put_padding(s, t->bytes, e);
    ArenaMark mark = arena_mark(a);
    bool ok = put_weight(a, q, t, s, e);
    arena_reset(a, mark);
    return ok;
}

// A GGUF file may replace itself; in the place of a folder's weights it would end the folder.
static bool target_apart(const QuantiseRequest *q, Err *e) {
    const CheckpointFiles *f = q->from->files;
    struct stat to, from;
    if (q->from->is_gguf || stat(q->path, &to) != 0) return true;
    for (int i = 0; i < f->maps; i++)
        if (stat(f->map[i].path, &from) == 0 && from.st_dev == to.st_dev && from.st_ino == to.st_ino)
            return err_set(e, ERR_USAGE, "%s is a file of the model that is read: name another one", q->path);
    return true;
}

bool checkpoint_quantise(Arena *a, const QuantiseRequest *q, QuantiseReport *out, Err *e) {
    const Checkpoint *c = q->from;
    GgufHead h = gguf_head(a);
    if (!target_apart(q, e)) return false;
    if (c->is_gguf)
        keys_of_gguf(&c->files->gguf, &h);
    else if (!keys_of_folder(a, c, &h, e))
        return false;
    gguf_put_int(&h, "general.file_type", mixes[q->type].id);
    gguf_put_int(&h, "general.quantization_version", 2);
    int ending = c->config.eos_count;
    *out =
        (QuantiseReport){.bytes_in = c->bytes, .ends_left = !c->is_gguf && ending > ENDS ? ending - ENDS : 0};
    const float *divisor = c->config.llama3_rope ? llama3_divisor(a, &c->config) : c->rope_divisor;
    Outputs o = outputs_plan(a, q, divisor, &h, out);

    Sink s = {.of = c->bytes};
    if (!io_begin(&s.file, q->path, e)) return false;
    Str head = gguf_head_bytes(a, &h);
    bool ok = io_write_all(s.file.fd, head.p, head.len, e);
    for (int i = 0; ok && i < o.n; i++) ok = put_output(a, q, &o.at[i], &s, e);
    if (ok) return io_commit(&s.file, e);
    io_abandon(&s.file);
    return err_ctx(e, "%s", q->path);
}
