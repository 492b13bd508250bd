#include "model/forward.h"
#include "base/isa.h"
#include "model/attention.h"
#include "model/rope.h"

const ForwardLoops *forward_loops(void) {
#ifdef PORTABLE
    return &forward_loops_base;
#else
    static const ForwardLoops *const table[ISA_COUNT] = {&forward_loops_base, &forward_loops_avx2,
                                                         &forward_loops_avx512};
    return table[isa_level()];
#endif
}

// Waking the threads costs about as much as this many numbers.
enum { WORTH_THREADS = 1 << 15 };
static void rows_run(const Pass *p, size_t width, void (*fn)(void *, size_t, int), void *arg) {
    if ((size_t)p->rows * width >= WORTH_THREADS) {
        pool_run(p->m->pool, (size_t)p->rows, fn, arg);
        return;
    }
    for (int i = 0; i < p->rows; i++) fn(arg, (size_t)i, 0);
}

typedef struct {
    const ForwardLoops *loops;
    float *x;
    const float *delta, *w;
    float *out;
    size_t n;
    float eps;
} NormWork;

static void norm_row(void *arg, size_t row, int worker) {
    const NormWork *w = arg;
    (void)worker;
    float *x = w->x + row * w->n;
    if (w->delta) w->loops->add(x, w->delta + row * w->n, w->n, x);
    w->loops->norm(x, w->w, w->eps, w->n, w->out + row * w->n);
}

void rows_norm(const Pass *p, float *x, const float *delta, const float *w, float *out) {
    const ModelConfig *c = &p->m->config;
    NormWork work = {p->m->loops, x, delta, w, out, (size_t)c->hidden, c->norm_eps};
    rows_run(p, work.n, norm_row, &work);
}

// One of up to three products of the same input, with what is added to it.
typedef struct {
    WeightRole role;
    const Weight *w;
    const float *bias;
    float *y; // [rows][w->rows]
} Linear;

typedef struct {
    const ForwardLoops *loops;
    const Linear *linear;
    const float *lora;
    float scale;
} FinishWork;

static void finish_row(void *arg, size_t row, int worker) {
    const FinishWork *f = arg;
    (void)worker;
    size_t n = (size_t)f->linear->w->rows;
    float *y = f->linear->y + row * n;
    if (f->lora) f->loops->add_scaled(y, f->lora + row * n, f->scale, n);
    if (f->linear->bias) f->loops->add(y, f->linear->bias, n, y);
}

static void linears_run(Pass *p, int layer, const float *x, const Linear *l, int n) {
    Model *m = p->m;
    int64_t cols = l->w->cols;
    ProductInput in = {.x = x, .count = p->rows, .cols = cols, .stride = cols, .rounded = m->rounded};
    for (int i = 0; i < n; i++) {
        if (WEIGHT_TYPE[l[i].w->type].block == 1) continue;
        product_prepare(m->pool, &in, l[i].w->type); // one rounding serves all quantised types
        break;
    }
    const LoraPart *part[LORA_TOGETHER] = {0};
    Weight inner[LORA_TOGETHER], outer[LORA_TOGETHER];
    Product product[2 * LORA_TOGETHER] = {0};
    int products = 0;
    for (int i = 0; i < n; i++) {
        product[products++] = (Product){l[i].w, &in, l[i].y, l[i].w->rows};
        if (p->lora) part[i] = m->part[layer * ROLE_COUNT + (int)l[i].role];
        if (!part[i]) continue;
        inner[i] = lora_inner(part[i]);
        product[products++] = (Product){&inner[i], &in, m->lora.inner[i], part[i]->rank};
    }
    product_run(m->pool, product, products);

    ProductInput low[LORA_TOGETHER];
    products = 0;
    for (int i = 0; i < n; i++) {
        if (!part[i]) continue;
        outer[i] = lora_outer(part[i]);
        low[i] = (ProductInput){
            .x = m->lora.inner[i], .count = p->rows, .cols = part[i]->rank, .stride = part[i]->rank};
        product[products++] = (Product){&outer[i], &low[i], m->lora.outer[i], part[i]->out};
    }
    if (products) product_run(m->pool, product, products);
    for (int i = 0; i < n; i++) {
        if (!part[i] && !l[i].bias) continue;
        FinishWork f = {m->loops, &l[i], part[i] ? m->lora.outer[i] : NULL, part[i] ? part[i]->scale : 0};
        rows_run(p, (size_t)l[i].w->rows, finish_row, &f);
    }
}

typedef struct {
    const Pass *p;
    const LayerRoom *r;
    int layer;
} PlaceWork;

// Rotates one token's q and k, and puts k and v where the cache has its position.
static void place_row(void *arg, size_t row, int worker) {
    const PlaceWork *w = arg;
    const Model *m = w->p->m;
    (void)worker;
    size_t dim = (size_t)m->config.head_dim, half = dim / 2;
    const float *cos = m->cos + row * half, *sin = m->sin + row * half;
    void (*rotate)(float *, const float *, const float *, size_t) =
        m->checkpoint->rope_neighbours ? m->loops->rotate_neighbours : m->loops->rotate;
    float *q = w->r->q + row * (size_t)m->config.heads * dim;
    float *k = w->r->k + row * (size_t)m->config.kv_heads * dim;
    for (int h = 0; h < m->config.heads; h++) rotate(q + (size_t)h * dim, cos, sin, half);
    for (int h = 0; h < m->config.kv_heads; h++) rotate(k + (size_t)h * dim, cos, sin, half);
    kv_write(w->p->kv, w->layer, m->place[row], k, w->r->v + row * (size_t)m->config.kv_heads * dim);
}

static void attend(Pass *p, int layer, const LayerRoom *r) {
    Model *m = p->m;
    const LayerWeights *w = &m->layer[layer];
    const Linear qkv[] = {
        {ROLE_Q, w->q, w->q_bias, r->q}, {ROLE_K, w->k, w->k_bias, r->k}, {ROLE_V, w->v, w->v_bias, r->v}};
    linears_run(p, layer, r->normed, qkv, 3);
    PlaceWork place = {p, r, layer};
    rows_run(p, (size_t)(m->config.heads + 2 * m->config.kv_heads) * (size_t)m->config.head_dim, place_row,
             &place);
    attention_run(m->pool, &(Attention){.kv = p->kv,
                                        .layer = layer,
                                        .seq = p->step->seq,
                                        .place = m->place,
                                        .count = p->rows,
                                        .heads = m->config.heads,
                                        .q = r->q,
                                        .out = r->mixed});
}

// After the last attention only rows whose logits are wanted are of use: they move to the front.
static void keep_wanted(Pass *p, const LayerRoom *r) {
    size_t hidden = (size_t)p->m->config.hidden;
    size_t mixed = (size_t)p->m->config.heads * (size_t)p->m->config.head_dim;
    int kept = 0;
    for (int i = 0; i < p->rows; i++) {
        if (!p->step->want[i]) continue;
        if (kept != i) {
            memcpy(r->x + (size_t)kept * hidden, r->x + (size_t)i * hidden, hidden * sizeof(float));
            memcpy(r->mixed + (size_t)kept * mixed, r->mixed + (size_t)i * mixed, mixed * sizeof(float));
        }
        kept++;
    }
    p->rows = kept;
}

typedef struct {
    const ForwardLoops *loops;
    const LayerRoom *r;
    size_t n;
} ActWork;

static void act_row(void *arg, size_t row, int worker) {
    const ActWork *w = arg;
    (void)worker;
    w->loops->swiglu(w->r->gate + row * w->n, w->r->up + row * w->n, w->n, w->r->act + row * w->n);
}

void layer_forward(Pass *p, int layer, const LayerRoom *r, bool last) {
    Model *m = p->m;
    const LayerWeights *w = &m->layer[layer];
    // The layer before left its last sum undone: it is added on the way into the norm.
    rows_norm(p, r->x, layer ? r->delta : NULL, w->attn_norm, r->normed);
    attend(p, layer, r);
    if (last) keep_wanted(p, r);
    if (!p->rows) return;
    const Linear o[] = {{ROLE_O, w->o, NULL, r->delta}};
    linears_run(p, layer, r->mixed, o, 1);

    rows_norm(p, r->x, r->delta, w->ffn_norm, r->normed);
    const Linear wide[] = {{ROLE_GATE, w->gate, NULL, r->gate}, {ROLE_UP, w->up, NULL, r->up}};
    linears_run(p, layer, r->normed, wide, 2);
    ActWork act = {m->loops, r, (size_t)m->config.intermediate};
    rows_run(p, 4 * act.n, act_row, &act);
    const Linear down[] = {{ROLE_DOWN, w->down, NULL, r->delta}};
    linears_run(p, layer, r->act, down, 1);
}
