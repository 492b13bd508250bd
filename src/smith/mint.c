#include "smith/mint.h"

#include <stdlib.h>

#include "referee/traffic.h"

typedef struct {
    const MintRequest *q;
    const char *stage;
    int total;
} Stage;

static void tell(void *arg, int done) {
    Stage *s = arg;
    if (s->q->progress) s->q->progress(s->q->progress_arg, s->stage, done, s->total);
}

// Cheaper first; on a tie fewer executed lanes, then the earlier proposal, so that the order is the seed's
// alone.
static bool ranks_before(const Verdict *a, const Verdict *b) {
    double x = traffic_cost(a), y = traffic_cost(b);
    if (x != y) return x < y;
    return a->count.lanes < b->count.lanes;
}

static int rank_accepted(const Verdict *v, int n, int *order) {
    int k = 0;
    for (int i = 0; i < n; i++) {
        if (!verdict_accepted(&v[i])) continue;
        int j = k++;
        for (; j > 0 && ranks_before(&v[i], &v[order[j - 1]]); j--) order[j] = order[j - 1];
        order[j] = i;
    }
    return k;
}

bool mint_run(Referee *r, Arena *a, const MintRequest *q, MintResult *out, Err *e) {
    *out = (MintResult){.proposal = NEWN(a, Proposal, (size_t)q->ask.count)};
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
    out->accepted = rank_accepted(out->quick, n, order);

    stage = (Stage){q, "proving the best", 1};
    judge.level = LEVEL_FULL;
    for (int i = 0; i < out->accepted && !out->found; i++) {
        if (!referee_judge(r, a, &judge, &source[order[i]], 1, &out->verdict, e)) return false;
        out->found = verdict_accepted(&out->verdict);
        if (out->found) out->best = out->proposal[order[i]];
    }
    return true;
}
