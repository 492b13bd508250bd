#include "mint/clocked.h"

#include "service/taken_back.h"

// Of the verdict itself, and of its record.
static bool take_back(Arena *a, const ClockedRequest *q, MintProof *p, const CellTimes *c, Err *e) {
    json_t *verdict = verdict_object(&p->verdict);
    decision_set(&p->verdict.decision, STATUS_incorrect, "gpu", cell_refutes(a, c));
    bool ok = service_take_back(q->service, &(TakenBack){q->op, q->filter, p->attempt.source, q->timer, c},
                                verdict, e);
    json_decref(verdict);
    return ok;
}

static bool time_one(Arena *a, const ClockedRequest *q, MintProof *p, bool alone, CellTimes *out, Err *e) {
    CellRequest r = timer_request(q->timer, q->op, p->attempt.source);
    if (alone) r.baseline = NULL;
    r.rounding = p->verdict.rounding;
    cell_time(a, &r, q->place, out);
    return out->status != TIMES_incorrect || take_back(a, q, p, out, e);
}

static bool right(const MintProof *p) { return verdict_accepted(&p->verdict); }

// The fastest that has a number and is still right; -1: there is none.
static int fastest(const MintResult *m, const Clocked *c) {
    int best = -1;
    for (int i = 0; i < m->proofs; i++)
        if (right(&m->proof[i]) && c->first[i].status == TIMES_ok &&
            (best < 0 || c->first[i].device.us < c->first[best].device.us))
            best = i;
    return best;
}

bool clocked_run(Arena *a, const ClockedRequest *q, MintResult *m, Clocked *out, Err *e) {
    *out = (Clocked){.best = -1};
    for (int i = 0; i < m->proofs; i++) {
        if (q->told) q->told(q->arg, i, m->proofs);
        if (!time_one(a, q, &m->proof[i], true, &out->first[i], e)) return false;
        out->timed += out->first[i].status == TIMES_ok;
    }
    // One that is wrong only when it is timed again gives way to the next.
    while ((out->best = fastest(m, out)) >= 0) {
        measurer_renew(q->timer->measurer);
        if (!time_one(a, q, &m->proof[out->best], false, &out->again, e)) return false;
        if (right(&m->proof[out->best])) break;
    }
    int kept = out->best;
    for (int i = 0; i < m->proofs && kept < 0; i++)
        if (right(&m->proof[i])) kept = i;
    m->found = kept >= 0;
    mint_keep(m, m->found ? kept : 0);
    return true;
}
