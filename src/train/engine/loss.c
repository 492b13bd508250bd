// The last norm, the head and cross entropy, some rows at a time and only where something is learned: logits
// of some rows are all that ever exists.
#include "base/numeric/fmath.h"
#include "model/sample.h"
#include "train/engine/room.h"
#include <math.h>

typedef struct {
    CpuEngine *c;
    const TrainBatch *b;
    const LossAim *aim;
    const int *row; // [rows] of the batch
    float logprob[LOSS_ROWS_MAX];
} Chunk;

static void read_row(void *arg, size_t item, int worker) {
    const Chunk *k = arg;
    (void)worker;
    const ModelConfig *g = &k->c->m->config;
    size_t hidden = (size_t)g->hidden;
    k->c->m->loops->norm(k->c->room.last + (size_t)k->row[item] * hidden, k->c->m->norm, g->norm_eps, hidden,
                         k->c->room.head_in + item * hidden);
}

// Logits of a row become the gradient of its loss.
static void cross_row(void *arg, size_t item, int worker) {
    Chunk *k = arg;
    (void)worker;
    int vocab = k->c->m->config.vocab, row = k->row[item], target = k->b->target[row];
    float *logits = k->c->room.logits + item * (size_t)vocab;
    k->logprob[item] = sample_logprob(logits, vocab, target);
    if (!k->aim->sums) return;
    float scale = k->aim->scale * k->b->weight[row], lse = logits[target] - k->logprob[item];
    k->c->loops->cross(logits, lse, scale, (size_t)vocab);
    logits[target] -= scale;
}

static void write_row(void *arg, size_t item, int worker) {
    const Chunk *k = arg;
    (void)worker;
    size_t hidden = (size_t)k->c->m->config.hidden;
    memcpy(k->c->room.dnormed + (size_t)k->row[item] * hidden, k->c->room.dhead + item * hidden,
           hidden * sizeof(float));
}

static void chunk_run(Chunk *k, int rows) {
    CpuEngine *c = k->c;
    Model *m = c->m;
    TrainRoom *r = &c->room;
    int hidden = m->config.hidden, vocab = m->config.vocab;
    pool_run(c->pool, (size_t)rows, read_row, k);
    ProductInput in = {
        .x = r->head_in, .count = rows, .cols = hidden, .stride = hidden, .rounded = m->rounded};
    product_prepare(c->pool, &in, m->head->type);
    product_run(c->pool, &(Product){m->head, &in, r->logits, vocab}, 1);
    pool_run(c->pool, (size_t)rows, cross_row, k);
    for (int i = 0; i < rows; i++) {
        if (k->aim->logprob) k->aim->logprob[k->row[i]] = k->logprob[i];
        if (!k->aim->sums) continue;
        double weight = (double)k->b->weight[k->row[i]];
        k->aim->sums->loss -= weight * (double)k->logprob[i];
        k->aim->sums->weight += fabs(weight);
    }
    if (!k->aim->sums) return;
    WeightRole role = m->config.tied ? ROLE_EMBED : ROLE_HEAD;
    linear_back(c, &(LinearBack){role, 0, m->head, r->head_in, r->logits, r->dhead, rows, false});
    pool_run(c->pool, (size_t)rows, write_row, k);
}

void loss_run(CpuEngine *c, const TrainBatch *b, const LossAim *aim) {
    TrainRoom *r = &c->room;
    size_t all = (size_t)b->count * (size_t)c->m->config.hidden;
    int learned = 0;
    for (int i = 0; i < b->count; i++)
        if (b->weight[i] != 0) r->learned[learned++] = i;
    if (aim->sums) memset(r->dnormed, 0, all * sizeof(float));
    Chunk k = {.c = c, .b = b, .aim = aim};
    for (int from = 0; from < learned; from += r->loss_rows) {
        k.row = r->learned + from;
        chunk_run(&k, learned - from < r->loss_rows ? learned - from : r->loss_rows);
    }
    if (!aim->sums) return;
    aim->sums->tokens += b->count;
    aim->sums->learned += learned;
    memset(r->dx, 0, all * sizeof(float));
    norm_back(c, ROLE_NORM, 0, r->last, r->dnormed, b->count);
}
