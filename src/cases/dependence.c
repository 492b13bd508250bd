// Which elements a kernel has to load: found by asking the reference what it would say if one were different.
#include "base/numeric/rng.h"
#include "cases/domain/domain.h"
#include "cases/domain/lines.h"
#include "cases/draw.h"
#include <math.h>

static double ulp(DType t, double v) {
    double m = fabs(v) < dtype_max(t) ? fabs(v) : dtype_max(t);
    return dtype_is_float(t) ? 2 * dtype_half_ulp(t, m) : 1;
}

// Where no value is right for both answers. Four times farther apart than that: a row that is nearly right
// for both proves nothing.
static bool output_excludes(const Bound *one, const Bound *two, uint8_t *where) {
    bool any = false;
    if (one->numel != two->numel) return false;
    for (int64_t i = 0; i < one->numel; i++) {
        double v = one->v[i], u = two->v[i], e = (one->e ? one->e[i] : 0) + (two->e ? two->e[i] : 0);
        if (!isfinite(v) || !isfinite(u) || !(e < INFINITY)) continue;
        double largest = fabs(v) > fabs(u) ? v : u;
        where[i] = fabs(v - u) > 4 * (BOUND_KAPPA * BOUND_U * e + ulp(one->dtype, largest));
        any |= where[i];
    }
    return any;
}

static bool exclude_each_other(const Bound *one, const Bound *two, uint8_t *where) {
    bool any = false;
    for (; one && two; where += one->numel, one = one->also, two = two->also)
        any |= output_excludes(one, two, where);
    return any;
}

// A value of the same tensor is in its domain, wherever it is put.
static bool try_one(Arena *scratch, Draw *d, Rng *r, uint8_t *depends, Dependence *out) {
    const Op *op = d->op;
    out->input = (int)rng_below(r, (uint64_t)op->inputs);
    const CaseSpec *spec = &d->spec[out->case_index];
    const CaseTensor *t = &spec->input[out->input];
    int64_t n, size = dtype_bytes((DType)t->dtype);
    if (!shape_numel(t->shape, t->rank, &n) || n < 2) return false;
    out->element = (int64_t)rng_below(r, (uint64_t)n);
    int64_t at = tensor_element(t, out->element) * size,
            from = tensor_element(t, (int64_t)rng_below(r, (uint64_t)n)) * size;
    const uint8_t *data = d->mapping + t->at;
    uint8_t *changed = arena_raw(scratch, (size_t)t->bytes + 1, 64);
    memcpy(changed, data, (size_t)t->bytes);
    memcpy(changed + at, data + from, (size_t)size);
    DiagList diags = DIAGS(scratch);
    const Bound *b =
        domain_answer(scratch, d->domain, d->mapping, spec, &(OtherBytes){out->input, changed}, &diags);
    return b && exclude_each_other(d->truth[out->case_index].expected, b, depends);
}

void draw_dependences(Arena *a, Draw *d, uint8_t *map) {
    enum { TRIES = 16, MARKS = 8 };
    Arena scratch = {0};
    int *tiny = NEWN(&scratch, int, (size_t)d->cases), cases = 0;
    int *marks = NEWN(&scratch, int, (size_t)d->cases);
    for (int i = 0; i < d->cases; i++)
        if (d->spec[i].origin_at > 0 && !d->truth[i].hidden && !d->truth[i].twinned) tiny[cases++] = i;
    Rng r = rng_at(d->seed, rng_mix(d->seed, 0x6e656564));
    ArenaMark mark = arena_mark(&scratch);
    for (int k = 0; k < TRIES && cases > 0 && d->dependences < DEPENDENCES_MAX; k++) {
        ArenaMark unused = arena_mark(a);
        arena_reset(&scratch, mark);
        int64_t most = 0;
        for (int i = 0; i < cases; i++)
            if (answer_numel(d->truth[tiny[i]].expected) > most)
                most = answer_numel(d->truth[tiny[i]].expected);
        uint8_t *depends = NEWN(a, uint8_t, (size_t)most + 1);
        Dependence n = {.depends = depends, .case_index = tiny[rng_below(&r, (uint64_t)cases)]};
        if (!try_one(&scratch, d, &r, depends, &n) || marks[n.case_index] == MARKS) {
            arena_reset(a, unused);
            continue;
        }
        const CaseTensor *t = &d->spec[n.case_index].input[n.input];
        int64_t size = dtype_bytes((DType)t->dtype);
        n.bit = marks[n.case_index]++;
        for (int64_t b = 0; b < size; b++)
            map[t->marks + tensor_element(t, n.element) * size + b] |= (uint8_t)(1 << n.bit);
        d->dependence[d->dependences++] = n;
    }
    arena_free(&scratch);
}
