// One candidate: its child on a draw, the draws that follow from what it does with sizes, and a retry where
// the world was in the way.
#include "judge/judge.h"

#include "base/clock.h"
#include "base/numeric/rng.h"
#include "cases/domain/domain.h"
#include "cases/modules/modules_domain.h"
#include "judge/decide/decide.h"
#include "judge/gaps.h"
#include "judge/own_work.h"
#include "judge/roundings.h"
#include "judge/shapes/asked_shape.h"
#include "judge/shapes/branches.h"
#include "judge/shapes/large_points.h"
#include "judge/shapes/large_tensors.h"
#include "judge/shapes/own_sizes.h"
#include "judge/verdict/evidence.h"

enum { ATTEMPTS = 2 };

static bool worth_a_retry(const Decision *d) {
    return d->status == STATUS_referee_error && strcmp(d->rule, "judged") != 0;
}

// Room behind the outputs for what a person asks (wire.h).
static void watch_room(const Draw *d, ForkJob *job) {
    job->watch_at = (int64_t)(d->output_bytes + 64) & ~(int64_t)63;
    job->output_bytes = (size_t)job->watch_at + (size_t)d->cases * sizeof(Trace) + d->output_bytes;
}

static void watch_take(Candidates *b, const ForkJob *job, const ChildResult *r) {
    const Draw *d = b->draw;
    Arena *a = b->watched_arena;
    *b->watched = (Watched){0};
    const char *why;
    if (wire_check(r->report, r->reports, d->cases, job->source.len, &why) == WIRE_BROKEN) return;
    CaseReport *report = NEWN(a, CaseReport, (size_t)r->reports);
    memcpy(report, r->report, sizeof *report * (size_t)r->reports);
    b->watched->report = report;
    b->watched->reports = r->reports;
    if (!r->output) return;
    uint8_t *bytes = arena_raw(a, job->output_bytes, 64);
    memcpy(bytes, r->output, job->output_bytes);
    b->watched->output = bytes;
    b->watched->trace = (const Trace *)(bytes + job->watch_at);
    b->watched->flags = bytes + job->watch_at + (size_t)d->cases * sizeof(Trace);
}

// What a judgment of the same source on another draw adds.
static void keep_evidence(Evidence *e, const Evidence *more) { coverage_meet(&e->coverage, &more->coverage); }

// With what a ModelNew is called with, where the op is a module.
static Extras extras_of(const Candidates *b) {
    Extras all = b->r->extras;
    all.model = b->draw->op->model;
    return all;
}

typedef struct {
    int tune;    // which turn of the configs comes next
    int configs; // of the kernel with most of them, as the child tells it
} Passes;

// One pass over the cases of a draw.
static bool pass_on(Candidates *b, const Draw *d, size_t i, Verdict *v, Passes *had, Err *e) {
    ForkJob job = {.draw_fd = d->fd,
                   .draw_bytes = d->bytes,
                   .source = b->source[i],
                   .extras = extras_of(b),
                   .tune = had->tune,
                   .output_bytes = d->output_bytes,
                   .arena_bytes = memory_needed(d->spec, d->cases),
                   .wall_seconds = FORK_WALL_SECONDS,
                   .max_reports = d->cases + d->calls + 1,
                   .draw_key = d->key};
    if (b->watched) watch_room(d, &job);
    ChildResult r;
    Arena scratch = {0};
    double t0 = clock_seconds();
    ForkServer *fork_server = fork_servers_take(b->r->fork_servers, e);
    bool ok = fork_server && fork_server_run(fork_server, &scratch, &job, &r, e);
    double t1 = clock_seconds();
    if (ok) {
        v->decision = (Decision){.rule = "", .feedback = ""};
        v->cases = (CaseResults){0};
        v->traffic = (Traffic){0};
        v->evidence = (Evidence){0};
        v->gaps = (Gaps){0};
        v->roundings = 0;
        decide(&scratch, d, b->source[i], &r, v);
        v->decision.feedback =
            arena_strndup(&b->arena[i], v->decision.feedback, strlen(v->decision.feedback));
        v->judged.seconds_child = t1 - t0;
        v->judged.seconds_compare = clock_seconds() - t1;
        for (int k = 0; verdict_accepted(v) && k < r.reports; k++)
            if (r.report[k].configs > had->configs) had->configs = r.report[k].configs;
        v->keeps |= r.reports > 0 && r.report[r.reports - 1].keeps;
        if (b->watched && (had->tune == 0 || !verdict_accepted(v))) watch_take(b, &job, &r);
        child_result_free(fork_server, &r);
    }
    if (fork_server) fork_servers_leave(b->r->fork_servers, fork_server, !ok);
    arena_free(&scratch);
    return ok;
}

static bool pass_alone(Candidates *b, size_t i, Verdict *v, Passes *had, Err *e) {
    return pass_on(b, b->draw, i, v, had, e);
}

static bool pass_with_calls(Candidates *b, size_t i, Verdict *v, Passes *had, Err *e) {
    const Draw *d = b->draw;
    const SizedAsk ask = {.domain = d->domain, .level = d->level, .seed = d->seed, .calls_of = d};
    const SizedDraw *all = sized_draw_take(b->sized, &ask, e);
    if (!all) return false;
    bool ok = pass_on(b, &all->draw, i, v, had, e);
    sized_draw_leave(b->sized, all);
    return ok;
}

// Most programs keep nothing between calls: a draw that has left the calls out has them for the others alone,
// which begin anew, unless many of those before have kept something. The verdict is the same either way.
static bool judge_pass(Candidates *b, size_t i, Verdict *v, Passes *had, Err *e) {
    if (!b->draw->left) return pass_alone(b, i, v, had, e);
    int keepers = atomic_load(&b->keepers), first = atomic_fetch_add(&b->passes, 1);
    bool calls = v->keeps || (keepers > 0 && 2 * keepers >= first);
    if (!(calls ? pass_with_calls : pass_alone)(b, i, v, had, e)) return false;
    if (v->keeps) atomic_fetch_add(&b->keepers, 1);
    return calls || !v->keeps || !verdict_accepted(v) || pass_with_calls(b, i, v, had, e);
}

Candidates candidates_on(const Candidates *b, const Draw *d) {
    return (Candidates){.r = b->r,
                        .q = b->q,
                        .draw = d,
                        .source = b->source,
                        .out = b->out,
                        .arena = b->arena,
                        .err = b->err,
                        .sized = b->sized,
                        .watched = b->watched,
                        .watched_arena = b->watched_arena};
}

typedef enum { MORE_RIGHT, MORE_WRONG, MORE_UNKNOWN, MORE_REFUSED } More;

typedef struct {
    int64_t rows, length;
} SizesAllowed;

// The same candidate on further cases, which it cannot tell from others: an accepted verdict gains them, or
// turns. Only a rejection and an acceptance count: so few rows may leave a config or a column unjudged that
// the first draw has judged. may_refuse: neither does a candidate's word that it will not have such rows.
typedef struct {
    const Domain *domain; // at other sizes (sized_draws.h); NULL: that of the draw
    const PlannedCase *plan;
    int cases, tune;
    uint64_t seed;
    bool may_refuse;
    More said;         // what came of them
    SizesAllowed most; // with MORE_REFUSED: what cases may have that it will not refuse
} MoreCases;

// More rows than any planned case has are a candidate's business to refuse, as long as it says so; and so are
// longer ones than LONGEST_SURE. *most: what its cases may have of them instead.
static bool refuses_size(const Draw *d, const Verdict *v, SizesAllowed *most) {
    enum { BEYOND_PLAN = 16384 };
    int i = v->decision.case_number - 1;
    if (!v->decision.refuses || d->op->form || i < 0 || i >= d->cases) return false;
    if (domain_length(d->domain, d->truth[i].dim) > LONGEST_SURE) return most->length = LONGEST_SURE, true;
    if (d->domain->slices < 0) return false;
    int64_t rows = d->truth[i].dim[d->domain->slices];
    return rows > BEYOND_PLAN && (most->rows = rows - 1, true);
}

static void keep_added(Candidates *b, const MoreCases *q) {
    if (!b->added) return;
    Arena *a = b->watched_arena;
    PlannedCase *plan = NEWN(a, PlannedCase, (size_t)q->cases);
    memcpy(plan, q->plan, sizeof *plan * (size_t)q->cases);
    for (int k = 0; k < q->cases; k++) {
        size_t n = (size_t)plan[k].writtens;
        if (plan[k].written) plan[k].written = memcpy(NEWN(a, float, n), plan[k].written, n * sizeof(float));
    }
    *b->added = (AddedCases){b->added->filter, q->domain, plan, q->cases, q->seed};
}

// What a pass on such a draw says.
static bool judge_more_on(Candidates *b, size_t i, const Draw *more, MoreCases *q, Verdict *v, Err *e) {
    Verdict other = *v;
    Passes had = {.tune = q->tune};
    Candidates second = candidates_on(b, more);
    if (!judge_pass(&second, i, &other, &had, e)) return false;
    if (refuses_size(more, &other, &q->most)) {
        q->said = MORE_REFUSED;
        return true;
    }
    // A block for two long sizes is much work where only one of them is long.
    if (q->domain && other.decision.status == STATUS_timeout) return true;
    if (status_class(other.decision.status) == CLASS_REJECTED &&
        !(q->may_refuse && verdict_refuses(&other))) {
        *v = other;
        q->said = MORE_WRONG;
        keep_added(b, q);
    } else if (verdict_accepted(&other)) {
        keep_evidence(&v->evidence, &other.evidence);
        v->keeps |= other.keeps;
        v->cases.run += other.cases.run;
        v->cases.passed += other.cases.passed;
        if (other.cases.worst.use > v->cases.worst.use) v->cases.worst = other.cases.worst;
        v->decision.feedback = feedback_ok(&b->arena[i], b->draw, &v->cases, v->decision.warning);
        q->said = MORE_RIGHT;
    }
    return true;
}

static bool judge_more(Candidates *b, size_t i, MoreCases *q, Verdict *v, Err *e) {
    q->said = MORE_UNKNOWN;
    Arena a = {0};
    Pool *alone = pool_open(1); // candidates are judged side by side already
    Draw more;
    bool ok = draw_make(&a, alone,
                        &(DrawRequest){.op = b->draw->domain->op,
                                       .domain = b->draw->domain,
                                       .level = b->q->level,
                                       .seed = q->seed,
                                       .plan = q->plan,
                                       .cases = q->cases,
                                       .more = true,
                                       .calls_later = true},
                        &more, e);
    if (ok) {
        ok = judge_more_on(b, i, &more, q, v, e);
        draw_free(&more);
    }
    pool_close(alone);
    arena_free(&a);
    return ok;
}

static int smaller(const Domain *m, PlannedCase *plan, int cases, SizesAllowed most) {
    int kept = 0;
    for (int i = 0; i < cases; i++)
        if ((m->slices < 0 || plan[i].dim[m->slices] <= most.rows) &&
            domain_length(m, plan[i].dim) <= most.length)
            plan[kept++] = plan[i];
    return kept;
}

// Cases of `plan`, without those that the candidate will not have.
static bool judge_allowed(Candidates *b, size_t i, MoreCases *q, PlannedCase *plan, Verdict *v, Err *e) {
    bool ok = true;
    q->plan = plan;
    q->most = (SizesAllowed){INT64_MAX, INT64_MAX};
    do {
        ok = q->cases == 0 || judge_more(b, i, q, v, e);
        if (ok && q->said == MORE_REFUSED) q->cases = smaller(b->draw->domain, plan, q->cases, q->most);
    } while (ok && q->said == MORE_REFUSED && q->cases > 0);
    return ok;
}

static uint8_t tried_as(const Domain *m, const int64_t *dim, int64_t size) {
    bool slices = m->slices >= 0 && dim[m->slices] == size;
    return (uint8_t)((domain_length(m, dim) == size ? TRIED_LENGTH : 0) | (slices ? TRIED_SLICES : 0));
}

// What cases had, not what was planned: a candidate may have refused some.
static void note_tried(Evidence *e, const Draw *d, const MoreCases *ran, int64_t size) {
    uint8_t as = 0;
    for (int i = 0; i < ran->cases; i++) as |= tried_as(d->domain, ran->plan[i].dim, size);
    if (as == 0) return; // the draw's own cases had it, or nobody
    for (int i = 0; i < d->cases; i++) as |= tried_as(d->domain, d->truth[i].dim, size);
    e->tried_as[e->tries] = as;
    e->tried[e->tries++] = size;
}

// A branch for one size would never be taken if no case had it: whatever a candidate has compared sizes with
// gets cases of its own, after all others have passed, and so do the numbers that its source writes down.
static bool judge_sizes(Candidates *b, size_t i, Verdict *v, Err *e) {
    Arena a = {0};
    Evidence *had = &v->evidence;
    PlannedCase *plan;
    int tried, cases = plan_sizes(&a, b->draw, &b->q->filter, &had->coverage, &plan, &tried);
    int64_t size[COVERAGE_SIZES_MAX];
    memcpy(size, had->coverage.size, sizeof size);
    MoreCases q = {.cases = cases, .seed = b->draw->seed, .said = MORE_UNKNOWN};
    bool ok = judge_allowed(b, i, &q, plan, v, e);
    for (int k = 0; q.said == MORE_RIGHT && k < tried; k++) note_tried(had, b->draw, &q, size[k]);
    arena_free(&a);
    return ok;
}

// The same for rows longer than any that are planned. There a candidate may say that it will not; what it
// must not do is answer wrongly.
static bool judge_beyond(Candidates *b, size_t i, Verdict *v, Err *e) {
    Arena a = {0};
    Evidence *had = &v->evidence;
    PlannedCase *plan;
    BeyondTried tried;
    int cases = plan_beyond(&a, b->draw, &b->q->filter, &had->coverage, &plan, &tried);
    MoreCases q = {
        .plan = plan, .cases = cases, .seed = b->draw->seed, .may_refuse = true, .said = MORE_UNKNOWN};
    bool ok = cases == 0 || judge_more(b, i, &q, v, e);
    for (int k = 0; q.said == MORE_RIGHT && k < tried.n; k++) note_tried(had, b->draw, &q, tried.size[k]);
    arena_free(&a);
    return ok;
}

static ProductionRequest production_request(const Candidates *b, size_t i) {
    return (ProductionRequest){.fork_servers = b->r->fork_servers,
                               .shapes = b->production,
                               .a = &b->arena[i],
                               .draw = b->draw,
                               .source = b->source[i],
                               .extras = b->r->extras};
}

// Conditions on several sizes, on their product or a remainder: what a search over the candidate's host code
// finds. Beyond ordinary sizes a candidate may refuse, as above.
static bool judge_branches(Candidates *b, size_t i, Verdict *v, Err *e) {
    Arena a = {0};
    BranchPoints found = {0};
    bool ok =
        branches_find(&(BranchSearch){b->r->fork_servers, b->draw, b->source[i], b->r->extras}, &found, e);
    for (int beyond = 0; ok && beyond < 2 && verdict_accepted(v); beyond++) {
        PlannedCase *plan;
        const ExplorePoints *p = beyond ? &found.beyond : &found.ordinary;
        int cases = plan_points(&a, b->draw, &b->q->filter, p, &plan);
        MoreCases q = {.cases = cases,
                       .seed = rng_mix(b->draw->seed, 0x6272616e + (uint64_t)beyond),
                       .may_refuse = beyond};
        ok = judge_allowed(b, i, &q, plan, v, e);
    }
    // Rounded references have no production shapes.
    if (ok && b->production && verdict_accepted(v)) {
        ProductionRequest q = production_request(b, i);
        large_points_judge(&q, b->q->filter.dtype, &found.many, v);
    }
    arena_free(&a);
    return ok;
}

// A size can be told from others without a comparison, too, by its bits or its remainders: no reading of a
// source finds all of that, cases for every size do.
static bool judge_every_size(Candidates *b, size_t i, Verdict *v, Err *e) {
    const JudgeRequest *q = b->q;
    Arena a = {0};
    ArenaMark mark = arena_mark(&a);
    bool ok = true;
    MoreCases more = {.said = MORE_RIGHT};
    for (int64_t next = 1, from = 1; ok && more.said == MORE_RIGHT && next <= q->every_size; from = next) {
        PlannedCase *plan;
        uint64_t seed = rng_mix(b->draw->seed, 0x6576657279 + (uint64_t)from);
        EverySize of = {seed, &q->filter, q->every_size};
        int cases = plan_every_size(&a, b->draw->domain, &of, &next, &plan);
        if (next == from) break; // too large for a CPU
        more = (MoreCases){.plan = plan, .cases = cases, .seed = seed, .said = MORE_RIGHT};
        ok = cases == 0 || judge_more(b, i, &more, v, e);
        if (more.said == MORE_RIGHT) v->evidence.every_size = next - 1;
        if (q->size_done) q->size_done(q->progress_arg, next - 1);
        arena_reset(&a, mark);
    }
    arena_free(&a);
    return ok;
}

// Of the op as it was measured, or why there is no such number.
static void strength_take(const Candidates *b, Evidence *out) {
    const Op *op = b->draw->op;
    out->proved = mutation_score_find(op, b->q->level);
    if (out->proved) return;
    out->unproved = op->domain.published ? "the published domain"
                    : op->user           ? "this definition; `ouroboros prove` measures it"
                    : op->domain.contiguous
                        ? "contiguous inputs alone; `ouroboros prove --layout contiguous` measures it"
                        : "this op; `ouroboros prove` measures it";
}

// What passed everything else and holds a line that was reached by no case, though some call reaches it, is
// not accepted.
static void judge_unreached(const Candidates *b, size_t i, Verdict *v) {
    const Unreached *u = &v->evidence.coverage.unreached;
    if (v->evidence.coverage.told && !unreached_any(u)) return;
    if (!v->evidence.coverage.told) {
        decision_set(&v->decision, STATUS_referee_error, "coverage",
                     feedback_child(&b->arena[i], "the interpreter did not say which lines it has run"));
        return;
    }
    decision_set(&v->decision, STATUS_unreached, "reach", feedback_unreached(&b->arena[i], b->source[i], u));
    v->decision.found = true;
    v->decision.placed = u->places > 0 && u->place[0].at < b->source[i].len;
    if (v->decision.placed) v->decision.place = (Span){u->place[0].at, u->place[0].len};
}

static bool judge_sized(Candidates *b, size_t i, const Domain *of, MoreCases *q, Verdict *v, Err *e) {
    q->domain = of;
    q->said = MORE_UNKNOWN;
    const SizedAsk ask = {.domain = of, .level = b->q->level, .seed = q->seed};
    const SizedDraw *d = sized_draw_take(b->sized, &ask, e);
    if (!d) return false;
    q->cases = d->cases;
    q->plan = d->plan;
    bool ok = judge_more_on(b, i, &d->draw, q, v, e);
    sized_draw_leave(b->sized, d);
    return ok;
}

// Whether a program is made for the sizes that are not long in a case in which it failed. `q` holds what that
// case had.
static bool judge_controls(Candidates *b, size_t i, const Stretched *s, MoreCases *q, const Verdict *before,
                           Err *e) {
    for (int c = 0; c < s->longs; c++) {
        Verdict control = *before;
        if (!judge_sized(b, i, s->control[c], q, &control, e)) return false;
        if (q->said != MORE_RIGHT) break;
    }
    return true;
}

// A module's sizes near the published ones, one or two at a time. Configs take turns.
static bool judge_stretched(Candidates *b, size_t i, int configs, Verdict *v, Err *e) {
    const Domain *m = b->draw->domain;
    for (int k = 0; k < m->stretches && verdict_accepted(v); k++) {
        const Stretched *s = &m->stretched[k];
        Verdict before = *v;
        MoreCases q = {.tune = configs > 1 ? k % configs : 0,
                       .seed = rng_mix(b->draw->seed, 0x73747265 + (uint64_t)k)};
        if (!judge_sized(b, i, s->domain, &q, v, e)) return false;
        if (q.said == MORE_RIGHT) v->evidence.stretched |= 1U << k;
        if (q.said != MORE_WRONG) continue;
        if (!judge_controls(b, i, s, &q, &before, e)) return false;
        if (q.said == MORE_RIGHT) {
            v->evidence.wrong_long = k + 1;
            v->evidence.wrong_longs = s->longs;
        } else
            *v = before;
    }
    return true;
}

// A module's sizes made odd: a mask that is missing shows. What is wrong there is evidence, or a rejection.
static bool judge_ragged(Candidates *b, size_t i, Verdict *v, Err *e) {
    const ModulesDomain *m = modules_of(b->draw->op);
    if (!m->ragged) return true;
    Verdict there = *v;
    MoreCases q = {.seed = rng_mix(b->draw->seed, 0x726167676564)};
    if (!judge_sized(b, i, m->ragged, &q, &there, e)) return false;
    if (q.said == MORE_RIGHT || (q.said == MORE_WRONG && m->ragged_counts)) *v = there;
    v->evidence.raggeds = q.said == MORE_RIGHT || q.said == MORE_WRONG;
    v->evidence.ragged = q.said == MORE_WRONG ? there.decision.status : STATUS_ok;
    return true;
}

// What a block that does not divide a size comes to.
static bool may_be_unaligned(Status s) {
    return s == STATUS_oob || s == STATUS_incorrect || s == STATUS_uncovered_output || s == STATUS_race ||
           s == STATUS_nan_class || s == STATUS_uninit_read || s == STATUS_inaccurate ||
           s == STATUS_nondeterministic;
}

// Whether the source writes down a number that divides published sizes, and no longer the small ones.
static bool writes_lost_divisor(const ModulesDomain *m, Str source) {
    for (size_t i = 0; i < source.len; i++) {
        if (source.p[i] < '0' || source.p[i] > '9') continue;
        bool word = i > 0 && char_is_word(source.p[i - 1]);
        int64_t n = 0;
        for (; i < source.len && source.p[i] >= '0' && source.p[i] <= '9'; i++)
            if (n < INT32_MAX) n = 10 * n + (source.p[i] - '0');
        bool power = n >= 32 && n <= 1024 && (n & (n - 1)) == 0;
        if (!word && power && modules_lost_divisor(m, n)) return true;
    }
    return false;
}

// Whether it fails in the first case there already: an acceptance alone would count.
static bool fails_where_aligned(Candidates *b, size_t i, SizedAsk ask, const Verdict *v, bool *fails,
                                Err *e) {
    ask.most = 1;
    const SizedDraw *d = sized_draw_take(b->sized, &ask, e);
    if (!d) return false;
    Candidates first = candidates_on(b, &d->draw);
    Verdict other = *v;
    Passes had = {0};
    bool ok = judge_pass(&first, i, &other, &had, e);
    *fails = ok && status_class(other.decision.status) == CLASS_REJECTED;
    sized_draw_leave(b->sized, d);
    return ok;
}

static bool judge_where_aligned(Candidates *b, size_t i, const ModulesDomain *m, Verdict *v, Err *e) {
    const SizedAsk ask = {
        .domain = m->aligned, .level = b->q->level, .seed = rng_mix(b->draw->seed, 0x616c69676e)};
    bool fails;
    if (!fails_where_aligned(b, i, ask, v, &fails, e)) return false;
    if (fails) return true;
    const SizedDraw *d = sized_draw_take(b->sized, &ask, e);
    if (!d) return false;
    Candidates second = candidates_on(b, &d->draw);
    Verdict other = *v;
    bool ok = judge_once(&second, i, &other, e);
    if (ok && verdict_accepted(&other)) {
        other.module = m->aligned->op;
        other.evidence.unaligned = v->decision.status;
        *v = other;
    }
    sized_draw_leave(b->sized, d);
    return ok;
}

// Sizes that keep such a divisor would be too much work. Addresses can be tried at the published ones: where
// those hold, nobody knows whether the program is wrong.
static void doubt_addresses(Candidates *b, size_t i, const ModulesDomain *m, Verdict *v) {
    Verdict there = *v;
    Status s = v->decision.status;
    bool address = s == STATUS_oob || s == STATUS_race || s == STATUS_uncovered_output;
    if (!address || !m->published ||
        (m->aligned && !writes_lost_divisor(modules_of(m->aligned->op), b->source[i])))
        return;
    decision_set(&there.decision, STATUS_ok, "published", "");
    published_sizes_probe(b->r->fork_servers, &b->arena[i], b->draw, b->source[i], b->r->extras, &there);
    if (there.evidence.published.said != PUBLISHED_RIGHT || !verdict_accepted(&there)) return;
    const char *why = feedback_join(&b->arena[i], v->decision.feedback,
                                    "A block of it may divide the published sizes and no small ones: at the "
                                    "published ones addresses hold, and values are not computed here.");
    decision_set(&v->decision, STATUS_unsupported, "aligned", why);
    v->evidence = (Evidence){.unaligned = s, .published = there.evidence.published};
}

// A kernel without masks is right where its block divides the sizes, as the published ones may be divided: a
// rejection at small sizes that have lost such a divisor is judged once more where they have not.
static bool judge_aligned(Candidates *b, size_t i, Verdict *v, Err *e) {
    const ModulesDomain *m = modules_of(b->draw->op);
    if (!m || m->is_aligned || !may_be_unaligned(v->decision.status) || !writes_lost_divisor(m, b->source[i]))
        return true;
    if (m->aligned && !judge_where_aligned(b, i, m, v, e)) return false;
    if (!verdict_accepted(v)) doubt_addresses(b, i, m, v);
    return true;
}

// Which config of an autotuned kernel will run is decided elsewhere, by a clock: at level full every config
// has to be right in every case. The evidence is the first pass's, unless another one fails.
bool judge_once(Candidates *b, size_t i, Verdict *v, Err *e) {
    Passes had = {0};
    ProductionRequest production = production_request(b, i);
    if (!judge_pass(b, i, v, &had, e)) return false;
    // Of a module there are few cases: each config meets all of them at either level.
    bool every_config = b->q->level == LEVEL_FULL || b->draw->op->form;
    for (had.tune = 1; had.tune < had.configs && every_config; had.tune++) {
        Verdict other = *v;
        if (!judge_pass(b, i, &other, &had, e)) return false;
        if (verdict_accepted(&other)) {
            keep_evidence(&v->evidence, &other.evidence);
            continue;
        }
        *v = other;
        break;
    }
    if (b->draw->op->form && !b->watched && !verdict_accepted(v)) return judge_aligned(b, i, v, e);
    if (b->draw->op->form && !b->watched && verdict_accepted(v) && !own_work_judge(b, i, v, e)) return false;
    bool module = b->draw->op->form && !b->watched;
    bool ragged = module && (b->q->level == LEVEL_FULL || modules_of(b->draw->op)->ragged_counts);
    if (ragged && verdict_accepted(v) && !judge_ragged(b, i, v, e)) return false;
    if (b->q->level != LEVEL_FULL || b->watched || !verdict_accepted(v)) return true;
    if (b->draw->op->form) {
        if (!judge_stretched(b, i, had.configs, v, e)) return false;
        if (verdict_accepted(v))
            published_sizes_probe(b->r->fork_servers, &b->arena[i], b->draw, b->source[i], b->r->extras, v);
        if (verdict_accepted(v)) judge_unreached(b, i, v);
        return true;
    }
    if (b->q->filter.n > 0) {
        if (b->production) asked_shape_judge(&production, &b->q->filter, v);
        return true;
    }
    if (!judge_sizes(b, i, v, e)) return false;
    if (verdict_accepted(v) && !judge_beyond(b, i, v, e)) return false;
    if (verdict_accepted(v) && !judge_branches(b, i, v, e)) return false;
    if (verdict_accepted(v) && !judge_every_size(b, i, v, e)) return false;
    if (verdict_accepted(v) && b->production) production_judge(&production, v);
    if (verdict_accepted(v) && b->production) own_sizes_judge(&production, v);
    if (verdict_accepted(v))
        large_tensors_probe(b->r->fork_servers, &b->arena[i], b->draw, b->source[i], b->r->extras, v);
    if (verdict_accepted(v)) judge_unreached(b, i, v);
    return true;
}

bool judge_whole(Candidates *b, size_t i, Verdict *v, Err *e) {
    v->rounding = (Str){0};
    return judge_once(b, i, v, e) && (!v->roundings || !b->rounded || roundings_judge(b, i, v, e));
}

// A candidate that refuses the one length of the draw beyond LONGEST_SURE narrows its domain by that, and is
// judged on the rest. The verdict tells which case it was.
static bool judge_shorter(Candidates *b, size_t i, Verdict *v, Err *e) {
    if (b->q->level != LEVEL_FULL || b->watched || b->q->filter.n || b->q->filter.longest ||
        b->draw->op->form || !v->decision.refuses || v->decision.refused <= LONGEST_SURE)
        return true;
    ProductionNote note = {.said = PRODUCTION_REFUSED};
    Arena a = {0};
    snprintf(note.shape, sizeof note.shape, "lines of %lld", (long long)v->decision.refused);
    snprintf(note.why, sizeof note.why, "it raises for more than %d elements", LONGEST_SURE);
    Pool *alone = pool_open(1); // candidates are judged side by side already
    JudgeRequest q = *b->q;
    q.filter.longest = LONGEST_SURE;
    DrawRequest of = {.op = b->draw->op,
                      .domain = b->draw->domain,
                      .level = q.level,
                      .seed = v->judged.seed,
                      .filter = &q.filter};
    Draw d;
    bool ok = draw_make(&a, alone, &of, &d, e);
    if (ok) {
        Candidates again = candidates_on(b, &d);
        again.q = &q;
        again.rounded = d.op->roundings ? rounded_draws_open() : NULL;
        again.production = production_open();
        ok = judge_whole(&again, i, v, e);
        if (again.rounded) rounded_draws_close(again.rounded);
        production_close(again.production);
        draw_free(&d);
    }
    Production *p = &v->evidence.production;
    if (ok && verdict_accepted(v) && p->notes < PRODUCTION_SHAPES_MAX) p->note[p->notes++] = note;
    pool_close(alone);
    arena_free(&a);
    return ok;
}

void judge_candidate(void *candidates, size_t i, int worker) {
    (void)worker;
    Candidates *b = candidates;
    Verdict *v = &b->out[i];
    double t0 = clock_seconds();
    if (b->source[i].len > SOURCE_MAX) {
        decision_set(&v->decision, STATUS_parse_reject, "syntax",
                     arena_printf(&b->arena[i], "The source is larger than %d bytes.", SOURCE_MAX));
    } else {
        for (int attempt = 0; attempt < ATTEMPTS; attempt++) {
            if (!judge_whole(b, i, v, &b->err[i]) || !judge_shorter(b, i, v, &b->err[i]))
                decision_set(&v->decision, STATUS_referee_error, "world",
                             arena_printf(&b->arena[i], "The referee could not run: %s.", b->err[i].msg));
            if (!worth_a_retry(&v->decision)) break;
            b->err[i] = (Err){0};
        }
    }
    if (v->gaps.inputs && !gaps_tell(b, i, v, &b->err[i])) b->err[i] = (Err){0}; // what was decided stands
    if (verdict_accepted(v)) evidence_sizes(b->draw, &v->evidence);
    if (verdict_accepted(v) && b->q->filter.n == 0 && b->q->filter.dtype < 0 && !b->draw->op->form)
        strength_take(b, &v->evidence);
    v->judged.elapsed_ms = 1e3 * (clock_seconds() - t0);
    pthread_mutex_lock(&b->r->progress);
    b->done++;
    if (b->q->progress) b->q->progress(b->q->progress_arg, b->done);
    pthread_mutex_unlock(&b->r->progress);
}
