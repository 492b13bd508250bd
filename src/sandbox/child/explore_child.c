// The job of a child that explores: calls of the candidate's host code on tensors of zeros that are not
// there.

#include <stddef.h>

#include "host/host.h"
#include "sandbox/child/explore.h"
#include "sandbox/child/keys_search.h"

enum { EXIT_DONE, EXIT_WIRE = 10, EXIT_PIPE };
enum { PAGES = 1 << 10, STEPS = 1 << 22, KEPT_MOST = 1 << 16 };

typedef struct {
    const ExploreChild *c;
    const ExploreDomain *domain;
    CodeCache *cache;
    int64_t steps;
    DiagList diags;
    // One machine and one program for all calls: clearing them, and running the module's statements, would
    // take longer than many a call. `fresh` is the machine before any statement; what a call finds when the
    // module's statements have run is in `defined`, of the machine and of the memory behind it.
    Machine *m, *fresh, *defined;
    HostProgram *program; // NULL: of no such file
    bool asked;
    ArenaCopy memory;
    ArenaMark start, behind;
    int64_t processors; // of the GPU that it was defined on
    int64_t latest;     // of the GPU of the call before, and how many calls have had that one by now
    int alike;
} Calls;

// Rows with gaps between them, or without.
static bool input_make(const Calls *x, Machine *m, int i, const ExplorePoint *p, int way, Tensor *out) {
    int rank = x->domain->input[i].rank, dtype = x->domain->input[i].dtype;
    *out = (Tensor){.dtype = dtype >= 0 ? (DType)dtype : explore_dtype(way), .rank = rank};
    int64_t stride = 1, gap = way >= EXPLORE_GAPS ? p->gap : 0;
    for (int k = rank; k-- > 0;) {
        int dim = x->domain->input[i].dim[k];
        out->shape[k] = dim >= 0 ? p->size[dim] : x->domain->input[i].size[k];
        out->stride[k] = stride;
        stride *= out->shape[k]; // below 2^48: EXPLORE_ELEMENTS, EXPLORE_GAP_MOST
        if (k == rank - 1 && rank > 1) stride += gap;
    }
    size_t bytes = (size_t)stride * (size_t)dtype_bytes(out->dtype);
    const uint8_t *zeros = storage_sparse(&m->storages, bytes);
    return zeros && storage_wrap_open(&m->storages, out->dtype, zeros, bytes, &out->storage);
}

// All but the list of storages, of which those behind its count are nobody's.
static void machine_set(Machine *m, const Machine *to) {
    size_t list = offsetof(Machine, storages.at), behind = list + sizeof m->storages.at;
    memcpy(m, to, list);
    memcpy((char *)m + behind, (const char *)to + behind, sizeof *m - behind);
}

static void machine_fresh(Calls *x) {
    const ExploreChild *c = x->c;
    Machine *m = x->fresh;
    machine_init(m, c->call, &x->diags, STEPS);
    m->watch.cover = c->cover;
    m->autotune.pruned = c->tuned;
    storage_sparse_open(&m->storages, c->job->sparse, c->sparse, PAGES);
}

static HostProgram *program_new(Calls *x, const ExplorePoint *at) {
    HostOutput want[HOST_OUTPUTS_MAX];
    machine_set(x->m, x->fresh);
    x->m->gpu.processors = (int)at->processors;
    HostProgram *p = host_program(x->m, x->cache, x->c->module);
    for (int k = 0; k < x->domain->outputs; k++) want[k].input = x->domain->output[k];
    host_expect(p, want, x->domain->outputs);
    return p;
}

// Once: the module's statements may be left out later on if they have told nothing of which a search takes
// note, and have made no tensor. False: they have raised something.
static bool program_keep(Calls *x, HostProgram *p, ArenaMark since, int64_t processors) {
    const Outcomes *o = x->c->cover->outcomes;
    uint64_t told = o ? o->told : 0;
    x->asked = true;
    if (!host_define(p)) return false;
    if ((o && o->told != told) || x->diags.count > 0 || x->m->storages.count > 0) return true;
    if (!arena_copy(x->c->call, since, KEPT_MOST, &x->memory)) return true;
    machine_set(x->defined, x->m);
    x->program = p;
    x->processors = processors;
    x->behind = arena_mark(x->c->call);
    return true;
}

// Cases begin with one GPU, and most of a search is on another: the program is defined anew where calls stay.
static void gpu_follow(Calls *x, int64_t processors) {
    enum { STAYS = 8 };
    x->alike = processors == x->latest ? x->alike + 1 : 1;
    x->latest = processors;
    if (!x->program || processors == x->processors || x->alike < STAYS) return;
    x->program = NULL;
    x->asked = false;
    arena_reset(x->c->call, x->start);
}

// The program as its module's statements leave it. NULL: they have raised something.
static HostProgram *program_fresh(Calls *x, const ExplorePoint *at, ArenaMark mark) {
    HostProgram *p = x->program;
    x->diags = DIAGS(x->c->call);
    if (p && at->processors == x->processors) {
        machine_set(x->m, x->defined);
        arena_copy_back(&x->memory);
        return p;
    }
    p = program_new(x, at);
    return x->asked || program_keep(x, p, mark, at->processors) ? p : NULL;
}

static bool inputs_make(Calls *x, const ExplorePoint *at, int way, Tensor *input) {
    bool ok = true;
    for (int i = 0; ok && i < x->domain->inputs; i++) ok = input_make(x, x->m, i, at, way, &input[i]);
    return ok;
}

static bool call(void *arg, const ExplorePoint *at, int way) {
    Calls *x = arg;
    Arena *a = x->c->call;
    gpu_follow(x, at->processors);
    ArenaMark mark = x->program ? x->behind : arena_mark(a);
    HostProgram *p = program_fresh(x, at, mark);
    Tensor input[OP_INPUTS_MAX], out[HOST_OUTPUTS_MAX];
    bool ok = p && inputs_make(x, at, way, input) && host_build(p, input, x->domain->inputs) &&
              host_call(p, input, x->domain->inputs, out);
    x->steps += STEPS - x->m->steps_left;
    arena_reset(a, x->program ? x->behind : mark);
    return ok;
}

// The answer of a call is a part of what it asks for.
static void heard(KeyNotes *k, const Tensor *out, int outputs, KeyHeard *to) {
    KeyStep s = {0};
    for (int i = 0; i < outputs; i++) keys_tensor(k, &s, &out[i]);
    keys_step(k, &s);
    keys_copy(to, &k->now);
}

static int calls_of_one(void *arg, const KeyCall *call, int n, KeyHeard *to) {
    Calls *x = arg;
    Arena *a = x->c->call;
    ArenaMark mark = x->program ? x->behind : arena_mark(a);
    HostProgram *p = program_fresh(x, &call[0].at, mark);
    Tensor input[OP_INPUTS_MAX], out[HOST_OUTPUTS_MAX];
    KeyNotes *keys = x->c->cover->keys;
    int made = 0, inputs = x->domain->inputs;
    keys_object(keys);
    for (bool ok = p != NULL; ok && made < n; made += ok) {
        if (made > 0 && host_bound(p) && !keys_of_one_object(x->domain, &call[0], &call[made])) {
            made = 0;
            break;
        }
        keys_call(keys, x->m->storages.count);
        x->m->steps_left = STEPS;
        ok = inputs_make(x, &call[made].at, call[made].way, input);
        if (made == 0) ok = ok && host_build(p, input, inputs);
        ok = ok && host_call(p, input, inputs, out);
        x->steps += STEPS - x->m->steps_left;
        if (ok) heard(keys, out, x->domain->outputs, &to[made]);
    }
    arena_reset(a, x->program ? x->behind : mark);
    return made;
}

int explore_child(const ExploreChild *c) {
    const ExploreDomain *d = (const ExploreDomain *)(c->job->draw + sizeof(DrawHeader));
    if (c->job->draw_bytes < sizeof(DrawHeader) + sizeof *d) return EXIT_WIRE;
    Calls calls = {.c = c, .domain = d, .cache = code_cache_new(c->code)};
    calls.m = NEW(c->code, Machine);
    calls.fresh = NEW(c->code, Machine);
    calls.defined = NEW(c->code, Machine);
    machine_fresh(&calls);
    calls.start = arena_mark(c->call);
    ExplorePoints *points = NEW(c->code, ExplorePoints);
    if (d->pairs > 0) {
        c->cover->keys = NEW(c->code, KeyNotes);
        keys_search(c->code, &(KeySearcher){d, c->module, calls_of_one, &calls, &calls.steps}, points);
    } else {
        c->cover->outcomes =
            outcomes_new(c->code, explore_dull(c->code, c->module, c->cover->n), c->cover->n);
        explore_search(c->code, &(Explorer){d, c->cover->outcomes, c->module, call, &calls, &calls.steps},
                       points);
    }
    for (int i = 0; i <= points->n; i++) {
        bool last = i == points->n;
        CaseReport r = {.case_index = last ? -1 : i, .kind = last ? REPORT_DONE : REPORT_RAN};
        Buf text = BUF(c->call);
        if (!last) explore_say(d, points, i, &text);
        wire_message(&r, buf_cstr(&text));
        if (!wire_send(c->job->report_fd, &r, 1)) return EXIT_PIPE;
    }
    return EXIT_DONE;
}
