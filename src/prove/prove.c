#include "prove/prove.h"

#include <pthread.h>

#include "cases/domain/domain.h"

enum {
    EQUIVALENT_ELEMENTS = 10 * 1000 * 1000,
    EQUIVALENT_DRAWS_MAX = 400,
    ROUND_MUTANTS = DRAW_SHARE_MAX - 1, // beside the original
};
static const double score_wanted[LEVEL_COUNT] = {[LEVEL_QUICK] = 95, [LEVEL_FULL] = 98};

const char *fate_name(Fate f) {
    static const char *const name[FATE_COUNT] = {"killed", "survived", "equivalent", "refused", "undecided"};
    return name[f];
}

typedef struct {
    const ProveRequest *q;
    ProveResult *out;
    int draws;
    pthread_mutex_t lock; // of everything below, and of what answers write
    Arena *a;
    int judged;
    bool failed;
    Err why;
} Trial;

// ---- judging

// A round's mutants, and the next answer's number: 0 is the original's.
typedef struct {
    Trial *trial;
    const int *member;
    Verdict *verdict; // of each member
    int answers;
    bool counted;  // as progress
    uint64_t seed; // the original's, when it is answered
} MutantRound;

static void progress(const Trial *t, const char *stage, int64_t done, int64_t total) {
    if (t->q->progress) t->q->progress(t->q->arg, stage, done, total);
}

static void answered(void *arg, const Answer *a) {
    MutantRound *round = arg;
    Trial *t = round->trial;
    ProveResult *out = t->out;
    Verdict v = *a->verdict;
    pthread_mutex_lock(&t->lock);
    v.decision.feedback = arena_strndup(t->a, v.decision.feedback, strlen(v.decision.feedback));
    if (a->kind != ANSWER_JUDGED && !t->failed) {
        t->failed = true;
        t->why = *a->why;
    }
    int i = round->answers++;
    if (i > 0)
        round->verdict[i - 1] = v;
    else if (!out->original.decision.rule || verdict_accepted(&out->original))
        out->original = v;
    if (i == 0) round->seed = v.judged.seed;
    t->judged += i > 0 && round->counted;
    if (round->counted && !a->more) progress(t, "mutants", t->judged, out->mutants.n);
    pthread_mutex_unlock(&t->lock);
}

// The original stands first in every round: what rejects it proves nothing.
static void submit_round(Trial *t, Level level, MutantRound *round, int n) {
    uint64_t seed = t->q->seed ? *t->q->seed + (uint64_t)t->draws : 0;
    t->draws++;
    round->trial = t;
    Submission each[DRAW_SHARE_MAX];
    for (int i = 0; i <= n; i++)
        each[i] = (Submission){.op = t->q->op,
                               .level = level,
                               .filter = {.dtype = -1},
                               .seed = t->q->seed ? &seed : NULL,
                               .source = i ? t->out->mutants.at[round->member[i - 1]].text
                                           : t->out->mutants.original,
                               .answered = answered,
                               .arg = round};
    service_submit_together(t->q->service, each, n + 1);
}

static bool wait_for_rounds(Trial *t, Err *e) {
    if (!service_wait(t->q->service, e)) return false;
    if (t->failed) *e = t->why;
    return !t->failed;
}

// The first round alone: when it does not accept the original, the others are not judged.
static bool judge_all(Trial *t, Err *e) {
    int all = t->out->mutants.n, rounds = all / ROUND_MUTANTS + 1;
    MutantRound *round = NEWN(t->a, MutantRound, (size_t)rounds);
    int *member = NEWN(t->a, int, (size_t)all + 1);
    for (int i = 0; i < all; i++) member[i] = i;
    for (int k = 0; k < rounds; k++) {
        int at = k * ROUND_MUTANTS, n = all - at < ROUND_MUTANTS ? all - at : ROUND_MUTANTS;
        if (k > 0 && n == 0) break;
        round[k].member = member + at;
        round[k].verdict = t->out->verdict + at;
        round[k].counted = true;
        submit_round(t, t->q->level, &round[k], n);
        if (k > 0) continue;
        if (!wait_for_rounds(t, e)) return false;
        if (!verdict_accepted(&t->out->original)) return true;
    }
    return wait_for_rounds(t, e);
}

static void decide_fates(Trial *t, const Equivalences *equivalences) {
    for (int i = 0; i < t->out->mutants.n; i++) {
        const Verdict *v = &t->out->verdict[i];
        StatusClass c = status_class(v->decision.status);
        t->out->proof[i].fate = c == CLASS_UNDECIDED                   ? FATE_UNDECIDED
                                : c == CLASS_ACCEPTED                  ? FATE_SURVIVED
                                : status_never_ran(v->decision.status) ? FATE_REFUSED
                                                                       : FATE_KILLED;
        if (c == CLASS_ACCEPTED)
            t->out->proof[i].equivalence = equivalence_find(equivalences, t->q->base, &t->out->mutants.at[i]);
    }
}

// Elements that the oracle can judge in the draw of a seed: of the output, or, where an output value stands
// for a row, of the rows behind them.
static bool count_elements(Trial *t, uint64_t seed, int64_t *out, Err *e) {
    Arena work = {0};
    Draw d;
    DrawFilter all = {.dtype = -1};
    Pool *pool = service_pool_take(t->q->service);
    bool ok =
        draw_make(&work, pool,
                  &(DrawRequest){.op = t->q->op, .level = LEVEL_FULL, .seed = seed, .filter = &all}, &d, e);
    service_pool_leave(t->q->service);
    *out = 0;
    for (int i = 0; ok && i < d.cases; i++) {
        int64_t row = domain_length(d.domain, d.truth[i].dim);
        for (const Bound *b = d.truth[i].expected; b; b = b->also) {
            int64_t judged = 0;
            for (int64_t k = 0; k < b->numel; k++) judged += !b->e || b->e[k] < 0x1p1000;
            *out += b->numel == d.truth[i].lines ? judged * row : judged;
        }
    }
    if (ok) draw_free(&d);
    arena_free(&work);
    return ok;
}

// Fresh draws at level full, until every claimed survivor was either refuted or agreed on ten million
// elements.
static bool check_equivalences(Trial *t, Err *e) {
    Proof *proof = t->out->proof;
    int member[ROUND_MUTANTS], n = 0;
    for (int i = 0; i < t->out->mutants.n && n < ROUND_MUTANTS; i++)
        if (proof[i].equivalence) member[n++] = i;
    if (n == 0) return true;
    int64_t elements = 0;
    for (int draw = 0; draw < EQUIVALENT_DRAWS_MAX && elements < EQUIVALENT_ELEMENTS; draw++) {
        Verdict v[ROUND_MUTANTS];
        MutantRound round = {.member = member, .verdict = v};
        int64_t more = 0;
        submit_round(t, LEVEL_FULL, &round, n);
        if (!wait_for_rounds(t, e) || !count_elements(t, round.seed, &more, e)) return false;
        elements += more;
        for (int i = 0; i < n; i++) {
            Proof *p = &proof[member[i]];
            if (verdict_accepted(&v[i]))
                p->elements += more;
            else if (p->refuted == STATUS_ok)
                p->refuted = v[i].decision.status;
        }
        progress(t, "equivalence", elements, EQUIVALENT_ELEMENTS);
    }
    for (int i = 0; i < n; i++) {
        Proof *p = &proof[member[i]];
        if (p->refuted == STATUS_ok && p->elements >= EQUIVALENT_ELEMENTS) p->fate = FATE_EQUIVALENT;
    }
    return true;
}

static bool judge_mutants(Trial *t, Err *e) {
    ProveResult *out = t->out;
    Equivalences equivalences;
    if (!equivalences_read(t->a, &equivalences, e)) return false;
    out->verdict = NEWN(t->a, Verdict, (size_t)out->mutants.n + 1);
    out->proof = NEWN(t->a, Proof, (size_t)out->mutants.n + 1);
    if (!judge_all(t, e)) return false;
    if (!verdict_accepted(&out->original)) return true;
    decide_fates(t, &equivalences);
    return check_equivalences(t, e);
}

bool prove_run(Arena *a, const ProveRequest *q, ProveResult *out, Err *e) {
    *out = (ProveResult){0};
    DiagList d = DIAGS(a);
    const Node *module = parse_module(a, q->source, &d);
    if (!module) return err_set(e, ERR_INPUT, "the kernel to start from: %s", d.at[0].msg);
    mutants_make(a, module, q->source, q->level == LEVEL_FULL, &out->mutants);
    Trial t = {.q = q, .out = out, .a = a};
    pthread_mutex_init(&t.lock, NULL);
    bool ok = judge_mutants(&t, e);
    pthread_mutex_destroy(&t.lock);
    return ok;
}

// ---- the sum

static bool is_numeric(Status s) { return s == STATUS_incorrect || s == STATUS_inaccurate; }

static void count_kill(ProveSummary *s, Mutator kind, const Verdict *v) {
    s->by[kind][v->decision.status]++;
    int i = 0;
    while (i < s->checks && strcmp(s->check[i].rule, v->decision.rule) != 0) i++;
    if (i == PROVE_CHECKS_MAX) return;
    if (i == s->checks) s->check[s->checks++].rule = v->decision.rule;
    s->check[i].n++;
}

ProveSummary prove_summary(const ProveResult *t, Level level) {
    ProveSummary s = {.weakest = -1, .score_wanted = score_wanted[level]};
    for (int i = 0; i < t->mutants.n; i++) {
        Fate f = t->proof[i].fate;
        s.of[t->mutants.at[i].kind][f]++;
        s.of[MUTATOR_COUNT][f]++;
        s.status[t->verdict[i].decision.status]++;
        s.equivalent += t->proof[i].equivalence != NULL;
        if (f == FATE_KILLED) count_kill(&s, t->mutants.at[i].kind, &t->verdict[i]);
        // Within the bound: other calls of one object tell, and how far off they are is not kept.
        if (f == FATE_KILLED && is_numeric(t->verdict[i].decision.status) &&
            t->verdict[i].cases.worst.use > 1 &&
            (s.weakest < 0 || t->verdict[i].cases.worst.use < t->verdict[s.weakest].cases.worst.use))
            s.weakest = i;
    }
    const int *all = s.of[MUTATOR_COUNT];
    int told = all[FATE_KILLED] + all[FATE_SURVIVED], judged = told + all[FATE_EQUIVALENT];
    s.score = told ? 100.0 * all[FATE_KILLED] / told : 0;
    s.equivalent_percent = judged ? 100.0 * s.equivalent / judged : 0;
    s.passed = verdict_accepted(&t->original) && !t->mutants.cut && told > 0 && s.score >= s.score_wanted &&
               s.equivalent * 100 <= PROVE_EQUIVALENT_PERCENT_MAX * judged;
    return s;
}
