#include "mint/mint.h"

#include <stdlib.h>

#include "base/numeric/fmath.h"
#include "judge/judge.h"
#include "rank/launches.h"

// An accepted attempt and what the model says of it: at the shape that is reported, and over all shapes that
// count, as a geometric mean.
typedef struct {
    const Attempt *attempt;
    double us, mean;
} Ranked;

// Where nobody asked for one shape, a kernel is for all: also for few rows, and for few and long ones, where
// a program a row leaves most of a GPU idle. What is asked about counts twice as much as those together: most
// tensors do not fit into the L2.
static const RankShape beside[] = {{.rows = 1024, .row = 4096}, {.rows = 256, .row = 16384}};
enum {
    BESIDE = sizeof beside / sizeof *beside,
    SHAPES_MOST = 1 + BESIDE,
    ROW_LONG = 1024,
    WEIGHT = 2 * BESIDE
};

// An op of short rows has none of those shapes.
static int shapes_ranked(const MintRequest *q, const MintResult *m, RankShape out[SHAPES_MOST]) {
    out[0] = m->ranked_at;
    if (q->filter.m > 0 || q->op->rows_dim < 0 || m->ranked_at.row < ROW_LONG) return 1;
    for (int i = 0; i < BESIDE; i++) {
        out[1 + i] = beside[i];
        out[1 + i].elem_bytes = m->ranked_at.elem_bytes;
    }
    return SHAPES_MOST;
}

// Accepted attempts, the best first.
typedef struct {
    Ranked *at;
    int n;
} Ranking;

// Recording takes two children each: of many attempts those that the counters alone put first.
enum { RECORDED_MAX = 64 };
static const double equal_share = 1.01;

static double estimate(const MintResult *m, const Attempt *t, const RankShape *at, const RankLaunches *here,
                       const RankLaunches *there) {
    return rank_estimate_by(&rank_model, m->target,
                            &(RankAsk){.count = &t->verdict.traffic.count,
                                       .from = &t->verdict.traffic.facts,
                                       .to = at,
                                       .here = here,
                                       .there = there,
                                       .hints = rank_hints(t->source)});
}

// With what its host code launches at the case that the counters are of, and at each shape in question.
static bool estimate_recorded(const MintRequest *q, Referee *r, const MintResult *m, Ranked *x, Err *e) {
    const RankCase *from = &x->attempt->verdict.traffic.facts;
    LaunchesAsk ask = {q->op, x->attempt->source, referee_extras(r), DT_F16, m->target->sms};
    RankLaunches here = {.launches = 0}, there = here;
    RankShape at[SHAPES_MOST];
    int n = shapes_ranked(q, m, at);
    double sum = 0;
    if (from->elem_bytes == 4) ask.dtype = DT_F32;
    if (!launches_at(r->fork_servers, &ask, from->rows, from->row, &here, e)) return false;
    for (int i = 0; i < n; i++) {
        if (here.launches && !launches_at(r->fork_servers, &ask, at[i].rows, at[i].row, &there, e))
            return false;
        double us = estimate(m, x->attempt, &at[i], &here, &there);
        if (!i) x->us = us;
        sum += us > 0 ? (i ? 1 : WEIGHT) * f64_log(us) : 0;
    }
    x->mean = f64_exp(sum / (n - 1 + WEIGHT));
    return true;
}

// Faster by the model first; on a tie fewer executed lanes, then the earlier proposal, so that the order is
// the seed's alone.
static bool ranks_before(const Ranked *x, const Ranked *y) {
    if (x->mean != y->mean) return x->mean < y->mean;
    return x->attempt->verdict.traffic.count.lanes < y->attempt->verdict.traffic.count.lanes;
}

static void rank_insert(Ranking *r, Ranked x) {
    int j = r->n++;
    for (; j > 0 && ranks_before(&x, &r->at[j - 1]); j--) r->at[j] = r->at[j - 1];
    r->at[j] = x;
}

static int by_proposal(const void *a, const void *b) {
    const Attempt *x = ((const Ranked *)a)->attempt, *y = ((const Ranked *)b)->attempt;
    return (x > y) - (x < y); // they stand in one array, in that order
}

// The model is not exact to a percent. The grammar writes first what was fast most often, so among equals the
// earlier one stands first; a model's drafts have no such order.
static void prefer_usual(const MintRequest *q, Ranking *r) {
    int first = 0;
    for (int i = 1; i < r->n && !q->smith->takes_prompt; i++)
        if (r->at[i].mean <= equal_share * r->at[0].mean && r->at[i].attempt < r->at[first].attempt)
            first = i;
    Ranked x = r->at[first];
    for (int i = first; i > 0; i--) r->at[i] = r->at[i - 1];
    r->at[0] = x;
}

// By counters, then the first of them by their launches, too; what is not recorded stays behind. Host code of
// a module is recorded at no other sizes: there the counters of the small ones are all that is known.
static bool rank_again(const MintRequest *q, Referee *r, const MintResult *m, Ranking *all, Err *e) {
    if (q->op->form) return true;
    int n = all->n < RECORDED_MAX ? all->n : RECORDED_MAX;
    Ranking first = {.at = all->at};
    qsort(all->at, (size_t)n, sizeof *all->at, by_proposal);
    for (int i = 0; i < n; i++) {
        if (!estimate_recorded(q, r, m, &all->at[i], e)) return false;
        rank_insert(&first, all->at[i]);
    }
    if (n) prefer_usual(q, &first);
    return true;
}

typedef struct {
    const MintRequest *q;
    AttemptTally before; // of earlier turns
    bool accepted;       // one was, in this turn
} Turn;

static bool is_interrupted(void *arg) {
    const Turn *t = arg;
    return t->q->interrupted && t->q->interrupted(t->q->arg);
}

static void waits(void *arg, const char *sentence) {
    const Turn *t = arg;
    if (t->q->waits) t->q->waits(t->q->arg, sentence);
}

static void add_tally(AttemptTally *sum, const AttemptTally *t) {
    sum->asked += t->asked;
    sum->replies += t->replies;
    sum->judged += t->judged;
    sum->accepted += t->accepted;
    sum->undecided += t->undecided;
    sum->tokens += t->tokens;
    sum->seconds += t->seconds;
}

static bool told(void *arg, const AttemptTally *tally, const Attempt *t) {
    Turn *turn = arg;
    AttemptTally sum = turn->before;
    add_tally(&sum, tally);
    if (turn->q->told) turn->q->told(turn->q->arg, &sum, t);
    turn->accepted |= t && verdict_accepted(&t->verdict);
    return !(turn->q->first && turn->accepted);
}

static void keep_attempts(Arena *a, MintResult *m, const AttemptResult *r) {
    Attempt *all = NEWN(a, Attempt, (size_t)(m->attempts + r->count) + 1);
    for (int i = 0; i < m->attempts; i++) all[i] = m->attempt[i];
    for (int i = 0; i < r->count; i++) {
        all[m->attempts + i] = r->at[i];
        if (r->at[i].same_as >= 0) all[m->attempts + i].same_as += m->attempts;
    }
    m->attempt = all;
    m->attempts += r->count;
    add_tally(&m->tally, &r->tally);
}

void mint_keep(MintResult *m, int i) {
    m->best = m->proof[i].attempt;
    m->verdict = m->proof[i].verdict;
    m->estimate_us = m->proof[i].estimate_us;
}

// The best of them that pass at full, as many as are wanted.
static bool prove_best(Service *s, Arena *a, const MintRequest *q, const Ranking *r, MintResult *out,
                       Err *e) {
    Submission judge = {.op = q->op, .level = LEVEL_FULL, .filter = q->filter, .every_size = q->every_size};
    int wanted = q->proofs < 1 ? 1 : q->proofs < MINT_PROOFS_MAX ? q->proofs : MINT_PROOFS_MAX;
    for (int i = 0; i < r->n && out->proofs < wanted; i++) {
        if (q->progress) q->progress(q->arg, "judging the best", i, r->n);
        judge.source = r->at[i].attempt->source;
        MintProof *p = &out->proof[out->proofs];
        if (!service_judge(s, a, &judge, 1, &p->verdict, e)) return false;
        if (!out->proofs) out->verdict = p->verdict;
        if (!verdict_accepted(&p->verdict)) continue;
        p->attempt = *r->at[i].attempt;
        p->estimate_us = r->at[i].us;
        out->proofs++;
    }
    out->found = out->proofs > 0;
    if (out->found) mint_keep(out, 0);
    return true;
}

// One turn: ask, judge, rank, prove. `from`: attempts before it have had their proof.
static bool take_turn(Service *s, Arena *a, const MintRequest *q, const SmithRequest *ask, MintResult *out,
                      Err *e) {
    Turn turn = {.q = q, .before = out->tally};
    AttemptRequest drafts = {.service = s,
                             .op = q->op,
                             .smith = q->smith,
                             .profile = q->profile,
                             .ask = *ask,
                             .filter = q->filter,
                             .level = LEVEL_QUICK,
                             .feedback = q->feedback,
                             .interrupted = is_interrupted,
                             .told = told,
                             .waits = waits,
                             .arg = &turn};
    AttemptResult got;
    if (!attempts_run(a, &drafts, &got, e)) return false;
    int from = out->attempts;
    keep_attempts(a, out, &got);
    out->smith_error = got.smith_error;
    out->stopped = is_interrupted(&turn);
    Ranking ranking = {.at = NEWN(a, Ranked, (size_t)got.count + 1)};
    int n = 0;
    for (int i = from; i < out->attempts; i++) {
        const Attempt *t = &out->attempt[i];
        if (t->same_as >= 0 || !t->source.len) continue;
        n++;
        if (!verdict_accepted(&t->verdict)) continue;
        const RankCase *facts = &t->verdict.traffic.facts;
        RankShape same = {facts->rows, facts->row, facts->elem_bytes};
        double us = estimate(out, t, q->op->form ? &same : &out->ranked_at, NULL, NULL);
        rank_insert(&ranking, (Ranked){t, us, us});
    }
    // Whoever interrupts does not wait for recordings.
    if (!out->stopped && !rank_again(q, service_referee(s), out, &ranking, e)) return false;
    out->proposed += got.tally.replies;
    out->distinct += n;
    out->judged += n;
    out->accepted += ranking.n;
    return prove_best(s, a, q, &ranking, out, e);
}

bool mint_run(Service *s, Arena *a, const MintRequest *q, MintResult *out, Err *e) {
    *out = (MintResult){
        .target = q->target,
        .ranked_at = {.rows = q->ask.m ? q->ask.m : RANK_ROWS,
                      .row = q->ask.n ? q->ask.n : RANK_ROW,
                      .elem_bytes = q->filter.dtype >= 0 ? dtype_bytes((DType)q->filter.dtype) : 2}};
    if (!out->target && !target_by_name(RANK_TARGET, &out->target, e)) return false;
    SmithRequest ask = q->ask;
    for (int before = -1; out->attempts > before && ask.count > 0;) {
        before = out->attempts;
        if (!take_turn(s, a, q, &ask, out, e)) return false;
        // What stopped at the first that quick accepted goes on when full did not.
        if (out->found || !q->first || out->stopped || out->smith_error.code) break;
        int last = ask.first - 1;
        for (int i = before; i < out->attempts; i++)
            if (out->attempt[i].index > last) last = out->attempt[i].index;
        ask.count -= last + 1 - ask.first;
        ask.first = last + 1;
    }
    return true;
}
