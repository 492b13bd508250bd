#include "cases/twins.h"

#include <string.h>

#include "base/numeric/rng.h"
#include "cases/domain/lines.h"

// Line k of a slice, where an input has all lines that have classes.
static int64_t line_in(const Domain *m, const CaseTruth *t, int64_t slice, int64_t k) {
    const Reduction *of = &m->reduction[t->over];
    for (int i = 0; i < m->op->inputs; i++) {
        int64_t shape[OP_RANK_MAX], lines = 1;
        bool along[OP_RANK_MAX] = {0};
        int axis = m->slice_axis[i];
        for (int d = 0; d < of->input[i].axes; d++) along[of->input[i].axis[d]] = true;
        for (int d = 0; d < m->op->input[i].rank; d++) {
            shape[d] = along[d] ? 1 : domain_size(&m->op->input[i], d, t->dim);
            lines *= shape[d];
        }
        if (of->input[i].by_class && axis >= 0 && !along[axis] && lines == t->lines)
            return slice_element(shape, m->op->input[i].rank, axis, slice, k);
    }
    return slice * (t->lines / t->slices) + k;
}

// At least one slice is missing, and another one there twice: what others a slice stands beside is not the
// same.
void twins_pair(const Draw *d, int i) {
    CaseTruth *t = &d->truth[i], *base = &d->truth[i - 1];
    Rng r = rng_at(d->seed, rng_mix(d->seed, 0x7477696e + (uint64_t)i));
    int64_t n = t->slices, lines = t->lines / n;
    t->twin = t->twinned = base->twinned = true;
    int64_t step = 1 + 2 * (int64_t)rng_below(&r, (uint64_t)n / 2); // odd: even slices come to odd places
    for (int64_t k = 0; k < n; k++) t->twin_slice[k] = (uint8_t)((k + step) % n);
    t->twin_slice[n - 1] = t->twin_slice[0];
    for (int64_t s = 0; s < n; s++)
        for (int64_t k = 0; k < lines; k++)
            t->line_class[line_in(d->domain, t, s, k)] =
                base->line_class[line_in(d->domain, t, t->twin_slice[s], k)];
}

static void copy_slices(const Domain *m, const CaseTruth *t, const CaseSpec *from, const CaseSpec *to,
                        uint8_t *map) {
    for (int k = 0; k < m->op->inputs; k++) {
        const CaseTensor *x = &from->input[k], *y = &to->input[k]; // laid out alike
        memcpy(map + y->at, map + x->at, (size_t)x->bytes);
        for (int64_t s = 0; m->slice_axis[k] >= 0 && s < t->slices; s++)
            slice_copy(map, y, s, x, t->twin_slice[s], m->slice_axis[k]);
    }
}

static void mark_slices(const Domain *m, const CaseTruth *t, const CaseSpec *spec, uint8_t *map) {
    for (int k = 0; k < m->op->inputs; k++) {
        const CaseTensor *x = &spec->input[k];
        int axis = m->slice_axis[k];
        if (!x->marks || axis < 0) continue;
        int64_t size = dtype_bytes((DType)x->dtype), n = slice_size(x->shape, x->rank, axis);
        for (int64_t s = 0; s < t->slices; s++)
            for (int64_t i = 0; i < n; i++) {
                int64_t at = tensor_element(x, slice_element(x->shape, x->rank, axis, s, i)) * size;
                memset(map + x->marks + at, 1 << s, (size_t)size);
            }
    }
}

void twins_fill(Draw *d, const CaseSpec *spec, uint8_t *map) {
    for (int i = 1; i < d->cases; i++) {
        if (!d->truth[i].twin) continue;
        copy_slices(d->domain, &d->truth[i], &spec[i - 1], &spec[i], map);
        mark_slices(d->domain, &d->truth[i], &spec[i - 1], map);
        mark_slices(d->domain, &d->truth[i], &spec[i], map);
    }
}

static bool same(const double *x, int64_t i, const double *y, int64_t k) {
    return memcmp(x + i, y + k, sizeof *x) == 0;
}

// Slices of the right answer that do not depend on other ones, nor on their own place, come out the same.
static bool output_alike(const CaseTruth *t, int axis, const Bound *base, const Bound *twin) {
    if (axis < 0 || twin->numel != base->numel || twin->rank != base->rank || twin->rank <= axis ||
        twin->shape[axis] != t->slices || base->shape[axis] != t->slices || !twin->e != !base->e)
        return false;
    int64_t n = slice_size(twin->shape, twin->rank, axis);
    for (int64_t s = 0; s < t->slices; s++)
        for (int64_t k = 0; k < n; k++) {
            int64_t to = slice_element(twin->shape, twin->rank, axis, s, k),
                    from = slice_element(base->shape, base->rank, axis, t->twin_slice[s], k);
            if (!same(twin->v, to, base->v, from)) return false;
            if (twin->e && !same(twin->e, to, base->e, from)) return false;
        }
    return true;
}

static unsigned outputs_alike(const Domain *m, const CaseTruth *t, const Bound *base, const Bound *twin) {
    unsigned alike = 0;
    for (int k = 0; twin && base; k++, twin = twin->also, base = base->also)
        alike |= (unsigned)output_alike(t, m->output_slice[k], base, twin) << k;
    return alike;
}

void twins_judge(Draw *d) {
    unsigned all = (1u << d->op->outputs) - 1;
    for (int i = 1; i < d->cases; i++)
        if (d->truth[i].twin)
            all &= outputs_alike(d->domain, &d->truth[i], d->truth[i - 1].expected, d->truth[i].expected);
    for (int i = 1; i < d->cases; i++) d->truth[i].alike = d->truth[i].twin ? (uint8_t)all : 0;
}

bool twins_differ(const Bound *b, int axis, const uint8_t *one, int64_t slice, const uint8_t *two,
                  int64_t other) {
    int64_t size = dtype_bytes(b->dtype), n = slice_size(b->shape, b->rank, axis);
    for (int64_t k = 0; k < n; k++) {
        int64_t at = slice_element(b->shape, b->rank, axis, slice, k) * size,
                from = slice_element(b->shape, b->rank, axis, other, k) * size;
        if (memcmp(one + at, two + from, (size_t)size) != 0) return true;
    }
    return false;
}
