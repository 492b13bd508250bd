#include "train/engine/parameters.h"
#include "weights/format/mapped.h"
#include "base/numeric/rng.h"
#include "model/forward.h"
#include "weights/files.h"
#include <math.h>

const WeightRole LORA_ROLE[LORA_ROLES] = {ROLE_Q, ROLE_K, ROLE_V, ROLE_O, ROLE_GATE, ROLE_UP, ROLE_DOWN};

bool config_of_new(const NewModel *n, ModelConfig *out, Err *e) {
    enum { UNIT = 16, WIDTH_MAX = 8192 };
    if (n->width % UNIT || n->width > WIDTH_MAX || n->width < UNIT || n->layers < 1 ||
        n->layers > CHECKPOINT_LAYERS_MAX)
        return err_set(e, ERR_USAGE, "%dx%d: at most %d layers, of a width that %d divides, at most %d",
                       n->layers, n->width, CHECKPOINT_LAYERS_MAX, UNIT, WIDTH_MAX);
    int dim = n->width >= 512 && n->width % 64 == 0 ? 64 : n->width % 32 == 0 ? 32 : UNIT;
    *out = (ModelConfig){.arch = ARCH_LLAMA,
                         .hidden = n->width,
                         .layers = n->layers,
                         .heads = n->width / dim,
                         .kv_heads = n->width / dim,
                         .head_dim = dim,
                         .intermediate = (n->width * 8 / 3 + 31) / 32 * 32,
                         .vocab = n->vocab,
                         .context = n->context,
                         .norm_eps = 1e-5f,
                         .rope_theta = 10000,
                         .tied = true,
                         .bos = -1,
                         .eos = {n->end},
                         .eos_count = 1,
                         .generation = {.temperature = -1, .top_p = -1, .min_p = -1, .top_k = -1}};
    return true;
}

static size_t slot(const ModelConfig *c, WeightRole role, int layer, TensorPart part) {
    return ((size_t)part * ROLE_COUNT + (size_t)role) * (size_t)c->layers + (size_t)layer;
}

static void tensor_add(Parameters *p, TrainTensor t) {
    enum { ROUND = 16 }; // whole vectors, so that none begins inside another's cache line
    t.at = p->numbers;
    p->numbers += ((size_t)(t.rows * t.cols) + ROUND - 1) / ROUND * ROUND;
    p->index[slot(&p->config, t.role, t.layer, t.part)] = p->count;
    p->tensor[p->count++] = t;
}

static bool role_there(const ModelConfig *c, WeightRole role) {
    if (role == ROLE_HEAD) return !c->tied;
    if (role == ROLE_Q_BIAS || role == ROLE_K_BIAS || role == ROLE_V_BIAS) return ARCH_INFO[c->arch].biases;
    return true;
}

static void lay_whole(Parameters *p) {
    for (int role = 0; role < ROLE_COUNT; role++)
        for (int layer = 0; layer < (role_per_layer((WeightRole)role) ? p->config.layers : 1); layer++) {
            TrainTensor t = {.role = (WeightRole)role, .layer = layer, .part = PART_WHOLE};
            if (!role_there(&p->config, t.role)) continue;
            role_shape(&p->config, t.role, &t.rows, &t.cols);
            t.decays = !role_is_vector(t.role);
            tensor_add(p, t);
        }
}

static void lay_lora(Parameters *p, unsigned roles) {
    for (int layer = 0; layer < p->config.layers; layer++)
        for (int i = 0; i < LORA_ROLES; i++) {
            int64_t out, in;
            if (!(roles >> i & 1)) continue;
            role_shape(&p->config, LORA_ROLE[i], &out, &in);
            tensor_add(p, (TrainTensor){LORA_ROLE[i], layer, PART_A, p->rank, in, 0, true});
            tensor_add(p, (TrainTensor){LORA_ROLE[i], layer, PART_B, out, p->rank, 0, true});
        }
}

Parameters *parameters_lay(Arena *a, const ModelConfig *c, int rank, float alpha, unsigned roles) {
    Parameters *p = NEW(a, Parameters);
    *p = (Parameters){.config = *c, .rank = rank, .alpha = alpha};
    size_t slots = (size_t)ROLE_COUNT * (size_t)c->layers * PARTS;
    p->tensor = NEWN(a, TrainTensor, slots);
    p->index = NEWN(a, int, slots);
    for (size_t i = 0; i < slots; i++) p->index[i] = -1;
    if (rank)
        lay_lora(p, roles);
    else
        lay_whole(p);
    float **rows[] = {&p->value, &p->gradient, &p->first, &p->second};
    for (int i = 0; i < 4; i++) *rows[i] = arena_alloc(a, p->numbers, sizeof(float), 64);
    return p;
}

const TrainTensor *parameters_find(const Parameters *p, WeightRole role, int layer, TensorPart part) {
    int i = p->index[slot(&p->config, role, layer, part)];
    return i < 0 ? NULL : &p->tensor[i];
}

float *parameters_in(const Parameters *p, float *all, WeightRole role, int layer, TensorPart part) {
    const TrainTensor *t = parameters_find(p, role, layer, part);
    return t ? all + t->at : NULL;
}

// ---- first values

static void draw_normal(Rng *r, double deviation, float *out, size_t n) {
    for (size_t i = 0; i < n; i++) out[i] = (float)(deviation * rng_normal(r));
}

static void draw_tensor(const Parameters *p, const TrainTensor *t, Rng *r) {
    float *x = p->value + t->at;
    size_t n = (size_t)(t->rows * t->cols);
    if (t->part == PART_B || t->role == ROLE_Q_BIAS || t->role == ROLE_K_BIAS || t->role == ROLE_V_BIAS) {
        memset(x, 0, n * sizeof *x);
    } else if (t->part == PART_A) {
        double bound = 1 / sqrt((double)t->cols);
        for (size_t i = 0; i < n; i++) x[i] = (float)(bound * (2 * rng_unit(r) - 1));
    } else if (role_is_vector(t->role)) {
        for (size_t i = 0; i < n; i++) x[i] = 1;
    } else {
        bool adds = t->role == ROLE_O || t->role == ROLE_DOWN;
        draw_normal(r, adds ? 0.02 / sqrt(2.0 * p->config.layers) : 0.02, x, n);
    }
}

void parameters_draw(Parameters *p, uint64_t seed) {
    for (int i = 0; i < p->count; i++) {
        Rng r = rng_at(rng_mix(seed, 0x7765696768747300), (uint64_t)i); // "weights"
        draw_tensor(p, &p->tensor[i], &r);
    }
}

void parameters_take(Parameters *p, const Checkpoint *base) {
    for (int i = 0; i < p->count; i++) {
        const TrainTensor *t = &p->tensor[i];
        const Weight *w = checkpoint_weight(base, t->role, t->layer);
        for (int64_t row = 0; row < t->rows; row++) weight_row(w, row, p->value + t->at + row * t->cols);
        // Nobody reads it again: beside the copy its pages would count for as long as training takes.
        mapped_forget(w->data, (size_t)t->rows * weight_row_bytes(w));
    }
}

static float scale_of(const Parameters *p) { return p->alpha / (float)p->rank; }

bool parameters_take_adapter(Parameters *p, const Adapter *ad, Err *e) {
    int found = 0;
    for (int i = 0; i < ad->count; i++) {
        const LoraPart *l = &ad->part[i];
        float *a = parameters_in(p, p->value, l->role, l->layer, PART_A);
        float *b = parameters_in(p, p->value, l->role, l->layer, PART_B);
        if (!a || !b || l->rank != p->rank || l->scale != scale_of(p))
            return err_set(
                e, ERR_INPUT,
                "%s: an adapter of rank %d and scale %g in layer %d; rank %d and scale %g are trained",
                ad->path, l->rank, (double)l->scale, l->layer, p->rank, (double)scale_of(p));
        memcpy(a, l->a, (size_t)(l->rank * l->in) * sizeof *a);
        memcpy(b, l->b, (size_t)(l->out * l->rank) * sizeof *b);
        found += 2;
    }
    return found == p->count || err_set(e, ERR_INPUT, "%s: it adapts %d of the %d layers that are trained",
                                        ad->path, found / 2, p->count / 2);
}

// ---- as a model

const Checkpoint *parameters_checkpoint(Arena *a, const Parameters *p, const Checkpoint *base) {
    if (p->rank) return base;
    Weight *w = NEWN(a, Weight, (size_t)ROLE_COUNT * (size_t)p->config.layers);
    for (int i = 0; i < p->count; i++) {
        const TrainTensor *t = &p->tensor[i];
        w[(int)t->role * p->config.layers + t->layer] = (Weight){
            .type = W_F32, .rows = t->rows, .cols = t->cols, .data = (const uint8_t *)(p->value + t->at)};
    }
    return checkpoint_in_memory(a, &p->config, base, w);
}

const Adapter *parameters_adapter(Arena *a, const Parameters *p) {
    if (!p->rank) return NULL;
    Adapter *ad = NEW(a, Adapter);
    LoraPart *part = NEWN(a, LoraPart, (size_t)p->count);
    *ad = (Adapter){.path = "(in training)", .part = part};
    for (int i = 0; i < p->count; i++) {
        const TrainTensor *t = &p->tensor[i];
        if (t->part != PART_A) continue;
        const TrainTensor *b = parameters_find(p, t->role, t->layer, PART_B);
        part[ad->count++] = (LoraPart){.role = t->role,
                                       .layer = t->layer,
                                       .rank = p->rank,
                                       .scale = scale_of(p),
                                       .a = p->value + t->at,
                                       .b = p->value + b->at,
                                       .in = t->cols,
                                       .out = b->rows};
        ad->parameters += (size_t)p->rank * (size_t)(t->cols + b->rows);
    }
    return ad;
}

static void point_at(const Parameters *p, const float **at, WeightRole role, int layer) {
    const float *x = parameters_in(p, p->value, role, layer, PART_WHOLE);
    if (x) *at = x;
}

void parameters_attach(const Parameters *p, Model *m) {
    if (p->rank) return;
    point_at(p, &m->norm, ROLE_NORM, 0);
    for (int i = 0; i < p->config.layers; i++) {
        LayerWeights *l = &m->layer[i];
        point_at(p, &l->attn_norm, ROLE_ATTN_NORM, i);
        point_at(p, &l->ffn_norm, ROLE_FFN_NORM, i);
        point_at(p, &l->q_bias, ROLE_Q_BIAS, i);
        point_at(p, &l->k_bias, ROLE_K_BIAS, i);
        point_at(p, &l->v_bias, ROLE_V_BIAS, i);
    }
}
