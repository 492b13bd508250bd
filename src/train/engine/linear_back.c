// The ways back through the parts of a layer that have parameters: linear layers with bias and LoRA, norms.
#include "base/isa.h"
#include "train/engine/room.h"

const BackwardLoops *backward_loops(void) {
#ifdef PORTABLE
    return &backward_loops_base;
#else
    static const BackwardLoops *const table[ISA_COUNT] = {&backward_loops_base, &backward_loops_avx2,
                                                          &backward_loops_avx512};
    return table[isa_level()];
#endif
}

// dx = dy W, where W is stored as float32.
static void through_floats(CpuEngine *c, const LinearBack *l, const float *w, int from, int rows, bool adds) {
    gemm_run(c->pool, &(Gemm){.m = l->count,
                              .n = (int)l->w->cols,
                              .k = rows,
                              .a = l->dy + from,
                              .b = w,
                              .c = l->dx,
                              .a_stride = (int)l->w->rows,
                              .b_stride = (int)l->w->cols,
                              .c_stride = (int)l->w->cols,
                              .beta = adds ? 1 : 0});
}

typedef struct {
    const Weight *w;
    int from;
    float *out;
} Decode;
static void decode_row(void *arg, size_t item, int worker) {
    const Decode *d = arg;
    (void)worker;
    weight_row(d->w, d->from + (int64_t)item, d->out + (int64_t)item * d->w->cols);
}

// Of any other type: some rows at a time become float32, never the whole matrix.
static void through_weight(CpuEngine *c, const LinearBack *l) {
    if (l->w->type == W_F32 && (uintptr_t)l->w->data % _Alignof(float) == 0) {
        through_floats(c, l, (const float *)(const void *)l->w->data, 0, (int)l->w->rows, l->adds);
        return;
    }
    for (int from = 0; from < l->w->rows; from += DECODE_ROWS) {
        int rows = (int)l->w->rows - from < DECODE_ROWS ? (int)l->w->rows - from : DECODE_ROWS;
        Decode d = {l->w, from, c->room.decoded};
        pool_run(c->pool, (size_t)rows, decode_row, &d);
        through_floats(c, l, d.out, from, rows, l->adds || from);
    }
}

// Gradient of a matrix: dw += dy^T x, of dy [count][rows] and x [count][cols].
typedef struct {
    const float *dy, *x;
    float *dw;
    int rows, cols, count;
} Outer;
static void outer_add(CpuEngine *c, const Outer *o) {
    gemm_run(c->pool, &(Gemm){.a_turned = true,
                              .m = o->rows,
                              .n = o->cols,
                              .k = o->count,
                              .a = o->dy,
                              .b = o->x,
                              .c = o->dw,
                              .a_stride = o->rows,
                              .b_stride = o->cols,
                              .c_stride = o->cols,
                              .beta = 1});
}

// low = x A^T as the forward pass had it, dlow = dy B. Of products with so few rows OpenBLAS mostly copies:
// these are the forward pass's own, which want B turned, and stretches of the inputs as products of their own
// for the threads.
static void lows_run(CpuEngine *c, const LinearBack *l, const float *a, const float *b) {
    enum { STRETCHES = PRODUCTS_MAX / 2 };
    const int rank = c->engine.parameters->rank;
    const int64_t in = l->w->cols, out = l->w->rows;
    TrainRoom *r = &c->room;
    for (int64_t i = 0; i < out; i++)
        for (int k = 0; k < rank; k++) r->turned[k * out + i] = b[i * rank + k];
    const Weight inner = {.type = W_F32, .rows = rank, .cols = in, .data = (const uint8_t *)a};
    const Weight outer = {.type = W_F32, .rows = rank, .cols = out, .data = (const uint8_t *)r->turned};
    ProductInput x[STRETCHES], dy[STRETCHES];
    Product product[PRODUCTS_MAX];
    int products = 0, each = (l->count + STRETCHES - 1) / STRETCHES;
    for (int i = 0, at = 0; at < l->count; i++, at += each) {
        int count = l->count - at < each ? l->count - at : each;
        x[i] = (ProductInput){.x = l->x + at * in, .count = count, .cols = in, .stride = in};
        dy[i] = (ProductInput){.x = l->dy + at * out, .count = count, .cols = out, .stride = out};
        product[products++] = (Product){&inner, &x[i], r->low + at * rank, rank};
        product[products++] = (Product){&outer, &dy[i], r->dlow + at * rank, rank};
    }
    product_run(c->pool, product, products);
}

static void lora_back(CpuEngine *c, const LinearBack *l, const float *a, const float *b) {
    const Parameters *p = c->engine.parameters;
    TrainRoom *r = &c->room;
    int rank = p->rank, in = (int)l->w->cols, out = (int)l->w->rows;
    float scale = p->alpha / (float)rank;
    float *da = parameters_in(p, p->gradient, l->role, l->layer, PART_A);
    float *db = parameters_in(p, p->gradient, l->role, l->layer, PART_B);
    lows_run(c, l, a, b);
    for (size_t i = 0; i < (size_t)l->count * (size_t)rank; i++) r->low[i] *= scale, r->dlow[i] *= scale;
    outer_add(c, &(Outer){l->dy, r->low, db, out, rank, l->count});
    outer_add(c, &(Outer){r->dlow, l->x, da, rank, in, l->count});
    if (!l->dx) return;
    gemm_run(c->pool, &(Gemm){.m = l->count,
                              .n = in,
                              .k = rank,
                              .a = r->dlow,
                              .b = a,
                              .c = l->dx,
                              .a_stride = rank,
                              .b_stride = in,
                              .c_stride = in,
                              .beta = 1});
}

void linear_back(CpuEngine *c, const LinearBack *l) {
    const Parameters *p = c->engine.parameters;
    if (l->dx) through_weight(c, l);
    const float *a = parameters_in(p, p->value, l->role, l->layer, PART_A);
    if (a) lora_back(c, l, a, parameters_in(p, p->value, l->role, l->layer, PART_B));
    float *dw = parameters_in(p, p->gradient, l->role, l->layer, PART_WHOLE);
    if (dw) outer_add(c, &(Outer){l->dy, l->x, dw, (int)l->w->rows, (int)l->w->cols, l->count});
}

void bias_back(CpuEngine *c, WeightRole role, int layer, const float *dy, int count) {
    const Parameters *p = c->engine.parameters;
    const TrainTensor *t = parameters_find(p, role, layer, PART_WHOLE);
    if (!t) return;
    float *db = p->gradient + t->at;
    for (int i = 0; i < count; i++)
        for (int64_t k = 0; k < t->cols; k++) db[k] += dy[i * t->cols + k];
}

// Rows in NORM_PARTS parts, whose sums are added in order: the same bits on any number of threads.
typedef struct {
    const CpuEngine *c;
    const float *x, *dy, *w;
    float *dx, *parts; // parts NULL: the weight is not trained
    int count;
} NormWork;

static void norm_part(void *arg, size_t part, int worker) {
    const NormWork *n = arg;
    (void)worker;
    size_t hidden = (size_t)n->c->m->config.hidden;
    int from = (int)((int64_t)n->count * (int64_t)part / NORM_PARTS);
    int to = (int)((int64_t)n->count * ((int64_t)part + 1) / NORM_PARTS);
    float *dw = n->parts ? n->parts + part * hidden : NULL;
    if (dw) memset(dw, 0, hidden * sizeof *dw);
    for (int i = from; i < to; i++) {
        size_t at = (size_t)i * hidden;
        n->c->loops->norm(n->x + at, n->w, n->c->m->config.norm_eps, n->dy + at, hidden, n->dx + at, dw);
    }
}

void norm_back(CpuEngine *c, WeightRole role, int layer, const float *x, const float *dy, int count) {
    const Parameters *p = c->engine.parameters;
    const LayerWeights *l = &c->m->layer[layer];
    float *dw = parameters_in(p, p->gradient, role, layer, PART_WHOLE);
    NormWork n = {.c = c, .x = x, .dy = dy, .dx = c->room.dx, .count = count};
    n.w = role == ROLE_NORM ? c->m->norm : role == ROLE_ATTN_NORM ? l->attn_norm : l->ffn_norm;
    if (dw) n.parts = c->room.parts;
    pool_run(c->pool, NORM_PARTS, norm_part, &n);
    int hidden = c->m->config.hidden;
    for (int part = 0; dw && part < NORM_PARTS; part++)
        for (int i = 0; i < hidden; i++) dw[i] += n.parts[part * hidden + i];
}
