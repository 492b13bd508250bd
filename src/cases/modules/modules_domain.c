#include "cases/modules/modules_domain.h"

#include <math.h>
#include <string.h>

#include "base/numeric/rng.h"
#include "cases/domain/lines.h"
#include "cases/draw.h"
#include "cases/fill.h"
#include "cases/modules/module_kinds.h"

// What a kernel with much waste takes for one operation of the reference.
enum { LANES_PER_WORK = 512 };

// The values of a case: wide ones at one of three scales, as the file draws them, or by kinds.
typedef enum {
    VALUES_WIDE,
    VALUES_PUBLISHED,
    VALUES_KINDS,
    VALUES_INFINITE,
    VALUES_SMALL,
    VALUES_LARGE
} ValuesDrawn;
static const ValuesDrawn quick_cases[] = {VALUES_WIDE, VALUES_PUBLISHED, VALUES_KINDS, VALUES_INFINITE,
                                          VALUES_KINDS},
                         full_cases[] = {VALUES_WIDE,  VALUES_PUBLISHED, VALUES_KINDS, VALUES_INFINITE,
                                         VALUES_KINDS, VALUES_SMALL,     VALUES_KINDS, VALUES_KINDS,
                                         VALUES_KINDS, VALUES_LARGE,     VALUES_KINDS, VALUES_INFINITE},
                         aligned_cases[] = {VALUES_WIDE, VALUES_PUBLISHED, VALUES_KINDS},
                         stretched_cases[] = {VALUES_WIDE, VALUES_KINDS};
// Bit i: case i of quick's or of full's also gets nearly constant values (module_kinds_flatten).
static const uint64_t quick_flat = 1 << 4, full_flat = 1 << 7 | 1 << 10;
static const int few_cases[] = {0, 2}; // of full_cases, for Domain.few: one finds addresses, one sums

// A bit for each input that is no parameter.
static uint64_t data_inputs(const Op *op) {
    uint64_t bits = 0;
    for (int i = 0; i < op->inputs; i++) bits |= (uint64_t)(op->input[i].role == ROLE_DATA) << i;
    return bits;
}

// They are drawn as they are among all.
static int keep_few(PlannedCase *all) {
    const int n = (int)(sizeof few_cases / sizeof *few_cases);
    for (int i = 0; i < n; i++) {
        all[i] = all[few_cases[i]];
        if (few_cases[i] != i) all[i].as_case = few_cases[i] + 1;
    }
    return n;
}

static int plan(Arena *a, const Domain *m, const PlanRequest *q, PlannedCase **out) {
    bool full = q->level == LEVEL_FULL;
    const ValuesDrawn *values = full ? full_cases : quick_cases;
    int n = full ? (int)(sizeof full_cases / sizeof *full_cases)
                 : (int)(sizeof quick_cases / sizeof *quick_cases);
    uint64_t flat = full ? full_flat : quick_flat;
    if (modules_at(m)->long_sizes) {
        values = stretched_cases;
        flat = 0;
        n = (int)(sizeof stretched_cases / sizeof *stretched_cases);
        if (modules_at(m)->long_sizes > 1) n = 1; // kinds of values have met each of them
    }
    if (modules_at(m)->is_aligned) {
        values = aligned_cases;
        flat = 0;
        n = modules_at(m)->is_one ? 1 : (int)(sizeof aligned_cases / sizeof *aligned_cases);
    }
    int sets = m->reductions - 1, turn = sets > 0 ? (int)(rng_mix(q->seed, 0x6b696e64) % (uint64_t)sets) : 0;
    *out = NEWN(a, PlannedCase, (size_t)n);
    for (int i = 0; i < n; i++) {
        PlannedCase *c = &(*out)[i];
        *c = (PlannedCase){.dtype = DT_F32, .first_line = values[i], .flat = flat >> i & 1};
        bool kinds = values[i] == VALUES_KINDS || values[i] == VALUES_INFINITE;
        if (kinds && sets > 0) c->over = 1 + turn++ % sets;
        if (!m->op->domain.contiguous && i % 3 == 1) c->strided = data_inputs(m->op);
    }
    return modules_at(m)->is_few ? keep_few(*out) : n;
}

// The lines of the input that a case is drawn by, and one that stands for all else.
static int64_t lines(const Domain *m, int over, const int64_t *dim) {
    int input = module_kinds_input(m->op, &m->reduction[over]);
    if (input < 0) return 1;
    const OpInput *in = &m->op->input[input];
    CaseTensor t = {.rank = in->rank};
    (void)dim;
    memcpy(t.shape, in->size, sizeof *in->size * (size_t)in->rank);
    return lines_of(&t, &m->reduction[over].input[input]).lines + 1;
}
static int64_t line_of(const Domain *m, const CaseTruth *t, const Bound *answer, int64_t element) {
    const Reduction *r = &m->reduction[t->over];
    int input = module_kinds_input(m->op, r);
    if (input < 0) return 0;
    int64_t line = module_kinds_line(&m->op->input[input], &r->input[input], answer, element);
    return line < 0 ? t->lines - 1 : line;
}
// Each element of the answer is a place of its own: all of them have to be judged in some case.
static Positions positions(const Domain *m, int output, const Bound *answer) {
    (void)m, (void)output;
    return (Positions){answer->numel, 1};
}

static void put_sizes(Buf *out, const Domain *m, const int64_t *dim) {
    const OpInput *in = m->op->inputs ? &m->op->input[0] : NULL;
    (void)dim;
    if (in) modules_put_shape(out, in->dtype, in->rank, in->size);
}

// What a kernel may waste does not become less with its sizes.
static int64_t steps(const Domain *m) {
    const ModulesDomain *large = modules_at(modules_at(m)->full ? modules_at(m)->full : m);
    return LANES_PER_WORK * large->values.shapes.small.work;
}

static ModuleAsk asked(const ModulesDomain *m) {
    return (ModuleAsk){.seed = MODULES_SEED,
                       .published = m->values.published_values,
                       .tf32 = m->op.allow_tf32,
                       .known = &m->values.shapes.small,
                       .work_max = 2 * m->values.shapes.small.work + 1024};
}

static void store(const CaseTensor *t, const Bound *b, uint8_t *map) {
    int64_t size = dtype_bytes((DType)t->dtype), row = t->rank > 0 ? t->shape[t->rank - 1] : 1,
            step = t->rank > 0 ? t->stride[t->rank - 1] : 1;
    for (int64_t k = 0; k < b->numel; k += row)
        dtype_store_row((DType)t->dtype, map + t->at + tensor_element(t, k) * size, step, b->v + k,
                        (size_t)row);
}

// The outputs as one chain.
static const Bound *chain(Arena *a, const ModuleRun *run) {
    Bound *first = NULL, *last = NULL;
    for (int k = 0; k < run->outputs; k++) {
        Bound *b = NEW(a, Bound);
        *b = *run->output[k];
        b->also = NULL;
        if (last)
            last->also = b;
        else
            first = b;
        last = b;
    }
    return first;
}

const Bound *modules_outputs(Arena *a, const Domain *m) { return chain(a, &modules_at(m)->values.run); }

static const Bound *answer(Arena *a, const Domain *domain, const uint8_t *mapping, const CaseSpec *spec,
                           const OtherBytes *other, DiagList *diags) {
    const ModulesDomain *m = modules_at(domain);
    const ModuleRun *like = &m->values.run;
    Storage *store = NEWN(a, Storage, (size_t)spec->inputs + 1);
    Tensor *input = NEWN(a, Tensor, (size_t)like->inputs + 1),
           *tensor = NEWN(a, Tensor, (size_t)like->tensors + 1);
    ModuleAsk ask = asked(m);
    ModuleRun *run = NEW(a, ModuleRun);
    int k = 0;
    for (int i = 0; i < like->inputs + like->tensors; i++) {
        bool parameter = i >= like->inputs;
        Tensor *to = parameter ? &tensor[i - like->inputs] : &input[i];
        if (parameter && like->tensor[i - like->inputs].buffer) *to = m->buffers[i - like->inputs];
        if (parameter ? like->tensor[i - like->inputs].buffer : !like->input[i].tensor) continue;
        *to = draw_input(mapping, &spec->input[k], &store[k]);
        if (other && other->input == k) store[k].data = (uint8_t *)(uintptr_t)other->data; // never written
        k++;
    }
    ask.input = input;
    ask.inputs = like->inputs;
    ask.tensor = tensor;
    ask.tensors = like->tensors;
    return module_evaluate(a, &m->file, &ask, run, diags) ? chain(a, run) : NULL;
}

// What stands in a case's answer: how much of it is NaN, infinite, or without a bound.
typedef struct {
    int64_t nans, infinite, unknown, all;
} Judged;

static Judged judged(const Bound *b) {
    Judged j = {0};
    for (; b; b = b->also) {
        j.all += b->numel;
        for (int64_t i = 0; i < b->numel; i++) {
            j.nans += b->v[i] != b->v[i];
            bool unknown = b->e && !(b->e[i] < INFINITY);
            j.infinite += isinf(b->v[i]) && !unknown;
            j.unknown += unknown;
        }
    }
    return j;
}

static int64_t infinite_elements(const CaseTensor *t, const uint8_t *map) {
    Lines l = lines_of(t, &(LineAxes){0});
    int64_t n = 0, size = dtype_bytes((DType)t->dtype);
    for (int64_t i = 0; i < l.lines; i++)
        n += isinf(dtype_load((DType)t->dtype, map + t->at + line_at(&l, i) * size)) != 0;
    return n;
}

// Whether such values say enough: the answer has no NaN, and no more infinite elements than the input; at
// least half of it can be judged, and where inputs are infinite all of it.
static bool tells(Arena *a, const FillRequest *q, KindsReach reach, int input, const uint8_t *map) {
    DiagList none = DIAGS(a);
    const Bound *b = answer(a, q->domain, map, q->spec, NULL, &none);
    if (!b) return false;
    Judged j = judged(b);
    if (j.nans || j.infinite > infinite_elements(&q->spec->input[input], map)) return false;
    if (reach <= KINDS_NEGATIVE_INF ? j.unknown : 2 * j.unknown > j.all) return false;
    *q->answer = draw_keep(q->kept, b);
    return true;
}

// One input by kinds, as far as the reference can be judged there.
static void fill_kinds(Arena *scratch, const FillRequest *q, bool infinite, uint8_t *map) {
    const Reduction *r = &q->domain->reduction[q->plan->over];
    int input = module_kinds_input(q->domain->op, r);
    if (input < 0) return;
    const CaseTensor *t = &q->spec->input[input];
    KindsRequest k = {.op = q->domain->op,
                      .of = r,
                      .input = input,
                      .seed = rng_mix(q->seed, 0x6b696e00 + (uint64_t)q->index),
                      .tensor = t};
    uint8_t *was = arena_raw(scratch, (size_t)t->bytes + 1, 64);
    memcpy(was, map + t->at, (size_t)t->bytes);
    for (k.reach = infinite ? KINDS_INFINITE : KINDS_ALL; k.reach < KINDS_NONE; k.reach++) {
        ArenaMark mark = arena_mark(scratch);
        module_kinds_draw(scratch, &k, map, q->truth->line_class);
        bool flat = q->plan->flat && module_kinds_flatten(scratch, &k, map, q->truth->line_class);
        bool enough = tells(scratch, q, k.reach, input, map);
        if (flat && !enough) {
            module_kinds_draw(scratch, &k, map, q->truth->line_class);
            enough = tells(scratch, q, k.reach, input, map);
        }
        arena_reset(scratch, mark);
        if (enough) return;
    }
    memcpy(map + t->at, was, (size_t)t->bytes);
    memset(q->truth->line_class, CLASS_module, (size_t)q->truth->lines);
}

static bool fill(Arena *scratch, const FillRequest *q, uint8_t *map, DiagList *diags) {
    const ModulesDomain *m = modules_at(q->domain);
    ArenaMark mark = arena_mark(scratch);
    ModuleAsk ask = asked(m);
    ModuleRun *run = NEW(scratch, ModuleRun);
    ValuesDrawn values = (ValuesDrawn)q->plan->first_line;
    ask.draws = true;
    ask.seed = rng_mix(q->seed, 0x6d6f6475 + (uint64_t)q->index);
    ask.published = ask.published || values == VALUES_PUBLISHED;
    ask.scale = values == VALUES_SMALL ? 0.0625 : values == VALUES_LARGE ? 3 : 1;
    bool ok = module_evaluate(scratch, &m->file, &ask, run, diags);
    int k = 0;
    for (int i = 0; ok && i < run->inputs; i++)
        if (run->input[i].tensor) store(&q->spec->input[k++], run->input[i].tensor, map);
    for (int i = 0; ok && i < run->tensors; i++)
        if (!run->tensor[i].buffer) store(&q->spec->input[k++], run->tensor[i].value, map);
    if (ok && q->plan->over > 0) fill_kinds(scratch, q, values == VALUES_INFINITE, map);
    arena_reset(scratch, mark);
    return ok;
}

const Bound *modules_answer_tf32(Arena *a, const Domain *m, const uint8_t *mapping, const CaseSpec *spec,
                                 DiagList *diags) {
    ModulesDomain *other = NEW(a, ModulesDomain);
    *other = *modules_at(m);
    other->op.allow_tf32 = true;
    return answer(a, &other->domain, mapping, spec, NULL, diags);
}

const DomainKind modules_kind = {
    .name = "modules",
    .cases = plan,
    .lines = lines,
    .line_of = line_of,
    .positions = positions,
    .answer = answer,
    .fill = fill,
    .steps = steps,
    .put_sizes = put_sizes,
};

const ModulesDomain *modules_of(const Op *op) {
    return op->form && op->form->kind == &modules_kind ? modules_at(op->form) : NULL;
}
