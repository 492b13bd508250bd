#include "cases/metamorphic.h"

#include <math.h>

#include "base/numeric/rng.h"
#include "cases/domain/lines.h"
#include "cases/values/rows.h"

static const OpInvariant *invariant_of(const Draw *d, int i) {
    return &d->op->invariant[d->truth[i].relation - 1];
}

// Whether an input is moved slice by slice.
static bool by_slice(const Draw *d, int input) { return d->domain->slice_axis[input] >= 0; }

// The elements of an input that are moved together: those of a slice, or all.
typedef struct {
    const OpInput *in;
    int axis;
    const CaseTensor *t;
    DType dtype;
    uint8_t *data; // of the storage
    int64_t slices, size;
} Moving;

static Moving moving(const Draw *d, int input, const CaseTensor *t, uint8_t *map) {
    int axis = d->domain->slice_axis[input];
    return (Moving){.in = &d->op->input[input],
                    .axis = axis,
                    .t = t,
                    .dtype = (DType)t->dtype,
                    .data = map + t->at,
                    .slices = axis >= 0 ? t->shape[axis] : 1,
                    .size = slice_size(t->shape, t->rank, axis)};
}

static uint8_t *element(const Moving *m, int64_t slice, int64_t k) {
    int64_t at = tensor_element(m->t, slice_element(m->t->shape, m->t->rank, m->axis, slice, k));
    return m->data + at * dtype_bytes(m->dtype);
}

static double largest(const Moving *m, int64_t slice) {
    double most = 0;
    for (int64_t k = 0; k < m->size; k++) {
        double x = fabs(dtype_load(m->dtype, element(m, slice, k)));
        if (x > most && x < INFINITY) most = x;
    }
    return most;
}

// A power of two near the slice's own size, or up to four times as much, either way; 0 where the domain ends.
static double choose_shift(const Moving *m, int64_t slice, Rng *r) {
    double most = largest(m, slice), cap = row_cap(m->in, m->dtype);
    uint32_t bits = rng_u32(r);
    int exponent;
    frexp(most > 0 ? most : 1, &exponent);
    double by = ldexp(1, exponent + (int)(bits >> 1 & 3) - 1);
    for (int tries = 0; tries < 4 && most + by > cap; tries++) by /= 2;
    if (most + by > cap) return 0;
    return bits & 1 ? by : -by;
}

// To multiples of what the type's spacing is at the far end: values before and after the shift are such
// multiples, and not too many of them.
static void round_slice(const Moving *m, int64_t slice, double by) {
    double grid = 2 * dtype_half_ulp(m->dtype, largest(m, slice) + fabs(by));
    for (int64_t k = 0; k < m->size; k++) {
        uint8_t *p = element(m, slice, k);
        double x = dtype_load(m->dtype, p);
        if (isfinite(x)) dtype_store(m->dtype, p, rint(x / grid) * grid);
    }
}

static bool scales_exactly(const Moving *m, int64_t slice, double by) {
    double cap = m->in->ranged ? m->in->range_hi : row_cap(m->in, m->dtype), least = m->in->range_lo;
    for (int64_t k = 0; k < m->size; k++) {
        double x = dtype_load(m->dtype, element(m, slice, k)), y = x * by;
        if (!isfinite(x)) continue;
        if (dtype_round(m->dtype, y) != y || (m->in->ranged ? y < least || y > cap : fabs(y) > cap))
            return false;
    }
    return true;
}

static double choose_scale(const Moving *m, int64_t slice, Rng *r) {
    static const double by[] = {0.125, 0.25, 0.5, 2, 4, 8};
    enum { COUNT = sizeof by / sizeof *by };
    int first = (int)rng_below(r, COUNT);
    for (int i = 0; i < COUNT; i++)
        if (scales_exactly(m, slice, by[(first + i) % COUNT])) return by[(first + i) % COUNT];
    return 1;
}

static void choose(Arena *a, Draw *d, int i, const CaseSpec *spec, uint8_t *map) {
    CaseTruth *t = &d->truth[i];
    const OpInvariant *v = invariant_of(d, i);
    Moving base = moving(d, v->input, &spec[t->base].input[v->input], map);
    Rng r = rng_at(d->seed, rng_mix(d->seed, 0x6d6f7665 + (uint64_t)i));
    t->moved_by = NEWN(a, double, (size_t)base.slices);
    for (int64_t s = 0; s < base.slices; s++) {
        double by = v->shift ? choose_shift(&base, s, &r) : choose_scale(&base, s, &r);
        if (v->shift && by != 0) round_slice(&base, s, by);
        t->moved_by[s] = by;
    }
}

static void fill(Draw *d, int i, const CaseSpec *spec, uint8_t *map) {
    const CaseTruth *t = &d->truth[i];
    const OpInvariant *v = invariant_of(d, i);
    for (int k = 0; k < d->op->inputs; k++) // laid out alike
        memcpy(map + spec[i].input[k].at, map + spec[t->base].input[k].at, (size_t)spec[i].input[k].bytes);
    Moving m = moving(d, v->input, &spec[i].input[v->input], map);
    for (int64_t s = 0; s < m.slices; s++)
        for (int64_t k = 0; k < m.size; k++) {
            uint8_t *p = element(&m, s, k);
            double x = dtype_load(m.dtype, p);
            dtype_store(m.dtype, p, v->shift ? x + t->moved_by[s] : x * t->moved_by[s]);
        }
}

void metamorphic_fill(Arena *a, Draw *d, const PlannedCase *plan, const CaseSpec *spec, uint8_t *map) {
    for (int i = 0, base = 0; i < d->cases; i++) {
        if (!plan[i].relation) base = i;
        d->truth[i].relation = plan[i].relation;
        d->truth[i].base = base;
        if (!plan[i].relation) continue;
        memcpy(d->truth[i].line_class, d->truth[base].line_class, (size_t)d->truth[i].lines);
        choose(a, d, i, spec, map);
    }
    for (int i = 0; i < d->cases; i++) // when every base has its last values
        if (plan[i].relation) fill(d, i, spec, map);
}

// ---- comparing

// Which slice an element of the answer is of; -1: the answer does not have the input's slices.
static int64_t slice_of(const Draw *d, const CaseTruth *t, int64_t k) {
    const Bound *b = t->expected;
    int axis = d->domain->output_slice[0];
    if (axis < 0 || axis >= b->rank || b->shape[axis] != t->slices || b->numel == 0) return -1;
    for (int i = b->rank - 1; i > axis; i--) k /= b->shape[i];
    return k % b->shape[axis];
}

// What element k of the answer is multiplied by. An answer that does not have the input's slices cannot be
// told apart by them: then all of them have to be moved alike, and `all` says whether they are.
static double factor_at(const Draw *d, int i, int64_t k, bool *all) {
    const CaseTruth *t = &d->truth[i];
    const OpInvariant *v = invariant_of(d, i);
    *all = true;
    if (v->degree == 0) return 1;
    double by = t->moved_by[0];
    if (by_slice(d, v->input)) {
        int64_t slice = slice_of(d, t, k);
        if (slice >= 0) by = t->moved_by[slice];
        for (int64_t s = 0; slice < 0 && s < t->slices; s++) *all &= t->moved_by[s] == by;
    }
    double f = 1;
    for (int n = v->degree < 0 ? -v->degree : v->degree; n > 0; n--) f *= by;
    return v->degree < 0 ? 1 / f : f;
}

// The oracle computes in float64: what it is off by is to its bound, which is of float32, as 2^-53 to 2^-24.
static bool bears_out(const Bound *base, const Bound *twin, int64_t k, double factor) {
    double v = base->v[k] * factor, u = twin->v[k];
    double e = (base->e ? base->e[k] * fabs(factor) : 0) + (twin->e ? twin->e[k] : 0);
    if (!(e < INFINITY)) return true; // nobody is judged by these
    if (!isfinite(v) || !isfinite(u)) return (isnan(v) && isnan(u)) || v == u;
    return fabs(v - u) <= 0x1p-45 * e + 0x1p-48 * fabs(v);
}

static bool check_one(const Draw *d, int i, Err *e) {
    const CaseTruth *t = &d->truth[i];
    const OpInvariant *v = invariant_of(d, i);
    const Bound *base = d->truth[t->base].expected, *twin = t->expected;
    const OpInput *in = &d->op->input[v->input];
    for (int64_t k = 0; k < twin->numel && twin->numel == base->numel; k++) {
        bool all;
        double factor = factor_at(d, i, k, &all);
        if (!all || bears_out(base, twin, k, factor)) continue;
        int64_t slice = by_slice(d, v->input) ? slice_of(d, t, k) : 0;
        if (slice < 0) slice = 0;
        return err_set(
            e, ERR_INPUT,
            "%.*s: invariant says \"%.*s\": %s%s, but with %s %s %g the reference gives %.9g where "
            "%.9g would follow; change the reference or the declaration",
            STR_ARG(d->op->name), STR_ARG(in->name), v->shift ? "\"shift\"" : "\"scale\"",
            v->degree ? " with a power" : "", by_slice(d, v->input) ? "a row of it" : "it",
            v->shift ? "shifted by" : "multiplied by", t->moved_by[slice], twin->v[k], base->v[k] * factor);
    }
    return true;
}

bool metamorphic_check(const Draw *d, Err *e) {
    for (int i = 0; i < d->cases; i++)
        if (d->truth[i].relation && !check_one(d, i, e)) return false;
    return true;
}

bool metamorphic_same(const Draw *d, int i, const uint8_t *outputs) {
    const CaseTruth *t = &d->truth[i];
    DType dtype = t->expected->dtype;
    const uint8_t *one = outputs + d->spec[t->base].output_at, *two = outputs + d->spec[i].output_at;
    for (int64_t k = 0; k < t->expected->numel; k++) {
        bool all;
        double factor = factor_at(d, i, k, &all);
        double x = dtype_load(dtype, one + k * dtype_bytes(dtype)) * factor,
               y = dtype_load(dtype, two + k * dtype_bytes(dtype));
        if (!all || x == y || (isnan(x) && isnan(y))) continue;
        // Where spacing does not go with the values, no bits would do.
        double least = dtype_half_ulp(dtype, 0) / dtype_half_ulp(dtype, 1);
        if (factor != 1 && (fabs(x) <= least || fabs(x / factor) <= least || fabs(x) > dtype_max(dtype)))
            continue;
        return false;
    }
    return true;
}
