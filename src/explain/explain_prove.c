#include "explain/explain.h"
#include "lang/parse/parse.h"

static void count(Strength *s, const Mutant *m, const Verdict *v) {
    switch (status_class(v->decision.status)) {
    case CLASS_UNDECIDED: s->undecided++; return;
    case CLASS_ACCEPTED:
        if (s->survived < (int)(sizeof s->left / sizeof *s->left)) s->left[s->survived] = m;
        s->survived++;
        return;
    case CLASS_REJECTED: break;
    }
    if (status_never_ran(v->decision.status)) {
        s->refused++;
        return;
    }
    s->killed++;
    bool numeric = v->decision.status == STATUS_incorrect || v->decision.status == STATUS_inaccurate;
    // Within the bound: other calls of one object tell, and how far off they are is not kept.
    if (!numeric || !(v->cases.worst.use > 1) || (s->nearest && v->cases.worst.use >= s->margin)) return;
    s->nearest = m;
    s->margin = v->cases.worst.use;
}

// The same seed for every batch: the very cases that accepted the kernel.
bool explain_prove(Referee *r, Arena *a, const ExplainRequest *q, Strength *s, Err *e) {
    *s = (Strength){.asked = true};
    DiagList diags = DIAGS(a);
    const Node *module = parse_module(a, q->source, &diags);
    if (!module) return true; // an accepted kernel was parsed
    Mutants m;
    mutants_make(a, module, q->source, q->level == LEVEL_FULL, &m);
    s->mutants = m.n;
    JudgeRequest judge = {.op = q->op, .level = q->level, .filter = q->filter, .seed = &q->seed};
    for (int at = 0; at < m.n; at += DRAW_SHARE_MAX) {
        Str source[DRAW_SHARE_MAX];
        Verdict v[DRAW_SHARE_MAX];
        int n = m.n - at < DRAW_SHARE_MAX ? m.n - at : DRAW_SHARE_MAX;
        for (int i = 0; i < n; i++) source[i] = m.at[at + i].text;
        if (!referee_judge(r, a, &judge, source, n, v, e)) return false;
        if (q->progress) q->progress(q->progress_arg, "mutants", at + n, m.n);
        for (int i = 0; i < n; i++) count(s, &m.at[at + i], &v[i]);
    }
    return true;
}
