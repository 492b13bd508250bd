// Is an op worth refereeing? A definition whose zero, constant or copied-input answer would pass teaches
// nothing and can be fooled by doing nothing; it is refused with that reason.
#include <math.h>

#include "base/numeric/rng.h"
#include "cases/modules/modules_domain.h"
#include "judge/decide/decide.h"
#include "judge/decide/rounded_op.h"
#include "judge/referee.h"
#include "judge/shapes/large_tensors.h"

typedef enum { ANSWER_ZEROS, ANSWER_ONES, ANSWER_FIRST, ANSWER_COPY } Answer;
typedef struct {
    int output;
    Answer kind;
    int input; // of a copy
} Lazy;

// Writes the first n elements of the lazy answer; false when it does not exist for this case (no input of the
// output's shape).
static bool lazy_answer(const Draw *d, int index, const Lazy *lazy, int64_t n, void *out) {
    const Bound *want = truth_output(&d->truth[index], lazy->output);
    const CaseTensor *t = &d->spec[index].input[lazy->input];
    Answer kind = lazy->kind;
    int bytes = dtype_bytes(want->dtype);
    if (kind != ANSWER_COPY) {
        // A module's answer may be one number: then a constant is the same in all cases.
        const Bound *first =
            d->op->form && want->numel == 1 ? truth_output(&d->truth[0], lazy->output) : want;
        double x = kind == ANSWER_ZEROS ? 0 : kind == ANSWER_ONES ? 1 : first->v[0];
        for (int64_t i = 0; i < n; i++) dtype_store(want->dtype, (char *)out + i * bytes, x);
        return true;
    }
    if (t->rank != want->rank || memcmp(t->shape, want->shape, sizeof *t->shape * (size_t)t->rank) != 0)
        return false;
    Storage s;
    Tensor x = draw_input(d->mapping, t, &s);
    for (int64_t i = 0; i < n; i++) {
        int64_t at = x.offset, rest = i;
        for (int k = x.rank - 1; k >= 0; k--) at += rest % x.shape[k] * x.stride[k], rest /= x.shape[k];
        dtype_store(want->dtype, (char *)out + i * bytes,
                    dtype_load(x.dtype, s.data + at * dtype_bytes(x.dtype)));
    }
    return true;
}

// Whether the first n elements of it are right in that case.
static bool lazy_right(Arena *a, const Draw *d, int index, const Lazy *lazy, int64_t n) {
    const Bound *want = truth_output(&d->truth[index], lazy->output);
    ArenaMark mark = arena_mark(a);
    void *out = arena_raw(a, (size_t)(n * dtype_bytes(want->dtype)) + 8, 64);
    uint8_t *judged = NEWN(a, uint8_t, (size_t)n + 1);
    const Bound part = {.dtype = want->dtype, .numel = n, .v = want->v, .e = want->e};
    Comparison c = {.wrong = 1};
    if (lazy_answer(d, index, lazy, n, out)) compare_case(&part, NULL, out, judged, &c);
    arena_reset(a, mark);
    return c.wrong == 0;
}

// Mostly the first few elements are wrong already.
static bool lazy_passes(Arena *a, const Draw *d, const Lazy *lazy) {
    enum { FEW = 512 };
    for (int i = 0; i < d->cases; i++) {
        int64_t all = truth_output(&d->truth[i], lazy->output)->numel;
        if (all > FEW && !lazy_right(a, d, i, lazy, FEW)) return false;
        if (!lazy_right(a, d, i, lazy, all)) return false;
    }
    return true;
}

// Each output on its own: every one of them is judged, and none may be had for nothing.
static bool check_lazy(Arena *a, const Draw *d, int output, Err *e) {
    const Op *op = d->op;
    Buf of = BUF(a);
    put_output(&of, op, output);
    static const char *const what[] = {"all zeros", "all ones", "one constant everywhere"};
    for (Answer k = ANSWER_ZEROS; k <= ANSWER_FIRST; k++)
        if (lazy_passes(a, d, &(Lazy){output, k, 0}))
            return err_set(
                e, ERR_INPUT,
                "%.*s: an answer%s of %s would pass; widen the inputs' domain or change the reference",
                STR_ARG(op->name), buf_cstr(&of), what[k]);
    for (int i = 0; i < op->inputs; i++)
        if (lazy_passes(a, d, &(Lazy){output, ANSWER_COPY, i}))
            return err_set(
                e, ERR_INPUT, "%.*s: a copy of input %.*s would pass%s%s; change the reference or its domain",
                STR_ARG(op->name), STR_ARG(op->input[i].name), of.len ? " in place" : "", buf_cstr(&of));
    return true;
}

typedef struct {
    int64_t judged, elements;
} Judged;

static Judged count_judged(const Draw *d, int output) {
    Judged j = {0};
    for (int i = 0; i < d->cases; i++) {
        const Bound *b = truth_output(&d->truth[i], output);
        j.elements += b->numel;
        for (int64_t k = 0; k < b->numel; k++) j.judged += !b->e || b->e[k] < INFINITY || isnan(b->v[k]);
    }
    return j;
}

// Elements that no case can judge would be free for anything.
static bool check_judged(const Draw *d, int output, Err *e) {
    const Judged j = count_judged(d, output);
    if (j.judged * 2 >= j.elements && j.elements > 0) return true;
    return err_set(e, ERR_INPUT,
                   "%.*s: only %lld of %lld output elements can be judged (intermediates leave float32's "
                   "range); narrow the inputs' scale",
                   STR_ARG(d->op->name), (long long)j.judged, (long long)j.elements);
}

static bool check_moves(Referee *r, Arena *a, const Op *op, uint64_t seed, Err *e) {
    PlannedCase *plan;
    int cases = plan_metamorphic(a, domain_make(a, op), seed, &plan);
    Draw d;
    if (cases == 0) return true;
    if (!draw_make(a, referee_pool(r),
                   &(DrawRequest){.op = op, .level = LEVEL_QUICK, .seed = seed, .plan = plan, .cases = cases},
                   &d, e))
        return false;
    draw_free(&d);
    return true;
}

// Of elements that both can judge: one value lies within both bounds.
static bool agree(const Bound *a, const Bound *b) {
    if (a->numel != b->numel || a->dtype != b->dtype || a->rank != b->rank) return false;
    for (int64_t i = 0; i < a->numel; i++) {
        double e = (a->e ? a->e[i] : 0) + (b->e ? b->e[i] : 0), x = a->v[i], y = b->v[i];
        if (!(e < INFINITY) || x == y || (isnan(x) && isnan(y))) continue;
        if (!(fabs(x - y) <= BOUND_KAPPA * BOUND_U * e)) return false;
    }
    return true;
}

static bool all_agree(const Bound *a, const Bound *b) {
    for (; a && b; a = a->also, b = b->also)
        if (!agree(a, b)) return false;
    return !a && !b;
}

// A rounding is a reference: held to what one is held to. In float32 it is the same one.
static bool check_roundings(Referee *r, Arena *a, const Draw *d, Err *e) {
    const Op *op = d->op;
    DrawFilter all = {.dtype = -1};
    for (int k = 0; k < op->roundings; k++) {
        Op other = op_rounded(op, k);
        DrawRequest of = {.op = &other, .level = d->level, .seed = d->seed, .filter = &all};
        Draw own;
        if (!draw_make(a, referee_pool(r), &of, &own, e))
            return err_ctx(e, "rounding %.*s", STR_ARG(op->rounding[k].name));
        bool ok = true, floats = own.seed == d->seed;
        for (int o = 0; o < op->outputs && ok; o++)
            ok = check_judged(&own, o, e) && check_lazy(a, &own, o, e);
        for (int i = 0; i < op->inputs; i++)
            floats &=
                op->input[i].any_float || (op->input[i].dtype != DT_F16 && op->input[i].dtype != DT_BF16);
        for (int i = 0; ok && floats && i < d->cases && i < own.cases; i++)
            if (d->truth[i].dtype == DT_F32 && !all_agree(d->truth[i].expected, own.truth[i].expected))
                ok = err_set(e, ERR_INPUT,
                             "%.*s: in float32 it is not the reference: it may differ in roundings alone",
                             STR_ARG(op->name));
        draw_free(&own);
        if (!ok) return err_ctx(e, "rounding %.*s", STR_ARG(op->rounding[k].name));
    }
    return true;
}

// Of a module all cases have the same shapes. Whether a few of them say enough: what is judged in those is
// half of all cases' elements, and no lazy answer passes.
static bool few_cases_suffice(Referee *r, Arena *a, const Op *op, uint64_t seed) {
    enum { FEW = 3 };
    const Domain *m = op->form;
    PlannedCase *plan;
    Draw d;
    Err unsaid = {0};
    int all = m->kind->cases(a, m, &(PlanRequest){.level = LEVEL_QUICK, .seed = seed}, &plan);
    if (all <= FEW || all > 2 * FEW) return false;
    const DrawRequest q = {.op = op,
                           .domain = m,
                           .level = LEVEL_QUICK,
                           .seed = seed,
                           .plan = plan,
                           .cases = FEW,
                           .called_once = true};
    if (!draw_make(a, referee_pool(r), &q, &d, &unsaid)) return false;
    bool ok = true;
    for (int k = 0; k < op->outputs && ok; k++) {
        Judged j = count_judged(&d, k);
        ok = j.elements > 0 && j.judged * 2 * FEW >= j.elements * all && check_lazy(a, &d, k, &unsaid);
    }
    draw_free(&d);
    return ok;
}

static bool check_definition(Referee *r, Arena *a, const Op *op, uint64_t seed, Err *e) {
    if (op->large && !op->form && !large_tensors_declared(op))
        return err_set(e, ERR_INPUT,
                       "%.*s: giant = True, but its domain ends before 2^31 elements; raise the max of \"M\" "
                       "in dims, or "
                       "take giant away",
                       STR_ARG(op->name));
    if (op->form && few_cases_suffice(r, a, op, seed >> 1)) return true;
    Draw d;
    DrawFilter all = {.dtype = -1};
    if (!draw_make(a, referee_pool(r),
                   &(DrawRequest){.op = op,
                                  .domain = domain_make(a, op), // not the smaller sizes of that level
                                  .level = LEVEL_QUICK,
                                  .seed = seed >> 1,
                                  .filter = &all,
                                  .called_once = op->form != NULL},
                   &d, e))
        return false;
    bool ok = true;
    for (int k = 0; k < op->outputs && ok; k++) ok = check_judged(&d, k, e) && check_lazy(a, &d, k, e);
    ok = ok && check_moves(r, a, op, seed >> 1, e) && check_roundings(r, a, &d, e);
    draw_free(&d);
    return ok;
}

bool referee_check_definition(Referee *r, Arena *a, const Op *op, Err *e) {
    uint64_t seed;
    return rng_entropy(&seed, sizeof seed, e) && check_definition(r, a, op, seed, e);
}

// Which sizes a module has at level quick hangs on its text alone: of a reference that hardly ever says
// anything at smaller ones, the same seed would give verdicts at other sizes each time.
static bool judgeable_at_quick(Referee *r, Arena *a, const Op *quick) {
    const uint64_t fixed = 0x717569636b;
    Err unsaid = {0};
    return check_definition(r, a, quick, fixed, &unsaid);
}

bool module_for_judging(Referee *r, Arena *a, const ModuleText *text, const DomainAsked *asked, Op *out,
                        Err *e) {
    ModulesDomain *m;
    const ModulesAsk q = {.path = text->name,
                          .source = text->source,
                          .gaps = asked->layout == LAYOUT_ANY,
                          .tf32 = asked->tf32,
                          .stretched = !asked->quick,
                          .shapes = asked->shapes,
                          .library = asked->library,
                          .ragged = asked->ragged};
    if (asked->published)
        return err_set(e, ERR_INPUT, "%s: a module has no published domain; its sizes are made smaller",
                       text->name);
    if (!modules_open(a, &q, &m, e)) return false;
    bool ok = referee_check_definition(r, a, &m->op, e);
    if (ok && m->domain.quick && !judgeable_at_quick(r, a, m->domain.quick->op)) m->domain.quick = NULL;
    *out = m->op;
    return ok || err_ctx(e, "%s: not a definition to judge by", text->name);
}

bool op_for_judging(Referee *r, Arena *a, const char *text, const DomainAsked *asked, Op *out, Err *e) {
    Str source;
    if (module_file(a, text, &source)) {
        if (asked->modules) return module_for_judging(r, a, &(ModuleText){text, source}, asked, out, e);
        return err_set(e, ERR_INPUT,
                       "%s: a reference in module form; mint, eval, propose, the stream and referee --module "
                       "judge by one",
                       text);
    }
    if (!op_resolve(a, text, out, e) || !op_in_domain(out, asked, e)) return false;
    return !out->user || referee_check_definition(r, a, out, e);
}
