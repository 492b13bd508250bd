// A whole model of the layers of plain.c, there and back.
#include "model/rope.h"
#include "train/engine/plain.h"
#include "weights/files.h"

typedef struct {
    double *x0, *normed0, *q, *k, *v, *mixed, *x1, *normed1, *gate, *up, *act;
} Layer;

typedef struct {
    Arena *a;
    const PlainTask *t;
    const ModelConfig *c;
    Layer *layer;
    int *position;
    float *frequency;
} Plain;

static double *numbers(const Plain *p, int width) {
    return NEWN(p->a, double, (size_t)p->t->batch->count *(size_t)width);
}

// A tensor of the model: trained, or of the base.
static const double *tensor(const Plain *p, WeightRole role, int layer) {
    const TrainTensor *t = parameters_find(p->t->parameters, role, layer, PART_WHOLE);
    if (t) return p->t->value + t->at;
    const Weight *w = p->t->base ? checkpoint_weight(p->t->base, role, layer) : NULL;
    if (!w || !p->t->parameters->rank) return NULL;
    float *row = NEWN(p->a, float, (size_t)w->cols);
    double *x = NEWN(p->a, double, (size_t)(w->rows * w->cols));
    for (int64_t r = 0; r < w->rows; r++) {
        weight_row(w, r, row);
        for (int64_t i = 0; i < w->cols; i++) x[r * w->cols + i] = (double)row[i];
    }
    return x;
}
static double *gradient(const Plain *p, WeightRole role, int layer, TensorPart part) {
    const TrainTensor *t = parameters_find(p->t->parameters, role, layer, part);
    return t ? p->t->gradient + t->at : NULL;
}

static WeightRole bias_of(WeightRole role) {
    return role == ROLE_Q   ? ROLE_Q_BIAS
           : role == ROLE_K ? ROLE_K_BIAS
           : role == ROLE_V ? ROLE_V_BIAS
                            : ROLE_COUNT;
}

// A linear layer with what stands beside it.
typedef struct {
    PlainLinear whole, a, b; // y = whole(x) + scale * b(a(x)); a.w NULL: no LoRA
    double *low, scale;
} Linear;

static Linear linear_of(const Plain *p, WeightRole role, int layer, const double *x) {
    WeightRole bias = bias_of(role);
    const Parameters *all = p->t->parameters;
    int64_t rows, cols;
    role_shape(p->c, role, &rows, &cols);
    Linear l = {.whole = {p->t->batch->count, (int)rows, (int)cols, x, tensor(p, role, layer), NULL}};
    if (bias != ROLE_COUNT) l.whole.b = tensor(p, bias, layer);
    const TrainTensor *a = parameters_find(all, role, layer, PART_A);
    if (!a) return l;
    const TrainTensor *b = parameters_find(all, role, layer, PART_B);
    l.low = numbers(p, all->rank);
    l.scale = (double)all->alpha / all->rank;
    l.a = (PlainLinear){l.whole.count, all->rank, (int)cols, x, p->t->value + a->at, NULL};
    l.b = (PlainLinear){l.whole.count, (int)rows, all->rank, l.low, p->t->value + b->at, NULL};
    plain_linear(&l.a, l.low);
    return l;
}

static double *linear(const Plain *p, WeightRole role, int layer, const double *x) {
    Linear l = linear_of(p, role, layer, x);
    double *y = numbers(p, l.whole.rows);
    plain_linear(&l.whole, y);
    if (!l.low) return y;
    double *more = numbers(p, l.whole.rows);
    plain_linear(&l.b, more);
    for (int i = 0; i < l.whole.count * l.whole.rows; i++) y[i] += l.scale * more[i];
    return y;
}

// dx is added to.
static void linear_back(const Plain *p, WeightRole role, int layer, const double *x, const double *dy,
                        double *dx) {
    WeightRole bias = bias_of(role);
    Linear l = linear_of(p, role, layer, x);
    plain_linear_back(&l.whole, dy, dx, gradient(p, role, layer, PART_WHOLE),
                      bias == ROLE_COUNT ? NULL : gradient(p, bias, layer, PART_WHOLE));
    if (!l.low) return;
    int n = l.whole.count * l.whole.rows;
    double *scaled = numbers(p, l.whole.rows), *dlow = numbers(p, l.a.rows);
    for (int i = 0; i < n; i++) scaled[i] = l.scale * dy[i];
    plain_linear_back(&l.b, scaled, dlow, gradient(p, role, layer, PART_B), NULL);
    plain_linear_back(&l.a, dlow, dx, gradient(p, role, layer, PART_A), NULL);
}

static PlainNorm norm_of(const Plain *p, WeightRole role, int layer, const double *x) {
    return (PlainNorm){p->t->batch->count, p->c->hidden, (double)p->c->norm_eps, x, tensor(p, role, layer)};
}
static double *norm(const Plain *p, WeightRole role, int layer, const double *x) {
    double *y = numbers(p, p->c->hidden);
    PlainNorm l = norm_of(p, role, layer, x);
    plain_norm(&l, y);
    return y;
}

static void turn(const Plain *p, double *x, int heads, bool back) {
    int half = p->c->head_dim / 2;
    float *c = NEWN(p->a, float, (size_t)half), *s = NEWN(p->a, float, (size_t)half);
    for (int t = 0; t < p->t->batch->count; t++) {
        rope_angles(p->frequency, half, p->position[t], c, s);
        bool neighbours = p->t->base && p->t->base->rope_neighbours;
        plain_turn(&(PlainTurn){heads, p->c->head_dim, neighbours, back, c, s},
                   x + t * heads * p->c->head_dim);
    }
}

// Calls for each document: [from, to) are its rows.
static PlainAttention attention_of(const Plain *p, const Layer *l, int from, int to) {
    int kv = p->c->kv_heads * p->c->head_dim;
    return (PlainAttention){to - from,
                            p->c->heads,
                            p->c->kv_heads,
                            p->c->head_dim,
                            l->q + from * p->c->heads * p->c->head_dim,
                            l->k + from * kv,
                            l->v + from * kv};
}
static int document_end(const Plain *p, int from) {
    int to = from;
    while (to < p->t->batch->count && p->t->batch->document[to] == p->t->batch->document[from]) to++;
    return to;
}

static double *sum_of(const Plain *p, const double *x, const double *y) {
    double *z = numbers(p, p->c->hidden);
    for (int i = 0; i < p->t->batch->count * p->c->hidden; i++) z[i] = x[i] + y[i];
    return z;
}

static double *layer_there(const Plain *p, int i, double *x) {
    Layer *l = &p->layer[i];
    int count = p->t->batch->count, mixed = p->c->heads * p->c->head_dim;
    l->x0 = x;
    l->normed0 = norm(p, ROLE_ATTN_NORM, i, x);
    l->q = linear(p, ROLE_Q, i, l->normed0);
    l->k = linear(p, ROLE_K, i, l->normed0);
    l->v = linear(p, ROLE_V, i, l->normed0);
    turn(p, l->q, p->c->heads, false);
    turn(p, l->k, p->c->kv_heads, false);
    l->mixed = numbers(p, mixed);
    for (int from = 0, to; from < count; from = to) {
        to = document_end(p, from);
        PlainAttention a = attention_of(p, l, from, to);
        plain_attention(&a, l->mixed + from * mixed);
    }
    l->x1 = sum_of(p, x, linear(p, ROLE_O, i, l->mixed));
    l->normed1 = norm(p, ROLE_FFN_NORM, i, l->x1);
    l->gate = linear(p, ROLE_GATE, i, l->normed1);
    l->up = linear(p, ROLE_UP, i, l->normed1);
    l->act = numbers(p, p->c->intermediate);
    plain_swiglu(count * p->c->intermediate, l->gate, l->up, l->act);
    return sum_of(p, l->x1, linear(p, ROLE_DOWN, i, l->act));
}

// dx: of what leaves the layer, becomes that of what enters.
static void layer_back(const Plain *p, int i, double *dx) {
    const Layer *l = &p->layer[i];
    int count = p->t->batch->count, mixed = p->c->heads * p->c->head_dim,
        kv = p->c->kv_heads * p->c->head_dim;
    double *dact = numbers(p, p->c->intermediate), *dgate = numbers(p, p->c->intermediate);
    double *dup = numbers(p, p->c->intermediate), *dnormed = numbers(p, p->c->hidden);
    linear_back(p, ROLE_DOWN, i, l->act, dx, dact);
    plain_swiglu_back(count * p->c->intermediate, l->gate, l->up, dact, dgate, dup);
    linear_back(p, ROLE_GATE, i, l->normed1, dgate, dnormed);
    linear_back(p, ROLE_UP, i, l->normed1, dup, dnormed);
    PlainNorm n1 = norm_of(p, ROLE_FFN_NORM, i, l->x1);
    plain_norm_back(&n1, dnormed, dx, gradient(p, ROLE_FFN_NORM, i, PART_WHOLE));
    double *dmixed = numbers(p, mixed), *dq = numbers(p, mixed), *dk = numbers(p, kv), *dv = numbers(p, kv);
    linear_back(p, ROLE_O, i, l->mixed, dx, dmixed);
    for (int from = 0, to; from < count; from = to) {
        to = document_end(p, from);
        PlainAttention a = attention_of(p, l, from, to);
        plain_attention_back(&a, dmixed + from * mixed, dq + from * mixed, dk + from * kv, dv + from * kv);
    }
    turn(p, dq, p->c->heads, true);
    turn(p, dk, p->c->kv_heads, true);
    dnormed = numbers(p, p->c->hidden);
    linear_back(p, ROLE_Q, i, l->normed0, dq, dnormed);
    linear_back(p, ROLE_K, i, l->normed0, dk, dnormed);
    linear_back(p, ROLE_V, i, l->normed0, dv, dnormed);
    PlainNorm n0 = norm_of(p, ROLE_ATTN_NORM, i, l->x0);
    plain_norm_back(&n0, dnormed, dx, gradient(p, ROLE_ATTN_NORM, i, PART_WHOLE));
}

static double run(Plain *p) {
    const TrainBatch *b = p->t->batch;
    int hidden = p->c->hidden, vocab = p->c->vocab;
    const double *embed = tensor(p, ROLE_EMBED, 0);
    double *x = numbers(p, hidden), loss = 0;
    for (int t = 0; t < b->count; t++) {
        p->position[t] = t && b->document[t] == b->document[t - 1] ? p->position[t - 1] + 1 : 0;
        for (int i = 0; i < hidden; i++) x[t * hidden + i] = embed[b->token[t] * hidden + i];
    }
    for (int i = 0; i < p->c->layers; i++) x = layer_there(p, i, x);
    WeightRole role = p->c->tied ? ROLE_EMBED : ROLE_HEAD;
    const double *normed = norm(p, ROLE_NORM, 0, x), *logits = linear(p, role, 0, normed);
    double *dlogits = numbers(p, vocab), *dnormed = numbers(p, hidden), *dx = numbers(p, hidden);
    for (int t = 0; t < b->count; t++) {
        if (b->weight[t] == 0) continue;
        loss += (double)b->weight[t] * plain_cross(vocab, logits + t * vocab, b->target[t]);
        plain_cross_back(vocab, logits + t * vocab, b->target[t], (double)b->weight[t], dlogits + t * vocab);
    }
    if (!p->t->gradient) return loss;
    linear_back(p, role, 0, normed, dlogits, dnormed);
    PlainNorm n = norm_of(p, ROLE_NORM, 0, x);
    plain_norm_back(&n, dnormed, dx, gradient(p, ROLE_NORM, 0, PART_WHOLE));
    for (int i = p->c->layers; i-- > 0;) layer_back(p, i, dx);
    double *dembed = gradient(p, ROLE_EMBED, 0, PART_WHOLE);
    for (int t = 0; dembed && t < b->count; t++)
        for (int i = 0; i < hidden; i++) dembed[b->token[t] * hidden + i] += dx[t * hidden + i];
    return loss;
}

double plain_loss(const PlainTask *t) {
    Arena a = {0};
    const ModelConfig *c = &t->parameters->config;
    Plain p = {.a = &a, .t = t, .c = c};
    p.layer = NEWN(&a, Layer, (size_t)c->layers);
    p.position = NEWN(&a, int, (size_t)t->batch->count);
    p.frequency = NEWN(&a, float, (size_t)c->head_dim / 2);
    Checkpoint like = {.config = *c};
    rope_frequencies(t->base ? t->base : &like, p.frequency);
    double loss = run(&p);
    arena_free(&a);
    return loss;
}
