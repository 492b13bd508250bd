// The smallest shape on which a program still fails in the same way: parts of the failing case with fewer
// rows and shorter rows, from the same seed. What was drawn for the failing row stays with it as far as its
// length allows, its class in any case. Which row lengths fail need not be monotonous
// (powers of two may pass), so lengths around all powers of two are tried upward, and only between the first
// that fails and the one before it the edge is searched by halves.
#include <math.h>

#include "cases/domain/domain.h"
#include "explain/explain.h"
#include "judge/decide/decide.h"

typedef struct {
    Referee *r;
    Arena *a;
    const ExplainRequest *q;
    const Draw *draw;
    const Explanation *x;
    const Op *op;
    const Domain *domain;
    PlannedCase plan; // the smallest that failed
    int runs;
} Shrink;

typedef struct {
    Draw draw;
    Watched watched;
} Kept;

// One case of its own: does it fail as the original did? Its draw is kept only when `keep` is not NULL.
static bool fails(Shrink *s, const PlannedCase *c, Kept *keep, Verdict *v, bool *yes, Err *e) {
    Arena work = {0};
    Arena *a = keep ? s->a : &work;
    Draw d;
    Watched watched;
    *yes = false;
    s->runs++;
    if (s->q->progress) s->q->progress(s->q->progress_arg, "smaller inputs", s->runs, SHRINK_RUNS_MAX);
    Err bad = {0}; // a shape that the reference cannot do is no smaller failure
    // At level full every config of an autotuned kernel gets its pass.
    if (!draw_make(a, referee_pool(s->r),
                   &(DrawRequest){.op = s->op,
                                  .domain = s->domain,
                                  .level = LEVEL_FULL,
                                  .seed = s->draw->seed,
                                  .plan = c,
                                  .cases = 1},
                   &d, &bad)) {
        arena_free(&work);
        if (bad.code != ERR_INPUT) *e = bad;
        return bad.code == ERR_INPUT;
    }
    watched.without_gaps = false; // of so many
    referee_watch(s->r, a, &d, s->q->source, v, &watched);
    const Verdict *was = &s->x->v;
    *yes = v->decision.status == was->decision.status && strcmp(v->decision.rule, was->decision.rule) == 0 &&
           v->decision.placed == was->decision.placed &&
           (!v->decision.placed || (v->decision.place.at == was->decision.place.at &&
                                    v->decision.place.len == was->decision.place.len));
    if (keep) {
        *keep = (Kept){d, watched};
    } else {
        draw_free(&d);
    }
    arena_free(&work);
    return true;
}

// With slices and length as given; on success and failure of the world s->plan follows.
static bool try_shape(Shrink *s, int64_t m, int64_t n, bool *yes, Err *e) {
    *yes = false;
    if (s->runs >= SHRINK_RUNS_MAX) return true;
    PlannedCase c = s->plan;
    if (s->domain->slices >= 0) c.dim[s->domain->slices] = m;
    domain_set_length(s->domain, n, c.dim);
    plan_fit(s->op, c.dim);
    Verdict v;
    if (!fails(s, &c, NULL, &v, yes, e)) return false;
    if (*yes) s->plan = c;
    return true;
}

static int64_t slices_of(const Shrink *s) { return domain_slices(s->domain, s->plan.dim); }
static int64_t length_of(const Shrink *s) { return domain_length(s->domain, s->plan.dim); }

// One dimension: sizes in `list` below the present one upward, then halves below the first that fails.
static bool shrink_one(Shrink *s, bool slices, Err *e) {
    static const int64_t list[] = {1, 2, 3, 4, 5, 7, 8, 9};
    enum { LIST = sizeof list / sizeof *list, POWERS = 13 };
    int64_t now = slices ? slices_of(s) : length_of(s), passed = 0;
    bool yes = false;
    for (int i = 0; i < LIST + 3 * POWERS && !yes; i++) {
        int64_t k = i < LIST ? list[i] : ((int64_t)16 << (i - LIST) / 3) + (i - LIST) % 3 - 1;
        if (k >= now) break;
        if (!try_shape(s, slices ? k : slices_of(s), slices ? length_of(s) : k, &yes, e)) return false;
        if (!yes) passed = k;
    }
    for (int64_t hi = slices ? slices_of(s) : length_of(s); hi - passed > 1;) {
        int64_t mid = passed + (hi - passed) / 2;
        if (!try_shape(s, slices ? mid : slices_of(s), slices ? length_of(s) : mid, &yes, e)) return false;
        if (s->runs >= SHRINK_RUNS_MAX) break;
        if (yes) hi = slices ? slices_of(s) : length_of(s);
        if (!yes || hi > mid) passed = mid; // the domain may round sizes up
    }
    return true;
}

// Of an output without slices, such as a sum over them: any.
static int64_t slice_of_element(const Explanation *x, const CaseTruth *t) {
    int64_t size = truth_output(t, x->v.decision.output)->numel / t->slices;
    return size > 0 ? x->v.decision.element / size % t->slices : 0;
}

// The failing case as a plan of its own, with the very same values; then, where one slice is at fault, that
// one alone.
static bool begin(Shrink *s, const PlannedCase *plan, bool *yes, Err *e) {
    const Explanation *x = s->x;
    *yes = false;
    s->plan = plan[x->case_index];
    s->plan.hidden = false;
    // What was moved is drawn as it was before: the failure may or may not be there, too.
    s->plan.as_case = (s->plan.relation ? s->draw->truth[x->case_index].base : x->case_index) + 1;
    s->plan.relation = 0;
    s->plan.processors = s->draw->spec[x->case_index].processors;
    if (!try_shape(s, slices_of(s), length_of(s), yes, e)) return false;
    if (!*yes || x->any_class || x->v.decision.element < 0 || !domain_slices_first(s->domain)) return true;
    const CaseTruth *t = &s->draw->truth[x->case_index];
    PlannedCase all = s->plan;
    bool alone;
    s->plan.skip = slice_of_element(x, t);
    if (!try_shape(s, 1, length_of(s), &alone, e)) return false;
    if (!alone) s->plan = all;
    return true;
}

static bool shrink_layout(Shrink *s, Err *e) {
    PlannedCase before = s->plan;
    bool yes;
    if (!before.strided) return true;
    s->plan.strided = 0;
    if (!try_shape(s, slices_of(s), length_of(s), &yes, e)) return false;
    if (!yes) s->plan = before;
    return true;
}

// Sizes that are neither slices nor length: each as small as the domain allows, where that still fails.
static bool shrink_others(Shrink *s, Err *e) {
    for (int d = 0; d < s->op->dims; d++) {
        if (domain_counts(s->domain, d) || s->op->dim[d].of >= 0) continue;
        PlannedCase before = s->plan;
        bool yes;
        s->plan.dim[d] = 1;
        if (!try_shape(s, slices_of(s), length_of(s), &yes, e)) return false;
        if (!yes) s->plan = before;
    }
    return true;
}

static void put_inputs(Buf *b, const Draw *d) {
    enum { SHORT = 16 };
    const char *joint = "";
    for (int i = 0; i < d->op->inputs; i++) {
        Storage store;
        const CaseTensor *t = &d->spec[0].input[i];
        Tensor x = draw_input(d->mapping, t, &store);
        int64_t n = tensor_numel(&x);
        buf_printf(b, "%s%.*s = ", joint, STR_ARG(d->op->input[i].name));
        joint = ", ";
        if (n > SHORT) {
            buf_printf(b, "%lld values", (long long)n);
            continue;
        }
        buf_putc(b, '[');
        for (int64_t k = 0; k < n; k++) {
            int64_t index[TENSOR_RANK_MAX] = {0}, rest = k;
            for (int r = x.rank - 1; r >= 0; r--) index[r] = rest % x.shape[r], rest /= x.shape[r];
            double v = dtype_load(x.dtype, store.data + tensor_at(&x, index) * dtype_bytes(x.dtype));
            buf_printf(b, "%s%.9g", k ? ", " : "", v);
        }
        buf_putc(b, ']');
    }
}

static void put_element(Shrink *s, const Draw *d, const Watched *w, Minimal *out) {
    int which = out->v.decision.output;
    const Bound *b = truth_output(&d->truth[0], which);
    const CaseReport *r = w->reports > 0 && w->report[0].kind == REPORT_RAN ? &w->report[0] : NULL;
    if (!r || !w->output || out->v.decision.element < 0 || out->v.decision.element >= b->numel) return;
    int64_t from = d->spec[0].output[which].at;
    const uint8_t *output = w->output + spec_output_at(&d->spec[0], 0) + from;
    const uint8_t *pixel = explain_pixels(s->a, b, output, w->flags + d->spec[0].output_at + from);
    int64_t at = 0, n = b->rank ? b->shape[b->rank - 1] : 1;
    while (at < b->numel && pixel[at] < PIXEL_WRONG) at++;
    if (at == b->numel) at = out->v.decision.element; // only another order of the programs is wrong
    out->line = b->rank == 1 && d->domain->slices < 0;
    out->out_row = at / n;
    out->out_column = at % n;
    out->has_values = pixel[at] == PIXEL_WRONG || pixel[at] == PIXEL_NAN;
    out->expected = b->v[at];
    out->bound = b->e ? BOUND_KAPPA * BOUND_U * b->e[at] : 0;
    dtype_load_row(b->dtype, output + at * dtype_bytes(b->dtype), 1, &out->got, 1);
}

static bool report(Shrink *s, Minimal *out, Err *e) {
    Kept kept = {.draw.fd = -1};
    Draw *d = &kept.draw;
    bool yes;
    if (!fails(s, &s->plan, &kept, &out->v, &yes, e)) return false;
    out->found = yes;
    out->runs = s->runs;
    out->rows = slices_of(s);
    out->row = length_of(s);
    out->dtype = s->plan.dtype;
    out->strided = s->plan.strided;
    out->cls = s->x->cls;
    memcpy(out->dim, s->plan.dim, sizeof out->dim);
    const CaseTruth *t = &s->draw->truth[s->x->case_index];
    out->same = memcmp(t->dim, s->plan.dim, sizeof t->dim) == 0;
    if (yes) {
        if (out->v.decision.element >= 0)
            out->cls = truth_class(d, 0, out->v.decision.output, out->v.decision.element);
        put_element(s, d, &kept.watched, out);
        Buf b = BUF(s->a);
        if (out->has_values) put_inputs(&b, d);
        out->input = b.len ? buf_cstr(&b) : NULL;
    }
    draw_free(d);
    return true;
}

bool explain_shrink(const Explainer *by, const Draw *d, const PlannedCase *plan, const Explanation *x,
                    Minimal *out, Err *e) {
    *out = (Minimal){.out_row = -1, .out_column = -1};
    Shrink s = {.r = by->r, .a = by->a, .q = by->q, .draw = d, .x = x, .op = by->q->op, .domain = d->domain};
    bool yes;
    if (!begin(&s, plan, &yes, e)) return false;
    out->runs = s.runs;
    if (!yes) return true;
    bool ok = shrink_layout(&s, e) && shrink_one(&s, true, e) && shrink_one(&s, false, e) &&
              shrink_one(&s, true, e) && shrink_others(&s, e);
    return ok && report(&s, out, e);
}
