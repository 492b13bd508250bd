#include "measure/cell.h"

#include "base/clock.h"
#include "base/numeric/rng.h"
#include "cases/domain/domain.h"
#include "cases/modules/modules_domain.h"
#include "judge/judge.h"
#include "measure/cell_work.h"

enum { CHECKED = 2 };

struct Cells {
    Arena *a;
    const CellRequest *q;
    Cell *cell;
    int n;
};

const char *times_name(TimesStatus s) {
    static const char *const name[] = {
#define TIMES(id, doc) #id,
#include "measure/times.def"
#undef TIMES
    };
    return name[s];
}

bool cell_say(Cell *c, TimesStatus s, const char *why) {
    c->out->status = s;
    c->out->why = str_dup(c->a, str_of(why));
    return false;
}
bool cell_failed(Cell *c) { return cell_say(c, TIMES_failed, c->e.msg); }

// ---- what is to be run

// Whatever is timed was fixed before that draw.
static RepeatedMade take_draw(Cell *c) {
    if (!c->q->shared) return cell_draw(c->a, c->q->op, c->place, &c->r, &c->e);
    c->shared = cell_shared_draw(c->q->shared, c->q->op, c->place, c->q->fixed, &c->e);
    if (!c->shared) return REPEATED_FAILED;
    c->r = c->shared->r;
    return c->shared->made;
}

static void give_draw_back(Cell *c) {
    if (c->shared)
        cell_shared_give_back(c->q->shared, c->shared);
    else if (c->r.fd >= 0)
        repeated_free(&c->r);
    c->shared = NULL;
    c->r.fd = -1;
}

static bool draw(Cell *c) {
    uint64_t seed;
    RepeatedMade made = take_draw(c);
    if (made == REPEATED_MADE && !rng_entropy(&seed, sizeof seed, &c->e)) made = REPEATED_FAILED;
    if (made == REPEATED_FAILED) return cell_failed(c);
    if (made == REPEATED_UNFIT)
        return cell_say(
            c, TIMES_unfit,
            "the op has no such shape, it is too large, or a row of the answer depends on other rows");
    c->rotates = c->r.slices > c->r.block.truth[0].slices;
    c->job = (TimingJob){.seed = seed >> 1,
                         .rounds = c->q->rounds,
                         .checked = CHECKED,
                         .target_us = 500,
                         .seconds = 10,
                         .l2_times = 5};
    c->out->inputs_seed = c->r.seed;
    c->out->sets_seed = c->job.seed;
    c->job.rows = c->rotates ? c->r.slices : 0;
    c->job.outputs = c->r.spec->outputs;
    for (int k = 0; k < c->job.outputs; k++) {
        c->job.output[k] = c->r.spec->output[k].bytes;
        c->job.in_place[k] = 1 + c->q->op->output[k].init;
    }
    c->job.inputs = c->r.spec->inputs;
    c->out->bytes = timing_output_bytes(&c->job);
    for (int i = 0; i < c->job.inputs; i++) {
        const CaseTensor *t = &c->r.spec->input[i];
        bool moves = c->rotates && c->r.block.domain->slice_axis[i] == 0;
        c->job.input[i] = (TimingInput){t->at, t->bytes, moves ? t->bytes / c->r.slices : 0};
        c->out->bytes += t->bytes;
    }
    return true;
}

// What the child says of its answers: as many as the op has, as large, and in memory of their own but for
// those that are an input changed in place.
static bool answers_fit(const Cell *c) {
    const RecordedRun *run = &c->recording.run;
    if (run->outputs != c->job.outputs) return false;
    for (int k = 0; k < run->outputs; k++) {
        const RunView *v = &run->output[k];
        int64_t bytes = dtype_bytes(v->dtype);
        for (int d = 0; d < v->rank; d++) bytes *= v->shape[d];
        bool in_place = run->buffer[v->buffer].role == BUFFER_INPUT;
        if (bytes != c->job.output[k] || in_place != (c->job.in_place[k] > 0)) return false;
    }
    return true;
}

static bool record_for_replay(Referee *r, Arena *a, RecordAsk *ask, Recording *out, Err *e) {
    ask->order.replayed = true;
    return record_run(r->fork_servers, a, ask, out, e);
}

static bool record(Cell *c) {
    Referee *r = c->q->referee;
    RecordAsk ask = {.source = c->q->source, .extras = referee_extras(r)};
    if (c->q->op->form) ask.extras.model = c->q->op->model;
    int64_t size[OP_DIMS_MAX];
    memcpy(size, c->r.block.truth[0].dim, sizeof size);
    const Domain *m = c->r.block.domain;
    if (m->slices >= 0) size[m->slices] = c->r.slices;
    if (!record_order(c->q->op, size, c->place.dtype, c->q->gpu->processors, &ask.order, &c->e) ||
        !record_for_replay(r, c->a, &ask, &c->recording, &c->e))
        return cell_failed(c);
    if (!c->recording.ok) return cell_say(c, TIMES_unsupported, str_cdup(c->a, c->recording.why));
    return answers_fit(c) ||
           cell_say(c, TIMES_failed, "what was recorded returns other tensors than the op does");
}

// ---- compiling

// What the compiler made of one cell's kernels.
static void take_cubins(Cell *c, const Compiled *made) {
    int n = c->recording.run.kernels;
    c->cubin = NEWN(c->a, const Cubin *, (size_t)n + 1);
    c->ready = n == 0;
    for (int k = 0; k < n; k++) {
        // A config that the compiler refuses is passed over, as by Triton; one that a worker lost would be
        // missing.
        if (made[k].crashed || made[k].timed_out) {
            c->ready = cell_say(c, TIMES_failed,
                                arena_printf(c->a, "a compile worker was lost: %.*s", STR_ARG(made[k].why)));
            return;
        }
        if (made[k].ok) c->cubin[k] = &made[k].cubin;
        c->ready |= made[k].ok;
    }
    if (!c->ready)
        cell_say(c, TIMES_failed,
                 arena_printf(c->a, "Triton does not compile %.*s: %.*s",
                              STR_ARG(c->recording.run.kernel[0].name), STR_ARG(made[0].why)));
}

// The kernels of all cells in one go: workers are busy side by side, and what two cells share is compiled
// once.
static void compile_all(Cells *s) {
    int n = 0, at = 0;
    Err e = {0};
    double from = clock_seconds();
    for (int i = 0; i < s->n; i++) n += s->cell[i].ready ? s->cell[i].recording.run.kernels : 0;
    const RunKernel **kernel = NEWN(s->a, const RunKernel *, (size_t)n + 1);
    Compiled *made = NEWN(s->a, Compiled, (size_t)n + 1);
    for (int i = 0; i < s->n; i++)
        for (int k = 0; s->cell[i].ready && k < s->cell[i].recording.run.kernels; k++)
            kernel[at++] = &s->cell[i].recording.run.kernel[k];
    bool ok = compilers_run(s->a, s->q->compilers, kernel, n, made, &e);
    double seconds = clock_seconds() - from;
    for (int i = at = 0; i < s->n; i++) {
        Cell *c = &s->cell[i];
        if (!c->ready) continue;
        c->out->seconds_compile = seconds / s->n;
        if (ok) {
            take_cubins(c, made + at);
        } else {
            c->e = e;
            c->ready = cell_failed(c);
        }
        at += c->recording.run.kernels;
    }
}

// Of a module: what forward is called with.
static Str inputs_text(Arena *a, const Op *op) {
    Buf b = BUF(a);
    for (int i = 0; op->form && i < op->inputs; i++) {
        const OpInput *in = &op->input[i];
        if (in->role != ROLE_DATA) continue;
        buf_printf(&b, "%s%.*s: ", b.len ? ", " : "", STR_ARG(in->name));
        modules_put_shape(&b, in->dtype, in->rank, in->size);
    }
    return buf_str(&b);
}

// ---- from outside

Cells *cells_prepare(Arena *a, const CellRequest *q, const CellPlace *place, int n, CellTimes *out) {
    Cells *s = NEW(a, Cells);
    *s = (Cells){a, q, NEWN(a, Cell, (size_t)n + 1), n};
    for (int i = 0; i < n; i++) {
        Cell *c = &s->cell[i];
        out[i] = (CellTimes){.place = place[i], .inputs = inputs_text(a, q->op)};
        *c = (Cell){.a = a, .q = q, .out = &out[i], .place = place[i], .r = {.fd = -1, .block.fd = -1}};
        double from = clock_seconds();
        c->ready = draw(c) && record(c);
        out[i].seconds_prepare = clock_seconds() - from;
    }
    compile_all(s);
    return s;
}

void cells_measure(Cells *s, int i) {
    Cell *c = &s->cell[i];
    if (c->ready) cell_measure(c);
    c->ready = false;
    give_draw_back(c);
}

void cells_free(Cells *s) {
    for (int i = 0; i < s->n; i++) give_draw_back(&s->cell[i]);
}

void cell_time(Arena *a, const CellRequest *q, CellPlace place, CellTimes *out) {
    Cells *s = cells_prepare(a, q, &place, 1, out);
    cells_measure(s, 0);
}
