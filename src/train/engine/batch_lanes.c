#include "train/engine/batch_lanes.h"
#include <stdatomic.h>
#include <sys/mman.h>
#include <time.h>

enum { SEATS = 8, STRETCH = 1 << 14 }; // threads of a unit; numbers of an item

typedef struct {
    CpuEngine own;         // whose pool is a host
    Parameters parameters; // the engine's, with the gradient of the unit at work
} Lane;

struct Lanes {
    Arena arena;
    Lane *lane; // [threads of the engine's pool]; those that were needed are open
    int open;
    float *gradient[UNITS_MAX]; // mapped when first needed
};

// Whole documents in a row.
typedef struct {
    int first, end; // documents
    float *gradient;
    TrainSums sums;
    bool ok;
    Err e;
} Unit;

typedef struct {
    CpuEngine *c;
    const TrainBatch *b;
    const LossAim *aim;
    int *from;     // [documents + 1] row of a document
    int *document; // [count] as the batch's, counted from the first of a piece
    Unit unit[UNITS_MAX];
    int order[UNITS_MAX], units; // the longest first
    atomic_int next, led, done;
} Run;

int lanes_units(const CpuEngine *c, const TrainBatch *b) {
    const ModelConfig *g = &c->m->config;
    size_t each = (c->engine.parameters->numbers + (size_t)LOSS_ROWS * (size_t)g->vocab) * sizeof(float);
    size_t fit = UNITS_BYTES / (each + model_room(g)), most = fit < UNITS_MAX ? fit : UNITS_MAX;
    if (fit < UNITS_LEAST) return 1;
    int wanted = b->count / UNIT_TOKENS;
    if (wanted > b->documents) wanted = b->documents;
    return wanted < (int)most ? wanted : (int)most;
}

// ---- opening

static bool lane_open(CpuEngine *c, Lane *l, Err *e) {
    Arena *a = &c->lanes->arena;
    Pool *pool = pool_open_host(SEATS);
    *l = (Lane){.own = {.choice = c->choice, .pool = pool, .loops = c->loops}};
    if (!model_open(a, c->m->checkpoint, pool, &l->own.m, e)) {
        pool_close(pool);
        return false;
    }
    parameters_attach(c->engine.parameters, l->own.m);
    l->own.room.layer = NEWN(a, Kept, (size_t)c->m->config.layers);
    return true;
}

static bool gradient_open(Lanes *s, int unit, size_t numbers, Err *e) {
    if (s->gradient[unit]) return true;
    size_t bytes = numbers * sizeof(float);
    void *at = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (at == MAP_FAILED)
        return err_set(e, ERR_LIMIT, "no room for a gradient of %zu MiB; fewer tokens at a time (--micro)",
                       bytes >> 20);
    madvise(at, bytes, MADV_HUGEPAGE);
    s->gradient[unit] = at;
    return true;
}

static bool lanes_ready(CpuEngine *c, Run *r, Err *e) {
    int threads = pool_size(c->pool), wanted = r->units < threads ? r->units : threads;
    if (!c->lanes) {
        Arena a = {0};
        Lanes *new = NEW(&a, Lanes);
        new->lane = NEWN(&a, Lane, (size_t)threads);
        new->arena = a;
        c->lanes = new;
    }
    Lanes *s = c->lanes;
    for (; s->open < wanted; s->open++)
        if (!lane_open(c, &s->lane[s->open], e)) return false;
    for (int i = 0; i < s->open; i++) {
        Lane *l = &s->lane[i];
        l->parameters = *c->engine.parameters;
        l->own.engine =
            (Engine){.parameters = &l->parameters, .model = l->own.m, .adapter = c->engine.adapter};
    }
    for (int i = 0; r->aim->sums && i < r->units; i++) {
        if (!gradient_open(s, i, c->engine.parameters->numbers, e)) return false;
        r->unit[i].gradient = s->gradient[i];
    }
    return true;
}

void lanes_free(CpuEngine *c) {
    Lanes *s = c->lanes;
    if (!s) return;
    for (int i = 0; i < s->open; i++) {
        room_free(&s->lane[i].own);
        pool_close(s->lane[i].own.pool);
    }
    for (int i = 0; i < UNITS_MAX; i++)
        if (s->gradient[i]) munmap(s->gradient[i], c->engine.parameters->numbers * sizeof(float));
    Arena a = s->arena; // holds s itself
    arena_free(&a);
}

// ---- the cut

static int unit_tokens(const Run *r, int unit) {
    return r->from[r->unit[unit].end] - r->from[r->unit[unit].first];
}

// A document belongs to the unit in whose stretch of the batch it begins; stretches without one are no units.
static void batch_cut(Run *r, int wanted) {
    const TrainBatch *b = r->b;
    int last = -1;
    for (int d = 0; d < b->documents; d++) {
        int stretch = (int)((int64_t)r->from[d] * wanted / b->count);
        if (stretch != last) r->unit[r->units++].first = d;
        r->unit[r->units - 1].end = d + 1;
        last = stretch;
    }
    for (int u = 0; u < r->units; u++) {
        int at = u;
        for (; at && unit_tokens(r, r->order[at - 1]) < unit_tokens(r, u); at--)
            r->order[at] = r->order[at - 1];
        r->order[at] = u;
    }
}

// ---- the work

// Some documents, as a batch of their own.
static TrainBatch piece_of(const Pieces *p, int first, int end) {
    const TrainBatch *b = p->b;
    int from = p->from[first], count = p->from[end] - from;
    for (int i = from; i < from + count; i++) p->document[i] = b->document[i] - first;
    return (TrainBatch){b->token + from, p->document + from, b->target + from, b->weight + from,
                        count,           end - first};
}

bool pieces_run(CpuEngine *c, const Pieces *p, const LossAim *aim, Err *e) {
    for (int d = p->first, end; d < p->end; d = end) {
        for (end = d + 1; end < p->end && p->from[end + 1] - p->from[d] <= p->tokens;) end++;
        TrainBatch b = piece_of(p, d, end);
        LossAim own = {aim->scale, aim->sums, aim->logprob ? aim->logprob + p->from[d] : NULL};
        if (!batch_run(c, &b, &own, e)) return false;
    }
    return true;
}

bool whole_run(CpuEngine *c, const TrainBatch *b, const LossAim *aim, Err *e) {
    Arena a = {0};
    Pieces p = {.b = b, .end = b->documents, .tokens = WHOLE_TOKENS};
    p.from = NEWN(&a, int, (size_t)b->documents + 1);
    p.document = NEWN(&a, int, (size_t)b->count);
    rows_of_documents(b, p.from);
    bool ok = pieces_run(c, &p, aim, e);
    arena_free(&a);
    return ok;
}

static void unit_run(const Run *r, Lane *l, Unit *u) {
    const LossAim *aim = r->aim;
    l->parameters.gradient = u->gradient;
    if (aim->sums) memset(u->gradient, 0, l->parameters.numbers * sizeof(float));
    LossAim own = {aim->scale, aim->sums ? &u->sums : NULL, aim->logprob};
    Pieces p = {r->b, r->from, r->document, u->first, u->end, PIECE_TOKENS};
    u->ok = pieces_run(&l->own, &p, &own, &u->e);
}

static void lead(Run *r) {
    Lane *l = NULL;
    for (int i; (i = atomic_fetch_add(&r->next, 1)) < r->units; atomic_fetch_add(&r->done, 1)) {
        if (!l) {
            l = &r->c->lanes->lane[atomic_fetch_add(&r->led, 1)];
            pool_admit(l->own.pool);
        }
        unit_run(r, l, &r->unit[r->order[i]]);
    }
    if (l) pool_dismiss(l->own.pool);
}

// The lane at work that has the fewest helpers; NULL: none has a seat left.
static Pool *neediest(const Run *r) {
    Pool *found = NULL;
    int least = SEATS;
    for (int i = 0; i < r->c->lanes->open; i++) {
        Pool *p = r->c->lanes->lane[i].own.pool;
        int guests = pool_guests(p);
        if (guests < 0 || guests >= least) continue;
        found = p;
        least = guests;
    }
    return found;
}

static void help(const Run *r) {
    static const struct timespec a_while = {.tv_nsec = 100000};
    while (atomic_load(&r->done) < r->units) {
        Pool *p = neediest(r);
        if (!p || !pool_join(p)) nanosleep(&a_while, NULL);
    }
}

static void work(void *arg, size_t item, int worker) {
    (void)item, (void)worker;
    lead(arg);
    help(arg);
}

static void add_item(void *arg, size_t item, int worker) {
    const Run *r = arg;
    (void)worker;
    const Parameters *p = r->c->engine.parameters;
    size_t at = item * STRETCH, left = p->numbers - at, n = left < STRETCH ? left : STRETCH;
    for (int u = 0; u < r->units; u++)
        r->c->m->loops->add(p->gradient + at, r->unit[u].gradient + at, n, p->gradient + at);
}

static void sums_add(const Run *r, TrainSums *to) {
    for (int u = 0; u < r->units; u++) {
        const TrainSums *s = &r->unit[u].sums;
        to->loss += s->loss;
        to->weight += s->weight;
        to->tokens += s->tokens;
        to->learned += s->learned;
    }
}

static bool run(Run *r, Err *e) {
    CpuEngine *c = r->c;
    size_t numbers = c->engine.parameters->numbers;
    if (!lanes_ready(c, r, e)) return false;
    pool_run(c->pool, (size_t)pool_size(c->pool), work, r);
    for (int u = 0; u < r->units; u++)
        if (!r->unit[u].ok) {
            *e = r->unit[u].e;
            return false;
        }
    if (!r->aim->sums) return true;
    pool_run(c->pool, (numbers + STRETCH - 1) / STRETCH, add_item, r);
    sums_add(r, r->aim->sums);
    return true;
}

bool lanes_run(CpuEngine *c, const TrainBatch *b, const LossAim *aim, Err *e) {
    Arena a = {0};
    Run *r = NEW(&a, Run);
    *r = (Run){.c = c, .b = b, .aim = aim};
    r->from = NEWN(&a, int, (size_t)b->documents + 1);
    r->document = NEWN(&a, int, (size_t)b->count);
    rows_of_documents(b, r->from);
    batch_cut(r, lanes_units(c, b));
    bool ok = run(r, e);
    arena_free(&a);
    return ok;
}
