#include "cases/domain/domain.h"

#include "cases/domain/rows_domain.h"

const Domain *domain_make(Arena *a, const Op *op) { return op->form ? op->form : rows_domain(a, op); }

const Op *op_at_level(const Op *op, Level level) {
    const Domain *quick = level == LEVEL_QUICK && op->form ? op->form->quick : NULL;
    return quick ? quick->op : op;
}

const Domain *domain_first(const Op *op, Level level) {
    const Domain *m = level == LEVEL_FULL ? op->form : NULL;
    return m && m->quick ? m->few : NULL;
}

int64_t domain_slices(const Domain *m, const int64_t *dim) { return m->slices >= 0 ? dim[m->slices] : 1; }

int64_t domain_length(const Domain *m, const int64_t *dim) {
    const Reduction *of = &m->reduction[0];
    int64_t n = 1;
    for (int i = 0; i < of->symbols; i++) n *= dim[of->symbol[i]];
    return n;
}

int domain_length_symbol(const Domain *m) {
    const Reduction *of = &m->reduction[0];
    return of->symbols ? of->symbol[of->symbols - 1] : -1;
}

void domain_set_length(const Domain *m, int64_t n, int64_t *dim) {
    const Reduction *of = &m->reduction[0];
    for (int i = 0; i < of->symbols; i++) dim[of->symbol[i]] = i + 1 == of->symbols ? n : 1;
}

bool domain_slices_first(const Domain *m) {
    bool any = false;
    for (int i = 0; i < m->op->inputs; i++) {
        if (m->slice_axis[i] > 0) return false;
        any |= m->slice_axis[i] == 0;
    }
    return m->moves && any;
}

bool domain_counts(const Domain *m, int symbol) {
    bool counts = symbol == m->slices;
    for (int k = 0; k < m->reductions; k++)
        for (int i = 0; i < m->reduction[k].symbols; i++) counts |= m->reduction[k].symbol[i] == symbol;
    return counts;
}

bool domain_any_float(const Domain *m) {
    bool any = false;
    for (int i = 0; i < m->op->inputs; i++) any |= m->op->input[i].any_float;
    return any;
}

const Bound *domain_answer(Arena *a, const Domain *m, const uint8_t *mapping, const CaseSpec *spec,
                           const OtherBytes *other, DiagList *diags) {
    return m->kind->answer ? m->kind->answer(a, m, mapping, spec, other, diags)
                           : draw_reference(a, m->op, mapping, spec, other, diags);
}

int64_t domain_size(const OpInput *in, int axis, const int64_t *dim) {
    return in->dim[axis] >= 0 ? dim[in->dim[axis]] : in->size[axis];
}

int64_t domain_elements(const Op *op, const int64_t *dim) {
    int64_t sum = 0;
    for (int i = 0; i < op->inputs; i++) {
        int64_t n = 1;
        for (int d = 0; d < op->input[i].rank; d++) n *= domain_size(&op->input[i], d, dim);
        sum += n;
    }
    return sum;
}
