#include <math.h>
#include <stdio.h>

#include "weights/checkpoint.h"
#include "weights/config.h"
#include "weights/files.h"
#include "weights/format/safetensors.h"
#include "weights/hub.h"
#include "weights/peft.h"

struct AdapterFiles {
    Mapped map;
};

static const WeightRole adapted[] = {ROLE_Q, ROLE_K, ROLE_V, ROLE_O, ROLE_GATE, ROLE_UP, ROLE_DOWN};
enum { ADAPTED = sizeof adapted / sizeof *adapted };

void rope_rows_reorder(const float *from, float *to, const RopeRows *r) {
    int half = r->head_dim / 2;
    for (int h = 0; h < r->heads; h++)
        for (int i = 0; i < half; i++)
            for (int j = 0; j < 2; j++) {
                int64_t halves = (int64_t)h * r->head_dim + j * half + i,
                        pairs = (int64_t)h * r->head_dim + 2 * i + j;
                int64_t source = r->to_neighbours ? halves : pairs,
                        target = r->to_neighbours ? pairs : halves;
                memcpy(to + target * r->cols, from + source * r->cols, (size_t)r->cols * sizeof *to);
            }
}

// A matrix as float32: where it lies when it is that already.
static bool floats_of(Arena *a, Stored *s, int64_t rows, int64_t cols, const float **out, Err *e) {
    s->used = true;
    if (s->rank != 2 || s->shape[0] != rows || s->shape[1] != cols)
        return err_set(e, ERR_INPUT, "%s: tensor \"%s\" is %s; [%lld, %lld] goes with the base and this rank",
                       s->file, shown(s->name).at, stored_shape(s).at, (long long)rows, (long long)cols);
    if (s->type < 0)
        return err_set(e, ERR_INPUT,
                       "%s: tensor \"%s\" is stored as %s, which is not read; take F32, F16 or BF16", s->file,
                       shown(s->name).at, s->type_name);
    if (s->type == W_F32 && (uintptr_t)s->data % _Alignof(float) == 0) {
        *out = (const float *)(const void *)s->data;
        return true;
    }
    float *x = arena_raw(a, (size_t)(rows * cols) * sizeof *x, 64);
    quant_decode((WeightType)s->type, s->data, rows * cols, x);
    *out = x;
    return true;
}

// What an adapter is read into, and for which base.
typedef struct {
    Arena *a;
    const Checkpoint *base;
    Adapter *ad;
    Err *e;
} Reader;

// `neighbours`: the order of B's rows of q and k in the file.
static bool part_take(const Reader *r, Stored *sa, Stored *sb, bool neighbours, LoraPart *p) {
    Arena *a = r->a;
    const Checkpoint *base = r->base;
    Err *e = r->e;
    role_shape(&base->config, p->role, &p->out, &p->in);
    if (!floats_of(a, sa, p->rank, p->in, &p->a, e) || !floats_of(a, sb, p->out, p->rank, &p->b, e))
        return false;
    if (neighbours == base->rope_neighbours || (p->role != ROLE_Q && p->role != ROLE_K)) return true;
    float *b = arena_raw(a, (size_t)(p->out * p->rank) * sizeof *b, 64);
    const ModelConfig *c = &base->config;
    int heads = p->role == ROLE_Q ? c->heads : c->kv_heads;
    rope_rows_reorder(p->b, b, &(RopeRows){heads, c->head_dim, p->rank, base->rope_neighbours});
    p->b = b;
    return true;
}

static LoraPart *part_add(Adapter *ad, LoraPart p) {
    LoraPart *parts = (LoraPart *)(uintptr_t)ad->part;
    parts[ad->count] = p;
    return &parts[ad->count++];
}

static bool all_used(const StoredTable *t, Err *e) {
    for (int i = 0; i < t->count; i++)
        if (!t->at[i].used)
            return err_set(e, ERR_INPUT,
                           "%s: tensor \"%s\" is not built into this base: adapters of q, k, v, o, gate, up "
                           "and down are",
                           t->at[i].file, shown(t->at[i].name).at);
    return true;
}

// ---- PEFT

static bool peft_part(const Reader *r, const Peft *p, const StoredTable *t, WeightRole role, int layer) {
    Arena *a = r->a;
    Adapter *ad = r->ad;
    Err *e = r->e;
    bool adapts;
    RoleName name = role_name(role, layer, false);
    size_t len = strlen(name.at) - strlen(".weight");
    const char *module = arena_strndup(a, name.at, len);
    if (!peft_adapts(p, module, true, &adapts, e)) return false;
    Stored *sa = stored_find(t, str_of(arena_printf(a, "base_model.model.%s.lora_A.weight", module)));
    Stored *sb = stored_find(t, str_of(arena_printf(a, "base_model.model.%s.lora_B.weight", module)));
    if (!sa && !sb && !adapts) return true;
    if (!adapts)
        return err_set(
            e, ERR_INPUT,
            "%s: %s is adapted in the file, but not by the \"target_modules\" of adapter_config.json",
            ad->path, module);
    if (!sa || !sb)
        return err_set(e, ERR_INPUT, "%s: \"target_modules\" names %s, but its lora_%s is not in the file",
                       ad->path, module, sa ? "B" : "A");
    LoraPart *part = part_add(ad, (LoraPart){.role = role, .layer = layer});
    return peft_scale(p, module, &part->rank, &part->scale, e) && part_take(r, sa, sb, false, part);
}

static bool read_peft(Arena *a, const Checkpoint *base, const Peft *p, Adapter *ad, Err *e) {
    static const char *const others[] = {"lm_head", "model.embed_tokens"};
    const char *file = arena_printf(a, "%s/adapter_model.safetensors", ad->path);
    bool adapts;
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        if (!peft_adapts(p, others[i], false, &adapts, e)) return false;
        if (adapts)
            return err_set(
                e, ERR_INPUT,
                "%s: \"target_modules\" names %s: adapters of q, k, v, o, gate, up and down are built",
                ad->path, others[i]);
    }
    if (!file_exists(file) && file_exists(arena_printf(a, "%s/adapter_model.bin", ad->path)))
        return err_set(
            e, ERR_INPUT,
            "%s: adapter_model.bin is a pickle, which is a program: save the adapter as safetensors",
            ad->path);
    if (!file_exists(file))
        return err_set(e, ERR_IO, "%s: no adapter_model.safetensors%s", ad->path, hub_rest(a, ad->path));
    StoredTable t = {0};
    if (!mapped_open(a, file, &ad->files->map, e) || !safetensors_read(a, &ad->files->map, &t, e))
        return false;
    const Stored *twice = stored_seal(a, &t);
    if (twice) return err_set(e, ERR_INPUT, "%s: tensor \"%s\" is there twice", file, shown(twice->name).at);
    const Reader r = {a, base, ad, e};
    for (int layer = 0; layer < base->config.layers; layer++)
        for (int i = 0; i < ADAPTED; i++)
            if (!peft_part(&r, p, &t, adapted[i], layer)) return false;
    return all_used(&t, e);
}

static bool open_peft(Arena *a, const Checkpoint *base, Adapter *ad, Err *e) {
    const char *config = arena_printf(a, "%s/adapter_config.json", ad->path);
    if (!file_exists(config))
        return err_set(e, ERR_INPUT,
                       "%s: no adapter_config.json: no adapter (a GGUF adapter is named itself)%s", ad->path,
                       hub_rest(a, ad->path));
    Peft *p;
    bool ok = peft_open(a, config, &p, e) && read_peft(a, base, p, ad, e);
    peft_close(p);
    return ok;
}

// ---- GGUF

static bool gguf_part(const Reader *r, const Gguf *g, double alpha, WeightRole role, int layer) {
    Arena *a = r->a;
    Err *e = r->e;
    RoleName name = role_name(role, layer, true);
    Stored *sa = stored_find(&g->tensors, str_of(arena_printf(a, "%s.lora_a", name.at)));
    Stored *sb = stored_find(&g->tensors, str_of(arena_printf(a, "%s.lora_b", name.at)));
    if (!sa && !sb) return true;
    if (!sa || !sb)
        return err_set(e, ERR_INPUT, "%s: tensor \"%s.lora_%s\" is missing", g->file, name.at,
                       sa ? "b" : "a");
    int64_t rank = sb->rank == 2 ? sb->shape[1] : 0;
    if (rank < 1 || rank > 1 << 16)
        return err_set(e, ERR_INPUT, "%s: tensor \"%s\" is %s", g->file, shown(sb->name).at,
                       stored_shape(sb).at);
    LoraPart *part = part_add(r->ad, (LoraPart){.role = role, .layer = layer, .rank = (int)rank});
    part->scale = alpha != 0 ? (float)(alpha / (double)rank) : 1.0f; // as llama.cpp has it
    return part_take(r, sa, sb, ARCH_INFO[r->base->config.arch].neighbours, part);
}

static bool open_gguf(Arena *a, const Checkpoint *base, Adapter *ad, Err *e) {
    Gguf g;
    Str type = {0}, kind = {0}, arch = {0};
    double alpha = 0;
    if (!mapped_open(a, ad->path, &ad->files->map, e)) return false;
    if (!gguf_looks(&ad->files->map))
        return err_set(e, ERR_INPUT, "%s: neither a folder with adapter_config.json nor a GGUF file",
                       ad->path);
    if (!gguf_read(a, &ad->files->map, &g, e) || !gguf_text(&g, "general.type", &type, e) ||
        !gguf_text(&g, "adapter.type", &kind, e) || !gguf_text(&g, "general.architecture", &arch, e) ||
        !gguf_real(&g, "adapter.lora.alpha", &alpha, e))
        return false;
    if (!str_is(type, "adapter")) return err_set(e, ERR_INPUT, "%s: a model, not an adapter", ad->path);
    if (!str_is(kind, "lora"))
        return err_set(e, ERR_INPUT, "%s: an adapter of type \"%s\"; lora is built", ad->path,
                       shown(kind).at);
    if (!str_is(arch, ARCH_INFO[base->config.arch].gguf))
        return err_set(e, ERR_INPUT, "%s: an adapter for \"%s\", but the base is \"%s\"", ad->path,
                       shown(arch).at, ARCH_INFO[base->config.arch].gguf);
    if (gguf_find(&g, "adapter.alora.invocation_tokens"))
        return err_set(e, ERR_INPUT, "%s: \"adapter.alora.invocation_tokens\" is not built", ad->path);
    if (!isfinite(alpha) || alpha < 0 || alpha > 1e6)
        return err_set(e, ERR_INPUT, "%s: \"adapter.lora.alpha\" is %g", ad->path, alpha);
    const Reader r = {a, base, ad, e};
    for (int layer = 0; layer < base->config.layers; layer++)
        for (int i = 0; i < ADAPTED; i++)
            if (!gguf_part(&r, &g, alpha, adapted[i], layer)) return false;
    return all_used(&g.tensors, e);
}

bool adapter_open(Arena *a, const char *path, const Checkpoint *base, Adapter **out, Err *e) {
    Adapter *ad = NEW(a, Adapter);
    ad->files = NEW(a, struct AdapterFiles);
    ad->part = NEWN(a, LoraPart, (size_t)base->config.layers * ADAPTED);
    bool folder;
    bool ok = path_resolve(a, path, &ad->path, &folder, e) &&
              (folder ? open_peft(a, base, ad, e) : open_gguf(a, base, ad, e));
    if (ok && !ad->count) ok = err_set(e, ERR_INPUT, "%s: it adapts nothing", ad->path);
    if (!ok) {
        adapter_close(ad);
        return false;
    }
    for (int i = 0; i < ad->count; i++)
        ad->parameters += (size_t)ad->part[i].rank * (size_t)(ad->part[i].in + ad->part[i].out);
    *out = ad;
    return true;
}

void adapter_close(Adapter *ad) { mapped_close(&ad->files->map); }
