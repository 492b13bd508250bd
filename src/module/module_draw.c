#include "module/module_draw.h"

#include "base/numeric/rng.h"
#include <math.h>

// Labels keep the streams of parameters, of sources and of wide inputs apart.
enum { LABEL_NAME = 1, LABEL_SOURCE, LABEL_WIDE };

static double stored(DType t, double x) {
    if (t == DT_F32) return (double)(float)x; // without a call: that is nearly every number
    return dtype_is_float(t) && t != DT_F64 ? dtype_round(t, x) : x;
}

// A size that no rounding of the type takes to zero or to a subnormal.
static double apart_from_zero(double x) { return fabs(x) < 0x1p-20 ? copysign(0x1p-20, x) : x; }

// Weights keep the size of what they are applied to; scales and own parameters have both signs and stay away
// from 0 and 1, which would hide them; a variance is positive.
static double of_weight(double normal, int64_t fan) {
    return apart_from_zero(normal / sqrt((double)(fan > 0 ? fan : 1)));
}
static double by_role(Rng *r, Str role) {
    if (str_is(role, "variance")) return 0.25 + 2 * rng_unit(r);
    if (str_is(role, "gain")) {
        double size = 0.5 + rng_unit(r);
        return rng_unit(r) < 0.5 ? -size : size;
    }
    if (str_is(role, "bias") || str_is(role, "mean")) return apart_from_zero(0.5 * rng_normal(r));
    return apart_from_zero(rng_normal(r)); // own
}

static Bound *new_tensor(Interp *in, DType t, const int64_t *shape, int rank) {
    Bound *b = bound_apply(in->bound, BOUND_FULL, NULL, 0, shape, rank, 0);
    if (!b) return NULL;
    b->dtype = t;
    b->op = BOUND_INPUT;
    b->input_index = DRAWN_PARAMETER;
    return b;
}

static void draw_numbers(Rng *r, const Drawn *d, double *out, int64_t n) {
    switch (d->kind) {
    case DRAWN_ROLE: {
        bool weight = str_is(d->role, "weight");
        if (weight) rng_fill_normal(r, out, (size_t)n); // many at once
        for (int64_t i = 0; i < n; i++) out[i] = weight ? of_weight(out[i], d->fan) : by_role(r, d->role);
        return;
    }
    case DRAWN_UNIT:
        for (int64_t i = 0; i < n; i++) out[i] = (double)(rng_u32(r) >> 8) * 0x1p-24;
        return;
    case DRAWN_NORMAL: rng_fill_normal(r, out, (size_t)n); return;
    default:
        for (int64_t i = 0; i < n; i++) out[i] = (double)rng_between(r, d->low, d->high - 1);
    }
}

const Bound *module_draw_tensor(Interp *in, const Drawn *d) {
    Bound *b = new_tensor(in, d->dtype, d->shape, d->rank);
    if (b && d->kind != DRAWN_ROLE) b->input_index = DRAWN_BY_FILE;
    if (!b || !b->v) return b;
    uint64_t label = d->kind == DRAWN_ROLE ? rng_mix(str_hash(d->name), LABEL_NAME)
                                           : rng_mix((uint64_t)d->stream, LABEL_SOURCE);
    Rng r = rng_at(rng_mix(d->kind == DRAWN_ROLE ? in->form->seed : in->form->input_seed, label), 0);
    draw_numbers(&r, d, b->v, b->numel);
    for (int64_t i = 0; i < b->numel; i++) b->v[i] = stored(d->dtype, b->v[i]);
    return b;
}

const Bound *module_given(Interp *in, const Tensor *t, const Drawn *d) {
    bool fits = t->dtype == d->dtype && t->rank == d->rank;
    for (int i = 0; fits && i < t->rank; i++) fits = t->shape[i] == d->shape[i];
    return fits ? bound_input(in->bound, t, -1) : NULL;
}

bool module_is_random(Interp *in, const Bound *b) {
    const ModuleForm *f = in->form;
    b = bound_settle(in->bound, b);
    for (int i = 0; i < f->sources; i++)
        if (f->source[i] == b) return true;
    return false;
}

// Numbers of both signs; along the first axis, such as the samples of a batch, each place has its own scale.
static void fill_wide(uint64_t seed, double of_case, Bound *b) {
    static const double scales[] = {0.25, 1, 1, 4};
    Rng r = rng_at(seed, 0), sizes = rng_at(seed, 1);
    int64_t rows = b->rank > 1 && b->shape[0] > 0 ? b->shape[0] : 1, n = b->numel / rows;
    rng_fill_normal(&r, b->v, (size_t)b->numel);
    for (int64_t i = 0; i < rows; i++) {
        double scale = b->rank > 1 ? scales[rng_below(&sizes, sizeof scales / sizeof *scales)] : 1;
        scale *= of_case;
        for (int64_t k = 0; k < n; k++)
            b->v[i * n + k] = stored(b->dtype, apart_from_zero(scale * b->v[i * n + k]));
    }
}

const Bound *module_draw_input(Interp *in, const Bound *b, int index, bool published) {
    b = bound_settle(in->bound, b);
    Bound *own = new_tensor(in, b->dtype, b->shape, b->rank);
    if (!own) return NULL;
    own->input_index = index;
    if (!own->v) return own;
    if (!published && b->rank > 0 && module_is_random(in, b)) {
        fill_wide(rng_mix(in->form->input_seed, rng_mix((uint64_t)index, LABEL_WIDE)), in->form->scale, own);
        return own;
    }
    for (int64_t i = 0; i < b->numel; i++) own->v[i] = stored(b->dtype, b->v[i]);
    return own;
}
