// One candidate: the draws that follow from what it does with sizes, and a retry where the world was in the
// way.
#include "judge/judge.h"

#include "base/clock.h"
#include "base/numeric/rng.h"
#include "cases/domain/domain.h"
#include "cases/modules/modules_domain.h"
#include "judge/decide/decide.h"
#include "judge/gaps.h"
#include "judge/judge_module.h"
#include "judge/kept_keys.h"
#include "judge/more_cases.h"
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
static bool judge_sizes(Candidates *b, size_t i, Ahead *ahead, Verdict *v, Err *e) {
    Arena a = {0};
    Evidence *had = &v->evidence;
    PlannedCase *plan;
    int tried, cases = plan_sizes(&a, b->draw, &b->q->filter, &had->coverage, &plan, &tried);
    int64_t size[COVERAGE_SIZES_MAX];
    memcpy(size, had->coverage.size, sizeof size);
    MoreCases q = {.cases = cases, .seed = b->draw->seed, .ahead = ahead, .said = MORE_UNKNOWN};
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

// Points of a search, in as many draws as they take: mostly one.
static bool judge_points(Candidates *b, size_t i, const ExplorePoints *all, bool beyond, Verdict *v, Err *e) {
    bool ok = true;
    for (int next = 0, draw = 0; ok && verdict_accepted(v) && next < all->n; draw++) {
        Arena a = {0};
        PlannedCase *plan;
        int cases = plan_points(&a, b->draw, &b->q->filter, all, &next, &plan);
        MoreCases q = {.cases = cases,
                       .seed = rng_mix(b->draw->seed, 0x6272616e + (uint64_t)(beyond + 2 * draw)),
                       .may_refuse = beyond};
        ok = judge_allowed(b, i, &q, plan, v, e);
        arena_free(&a);
    }
    return ok;
}

// Entries of tables, in as many draws as they take.
static bool judge_entries(Candidates *b, size_t i, const ExplorePoints *all, Verdict *v, Err *e) {
    bool ok = true, matters = unreached_any(&v->evidence.coverage.unreached);
    for (int next = 0, draw = 0; ok && verdict_accepted(v) && next < all->n; draw++) {
        Arena a = {0};
        PlannedCase *plan;
        int cases = plan_entries(&a, b->draw, &b->q->filter, &(EntryPoints){all, matters}, &next, &plan);
        MoreCases q = {.cases = cases, .seed = rng_mix(b->draw->seed, 0x656e7472 + (uint64_t)draw)};
        ok = judge_allowed(b, i, &q, plan, v, e);
        arena_free(&a);
    }
    return ok;
}

static BranchSearch branch_search(const Candidates *b, size_t i) {
    return (BranchSearch){b->r->fork_servers, b->draw, b->source[i], b->r->extras};
}

static LargeRequest large_request(const Candidates *b, size_t i) {
    return (LargeRequest){b->r->fork_servers, &b->arena[i], b->draw, b->source[i], b->r->extras};
}

// Conditions on several sizes, on their product or a remainder: what a search over the candidate's host code
// finds. Beyond ordinary sizes a candidate may refuse, as above.
static bool judge_branches(Candidates *b, size_t i, const ChildResult *came, Verdict *v, Err *e) {
    Arena a = {0};
    BranchPoints *found = NEW(&a, BranchPoints);
    const BranchSearch search = branch_search(b, i);
    bool ok = branches_find(&search, came, found, e);
    for (int beyond = 0; ok && beyond < 2 && verdict_accepted(v); beyond++)
        ok = judge_points(b, i, beyond ? &found->beyond : &found->ordinary, beyond, v, e);
    ok = ok && judge_entries(b, i, &found->entries, v, e);
    // Rounded references have no production shapes.
    if (ok && b->production && verdict_accepted(v)) {
        ProductionRequest q = production_request(b, i);
        large_points_judge(&q, b->q->filter.dtype, &found->many, v);
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

// What is left when all cases of a draw are right.
typedef struct {
    Ahead ahead;
    int branches, large;
    ProductionAhead shapes;
} Beyond;

static bool beyond_ask(Candidates *b, size_t i, Beyond *z, Err *e) {
    const BranchSearch search = branch_search(b, i);
    const LargeRequest large = large_request(b, i);
    const ProductionRequest production = production_request(b, i);
    z->ahead.fork_servers = b->r->fork_servers;
    if (!branches_ahead(&search, &z->ahead, &z->branches, e)) return false;
    if (b->production) production_ahead(&production, &z->ahead, &z->shapes);
    return large_tensors_ahead(&large, &z->ahead, &z->large, e);
}

static bool beyond_judge(Candidates *b, size_t i, const Beyond *z, Verdict *v, Err *e) {
    const Ahead *w = &z->ahead;
    const ProductionRequest production = production_request(b, i);
    const LargeRequest large = large_request(b, i);
    if (!judge_branches(b, i, ahead_came(w, z->branches), v, e)) return false;
    if (verdict_accepted(v) && !judge_every_size(b, i, v, e)) return false;
    if (verdict_accepted(v) && b->production) production_judge(&production, w, &z->shapes, v);
    if (verdict_accepted(v) && b->production) own_sizes_judge(&production, v);
    if (verdict_accepted(v)) large_tensors_probe(&large, ahead_came(w, z->large), v);
    return true;
}

static bool judge_sizes_and_beyond(Candidates *b, size_t i, Beyond *z, Verdict *v, Err *e) {
    if (!judge_sizes(b, i, &z->ahead, v, e)) return false;
    if (verdict_accepted(v) && !judge_beyond(b, i, v, e)) return false;
    if (!verdict_accepted(v)) return true;
    ahead_run(&z->ahead); // of a candidate without sizes
    return beyond_judge(b, i, z, v, e);
}

static bool judge_beyond_cases(Candidates *b, size_t i, Verdict *v, Err *e) {
    Beyond z = {.branches = AHEAD_NONE, .large = AHEAD_NONE};
    bool ok = beyond_ask(b, i, &z, e) && judge_sizes_and_beyond(b, i, &z, v, e);
    ahead_close(&z.ahead);
    return ok;
}

// Whether two long sizes have not been right together: then what stands beside one of them matters. If they
// are wrong, perhaps one of them is so already.
static bool two_tell_nothing(const Domain *m, const Verdict *v) {
    bool all = true;
    for (int k = 0; k < m->stretches; k++)
        all &= m->stretched[k].longs == 1 || v->evidence.stretched >> k & 1;
    return verdict_accepted(v) ? !all : v->evidence.wrong_longs > 1;
}

// What passed at a module's small sizes. With `few` cases of these long sizes come with less work, too; more
// of it may reach what nothing else has.
static bool judge_lengths(Candidates *b, size_t i, int configs, bool few, Verdict *v, Err *e) {
    const Unreached *left = &v->evidence.coverage.unreached;
    for (Leaner leaner = few && !unreached_any(left) ? LEANER_FIRST : LEANER_NOT;; leaner = LEANER_WAS) {
        Verdict small_ones = *v;
        if (!judge_stretched(b, i, configs, leaner, v, e)) return false;
        if (leaner == LEANER_FIRST && two_tell_nothing(b->draw->domain, v)) {
            leaner = LEANER_WAS;
            if (!judge_stretched(b, i, configs, leaner, &small_ones, e)) return false;
            if (!verdict_accepted(&small_ones))
                *v = small_ones;
            else if (verdict_accepted(v))
                keep_evidence(&v->evidence, &small_ones.evidence);
        }
        const Verdict long_ones = *v;
        if (verdict_accepted(v))
            published_sizes_probe(b->r->fork_servers, &b->arena[i], b->draw, b->source[i], b->r->extras, v);
        if (verdict_accepted(v)) judge_unreached(b, i, v);
        if (leaner != LEANER_FIRST || v->decision.status != STATUS_unreached) return true;
        *v = long_ones;
    }
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
    bool module = b->draw->op->form && !b->watched, all = false;
    bool few = module && b->draw->domain == domain_first(b->draw->op, b->q->level);
    if (few && !judge_rest(b, i, had.configs, v, &all, e)) return false;
    if (all) return true;
    if (module && !verdict_accepted(v)) return judge_aligned(b, i, v, e);
    if (module && !own_work_judge(b, i, v, e)) return false;
    if (few && !verdict_accepted(v)) return judge_all(b, i, v, e);
    bool ragged = module && (b->q->level == LEVEL_FULL || modules_of(b->draw->op)->ragged_counts);
    if (ragged && verdict_accepted(v) && !judge_ragged(b, i, v, e)) return false;
    if (b->watched || !verdict_accepted(v)) return true;
    if (b->q->level != LEVEL_FULL) return kept_keys_judge(b, i, v, e);
    if (b->draw->op->form) return judge_lengths(b, i, had.configs, few, v, e);
    if (b->q->filter.n > 0) {
        if (b->production) asked_shape_judge(&production, &b->q->filter, v);
        return true;
    }
    if (!judge_beyond_cases(b, i, v, e)) return false;
    if (verdict_accepted(v) && !kept_keys_judge(b, i, v, e)) return false;
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
