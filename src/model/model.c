#include "model/model.h"
#include "model/attention.h"
#include "model/forward.h"
#include "model/rope.h"
#include <assert.h>

const ModelConfig *model_config(const Model *m) { return &m->config; }
Pool *model_pool(const Model *m) { return m->pool; }

// --- the room of a step ---

typedef struct {
    uint8_t *base; // NULL: only measure
    size_t used;
} Lay;

static void *lay(Lay *l, size_t count, size_t size) {
    void *at = l->base ? l->base + l->used : NULL;
    l->used += (count * size + 63) & ~(size_t)63;
    return at;
}

static size_t room_lay(Model *m, uint8_t *base) {
    const ModelConfig *c = &m->config;
    const size_t n = MODEL_STEP_MAX, f = sizeof(float);
    size_t hidden = (size_t)c->hidden, wide = (size_t)c->intermediate, dim = (size_t)c->head_dim;
    size_t mixed = (size_t)c->heads * dim, kv = (size_t)c->kv_heads * dim, largest = hidden;
    if (mixed > largest) largest = mixed;
    if (wide > largest) largest = wide;
    Lay l = {.base = base};
    LayerRoom *r = &m->room;
    r->x = lay(&l, n * hidden, f);
    r->normed = lay(&l, n * hidden, f);
    r->q = lay(&l, n * mixed, f);
    r->k = lay(&l, n * kv, f);
    r->v = lay(&l, n * kv, f);
    r->mixed = lay(&l, n * mixed, f);
    r->delta = lay(&l, n * hidden, f);
    r->gate = r->act = lay(&l, n * wide, f);
    r->up = lay(&l, n * wide, f);
    m->cos = lay(&l, n * dim / 2, f);
    m->sin = lay(&l, n * dim / 2, f);
    m->rounded = lay(&l, product_room((int64_t)largest, (int)n), 1);
    m->place = lay(&l, n, sizeof *m->place);
    for (int i = 0; i < LORA_TOGETHER; i++) {
        m->lora.inner[i] = lay(&l, n * LORA_RANK_MAX, f);
        m->lora.outer[i] = lay(&l, n * largest, f);
    }
    m->part = lay(&l, (size_t)c->layers * ROLE_COUNT, sizeof *m->part);
    return l.used;
}

size_t model_room(const ModelConfig *c) {
    Model m = {.config = *c};
    return room_lay(&m, NULL);
}

// --- opening ---

static bool config_sane(const ModelConfig *c, Err *e) {
    enum { WIDTH_MAX = 1 << 18, VOCAB_MAX = 1 << 24 };
    bool sane = c->hidden >= 1 && c->hidden <= WIDTH_MAX && c->intermediate >= 1 &&
                c->intermediate <= WIDTH_MAX && c->layers >= 1 && c->layers <= CHECKPOINT_LAYERS_MAX &&
                c->kv_heads >= 1 && c->kv_heads <= c->heads && c->heads % c->kv_heads == 0 &&
                c->head_dim >= 2 && c->head_dim % 2 == 0 && c->head_dim <= 1024 &&
                c->heads <= WIDTH_MAX / c->head_dim && c->vocab >= 1 && c->vocab <= VOCAB_MAX &&
                c->context >= 1 && c->rope_theta > 0;
    if (sane) return true;
    return err_set(
        e, ERR_INPUT,
        "the model's numbers do not go together: %d layers of width %d and %d, %d heads over %d of "
        "width %d, vocabulary %d, context %d",
        c->layers, c->hidden, c->intermediate, c->heads, c->kv_heads, c->head_dim, c->vocab, c->context);
}

// Which layer's weights are looked for; 0 for those that stand once.
typedef struct {
    Arena *a;
    const Checkpoint *c;
    int layer;
    Err *e;
} Finder;

static bool weight_find(const Finder *f, WeightRole role, int64_t rows, int64_t cols, const Weight **out) {
    const Checkpoint *c = f->c;
    int layer = f->layer;
    Err *e = f->e;
    static const char *const name[ROLE_COUNT] = {
#define ROLE(role, hf, gguf, per_layer, optional) [ROLE_##role] = #role,
#include "weights/role.def"
#undef ROLE
    };
    const Weight *w = checkpoint_weight(c, role, layer);
    if (!w)
        return err_set(e, ERR_INPUT, "%s: the weight %s of layer %d is missing", c->path, name[role], layer);
    if (w->rows != rows || w->cols != cols)
        return err_set(e, ERR_INPUT, "%s: %.*s is [%lld, %lld] and has to be [%lld, %lld]", c->path,
                       STR_ARG(w->name), (long long)w->rows, (long long)w->cols, (long long)rows,
                       (long long)cols);
    *out = w;
    return true;
}

// A vector is small and read often: kept as float32.
static bool vector_find(const Finder *f, WeightRole role, int n, const float **out) {
    const Weight *w;
    if (!weight_find(f, role, 1, n, &w)) return false;
    float *x = NEWN(f->a, float, (size_t)n);
    weight_row(w, 0, x);
    *out = x;
    return true;
}
static bool bias_find(const Finder *f, WeightRole role, int n, const float **out) {
    *out = NULL;
    return !checkpoint_weight(f->c, role, f->layer) || vector_find(f, role, n, out);
}

static bool layer_find(Arena *a, const Checkpoint *c, int i, LayerWeights *l, Err *e) {
    const ModelConfig *g = &c->config;
    const Finder f = {a, c, i, e};
    int mixed = g->heads * g->head_dim, kv = g->kv_heads * g->head_dim;
    return vector_find(&f, ROLE_ATTN_NORM, g->hidden, &l->attn_norm) &&
           vector_find(&f, ROLE_FFN_NORM, g->hidden, &l->ffn_norm) &&
           weight_find(&f, ROLE_Q, mixed, g->hidden, &l->q) &&
           weight_find(&f, ROLE_K, kv, g->hidden, &l->k) && weight_find(&f, ROLE_V, kv, g->hidden, &l->v) &&
           weight_find(&f, ROLE_O, g->hidden, mixed, &l->o) &&
           weight_find(&f, ROLE_GATE, g->intermediate, g->hidden, &l->gate) &&
           weight_find(&f, ROLE_UP, g->intermediate, g->hidden, &l->up) &&
           weight_find(&f, ROLE_DOWN, g->hidden, g->intermediate, &l->down) &&
           bias_find(&f, ROLE_Q_BIAS, mixed, &l->q_bias) && bias_find(&f, ROLE_K_BIAS, kv, &l->k_bias) &&
           bias_find(&f, ROLE_V_BIAS, kv, &l->v_bias);
}

bool model_open(Arena *a, const Checkpoint *c, Pool *pool, Model **out, Err *e) {
    const ModelConfig *g = &c->config;
    if (!config_sane(g, e)) return err_ctx(e, "%s", c->path);
    Model *m = NEW(a, Model);
    *m = (Model){.checkpoint = c, .pool = pool, .loops = forward_loops(), .config = *g};
    const Finder once = {a, c, 0, e};
    if (!weight_find(&once, ROLE_EMBED, g->vocab, g->hidden, &m->embed) ||
        !vector_find(&once, ROLE_NORM, g->hidden, &m->norm))
        return false;
    m->head = m->embed;
    if (checkpoint_weight(c, ROLE_HEAD, 0) && !weight_find(&once, ROLE_HEAD, g->vocab, g->hidden, &m->head))
        return false;
    m->layer = NEWN(a, LayerWeights, (size_t)g->layers);
    for (int i = 0; i < g->layers; i++)
        if (!layer_find(a, c, i, &m->layer[i], e)) return false;
    m->frequency = NEWN(a, float, (size_t)g->head_dim / 2);
    rope_frequencies(c, m->frequency);
    room_lay(m, arena_raw(a, room_lay(m, NULL), 64));
    *out = m;
    return true;
}

// --- a step ---

static void embed_rows(Model *m, const ModelStep *s) {
    size_t hidden = (size_t)m->config.hidden;
    for (int i = 0; i < s->count; i++) weight_row(m->embed, s->token[i], m->room.x + (size_t)i * hidden);
}

static void angles(Model *m, int count) {
    int half = m->config.head_dim / 2;
    for (int i = 0; i < count; i++)
        rope_angles(m->frequency, half, m->place[i].position, m->cos + i * half, m->sin + i * half);
}

static bool step_sane(const Model *m, const ModelStep *s, Err *e) {
    assert(s->count >= 0 && s->count <= MODEL_STEP_MAX);
    for (int i = 0; i < s->count; i++)
        if (s->token[i] < 0 || s->token[i] >= m->config.vocab)
            return err_set(
                e, ERR_INPUT,
                "token %d is not in the model's vocabulary of %d: the tokenizer belongs to another model",
                s->token[i], m->config.vocab);
    return true;
}

bool model_step(Model *m, Kv *kv, const ModelStep *s, float *logits, Err *e) {
    if (!step_sane(m, s, e)) return false;
    if (s->adapter && !lora_index(s->adapter, m->checkpoint, m->part, e)) return false;
    if (!kv_reserve(kv, s->seq, s->count, m->place, e)) return false;
    Pass p = {.m = m, .kv = kv, .step = s, .rows = s->count, .lora = s->adapter != NULL};
    embed_rows(m, s);
    angles(m, s->count);
    for (int i = 0; i < m->config.layers && p.rows; i++) {
        if (s->wanted && !s->wanted(s->arg)) {
            kv_undo(kv, s->seq, s->count, m->place);
            atomic_store_explicit(&kv->beyond, false, memory_order_relaxed);
            return true;
        }
        layer_forward(&p, i, &m->room, i == m->config.layers - 1);
    }
    if (atomic_exchange_explicit(&kv->beyond, false, memory_order_relaxed)) {
        kv_undo(kv, s->seq, s->count, m->place);
        return err_set(e, ERR_INPUT,
                       "keys or values are beyond 65504, or no numbers: the weights are damaged, or these "
                       "have to be kept in F32 (--kv f32)");
    }
    if (!p.rows) return true;
    const LayerRoom *r = &m->room;
    rows_norm(&p, r->x, r->delta, m->norm, r->normed);
    ProductInput in = {.x = r->normed,
                       .count = p.rows,
                       .cols = m->config.hidden,
                       .stride = m->config.hidden,
                       .rounded = m->rounded};
    product_prepare(m->pool, &in, m->head->type);
    product_run(m->pool, &(Product){m->head, &in, logits, m->config.vocab}, 1);
    return true;
}
