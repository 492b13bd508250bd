#include "cases/draw.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/io.h"
#include "base/numeric/rng.h"
#include "cases/calls.h"
#include "cases/columns.h"
#include "cases/metamorphic.h"
#include "cases/rows.h"
#include "host/host.h"

enum {
    ALIGN = 64,
    TWIN_INPUTS = 32768, // bytes: of twins, to be marked
    TINY_OUTPUT = 4096,  // bytes: cases of less are run in two orders of the programs where it can matter
    // Lanes that a case may use: some fifty times what an honest kernel needs. By row, because a fixed block
    // costs its width however short the row is: 256 instructions on 8192 lanes.
    STEPS_BASE = 64 << 20,
    STEPS_PER_ROW = 1 << 21,
    STEPS_PER_ELEMENT = 1024,
    // A matrix product's tile is as large as ever where there are few rows: 128 x 256 products for each
    // column, four of them a lane's work, and what brings the operands in.
    STEPS_PER_COLUMN = 1 << 15,
    REFERENCE_STEPS = 1 << 20, // interpreter steps of one evaluation of a reference
};
static const int64_t ORACLE_ELEMENTS = (int64_t)1
                                       << 32; // work of one evaluation, in elements of all its operations

static int64_t input_rows(const CaseTensor *t) {
    int64_t n = 1;
    for (int d = 0; d + 1 < t->rank; d++) n *= t->shape[d];
    return n;
}
static int64_t input_row_length(const CaseTensor *t) { return t->rank ? t->shape[t->rank - 1] : 1; }

// The rows that a kernel has programs for: those of the input that has the most of them.
static int64_t rows_of_programs(const Op *op, const CaseSpec *c, int64_t least) {
    for (int i = 0; i < op->inputs; i++) {
        const OpInput *in = &op->input[i];
        bool rows = in->rank > 1 && in->dim[in->rank - 1] == op->row_dim;
        if (rows && input_rows(&c->input[i]) > least) least = input_rows(&c->input[i]);
    }
    return least;
}

// How an input's elements lie in its storage. Rows of all but dense and shifted ones have gaps between them,
// which are outside of the view and therefore out of bounds; every input has another row stride.
typedef enum {
    LAYOUT_DENSE,
    LAYOUT_SHIFTED, // dense, behind an element or more: a base that is aligned to the element only
    LAYOUT_ODD,     // neither base nor rows are aligned to more than the element
    LAYOUT_ALIGNED, // as a padded tensor's
    LAYOUT_HALF,    // half of a wider tensor's columns
} Layout;

// Of one input of a strided case, which has gaps or not. A domain that admitted expanded inputs would be
// asked here.
static Layout layout_of(bool gaps, uint64_t choice) {
    static const Layout strided[] = {LAYOUT_ODD, LAYOUT_ODD,     LAYOUT_ODD,
                                     LAYOUT_ODD, LAYOUT_ALIGNED, LAYOUT_HALF};
    if (!gaps) return choice & 1 ? LAYOUT_SHIFTED : LAYOUT_DENSE;
    return strided[choice % (sizeof strided / sizeof *strided)];
}

// Of a contiguous domain, what each layout says of the base alone remains.
static void lay_out(CaseTensor *t, int input, Layout layout, bool contiguous, int64_t *at) {
    enum { LINE = 16 };
    int64_t n = t->rank ? t->shape[t->rank - 1] : 1, pad = 0, stride = 1;
    t->offset = layout == LAYOUT_DENSE ? 0 : 1 + 2 * input;
    if (layout == LAYOUT_ODD) pad = 3 + 2 * input;
    if (layout == LAYOUT_ALIGNED) pad = (n + LINE - 1) / LINE * LINE - n + LINE * (1 + input);
    if (layout == LAYOUT_ALIGNED) t->offset = LINE * (1 + input);
    if (layout == LAYOUT_HALF) pad = n + 2 * input, t->offset += n;
    if (contiguous) pad = 0;
    for (int d = t->rank - 1; d >= 0; d--) {
        t->stride[d] = stride;
        stride *= t->shape[d];
        if (d == t->rank - 1) stride += pad;
    }
    int64_t last = t->offset + 1;
    for (int d = 0; d < t->rank; d++) last += (t->shape[d] - 1) * t->stride[d];
    t->bytes = last * dtype_bytes((DType)t->dtype);
    t->at = *at;
    *at = (*at + t->bytes + ALIGN - 1) / ALIGN * ALIGN;
}

static bool spec_inputs(const Op *op, const PlannedCase *p, uint64_t seed, CaseSpec *spec, int64_t *at,
                        int64_t *elements, Err *e) {
    // The same for a case, its twin and any part of its rows. Every other time all inputs with gaps are laid
    // out alike.
    uint64_t choice = rng_mix(seed, ((uint64_t)p->dim[op->row_dim] << 8) + (uint64_t)p->dtype) >> 8;
    spec->inputs = op->inputs;
    *elements = 0;
    for (int i = 0; i < op->inputs; i++) {
        const OpInput *in = &op->input[i];
        CaseTensor *t = &spec->input[i];
        t->rank = in->rank;
        t->dtype = (int32_t)(in->any_float ? p->dtype : in->dtype);
        for (int d = 0; d < in->rank; d++) t->shape[d] = in->dim[d] >= 0 ? p->dim[in->dim[d]] : in->size[d];
        int64_t numel;
        if (!shape_numel(t->shape, t->rank, &numel) || numel > (int64_t)1 << 26)
            return err_set(e, ERR_INPUT, "op %.*s: input %.*s would have more than 2^26 elements in a case",
                           STR_ARG(op->name), STR_ARG(in->name));
        uint64_t own = choice >> 40 & 1 ? rng_mix(choice, (uint64_t)i) >> 8 : choice;
        lay_out(t, i, p->strided ? layout_of(p->strided >> i & 1, own) : LAYOUT_DENSE, op->domain.contiguous,
                at);
        *elements += numel;
    }
    return true;
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

static int64_t element_at(const CaseTensor *t, int64_t row) { // first element of a row
    int64_t at = t->offset;
    for (int d = t->rank - 2; d >= 0; d--) {
        at += row % t->shape[d] * t->stride[d];
        row /= t->shape[d];
    }
    return at;
}
static uint8_t *row_bytes(uint8_t *map, const CaseTensor *t, int64_t row) {
    return map + t->at + element_at(t, row) * dtype_bytes((DType)t->dtype);
}

// ---- values

typedef struct {
    const Op *op;
    const PlannedCase *plan;
    const CaseSpec *spec;
    CaseTruth *truth;
    uint8_t *map;
    uint64_t seed;
    int index; // of the case, in the draw that its values are of
    double *row, *partner;
    double factor;            // of single values that data is multiplied by
    int data_inputs, classes; // of the op, in this case
} Filler;

static bool is_index(const OpInput *in) { return in->range_dim >= 0; }
static uint16_t index_inputs(const Op *op) {
    unsigned bits = 0;
    for (int i = 0; i < op->inputs; i++)
        bits |= (unsigned)(is_index(&op->input[i]) && !op->input[i].both_signs && op->input[i].range_lo >= 0)
                << i;
    return (uint16_t)bits;
}

// The element that an index input of this op points to in this row, or -1. A "keep" input is preferred.
static int64_t chosen_element(const Filler *f, const OpInput *in, int64_t row, int64_t n) {
    int which = in->keep;
    for (int i = 0; which < 0 && i < f->op->inputs; i++)
        if (is_index(&f->op->input[i]) && f->op->input[i].range_dim == f->op->row_dim) which = i;
    if (which < 0) return -1;
    const CaseTensor *t = &f->spec->input[which];
    int64_t len = input_row_length(t), rows = input_rows(t);
    int64_t flat = row < len * rows ? row : 0;
    double v = dtype_load((DType)t->dtype,
                          row_bytes(f->map, t, flat / len) + flat % len * dtype_bytes((DType)t->dtype));
    return v >= 0 && v < (double)n ? (int64_t)v : -1;
}

static ClassId weight_class(const OpInput *in, int turn) {
    static const ClassId weights[] = {CLASS_weights, CLASS_weights_wide, CLASS_ones, CLASS_weights_neg,
                                      CLASS_weights_zero};
    static const ClassId biases[] = {CLASS_weights, CLASS_weights_wide, CLASS_weights_zero,
                                     CLASS_weights_neg};
    return in->role == ROLE_BIAS ? biases[turn % 4] : weights[turn % 5];
}

// One input takes the row's class, the others are ordinary: so that a failure names its cause.
static ClassId data_class(const Filler *f, int64_t global, int data_index, ClassId wanted) {
    if (wanted == CLASS_cancelling || wanted == CLASS_both_ends || wanted == CLASS_written) return wanted;
    int64_t k = f->classes > 0 ? f->classes : 1;
    bool primary = f->plan->wide ? data_index == 0 : global / k % f->data_inputs == data_index;
    return primary ? wanted : global % 5 == 0 ? CLASS_bell_wide : CLASS_bell;
}

// Row r of the first data input, where this row (of another one) is as long; NULL: there is none.
static const double *partner_row(Filler *f, int input, int64_t r, int64_t n) {
    const CaseTensor *first = NULL;
    for (int i = 0; !first && i < input; i++)
        if (plan_is_data(&f->op->input[i])) first = &f->spec->input[i];
    if (!first || input_row_length(first) != n || r >= input_rows(first)) return NULL;
    dtype_load_row((DType)first->dtype, row_bytes(f->map, first, r), 1, f->partner, (size_t)n);
    return f->partner;
}

// Which kind of its class a row is: the next one each time that the rotation comes round, with another start
// in each dtype and draw.
static int64_t turn_of(const Filler *f, int64_t global) {
    int64_t round = (f->classes > 0 ? f->classes : 1) * (f->data_inputs > 0 ? f->data_inputs : 1);
    return global / round + (int64_t)f->plan->dtype + (int64_t)(f->seed >> 9 & 0xff);
}

static void fill_input(Filler *f, int input, int data_index) {
    const OpInput *in = &f->op->input[input];
    const CaseTensor *t = &f->spec->input[input];
    DType dtype = (DType)t->dtype;
    int64_t rows = input_rows(t), n = input_row_length(t);
    bool by_row = in->rank > 1 && in->dim[0] >= 0 && in->dim[0] == f->op->rows_dim;
    int64_t skip = by_row ? f->plan->skip * (rows / t->shape[0]) : 0;
    for (int64_t r = 0; r < rows; r++) {
        RowSpec s = {.dtype = dtype,
                     .in = in,
                     .n = n,
                     .chosen = -1,
                     .range_hi = in->range_hi,
                     .negated = in->both_signs && f->plan->negated,
                     .factor = f->factor,
                     .written = f->plan->written,
                     .writtens = f->plan->writtens};
        int64_t global = f->plan->first_row + skip + r;
        if (in->ranged) {
            if (is_index(in)) s.range_hi = (double)(f->plan->dim[in->range_dim] - 1);
            s.cls = (skip + r + f->index) % 3 == 0 ? CLASS_range_ends : CLASS_range;
        } else if (in->role != ROLE_DATA || !dtype_is_float(dtype)) {
            s.cls = weight_class(in, f->index + (int)(f->seed >> 7 & 1));
        } else if (in->dim[in->rank - 1] != f->op->row_dim) {
            s.cls = CLASS_bell; // a value or a few per row: a scale, a temperature
        } else {
            s.cls =
                data_class(f, global, data_index, (ClassId)f->truth->row_class[r < f->truth->rows ? r : 0]);
            s.chosen = chosen_element(f, in, r, n);
            s.turn = turn_of(f, global);
            bool paired = s.cls == CLASS_cancelling || s.cls == CLASS_both_ends;
            if (paired && data_index > 0) s.partner = partner_row(f, input, r, n);
        }
        Rng rng = rng_at(f->seed, rng_mix(((uint64_t)f->index << 8) + (uint64_t)input, (uint64_t)(skip + r)));
        row_draw(&rng, &s, f->row);
        dtype_store_row(dtype, row_bytes(f->map, t, r), 1, f->row, (size_t)n);
    }
}

// A single value of both signs is a factor of the whole case.
static bool is_factor(const Filler *f, int input) {
    const CaseTensor *t = &f->spec->input[input];
    return f->op->input[input].both_signs && input_rows(t) * input_row_length(t) == 1;
}

// Indices and factors first: data rows may depend on which element is chosen, and on what they are multiplied
// by.
static void fill_case(Filler *f) {
    int data_index = 0;
    f->factor = 1;
    for (int i = 0; i < f->op->inputs; i++) {
        if (!is_index(&f->op->input[i]) && !is_factor(f, i)) continue;
        fill_input(f, i, 0);
        const CaseTensor *t = &f->spec->input[i];
        if (is_factor(f, i)) f->factor *= dtype_load((DType)t->dtype, row_bytes(f->map, t, 0));
    }
    for (int i = 0; i < f->op->inputs; i++) {
        if (is_index(&f->op->input[i]) || is_factor(f, i)) continue;
        fill_input(f, i, data_index);
        data_index += plan_is_data(&f->op->input[i]);
    }
}

static void name_rows(Arena *a, const Op *op, const PlannedCase *p, CaseTruth *t) {
    t->dtype = p->dtype;
    t->strided = p->strided;
    t->hidden = p->hidden;
    memcpy(t->dim, p->dim, sizeof t->dim);
    t->rows = op->rows_dim >= 0 ? p->dim[op->rows_dim] : 1;
    t->row_class = NEWN(a, uint8_t, (size_t)t->rows);
    plan_row_classes(op, p, t->rows, t->row_class);
}

// ---- twins

// At least one row is missing, and another one there twice: what others a row stands beside is not the same.
static void pair_twins(Draw *d, int i) {
    CaseTruth *t = &d->truth[i], *base = &d->truth[i - 1];
    Rng r = rng_at(d->seed, rng_mix(d->seed, 0x7477696e + (uint64_t)i));
    t->twin = t->twinned = base->twinned = true;
    int64_t step = 1 + 2 * (int64_t)rng_below(&r, (uint64_t)t->rows / 2); // odd: even rows come to odd places
    for (int64_t k = 0; k < t->rows; k++) t->twin_row[k] = (uint8_t)((k + step) % t->rows);
    t->twin_row[t->rows - 1] = t->twin_row[0];
    for (int64_t k = 0; k < t->rows; k++) t->row_class[k] = base->row_class[t->twin_row[k]];
}

static void copy_rows(const Op *op, const CaseTruth *t, const CaseSpec *from, const CaseSpec *to,
                      uint8_t *map) {
    for (int k = 0; k < op->inputs; k++) {
        const CaseTensor *x = &from->input[k], *y = &to->input[k]; // laid out alike
        uint8_t *out = map + y->at;
        memcpy(out, map + x->at, (size_t)x->bytes);
        if (op->input[k].rank == 0 || op->input[k].dim[0] != op->rows_dim) continue;
        int64_t size = dtype_bytes((DType)x->dtype), row = x->stride[0] * size, first = x->offset * size;
        for (int64_t r = 0; r < t->rows; r++) {
            const uint8_t *source = map + x->at + first + t->twin_row[r] * row;
            int64_t left = x->bytes - first - (t->twin_row[r] > r ? t->twin_row[r] : r) * row;
            memcpy(out + first + r * row, source, (size_t)(left < row ? left : row));
        }
    }
}

static void mark_rows(const Op *op, const CaseTruth *t, const CaseSpec *spec, uint8_t *map) {
    for (int k = 0; k < op->inputs; k++) {
        const CaseTensor *x = &spec->input[k];
        if (!x->marks || op->input[k].rank == 0 || op->input[k].dim[0] != op->rows_dim) continue;
        int64_t size = dtype_bytes((DType)x->dtype), row = x->stride[0] * size;
        for (int64_t r = 0; r < t->rows; r++)
            for (int64_t b = 0; b < row; b++) {
                int64_t at = x->offset * size + r * row + b;
                if (at < x->bytes) map[x->marks + at] = (uint8_t)(1 << r);
            }
    }
}

// Rows of the right answer that do not depend on other rows, nor on their own place, come out the same.
static bool output_alike(const CaseTruth *t, const Bound *base, const Bound *twin) {
    int64_t n = t->rows > 0 ? twin->numel / t->rows : 0;
    if (twin->numel != base->numel || twin->rank < 1 || twin->shape[0] != t->rows ||
        base->shape[0] != t->rows || !twin->e != !base->e)
        return false;
    size_t bytes = (size_t)n * sizeof(double);
    for (int64_t r = 0; r < t->rows; r++) {
        int64_t to = r * n, from = t->twin_row[r] * n;
        if (memcmp(twin->v + to, base->v + from, bytes) != 0) return false;
        if (twin->e && memcmp(twin->e + to, base->e + from, bytes) != 0) return false;
    }
    return true;
}

static unsigned outputs_alike(const CaseTruth *t, const Bound *base, const Bound *twin) {
    unsigned alike = 0;
    for (int k = 0; twin && base; k++, twin = twin->also, base = base->also)
        alike |= (unsigned)output_alike(t, base, twin) << k;
    return alike;
}

static void judge_twins(Draw *d) {
    unsigned all = (1u << d->op->outputs) - 1;
    for (int i = 1; i < d->cases; i++)
        if (d->truth[i].twin)
            all &= outputs_alike(&d->truth[i], d->truth[i - 1].expected, d->truth[i].expected);
    for (int i = 1; i < d->cases; i++) d->truth[i].alike = d->truth[i].twin ? (uint8_t)all : 0;
}

// ---- making a draw

typedef struct {
    Draw *d;
    const PlannedCase *plan;
    CaseSpec *spec;
    uint8_t *map;
    Arena *scratch; // one for each worker
    bool *failed;
    const char **why;
} Work;

static int drawn_as(const PlannedCase *p, int index) { return p->as_case > 0 ? p->as_case - 1 : index; }

static void fill_one(void *arg, size_t i, int worker) {
    Work *w = arg;
    Arena *a = &w->scratch[worker];
    ArenaMark mark = arena_mark(a);
    int64_t longest = 1;
    ClassId list[CLASS_COUNT];
    for (int k = 0; k < w->spec[i].inputs; k++) {
        int64_t n = input_row_length(&w->spec[i].input[k]);
        if (n > longest) longest = n;
    }
    Filler f = {.op = w->d->op,
                .plan = &w->plan[i],
                .spec = &w->spec[i],
                .truth = &w->d->truth[i],
                .map = w->map,
                .seed = w->d->seed,
                .index = drawn_as(&w->plan[i], (int)i),
                .data_inputs = plan_data_inputs(w->d->op),
                .classes = plan_classes(w->d->op, w->plan[i].dtype, list),
                .row = NEWN(a, double, (size_t)longest),
                .partner = NEWN(a, double, (size_t)longest)};
    fill_case(&f);
    arena_reset(a, mark);
}

Tensor draw_input(const uint8_t *mapping, const CaseTensor *t, Storage *storage) {
    *storage = (Storage){.data = (uint8_t *)(uintptr_t)(mapping + t->at), // const in deed: read_only
                         .bytes = (size_t)t->bytes,
                         .dtype = (DType)t->dtype,
                         .read_only = true};
    Tensor x = {.storage = storage, .dtype = (DType)t->dtype, .rank = t->rank, .offset = t->offset};
    memcpy(x.shape, t->shape, sizeof x.shape);
    memcpy(x.stride, t->stride, sizeof x.stride);
    return x;
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

// Which outputs there are says the definition, once: what the reference returns has to agree.
static bool answer_fits(const Op *op, const Bound *answer, const Bound *const *in, DiagList *diags) {
    int n = 0;
    for (const Bound *b = answer; b; b = b->also) n++;
    Span at = {op->reference->span.at, 0};
    if (n != op->outputs)
        return op->output[0].name.len
                   ? diag_add(diags, DIAG_HOST, at, "reference() returned %d tensors, but outputs names %d",
                              n, op->outputs)
                   : diag_add(
                         diags, DIAG_HOST, at,
                         "reference() returned %d tensors; name them: outputs = {\"y\": {}, \"mean\": {}}",
                         n);
    const Bound *b = answer;
    for (int k = 0; k < n; k++, b = b->also) {
        const OpOutput *o = &op->output[k];
        const Bound *x = o->init >= 0 ? in[o->init] : b;
        if (x->dtype == b->dtype && x->rank == b->rank &&
            memcmp(x->shape, b->shape, sizeof *x->shape * (size_t)x->rank) == 0)
            continue;
        return diag_add(
            diags, DIAG_HOST, at,
            "output %.*s is the input %.*s, changed in place: reference() must return that input's "
            "shape and dtype for it",
            STR_ARG(o->name), STR_ARG(op->input[o->init].name));
    }
    return true;
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

const Bound *draw_reference(Arena *a, const Op *op, const uint8_t *mapping, const CaseSpec *spec,
                            const OtherBytes *other, DiagList *diags) {
    BoundCtx ctx = {.arena = a,
                    .elements_left = ORACLE_ELEMENTS,
                    .allow_tf32 = op->allow_tf32,
                    .any_order = op->any_order};
    if (op->rounded) {
        ctx.rounds = true;
        ctx.function = op->rounding[op->rounded - 1].function;
    }
    const Bound *in[OP_INPUTS_MAX];
    Storage store[OP_INPUTS_MAX];
    for (int k = 0; k < op->inputs; k++) {
        Tensor x = draw_input(mapping, &spec->input[k], &store[k]);
        if (other && k == other->input)
            store[k].data = (uint8_t *)(uintptr_t)other->data; // never written either
        in[k] = bound_input(&ctx, &x, k);
    }
    const Bound *b = host_reference(&ctx, op->module, in, op->inputs, REFERENCE_STEPS, diags);
    return b && answer_fits(op, b, in, diags) ? b : NULL;
}

static void judge_one(void *arg, size_t i, int worker) {
    Work *w = arg;
    Arena *a = &w->scratch[worker];
    ArenaMark mark = arena_mark(a);
    const Op *op = w->d->op;
    DiagList diags = DIAGS(&w->d->kept[worker]);
    const Bound *b = draw_reference(a, op, w->map, &w->spec[i], NULL, &diags);
    if (b) {
        w->d->truth[i].expected = draw_keep(&w->d->kept[worker], b);
    } else {
        const Diag *first = diag_first(&diags);
        LineCol at = first ? line_col(op->source, first->span.at) : (LineCol){0, 0};
        w->failed[i] = true;
        w->why[i] = arena_printf(&w->d->kept[worker], "line %d:%d: %s", at.line, at.col,
                                 first ? first->msg : "it failed");
    }
    arena_reset(a, mark);
}

// A memfd that nobody can write any more: children map what the oracle saw.
static bool seal(Draw *d, uint8_t *map, Err *e) {
    munmap(map, d->bytes);
    if (!io_seal(d->fd, "inputs", e)) return false;
    void *p = mmap(NULL, d->bytes, PROT_READ, MAP_PRIVATE, d->fd,
                   0); // older kernels refuse to share what is sealed
    if (p == MAP_FAILED) return err_set(e, ERR_IO, "cannot map the inputs: %s", strerror(errno));
    d->mapping = p;
    d->spec = (const CaseSpec *)(d->mapping + sizeof(DrawHeader));
    d->call = (const CallSpec *)(d->spec + d->cases);
    return true;
}

static bool map_inputs(Draw *d, int64_t bytes, uint8_t **map, Err *e) {
    d->bytes = (size_t)bytes;
    d->fd = memfd_create("ouroboros-inputs", MFD_CLOEXEC | MFD_ALLOW_SEALING);
    if (d->fd < 0) return err_set(e, ERR_IO, "cannot create the input mapping: %s", strerror(errno));
    void *p = MAP_FAILED;
    if (ftruncate(d->fd, bytes) == 0) p = mmap(NULL, d->bytes, PROT_READ | PROT_WRITE, MAP_SHARED, d->fd, 0);
    if (p != MAP_FAILED) {
        *map = p;
        return true;
    }
    err_record(e, ERR_IO, "cannot map %lld bytes of inputs: %s", (long long)bytes, strerror(errno));
    close(d->fd);
    d->fd = -1;
    return false;
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
    for (int i = 1; i < d->cases; i++) {
        if (!d->truth[i].twin) continue;
        copy_rows(d->op, &d->truth[i], &spec[i - 1], &spec[i], map);
        mark_rows(d->op, &d->truth[i], &spec[i - 1], map);
        mark_rows(d->op, &d->truth[i], &spec[i], map);
    }
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

static bool draw_once(Arena *a, Pool *pool, const DrawRequest *q, uint64_t seed, Draw *d, Err *e) {
    const Op *op = q->op;
    const PlannedCase *plan = q->plan;
    PlannedCase *drawn = NULL;
    int cases = plan ? q->cases : plan_cases(a, op, q->level, seed, q->filter, &drawn);
    if (!plan) plan = drawn;
    if (q->planned) *q->planned = plan;
    *d = (Draw){.op = op, .level = q->level, .seed = seed, .fd = -1, .cases = cases};
    if (d->cases == 0) return err_set(e, ERR_INPUT, "op %.*s: the filter leaves no case", STR_ARG(op->name));
    d->traffic_case = plan_traffic_case(plan, d->cases, op);
    d->truth = NEWN(a, CaseTruth, (size_t)d->cases);
    CaseSpec *layout = NEWN(a, CaseSpec, (size_t)d->cases);
    int64_t at = (int64_t)(sizeof(DrawHeader) + (size_t)d->cases * sizeof(CaseSpec) +
                           WIRE_CALLS_MAX * sizeof(CallSpec));
    at = (at + ALIGN - 1) / ALIGN * ALIGN;
    for (int i = 0; i < d->cases; i++) {
        int64_t elements;
        if (!spec_inputs(op, &plan[i], seed, &layout[i], &at, &elements, e)) return false;
        layout[i].order_seed = rng_mix(seed, 0x6f726465 + (uint64_t)drawn_as(&plan[i], i)) | 1;
        bool usual = plan[i].as_case > 0 ? plan[i].usual_processors : i == d->traffic_case;
        layout[i].processors = usual ? PROCESSORS_USUAL : processors_of(layout[i].order_seed);
        d->input_elements += elements;
        name_rows(a, op, &plan[i], &d->truth[i]);
        if (plan[i].twin && i > 0 && memcmp(plan[i].dim, plan[i - 1].dim, sizeof plan[i].dim) == 0) {
            layout[i].order_seed = layout[i - 1].order_seed;
            layout[i].processors = layout[i - 1].processors;
            pair_twins(d, i);
        }
        layout[i].steps = STEPS_BASE + STEPS_PER_ROW * rows_of_programs(op, &layout[i], d->truth[i].rows) +
                          STEPS_PER_COLUMN * d->truth[i].dim[op->row_dim] + STEPS_PER_ELEMENT * elements;
    }
    for (int i = 0; i < d->cases; i++)
        lay_marks(&layout[i], d->truth[i].twinned ? TWIN_INPUTS : TINY_OUTPUT, &at);
    CallPlan *calls = NEW(a, CallPlan);
    calls_plan(d, layout, q->level == LEVEL_FULL && !q->more, calls, &at);
    uint8_t *map;
    if (!map_inputs(d, at, &map, e)) return false;
    CaseSpec *spec = (CaseSpec *)(map + sizeof(DrawHeader));
    memcpy(spec, layout, (size_t)d->cases * sizeof *spec);
    *(DrawHeader *)map = (DrawHeader){.magic = WIRE_MAGIC,
                                      .cases = (uint32_t)d->cases,
                                      .calls = (uint32_t)calls->calls,
                                      .contiguous = op->domain.contiguous,
                                      .index = index_inputs(op)};
    Work w = {.d = d, .plan = plan, .spec = spec, .map = map};
    if (!evaluate(a, pool, &w, e) || !metamorphic_check(d, e) || !calls_fill(a, d, calls, map, e)) {
        munmap(map, d->bytes);
        draw_free(d);
        return false;
    }
    for (int i = 0; i < d->cases; i++) {
        spec[i].output_at = (int64_t)d->output_bytes;
        draw_outputs(op, d->truth[i].expected, &spec[i]);
        spec[i].again = spec[i].output_bytes <= TINY_OUTPUT;
        d->output_bytes =
            (size_t)(spec_output_at(&spec[i], spec[i].again) + spec[i].output_bytes + ALIGN - 1) / ALIGN *
            ALIGN;
        if (!spec[i].again || spec[i].input[0].marks == 0) continue;
        spec[i].origin_at = (int64_t)d->output_bytes;
        d->output_bytes += (size_t)(spec[i].output_bytes + ALIGN - 1) / ALIGN * ALIGN;
    }
    calls_lay(d, calls, (CallSpec *)(spec + d->cases));
    d->mapping = map;
    d->spec = spec;
    judge_twins(d);
    draw_dependences(a, d, map);
    d->mapping = NULL;
    if (!seal(d, map, e)) {
        draw_free(d);
        return false;
    }
    return true;
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
    if (d->mapping) munmap((void *)(uintptr_t)d->mapping, d->bytes);
    if (d->fd >= 0) close(d->fd);
    for (int i = 0; i < d->kepts; i++) arena_free(&d->kept[i]);
    d->kepts = 0;
    d->mapping = NULL;
    d->fd = -1;
}
