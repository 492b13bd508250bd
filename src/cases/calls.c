#include "cases/calls.h"

#include <assert.h>

#include "base/numeric/rng.h"
#include "cases/plan.h"

enum {
    ALIGN = 64,
    SMALL_BYTES = 1 << 14, // of all inputs of a case that is called several times
    FULL_SEQUENCES = 3,
    MANY_CALLS = 2000,
};

static int64_t input_bytes(const CaseSpec *s) {
    int64_t n = 0;
    for (int i = 0; i < s->inputs; i++) n += s->input[i].bytes;
    return n;
}

// The number of rows in the first dimension of inputs that have it; 0: they are not laid out like that.
static int64_t rows_of(const Op *op, const CaseTruth *t) {
    bool any = false;
    for (int i = 0; i < op->inputs; i++)
        for (int k = 0; k < op->input[i].rank; k++) {
            if (op->input[i].dim[k] != op->rows_dim) continue;
            if (k > 0) return 0;
            any = true;
        }
    return op->rows_dim >= 0 && any ? t->dim[op->rows_dim] : 0;
}

static bool has_rows(const Op *op, int input) {
    return op->input[input].rank > 0 && op->rows_dim >= 0 && op->input[input].dim[0] == op->rows_dim;
}

static int smallest_case(const Draw *d, const CaseSpec *layout) {
    int least = 0;
    for (int i = 1; i < d->cases; i++)
        if (input_bytes(&layout[i]) < input_bytes(&layout[least])) least = i;
    return least;
}

// A case to begin with, of this dtype: small, of two rows or more if there are such. -1: none.
static int first_case(const Draw *d, const CaseSpec *layout, DType dtype, Rng *r) {
    int found = -1, seen = 0;
    bool rows = false;
    for (int i = 0; i < d->cases; i++) {
        const CaseTruth *t = &d->truth[i];
        if (t->dtype != dtype || input_bytes(&layout[i]) > SMALL_BYTES || t->twin) continue;
        bool has = rows_of(d->op, t) > 1;
        if (rows && !has) continue;
        if (has && !rows) seen = 0;
        rows |= has;
        if (rng_below(r, (uint64_t)++seen) == 0) found = i;
    }
    return found;
}

// A small case of another shape, of another dtype if there is one. -1: none.
static int other_case(const Draw *d, const CaseSpec *layout, int first, Rng *r) {
    int found = -1, seen = 0;
    bool dtype = false;
    const CaseTruth *f = &d->truth[first];
    for (int i = 0; i < d->cases; i++) {
        const CaseTruth *t = &d->truth[i];
        if (memcmp(t->dim, f->dim, sizeof t->dim) == 0 || input_bytes(&layout[i]) > SMALL_BYTES) continue;
        bool other = t->dtype != f->dtype;
        if (dtype && !other) continue;
        if (other && !dtype) seen = 0;
        dtype |= other;
        if (rng_below(r, (uint64_t)++seen) == 0) found = i;
    }
    return found;
}

static CallSpec *call_add(CallPlan *p, const Draw *d, const CaseSpec *layout, int index, int flags) {
    CallSpec *c = &p->call[p->calls];
    *c = (CallSpec){.spec = layout[index], .flags = flags, .case_index = index, .same_as = -1, .repeats = 1};
    for (int i = 0; i < c->spec.inputs; i++) c->spec.input[i].marks = 0;
    memcpy(p->dim[p->calls++], d->truth[index].dim, sizeof *p->dim);
    return c;
}

// ---- other values of the same shape: elements that are there, at other places

// Which inputs change: those with rows, all together; where there is but one row, data whose elements mean
// the same wherever in a row they stand.
static bool changes(const Op *op, int64_t rows, int input) {
    const OpInput *in = &op->input[input];
    return rows > 1 ? has_rows(op, input) : in->rank > 0 && plan_is_data(in) && in->keep < 0;
}

static void own_values(const Op *op, int64_t rows, CallSpec *c, int64_t *at) {
    for (int i = 0; i < c->spec.inputs; i++) {
        if (!changes(op, rows, i)) continue;
        c->spec.input[i].at = *at;
        *at += (c->spec.input[i].bytes + ALIGN - 1) / ALIGN * ALIGN;
    }
}

static void copy_row(uint8_t *map, const CaseTensor *to, int64_t r, const CaseTensor *from, int64_t k) {
    int64_t size = dtype_bytes((DType)to->dtype), row = to->stride[0] * size, first = to->offset * size;
    int64_t left = to->bytes - first - (r > k ? r : k) * row;
    memcpy(map + to->at + first + r * row, map + from->at + first + k * row,
           (size_t)(left < row ? left : row));
}

// Rows of one element stay as they are: such a case has no other values.
static void turn_elements(uint8_t *map, const CaseTensor *to, const CaseTensor *from, uint64_t choice) {
    int64_t size = dtype_bytes((DType)to->dtype), n = to->shape[to->rank - 1], rows = 1;
    int64_t by = n > 1 ? 1 + (int64_t)(choice % (uint64_t)(n - 1)) : 0;
    for (int d = 0; d + 1 < to->rank; d++) rows *= to->shape[d];
    for (int64_t r = 0; r < rows; r++) {
        int64_t at = to->offset, k = r;
        for (int d = to->rank - 2; d >= 0; d--) {
            at += k % to->shape[d] * to->stride[d];
            k /= to->shape[d];
        }
        for (int64_t i = 0; i < n; i++)
            memcpy(map + to->at + (at + i) * size, map + from->at + (at + (i + by) % n) * size, (size_t)size);
    }
}

// `one`: of one row only.
static void fill_values(const Draw *d, const CallSpec *c, const CaseSpec *from, bool one, uint8_t *map) {
    int64_t rows = rows_of(d->op, &d->truth[c->case_index]);
    Rng r = rng_at(rng_mix(d->seed, 0x63616c6c73), (uint64_t)c->case_index * 2 + one);
    int64_t step = rows > 1 ? 1 + (int64_t)rng_below(&r, (uint64_t)rows - 1) : 0;
    int64_t only = one ? (int64_t)rng_below(&r, (uint64_t)rows) : -1;
    uint64_t choice = rng_u64(&r);
    for (int i = 0; i < c->spec.inputs; i++) {
        const CaseTensor *to = &c->spec.input[i], *x = &from->input[i];
        if (to->at == x->at) continue;
        memcpy(map + to->at, map + x->at, (size_t)x->bytes);
        if (rows <= 1) turn_elements(map, to, x, choice);
        for (int64_t k = 0; rows > 1 && k < rows; k++)
            if (only < 0 || k == only) copy_row(map, to, k, x, (k + step) % rows);
    }
}

// ---- fewer rows

// False where the domain has none.
static bool fewer_rows(const Draw *d, CallPlan *p, Rng *r) {
    const Op *op = d->op;
    CallSpec *c = &p->call[p->calls - 1];
    int64_t *dim = p->dim[p->calls - 1], was[OP_DIMS_MAX], rows = rows_of(op, &d->truth[c->case_index]);
    if (rows < 2) return false;
    for (int k = 0; k < op->dims; k++)
        if (op->dim[k].of == op->rows_dim) return false;
    memcpy(was, dim, sizeof was);
    dim[op->rows_dim] = rng_between(r, 1, rows - 1);
    plan_fit(op, dim);
    for (int k = 0; k < op->dims; k++)
        if (k != op->rows_dim && dim[k] != was[k]) return false;
    if (dim[op->rows_dim] >= rows) return false;
    for (int i = 0; i < c->spec.inputs; i++) {
        CaseTensor *t = &c->spec.input[i];
        if (!has_rows(op, i)) continue;
        t->shape[0] = dim[op->rows_dim];
        int64_t last = t->offset + 1;
        for (int k = 0; k < t->rank; k++) last += (t->shape[k] - 1) * t->stride[k];
        t->bytes = last * dtype_bytes((DType)t->dtype);
    }
    return true;
}

// ---- the plan

static void plan_sequence(const Draw *d, const CaseSpec *layout, int first, Rng *r, CallPlan *p,
                          int64_t *at) {
    int64_t rows = rows_of(d->op, &d->truth[first]);
    int begin = p->calls, other = other_case(d, layout, first, r);
    const CaseSpec *spec = &layout[first];
    call_add(p, d, layout, first, CALL_BUILDS);
    if (rows > 1) own_values(d->op, rows, call_add(p, d, layout, first, CALL_RENEWS), at);
    own_values(d->op, rows, call_add(p, d, layout, first, CALL_RENEWS), at);
    call_add(p, d, layout, first, 0);
    if (!fewer_rows(d, p, r)) p->calls--;
    if (other >= 0) {
        CallSpec *c = call_add(p, d, layout, other, CALL_OTHER);
        c->spec.processors = spec->processors; // one GPU
    }
    call_add(p, d, layout, first, CALL_RENEWS)->same_as = begin;
}

void calls_plan(const Draw *d, const CaseSpec *layout, bool thorough, CallPlan *p, int64_t *at) {
    enum { A_SEQUENCE = 6 };
    Rng r = rng_at(d->seed, rng_mix(d->seed, 0x63616c6c));
    uint64_t turn = rng_u64(&r);
    static const DType dtypes[FULL_SEQUENCES] = {DT_F32, DT_F16, DT_BF16};
    bool any = false;
    p->calls = 0;
    for (int k = 0; k < FULL_SEQUENCES && (thorough || !any); k++) {
        int first = first_case(d, layout, dtypes[(turn + (uint64_t)k) % FULL_SEQUENCES], &r);
        if (first < 0) continue;
        any = true;
        plan_sequence(d, layout, first, &r, p, at);
    }
    if (!any) plan_sequence(d, layout, smallest_case(d, layout), &r, p, at);
    if (!thorough) return;
    assert(p->calls < WIRE_CALLS_MAX && FULL_SEQUENCES * A_SEQUENCE < WIRE_CALLS_MAX);
    int last = p->calls - 1; // the first values again
    p->call[p->calls] = p->call[last];
    p->call[p->calls].repeats = MANY_CALLS;
    memcpy(p->dim[p->calls++], p->dim[last], sizeof *p->dim);
}

bool calls_fill(Arena *a, Draw *d, const CallPlan *p, uint8_t *map, Err *e) {
    bool ok = true;
    d->calls = p->calls;
    d->called = NEWN(a, CallTruth, (size_t)p->calls + 1);
    Arena scratch = {0};
    for (int i = 0, changed = 0; i < p->calls && ok; i++) {
        const CallSpec *c = &p->call[i];
        const CaseSpec *from = &((const CaseSpec *)(map + sizeof(DrawHeader)))[c->case_index];
        CallTruth *t = &d->called[i];
        const CaseTruth *of = &d->truth[c->case_index];
        memcpy(t->dim, p->dim[i], sizeof t->dim);
        bool own = false, rows = memcmp(t->dim, of->dim, sizeof t->dim) != 0;
        for (int k = 0; k < c->spec.inputs; k++) own |= c->spec.input[k].at != from->input[k].at;
        if (c->flags & CALL_BUILDS) changed = 0;
        if (own) fill_values(d, c, from, changed++ == 0 && rows_of(d->op, of) > 1, map);
        t->expected = of->expected;
        if (!own && !rows) continue;
        DiagList diags = DIAGS(&scratch);
        const Bound *b = draw_reference(&scratch, d->op, map, &c->spec, NULL, &diags);
        const Diag *why = diag_first(&diags);
        ok = b || err_set(e, ERR_INPUT, "the reference of %.*s fails on its own domain: %s",
                          STR_ARG(d->op->name), why ? why->msg : "it failed");
        if (ok) t->expected = draw_keep(&d->kept[0], b);
        arena_free(&scratch);
    }
    arena_free(&scratch);
    return ok;
}

void calls_lay(Draw *d, const CallPlan *p, CallSpec *to) {
    for (int i = 0; i < p->calls; i++) {
        const Bound *b = d->called[i].expected;
        to[i] = p->call[i];
        CaseSpec *s = &to[i].spec;
        s->again = 0;
        s->origin_at = 0;
        s->output_bytes = b->numel * dtype_bytes(b->dtype);
        s->output_at = (int64_t)d->output_bytes;
        to[i].kept_at = spec_output_at(s, 1);
        d->output_bytes = (size_t)(to[i].kept_at + s->output_bytes + ALIGN - 1) / ALIGN * ALIGN;
    }
}
