#include "cases/modules/modules_domain.h"

#include <inttypes.h>
#include <jansson.h>
#include <math.h>
#include <string.h>

#include "base/numeric/rng.h"
#include "cases/domain/lines.h"
#include "cases/draw.h"
#include "cases/fill.h"
#include "cases/modules/module_kinds.h"

enum {
    SMALLER_WORK = 1 << 20, // operations of one case: there are many, and kernels are interpreted
    WORK_MOST = 6 << 20,    // where that keeps what divides sizes
    QUICK_WORK = 3 << 15,   // the same at level quick: what it rejects for such sizes is tried at those
    QUICK_MOST = 1 << 18,
    STRETCHED_WORK = 1 << 22,
    STRETCHED_MOST = 20 << 20, // a product of 1024 x 16 x 512, say
    STRETCHES_MOST = 8,
    ALIGNED_MOST = 32 << 20, // a product of 128 x 256 x 384
    TIMED_WORK = 1 << 28,    // some seconds of a core, and no more than some GB of it
    PAIRS_MOST = 6,          // two sizes that are long together
    STRETCH_LEAST = 2,       // times the small size
    LANES_PER_WORK = 512,    // what a kernel with much waste takes for one of them
    DRAW_SEED = 1,
};

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

static const ModulesDomain *of(const Domain *m) { return (const ModulesDomain *)m; }

// A bit for each input that is no parameter.
static uint64_t data_inputs(const Op *op) {
    uint64_t bits = 0;
    for (int i = 0; i < op->inputs; i++) bits |= (uint64_t)(op->input[i].role == ROLE_DATA) << i;
    return bits;
}

static int plan(Arena *a, const Domain *m, const PlanRequest *q, PlannedCase **out) {
    bool full = q->level == LEVEL_FULL;
    const ValuesDrawn *values = full ? full_cases : quick_cases;
    int n = full ? (int)(sizeof full_cases / sizeof *full_cases)
                 : (int)(sizeof quick_cases / sizeof *quick_cases);
    if (of(m)->long_sizes) {
        values = stretched_cases;
        n = (int)(sizeof stretched_cases / sizeof *stretched_cases);
        if (of(m)->long_sizes > 1) n = 1; // kinds of values have met each of them
    }
    if (of(m)->is_aligned) {
        values = aligned_cases;
        n = (int)(sizeof aligned_cases / sizeof *aligned_cases);
    }
    int sets = m->reductions - 1, turn = sets > 0 ? (int)(rng_mix(q->seed, 0x6b696e64) % (uint64_t)sets) : 0;
    *out = NEWN(a, PlannedCase, (size_t)n);
    for (int i = 0; i < n; i++) {
        PlannedCase *c = &(*out)[i];
        *c = (PlannedCase){.dtype = DT_F32, .first_line = values[i]};
        bool kinds = values[i] == VALUES_KINDS || values[i] == VALUES_INFINITE;
        if (kinds && sets > 0) c->over = 1 + turn++ % sets;
        if (!m->op->domain.contiguous && i % 3 == 1) c->strided = data_inputs(m->op);
    }
    return n;
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
    const ModulesDomain *large = of(of(m)->full ? of(m)->full : m);
    return LANES_PER_WORK * large->values.shapes.small.work;
}

static ModuleAsk asked(const ModulesDomain *m) {
    return (ModuleAsk){.seed = DRAW_SEED,
                       .published = m->values.published_values,
                       .tf32 = m->op.allow_tf32,
                       .known = &m->values.shapes.small,
                       .work_max = 2 * m->values.shapes.small.work + 1024};
}

static void store(const CaseTensor *t, const Bound *b, uint8_t *map) {
    int64_t size = dtype_bytes((DType)t->dtype);
    for (int64_t k = 0; k < b->numel; k++)
        dtype_store((DType)t->dtype, map + t->at + tensor_element(t, k) * size, b->v[k]);
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

const Bound *modules_outputs(Arena *a, const Domain *m) { return chain(a, &of(m)->values.run); }

static const Bound *answer(Arena *a, const Domain *domain, const uint8_t *mapping, const CaseSpec *spec,
                           const OtherBytes *other, DiagList *diags) {
    const ModulesDomain *m = of(domain);
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
        bool enough = tells(scratch, q, k.reach, input, map);
        arena_reset(scratch, mark);
        if (enough) return;
    }
    memcpy(map + t->at, was, (size_t)t->bytes);
    memset(q->truth->line_class, CLASS_module, (size_t)q->truth->lines);
}

static bool fill(Arena *scratch, const FillRequest *q, uint8_t *map, DiagList *diags) {
    const ModulesDomain *m = of(q->domain);
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
    *other = *of(m);
    other->op.allow_tf32 = true;
    return answer(a, &other->domain, mapping, spec, NULL, diags);
}

static const DomainKind modules = {
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
    return op->form && op->form->kind == &modules ? of(op->form) : NULL;
}

// --- opening ---

static OpInput op_input(Str name, OpRole role, const Bound *b) {
    OpInput in = {.name = name,
                  .rank = b->rank,
                  .dtype = b->dtype,
                  .scale_lo = 1e-4,
                  .scale_hi = 8,
                  .range_dim = -1,
                  .keep = -1,
                  .role = role};
    for (int i = 0; i < OP_RANK_MAX; i++) in.dim[i] = -1;
    memcpy(in.size, b->shape, sizeof *in.size * (size_t)b->rank);
    return in;
}

// As Model's forward calls its arguments.
static Str argument_name(Arena *a, const Node *tree, int i) {
    for (int k = 0; k < tree->module.body.n; k++) {
        const Node *c = tree->module.body.at[k];
        for (int j = 0; c->kind == NODE_CLASS && str_is(c->klass.name, "Model") && j < c->klass.body.n; j++) {
            const Node *f = c->klass.body.at[j];
            if (f->kind == NODE_FUNCTION && str_is(f->function.name, "forward") &&
                i + 1 < f->function.params.n)
                return f->function.params.at[i + 1]->param.name;
        }
    }
    return str_of(arena_printf(a, "input%d", i));
}

static bool describe(Arena *a, ModulesDomain *m, const ModuleRun *values, Err *e) {
    const ModuleRun *run = &m->values.run;
    Op *op = &m->op;
    op->input = NEWN(a, OpInput, (size_t)(run->inputs + run->tensors) + 1);
    m->buffers = NEWN(a, Tensor, (size_t)run->tensors + 1);
    if (run->inputs + run->tensors > OP_INPUTS_MAX)
        return err_set(e, ERR_INPUT, "%.*s: a module that is judged has at most %d inputs and parameters",
                       STR_ARG(op->name), OP_INPUTS_MAX);
    for (int i = 0; i < run->inputs; i++)
        if (run->input[i].tensor)
            op->input[op->inputs++] =
                op_input(argument_name(a, m->file.tree, i), ROLE_DATA, run->input[i].tensor);
    if (!op->inputs) return err_set(e, ERR_INPUT, "%.*s: get_inputs() gives no tensor", STR_ARG(op->name));
    for (int i = 0; i < run->tensors; i++) {
        const FormTensor *t = &run->tensor[i];
        if (!t->buffer) {
            op->input[op->inputs++] = op_input(t->name, ROLE_WEIGHT, t->value);
            continue;
        }
        Storage *s = NEW(a, Storage);
        Tensor *b = &m->buffers[i];
        int64_t size = dtype_bytes(t->value->dtype);
        *b = (Tensor){.storage = s, .dtype = t->value->dtype, .rank = t->value->rank};
        memcpy(b->shape, t->value->shape, sizeof *b->shape * (size_t)b->rank);
        tensor_contiguous_strides(b);
        if (!values) continue;
        *s = (Storage){.data = arena_raw(a, (size_t)(t->value->numel * size) + 8, 64),
                       .bytes = (size_t)(t->value->numel * size),
                       .dtype = b->dtype,
                       .read_only = true};
        for (int64_t k = 0; k < t->value->numel; k++)
            dtype_store(b->dtype, s->data + k * size, values->tensor[i].value->v[k]);
    }
    if (run->outputs > OP_OUTPUTS_MAX)
        return err_set(e, ERR_INPUT, "%.*s: forward returns more than %d tensors", STR_ARG(op->name),
                       OP_OUTPUTS_MAX);
    op->outputs = run->outputs;
    for (int k = 0; k < run->outputs; k++) {
        Str name = run->outputs > 1 ? str_of(arena_printf(a, "%d", k)) : (Str){0};
        op->output[k] = (OpOutput){.name = name, .init = -1};
    }
    return true;
}

// What a ModelNew is called with (host/python/entry.c).
static bool write_facts(Arena *a, ModulesDomain *m, Err *e) {
    const ModuleRun *run = &m->values.run;
    Buf b = BUF(a), values = BUF(a), tensors = BUF(a), names = BUF(a);
    for (int i = 0; i < run->inputs; i++) {
        bool tensor = run->input[i].tensor != NULL;
        buf_puts(&tensors, tensor ? "True, " : "False, ");
        buf_printf(&values, "%.*s, ", STR_ARG(tensor ? STR("None") : run->input[i].text));
    }
    for (int i = 0; i < run->tensors; i++)
        if (!run->tensor[i].buffer) buf_printf(&names, "\"%.*s\", ", STR_ARG(run->tensor[i].name));
    buf_printf(&b, "init = [%.*s]\ntensors = [%s]\nvalues = [%s]\nnames = [%s]\nlibrary = %d\n",
               STR_ARG(run->init), buf_cstr(&tensors), buf_cstr(&values), buf_cstr(&names), (int)m->library);
    DiagList d = DIAGS(a);
    m->op.model = buf_str(&b);
    if (parse_module(a, m->op.model, &d)) return true;
    return err_set(e, ERR_INPUT,
                   "%.*s: an argument of Model or of forward is neither a number nor a text, a "
                   "list or a tensor: Model(%.*s)",
                   STR_ARG(m->op.name), STR_ARG(run->init));
}

static Str stem(Arena *a, const char *path) {
    const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
    size_t n = strlen(name);
    if (n > 3 && strcmp(name + n - 3, ".py") == 0) n -= 3;
    if (n > OP_NAME_MAX) n = OP_NAME_MAX;
    return (Str){arena_strndup(a, name, n), n};
}

static void domain_fill_in(Arena *a, ModulesDomain *m) {
    const ModuleRun *run = &m->values.run;
    const Reduction *reduction;
    int *slice = NEWN(a, int, (size_t)m->op.inputs + 1), *output = NEWN(a, int, (size_t)m->op.outputs + 1);
    uint64_t random = 0;
    for (int i = 0, k = 0; i < run->inputs; i++)
        if (run->input[i].tensor) random |= (uint64_t)run->input[i].random << k++;
    for (int i = 0; i < m->op.inputs; i++) slice[i] = -1;
    for (int k = 0; k < m->op.outputs; k++) output[k] = -1;
    int reductions = module_kinds_axes(a, &m->op, random, &reduction);
    m->domain = (Domain){.kind = &modules,
                         .op = &m->op,
                         .slices = -1,
                         .slice_axis = slice,
                         .output_slice = output,
                         .reduction = reduction,
                         .reductions = reductions};
    m->op.form = &m->domain;
}

static bool refuse(const char *path, Str source, const DiagList *d, Err *e) {
    const Diag *first = diag_first(d);
    LineCol at = first ? line_col(source, first->span.at) : (LineCol){1, 1};
    return err_set(e, ERR_INPUT, "%s:%d:%d: %s", path, at.line, at.col,
                   first ? first->msg : "it cannot be read");
}

// At which sizes. None of it: as small as can be.
typedef struct {
    const ModuleSize *held[MODULE_HELD_MAX];
    int helds;
    const ModuleShrunk *small, *others; // as of ShrinkAsk
    const ModulesDomain *of;            // whose sizes those are; NULL: none
    bool ragged;
    bool aligned; // with more work, for the sake of what divides the published sizes
    bool quick;   // with less work
    bool timed;   // with as much work as a GPU is timed at
} Sizes;

// Of the text, and of what is asked beside it.
static Sha256 hash_of(Arena *a, const ModulesAsk *q, const Sizes *z) {
    if (!q->tf32 && !q->gaps && !q->shapes && !q->library && !q->ragged && !z->helds && !z->aligned &&
        !z->ragged && !z->timed)
        return sha256_of(q->source);
    Buf b = BUF(a);
    buf_printf(&b, "module%s%s%s\n", q->tf32 ? " tf32" : "", q->gaps ? " gaps" : "",
               q->shapes ? " published" : "");
    if (q->library) buf_printf(&b, "library %s\n", library_use_name[q->library - 1]);
    for (int i = 0; i < z->helds; i++)
        buf_printf(&b, "held %" PRIu32 "%s\n", z->held[i]->at.at, z->others ? " small" : "");
    if (q->ragged) buf_puts(&b, "ragged counts\n");
    if (z->aligned) buf_puts(&b, "aligned\n");
    if (z->ragged) buf_puts(&b, "ragged\n");
    if (z->timed) buf_puts(&b, "timed\n");
    if (z->others)
        for (int i = 0; i < z->others->sizes; i++) buf_printf(&b, "%lld ", (long long)z->others->size[i].now);
    buf_str_put(&b, q->source);
    return sha256_of(buf_str(&b));
}

// What the reference takes from PyTorch says what may be left to it: of one operator, nothing.
static void library_facts(ModulesDomain *m, const ModulesAsk *q) {
    const ModuleRun *run = &m->values.run;
    int operators = 0;
    m->light_bytes = 0;
    for (int i = 0; i < run->ops; i++) {
        LibraryUse needs = library_needs(run->op[i].name);
        operators += needs != LIBRARY_NONE;
        if (needs == LIBRARY_LIGHT) m->light_bytes += run->op[i].bytes;
    }
    m->library = q->library ? (LibraryUse)(q->library - 1) : operators > 1 ? LIBRARY_LIGHT : LIBRARY_NONE;
}

// `values` holds what is needed here alone: answers and their bounds.
static bool open_in(Arena *a, Arena *values, const ModulesAsk *q, const Sizes *z, ModulesDomain **out,
                    Err *e) {
    const char *path = q->path;
    const Str source = q->source;
    ModulesDomain *m = *out = NEW(a, ModulesDomain);
    DiagList d = DIAGS(a);
    m->op = (Op){.name = stem(a, path),
                 .notes = STR("a reference in module form"),
                 .source = source,
                 .user = true,
                 .rows_dim = -1,
                 .row_dim = -1,
                 .allow_tf32 = q->tf32,
                 .large = q->shapes,
                 .domain = {.contiguous = !q->gaps, .module = true}};
    m->op.hash = hash_of(a, q, z);
    m->op.core = m->op.hash;
    m->file.library = z->of ? z->of->file.library : NULL;
    ValuesAsk ask = {.seed = DRAW_SEED,
                     .sizes = {.work = z->helds ? STRETCHED_WORK : SMALLER_WORK,
                               .work_most = z->helds ? STRETCHED_MOST : WORK_MOST,
                               .helds = z->helds,
                               .small = z->small,
                               .others = z->others,
                               .aligned = z->aligned,
                               .quick = z->quick,
                               .ragged = z->ragged},
                     .tf32 = q->tf32,
                     .published = z->of && z->of->values.published_values,
                     .values = values};
    memcpy(ask.sizes.held, z->held, sizeof z->held);
    if (z->quick) ask.sizes.work = QUICK_WORK, ask.sizes.work_most = QUICK_MOST;
    if (z->aligned) ask.sizes.work_most = ALIGNED_MOST;
    if (z->timed) ask.sizes.work = ask.sizes.work_most = TIMED_WORK;
    ask.known_sound = z->aligned || z->ragged || z->timed;
    if (!module_read(a, source, &m->file, &d) || !module_values(a, &m->file, &ask, &m->values, &d))
        return refuse(path, source, &d, e);
    if (m->values.degenerate)
        return err_set(e, ERR_INPUT, "%s: not a definition to judge by: %s", path, m->values.degenerate);
    const ModuleRun run = m->values.run;
    m->values.run = m->values.shapes.small; // the same, without values
    library_facts(m, q);
    if (!describe(a, m, &run, e) || !write_facts(a, m, e)) return false;
    domain_fill_in(a, m);
    return true;
}

static bool open_one(Arena *a, const ModulesAsk *q, const Sizes *z, ModulesDomain **out, Err *e) {
    Arena values = {0};
    bool ok = open_in(a, &values, q, z, out, e);
    arena_free(&values);
    return ok;
}

static int64_t size_now(const ModuleShrunk *s, const ModuleSize *size) {
    for (int i = 0; i < s->sizes; i++)
        if (s->size[i].at.at == size->at.at) return s->size[i].now;
    return size->published;
}

// Without values: nobody evaluates it.
static bool open_published(Arena *a, ModulesDomain *m, Err *e) {
    ModulesDomain *p = NEW(a, ModulesDomain);
    *p = *m;
    p->values.run = p->values.shapes.small = m->values.shapes.published;
    p->op.inputs = 0;
    if (!describe(a, p, NULL, e) || !write_facts(a, p, e)) return false;
    domain_fill_in(a, p);
    m->published = &p->domain;
    return true;
}

typedef struct {
    Arena *a;
    const ModulesAsk *q;
    ModulesDomain *m;
    Stretched *list;
} Stretching;

// With these sizes long, if they can be while others are short.
static bool stretch_by(Stretching *t, const ModuleSize *const *size, int n) {
    const ModuleShrunk *s = &t->m->values.shapes;
    ModulesDomain *long_one, *control;
    Sizes z = {.helds = n, .small = s, .of = t->m};
    Err unsaid = {0};
    for (int i = 0; i < n; i++) z.held[i] = size[i];
    if (!open_one(t->a, t->q, &z, &long_one, &unsaid)) return false;
    long_one->long_sizes = n;
    if (long_one->values.shapes.small.work > STRETCHED_MOST) return false;
    for (int i = 0; i < n; i++) {
        long_one->longs[i] = *size[i];
        long_one->longs[i].now = size_now(&long_one->values.shapes, size[i]);
        if (long_one->longs[i].now < STRETCH_LEAST * size[i]->now) return false;
    }
    Stretched *to = &t->list[t->m->domain.stretches];
    *to = (Stretched){.domain = &long_one->domain, .longs = n};
    for (int i = 0; i < n; i++) {
        const Sizes others = {.held = {size[i]}, .helds = 1, .others = &long_one->values.shapes, .of = t->m};
        if (!open_one(t->a, t->q, &others, &control, &unsaid)) return false;
        control->long_sizes = 1;
        control->longs[0] = *size[i];
        to->control[i] = &control->domain;
    }
    t->m->domain.stretches++;
    return true;
}

// The sizes that lost most come first, then pairs of these. How many can be long.
static void stretch(Arena *a, const ModulesAsk *q, ModulesDomain *m) {
    const ModuleShrunk *s = &m->values.shapes;
    Stretching t = {a, q, m, NEWN(a, Stretched, STRETCHES_MOST + PAIRS_MOST)};
    const ModuleSize *single[STRETCHES_MOST];
    bool done[MODULE_SIZES_MAX] = {false};
    int singles = 0;
    for (int turn = 0; turn < s->sizes && singles < STRETCHES_MOST; turn++) {
        int best = -1;
        for (int i = 0; i < s->sizes; i++) {
            double lost = (double)s->size[i].published / (double)s->size[i].now;
            if (done[i] || lost < STRETCH_LEAST) continue;
            if (best < 0 || lost > (double)s->size[best].published / (double)s->size[best].now) best = i;
        }
        if (best < 0) break;
        done[best] = true;
        const ModuleSize *const one[] = {&s->size[best]};
        if (stretch_by(&t, one, 1)) single[singles++] = &s->size[best];
    }
    int pairs = 0;
    for (int k = 1; k < singles; k++)
        for (int i = 0; i < k && pairs < PAIRS_MOST; i++) {
            const ModuleSize *const two[] = {single[i], single[k]};
            pairs += stretch_by(&t, two, 2);
        }
    m->domain.stretched = t.list;
}

static bool divides(int64_t number, const Bound *published, const Bound *now, int d) {
    return published->shape[d] % number == 0 && now->shape[d] % number != 0;
}

bool modules_lost_divisor(const ModulesDomain *m, int64_t number) {
    const ModuleRun *was = &m->values.shapes.published, *is = &m->values.shapes.small;
    for (int i = 0; i < is->inputs; i++)
        for (int d = 0; is->input[i].tensor && d < is->input[i].tensor->rank; d++)
            if (divides(number, was->input[i].tensor, is->input[i].tensor, d)) return true;
    for (int i = 0; i < is->tensors; i++)
        for (int d = 0; d < is->tensor[i].value->rank; d++)
            if (divides(number, was->tensor[i].value, is->tensor[i].value, d)) return true;
    return false;
}

// Blocks are mostly of 32 to 256: where those divide a published size and no small one.
static void align(Arena *a, const ModulesAsk *q, ModulesDomain *m) {
    ModulesDomain *aligned;
    Err unsaid = {0};
    int64_t block = 32;
    while (block <= 256 && !modules_lost_divisor(m, block)) block *= 2;
    if (block > 256 || !open_one(a, q, &(Sizes){.of = m, .aligned = true}, &aligned, &unsaid)) return;
    bool more = false;
    for (; block <= 256; block *= 2)
        more |= modules_lost_divisor(m, block) && !modules_lost_divisor(aligned, block);
    aligned->is_aligned = true;
    if (more && aligned->values.shapes.small.work <= ALIGNED_MOST) m->aligned = &aligned->domain;
}

static bool same_sizes(const ModulesDomain *x, const ModulesDomain *y) {
    for (int i = 0; i < x->op.inputs; i++)
        if (memcmp(x->op.input[i].size, y->op.input[i].size, sizeof x->op.input[i].size) != 0) return false;
    return true;
}

static void make_ragged(Arena *a, const ModulesAsk *q, ModulesDomain *m) {
    ModulesDomain *ragged;
    Err unsaid = {0};
    m->ragged_counts = q->ragged;
    if (!open_one(a, q, &(Sizes){.of = m, .ragged = true}, &ragged, &unsaid) || same_sizes(m, ragged)) return;
    ragged->is_aligned = true;
    m->ragged = &ragged->domain;
}

bool modules_timed(Arena *a, const Op *op, ModulesDomain **out, Err *e) {
    const ModulesDomain *m = modules_of(op);
    const ModulesAsk q = {.path = str_cdup(a, op->name),
                          .source = op->source,
                          .gaps = !op->domain.contiguous,
                          .tf32 = op->allow_tf32,
                          .library = 1 + (int)m->library};
    return open_one(a, &q, &(Sizes){.of = m, .timed = true}, out, e);
}

// Where nothing can be judged at smaller sizes, level quick does without them.
static void make_quick(Arena *a, const ModulesAsk *q, ModulesDomain *m) {
    ModulesDomain *quick;
    Err unsaid = {0};
    if (m->values.shapes.small.work <= QUICK_WORK) return;
    if (!open_one(a, q, &(Sizes){.of = m, .quick = true}, &quick, &unsaid)) return;
    if (quick->values.shapes.small.work >= m->values.shapes.small.work) return;
    quick->full = &m->domain;
    m->domain.quick = &quick->domain;
}

// What belongs to the module at whatever sizes. `to` was made just now.
static void share_others(const Domain *to, const ModulesDomain *m) {
    if (!to) return;
    ModulesDomain *other = (ModulesDomain *)(uintptr_t)of(to);
    other->published = m->published;
    other->ragged = m->ragged;
    other->ragged_counts = m->ragged_counts;
}

bool modules_open(Arena *a, const ModulesAsk *q, ModulesDomain **out, Err *e) {
    if (!open_one(a, q, &(Sizes){0}, out, e)) return false;
    ModulesDomain *m = *out;
    align(a, q, m);
    make_quick(a, q, m);
    if (q->stretched) stretch(a, q, m);
    if (q->stretched || q->ragged) make_ragged(a, q, m);
    if (m->values.shapes.sizes > 0 && !open_published(a, m, e)) return false;
    share_others(m->aligned, m);
    share_others(m->domain.quick, m);
    return true;
}
