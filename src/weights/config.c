#include "weights/config.h"

#include <assert.h>
#include <limits.h>

#include <stdio.h>
#include <sys/stat.h>

#include "base/json.h"

enum { CONFIG_BYTES_MAX = 4 << 20, WIDTH_MAX = 1 << 24, HEADS_MAX = 4096, HEAD_DIM_MAX = 4096 };

const ArchInfo ARCH_INFO[ARCH_COUNT] = {
#define ARCH(id, model_type, class, gguf, biases, neighbours) {model_type, class, gguf, biases, neighbours},
#define LATER(model_type, gguf, words)
#include "weights/arch.def"
#undef ARCH
#undef LATER
};
static const struct {
    const char *model_type, *gguf, *words;
} later[] = {
#define ARCH(id, model_type, class, gguf, biases, neighbours)
#define LATER(model_type, gguf, words) {model_type, gguf, words},
#include "weights/arch.def"
#undef ARCH
#undef LATER
};

static bool arch_named(const char *file, Str name, bool gguf, Arch *out, Err *e) {
    char known[128] = "";
    size_t len = 0;
    for (int i = 0; i < ARCH_COUNT; i++) {
        const char *is = gguf ? ARCH_INFO[i].gguf : ARCH_INFO[i].model_type;
        if (str_is(name, is)) {
            *out = (Arch)i;
            return true;
        }
        if (gguf && i == ARCH_MISTRAL) continue; // GGUF has llama for both
        len += (size_t)snprintf(known + len, sizeof known - len, "%s%s", i ? ", " : "", is);
        assert(len < sizeof known);
    }
    for (size_t i = 0; i < sizeof later / sizeof *later; i++)
        if (str_is(name, gguf ? later[i].gguf : later[i].model_type))
            return err_set(e, ERR_INPUT, "%s: a model of type %s: %s; there are: %s", file,
                           gguf ? later[i].gguf : later[i].model_type, later[i].words, known);
    return err_set(e, ERR_INPUT, "%s: a model of type \"%s\" is not built; there are: %s", file,
                   shown(name).at, known);
}

// What both formats have to obey.
static bool config_check(const char *file, const ModelConfig *c, Err *e) {
    if (c->heads % c->kv_heads)
        return err_set(e, ERR_INPUT, "%s: %d heads do not share %d key-value heads evenly", file, c->heads,
                       c->kv_heads);
    if (c->head_dim % 2)
        return err_set(e, ERR_INPUT, "%s: heads of %d numbers: rope turns them in pairs", file, c->head_dim);
    if (!(c->norm_eps > 0 && c->norm_eps < 1))
        return err_set(e, ERR_INPUT, "%s: rms_norm_eps is %g; between 0 and 1 can be", file,
                       (double)c->norm_eps);
    if (!(c->rope_theta > 0 && c->rope_theta <= 1e15))
        return err_set(e, ERR_INPUT, "%s: a rope base of %g", file, c->rope_theta);
    if (!c->llama3_rope) return true;
    if (!(c->rope_factor >= 1 && c->rope_factor <= 1e6))
        return err_set(e, ERR_INPUT, "%s: a llama3 rope factor of %g", file, c->rope_factor);
    if (!(c->rope_low > 0 && c->rope_low < c->rope_high && c->rope_high <= 1e6))
        return err_set(e, ERR_INPUT, "%s: llama3 rope: low_freq_factor %g and high_freq_factor %g", file,
                       c->rope_low, c->rope_high);
    if (!(c->rope_original >= 1 && c->rope_original <= 1e9))
        return err_set(e, ERR_INPUT, "%s: llama3 rope: original_max_position_embeddings %g", file,
                       c->rope_original);
    return true;
}

bool config_add_eos(ModelConfig *c, const char *file, int64_t id, Err *e) {
    for (int i = 0; i < c->eos_count; i++)
        if (c->eos[i] == id) return true;
    if (id < 0 || id > INT_MAX) return err_set(e, ERR_INPUT, "%s: eos_token_id %lld", file, (long long)id);
    if (c->eos_count == CHECKPOINT_EOS_MAX)
        return err_set(e, ERR_INPUT, "%s: more than %d tokens that end a text", file, CHECKPOINT_EOS_MAX);
    c->eos[c->eos_count++] = (int)id;
    return true;
}

// ---- config.json

// Keys that would change what is computed, unless they say nothing. Factors say nothing when they are 1, too.
static const struct {
    const char *key, *means;
    bool factor;
} must_be_nothing[] = {
    {"attention_bias", "biases in attention", false},
    {"mlp_bias", "biases in the MLP", false},
    {"use_sliding_window", "attention through a sliding window", false},
    {"quantization_config", "weights quantised by another tool (take the unquantised model, or a GGUF file)",
     false},
    {"num_local_experts", "a mixture of experts", false},
    {"num_experts", "a mixture of experts", false},
    {"attn_logit_softcapping", "capped logits", false},
    {"final_logit_softcapping", "capped logits", false},
    {"residual_multiplier", "scaled residuals", true},
    {"embedding_multiplier", "scaled embeddings", true},
    {"logits_scaling", "scaled logits", true},
    {"scale_emb", "scaled embeddings", true},
    {"scale_depth", "scaled residuals", false},
    {"clip_qkv", "clipped projections", false},
    {"is_encoder_decoder", "an encoder", false},
    {"add_cross_attention", "cross attention", false},
};

static bool says_nothing(const json_t *v, bool factor) {
    return json_is_nothing(v) || (factor && json_is_number(v) && json_number_value(v) == 1);
}

static bool real_key(const Json *j, const json_t *o, const char *key, double *out) {
    if (json_absent(json_object_get(o, key)))
        return err_set(j->e, ERR_INPUT, "%s: llama3 rope: \"%s\" is missing", j->file, key);
    return json_get_real(j, o, key, out);
}

static bool whole_rotary(const Json *j, const json_t *o) {
    double partial = 1;
    if (!json_get_real(j, o, "partial_rotary_factor", &partial)) return false;
    return partial == 1 ||
           err_set(j->e, ERR_INPUT,
                   "%s: \"partial_rotary_factor\" %g: rope of a part of the head is not built", j->file,
                   partial);
}

// One of rope_parameters (transformers 5) and rope_scaling (4).
static bool read_rope(const Json *j, const char *where, ModelConfig *c) {
    const json_t *o = json_object_get(j->root, where);
    Str type = STR("default");
    if (json_absent(o)) return true;
    if (!json_is_object(o))
        return err_set(j->e, ERR_INPUT, "%s: \"%s\": an object belongs here", j->file, where);
    if (!json_get_text(j, o, "type", &type) || !json_get_text(j, o, "rope_type", &type) ||
        !json_get_real(j, o, "rope_theta", &c->rope_theta) || !whole_rotary(j, o))
        return false;
    if (!json_absent(json_object_get(o, "mrope_section")))
        return err_set(j->e, ERR_INPUT, "%s: \"mrope_section\" is not built", j->file);
    const char *key;
    json_t *v;
    json_object_foreach((json_t *)(uintptr_t)o, key, v) if (json_is_object(v)) return err_set(
        j->e, ERR_INPUT, "%s: \"%s\": a rope for each type of layer is not built", j->file, where);
    if (str_is(type, "default")) return true;
    if (!str_is(type, "llama3"))
        return err_set(j->e, ERR_INPUT, "%s: rope type \"%s\" is not built; there are: default, llama3",
                       j->file, shown(type).at);
    c->llama3_rope = true;
    c->rope_original = c->context;
    return real_key(j, o, "factor", &c->rope_factor) && real_key(j, o, "low_freq_factor", &c->rope_low) &&
           real_key(j, o, "high_freq_factor", &c->rope_high) &&
           json_get_real(j, o, "original_max_position_embeddings", &c->rope_original);
}

static bool read_eos(const Json *j, ModelConfig *c) {
    const json_t *v = json_object_get(j->root, "eos_token_id");
    if (json_absent(v)) return true;
    size_t n = json_is_array(v) ? json_array_size(v) : 1;
    for (size_t i = 0; i < n; i++) {
        const json_t *id = json_is_array(v) ? json_array_get(v, i) : v;
        if (!json_is_integer(id))
            return err_set(j->e, ERR_INPUT, "%s: \"eos_token_id\": a number or a list of them belongs here",
                           j->file);
        if (json_integer_value(id) >= c->vocab)
            return err_set(j->e, ERR_INPUT, "%s: eos_token_id %lld in a vocabulary of %d", j->file,
                           (long long)json_integer_value(id), c->vocab);
        if (!config_add_eos(c, j->file, json_integer_value(id), j->e)) return false;
    }
    return true;
}

static bool read_type(const Json *j, ModelConfig *c) {
    Str type = {0};
    if (!json_get_text(j, j->root, "model_type", &type)) return false;
    if (!type.len) return err_set(j->e, ERR_INPUT, "%s: \"model_type\" is missing", j->file);
    if (!arch_named(j->file, type, false, &c->arch, j->e)) return false;
    const json_t *classes = json_object_get(j->root, "architectures");
    if (json_absent(classes) || (json_is_array(classes) && !json_array_size(classes))) return true;
    const json_t *first = json_array_get(classes, 0);
    const char *class = ARCH_INFO[c->arch].class;
    if (json_array_size(classes) != 1 || !json_is_string(first) || !str_is(json_str(first), class))
        return err_set(j->e, ERR_INPUT,
                       "%s: \"architectures\" names another class than %s: only language models are built",
                       j->file, class);
    return true;
}

static bool read_layer_types(const Json *j) {
    const json_t *types = json_object_get(j->root, "layer_types");
    if (!json_absent(types) && !json_is_array(types))
        return err_set(j->e, ERR_INPUT, "%s: \"layer_types\": a list belongs here", j->file);
    for (size_t i = 0; i < json_array_size(types); i++) {
        const json_t *t = json_array_get(types, i);
        if (!json_is_string(t) || !str_is(json_str(t), "full_attention"))
            return err_set(j->e, ERR_INPUT, "%s: \"layer_types\": only full_attention is built", j->file);
    }
    return true;
}

// Mistral is Llama where its window is null, or as long as the context. Without the key, its class in
// transformers takes a window of 4096.
static bool read_window(const Json *j, const ModelConfig *c) {
    const json_t *v = json_object_get(j->root, "sliding_window");
    int64_t window = 4096;
    if (c->arch != ARCH_MISTRAL || json_is_null(v)) return true;
    if (!json_get_int(j, j->root, "sliding_window", 1, INT_MAX, &window)) return false;
    return window >= c->context ||
           err_set(j->e, ERR_INPUT,
                   "%s: \"sliding_window\" %lld%s: attention through a sliding window is not built", j->file,
                   (long long)window, v ? "" : ", as the file does not say null");
}

// A number that has to be there.
static bool size_key(const Json *j, const char *key, int64_t max, int *out) {
    int64_t n = 0;
    if (!json_get_int(j, j->root, key, 1, max, &n)) return false;
    if (!n) return err_set(j->e, ERR_INPUT, "%s: \"%s\" is missing", j->file, key);
    *out = (int)n;
    return true;
}

void config_profile(ModelConfig *c, Str name) {
    bool plain = name.len > 0 && name.len < sizeof c->profile;
    for (size_t i = 0; i < name.len; i++) plain = plain && char_is_word(name.p[i]);
    c->profile[0] = 0;
    if (plain) snprintf(c->profile, sizeof c->profile, "%.*s", STR_ARG(name));
}

static bool read_config(const Json *j, ModelConfig *c) {
    if (!read_type(j, c)) return false;
    for (size_t i = 0; i < sizeof must_be_nothing / sizeof *must_be_nothing; i++)
        if (!says_nothing(json_object_get(j->root, must_be_nothing[i].key), must_be_nothing[i].factor))
            return err_set(j->e, ERR_INPUT, "%s: \"%s\": %s: not built", j->file, must_be_nothing[i].key,
                           must_be_nothing[i].means);
    if (!size_key(j, "hidden_size", WIDTH_MAX, &c->hidden) ||
        !size_key(j, "intermediate_size", WIDTH_MAX, &c->intermediate) ||
        !size_key(j, "num_hidden_layers", CHECKPOINT_LAYERS_MAX, &c->layers) ||
        !size_key(j, "num_attention_heads", HEADS_MAX, &c->heads) ||
        !size_key(j, "vocab_size", WIDTH_MAX, &c->vocab))
        return false;
    // The defaults are those of the classes in transformers.
    static const int usual_context[ARCH_COUNT] = {
        [ARCH_LLAMA] = 2048, [ARCH_QWEN2] = 32768, [ARCH_MISTRAL] = 131072};
    bool mistral_heads = c->arch == ARCH_MISTRAL && !json_object_get(j->root, "num_key_value_heads");
    int64_t kv_heads = mistral_heads ? 8 : c->heads, head_dim = 0, bos = -1, context = usual_context[c->arch];
    double eps = 1e-6, theta = 10000;
    Str act = STR("silu"), profile = {0};
    if (!json_get_int(j, j->root, "num_key_value_heads", 1, HEADS_MAX, &kv_heads) ||
        !json_get_int(j, j->root, "head_dim", 1, HEAD_DIM_MAX, &head_dim) ||
        !json_get_int(j, j->root, "max_position_embeddings", 1, INT_MAX, &context) ||
        !json_get_int(j, j->root, "bos_token_id", 0, c->vocab - 1, &bos) ||
        !json_get_real(j, j->root, "rms_norm_eps", &eps) ||
        !json_get_real(j, j->root, "rope_theta", &theta) || !json_get_text(j, j->root, "hidden_act", &act) ||
        !json_get_text(j, j->root, "ouroboros_profile", &profile) ||
        !json_get_bool(j, j->root, "tie_word_embeddings", &c->tied) || !read_eos(j, c) ||
        !read_layer_types(j) || !whole_rotary(j, j->root))
        return false;
    config_profile(c, profile);
    if (!str_is(act, "silu"))
        return err_set(j->e, ERR_INPUT, "%s: \"hidden_act\" \"%s\" is not built; there is: silu", j->file,
                       shown(act).at);
    if (!head_dim) {
        if (c->hidden % c->heads)
            return err_set(j->e, ERR_INPUT, "%s: \"head_dim\" is missing, and %d does not divide by %d heads",
                           j->file, c->hidden, c->heads);
        head_dim = c->hidden / c->heads;
    }
    c->kv_heads = (int)kv_heads;
    c->head_dim = (int)head_dim;
    c->context = (int)context;
    c->bos = (int)bos;
    c->norm_eps = (float)eps;
    c->rope_theta = theta;
    if (!read_window(j, c)) return false;
    ModelConfig before = *c;
    if (!read_rope(j, "rope_parameters", c)) return false;
    if (!json_absent(json_object_get(j->root, "rope_scaling"))) {
        ModelConfig other = before;
        if (!read_rope(j, "rope_scaling", &other)) return false;
        bool same = other.llama3_rope == c->llama3_rope && other.rope_factor == c->rope_factor &&
                    other.rope_low == c->rope_low && other.rope_high == c->rope_high &&
                    other.rope_original == c->rope_original;
        if (!json_absent(json_object_get(j->root, "rope_parameters")) && !same)
            return err_set(j->e, ERR_INPUT, "%s: \"rope_parameters\" and \"rope_scaling\" disagree", j->file);
        if (json_absent(json_object_get(j->root, "rope_parameters"))) *c = other;
    }
    return config_check(j->file, c, j->e);
}

static bool setting_key(const Json *j, const char *key, double max, double *out) {
    double x = 0;
    if (json_absent(json_object_get(j->root, key))) return true;
    if (!json_get_real(j, j->root, key, &x)) return false;
    if (!(x >= 0 && x <= max))
        return err_set(j->e, ERR_INPUT, "%s: \"%s\" is %g; from 0 to %g can be", j->file, key, x, max);
    *out = x;
    return true;
}

static bool read_generation(const Json *j, ModelConfig *c) {
    int64_t top_k = -1;
    if (!read_eos(j, c) || !setting_key(j, "temperature", 100, &c->generation.temperature) ||
        !setting_key(j, "top_p", 1, &c->generation.top_p) ||
        !setting_key(j, "min_p", 1, &c->generation.min_p) ||
        !json_get_int(j, j->root, "top_k", 0, INT_MAX, &top_k))
        return false;
    c->generation.top_k = (int)top_k;
    return true;
}

static void config_unsaid(ModelConfig *c) {
    *c = (ModelConfig){.bos = -1, .generation = {.temperature = -1, .top_p = -1, .min_p = -1, .top_k = -1}};
}

bool config_of_folder(Arena *a, const char *folder, ModelConfig *out, Err *e) {
    Json j;
    struct stat st;
    config_unsaid(out);
    bool ok = json_open(a, arena_printf(a, "%s/config.json", folder), CONFIG_BYTES_MAX, &j, e) &&
              read_config(&j, out);
    json_close(&j);
    const char *path = arena_printf(a, "%s/generation_config.json", folder);
    if (!ok || stat(path, &st) != 0) return ok;
    ok = json_open(a, path, CONFIG_BYTES_MAX, &j, e) && read_generation(&j, out);
    json_close(&j);
    return ok;
}

// ---- GGUF

static const char *const gguf_refused[] = {
    "expert_count",    "attention.sliding_window", "attention.clamp_kqv",      "attention.max_alibi_bias",
    "attention.scale", "attn_logit_softcapping",   "final_logit_softcapping",  "logit_scale",
    "residual_scale",  "embedding_scale",          "use_parallel_residual",    "attention.temperature_length",
    "pooling_type",    "nextn_predict_layers",     "rope.scaling.attn_factor", "attention.key_length_swa",
};

static bool gguf_nothing(const GgufKey *k) {
    for (size_t i = 0; i < k->bytes; i++)
        if (k->p[i]) return false;
    return true;
}

static const char *arch_key(char room[128], const char *arch, const char *key) {
    snprintf(room, 128, "%s.%s", arch, key);
    return room;
}

static bool gguf_size(const Gguf *g, const char *key, int64_t max, int *out, Err *e) {
    int64_t n = 0;
    if (!gguf_int(g, key, 1, max, &n, e)) return false;
    if (!n) return err_set(e, ERR_INPUT, "%s: \"%s\" is missing", g->file, key);
    *out = (int)n;
    return true;
}

static bool gguf_rope(const Gguf *g, const char *arch, ModelConfig *c, Err *e) {
    char key[128];
    Str type = STR("none");
    double factor = 1;
    int64_t turned = c->head_dim;
    if (!gguf_real(g, arch_key(key, arch, "rope.freq_base"), &c->rope_theta, e) ||
        !gguf_int(g, arch_key(key, arch, "rope.dimension_count"), 1, HEAD_DIM_MAX, &turned, e) ||
        !gguf_text(g, arch_key(key, arch, "rope.scaling.type"), &type, e) ||
        !gguf_real(g, arch_key(key, arch, "rope.scaling.factor"), &factor, e) ||
        !gguf_real(g, arch_key(key, arch, "rope.scale_linear"), &factor, e))
        return false;
    if (turned != c->head_dim)
        return err_set(e, ERR_INPUT, "%s: rope of %lld of %d numbers in a head is not built", g->file,
                       (long long)turned, c->head_dim);
    // "linear" by a factor of 1 is none.
    if (!str_is(type, "none") && !(str_is(type, "linear") && factor == 1))
        return err_set(e, ERR_INPUT, "%s: rope scaling of type \"%s\" is not built", g->file, shown(type).at);
    if (factor != 1 && factor != 0)
        return err_set(e, ERR_INPUT, "%s: linear rope scaling (factor %g) is not built", g->file, factor);
    return true;
}

bool config_of_gguf(const Gguf *g, ModelConfig *c, Err *e) {
    char key[128];
    Str type = STR("model"), arch = {0}, profile = {0};
    int64_t parts = 0, bos = -1;
    config_unsaid(c);
    if (!gguf_text(g, "general.type", &type, e) || !gguf_text(g, "general.architecture", &arch, e) ||
        !gguf_text(g, "ouroboros.profile", &profile, e) || !gguf_int(g, "split.count", 0, INT_MAX, &parts, e))
        return false;
    config_profile(c, profile);
    if (str_is(type, "adapter"))
        return err_set(e, ERR_INPUT,
                       "%s: an adapter, not a model: name its base, and this one with --adapter", g->file);
    if (!str_is(type, "model"))
        return err_set(e, ERR_INPUT, "%s: \"general.type\" is not \"model\"", g->file);
    if (parts > 1)
        return err_set(e, ERR_INPUT, "%s: one of %lld parts; join them: llama-gguf-split --merge", g->file,
                       (long long)parts);
    if (!arch.len) return err_set(e, ERR_INPUT, "%s: \"general.architecture\" is missing", g->file);
    if (!arch_named(g->file, arch, true, &c->arch, e)) return false;
    const char *a = ARCH_INFO[c->arch].gguf;
    for (size_t i = 0; i < sizeof gguf_refused / sizeof *gguf_refused; i++) {
        const GgufKey *k = gguf_find(g, arch_key(key, a, gguf_refused[i]));
        if (k && !gguf_nothing(k)) return err_set(e, ERR_INPUT, "%s: \"%s\" is not built", g->file, key);
    }
    if (!gguf_size(g, arch_key(key, a, "embedding_length"), WIDTH_MAX, &c->hidden, e) ||
        !gguf_size(g, arch_key(key, a, "feed_forward_length"), WIDTH_MAX, &c->intermediate, e) ||
        !gguf_size(g, arch_key(key, a, "block_count"), CHECKPOINT_LAYERS_MAX, &c->layers, e) ||
        !gguf_size(g, arch_key(key, a, "attention.head_count"), HEADS_MAX, &c->heads, e) ||
        !gguf_size(g, arch_key(key, a, "context_length"), INT_MAX, &c->context, e))
        return false;
    int64_t kv_heads = c->heads, keys = 0, values = 0;
    double eps = 0;
    c->rope_theta = 10000;
    if (!gguf_int(g, arch_key(key, a, "attention.head_count_kv"), 1, HEADS_MAX, &kv_heads, e) ||
        !gguf_int(g, arch_key(key, a, "attention.key_length"), 1, HEAD_DIM_MAX, &keys, e) ||
        !gguf_int(g, arch_key(key, a, "attention.value_length"), 1, HEAD_DIM_MAX, &values, e) ||
        !gguf_real(g, arch_key(key, a, "attention.layer_norm_rms_epsilon"), &eps, e) ||
        !gguf_int(g, "tokenizer.ggml.bos_token_id", 0, WIDTH_MAX, &bos, e))
        return false;
    if ((!keys || !values) && c->hidden % c->heads)
        return err_set(
            e, ERR_INPUT,
            "%s: \"%s.attention.key_length\" or value_length is missing, and %d does not divide by %d heads",
            g->file, a, c->hidden, c->heads);
    if (!keys) keys = c->hidden / c->heads;
    if (!values) values = c->hidden / c->heads;
    if (keys != values)
        return err_set(e, ERR_INPUT, "%s: keys of %lld numbers and values of %lld are not built", g->file,
                       (long long)keys, (long long)values);
    c->kv_heads = (int)kv_heads;
    c->head_dim = (int)keys;
    c->norm_eps = (float)eps;
    c->bos = (int)bos;
    return gguf_rope(g, a, c, e) && config_check(g->file, c, e);
}
