// Of a file in module form the domain at its small sizes, and those at other sizes that hang on it.
#include <inttypes.h>
#include <string.h>

#include "cases/modules/module_kinds.h"
#include "cases/modules/modules_domain.h"

enum {
    SMALLER_WORK = 1 << 20, // operations of one case: there are many, and kernels are interpreted
    WORK_MOST = 6 << 20,    // where that keeps what divides sizes
    QUICK_WORK = 3 << 15,   // the same at level quick: what it rejects for such sizes is tried at those
    QUICK_MOST = 1 << 18,
    STRETCHED_WORK = 1 << 22,
    STRETCHED_MOST = 20 << 20, // a product of 1024 x 16 x 512, say
    LEANER_WORK = 1 << 20,     // where the long size stays as long
    LEANER_MOST = 5 << 20,
    STRETCHES_MOST = 8,
    ALIGNED_MOST = 32 << 20, // a product of 128 x 256 x 384
    TIMED_WORK = 1 << 28,    // some seconds of a core, and no more than some GB of it
    PAIRS_MOST = 6,          // two sizes that are long together
    STRETCH_LEAST = 2,       // times the small size
};

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
    m->domain = (Domain){.kind = &modules_kind,
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
    bool leaner;  // with less work, and as long a size
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
    if (z->leaner) buf_puts(&b, "leaner\n");
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
    ValuesAsk ask = {.seed = MODULES_SEED,
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
    if (z->leaner)
        ask.sizes.work = LEANER_WORK, ask.sizes.work_most = LEANER_MOST, ask.sizes.held_most = STRETCHED_MOST;
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

// The same long sizes, and others that make less of the work.
static const Domain *leaner(const Stretching *t, const ModulesDomain *long_one, Sizes z) {
    ModulesDomain *less;
    Err unsaid = {0};
    z.leaner = true;
    if (z.helds > 1 || long_one->values.shapes.small.work <= 2 * LEANER_WORK ||
        !open_one(t->a, t->q, &z, &less, &unsaid) ||
        less->values.shapes.small.work > long_one->values.shapes.small.work / 4 * 3)
        return NULL;
    less->long_sizes = 1;
    less->longs[0] = *z.held[0];
    less->longs[0].now = size_now(&less->values.shapes, z.held[0]);
    return less->longs[0].now == long_one->longs[0].now ? &less->domain : NULL;
}

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
    *to = (Stretched){.domain = &long_one->domain, .leaner = leaner(t, long_one, z), .longs = n};
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

static const Bound *tensor_of(const ModuleRun *r, int i) {
    if (i < r->inputs) return r->input[i].tensor;
    return i < r->inputs + r->tensors ? r->tensor[i - r->inputs].value
                                      : r->output[i - r->inputs - r->tensors];
}

// Of the axes whose bits are set, all sizes together: rows of a batch, a plane, channels of all samples.
static double size_over(const ModulesDomain *m, int tensor, unsigned axes) {
    const Bound *b = tensor_of(&m->values.run, tensor);
    double all = 1;
    for (int k = 0; k < b->rank; k++)
        if (axes >> k & 1) all *= (double)b->shape[k];
    return all;
}

typedef struct {
    const ModulesDomain *own;
    Stretched *list;
    int singles, all;
} Lengths;

// Whether some case that nobody goes without has as much of these axes.
static bool has_as_much(const Lengths *l, int tensor, unsigned axes, double size) {
    bool any = size_over(l->own, tensor, axes) >= size;
    for (int i = 0; i < l->all; i++) {
        const Domain *met = l->list[i].leaner ? l->list[i].leaner : l->list[i].domain;
        any |= size_over(modules_at(met), tensor, axes) >= size;
    }
    return any;
}

// A grid, an array or a loop with a limit ends too early where some axes together are large: a case that is
// so has to be left for all axes of each tensor, such as one in which another size is long, too.
static bool loses_nothing(const Lengths *l, const ModulesDomain *one) {
    const ModuleRun *r = &one->values.run;
    for (int t = 0; t < r->inputs + r->tensors + r->outputs; t++) {
        const Bound *b = tensor_of(r, t);
        for (unsigned axes = 1; b && axes < 1U << b->rank; axes++)
            if (!has_as_much(l, t, axes, size_over(one, t, axes))) return false;
    }
    return true;
}

// The same of all work, where two sizes are long.
static void keep_large(const Lengths *l) {
    for (int k = 0; k < l->singles; k++) {
        const ModulesDomain *one = modules_at(l->list[k].domain);
        bool large = false;
        for (int i = l->singles; i < l->all; i++) {
            const ModulesDomain *two = modules_at(l->list[i].domain);
            bool of_it =
                two->longs[0].at.at == one->longs[0].at.at || two->longs[1].at.at == one->longs[0].at.at;
            large |= of_it && two->values.shapes.small.work >= one->values.shapes.small.work;
        }
        if (l->list[k].leaner && (!large || !loses_nothing(l, one))) l->list[k].leaner = NULL;
    }
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
    keep_large(&(Lengths){m, t.list, singles, m->domain.stretches});
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
    if (q->ragged) return;
    ModulesDomain *one = NEW(a, ModulesDomain);
    *one = *ragged;
    one->is_one = true;
    m->ragged_one = &one->domain;
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

static void make_few(Arena *a, ModulesDomain *m) {
    ModulesDomain *few = NEW(a, ModulesDomain);
    *few = *m;
    few->is_few = true;
    m->domain.few = &few->domain;
}

// What belongs to the module at whatever sizes. `to` was made just now.
static void share_others(const Domain *to, const ModulesDomain *m) {
    if (!to) return;
    ModulesDomain *other = (ModulesDomain *)(uintptr_t)modules_at(to);
    other->published = m->published;
    other->ragged = m->ragged;
    other->ragged_one = m->ragged_one;
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
    make_few(a, m);
    return true;
}
