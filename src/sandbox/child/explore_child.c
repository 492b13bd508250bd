// The job of a child that explores: calls of the candidate's host code on tensors of zeros that are not
// there.

#include "host/host.h"
#include "sandbox/child/explore.h"

enum { EXIT_DONE, EXIT_WIRE = 10, EXIT_PIPE };
enum { PAGES = 1 << 10, STEPS = 1 << 22 };

typedef struct {
    const ExploreChild *c;
    const ExploreDomain *domain;
    CodeCache *cache;
    int64_t steps;
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

static bool call(void *arg, const ExplorePoint *at, int way) {
    Calls *x = arg;
    const ExploreChild *c = x->c;
    ArenaMark mark = arena_mark(c->call);
    DiagList diags = DIAGS(c->call);
    Machine *m = NEW(c->call, Machine);
    machine_init(m, c->call, &diags, STEPS);
    m->watch.cover = c->cover;
    m->gpu.processors = (int)at->processors;
    m->autotune.pruned = c->tuned;
    storage_sparse_open(&m->storages, c->job->sparse, c->sparse, PAGES);
    Tensor input[OP_INPUTS_MAX], out[HOST_OUTPUTS_MAX];
    HostOutput want[HOST_OUTPUTS_MAX];
    HostProgram *p = host_program(m, x->cache, c->module);
    for (int k = 0; k < x->domain->outputs; k++) want[k].input = x->domain->output[k];
    host_expect(p, want, x->domain->outputs);
    bool ok = true;
    for (int i = 0; ok && i < x->domain->inputs; i++) ok = input_make(x, m, i, at, way, &input[i]);
    ok = ok && host_build(p, input, x->domain->inputs) && host_call(p, input, x->domain->inputs, out);
    x->steps += STEPS - m->steps_left;
    arena_reset(c->call, mark);
    return ok;
}

int explore_child(const ExploreChild *c) {
    const ExploreDomain *d = (const ExploreDomain *)(c->job->draw + sizeof(DrawHeader));
    if (c->job->draw_bytes < sizeof(DrawHeader) + sizeof *d) return EXIT_WIRE;
    Calls calls = {.c = c, .domain = d, .cache = code_cache_new(c->code)};
    c->cover->outcomes = outcomes_new(c->code, explore_dull(c->code, c->module, c->cover->n), c->cover->n);
    ExplorePoints *points = NEW(c->code, ExplorePoints);
    explore_search(c->code, &(Explorer){d, c->cover->outcomes, c->module, call, &calls, &calls.steps},
                   points);
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
