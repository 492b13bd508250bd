#include "judge/more_cases.h"

#include "cases/domain/domain.h"
#include "cases/draw.h"
#include "judge/decide/decide.h"

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
bool judge_more_on(Candidates *b, size_t i, const Draw *more, MoreCases *q, Verdict *v, Err *e) {
    Verdict other = *v;
    Passes had = {.tune = q->tune, .ahead = q->ahead};
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
        if (q->alone.told)
            coverage_meet(&q->alone, &other.evidence.coverage);
        else
            q->alone = other.evidence.coverage;
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

bool judge_more(Candidates *b, size_t i, MoreCases *q, Verdict *v, Err *e) {
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
                                       .calls_later = true,
                                       .memory = b->memory},
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
bool judge_allowed(Candidates *b, size_t i, MoreCases *q, PlannedCase *plan, Verdict *v, Err *e) {
    bool ok = true;
    q->plan = plan;
    q->most = (SizesAllowed){INT64_MAX, INT64_MAX};
    do {
        ok = q->cases == 0 || judge_more(b, i, q, v, e);
        if (ok && q->said == MORE_REFUSED) q->cases = smaller(b->draw->domain, plan, q->cases, q->most);
    } while (ok && q->said == MORE_REFUSED && q->cases > 0);
    return ok;
}
