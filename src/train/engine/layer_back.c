// The way back through one layer (forward.c has the way there).
#include "model/attention_simd.h"
#include "model/rope.h"
#include "train/engine/room.h"

typedef struct {
    CpuEngine *c;
    const Kept *k;
    const float *w; // of the norm that is computed again
    const float *x;
} LayerWork;

static void norm_again(void *arg, size_t row, int worker) {
    const LayerWork *w = arg;
    (void)worker;
    const ModelConfig *g = &w->c->m->config;
    size_t n = (size_t)g->hidden;
    w->c->m->loops->norm(w->x + row * n, w->w, g->norm_eps, n, w->c->room.normed + row * n);
}
static void act_again(void *arg, size_t row, int worker) {
    const LayerWork *w = arg;
    (void)worker;
    size_t n = (size_t)w->c->m->config.intermediate;
    w->c->m->loops->swiglu(w->k->gate + row * n, w->k->up + row * n, n, w->c->room.act + row * n);
}
static void act_back(void *arg, size_t row, int worker) {
    const LayerWork *w = arg;
    (void)worker;
    size_t n = (size_t)w->c->m->config.intermediate;
    w->c->loops->swiglu(w->k->gate + row * n, w->k->up + row * n, w->c->room.dact + row * n, n);
}

// Rotation back is rotation by the opposite angle. And keys and values as the cache had them.
static void turn_back(void *arg, size_t row, int worker) {
    const LayerWork *w = arg;
    (void)worker;
    const Model *m = w->c->m;
    size_t dim = (size_t)m->config.head_dim, half = dim / 2;
    float cos[512], sin[512]; // head_dim is at most 1024
    int position = w->c->room.place[row].position;
    rope_angles(m->frequency, (int)half, position, cos, sin);
    for (size_t i = 0; i < half; i++) sin[i] = -sin[i];
    void (*rotate)(float *, const float *, const float *, size_t) =
        m->checkpoint->rope_neighbours ? m->loops->rotate_neighbours : m->loops->rotate;
    float *q = w->c->room.dq + row * (size_t)m->config.heads * dim;
    float *k = w->c->room.dk + row * (size_t)m->config.kv_heads * dim;
    for (int h = 0; h < m->config.heads; h++) rotate(q + (size_t)h * dim, cos, sin, half);
    for (int h = 0; h < m->config.kv_heads; h++) rotate(k + (size_t)h * dim, cos, sin, half);
}

static void round_half(float *x, size_t n) {
    uint16_t half[64];
    for (size_t at = 0; at < n; at += 64) {
        size_t some = n - at < 64 ? n - at : 64;
        (void)attention_loops()->narrow(x + at, some, half); // what does not fit has ended the pass already
        quant_decode(W_F16, half, (int64_t)some, x + at);
    }
}
static void round_row(void *arg, size_t row, int worker) {
    const LayerWork *w = arg;
    (void)worker;
    size_t n = (size_t)w->c->m->config.kv_heads * (size_t)w->c->m->config.head_dim;
    round_half(w->k->k + row * n, n);
    round_half(w->k->v + row * n, n);
}

static void mlp_back(CpuEngine *c, const TrainBatch *b, int layer) {
    const LayerWeights *l = &c->m->layer[layer];
    TrainRoom *r = &c->room;
    LayerWork w = {.c = c, .k = &r->layer[layer], .w = l->ffn_norm, .x = r->layer[layer].x1};
    size_t rows = (size_t)b->count;
    pool_run(c->pool, rows, act_again, &w);
    linear_back(c, &(LinearBack){ROLE_DOWN, layer, l->down, r->act, r->dx, r->dact, b->count, false});
    pool_run(c->pool, rows, act_back, &w);
    pool_run(c->pool, rows, norm_again, &w);
    linear_back(c,
                &(LinearBack){ROLE_GATE, layer, l->gate, r->normed, w.k->gate, r->dnormed, b->count, false});
    linear_back(c, &(LinearBack){ROLE_UP, layer, l->up, r->normed, w.k->up, r->dnormed, b->count, true});
    norm_back(c, ROLE_FFN_NORM, layer, w.k->x1, r->dnormed, b->count);
}

static void mix_back(CpuEngine *c, const TrainBatch *b, int layer) {
    const LayerWeights *l = &c->m->layer[layer];
    const ModelConfig *g = &c->m->config;
    TrainRoom *r = &c->room;
    LayerWork w = {.c = c, .k = &r->layer[layer], .w = l->attn_norm, .x = r->layer[layer].x0};
    size_t rows = (size_t)b->count;
    linear_back(c, &(LinearBack){ROLE_O, layer, l->o, w.k->mixed, r->dx, r->dmixed, b->count, false});
    if (c->choice.kv == KV_F16) pool_run(c->pool, rows, round_row, &w);
    attention_back(&(AttentionBack){c->pool, c->loops, r->first, b->documents, g->heads, g->kv_heads,
                                    g->head_dim, w.k->q, w.k->k, w.k->v, r->dmixed, r->dq, r->dk, r->dv});
    pool_run(c->pool, rows, turn_back, &w);
    bias_back(c, ROLE_Q_BIAS, layer, r->dq, b->count);
    bias_back(c, ROLE_K_BIAS, layer, r->dk, b->count);
    bias_back(c, ROLE_V_BIAS, layer, r->dv, b->count);
    pool_run(c->pool, rows, norm_again, &w);
    // Nothing that is trained lies before the first layer of an adapted model.
    bool ends = layer == 0 && c->engine.parameters->rank;
    float *dnormed = ends ? NULL : r->dnormed;
    linear_back(c, &(LinearBack){ROLE_Q, layer, l->q, r->normed, r->dq, dnormed, b->count, false});
    linear_back(c, &(LinearBack){ROLE_K, layer, l->k, r->normed, r->dk, dnormed, b->count, true});
    linear_back(c, &(LinearBack){ROLE_V, layer, l->v, r->normed, r->dv, dnormed, b->count, true});
    if (!ends) norm_back(c, ROLE_ATTN_NORM, layer, w.k->x0, r->dnormed, b->count);
}

void layer_backward(CpuEngine *c, const TrainBatch *b, int layer) {
    mlp_back(c, b, layer);
    mix_back(c, b, layer);
}
