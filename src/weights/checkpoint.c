#include "weights/checkpoint.h"

#include <assert.h>
#include <dirent.h>
#include <stdio.h>

#include "base/json.h"
#include "weights/config.h"
#include "weights/files.h"
#include "weights/hub.h"

static const struct {
    const char *hf, *gguf;
    bool per_layer, optional;
} roles[ROLE_COUNT] = {
#define ROLE(role, hf, gguf, per_layer, optional) {hf, gguf, per_layer, optional},
#include "weights/role.def"
#undef ROLE
};

bool role_per_layer(WeightRole role) { return roles[role].per_layer; }

// The table's names hold at most one %d, filled in here.
RoleName role_name(WeightRole role, int layer, bool gguf) {
    RoleName out;
    const char *pattern = gguf ? roles[role].gguf : roles[role].hf, *d = strstr(pattern, "%d");
    if (d)
        snprintf(out.at, sizeof out.at, "%.*s%d%s", (int)(d - pattern), pattern, layer, d + 2);
    else
        snprintf(out.at, sizeof out.at, "%s", pattern);
    return out;
}

bool role_is_vector(WeightRole role) {
    switch (role) {
    case ROLE_NORM:
    case ROLE_ATTN_NORM:
    case ROLE_FFN_NORM:
    case ROLE_Q_BIAS:
    case ROLE_K_BIAS:
    case ROLE_V_BIAS: return true;
    default: return false;
    }
}

void role_shape(const ModelConfig *c, WeightRole role, int64_t *rows, int64_t *cols) {
    int64_t q = (int64_t)c->heads * c->head_dim, kv = (int64_t)c->kv_heads * c->head_dim;
    *rows = 1;
    *cols = c->hidden;
    switch (role) {
    case ROLE_EMBED:
    case ROLE_HEAD: *rows = c->vocab; break;
    case ROLE_Q: *rows = q; break;
    case ROLE_K:
    case ROLE_V: *rows = kv; break;
    case ROLE_Q_BIAS: *cols = q; break;
    case ROLE_K_BIAS:
    case ROLE_V_BIAS: *cols = kv; break;
    case ROLE_O:
        *rows = c->hidden;
        *cols = q;
        break;
    case ROLE_GATE:
    case ROLE_UP: *rows = c->intermediate; break;
    case ROLE_DOWN:
        *rows = c->hidden;
        *cols = c->intermediate;
        break;
    default: break;
    }
}

static bool role_is_bias(WeightRole role) {
    return role == ROLE_Q_BIAS || role == ROLE_K_BIAS || role == ROLE_V_BIAS;
}

static bool weight_take(const Checkpoint *c, Stored *s, WeightRole role, Weight *out, Err *e) {
    int64_t rows, cols;
    role_shape(&c->config, role, &rows, &cols);
    s->used = true;
    bool fits = role_is_vector(role) ? s->rank == 1 && s->shape[0] == cols
                                     : s->rank == 2 && s->shape[0] == rows && s->shape[1] == cols;
    if (!fits) {
        Stored want = {.rank = role_is_vector(role) ? 1 : 2, .shape = {rows, cols}};
        if (want.rank == 1) want.shape[0] = cols;
        return err_set(e, ERR_INPUT, "%s: tensor \"%s\" is %s, the configuration asks for %s", s->file,
                       shown(s->name).at, stored_shape(s).at, stored_shape(&want).at);
    }
    if (s->type < 0)
        return err_set(e, ERR_INPUT,
                       "%s: tensor \"%s\" is stored as %s, which is not read; take F32, F16, BF16%s", s->file,
                       shown(s->name).at, s->type_name,
                       c->is_gguf ? ", Q8_0, Q6_K, Q5_K, Q4_K, Q5_1, Q5_0 or Q4_0" : "");
    if (cols % WEIGHT_TYPE[s->type].block)
        return err_set(e, ERR_INPUT, "%s: tensor \"%s\": rows of %lld do not divide into blocks of %s",
                       s->file, shown(s->name).at, (long long)cols, s->type_name);
    *out =
        (Weight){.name = s->name, .type = (WeightType)s->type, .rows = rows, .cols = cols, .data = s->data};
    assert((size_t)rows * weight_row_bytes(out) == s->bytes);
    return true;
}

// Tensors that hold nothing which is not known anyway: tables of old Llama files.
static bool is_idle(const Stored *s) { return str_ends(s->name, ".self_attn.rotary_emb.inv_freq"); }

static bool weights_find(Arena *a, Checkpoint *c, Err *e) {
    CheckpointFiles *f = c->files;
    const ModelConfig *m = &c->config;
    f->weight = NEWN(a, Weight, (size_t)ROLE_COUNT * (size_t)m->layers);
    for (int role = 0; role < ROLE_COUNT; role++)
        for (int layer = 0; layer < (roles[role].per_layer ? m->layers : 1); layer++) {
            bool bias = role_is_bias((WeightRole)role);
            if (bias && !ARCH_INFO[m->arch].biases) continue;
            RoleName name = role_name((WeightRole)role, layer, c->is_gguf);
            Stored *s = stored_find(&f->tensors, str_of(name.at));
            if (!s && roles[role].optional && !bias) continue;
            if (!s)
                return err_set(e, ERR_INPUT, "%s: tensor \"%s\" is missing: no %s model is whole without it",
                               c->path, name.at, ARCH_INFO[m->arch].gguf);
            if (!weight_take(c, s, (WeightRole)role, &f->weight[role * m->layers + layer], e)) return false;
        }
    for (int i = 0; i < f->tensors.count; i++) {
        const Stored *s = &f->tensors.at[i];
        c->bytes += s->bytes;
        if (!s->used && !is_idle(s))
            return err_set(e, ERR_INPUT, "%s: tensor \"%s\" has no place in a %s model of %d layers", s->file,
                           shown(s->name).at, ARCH_INFO[m->arch].gguf, m->layers);
    }
    return true;
}

// A head that is stored is used, whatever the configuration says (as transformers 5 does): it is the same
// matrix again, or one that was trained apart.
static bool head_settled(Checkpoint *c, Err *e) {
    bool stored = checkpoint_weight(c, ROLE_HEAD, 0) != NULL;
    if (!stored && !c->config.tied && !c->is_gguf)
        return err_set(e, ERR_INPUT,
                       "%s: tensor \"%s\" is missing, and config.json does not say tie_word_embeddings",
                       c->path, roles[ROLE_HEAD].hf);
    c->config.tied = !stored;
    return true;
}

// ---- a folder

static bool read_template_list(const Json *j, const json_t *list, Arena *a, Str *out) {
    for (size_t i = 0; i < json_array_size(list); i++) {
        const json_t *row = json_array_get(list, i), *name = json_object_get(row, "name"),
                     *text = json_object_get(row, "template");
        if (!json_is_string(name) || !json_is_string(text))
            return err_set(j->e, ERR_INPUT, "%s: \"chat_template\": each entry has a name and a template",
                           j->file);
        if (str_is(json_str(name), "default")) *out = str_dup(a, json_str(text));
    }
    return true;
}

// chat_template.jinja goes before tokenizer_config.json, as in transformers.
static bool read_template(Arena *a, const char *folder, Str *out, Err *e) {
    const char *jinja = arena_printf(a, "%s/chat_template.jinja", folder);
    const char *config = arena_printf(a, "%s/tokenizer_config.json", folder);
    if (file_exists(jinja)) return small_read(a, jinja, 1 << 20, out, e);
    if (!file_exists(config)) return true;
    Json j;
    bool ok = json_open(a, config, JSON_BYTES_MAX, &j, e);
    const json_t *t = ok ? json_object_get(j.root, "chat_template") : NULL;
    if (json_is_string(t))
        *out = str_dup(a, json_str(t));
    else if (json_is_array(t))
        ok = read_template_list(&j, t, a, out);
    else if (ok && !json_absent(t))
        ok = err_set(e, ERR_INPUT, "%s: \"chat_template\": a text belongs here", config);
    json_close(&j);
    return ok;
}

static bool read_vocabulary(Arena *a, const char *folder, Checkpoint *c, Err *e) {
    const char *path = arena_printf(a, "%s/tokenizer.json", folder);
    c->vocabulary = (TokenizerSource){.name = path, .bos = c->config.bos};
    if (!file_exists(path)) {
        c->no_vocabulary = arena_printf(a, "%s: no tokenizer.json%s", folder, hub_rest(a, folder));
        return true;
    }
    if (!small_read(a, path, TOKENIZER_BYTES_MAX, &c->vocabulary.json, e)) return false;
    return c->vocabulary.json.len || err_set(e, ERR_INPUT, "%s: empty; download it again", path);
}

// The first by name; NULL: there is none.
static const char *first_gguf(Arena *a, const char *folder) {
    const char *first = NULL;
    DIR *d = opendir(folder);
    for (const struct dirent *f; d && (f = readdir(d)) != NULL;)
        if (str_ends(str_of(f->d_name), ".gguf") && (!first || strcmp(f->d_name, first) < 0))
            first = str_cdup(a, str_of(f->d_name));
    if (d) closedir(d);
    return first;
}

static bool open_folder(Arena *a, const char *given, Checkpoint *c, Err *e) {
    if (!file_exists(arena_printf(a, "%s/config.json", c->path))) {
        if (file_exists(arena_printf(a, "%s/adapter_config.json", c->path)))
            return err_set(e, ERR_INPUT,
                           "%s: an adapter, not a model: name its base, and this one with --adapter",
                           c->path);
        const char *gguf = first_gguf(a, c->path);
        const char *between = hub_names(given) && !strchr(given + 3, ':') ? ":" : "/";
        if (gguf)
            return err_set(e, ERR_INPUT, "%s: no config.json; name a GGUF file itself: %s%s%s", c->path,
                           shown(str_of(given)).at, between, shown(str_of(gguf)).at);
        return err_set(e, ERR_INPUT, "%s: no config.json: no model folder%s", c->path, hub_rest(a, c->path));
    }
    return config_of_folder(a, c->path, &c->config, e) && shards_open(a, c->path, c->files, e) &&
           weights_find(a, c, e) && head_settled(c, e) && read_template(a, c->path, &c->chat_template, e) &&
           read_vocabulary(a, c->path, c, e);
}

// ---- a GGUF file

// Tokens that end a reply in the families that are built, when they are control tokens: GGUF has room for one
// or two, and published files name them all in the vocabulary only (llama.cpp goes by the names, too).
static bool ends_reply(Str token) {
    static const char *const names[] = {"<|im_end|>", "<|endoftext|>", "<|eot_id|>", "<|eom_id|>",
                                        "<|end_of_text|>"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (str_is(token, names[i])) return true;
    return false;
}

static bool gguf_eos(const Gguf *g, Checkpoint *c, Err *e) {
    static const char *const keys[] = {"tokenizer.ggml.eos_token_id", "tokenizer.ggml.eot_token_id",
                                       "tokenizer.ggml.eom_token_id"};
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
        int64_t id = -1;
        if (!gguf_int(g, keys[i], 0, c->config.vocab - 1, &id, e)) return false;
        if (id >= 0 && !config_add_eos(&c->config, g->file, id, e)) return false;
    }
    const TokenizerSource *v = &c->vocabulary;
    for (int i = 0; i < v->count; i++)
        if (v->kinds[i] == TOKEN_CONTROL && ends_reply(v->tokens[i]) &&
            !config_add_eos(&c->config, g->file, i, e))
            return false;
    return true;
}

static bool gguf_vocabulary(Arena *a, const Gguf *g, Checkpoint *c, Err *e) {
    TokenizerSource *v = &c->vocabulary;
    Str model = {0};
    int kinds = 0;
    *v = (TokenizerSource){.name = g->file, .bos = c->config.bos};
    if (!gguf_text(g, "tokenizer.ggml.model", &model, e) || !gguf_text(g, "tokenizer.ggml.pre", &v->pre, e))
        return false;
    if (!str_is(model, "gpt2")) {
        c->no_vocabulary =
            model.len ? arena_printf(a, "%s: a tokenizer of type \"%s\"; byte-level BPE (gpt2) is built",
                                     g->file, shown(model).at)
                      : arena_printf(a, "%s: no tokenizer", g->file);
        return true;
    }
    bool begins = false;
    if (!gguf_texts(a, g, "tokenizer.ggml.tokens", &v->tokens, &v->count, e) ||
        !gguf_ints(a, g, "tokenizer.ggml.token_type", &v->kinds, &kinds, e) ||
        !gguf_texts(a, g, "tokenizer.ggml.merges", &v->merges, &v->merge_count, e) ||
        !gguf_bool(g, "tokenizer.ggml.add_bos_token", &begins, e))
        return false;
    v->add_bos = gguf_find(g, "tokenizer.ggml.add_bos_token") ? begins : -1;
    if (v->count != c->config.vocab)
        return err_set(e, ERR_INPUT, "%s: %d tokens, but the embedding has %d rows", g->file, v->count,
                       c->config.vocab);
    if (!v->kinds) { // an absent list means that all are ordinary
        int32_t *normal = NEWN(a, int32_t, (size_t)v->count);
        for (int i = 0; i < v->count; i++) normal[i] = TOKEN_NORMAL;
        v->kinds = normal;
        kinds = v->count;
    }
    if (kinds != v->count)
        return err_set(e, ERR_INPUT, "%s: %d tokens and %d token types", g->file, v->count, kinds);
    for (int i = 0; i < v->count; i++)
        if (v->kinds[i] < TOKEN_NORMAL || v->kinds[i] > TOKEN_BYTE)
            return err_set(e, ERR_INPUT, "%s: token %d is of type %d", g->file, i, (int)v->kinds[i]);
    return true;
}

static bool gguf_divisor(Arena *a, Checkpoint *c, Err *e) {
    Stored *s = stored_find(&c->files->tensors, STR("rope_freqs.weight"));
    if (!s) return true;
    s->used = true;
    int64_t half = c->config.head_dim / 2;
    if (s->type != W_F32 || s->rank != 1 || s->shape[0] != half)
        return err_set(e, ERR_INPUT, "%s: tensor \"rope_freqs.weight\" is %s of %s, not [%lld] of F32",
                       s->file, stored_shape(s).at, s->type_name, (long long)half);
    float *divisor = NEWN(a, float, (size_t)half);
    memcpy(divisor, s->data, (size_t)half * sizeof *divisor);
    for (int64_t i = 0; i < half; i++)
        if (!(divisor[i] > 0 && divisor[i] <= 1e9f))
            return err_set(e, ERR_INPUT, "%s: tensor \"rope_freqs.weight\" holds %g", s->file,
                           (double)divisor[i]);
    c->rope_divisor = divisor;
    return true;
}

bool checkpoint_of_gguf(Arena *a, const Mapped *m, Checkpoint *c, Err *e) {
    Gguf *g = &c->files->gguf;
    c->is_gguf = true;
    if (!gguf_read(a, m, g, e) || !config_of_gguf(g, &c->config, e)) return false;
    c->files->tensors = g->tensors;
    RoleName name = role_name(ROLE_EMBED, 0, true);
    const Stored *embed = stored_find(&g->tensors, str_of(name.at));
    if (!embed || embed->rank != 2 || embed->shape[0] < 1 || embed->shape[0] > 1 << 24)
        return err_set(e, ERR_INPUT, "%s: tensor \"%s\" is missing, or no matrix", g->file, name.at);
    c->config.vocab = (int)embed->shape[0];
    if (c->config.bos >= c->config.vocab)
        return err_set(e, ERR_INPUT, "%s: bos_token_id %d in a vocabulary of %d", g->file, c->config.bos,
                       c->config.vocab);
    c->rope_neighbours = ARCH_INFO[c->config.arch].neighbours;
    return gguf_divisor(a, c, e) && weights_find(a, c, e) && head_settled(c, e) &&
           gguf_vocabulary(a, g, c, e) && gguf_eos(g, c, e) &&
           gguf_text(g, "tokenizer.chat_template", &c->chat_template, e);
}

static bool open_file(Arena *a, Checkpoint *c, Err *e) {
    CheckpointFiles *f = c->files;
    f->map = NEWN(a, Mapped, 1);
    if (!mapped_open(a, c->path, f->map, e)) return false;
    f->maps = 1;
    if (!gguf_looks(f->map))
        return err_set(e, ERR_INPUT, "%s: no GGUF file; of safetensors, name the folder", c->path);
    return checkpoint_of_gguf(a, f->map, c, e);
}

bool checkpoint_open(Arena *a, const char *path, Checkpoint **out, Err *e) {
    Checkpoint *c = NEW(a, Checkpoint);
    c->files = NEW(a, CheckpointFiles);
    bool folder;
    bool ok = path_resolve(a, path, &c->path, &folder, e) &&
              (folder ? open_folder(a, path, c, e) : open_file(a, c, e));
    if (!ok) {
        checkpoint_close(c);
        return false;
    }
    *out = c;
    return true;
}

Checkpoint *checkpoint_in_memory(Arena *a, const ModelConfig *c, const Checkpoint *like, Weight *weight) {
    Checkpoint *made = NEW(a, Checkpoint);
    *made = *like;
    made->config = *c;
    made->files = NEW(a, CheckpointFiles);
    made->files->weight = weight;
    return made;
}

void checkpoint_close(Checkpoint *c) {
    CheckpointFiles *f = c->files;
    for (int i = 0; i < f->maps; i++) mapped_close(&f->map[i]);
    f->maps = 0;
}

const Weight *checkpoint_weight(const Checkpoint *c, WeightRole role, int layer) {
    assert(role < ROLE_COUNT && layer >= 0 && layer < (roles[role].per_layer ? c->config.layers : 1));
    const Weight *w = &c->files->weight[role * c->config.layers + layer];
    return w->rows ? w : NULL;
}
