#include "cases/other_values.h"

#include "base/numeric/rng.h"
#include "cases/domain/domain.h"
#include "cases/domain/lines.h"

int64_t calls_slices(const Domain *m, const CaseTruth *t) { return m->moves ? domain_slices(m, t->dim) : 0; }

bool other_weight(const Domain *m, int input) {
    const OpInput *in = &m->op->input[input];
    return m->slices >= 0 && m->slice_axis[input] < 0 && in->rank > 0 && in->any_float && in->keep < 0;
}

// Which inputs change: those with slices; where there is but one slice, data whose elements mean the same
// wherever in a line they stand.
static bool changes(const Domain *m, int64_t slices, int input, Change change) {
    const OpInput *in = &m->op->input[input];
    if (change == CHANGE_WEIGHTS) return other_weight(m, input);
    return slices > 1 ? m->slice_axis[input] >= 0 : in->rank > 0 && plan_is_data(in) && in->keep < 0;
}

// The first of the inputs that only change together, because one says where another keeps its values.
static int group_of(const Op *op, int input) {
    int first = input;
    for (int i = 0; i < op->inputs; i++)
        if (op->input[i].keep == input && i < first) first = i;
    if (op->input[input].keep >= 0 && op->input[input].keep < first) first = op->input[input].keep;
    return first == input ? first : group_of(op, first);
}

// One slice changes in one input, or in those that only change together: what is kept of that one may have
// been taken for as old as the others. The first one's elements change by themselves, so the others take
// turns. -1: in all.
static int alone(const Draw *d, int sequence, int64_t slices) {
    const Domain *m = d->domain;
    int group[WIRE_INPUTS_MAX], groups = 0;
    for (int i = 0; i < m->op->inputs; i++)
        if (changes(m, slices, i, CHANGE_SLICE) && group_of(m->op, i) == i) group[groups++] = i;
    if (groups < 2 || slices < 2) return -1;
    return group[1 + (d->seed % WIRE_CALLS_MAX + (uint64_t)sequence) % (uint64_t)(groups - 1)];
}

void other_values_plan(const Draw *d, CallPlan *p, Change change, int64_t *at) {
    CallSpec *c = &p->call[p->calls - 1];
    int64_t slices = calls_slices(d->domain, &d->truth[c->case_index]);
    int sequence = 0;
    for (int i = 0; i < p->calls; i++) sequence += (p->call[i].flags & CALL_BUILDS) != 0;
    int only = change == CHANGE_SLICE ? alone(d, sequence, slices) : -1;
    CallTruth *t = &p->of[p->calls - 1];
    t->change = change;
    t->slice = -1;
    // In the first sequence one of the ends, and the other one; then any.
    if (sequence == 1 && (change == CHANGE_ELEMENTS || change == CHANGE_SLICE))
        t->slice = (change == CHANGE_SLICE) == (d->seed >> 9 & 1) ? 0 : slices - 1;
    if (change == CHANGE_LAST) t->slice = slices - 1;
    for (int i = 0; i < c->spec.inputs; i++) {
        if (!changes(d->domain, slices, i, change) || (only >= 0 && group_of(d->op, i) != only)) continue;
        c->spec.input[i].at = *at;
        *at += (c->spec.input[i].bytes + CALL_ALIGN - 1) / CALL_ALIGN * CALL_ALIGN;
    }
}

// The last axis that the lines of an input run along; -1: they are single elements.
static int line_axis(const Domain *m, int input) {
    const LineAxes *of = &m->reduction[0].input[input];
    return of->axes ? of->axis[of->axes - 1] : -1;
}

// Lines of one element stay at their places. Some elements are halved: what does not depend on their order
// changes.
static void turn_elements(uint8_t *map, const CaseTensor *to, const CaseTensor *from, int axis, Rng *rng) {
    if (axis < 0) return;
    DType t = (DType)to->dtype;
    Lines l = lines_of(to, &(LineAxes){.axes = 1, .axis = {axis}});
    int64_t size = dtype_bytes(t), n = l.length, step = to->stride[axis];
    int64_t by = n > 1 ? 1 + (int64_t)rng_below(rng, (uint64_t)(n - 1)) : 0;
    for (int64_t r = 0; r < l.lines; r++) {
        int64_t at = line_at(&l, r);
        for (int64_t i = 0; i < n; i++) {
            uint8_t *x = map + to->at + (at + i * step) * size;
            memcpy(x, map + from->at + (at + (i + by) % n * step) * size, (size_t)size);
            if (rng_below(rng, 2) == 0) dtype_store(t, x, dtype_load(t, x) / 2);
        }
    }
}

// Those of a case may all be ones, or zeros: of what the domain has, some other ones.
static void fill_weights(const OpInput *in, uint8_t *map, const CaseTensor *to, const CaseTensor *from,
                         Rng *r) {
    DType t = (DType)to->dtype;
    int64_t n = 1;
    for (int k = 0; k < to->rank; k++) n *= to->shape[k];
    for (int64_t k = 0; k < n; k++) {
        int64_t at = tensor_element(to, k) * dtype_bytes(t);
        double was = dtype_load(t, map + from->at + at), u = 1 - 2 * rng_unit(r);
        if (in->ranged)
            was = in->range_lo + (u + 1) / 2 * (in->range_hi - in->range_lo);
        else
            was = was == 0 || in->role != ROLE_DATA ? u * in->scale_hi : was / 2;
        dtype_store(t, map + to->at + at, was);
    }
}

// The largest element of a line changes places with another, in the first input of data: a program that looks
// at a few elements to tell whether it has seen a tensor, or at a sum of them, has seen this one. In half
// types that happens in the second half of a line, and it is halved: its norm changes, and nothing of what
// begins it.
static void swap_elements(const Domain *m, uint8_t *map, const CallSpec *c, int64_t slice, Rng *r) {
    const Op *op = m->op;
    int which = 0;
    while (which < op->inputs && (!plan_is_data(&op->input[which]) || op->input[which].keep >= 0)) which++;
    if (which == op->inputs || m->slice_axis[which] < 0) return;
    int axis = line_axis(m, which), across = m->slice_axis[which];
    if (axis < 0 || axis == across) return;
    const CaseTensor *t = &c->spec.input[which];
    DType type = (DType)t->dtype;
    bool halves = type != DT_F32;
    int64_t size = dtype_bytes(type), n = t->shape[axis], step = t->stride[axis] * size;
    int64_t end = n - (n > 3), begin = halves && n > 3 ? n / 2 : n > 3, most = begin, places = end - begin;
    int64_t from = (int64_t)rng_below(r, (uint64_t)places);
    uint8_t *p = map + t->at + (t->offset + slice * t->stride[across]) * size, was[8];
    for (int64_t i = begin + 1; i < end; i++)
        if (dtype_load(type, p + i * step) > dtype_load(type, p + most * step)) most = i;
    for (int64_t i = 0; i < places; i++) {
        uint8_t *x = p + most * step, *y = p + (begin + (from + i) % places) * step;
        if (memcmp(x, y, (size_t)size) == 0) continue;
        memcpy(was, x, (size_t)size);
        memcpy(x, y, (size_t)size);
        memcpy(y, was, (size_t)size);
        if (halves) dtype_store(type, y, dtype_load(type, y) / 2);
        return;
    }
}

void other_values_fill(const Draw *d, const CallSpec *c, const CallTruth *t, int attempt, uint8_t *map) {
    Change change = (Change)t->change;
    const CaseSpec *from = &d->spec[c->case_index];
    int64_t slices = calls_slices(d->domain, &d->truth[c->case_index]);
    Rng r = rng_at(rng_mix(d->seed, 0x63616c6c73), (uint64_t)c->case_index * 8 + (uint64_t)change);
    int64_t step = slices > 1 ? 1 + (int64_t)rng_below(&r, (uint64_t)slices - 1) : 0, slice = 0;
    if (slices > 1)
        slice = ((t->slice < 0 ? (int64_t)rng_below(&r, (uint64_t)slices) : t->slice) + attempt) % slices;
    int64_t only = change == CHANGE_SLICE || change == CHANGE_LAST ? slice : -1;
    for (int i = 0; i < c->spec.inputs; i++) {
        const CaseTensor *to = &c->spec.input[i], *x = &from->input[i];
        if (to->at == x->at) continue;
        memcpy(map + to->at, map + x->at, (size_t)x->bytes);
        if (slices > 1 && change == CHANGE_ELEMENTS) continue;
        if (change == CHANGE_WEIGHTS) {
            fill_weights(&d->op->input[i], map, to, x, &r);
            continue;
        }
        if (slices <= 1) turn_elements(map, to, x, line_axis(d->domain, i), &r);
        for (int64_t k = 0; slices > 1 && k < slices; k++)
            if (only < 0 || k == only)
                slice_copy(map, to, k, x, (k + step) % slices, d->domain->slice_axis[i]);
    }
    if (slices > 1 && change == CHANGE_ELEMENTS) swap_elements(d->domain, map, c, slice, &r);
}
