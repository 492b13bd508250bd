#include "judge/kept_keys.h"

#include "base/numeric/rng.h"
#include "cases/call_pairs.h"
#include "judge/judge_pass.h"
#include "judge/shapes/branches.h"
#include "sandbox/child/keys_search.h"

// Of one draw.
enum { PAIRS_MOST = WIRE_CALLS_MAX / 6, LAYOUTS_MOST = 8, LAYOUTS = 1 << 16 };
typedef struct {
    PlannedCase plan[2 * PAIRS_MOST];
    int cases;
    CallPair pair[PAIRS_MOST];
    int pairs, before;
    int draw, failed;
} Plan;

// The number of the case with these sizes, in this way of calling.
static int case_of(Plan *p, const Draw *d, const ExplorePoints *points, int i) {
    int way = 0;
    while (!(points->ways[i] >> way & 1)) way++;
    bool gaps = way >= EXPLORE_GAPS && !d->op->domain.contiguous;
    PlannedCase *c = &p->plan[p->cases];
    *c = (PlannedCase){.dtype = explore_dtype(way),
                       .strided = gaps ? op_all_inputs(d->op) : 0,
                       .row_stride = gaps ? domain_length(d->domain, points->size[i]) + points->gap[i] : 0,
                       .processors = PROCESSORS_USUAL};
    memcpy(c->dim, points->size[i], sizeof c->dim);
    for (int k = 0; k < p->cases; k++) {
        const PlannedCase *o = &p->plan[k];
        if (o->dtype == c->dtype && o->row_stride == c->row_stride &&
            memcmp(o->dim, c->dim, sizeof c->dim) == 0)
            return k;
    }
    return p->cases++;
}

static bool is_asked(const Candidates *b, const PlannedCase *c) {
    const DrawFilter *f = &b->q->filter;
    const Domain *m = b->draw->domain;
    bool dtype = f->dtype < 0 || !domain_any_float(m) || (int)c->dtype == f->dtype;
    return dtype && (f->longest == 0 || domain_length(m, c->dim) <= f->longest);
}

// From point number *next on, as many pairs as one draw holds.
static void plan_make(const Candidates *b, const ExplorePoints *points, int *next, Plan *p) {
    int before = points->before[*next] > 1 ? points->before[*next] : 1;
    int most = WIRE_CALLS_MAX / calls_of_a_pair(before);
    if (most > PAIRS_MOST) most = PAIRS_MOST;
    *p = (Plan){.before = before};
    for (; *next + 1 < points->n && p->pairs < most && p->cases + 2 <= 2 * most; *next += 2) {
        int first = case_of(p, b->draw, points, *next), second = case_of(p, b->draw, points, *next + 1);
        if (first != second && is_asked(b, &p->plan[first]) && is_asked(b, &p->plan[second]))
            p->pair[p->pairs++] = (CallPair){first, second};
    }
}

// One shape without gaps between rows, and with gaps in one input alone, each in turn: how far the rows of
// one input lie apart says nothing of another's.
static bool plan_layouts(const Candidates *b, Arena *a, Plan *p) {
    enum { ROWS = 3, LENGTH = 61 };
    const Domain *m = b->draw->domain;
    ExploreDomain *d = NEW(a, ExploreDomain);
    int64_t size[OP_DIMS_MAX];
    *p = (Plan){.before = 1, .draw = LAYOUTS};
    explore_domain(m->op, m->slices, domain_length_symbol(m), d);
    for (int k = 0; k < OP_DIMS_MAX; k++) size[k] = k == d->slices ? ROWS : LENGTH;
    explore_fit(d, size);
    PlannedCase c = {.dtype = DT_F16, .processors = PROCESSORS_USUAL};
    if (b->q->filter.dtype >= 0) c.dtype = (DType)b->q->filter.dtype;
    memcpy(c.dim, size, sizeof c.dim);
    p->plan[p->cases++] = c;
    for (int i = 0; i < m->op->inputs && p->pairs < LAYOUTS_MOST; i++) {
        if (m->slice_axis[i] < 0 || d->input[i].rank < 2) continue;
        c.strided = 1U << i;
        c.row_stride = domain_length(m, size) + EXPLORE_GAP;
        p->pair[p->pairs++] = (CallPair){0, p->cases};
        p->plan[p->cases++] = c;
    }
    return p->pairs > 1 && !m->op->domain.contiguous && is_asked(b, &p->plan[0]);
}

// What a candidate says of one shape alone was the business of others: only what it says of two counts.
static void leave_out(Plan *p, int index) {
    Plan had = *p;
    *p = (Plan){.draw = had.draw, .before = had.before};
    for (int i = 0; i < had.pairs; i++) {
        const int of[] = {had.pair[i].first, had.pair[i].second};
        int to[2];
        if (of[0] == index || of[1] == index) continue;
        for (int k = 0; k < 2; k++) {
            to[k] = 0;
            while (to[k] < p->cases && memcmp(&p->plan[to[k]], &had.plan[of[k]], sizeof *p->plan) != 0)
                to[k]++;
            if (to[k] == p->cases) p->plan[p->cases++] = had.plan[of[k]];
        }
        p->pair[p->pairs++] = (CallPair){to[0], to[1]};
    }
}

// False where the world failed. p->failed: the case that is wrong by itself; -1: none is.
static bool judge_pairs(Candidates *b, size_t i, Plan *p, Verdict *v, Err *e) {
    Arena a = {0};
    Pool *alone = pool_open(1); // candidates are judged side by side already
    Draw draw;
    Passes had = {0};
    Verdict other = *v;
    const DrawRequest q = {.op = b->draw->domain->op,
                           .domain = b->draw->domain,
                           .level = b->q->level,
                           .seed = rng_mix(b->draw->seed, 0x70616972 + (uint64_t)p->draw),
                           .plan = p->plan,
                           .cases = p->cases,
                           .more = true,
                           .pair = p->pair,
                           .pairs = p->pairs,
                           .before = p->before};
    p->failed = -1;
    bool ok = draw_make(&a, alone, &q, &draw, e);
    if (ok) {
        Candidates second = candidates_on(b, &draw);
        ok = judge_pass(&second, i, &other, &had, e);
        draw_free(&draw);
    }
    if (ok && !verdict_accepted(&other)) p->failed = other.decision.case_number - 1;
    // What is kept may be right and slow for another shape: that is no mistake.
    bool slow = other.decision.status == STATUS_timeout;
    if (ok && p->failed < 0 && !slow && status_class(other.decision.status) == CLASS_REJECTED) *v = other;
    pool_close(alone);
    arena_free(&a);
    return ok;
}

static bool judge_plan(Candidates *b, size_t i, Plan *p, Verdict *v, Err *e) {
    while (p->pairs > 0) {
        if (!judge_pairs(b, i, p, v, e)) return false;
        if (p->failed < 0) break;
        leave_out(p, p->failed);
    }
    return true;
}

bool kept_keys_judge(Candidates *b, size_t i, Verdict *v, Err *e) {
    if (!v->keeps || b->draw->op->form || b->q->filter.n > 0) return true;
    Arena a = {0};
    ExplorePoints *points = NEW(&a, ExplorePoints);
    Plan *p = NEW(&a, Plan);
    const BranchSearch search = {b->r->fork_servers, b->draw, b->source[i], b->r->extras};
    int most = b->q->level == LEVEL_FULL ? KEYS_PAIRS_MAX : KEYS_PAIRS_FEW;
    bool ok = !plan_layouts(b, &a, p) || judge_plan(b, i, p, v, e);
    ok = ok && (!verdict_accepted(v) || branches_pairs(&search, most, points, e));
    for (int next = 0, draw = 0; ok && verdict_accepted(v) && next + 1 < points->n; draw++) {
        plan_make(b, points, &next, p);
        p->draw = draw;
        ok = judge_plan(b, i, p, v, e);
    }
    arena_free(&a);
    return ok;
}
