// The CPU's engine: forward as sampling does it, backward in float32 with OpenBLAS, AdamW.
#include "train/engine/batch_lanes.h"
#include <assert.h>
#include <math.h>
#include <sys/mman.h>

// ---- the room of a batch

typedef struct {
    uint8_t *base; // NULL: only measure
    size_t used;
} Lay;
static void *lay(Lay *l, size_t count, size_t size) {
    void *at = l->base ? l->base + l->used : NULL;
    l->used += (count * size + 63) & ~(size_t)63;
    return at;
}

static void kept_lay(Lay *l, const ModelConfig *g, size_t n, Kept *k) {
    const size_t f = sizeof(float), dim = (size_t)g->head_dim, kv = (size_t)g->kv_heads * dim;
    k->x1 = lay(l, n * (size_t)g->hidden, f);
    k->q = lay(l, n * (size_t)g->heads * dim, f);
    k->k = lay(l, n * kv, f);
    k->v = lay(l, n * kv, f);
    k->mixed = lay(l, n * (size_t)g->heads * dim, f);
    k->gate = lay(l, n * (size_t)g->intermediate, f);
    k->up = lay(l, n * (size_t)g->intermediate, f);
}

static void layers_lay(Lay *l, const CpuEngine *c, TrainRoom *r) {
    const ModelConfig *g = &c->m->config;
    Kept shared = {0};
    if (c->choice.recompute) kept_lay(l, g, r->tokens, &shared);
    for (int i = 0; i < g->layers; i++) {
        Kept k = shared;
        k.x0 = lay(l, r->tokens * (size_t)g->hidden, sizeof(float));
        if (!c->choice.recompute) kept_lay(l, g, r->tokens, &k);
        r->layer[i] = k;
    }
}

// Many rows read the head once for all of them; but logits take no more than LOSS_NUMBERS, and a unit of a
// batch, of which several are at work, has LOSS_ROWS.
static int loss_rows(const CpuEngine *c) {
    int fit = LOSS_NUMBERS / c->m->config.vocab;
    if (pool_is_host(c->pool) || fit < LOSS_ROWS) return LOSS_ROWS;
    return fit < LOSS_ROWS_MAX ? fit : LOSS_ROWS_MAX;
}

static size_t room_lay(const CpuEngine *c, TrainRoom *r) {
    const ModelConfig *g = &c->m->config;
    const size_t n = r->tokens, f = sizeof(float), hidden = (size_t)g->hidden, dim = (size_t)g->head_dim;
    size_t mixed = (size_t)g->heads * dim, kv = (size_t)g->kv_heads * dim, wide = (size_t)g->intermediate;
    size_t rank = (size_t)c->engine.parameters->rank, widest = hidden > mixed ? hidden : mixed;
    if (wide > widest) widest = wide;
    Lay l = {.base = r->memory};
    layers_lay(&l, c, r);
    r->last = lay(&l, n * hidden, f);
    r->normed = lay(&l, n * hidden, f);
    r->delta = lay(&l, MODEL_STEP_MAX * hidden, f);
    r->act = lay(&l, n * wide, f);
    r->dx = lay(&l, n * hidden, f);
    r->dnormed = lay(&l, n * hidden, f);
    r->dq = lay(&l, n * mixed, f);
    r->dmixed = lay(&l, n * mixed, f);
    r->dk = lay(&l, n * kv, f);
    r->dv = lay(&l, n * kv, f);
    r->dact = lay(&l, n * wide, f);
    r->low = lay(&l, n * rank, f);
    r->dlow = lay(&l, n * rank, f);
    r->turned = lay(&l, rank * widest, f);
    r->logits = lay(&l, (size_t)r->loss_rows * (size_t)g->vocab, f);
    r->head_in = lay(&l, (size_t)r->loss_rows * hidden, f);
    r->dhead = lay(&l, (size_t)r->loss_rows * hidden, f);
    r->parts = lay(&l, NORM_PARTS * hidden, f);
    r->decoded = lay(&l, DECODE_ROWS * widest, f);
    r->place = lay(&l, n, sizeof *r->place);
    r->first = lay(&l, n + 1, sizeof *r->first);
    r->learned = lay(&l, n, sizeof *r->learned);
    return l.used;
}

static bool room_grow(CpuEngine *c, size_t tokens, Err *e) {
    TrainRoom *r = &c->room;
    if (tokens <= r->tokens) return true;
    if (r->memory) munmap(r->memory, r->bytes);
    r->memory = NULL;
    r->tokens = tokens;
    r->loss_rows = loss_rows(c);
    r->bytes = room_lay(c, r);
    void *at = mmap(NULL, r->bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (at == MAP_FAILED) {
        r->tokens = 0;
        return err_set(e, ERR_LIMIT,
                       "activations of %zu tokens need %zu MiB; fewer tokens at a time, or computing "
                       "them again (--recompute), need less",
                       tokens, r->bytes >> 20);
    }
    madvise(at, r->bytes, MADV_HUGEPAGE);
    r->memory = at;
    room_lay(c, r);
    return true;
}

static bool kv_ready(CpuEngine *c, const TrainBatch *b, Err *e) {
    if (c->kv && b->documents <= c->kv_documents && b->count <= c->kv_positions) return true;
    kv_close(c->kv);
    c->kv = NULL;
    if (b->documents > c->kv_documents) c->kv_documents = b->documents;
    if (b->count > c->kv_positions) c->kv_positions = b->count;
    return kv_open(c->m, c->choice.kv, c->kv_documents, c->kv_positions, &c->kv, e);
}

static bool batch_sane(const CpuEngine *c, const TrainBatch *b, Err *e) {
    int document = -1, length = 0;
    const ModelConfig *g = &c->m->config;
    for (int i = 0; i < b->count; i++) {
        if (b->document[i] != document) {
            if (b->document[i] != document + 1)
                return err_set(e, ERR_INPUT, "documents of a batch are out of order");
            document++;
            length = 0;
        }
        if (++length > g->context)
            return err_set(e, ERR_LIMIT, "a document is longer than the %d positions of the model",
                           g->context);
        bool learned = b->weight[i] != 0;
        if (b->token[i] < 0 || b->token[i] >= g->vocab ||
            (learned && (b->target[i] < 0 || b->target[i] >= g->vocab)))
            return err_set(e, ERR_INPUT, "token %d is not in the model's vocabulary of %d", b->token[i],
                           g->vocab);
    }
    return document + 1 == b->documents ||
           err_set(e, ERR_INPUT, "a batch says %d documents and has %d", b->documents, document + 1);
}

void rows_of_documents(const TrainBatch *b, int *first) {
    for (int i = 0; i < b->count; i++)
        if (!i || b->document[i] != b->document[i - 1]) first[b->document[i]] = i;
    first[b->documents] = b->count;
}

bool room_ready(CpuEngine *c, const TrainBatch *b, Err *e) {
    if (!room_grow(c, (size_t)b->count, e) || !kv_ready(c, b, e)) return false;
    rows_of_documents(b, c->room.first);
    return true;
}

void room_free(CpuEngine *c) {
    if (c->room.memory) munmap(c->room.memory, c->room.bytes);
    kv_close(c->kv);
}

// ---- steps

static CpuEngine *cpu_of(Engine *engine) { return (CpuEngine *)engine; }

static void embed_back(CpuEngine *c, const TrainBatch *b) {
    const Parameters *p = c->engine.parameters;
    float *d = parameters_in(p, p->gradient, ROLE_EMBED, 0, PART_WHOLE);
    size_t hidden = (size_t)c->m->config.hidden;
    for (int i = 0; d && i < b->count; i++)
        c->m->loops->add(d + (size_t)b->token[i] * hidden, c->room.dx + (size_t)i * hidden, hidden,
                         d + (size_t)b->token[i] * hidden);
}

bool batch_run(CpuEngine *c, const TrainBatch *b, const LossAim *aim, Err *e) {
    if (!room_ready(c, b, e) || !pass_forward(c, b, e)) return false;
    loss_run(c, b, aim);
    if (!aim->sums) return true;
    for (int i = c->m->config.layers; i-- > 0;) {
        if (c->choice.recompute) pass_again(c, b, i);
        layer_backward(c, b, i);
    }
    embed_back(c, b);
    return true;
}

static bool run(CpuEngine *c, const TrainBatch *b, const LossAim *aim, Err *e) {
    if (!b->count) return true;
    if (!batch_sane(c, b, e)) return false;
    return lanes_units(c, b) > 1 ? lanes_run(c, b, aim, e) : whole_run(c, b, aim, e);
}
static bool cpu_learn(Engine *engine, const TrainBatch *b, float scale, TrainSums *sums, Err *e) {
    return run(cpu_of(engine), b, &(LossAim){.scale = scale, .sums = sums}, e);
}
static bool cpu_logprobs(Engine *engine, const TrainBatch *b, float *out, Err *e) {
    return run(cpu_of(engine), b, &(LossAim){.logprob = out}, e);
}

enum { STRETCH = 1 << 14 }; // numbers of one item
typedef struct {
    const CpuEngine *c;
    AdamLoop loop;
    const TrainTensor *t;
    double *sum; // [items] of squares
} Update;

static size_t stretch(size_t all, size_t item) {
    size_t left = all - item * STRETCH;
    return left < STRETCH ? left : STRETCH;
}
static void square_item(void *arg, size_t item, int worker) {
    const Update *u = arg;
    (void)worker;
    const Parameters *p = u->c->engine.parameters;
    u->sum[item] = u->c->loops->squares(p->gradient + item * STRETCH, stretch(p->numbers, item));
}
static void adam_item(void *arg, size_t item, int worker) {
    const Update *u = arg;
    (void)worker;
    const Parameters *p = u->c->engine.parameters;
    size_t at = u->t->at + item * STRETCH, n = stretch((size_t)(u->t->rows * u->t->cols), item);
    u->c->loops->adamw(&u->loop, p->gradient + at, p->first + at, p->second + at, p->value + at, n);
    memset(p->gradient + at, 0, n * sizeof(float));
}

static double power(double x, int64_t n) {
    double y = 1;
    for (; n; n >>= 1, x *= x)
        if (n & 1) y *= x;
    return y;
}

static bool cpu_update(Engine *engine, const TrainUpdate *u, double *norm, Err *e) {
    CpuEngine *c = cpu_of(engine);
    const Parameters *p = engine->parameters;
    Arena scratch = {0};
    size_t items = (p->numbers + STRETCH - 1) / STRETCH;
    Update w = {.c = c, .sum = NEWN(&scratch, double, items)};
    pool_run(c->pool, items, square_item, &w);
    double sum = 0;
    for (size_t i = 0; i < items; i++) sum += w.sum[i];
    arena_free(&scratch);
    *norm = sqrt(sum);
    if (!isfinite(*norm))
        return err_set(e, ERR_INPUT,
                       "step %lld: the gradient is no number: training has diverged; a lower rate, or "
                       "the last checkpoint",
                       (long long)u->step);
    // As PyTorch's clip_grad_norm_ has it.
    double scale = u->clip > 0 && u->clip / (*norm + 1e-6) < 1 ? u->clip / (*norm + 1e-6) : 1;
    for (int i = 0; i < p->count; i++) {
        const TrainTensor *t = &p->tensor[i];
        w.t = t;
        w.loop = (AdamLoop){.rate = (float)u->rate,
                            .beta1 = (float)u->beta1,
                            .beta2 = (float)u->beta2,
                            .eps = (float)u->eps,
                            .decay = t->decays ? (float)(u->rate * u->decay) : 0,
                            .scale = (float)scale,
                            .correct1 = (float)(1 - power(u->beta1, u->step)),
                            .correct2 = (float)(1 - power(u->beta2, u->step))};
        pool_run(c->pool, ((size_t)(t->rows * t->cols) + STRETCH - 1) / STRETCH, adam_item, &w);
    }
    return true;
}

static bool cpu_same(Engine *engine, Err *e) {
    (void)engine, (void)e;
    return true; // the host's memory is where it computes
}
static void cpu_close(Engine *engine) {
    lanes_free(cpu_of(engine));
    room_free(cpu_of(engine));
}

static const EngineTable table = {"cpu", cpu_learn, cpu_logprobs, cpu_update, cpu_same, cpu_same, cpu_close};

bool cpu_engine_open(Arena *a, const EngineChoice *choice, Engine **out, Err *e) {
    if (!blas_open(e)) return false;
    Parameters *p = choice->parameters;
    if (p->rank > LORA_RANK_MAX)
        return err_set(e, ERR_INPUT, "an adapter of rank %d; at most %d are built", p->rank, LORA_RANK_MAX);
    CpuEngine *c = NEW(a, CpuEngine);
    *c = (CpuEngine){.engine = {.table = &table, .parameters = p},
                     .choice = *choice,
                     .pool = choice->pool,
                     .loops = backward_loops()};
    const Checkpoint *checkpoint = parameters_checkpoint(a, p, choice->base);
    if (!model_open(a, checkpoint, choice->pool, &c->m, e)) return false;
    parameters_attach(p, c->m);
    c->engine.model = c->m;
    c->engine.adapter = parameters_adapter(a, p);
    c->room.layer = NEWN(a, Kept, (size_t)c->m->config.layers);
    *out = &c->engine;
    return true;
}
