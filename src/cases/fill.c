#include "cases/fill.h"

#include <math.h>

#include "base/numeric/rng.h"
#include "cases/domain/lines.h"
#include "cases/values/rows.h"

typedef struct {
    const FillRequest *q;
    const Op *op;
    const PlannedCase *plan;
    const Reduction *of;
    uint8_t *map;
    double *line, *partner;
    double factor;            // of single values that data is multiplied by
    int data_inputs, classes; // of the op, in this case
} Filler;

static Lines input_lines(const Filler *f, int input) {
    return lines_of(&f->q->spec->input[input], &f->of->input[input]);
}

static bool is_index(const OpInput *in) { return in->range_dim >= 0; }

// Whether an index points to an element of a line.
static bool points_into_lines(const Filler *f, const OpInput *in) {
    return is_index(in) && f->of->symbols == 1 && in->range_dim == f->of->symbol[0];
}

// The element that an index input of this op points to in this line, or -1. A "keep" input is preferred.
static int64_t chosen_element(const Filler *f, const OpInput *in, int64_t line, int64_t n) {
    int which = in->keep;
    for (int i = 0; which < 0 && i < f->op->inputs; i++)
        if (points_into_lines(f, &f->op->input[i])) which = i;
    if (which < 0) return -1;
    const CaseTensor *t = &f->q->spec->input[which];
    int64_t all = 1;
    for (int d = 0; d < t->rank; d++) all *= t->shape[d];
    int64_t at = tensor_element(t, line < all ? line : 0);
    double v = dtype_load((DType)t->dtype, f->map + t->at + at * dtype_bytes((DType)t->dtype));
    return v >= 0 && v < (double)n ? (int64_t)v : -1;
}

static ClassId weight_class(const OpInput *in, int turn) {
    static const ClassId weights[] = {CLASS_weights, CLASS_weights_wide, CLASS_ones, CLASS_weights_neg,
                                      CLASS_weights_zero};
    static const ClassId biases[] = {CLASS_weights, CLASS_weights_wide, CLASS_weights_zero,
                                     CLASS_weights_neg};
    return in->role == ROLE_BIAS ? biases[turn % 4] : weights[turn % 5];
}

// One input takes the line's class, the others are ordinary: so that a failure names its cause.
static ClassId data_class(const Filler *f, int64_t global, int data_index, ClassId wanted) {
    if (wanted == CLASS_cancelling || wanted == CLASS_both_ends || wanted == CLASS_written ||
        wanted == CLASS_nearly_constant)
        return wanted;
    int64_t k = f->classes > 0 ? f->classes : 1;
    bool primary = f->plan->wide ? data_index == 0 : global / k % f->data_inputs == data_index;
    return primary ? wanted : global % 5 == 0 ? CLASS_bell_wide : CLASS_bell;
}

// This line of the first data input, where one of another input is as long; NULL: there is none.
static const double *partner_line(Filler *f, int input, int64_t line, int64_t n) {
    int first = 0;
    while (first < input && !plan_is_data(&f->op->input[first])) first++;
    if (first == input) return NULL;
    Lines l = input_lines(f, first);
    if (l.length != n || line >= l.lines) return NULL;
    line_load(&l, f->map, line, f->partner);
    return f->partner;
}

// Which kind of its class a line is: the next one each time that the rotation comes round, with another start
// in each dtype and draw.
static int64_t turn_of(const Filler *f, int64_t global) {
    int64_t round = (f->classes > 0 ? f->classes : 1) * (f->data_inputs > 0 ? f->data_inputs : 1);
    return global / round + (int64_t)f->plan->dtype + (int64_t)(f->q->seed >> 9 & 0xff);
}

// How many of an input's lines stand before those of the part that a plan is of.
static int64_t skipped_lines(const Filler *f, int input, const Lines *l) {
    int axis = f->q->domain->slice_axis[input];
    for (int i = 0; i < l->axes; i++)
        if (l->axis[i] == axis) return 0;
    return axis < 0 ? 0 : f->plan->skip * (l->lines / l->t->shape[axis]);
}

static void choose_class(Filler *f, int input, int data_index, int64_t line, int64_t skip, RowSpec *s) {
    const OpInput *in = &f->op->input[input];
    const CaseTruth *truth = f->q->truth;
    int64_t global = f->plan->first_line + skip + line;
    if (in->ranged) {
        if (is_index(in)) s->range_hi = (double)(f->plan->dim[in->range_dim] - 1);
        s->cls = (skip + line + f->q->index) % 3 == 0 ? CLASS_range_ends : CLASS_range;
    } else if (in->role != ROLE_DATA || !dtype_is_float(s->dtype)) {
        s->cls = weight_class(in, f->q->index + (int)(f->q->seed >> 7 & 1));
    } else if (!f->of->input[input].by_class) {
        s->cls = CLASS_bell; // a value or a few per line: a scale, a temperature
    } else {
        ClassId wanted = (ClassId)truth->line_class[line < truth->lines ? line : 0];
        s->cls = data_class(f, global, data_index, wanted);
        s->chosen = chosen_element(f, in, line, s->n);
        s->turn = turn_of(f, global);
        bool paired = s->cls == CLASS_cancelling || s->cls == CLASS_both_ends;
        if (paired && data_index > 0) s->partner = partner_line(f, input, line, s->n);
    }
}

// The values stay what they are, but for those that are as extreme: these become the next one.
static void move_extreme(Rng *rng, double *line, int64_t n, int64_t from, bool least) {
    double sign = least ? -1 : 1, most = -INFINITY, next = -INFINITY;
    for (int64_t i = 0; i < n; i++) {
        double v = sign * line[i];
        if (v > most) next = most, most = v;
        if (v < most && v > next) next = v;
    }
    int64_t to = rng_between(rng, from, n - 1);
    if (!isfinite(next)) return; // all are the same
    for (int64_t i = 0; i < n; i++)
        if (sign * line[i] == most) line[i] = sign * next;
    line[to] = sign * most;
}

// Where rows are very long, an index of the first ordinary one is the last of its range, whatever else is
// drawn.
static void point_to_last(double *line, const Lines *l, int64_t r, double last) {
    if (l->lines == 1 && l->length > EXTREME_LINES) line[EXTREME_LINES] = last;
    if (l->lines > 1 && r == EXTREME_LINES) line[0] = last;
}

static void fill_input(Filler *f, int input, int data_index) {
    const OpInput *in = &f->op->input[input];
    Lines l = input_lines(f, input);
    int64_t skip = skipped_lines(f, input, &l);
    for (int64_t r = 0; r < l.lines; r++) {
        RowSpec s = {.dtype = (DType)l.t->dtype,
                     .in = in,
                     .n = l.length,
                     .chosen = -1,
                     .range_hi = in->range_hi,
                     .negated = in->both_signs && f->plan->negated,
                     .factor = f->factor,
                     .written = f->plan->written,
                     .writtens = f->plan->writtens};
        choose_class(f, input, data_index, r, skip, &s);
        Rng rng =
            rng_at(f->q->seed, rng_mix(((uint64_t)f->q->index << 8) + (uint64_t)input, (uint64_t)(skip + r)));
        row_draw(&rng, &s, f->line);
        int64_t extremes = f->plan->extremes;
        if (extremes && r >= EXTREME_LINES && l.length > extremes && in->role == ROLE_DATA && !is_index(in))
            move_extreme(&rng, f->line, l.length, extremes, (r - EXTREME_LINES) % 2);
        if (extremes && is_index(in)) point_to_last(f->line, &l, r, s.range_hi);
        line_store(&l, f->map, r, f->line);
    }
}

// A single value of both signs is a factor of the whole case.
static bool is_factor(const Filler *f, int input) {
    Lines l = input_lines(f, input);
    return f->op->input[input].both_signs && l.lines * l.length == 1;
}

// Indices and factors first: data may depend on which element is chosen, and on what it is multiplied by.
static void fill_inputs(Filler *f) {
    int data_index = 0;
    f->factor = 1;
    for (int i = 0; i < f->op->inputs; i++) {
        if (!is_index(&f->op->input[i]) && !is_factor(f, i)) continue;
        fill_input(f, i, 0);
        const CaseTensor *t = &f->q->spec->input[i];
        int64_t at = t->offset * dtype_bytes((DType)t->dtype);
        if (is_factor(f, i)) f->factor *= dtype_load((DType)t->dtype, f->map + t->at + at);
    }
    for (int i = 0; i < f->op->inputs; i++) {
        if (is_index(&f->op->input[i]) || is_factor(f, i)) continue;
        fill_input(f, i, data_index);
        data_index += plan_is_data(&f->op->input[i]);
    }
}

void fill_case(Arena *scratch, const FillRequest *q, uint8_t *map) {
    ArenaMark mark = arena_mark(scratch);
    int64_t longest = 1;
    ClassId list[CLASS_COUNT];
    Filler f = {.q = q,
                .op = q->domain->op,
                .plan = q->plan,
                .of = &q->domain->reduction[q->plan->over],
                .map = map,
                .data_inputs = plan_data_inputs(q->domain->op),
                .classes = plan_classes(q->domain->op, q->plan->dtype, list)};
    for (int k = 0; k < q->spec->inputs; k++) {
        int64_t n = input_lines(&f, k).length;
        if (n > longest) longest = n;
    }
    f.line = NEWN(scratch, double, (size_t)longest);
    f.partner = NEWN(scratch, double, (size_t)longest);
    fill_inputs(&f);
    arena_reset(scratch, mark);
}
