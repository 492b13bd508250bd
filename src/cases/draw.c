#include "cases/draw.h"

#include <assert.h>

#include "base/clock.h"
#include "base/numeric/rng.h"
#include "cases/call_pairs.h"
#include "cases/calls.h"
#include "cases/case_memory.h"
#include "cases/columns.h"
#include "cases/domain/lines.h"
#include "cases/fill.h"
#include "cases/metamorphic.h"
#include "cases/twins.h"

enum {
    ALIGN = 64,
    TWIN_INPUTS = 32768, // bytes: of twins, to be marked
    TINY_OUTPUT = 4096,  // bytes: cases of less are run in two orders of the programs where it can matter
    // Lanes that a case may use: some fifty times what an honest kernel needs. By line, because a fixed block
    // costs its width however short the line is: 256 instructions on 8192 lanes.
    STEPS_BASE = 64 << 20,
    STEPS_PER_LINE = 1 << 21,
    STEPS_PER_ELEMENT = 1024,
    // A matrix product's tile is as large as ever where there are few lines: 128 x 256 products for each
    // element of one, four of them a lane's work, and what brings the operands in.
    STEPS_PER_PLACE = 1 << 15,
};

// The lines that a kernel has programs for: those of the input that has the most of them.
static int64_t lines_of_programs(const Domain *m, const Reduction *of, const CaseSpec *c, int64_t least) {
    for (int i = 0; i < m->op->inputs; i++) {
        int64_t lines = of->input[i].by_class ? lines_of(&c->input[i], &of->input[i]).lines : 0;
        if (lines > least) least = lines;
    }
    return least;
}

// How an input's elements lie in its storage. What the last axis of all but dense and shifted ones holds has
// gaps behind it, which are outside of the view and therefore out of bounds; every input has another stride.
typedef enum {
    LAYOUT_DENSE,
    LAYOUT_SHIFTED, // dense, behind an element or more: a base that is aligned to the element only
    LAYOUT_ODD,     // neither base nor rows are aligned to more than the element
    LAYOUT_ALIGNED, // as a padded tensor's
    LAYOUT_HALF,    // half of a wider tensor's columns
} Layout;

// Of one input of a strided case, which has gaps or not. A domain that admitted expanded inputs would be
// asked here.
static Layout layout_of(bool gaps, int64_t length, uint64_t choice) {
    // Aligned lines that are shorter than what they are aligned to have no other layout that is.
    enum { SHORT = 8 };
    static const Layout strided[] = {LAYOUT_ODD, LAYOUT_ODD,     LAYOUT_ODD,
                                     LAYOUT_ODD, LAYOUT_ALIGNED, LAYOUT_HALF};
    if (!gaps) return choice & 1 ? LAYOUT_SHIFTED : LAYOUT_DENSE;
    if (length < SHORT && (choice >> 32 & 1)) return LAYOUT_ALIGNED;
    return strided[choice % (sizeof strided / sizeof *strided)];
}

// Between the lines of a tensor. row_stride, lines: 0: as the layout says, none.
typedef struct {
    int64_t row_stride, lines;
    bool none; // whatever they are
} PlannedGaps;

// How a tensor lies that is a part of a larger one along the last axis but one, too: so many lines further
// on. Of every other input with gaps that has such an axis within another.
static int64_t lines_between(const CaseTensor *t, Layout layout, uint64_t choice) {
    enum { FEW = 3 };
    bool gaps = layout == LAYOUT_ODD || layout == LAYOUT_ALIGNED || layout == LAYOUT_HALF;
    if (!gaps || t->rank < 3 || !(choice >> 33 & 1)) return 0;
    return 1 + (int64_t)(choice >> 34) % FEW;
}

// Of a contiguous domain, what each layout says of the base alone remains.
static void lay_out(CaseTensor *t, int input, Layout layout, PlannedGaps gaps, int64_t *at) {
    enum { LINE = 16 };
    int64_t n = t->rank ? t->shape[t->rank - 1] : 1, pad = 0, stride = 1;
    t->offset = layout == LAYOUT_DENSE ? 0 : 1 + 2 * input;
    if (layout == LAYOUT_ODD) pad = 3 + 2 * input;
    if (layout == LAYOUT_ALIGNED) pad = (n + LINE - 1) / LINE * LINE - n + LINE * (1 + input);
    if (layout == LAYOUT_ALIGNED) t->offset = LINE * (1 + input);
    if (layout == LAYOUT_HALF) pad = n + 2 * input, t->offset += n;
    if (pad > 0 && gaps.row_stride >= n) pad = gaps.row_stride - n;
    if (gaps.none) pad = gaps.lines = 0;
    for (int d = t->rank - 1; d >= 0; d--) {
        t->stride[d] = stride;
        stride *= t->shape[d];
        if (d == t->rank - 1) stride += pad;
        if (d == t->rank - 2) stride += gaps.lines * t->stride[d];
    }
    int64_t last = t->offset + 1;
    for (int d = 0; d < t->rank; d++) last += (t->shape[d] - 1) * t->stride[d];
    t->bytes = last * dtype_bytes((DType)t->dtype);
    t->at = *at;
    *at = (*at + t->bytes + ALIGN - 1) / ALIGN * ALIGN;
}

static bool spec_inputs(const Domain *m, const PlannedCase *p, uint64_t seed, CaseSpec *spec, int64_t *at,
                        Err *e) {
    const Op *op = m->op;
    // The same for a case, its twin and any part of its slices. Every other time all inputs with gaps are
    // laid out alike.
    uint64_t choice = rng_mix(seed, ((uint64_t)domain_length(m, p->dim) << 8) + (uint64_t)p->dtype) >> 8;
    spec->inputs = op->inputs;
    for (int i = 0; i < op->inputs; i++) {
        const OpInput *in = &op->input[i];
        CaseTensor *t = &spec->input[i];
        t->rank = in->rank;
        t->dtype = (int32_t)(in->any_float ? p->dtype : in->dtype);
        for (int d = 0; d < in->rank; d++) t->shape[d] = domain_size(in, d, p->dim);
        int64_t numel;
        if (!shape_numel(t->shape, t->rank, &numel) || numel > (int64_t)1 << 26)
            return err_set(e, ERR_INPUT, "op %.*s: input %.*s would have more than 2^26 elements in a case",
                           STR_ARG(op->name), STR_ARG(in->name));
        uint64_t own = choice >> 40 & 1 ? rng_mix(choice, (uint64_t)i) >> 8 : choice;
        int64_t n = t->rank ? t->shape[t->rank - 1] : 1;
        Layout layout = p->strided ? layout_of(p->strided >> i & 1, n, own) : LAYOUT_DENSE;
        lay_out(t, i, layout,
                (PlannedGaps){p->row_stride, p->row_stride ? 0 : lines_between(t, layout, own),
                              op->domain.contiguous},
                at);
    }
    return true;
}

static int64_t input_elements(const CaseSpec *s) {
    int64_t sum = 0, n;
    for (int i = 0; i < s->inputs; i++)
        if (shape_numel(s->input[i].shape, s->input[i].rank, &n)) sum += n;
    return sum;
}

// Room for marks beside the inputs of a small case.
static void lay_marks(CaseSpec *spec, int64_t most, int64_t *at) {
    int64_t all = 0;
    for (int k = 0; k < spec->inputs; k++) all += spec->input[k].bytes;
    for (int k = 0; k < spec->inputs && all <= most; k++) {
        spec->input[k].marks = *at;
        *at += (spec->input[k].bytes + ALIGN - 1) / ALIGN * ALIGN;
    }
}

static uint64_t index_inputs(const Op *op) {
    uint64_t bits = 0;
    for (int i = 0; i < op->inputs; i++) {
        const OpInput *in = &op->input[i];
        bits |= (uint64_t)(in->range_dim >= 0 && !in->both_signs && in->range_lo >= 0) << i;
    }
    return bits;
}

static void name_lines(Arena *a, const Domain *m, const PlannedCase *p, CaseTruth *t) {
    t->dtype = p->dtype;
    t->strided = p->strided;
    t->hidden = p->hidden;
    memcpy(t->dim, p->dim, sizeof t->dim);
    t->slices = domain_slices(m, p->dim);
    t->over = p->over;
    t->lines = m->kind->lines(m, p->over, p->dim);
    t->line_class = NEWN(a, uint8_t, (size_t)t->lines);
    if (m->kind->fill)
        memset(t->line_class, CLASS_module, (size_t)t->lines);
    else
        plan_line_classes(m->op, p, t->lines, t->line_class);
}

// ---- making a draw

typedef struct {
    Draw *d;
    const PlannedCase *plan;
    CaseSpec *spec;
    uint8_t *map;
    CaseMemory *memory; // NULL: none of that draw's
    Arena *scratch;     // one for each worker
    bool *failed;
    const char **why;
} Work;

static int drawn_as(const PlannedCase *p, int index) {
    if (p->place) return (int)p->place;
    return p->as_case > 0 ? p->as_case - 1 : index;
}

// Of a case that cannot be drawn or evaluated.
static void tell_failure(Work *w, size_t i, int worker, const DiagList *diags) {
    const Diag *first = diag_first(diags);
    LineCol at = first ? line_col(w->d->op->source, first->span.at) : (LineCol){0, 0};
    w->failed[i] = true;
    w->why[i] = arena_printf(&w->d->kept[worker], "line %d:%d: %s", at.line, at.col,
                             first ? first->msg : "it failed");
}

static void fill_one(void *arg, size_t i, int worker) {
    Work *w = arg;
    FillRequest q = {.domain = w->d->domain,
                     .plan = &w->plan[i],
                     .spec = &w->spec[i],
                     .truth = &w->d->truth[i],
                     .seed = w->d->seed,
                     .index = drawn_as(&w->plan[i], (int)i),
                     .answer = &w->d->truth[i].expected,
                     .kept = &w->d->kept[worker]};
    const DomainKind *kind = w->d->domain->kind;
    if (w->memory) w->d->truth[i].expected = case_memory_find(w->memory, q.plan, q.spec, w->map);
    if (q.truth->expected) return;
    if (!kind->fill) return fill_case(&w->scratch[worker], &q, w->map);
    DiagList diags = DIAGS(&w->d->kept[worker]);
    if (!kind->fill(&w->scratch[worker], &q, w->map, &diags)) tell_failure(w, i, worker, &diags);
}

static Bound *keep_one(Arena *a, const Bound *b) {
    Bound *k = NEW(a, Bound);
    *k = *b;
    k->also = NULL;
    k->inputs = 0;
    k->v = arena_raw(a, (size_t)b->numel * sizeof(double) + 1, 64);
    memcpy(k->v, b->v, (size_t)b->numel * sizeof(double));
    if (b->e) {
        k->e = arena_raw(a, (size_t)b->numel * sizeof(double) + 1, 64);
        memcpy(k->e, b->e, (size_t)b->numel * sizeof(double));
    }
    return k;
}

const Bound *draw_keep(Arena *a, const Bound *b) {
    Bound *first = keep_one(a, b), *last = first;
    for (b = b->also; b; b = b->also) {
        Bound *next = keep_one(a, b);
        last->also = next;
        last = next;
    }
    return first;
}

void draw_outputs(const Op *op, const Bound *answer, CaseSpec *s) {
    int64_t bytes[WIRE_OUTPUTS_MAX];
    s->outputs = op->outputs;
    for (int k = 0; k < op->outputs; k++, answer = answer->also) {
        s->output[k].input = op->output[k].init;
        bytes[k] = answer->numel * dtype_bytes(answer->dtype);
    }
    spec_outputs(s, bytes);
}

static void judge_one(void *arg, size_t i, int worker) {
    Work *w = arg;
    const Bound **expected = &w->d->truth[i].expected;
    if (*expected) return;
    Arena *a = &w->scratch[worker];
    ArenaMark mark = arena_mark(a);
    DiagList diags = DIAGS(&w->d->kept[worker]);
    const Bound *b = w->failed[i] ? NULL : domain_answer(a, w->d->domain, w->map, &w->spec[i], NULL, &diags);
    if (b && w->memory) *expected = case_memory_put(w->memory, &w->plan[i], &w->spec[i], w->map, b);
    if (b && !*expected)
        *expected = draw_keep(&w->d->kept[worker], b);
    else if (!b && !w->failed[i])
        tell_failure(w, i, worker, &diags);
    arena_reset(a, mark);
}

// Nobody else can write there: children map what the oracle saw.
static bool seal(Draw *d, Err *e) {
    if (!sealed_close(&d->memory, "inputs", e)) return false;
    d->mapping = d->memory.map;
    return true;
}

static bool map_inputs(Draw *d, int64_t bytes, uint8_t **map, Err *e) {
    d->bytes = (size_t)bytes;
    if (!sealed_take(d->bytes, "inputs", &d->memory, e)) return false;
    d->fd = d->memory.fd;
    *map = d->memory.map;
    return true;
}

static bool evaluate(Arena *a, Pool *pool, Work *w, Err *e) {
    int workers = pool_size(pool);
    Draw *d = w->d;
    CaseSpec *spec = w->spec;
    uint8_t *map = w->map;
    w->scratch = NEWN(a, Arena, (size_t)workers);
    w->failed = NEWN(a, bool, (size_t)d->cases);
    w->why = NEWN(a, const char *, (size_t)d->cases);
    d->kept = NEWN(a, Arena, (size_t)workers);
    d->kepts = workers;
    double t0 = clock_seconds();
    pool_run(pool, (size_t)d->cases, fill_one, w);
    metamorphic_fill(a, d, w->plan, spec, map);
    twins_fill(d, spec, map);
    double t1 = clock_seconds();
    pool_run(pool, (size_t)d->cases, judge_one, w);
    d->seconds_inputs = t1 - t0;
    d->seconds_oracle = clock_seconds() - t1;
    bool ok = true;
    for (int i = 0; i < d->cases && ok; i++)
        if (w->failed[i])
            ok = err_set(e, ERR_INPUT, "the reference of %.*s fails on its own domain: %s",
                         STR_ARG(d->op->name), w->why[i]);
    for (int i = 0; i < workers; i++) arena_free(&w->scratch[i]);
    return ok;
}

// A kernel that is right on one GPU only is wrong.
static int32_t processors_of(uint64_t order_seed) {
    static const int32_t count[] = {PROCESSORS_USUAL, 108, 80, 58, 20};
    return count[(order_seed >> 8) % (sizeof count / sizeof *count)];
}

// Where what all cases and calls look like lies in the mapping, and behind it the tensors.
static int64_t tables_at(const Draw *d, int calls) {
    return (int64_t)(sizeof(DrawHeader) + (size_t)d->cases * sizeof(CaseSpec) +
                     (size_t)calls * sizeof(CallSpec));
}

static int64_t specs_room(const Draw *d) {
    int64_t tensors = (int64_t)(d->cases + WIRE_CALLS_MAX) * d->op->inputs;
    int64_t at = tables_at(d, WIRE_CALLS_MAX) + tensors * (int64_t)sizeof(CaseTensor);
    return (at + ALIGN - 1) / ALIGN * ALIGN;
}

static void put_specs(const Draw *d, uint8_t *map) {
    *(DrawHeader *)map = (DrawHeader){.magic = WIRE_MAGIC,
                                      .cases = (uint32_t)d->cases,
                                      .calls = (uint32_t)d->calls,
                                      .contiguous = d->op->domain.contiguous,
                                      .index = index_inputs(d->op)};
    CaseSpec *spec = (CaseSpec *)(map + sizeof(DrawHeader));
    CallSpec *call = (CallSpec *)(spec + d->cases);
    int64_t at = tables_at(d, d->calls);
    for (int i = 0; i < d->cases; i++) wire_put(map, &at, &d->spec[i], &spec[i]);
    for (int i = 0; i < d->calls; i++) {
        call[i] = d->call[i];
        wire_put(map, &at, &d->call[i].spec, &call[i].spec);
    }
}

// Layouts, classes and budgets of all cases, before any value. *at: where their data ends.
static bool lay_cases(Arena *a, const Draw *d, const PlannedCase *plan, CaseSpec *spec, int64_t *at, Err *e) {
    const Domain *m = d->domain;
    CaseTensor *tensors = NEWN(a, CaseTensor, (size_t)(d->cases * d->op->inputs) + 1);
    for (int i = 0; i < d->cases; i++) {
        CaseSpec *s = &spec[i];
        CaseTruth *t = &d->truth[i];
        s->input = tensors + i * d->op->inputs;
        if (!spec_inputs(m, &plan[i], d->seed, s, at, e)) return false;
        s->order_seed = rng_mix(d->seed, 0x6f726465 + (uint64_t)drawn_as(&plan[i], i)) | 1;
        s->any_config = m->op->form != NULL; // each meets every case (judge.c)
        bool usual = plan[i].as_case == 0 && i == d->traffic_case;
        s->processors = plan[i].processors ? plan[i].processors
                        : usual            ? PROCESSORS_USUAL
                                           : processors_of(s->order_seed);
        name_lines(a, m, &plan[i], t);
        if (plan[i].twin && i > 0 && memcmp(plan[i].dim, plan[i - 1].dim, sizeof plan[i].dim) == 0) {
            s->order_seed = spec[i - 1].order_seed;
            s->processors = spec[i - 1].processors;
            twins_pair(d, i);
        }
        int64_t lines = lines_of_programs(m, &m->reduction[t->over], s, t->lines);
        s->steps = STEPS_BASE + STEPS_PER_LINE * lines + STEPS_PER_PLACE * domain_length(m, t->dim) +
                   STEPS_PER_ELEMENT * input_elements(s) + (m->kind->steps ? m->kind->steps(m) : 0);
    }
    for (int i = 0; i < d->cases; i++)
        lay_marks(&spec[i], d->truth[i].twinned ? TWIN_INPUTS : TINY_OUTPUT, at);
    return true;
}

enum { CONTRACT_BOTH = 1 << CONTRACT_LEFT | 1 << CONTRACT_RIGHT };

static int line_kinds(const CaseTruth *t) {
    bool there[CLASS_COUNT] = {0};
    int kinds = 0;
    for (int64_t l = 0; l < t->lines; l++) {
        kinds += !there[t->line_class[l]];
        there[t->line_class[l]] = true;
    }
    return kinds;
}

// Of the large cases of moderate size the one with the most kinds of lines; of several the seed chooses. -1:
// there is none.
static int fullest_case(const Draw *d) {
    enum { FULLEST_MOST = 128 << 10 }; // bytes of outputs
    int most = 0, n = 0, fullest[WIRE_CASES_MAX];
    for (int i = 0; i < d->cases; i++) {
        int64_t bytes = d->spec[i].output_bytes;
        if (bytes <= TINY_OUTPUT || bytes > FULLEST_MOST) continue;
        int kinds = line_kinds(&d->truth[i]);
        if (kinds > most) most = kinds, n = 0;
        if (kinds == most) fullest[n++] = i;
    }
    return n ? fullest[(d->seed >> 7 & 0xffff) % (uint64_t)n] : -1;
}

// By turns where there are many cases: rows of one class are in several. What is wrong for a block of a row
// shows in rows of several blocks alone, and often with one side alone: at quick one large case has both
// sides, and some others have one.
static int32_t contract_of(const Draw *d, int index, int fullest, int64_t output_bytes) {
    enum { MANY = 12, SMALL_ONE_IN = 2, LARGE_ONE_IN = 16, LARGE_MOST = 256 << 10 };
    uint64_t turn = (d->seed >> 7 & 0xffff) + (uint64_t)index;
    bool large = output_bytes > TINY_OUTPUT;
    if (output_bytes > LARGE_MOST) return 0;
    bool few = d->cases < MANY && d->domain != domain_first(d->op, d->level);
    if (few || (d->level == LEVEL_FULL && !large) || index == fullest) return CONTRACT_BOTH;
    uint64_t one_in = d->level == LEVEL_FULL ? 1 : large ? LARGE_ONE_IN : SMALL_ONE_IN;
    if (turn % one_in) return 0;
    turn /= one_in;
    return 1 << (turn & 1 ? CONTRACT_LEFT : CONTRACT_RIGHT);
}

// Room for the answers, once all are known.
static void lay_answers(Draw *d, CaseSpec *spec) {
    for (int i = 0; i < d->cases; i++) draw_outputs(d->op, d->truth[i].expected, &spec[i]);
    int fullest = d->level == LEVEL_QUICK ? fullest_case(d) : -1;
    for (int i = 0; i < d->cases; i++) {
        CaseSpec *s = &spec[i];
        s->output_at = (int64_t)d->output_bytes;
        s->again = s->output_bytes <= TINY_OUTPUT;
        s->contract = contract_of(d, i, fullest, s->output_bytes);
        int64_t end = spec_output_at(s, spec_last_run(s)) + s->output_bytes;
        d->output_bytes = (size_t)(end + ALIGN - 1) / ALIGN * ALIGN;
        if (!s->again || s->input[0].marks == 0) continue;
        s->origin_at = (int64_t)d->output_bytes;
        d->output_bytes += (size_t)(s->output_bytes + ALIGN - 1) / ALIGN * ALIGN;
    }
}

static const DrawRequest *request_with_calls(Arena *a, const DrawRequest *q) {
    DrawRequest *all = NEW(a, DrawRequest);
    *all = *q;
    all->calls_later = false;
    return all;
}

static bool draw_once(Arena *a, Pool *pool, const DrawRequest *q, uint64_t seed, Draw *d, Err *e) {
    const Op *op = q->domain || q->plan ? q->op : op_at_level(q->op, q->level);
    const Domain *m = q->domain ? q->domain : domain_make(a, op);
    const PlannedCase *plan = q->plan;
    PlannedCase *drawn = NULL;
    int cases = plan ? q->cases : plan_cases(a, m, &(PlanRequest){q->level, seed, q->filter}, &drawn);
    if (!plan) plan = drawn;
    if (q->planned) *q->planned = plan;
    *d = (Draw){.domain = m, .op = op, .level = q->level, .seed = seed, .fd = -1, .cases = cases};
    if (d->cases == 0) return err_set(e, ERR_INPUT, "op %.*s: the filter leaves no case", STR_ARG(op->name));
    if (q->calls_later) d->left = request_with_calls(a, q);
    d->traffic_case = plan_traffic_case(plan, d->cases, m);
    d->truth = NEWN(a, CaseTruth, (size_t)d->cases);
    CaseSpec *spec = NEWN(a, CaseSpec, (size_t)d->cases);
    CallPlan *calls = NEW(a, CallPlan);
    int64_t at = specs_room(d);
    if (!lay_cases(a, d, plan, spec, &at, e)) return false;
    for (int i = 0; q->pairs > 0 && i < d->cases; i++) spec[i].any_config = 1; // those were judged before
    for (int i = 0; i < d->cases; i++) d->input_elements += input_elements(&spec[i]);
    if (q->pairs > 0)
        call_pairs_plan(a, d, spec, q, calls);
    else if (!q->called_once && !q->calls_later)
        calls_plan(a, d, spec, q->level == LEVEL_FULL && !q->more, calls, &at);
    uint8_t *map;
    if (!map_inputs(d, at, &map, e)) return false;
    d->spec = spec;
    Work w = {.d = d, .plan = plan, .spec = spec, .map = map};
    if (case_memory_fits(q->memory, m, seed)) w.memory = q->memory;
    if (!evaluate(a, pool, &w, e) || !metamorphic_check(d, e) || !calls_fill(a, d, calls, map, e)) {
        draw_free(d);
        return false;
    }
    lay_answers(d, spec);
    calls_lay(d, calls);
    d->call = calls->call;
    d->mapping = map;
    twins_judge(d);
    draw_dependences(a, d, map);
    d->mapping = NULL;
    put_specs(d, map);
    if (seal(d, e)) return true;
    draw_free(d);
    return false;
}

bool draw_make(Arena *a, Pool *pool, const DrawRequest *q, Draw *d, Err *e) {
    uint64_t seed = q->seed;
    for (int attempt = 1;; attempt++) {
        if (!draw_once(a, pool, q, seed, d, e)) return false;
        if (q->plan || attempt == DRAW_ATTEMPTS || columns_judgeable(d)) return true;
        draw_free(d);
        seed = rng_mix(q->seed, 0x616761696e + (uint64_t)attempt) >> 1;
    }
}

typedef struct {
    Draw *d;
    RoundAnswer *round;
} Sharing;
static void round_one(void *arg, size_t i, int worker) {
    Sharing *s = arg;
    s->d->truth[i].rounded = s->round(&s->d->kept[worker], s->d->truth[i].expected);
}

void draw_share(Draw *d, Pool *pool, RoundAnswer *round) {
    assert(pool_size(pool) <= d->kepts);
    Sharing s = {d, round};
    pool_run(pool, (size_t)d->cases, round_one, &s);
}

void draw_free(Draw *d) {
    sealed_give(&d->memory);
    for (int i = 0; i < d->kepts; i++) arena_free(&d->kept[i]);
    d->kepts = 0;
    d->mapping = NULL;
    d->fd = -1;
}
