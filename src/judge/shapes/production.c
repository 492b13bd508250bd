#include "judge/shapes/production.h"

#include <pthread.h>
#include <signal.h>
#include <stdlib.h>

#include "base/clock.h"
#include "base/numeric/rng.h"
#include "cases/domain/domain.h"
#include "cases/repeated.h"
#include "judge/decide/decide.h"

enum {
    USUAL_ELEMENTS = 1 << 21, // of a row's share of the usual shape: as many rows as that takes
    ORDINARY_ROW = 4096,
    TALL_LEAST = 70001,
    TALL_MOST = 71499,
    TALL_COLUMNS = 31,
    VAST_COLUMNS = 8193,
    WIDE_LEAST = 131073,
    WIDE_MOST = 140000,
    WIDE_ROWS = EXTREME_LINES + 2, // the greatest and the least value of one each lie beyond WIDE_EXTREMES
    WIDE_EXTREMES = 131072,
    FEW_PROCESSORS = 16,
};
static const int64_t memory = (int64_t)1 << 30; // of the child; only what it touches is ever there
static const int64_t steps = (int64_t)3
                             << 30;           // lanes of a shape: some 40,000 for each of the tall one's rows
static const int64_t room = (int64_t)1 << 37; // of address space, for tensors that are not there

typedef enum { SHAPE_USUAL, SHAPE_WIDE, SHAPE_TALL, SHAPE_VAST, SHAPES } ProductionShape;
_Static_assert((int)SHAPES <= (int)PRODUCTION_SHAPES_MAX, "the verdict has room for each");

struct ProductionShapes {
    pthread_mutex_t lock;
    Arena arena;
    bool asked[SHAPES];
    RepeatedMade made[SHAPES];
    Repeated shape[SHAPES];
};

ProductionShapes *production_open(void) {
    ProductionShapes *s = calloc(1, sizeof *s);
    if (!s) abort();
    pthread_mutex_init(&s->lock, NULL);
    return s;
}

void production_close(ProductionShapes *s) {
    if (!s) return;
    for (int i = 0; i < SHAPES; i++)
        if (s->asked[i] && s->made[i] == REPEATED_MADE) repeated_free(&s->shape[i]);
    pthread_mutex_destroy(&s->lock);
    arena_free(&s->arena);
    free(s);
}

static bool is_prime(int64_t n) {
    for (int64_t k = 2; k * k <= n; k++)
        if (n % k == 0) return false;
    return n > 1;
}

int64_t production_prime(Rng *r, int64_t least, int64_t most) {
    int64_t n = rng_between(r, least, most);
    while (!is_prime(n)) n++;
    return n;
}

static RepeatedRequest request_of(const Draw *d, ProductionShape shape) {
    static const DType types[] = {DT_F16, DT_BF16, DT_F32};
    const Op *op = d->op;
    uint64_t seed = rng_mix(d->seed, 0x70726f64 + (uint64_t)shape);
    Rng r = rng_at(seed, 0);
    int turn = (int)(d->seed >> 5 & 1);
    RepeatedRequest q = {.op = op, .domain = d->domain, .seed = seed, .steps = steps, .block_only = true};
    int64_t m, n;
    switch (shape) {
    case SHAPE_TALL:
    case SHAPE_VAST:
        q.windows = shape == SHAPE_VAST;
        q.dtype = types[q.windows ? 1 - turn : turn];
        q.slices = production_prime(&r, TALL_LEAST, TALL_MOST);
        q.length = q.windows ? VAST_COLUMNS : TALL_COLUMNS;
        // Rows beyond what a number of them for each processor comes to are left out on small GPUs first.
        if (!q.windows) q.processors = FEW_PROCESSORS;
        break;
    case SHAPE_WIDE:
        q.dtype = types[2 - turn];
        q.slices = WIDE_ROWS;
        q.extremes = WIDE_EXTREMES;
        q.length = production_prime(&r, WIDE_LEAST, WIDE_MOST);
        break;
    default:
        op_usual_shape(op, &m, &n);
        q.dtype = turn ? DT_F32 : DT_BF16;
        q.length = n > 0 ? n : ORDINARY_ROW;
        q.slices = USUAL_ELEMENTS / q.length + 1;
        if (m > 0 && m < q.slices) q.slices = m;
    }
    if (!domain_any_float(d->domain)) q.dtype = DT_F32; // what a draw of such an op has
    if (d->domain->slices < 0) q.slices = 1;
    return q;
}

// NULL where the domain has no such shape, or with an error.
static const Repeated *shape_of(ProductionShapes *s, const Draw *d, ProductionShape shape, Err *e) {
    pthread_mutex_lock(&s->lock);
    if (!s->asked[shape]) {
        RepeatedRequest q = request_of(d, shape);
        s->made[shape] = repeated_make(&s->arena, &q, &s->shape[shape], e);
        s->asked[shape] = s->made[shape] != REPEATED_FAILED;
    }
    bool made = s->asked[shape] && s->made[shape] == REPEATED_MADE;
    pthread_mutex_unlock(&s->lock);
    return made ? &s->shape[shape] : NULL;
}

// ---- one shape of one candidate

typedef struct {
    const ProductionRequest *q;
    const Repeated *shape;
    Arena *scratch;
    Verdict *v;
    bool compared;   // values of all rows were
    CaseTruth truth; // of the shape, for sentences
    Draw shown;
} Judge;

typedef enum { SAID_RIGHT, SAID_WRONG, SAID_REFUSED, SAID_NOTHING } Said;

static Said wrong(Judge *z, Status s, const char *rule, const char *feedback) {
    Decision *d = &z->v->decision;
    decision_set(d, s, rule, feedback);
    d->case_number = 0;
    d->element = -1;
    return SAID_WRONG;
}

// Shapes alone count: the values are the block's.
static const Bound *of_all_rows(const Judge *z, const Bound *b) {
    Bound *all = NEW(z->scratch, Bound);
    *all = *b;
    if (z->truth.slices != z->shape->slices) {
        all->numel = all->numel / z->truth.slices * z->shape->slices;
        all->shape[0] = z->shape->slices;
    }
    if (b->also) all->also = of_all_rows(z, b->also);
    return all;
}

// The shape as a case of its own: its name, and what a report is held to.
static void show(Judge *z) {
    const Draw *block = &z->shape->block;
    z->truth = block->truth[0];
    int symbol = block->domain->slices;
    if (symbol >= 0) z->truth.dim[symbol] = z->shape->slices;
    z->truth.expected = of_all_rows(z, block->truth[0].expected);
    z->shown =
        (Draw){.domain = block->domain, .op = block->op, .level = LEVEL_FULL, .cases = 1, .truth = &z->truth};
}

static Said wrong_values(Judge *z, const Comparison *worst, int64_t first_slice) {
    CaseTruth shown = *z->shape->block.truth;
    memcpy(shown.dim, z->truth.dim, sizeof shown.dim);
    shown.first_slice = first_slice;
    z->shown.truth = &shown;
    Status s = match_status(worst->worst);
    const char *text = feedback_numeric(z->q->a, &z->shown, 0, worst, "");
    z->shown.truth = &z->truth;
    return wrong(z, s, "production", text);
}

// One of whose rows there is but the block: it may have no rows at all, as a sum over them.
static Said compare_whole(Judge *z, int output, const Bound *b, const uint8_t *out) {
    Comparison c;
    compare_case(b, NULL, out, arena_raw(z->scratch, (size_t)b->numel + 1, 1), &c);
    c.output = output;
    return c.wrong ? wrong_values(z, &c, 0) : SAID_RIGHT;
}

// Every copy of the block is what the first is.
static Said compare_copies(Judge *z, int output, const Bound *b, const uint8_t *out) {
    int64_t had = z->shape->block.truth->slices, rows = z->shape->slices, copies = (rows + had - 1) / had;
    Comparison c;
    compare_case(b, NULL, out, arena_raw(z->scratch, (size_t)b->numel + 1, 1), &c);
    if (!c.wrong) return SAID_RIGHT;
    c.wrong *= copies;
    c.nans *= copies;
    c.total = b->numel / had * rows;
    c.output = output;
    return wrong_values(z, &c, 0);
}

// Copies with the bits of the first one are as right as it is; others are compared. The last one may be a
// part: what it lacks is taken from the first.
static Said compare_rows(Judge *z, int output, const Bound *b, const uint8_t *out) {
    const CaseTruth *block = z->shape->block.truth;
    int64_t n = b->numel / block->slices, rows = z->shape->slices;
    if (rows == block->slices) return compare_whole(z, output, b, out);
    size_t row = (size_t)n * (size_t)dtype_bytes(b->dtype), whole = row * (size_t)block->slices;
    uint8_t *judged = arena_raw(z->scratch, (size_t)b->numel + 1, 1), *part = NULL;
    Comparison worst = {0}, first = {0};
    int64_t at_row = 0, wrongs = 0, nans = 0;
    for (int64_t r = 0; r < rows; r += block->slices) {
        const uint8_t *at = out + (size_t)r * row;
        size_t have = (size_t)(rows - r < block->slices ? rows - r : block->slices) * row;
        if (r > 0 && first.wrong == 0 && memcmp(at, out, have) == 0) continue;
        if (have < whole) {
            part = arena_raw(z->scratch, whole + 1, 64);
            memcpy(part, out, whole);
            memcpy(part, at, have);
            at = part;
        }
        Comparison c;
        compare_case(b, NULL, at, judged, &c);
        if (r == 0) first = c;
        wrongs += c.wrong;
        nans += c.nans;
        if (c.wrong && (!worst.wrong || c.worst > worst.worst)) worst = c, at_row = r;
    }
    if (!worst.wrong) return SAID_RIGHT;
    worst.wrong = wrongs;
    worst.nans = nans;
    worst.total = n * rows;
    worst.output = output;
    return wrong_values(z, &worst, at_row);
}

// What nobody has stored in a row of an output: zeros, or the row of the input that is changed in place.
static const uint8_t *unstored_row(const Judge *z, int output, int64_t row, size_t bytes) {
    const Draw *block = &z->shape->block;
    int input = block->op->output[output].init;
    if (input < 0) return memset(arena_raw(z->scratch, bytes + 1, 64), 0, bytes);
    const CaseTensor *t = &block->spec[0].input[input]; // without gaps, where rows are repeated
    return block->mapping + t->at + row * (int64_t)bytes;
}

// Of a few programs: what they have not stored is as it was, all else has to be right. Nothing is known where
// programs work together: others of them are missing.
static Said compare_windows(Judge *z, int output, const Bound *b, const uint8_t *out) {
    const CaseTruth *block = z->shape->block.truth;
    int64_t n = b->numel / block->slices, size = dtype_bytes(b->dtype);
    uint8_t *judged = arena_raw(z->scratch, (size_t)b->numel + 1, 1),
            *right = arena_raw(z->scratch, (size_t)(b->numel * size) + 1, 64),
            *seen = arena_raw(z->scratch, (size_t)(b->numel * size) + 1, 64);
    for (int64_t i = 0; i < b->numel; i++) dtype_store(b->dtype, right + i * size, b->v[i]);
    for (int k = 0; k < WINDOWS; k++)
        for (int64_t r = 0; r < WINDOW_ROWS; r++, out += n * size) {
            int64_t row = spec_window_at(z->shape->slices, k) + r, in = row % block->slices;
            ArenaMark mark = arena_mark(z->scratch);
            const uint8_t *was = unstored_row(z, output, in, (size_t)(n * size));
            bool stored = memcmp(out, was, (size_t)(n * size)) != 0;
            if (stored) memcpy(seen, right, (size_t)(b->numel * size));
            for (int64_t i = 0; stored && i < n; i++)
                if (memcmp(out + i * size, was + i * size, (size_t)size) != 0)
                    memcpy(seen + (in * n + i) * size, out + i * size, (size_t)size);
            arena_reset(z->scratch, mark);
            if (!stored) continue;
            Comparison c;
            compare_case(b, NULL, seen, judged, &c);
            c.output = output;
            if (c.wrong) return wrong_values(z, &c, row - in);
        }
    return SAID_RIGHT;
}

// Few programs have run: all of them together cannot fill the answer if each stores as much as the busiest of
// these. Whether an atomic lets one store more than others is not known.
static bool uncovered(const Judge *z, const CaseReport *report) {
    const Bound *b = z->truth.expected;
    int64_t bytes = 0;
    for (int k = 0; b; k++, b = b->also)
        if (z->shown.op->output[k].init < 0) bytes += b->numel * dtype_bytes(b->dtype);
    return report->atomic_launches == 0 && report->stores < bytes;
}

static Said judge_form(Judge *z, const CaseReport *report) {
    const Bound *b = z->truth.expected;
    Arena *a = z->q->a;
    for (int k = 0; b; k++, b = b->also) {
        const ReportOutput *o = &report->output[k];
        if (!shape_matches(o, b))
            return wrong(z, STATUS_wrong_shape, "production", feedback_shape(a, &z->shown, report, k));
        if (o->dtype != (int32_t)b->dtype)
            return wrong(z, STATUS_wrong_dtype, "production", feedback_shape(a, &z->shown, report, k));
        if (o->unwritten > 0)
            return wrong(z, STATUS_uncovered_output, "production",
                         feedback_unwritten(a, &z->shown, report, k));
    }
    return SAID_RIGHT;
}

static Said judge_answer(Judge *z, const ChildResult *r) {
    const CaseReport *report = &r->report[0];
    const CaseSpec *spec = z->shape->spec;
    Arena *a = z->q->a;
    if (judge_form(z, report) == SAID_WRONG) return SAID_WRONG;
    if (!r->output || report->again != 0) return SAID_NOTHING;
    if (spec->windows && uncovered(z, report))
        return wrong(z, STATUS_uncovered_output, "production", feedback_too_few(a, &z->shown, report));
    if (spec->windows && (report->count.launches - report->tables != 1 || report->atomic_launches > 0))
        return SAID_RIGHT;
    const Bound *b = z->shape->block.truth[0].expected;
    for (int k = 0; b; k++, b = b->also) {
        const uint8_t *out = r->output + spec->output_at + spec->output[k].at;
        bool copies = report->output[k].repeats && spec->period > 0;
        z->compared |= !spec->windows;
        if ((spec->windows ? compare_windows
             : copies      ? compare_copies
                           : compare_rows)(z, k, b, out) == SAID_WRONG)
            return SAID_WRONG;
    }
    return SAID_RIGHT;
}

// What says more of the referee's means than of the candidate.
static bool says_nothing(const CaseReport *r) {
    switch ((DiagKind)r->finding) {
    case DIAG_BUDGET:
    case DIAG_UNSUPPORTED: return true;
    case DIAG_HOST:
        return str_starts(str_of(r->message), "torch.OutOfMemoryError") ||
               str_starts(str_of(r->message), "out of memory");
    case DIAG_COMPILE: return str_starts(str_of(r->message), "out of resource: the tiles");
    default: return false;
    }
}

// Of rows of zeros, and without what other programs would have written: only what follows from sizes counts.
static bool from_sizes(const CaseReport *r) {
    switch ((DiagKind)r->finding) {
    case DIAG_OOB:
    case DIAG_COMPILE:
    case DIAG_HOST: return true;
    case DIAG_VALUE: return str_starts(str_of(r->message), "int32 overflow");
    default: return false;
    }
}

static Said judge_finding(Judge *z, const CaseReport *r, const char **why) {
    const ProductionRequest *q = z->q;
    *why = r->message;
    if (report_refuses(q->source, r)) return SAID_REFUSED;
    if (says_nothing(r) || (z->shape->spec->windows && !from_sizes(r))) return SAID_NOTHING;
    Decision *d = &z->v->decision;
    const char *rule;
    Status s = finding_status((DiagKind)r->finding, &rule);
    d->found = true;
    d->placed = finding_place(q->source, r, &d->place);
    return wrong(z, s, "production", feedback_finding(q->a, &z->shown, q->source, r));
}

static Said read_result(Judge *z, const ChildResult *r, const char **why) {
    WireEnd end = wire_check(r->report, r->reports, 1, z->q->source.len, why);
    if (r->end == CHILD_OVERDUE || (r->end == CHILD_SIGNALLED && r->code == SIGKILL)) {
        *why = "the interpreter was stopped";
        return SAID_NOTHING;
    }
    if (r->end != CHILD_EXITED || r->code != 0)
        return wrong(z, STATUS_crash, "child",
                     feedback_child(z->q->a, "the interpreter died on this program"));
    if (end == WIRE_BROKEN || r->garbage)
        return wrong(z, STATUS_crash, "protocol",
                     feedback_child(z->q->a, *why ? *why : "the interpreter sent more than its reports"));
    if (end == WIRE_FINDING) return judge_finding(z, &r->report[r->reports - 1], why);
    return judge_answer(z, r);
}

static void note_said(Judge *z, Said said, const char *why) {
    Production *p = &z->v->evidence.production;
    ProductionNote *note = &p->note[p->notes++];
    note->said = said == SAID_RIGHT     ? PRODUCTION_RIGHT
                 : said == SAID_REFUSED ? PRODUCTION_REFUSED
                                        : PRODUCTION_UNKNOWN;
    note->few = z->shape->spec->windows != 0;
    Buf name = BUF(z->scratch);
    truth_name(&name, &z->shown, 0);
    snprintf(note->shape, sizeof note->shape, "%s", buf_cstr(&name));
    snprintf(note->why, sizeof note->why, "%s", said == SAID_RIGHT ? "" : why);
}

static void keep_coverage(const ChildResult *r, Verdict *v) {
    Coverage more = {0};
    coverage_read(r->report[r->reports - 1].message, &more);
    if (more.told) coverage_meet(&v->evidence.coverage, &more);
}

static ForkJob job_of(const ProductionRequest *q, const Repeated *shape) {
    const CaseSpec *spec = shape->spec;
    size_t sparse = (size_t)(spec->windows ? room : 0);
    return (ForkJob){.source = q->source,
                     .extras = q->extras,
                     .draw_fd = shape->fd,
                     .draw_bytes = shape->bytes,
                     .output_bytes = shape->output_bytes,
                     .arena_bytes = (size_t)memory + sparse + memory_repeated(spec->input, spec->inputs),
                     .sparse_bytes = sparse,
                     .wall_seconds = FORK_WALL_SECONDS,
                     .tune = (int)(shape->block.seed % WIRE_CASES_MAX),
                     .max_reports = 2};
}

// What came of it; `noted`: as one of the production shapes.
static Said judge_result(const ProductionRequest *q, const Repeated *shape, bool noted, const ChildResult *r,
                         Verdict *v) {
    Arena scratch = {0};
    Judge z = {.q = q, .shape = shape, .scratch = &scratch, .v = v};
    const char *why = "";
    show(&z);
    Said said = read_result(&z, r, &why);
    if (noted) note_said(&z, said, why);
    v->judged.core_production += r->cpu_seconds;
    if (said == SAID_RIGHT && z.compared) keep_coverage(r, v);
    arena_free(&scratch);
    return said;
}

static bool judge_shape(const ProductionRequest *q, const Repeated *shape, bool noted, Verdict *v, Said *said,
                        Err *e) {
    Arena scratch = {0};
    const ForkJob job = job_of(q, shape);
    ChildResult r = {0};
    ForkServer *fork_server = fork_servers_take(q->fork_servers, e);
    bool ok = fork_server && fork_server_run(fork_server, &scratch, &job, &r, e);
    if (ok) {
        *said = judge_result(q, shape, noted, &r, v);
        child_result_free(fork_server, &r);
    }
    if (fork_server) fork_servers_leave(q->fork_servers, fork_server, !ok);
    arena_free(&scratch);
    return ok;
}

// Nobody could be asked: memory, or the reference itself, has an end before.
static void note_world(Verdict *v, const RepeatedRequest *r, const Err *e) {
    Production *p = &v->evidence.production;
    ProductionNote *note = &p->note[p->notes++];
    *note = (ProductionNote){.said = PRODUCTION_UNKNOWN, .few = r->windows};
    snprintf(note->shape, sizeof note->shape, "%s %lldx%lld", dtype_info[r->dtype].torch,
             (long long)r->slices, (long long)r->length);
    snprintf(note->why, sizeof note->why, "%.*s", (int)sizeof note->why - 1, e->msg);
}

bool production_one(const ProductionRequest *q, const LargeShapeAsked *asked, Verdict *v, Err *e) {
    Arena a = {0};
    Repeated shape;
    Said said;
    RepeatedRequest r = {.op = q->draw->op,
                         .domain = q->draw->domain,
                         .seed = asked->seed,
                         .steps = steps,
                         .dtype = asked->dtype,
                         .slices = asked->slices,
                         .length = asked->length,
                         .dim = asked->length ? NULL : asked->dim,
                         .extremes = asked->extremes,
                         .block_only = true,
                         .windows = asked->windows};
    RepeatedMade made = repeated_make(&a, &r, &shape, e);
    bool ok = made == REPEATED_MADE, lacks = made == REPEATED_UNFIT && asked->length > 0;
    if (made == REPEATED_UNFIT && !lacks)
        (void)err_set(e, ERR_INPUT, "rows that depend on each other are not repeated");
    if (ok) {
        ok = judge_shape(q, &shape, asked->noted, v, &said, e);
        repeated_free(&shape);
    }
    if (!ok && asked->noted && !lacks) {
        if (r.dim) {
            r.slices = domain_slices(q->draw->domain, r.dim);
            r.length = domain_length(q->draw->domain, r.dim);
        }
        note_world(v, &r, e);
    }
    arena_free(&a);
    return ok;
}

// Symbols that count neither slices nor the elements of a line, such as heads or tokens: each of the first
// ones as large as rows are, or as it can be. Cases have a few hundred of them.
static void judge_others(const ProductionRequest *q, Verdict *v) {
    enum { MOST = 3, LINE = 7, FEW = 2, IN_CASES = 300 };
    static const DType types[] = {DT_F32, DT_F16, DT_BF16};
    const Domain *m = q->draw->domain;
    const Op *op = q->draw->op;
    Rng r = rng_at(rng_mix(q->draw->seed, 0x6f746865), 0);
    for (int d = 0, n = 0; d < op->dims && n < MOST && verdict_accepted(v); d++) {
        if (domain_counts(m, d) || op->dim[d].of >= 0) continue;
        LargeShapeAsked asked = {.seed = rng_mix(q->draw->seed, 0x6f746865 + (uint64_t)d),
                                 .dtype = domain_any_float(m) ? types[n % 3] : DT_F32};
        for (int k = 0; k < op->dims; k++) asked.dim[k] = FEW;
        domain_set_length(m, LINE, asked.dim);
        asked.dim[d] = production_prime(&r, TALL_LEAST, TALL_MOST);
        plan_fit(op, asked.dim);
        if (asked.dim[d] <= IN_CASES) continue;
        Err e = {0}; // too large together, for a definition that squares it
        (void)!production_one(q, &asked, v, &e);
        n++;
    }
}

// ---- all shapes of one candidate

void production_ahead(const ProductionRequest *q, Ahead *w, ProductionAhead *out) {
    for (ProductionShape i = 0; i < SHAPES; i++) {
        Err e = {0}; // there is time to tell it
        const Repeated *shape = shape_of(q->shapes, q->draw, i, &e);
        const ForkJob job = shape ? job_of(q, shape) : (ForkJob){0};
        out->number[i] = shape ? ahead_add(w, &job, false) : AHEAD_NONE;
    }
}

void production_judge(const ProductionRequest *q, const Ahead *w, const ProductionAhead *asked, Verdict *v) {
    bool any = false, known = false;
    double before = clock_worked();
    for (ProductionShape i = 0; i < SHAPES && verdict_accepted(v); i++) {
        Err e = {0};
        Said said = SAID_NOTHING;
        const Repeated *shape = shape_of(q->shapes, q->draw, i, &e);
        const ChildResult *came = ahead_came(w, asked->number[i]);
        if (!shape && !*e.msg) continue;
        if (came) said = judge_result(q, shape, true, came, v);
        if (!came && (!shape || !judge_shape(q, shape, true, v, &said, &e))) {
            RepeatedRequest r = request_of(q->draw, i);
            note_world(v, &r, &e);
            continue;
        }
        any = true;
        known |= said == SAID_RIGHT || said == SAID_REFUSED;
    }
    v->judged.core_production += clock_worked() - before;
    if (any && !known && verdict_accepted(v))
        decision_set(&v->decision, STATUS_unsupported, "production",
                     arena_printf(q->a,
                                  "No shape of the size that is usual for this op could be judged within the "
                                  "budget: %s. Give each program less work.",
                                  v->evidence.production.note[0].why));
    if (verdict_accepted(v)) judge_others(q, v);
}
