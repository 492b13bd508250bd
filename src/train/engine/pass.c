// The forward pass of training: the model's own layers, a piece of the batch at a time, each layer writing
// into a room that stays. So what is learned from is what is sampled from, bit for bit.
#include "model/rope.h"
#include "train/engine/room.h"
#include <stdatomic.h>

// Rows [from, from + count) of a batch, as a step of the model.
typedef struct {
    CpuEngine *c;
    Pass pass;
    ModelStep step;
    int from, count;
} Piece;

static void piece_open(Piece *p, CpuEngine *c, const TrainBatch *b, int from) {
    Model *m = c->m;
    int left = b->count - from, half = m->config.head_dim / 2;
    *p = (Piece){.c = c, .from = from, .count = left < MODEL_STEP_MAX ? left : MODEL_STEP_MAX};
    p->step = (ModelStep){
        .token = b->token + from, .seq = b->document + from, .count = p->count, .adapter = c->engine.adapter};
    p->pass =
        (Pass){.m = m, .kv = c->kv, .step = &p->step, .rows = p->count, .lora = c->engine.adapter != NULL};
    memcpy(m->place, c->room.place + from, (size_t)p->count * sizeof *m->place);
    for (int i = 0; i < p->count; i++)
        rope_angles(m->frequency, half, m->place[i].position, m->cos + i * half, m->sin + i * half);
}

static LayerRoom room_of(const Piece *p, int layer) {
    const ModelConfig *g = &p->c->m->config;
    const Kept *k = &p->c->room.layer[layer];
    size_t at = (size_t)p->from, hidden = (size_t)g->hidden, dim = (size_t)g->head_dim;
    size_t mixed = (size_t)g->heads * dim, kv = (size_t)g->kv_heads * dim, wide = (size_t)g->intermediate;
    const TrainRoom *r = &p->c->room;
    return (LayerRoom){.x = k->x1 + at * hidden,
                       .normed = r->normed + at * hidden,
                       .q = k->q + at * mixed,
                       .k = k->k + at * kv,
                       .v = k->v + at * kv,
                       .mixed = k->mixed + at * mixed,
                       .delta = r->delta,
                       .gate = k->gate + at * wide,
                       .up = k->up + at * wide,
                       .act = r->act + at * wide};
}

// x0 of the rows: the embedding, or what the layer before left, its last sum done as the layer does it.
static void enter(const Piece *p, const float *x, float *to) {
    size_t n = (size_t)p->count * (size_t)p->c->m->config.hidden;
    if (x)
        p->c->m->loops->add(x, p->c->room.delta, n, to);
    else
        for (int i = 0; i < p->count; i++)
            weight_row(p->c->m->embed, p->step.token[i], to + (size_t)i * (size_t)p->c->m->config.hidden);
}

// The layer adds `delta` of the one before to x first: x0 has it already.
static void layer_run(Piece *p, int layer) {
    size_t hidden = (size_t)p->c->m->config.hidden, n = (size_t)p->count * hidden * sizeof(float);
    LayerRoom r = room_of(p, layer);
    memcpy(r.x, p->c->room.layer[layer].x0 + (size_t)p->from * hidden, n);
    memset(r.delta, 0, n);
    layer_forward(&p->pass, layer, &r, false);
}

static bool places_reserve(CpuEngine *c, const TrainBatch *b, Err *e) {
    for (int i = 0; i < c->kv_documents; i++) kv_drop(c->kv, i);
    return kv_reserve(c->kv, b->document, b->count, c->room.place, e);
}

bool pass_forward(CpuEngine *c, const TrainBatch *b, Err *e) {
    TrainRoom *r = &c->room;
    size_t hidden = (size_t)c->m->config.hidden;
    if (c->engine.adapter && !lora_index(c->engine.adapter, c->m->checkpoint, c->m->part, e)) return false;
    if (!places_reserve(c, b, e)) return false;
    for (int from = 0; from < b->count; from += MODEL_STEP_MAX) {
        Piece p;
        piece_open(&p, c, b, from);
        size_t at = (size_t)from * hidden;
        enter(&p, NULL, r->layer[0].x0 + at);
        for (int i = 0; i < c->m->config.layers; i++) {
            layer_run(&p, i);
            bool last = i == c->m->config.layers - 1;
            enter(&p, r->layer[i].x1 + at, (last ? r->last : r->layer[i + 1].x0) + at);
        }
    }
    if (!atomic_exchange_explicit(&c->kv->beyond, false, memory_order_relaxed)) return true;
    return err_set(e, ERR_INPUT,
                   "keys or values are beyond 65504, or no numbers: training has diverged (a lower "
                   "rate, or clipping), or these have to be kept in F32 (--kv f32)");
}

void pass_again(CpuEngine *c, const TrainBatch *b, int layer) {
    for (int from = 0; from < b->count; from += MODEL_STEP_MAX) {
        Piece p;
        piece_open(&p, c, b, from);
        layer_run(&p, layer);
    }
}
