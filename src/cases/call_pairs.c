#include "cases/call_pairs.h"

#include <assert.h>

#include "cases/domain/domain.h"

static bool same_layout(const CaseTensor *x, const CaseTensor *y) {
    size_t n = sizeof *x->shape * (size_t)x->rank;
    return x->dtype == y->dtype && x->rank == y->rank && memcmp(x->shape, y->shape, n) == 0 &&
           memcmp(x->stride, y->stride, n) == 0;
}

// Whether an object that was made for one case may have the other: its weights fit, and so do its rows.
static bool fits_object(const Draw *d, const CaseSpec *x, const CaseSpec *y, int first, int second) {
    const Domain *m = d->domain;
    bool fits = domain_length(m, d->truth[first].dim) == domain_length(m, d->truth[second].dim);
    for (int i = 0; i < d->op->inputs; i++)
        if (m->slice_axis[i] < 0) fits = fits && same_layout(&x->input[i], &y->input[i]);
    return fits;
}

// Values of its own, but for the weights that the object was made for.
static void second_call(CallPlan *p, const Draw *d, const CaseSpec *layout, int first, int second) {
    bool fits = fits_object(d, &layout[first], &layout[second], first, second);
    CallSpec *c = calls_add(p, d, layout, second, fits ? 0 : CALL_OTHER);
    for (int i = 0; fits && i < d->op->inputs; i++) {
        if (d->domain->slice_axis[i] >= 0) continue;
        c->spec.input[i] = layout[first].input[i];
        c->spec.input[i].marks = 0;
    }
    c->spec.processors = layout[first].processors; // one GPU
    p->of[p->calls - 1].behind = p->calls - 1;
}

static void sequence(CallPlan *p, const Draw *d, const CaseSpec *layout, const CallPair *pair, int before) {
    int first = pair->first, second = pair->second;
    for (int i = 0; i < before; i++) calls_add(p, d, layout, first, i == 0 ? CALL_BUILDS : 0);
    second_call(p, d, layout, first, second);
    calls_add(p, d, layout, first, 0);
    p->of[p->calls - 1].behind = p->calls - 1;
}

void call_pairs_plan(Arena *a, const Draw *d, const CaseSpec *layout, const DrawRequest *q, CallPlan *out) {
    out->calls = 0;
    out->arena = a;
    int before = q->before > 1 ? q->before : 1;
    assert(q->pairs * calls_of_a_pair(before) <= WIRE_CALLS_MAX);
    for (int i = 0; i < q->pairs; i++) {
        sequence(out, d, layout, &q->pair[i], before);
        sequence(out, d, layout, &(CallPair){q->pair[i].second, q->pair[i].first}, before);
    }
}
