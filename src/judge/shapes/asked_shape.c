#include "judge/shapes/asked_shape.h"

#include "base/numeric/rng.h"
#include "cases/domain/domain.h"

// Of all inputs: with more, a few programs run. Work has a budget of its own (production.c).
static const int64_t elements_most = (int64_t)1 << 26;

static int largest_case(const Draw *d) {
    int at = 0;
    for (int i = 1; i < d->cases; i++)
        if (domain_elements(d->op, d->truth[i].dim) > domain_elements(d->op, d->truth[at].dim)) at = i;
    return at;
}

void asked_shape_drawn(const Draw *d, Judging *how) {
    if (d->cases == 0) return;
    Arena a = {0};
    Buf text = BUF(&a);
    d->domain->kind->put_sizes(&text, d->domain, d->truth[largest_case(d)].dim);
    snprintf(how->drawn, sizeof how->drawn, "%s", buf_cstr(&text));
    arena_free(&a);
}

void asked_shape_judge(const ProductionRequest *q, const DrawFilter *filter, Verdict *v) {
    static const DType types[] = {DT_F32, DT_F16, DT_BF16};
    const Domain *m = q->draw->domain;
    LargeShapeAsked asked = {.noted = true};
    memcpy(asked.dim, q->draw->truth[largest_case(q->draw)].dim, sizeof asked.dim);
    if (m->slices < 0 || domain_slices(m, asked.dim) >= filter->m) return;
    asked.dim[m->slices] = filter->m;
    plan_fit(q->draw->op, asked.dim);
    asked.windows = domain_elements(q->draw->op, asked.dim) > elements_most;
    bool any_float = domain_any_float(m), all = !asked.windows;
    for (int i = 0; i < (any_float ? 3 : 1) && verdict_accepted(v); i++) {
        Err e = {0};
        if (any_float && filter->dtype >= 0 && (DType)filter->dtype != types[i]) continue;
        asked.dtype = types[i];
        asked.seed = rng_mix(q->draw->seed, 0x61736b6564 + (uint64_t)i);
        all &= production_one(q, &asked, v, &e);
    }
    const Production *p = &v->evidence.production;
    for (int i = 0; i < p->notes; i++) all &= p->note[i].said == PRODUCTION_RIGHT && !p->note[i].few;
    v->judged.copied = all && verdict_accepted(v);
}
