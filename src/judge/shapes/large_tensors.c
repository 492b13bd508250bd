#include "judge/shapes/large_tensors.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/io.h"
#include "base/numeric/rng.h"
#include "cases/modules/modules_domain.h"
#include "judge/decide/decide.h"

enum {
    MEMORY = 512 << 20, // of the child, beside the tensors
    STEPS = 1 << 30,    // lanes: enough for two programs of a grid that has one for each processor
    ORDINARY_ROW = 4096,
    OTHER_SIZE = 8,
    BEYOND = 3, // slices more than are needed for 2^31 elements, or fewer
};
static const int64_t room = (int64_t)1 << 37; // of address space, for all tensors of a call
static const int64_t limit = (int64_t)1 << 31, domain_end = limit - 65536; // elements (doc/trust.md)

// Around 2^31 elements, then below it, where tensors of the candidate's own may be larger than the input: at
// END in the domain.
typedef enum { SHAPE_BEYOND, SHAPE_BELOW, SHAPE_END, SHAPE_HALF, SHAPES } LargeShape;

typedef struct {
    CaseSpec spec;
    CaseTruth truth;
    int64_t elements; // of the largest input
    CaseTensor *input;
} LargeCase;

// Lines as long as they usually are, as many slices as it takes. False when the op's domain ends before.
static bool large_case(const Domain *domain, LargeShape shape, uint64_t seed, LargeCase *c) {
    const Op *op = domain->op;
    if (domain->slices < 0) return false;
    *c = (LargeCase){
        .input = c->input,
        .spec = {.inputs = op->inputs, .input = c->input, .processors = PROCESSORS_USUAL, .steps = STEPS}};
    int64_t *dim = c->truth.dim, per_slice = 1, m, n;
    op_usual_shape(op, &m, &n);
    for (int d = 0; d < op->dims; d++) dim[d] = OTHER_SIZE;
    domain_set_length(domain, n > 0 ? n : ORDINARY_ROW, dim);
    plan_fit(op, dim);
    for (int i = 0; i < op->inputs; i++) {
        const OpInput *in = &op->input[i];
        int64_t size = 1;
        for (int d = 0; d < in->rank; d++)
            if (in->dim[d] != domain->slices) size *= domain_size(in, d, dim);
        if (domain->slice_axis[i] >= 0 && size > per_slice) per_slice = size;
    }
    int64_t most = shape == SHAPE_HALF ? limit / 2 : shape == SHAPE_END ? domain_end : limit;
    int64_t slices = (most + per_slice - 1) / per_slice;
    dim[domain->slices] = slices + (shape == SHAPE_BEYOND ? BEYOND : -BEYOND);
    plan_fit(op, dim);
    c->elements = dim[domain->slices] * per_slice;
    if (dim[domain->slices] < 1 || (shape == SHAPE_BEYOND) != (c->elements > limit)) return false;
    c->truth.dtype = DT_F16;
    c->truth.slices = dim[domain->slices];
    // Nobody looks at values: what a call gives has no room.
    c->spec.outputs = op->outputs;
    for (int k = 0; k < op->outputs; k++) c->spec.output[k].input = op->output[k].init;
    c->spec.sampled = c->elements;
    c->spec.order_seed = rng_mix(seed, 0x6769616e + (uint64_t)shape) | 1;
    for (int i = 0; i < op->inputs; i++) {
        const OpInput *in = &op->input[i];
        CaseTensor *t = &c->spec.input[i];
        *t = (CaseTensor){
            .at = TENSOR_ZEROS, .rank = in->rank, .dtype = (int32_t)(in->any_float ? DT_F16 : in->dtype)};
        for (int d = 0; d < in->rank; d++) t->shape[d] = domain_size(in, d, dim);
        t->bytes = dtype_bytes((DType)t->dtype);
        for (int d = in->rank - 1; d >= 0; d--) {
            t->stride[d] = t->bytes / dtype_bytes((DType)t->dtype);
            t->bytes *= t->shape[d];
        }
    }
    return true;
}

bool large_tensors_declared(const Op *op) {
    Arena a = {0};
    LargeCase c = {.input = NEWN(&a, CaseTensor, (size_t)op->inputs)};
    bool any = large_case(domain_make(&a, op), SHAPE_BEYOND, 0, &c);
    arena_free(&a);
    return any;
}

static bool case_file(const CaseSpec *spec, int *fd, size_t *bytes, Err *e) {
    struct {
        DrawHeader header;
        CaseSpec spec;
        CaseTensor input[WIRE_INPUTS_MAX];
    } all = {.header = {.magic = WIRE_MAGIC, .cases = 1}};
    int64_t at = sizeof all.header + sizeof all.spec;
    wire_put((uint8_t *)&all, &at, spec, &all.spec);
    *bytes = (size_t)at;
    *fd = memfd_create("ouroboros-giant", MFD_CLOEXEC | MFD_ALLOW_SEALING);
    if (*fd < 0) return err_set(e, ERR_IO, "giant shapes: memfd: %s", strerror(errno));
    return io_write_all(*fd, &all, *bytes, e) && io_seal(*fd, "giant shapes", e);
}

typedef enum { SAID_SAFE, SAID_FAILS, SAID_NOTHING, SAID_WORLD } Said; // WORLD: nobody could be asked

// Zeros everywhere may be what no caller would pass, and what other programs would have written is not there:
// only what follows from sizes counts.
static bool from_sizes(const CaseReport *r) {
    switch ((DiagKind)r->finding) {
    case DIAG_OOB:
    case DIAG_COMPILE: return true;
    case DIAG_VALUE: return str_starts(str_of(r->message), "int32 overflow");
    case DIAG_HOST: return !str_starts(str_of(r->message), "torch.OutOfMemoryError");
    default: return false;
    }
}

static Said read_reports(CaseReport *r, int n, const ChildResult *child, size_t source_len,
                         const char **why) {
    WireEnd end = wire_check(r, n, 1, source_len, why);
    if (child->end != CHILD_EXITED || child->code != 0 || child->garbage || end == WIRE_BROKEN) {
        *why = "the interpreter did not come to an end";
        return SAID_NOTHING;
    }
    if (end == WIRE_DONE) return SAID_SAFE;
    *why = r[n - 1].finding == DIAG_BUDGET ? "single programs go through too much of the data"
                                           : r[n - 1].message;
    return from_sizes(&r[n - 1]) ? SAID_FAILS : SAID_NOTHING;
}

typedef struct {
    ForkServers *fork_servers;
    Arena *a;
    const Draw *d;
    Str source;
    Extras extras;
    Verdict *v;
    Coverage *came; // of a module: what the call has come to; or NULL
} Probe;

static void note(LargeTensors *g, const char *why) { snprintf(g->why, sizeof g->why, "%s", why); }

static void note_failure(const Probe *p, const LargeCase *c, const CaseReport *r) {
    LargeTensors *g = &p->v->evidence.large;
    Span place;
    g->fails = c->elements;
    g->at = finding_place(p->source, r, &place) ? line_col(p->source, place.at) : (LineCol){0};
    note(g, r->message);
}

static void reject(const Probe *p, LargeCase *c, const CaseReport *r) {
    Decision *z = &p->v->decision;
    Draw shown = {
        .domain = p->d->domain, .op = p->d->op, .level = p->d->level, .cases = 1, .truth = &c->truth};
    z->status = finding_status((DiagKind)r->finding, &z->rule);
    z->found = true;
    z->placed = finding_place(p->source, r, &z->place);
    z->feedback = feedback_finding(p->a, &shown, p->source, r);
}

// The caller closes its inputs.
static bool job_of(const LargeRequest *q, const CaseSpec *spec, ForkJob *job, Err *e) {
    *job = (ForkJob){.source = q->source,
                     .extras = q->extras,
                     .arena_bytes = (size_t)(MEMORY + room),
                     .sparse_bytes = (size_t)room,
                     .wall_seconds = FORK_WALL_SECONDS,
                     .draw_fd = -1,
                     .max_reports = 2};
    if (case_file(spec, &job->draw_fd, &job->draw_bytes, e)) return true;
    if (job->draw_fd >= 0) close(job->draw_fd);
    return false;
}

// *last: the report of the case, or of the finding that ended it.
static Said read_probe(const Probe *p, const ChildResult *r, CaseReport *last, const char **why) {
    Said said = read_reports(r->report, r->reports, r, p->source.len, why);
    if (said == SAID_FAILS) *last = r->report[r->reports - 1];
    if (said == SAID_SAFE) *last = r->report[0];
    if (said == SAID_SAFE && p->came) coverage_read(r->report[r->reports - 1].message, p->came);
    return said;
}

static Said probe_case(const Probe *p, const LargeCase *c, CaseReport *last, char why_not[WIRE_MESSAGE_MAX]) {
    ForkJob job;
    Arena scratch = {0};
    ChildResult r = {0};
    Err e = {0};
    Said said = SAID_WORLD;
    const char *why = e.msg;
    const LargeRequest q = {p->fork_servers, p->a, p->d, p->source, p->extras};
    ForkServer *fork_server = fork_servers_take(p->fork_servers, &e);
    bool asked = fork_server && job_of(&q, &c->spec, &job, &e);
    bool ok = asked && fork_server_run(fork_server, &scratch, &job, &r, &e);
    if (ok) said = read_probe(p, &r, last, &why);
    if (said == SAID_NOTHING || said == SAID_WORLD) snprintf(why_not, WIRE_MESSAGE_MAX, "%s", why);
    if (fork_server && ok) child_result_free(fork_server, &r);
    if (fork_server) fork_servers_leave(p->fork_servers, fork_server, !ok);
    if (asked) close(job.draw_fd);
    arena_free(&scratch);
    return said;
}

// What a child has said that was asked this among others.
static Said probe_came(const Probe *p, const ChildResult *r, CaseReport *last,
                       char why_not[WIRE_MESSAGE_MAX]) {
    const char *why = "";
    Said said = read_probe(p, r, last, &why);
    if (said == SAID_NOTHING) snprintf(why_not, WIRE_MESSAGE_MAX, "%s", why);
    return said;
}

static Said probe_large(const Probe *p, LargeCase *c, const ChildResult *came) {
    CaseReport last;
    char *why = p->v->evidence.large.why;
    Said said = came ? probe_came(p, came, &last, why) : probe_case(p, c, &last, why);
    if (said == SAID_FAILS) note_failure(p, c, &last);
    // Whatever the definition says, tensors up to there are in the domain; but a program may refuse them.
    bool in_domain = c->elements <= domain_end && !report_refuses(p->source, &last);
    if (said == SAID_FAILS && (p->d->op->large || in_domain)) reject(p, c, &last);
    return said;
}

// The definition asks for what is not known.
static void leave_undecided(const Probe *p, bool world) {
    decision_set(
        &p->v->decision, world ? STATUS_referee_error : STATUS_unsupported, world ? "world" : "giant",
        arena_printf(p->a,
                     "The op has tensors of more than 2^31 elements, and it is not known whether this "
                     "program reaches them: %s.",
                     p->v->evidence.large.why));
}

bool large_tensors_ahead(const LargeRequest *q, Ahead *w, int *number, Err *e) {
    ForkJob job;
    *number = AHEAD_NONE;
    LargeCase c = {.input = NEWN(q->a, CaseTensor, (size_t)q->draw->op->inputs)};
    if (!large_case(q->draw->domain, SHAPE_BEYOND, q->draw->seed, &c)) return true;
    if (!job_of(q, &c.spec, &job, e)) return false;
    *number = ahead_add(w, &job, true);
    return true;
}

void large_tensors_probe(const LargeRequest *q, const ChildResult *came, Verdict *v) {
    const Draw *d = q->draw;
    Probe p = {
        .fork_servers = q->fork_servers, .a = q->a, .d = d, .source = q->source, .extras = q->extras, .v = v};
    LargeTensors *g = &v->evidence.large;
    Said said = SAID_NOTHING;
    LargeCase c = {.input = NEWN(q->a, CaseTensor, (size_t)d->op->inputs)};
    for (LargeShape s = 0; s < SHAPES && large_case(d->domain, s, d->seed, &c); s++) {
        g->asked = true;
        said = probe_large(&p, &c, s == SHAPE_BEYOND ? came : NULL);
        if (said == SAID_SAFE) g->safe = c.elements;
        if (said != SAID_FAILS || !verdict_accepted(v)) break;
    }
    if (g->asked && d->op->large && verdict_accepted(v) && g->safe <= limit)
        leave_undecided(&p, said == SAID_WORLD);
}

// ---- a module at its published sizes

static void case_of(const Op *op, uint64_t seed, LargeCase *c) {
    c->spec = (CaseSpec){.inputs = op->inputs,
                         .input = c->input,
                         .processors = PROCESSORS_USUAL,
                         .steps = STEPS,
                         .outputs = op->outputs,
                         .order_seed = rng_mix(seed, 0x7075626c) | 1};
    c->truth.dtype = DT_F32;
    for (int k = 0; k < op->outputs; k++) c->spec.output[k].input = -1;
    c->elements = 1;
    for (int i = 0; i < op->inputs; i++) {
        const OpInput *in = &op->input[i];
        CaseTensor *t = &c->spec.input[i];
        *t = (CaseTensor){.at = TENSOR_ZEROS, .rank = in->rank, .dtype = (int32_t)in->dtype};
        int64_t elements = 1;
        for (int k = in->rank - 1; k >= 0; k--) {
            t->shape[k] = in->size[k];
            t->stride[k] = elements;
            elements *= in->size[k];
        }
        t->bytes = elements * dtype_bytes(in->dtype);
        if (elements > c->elements) c->elements = elements;
    }
    c->spec.sampled = c->elements;
}

// As of production shapes: the programs together cannot fill the answer, if each stores as much as the
// busiest of those that were tried.
static bool leaves_some(const Probe *p, LargeCase *c, const CaseReport *r) {
    int64_t bytes = 0;
    c->truth.expected = modules_outputs(p->a, p->d->domain);
    for (const Bound *b = c->truth.expected; b; b = b->also) bytes += b->numel * dtype_bytes(b->dtype);
    if (r->kind != REPORT_RAN || r->atomic_launches > 0 || r->stores >= bytes) return false;
    const Draw shown = {
        .domain = p->d->domain, .op = p->d->op, .level = p->d->level, .cases = 1, .truth = &c->truth};
    decision_set(&p->v->decision, STATUS_uncovered_output, "published", feedback_too_few(p->a, &shown, r));
    return true;
}

static void leave_unreached(const Probe *p, uint32_t number) {
    Verdict *v = p->v;
    PublishedSizes *said = &v->evidence.published;
    Unreached u = {0};
    Arena scratch = {0};
    DiagList d = DIAGS(&scratch);
    const Node *module = host_tree(&scratch, p->source, &p->extras, &d);
    u.bit[number / 8] |= (uint8_t)(1 << number % 8);
    if (module) unreached_place(&scratch, module, number, &u.place[0]);
    u.places = u.place[0].len > 0;
    arena_free(&scratch);
    said->said = PUBLISHED_UNKNOWN;
    snprintf(said->why, sizeof said->why, "a condition of a kernel comes out there as it did in no case");
    decision_set(&v->decision, STATUS_unreached, "published", feedback_unreached(p->a, p->source, &u));
    v->decision.found = true;
    v->decision.placed = u.places > 0 && u.place[0].at < p->source.len;
    if (v->decision.placed) v->decision.place = (Span){u.place[0].at, u.place[0].len};
}

void published_sizes_probe(ForkServers *fork_servers, Arena *a, const Draw *d, Str source, Extras extras,
                           Verdict *v) {
    const Domain *domain = modules_of(d->op)->published;
    if (!domain) return;
    extras.model = domain->op->model;
    const Draw there = {.domain = domain, .op = domain->op, .level = d->level, .seed = d->seed};
    Coverage *came = NEW(a, Coverage);
    uint32_t number;
    const Probe p = {.fork_servers = fork_servers,
                     .a = a,
                     .d = &there,
                     .source = source,
                     .extras = extras,
                     .v = v,
                     .came = came};
    LargeCase c = {.input = NEWN(a, CaseTensor, (size_t)domain->op->inputs)};
    CaseReport last;
    PublishedSizes *said = &v->evidence.published;
    case_of(domain->op, d->seed, &c);
    switch (probe_case(&p, &c, &last, said->why)) {
    case SAID_SAFE:
        said->said = leaves_some(&p, &c, &last) ? PUBLISHED_WRONG : PUBLISHED_RIGHT;
        // A comparison that came out there as it has in no case: values that hang on it were never looked at.
        if (said->said == PUBLISHED_RIGHT && came->told && v->evidence.coverage.told &&
            unreached_anew(&v->evidence.coverage.unreached, &came->unreached, &number))
            leave_unreached(&p, number);
        return;
    case SAID_FAILS:
        said->said = PUBLISHED_WRONG;
        reject(&p, &c, &last);
        return;
    case SAID_NOTHING:
    case SAID_WORLD: break;
    }
    said->said = PUBLISHED_UNKNOWN;
    if (d->op->large)
        decision_set(&v->decision, STATUS_unsupported, "published",
                     arena_printf(a,
                                  "It is right at small sizes; whether its addresses are at the published "
                                  "ones could not be found out: %s.",
                                  said->why));
}
