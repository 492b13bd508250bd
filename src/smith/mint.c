#include "smith/mint.h"

#include <stdlib.h>

typedef struct {
    const MintRequest *q;
    const char *stage;
    int total;
} Stage;

static void tell(void *arg, int done) {
    Stage *s = arg;
    if (s->q->progress) s->q->progress(s->q->progress_arg, s->stage, done, s->total);
}

static double estimate(const MintResult *m, const Verdict *v) {
    return rank_estimate(m->target, &v->count, &v->facts, &m->ranked_at);
}

// Faster by the model first; on a tie fewer executed lanes, then the earlier proposal, so that the order is
// the seed's alone.
static bool ranks_before(const MintResult *m, const Verdict *a, const Verdict *b) {
    double x = estimate(m, a), y = estimate(m, b);
    if (x != y) return x < y;
    return a->count.lanes < b->count.lanes;
}

static int rank_accepted(const MintResult *m, int n, int *order) {
    const Verdict *v = m->quick;
    int k = 0;
    for (int i = 0; i < n; i++) {
        if (!verdict_accepted(&v[i])) continue;
        int j = k++;
        for (; j > 0 && ranks_before(m, &v[i], &v[order[j - 1]]); j--) order[j] = order[j - 1];
        order[j] = i;
    }
    return k;
}

bool mint_run(Referee *r, Arena *a, const MintRequest *q, MintResult *out, Err *e) {
    *out = (MintResult){
        .proposal = NEWN(a, Proposal, (size_t)q->ask.count),
        .target = q->target,
        .ranked_at = {.rows = q->ask.m ? q->ask.m : RANK_ROWS,
                      .row = q->ask.n ? q->ask.n : RANK_ROW,
                      .elem_bytes = q->filter.dtype >= 0 ? dtype_bytes((DType)q->filter.dtype) : 2}};
    if (!out->target && !target_by_name(RANK_TARGET, &out->target, e)) return false;
    if (!q->smith->propose(q->smith, a, q->op, &q->ask, out->proposal, &out->proposed, e)) return false;
    out->distinct = smith_distinct(a, out->proposal, out->proposed);
    int n = out->distinct;
    Str *source = NEWN(a, Str, (size_t)n + 1);
    out->quick = NEWN(a, Verdict, (size_t)n + 1);
    for (int i = 0; i < n; i++) source[i] = out->proposal[i].source;

    Stage stage = {q, "refereeing", n};
    JudgeRequest judge = {
        .op = q->op, .level = LEVEL_QUICK, .filter = q->filter, .progress = tell, .progress_arg = &stage};
    if (!referee_judge(r, a, &judge, source, n, out->quick, e)) return false;
    out->judged = n;
    int *order = NEWN(a, int, (size_t)n + 1);
    out->accepted = rank_accepted(out, n, order);

    stage = (Stage){q, "proving the best", 1};
    judge.level = LEVEL_FULL;
    for (int i = 0; i < out->accepted && !out->found; i++) {
        if (!referee_judge(r, a, &judge, &source[order[i]], 1, &out->verdict, e)) return false;
        out->found = verdict_accepted(&out->verdict);
        if (out->found) out->best = out->proposal[order[i]];
    }
    if (out->found) out->estimate_us = estimate(out, &out->verdict);
    return true;
}
