#include "cases/domain/plan.h"

#include "base/numeric/rng.h"
#include "cases/domain/domain.h"
#include "cases/values/rows.h"

bool plan_is_data(const OpInput *in) {
    return in->role == ROLE_DATA && !in->ranged && (in->any_float || dtype_is_float(in->dtype));
}

int plan_data_inputs(const Op *op) {
    int n = 0;
    for (int i = 0; i < op->inputs; i++) n += plan_is_data(&op->input[i]);
    return n;
}

int plan_classes(const Op *op, DType dtype, ClassId out[CLASS_COUNT]) {
    int n = 0;
    for (ClassId c = 0; c < CLASS_COUNT; c++) {
        if (class_who(c) != 'D') continue;
        if ((c == CLASS_cancelling || c == CLASS_both_ends) && plan_data_inputs(op) < 2) continue;
        bool fits = true;
        for (int i = 0; i < op->inputs; i++)
            if (plan_is_data(&op->input[i])) fits &= row_class_fits(c, &op->input[i], dtype);
        if (fits) out[n++] = c;
    }
    return n;
}

// What doc/error-bound.md asks of rows of 65,536: sums that overflow without a maximum subtraction, chains of
// additions that stagnate; and a spike at the end, which shows a kernel that leaves a part of so long a row
// out. The rotation alone would leave them to chance. Behind them, blocks of -inf as long as a kernel's.
static const ClassId wide_classes[] = {CLASS_constant_79,   CLASS_stagnation,  CLASS_bell,
                                       CLASS_constant,      CLASS_spike_first, CLASS_spike_last,
                                       CLASS_neg_inf_blocks};
enum { WIDE_ALL = sizeof wide_classes / sizeof *wide_classes, WIDE_CLASSES = WIDE_ALL - 1 };

static int plan_wide_classes(const ClassId *list, int k, ClassId out[WIDE_ALL]) {
    int w = 0;
    for (int i = 0; i < WIDE_ALL; i++)
        for (int j = 0; j < k; j++)
            if (list[j] == wide_classes[i]) out[w++] = list[j];
    return w;
}

static bool is_masked(ClassId c) {
    return c == CLASS_neg_inf || c == CLASS_neg_inf_blocks || c == CLASS_neg_inf_most;
}

void plan_line_classes(const Op *op, const PlannedCase *c, int64_t lines, uint8_t *out) {
    ClassId list[CLASS_COUNT], wide[WIDE_ALL];
    int k = plan_classes(op, c->dtype, list), w = plan_wide_classes(list, k, wide);
    bool by_class = plan_data_inputs(op) > 0;
    for (int64_t r = 0; r < lines; r++) {
        ClassId one = !by_class                           ? CLASS_range
                      : c->written                        ? CLASS_written
                      : c->flat                           ? CLASS_nearly_constant
                      : c->extremes && r >= EXTREME_LINES ? CLASS_bell
                      : c->wide                           ? wide[(c->skip + r) % w]
                                                          : list[(c->first_line + c->skip + r) % k];
        out[r] = (uint8_t)(is_masked(one) && c->negated ? CLASS_bell_wide : one);
    }
}

// Lengths of lines and numbers of slices.
// MANY: more slices than a kernel has been tried with while it was written, a number drawn at random.
enum {
    EVERY_CLASS = 0,
    EVERY_CLASS_AND_INPUT = -1,
    WIDE = -2,
    MANY = -3,
    MANY_LEAST = 1100,
    MANY_MOST = 9000
};
typedef struct {
    int64_t n, m; // length of the lines, number of slices
    bool strided;
} Shape;
static const Shape quick_shapes[] = {
    {1, EVERY_CLASS, false},
    {2, 5, true},
    {3, 7, false},
    {5, 4, true},
    {17, 9, false},
    {127, 5, true},
    {128, 9, false},
    {129, 7, true},
    {1000, EVERY_CLASS_AND_INPUT, true},
    {1023, 2, false},
    {1025, 3, false},
    {4096, EVERY_CLASS, false},
    {4097, 2, true},
    {8193, 5, false},
};
static const Shape full_shapes[] = {
    {1, 17, true},
    {2, 1, false},
    {3, 1, true},
    {17, 1023, true},
    {127, 33, false},
    {1024, 17, true},
    {1000, EVERY_CLASS_AND_INPUT, false},
    {4095, 5, true},
    {8191, 3, false},
    {4096, EVERY_CLASS, true},
    {8192, EVERY_CLASS, false},
    {65536, WIDE, false},
    {65537, 2, true},
    {3, MANY, false},
};
enum { TWIN_LENGTH = 127, ROWS_MIN = 5, HIDDEN_CASES = 5, FILTER_ELEMENTS = 1 << 18 };

static int64_t fit_dim(const OpDim *d, int64_t n) {
    int64_t step = d->multiple_of > 0 ? d->multiple_of : 1;
    n = (n + step - 1) / step * step;
    if (n < d->min) n = (d->min + step - 1) / step * step;
    if (d->max > 0 && n > d->max) n = d->max / step * step;
    return n < 1 ? step : n;
}

void plan_fit(const Op *op, int64_t dim[OP_DIMS_MAX]) {
    for (int d = 0; d < op->dims; d++) dim[d] = fit_dim(&op->dim[d], dim[d]);
    op_sizes_fit(op, dim);
}

typedef struct {
    const Domain *domain;
    const Op *op;
    PlannedCase *at;
    int n;
    int64_t rotation[DT_COUNT]; // lines handed out so far in each dtype
    uint64_t layouts;           // strided cases so far, from a start that the seed chooses
} Planner;

static Planner planner_begin(Arena *a, const Domain *m, uint64_t seed) {
    return (Planner){.domain = m,
                     .op = m->op,
                     .at = NEWN(a, PlannedCase, WIRE_CASES_MAX),
                     .layouts = rng_mix(seed, 0x6c61796f) >> 32};
}

// Which inputs of a strided case have gaps: all of them, one alone, all but one, in turn. So that what holds
// for one operand is not taken to hold for another.
static uint64_t strided_inputs(const Op *op, uint64_t turn) {
    unsigned n = (unsigned)op->inputs, k = (unsigned)(turn % (n > 2 ? 2 * n + 1 : n + 1));
    uint64_t all = op_all_inputs(op), one = 1;
    if (n == 1 || k == 0) return all;
    return k <= n ? one << (k - 1) : all & ~(one << (k - n - 1));
}

// A symbol that is neither the slices' number nor a line's length: small mostly, and where a line is short
// every third time large enough for several blocks of a kernel's. *room: how many elements there may be for
// each of the case's.
static int64_t other_size(Rng *r, int64_t *room) {
    enum { SMALL = 16, MOST = 300, ONE_OF = 3 };
    int64_t most = *room < MOST ? *room : MOST;
    bool large = rng_below(r, ONE_OF) == 0 && most > SMALL;
    int64_t n = large ? SMALL + 1 + (int64_t)rng_below(r, (uint64_t)(most - SMALL))
                      : 1 + (int64_t)rng_below(r, SMALL);
    *room /= n;
    return n;
}

// A line of several axes: small ones, and what is left for the last.
static void set_length(const Reduction *of, int64_t n, Rng *r, int64_t *dim) {
    enum { SMALL = 4 };
    for (int i = 0; i + 1 < of->symbols; i++) {
        dim[of->symbol[i]] = 1 + (int64_t)rng_below(r, (uint64_t)(n < SMALL ? n : SMALL));
        n = n / dim[of->symbol[i]];
    }
    if (of->symbols > 0) dim[of->symbol[of->symbols - 1]] = n;
}

static bool is_length(const Reduction *of, int symbol) {
    for (int i = 0; i < of->symbols; i++)
        if (of->symbol[i] == symbol) return true;
    return false;
}

// What a case is to be, before its sizes are rounded into the domain and the rest is drawn.
typedef struct {
    DType dtype;
    int64_t m, n; // slices, length
    bool strided, hidden, wide;
    bool again; // one more of its shape, for the classes that the others had no rows for
} Wish;

// Several small symbols beside a long line may be too much together.
static void fewer_others(const Planner *p, const Reduction *of, int64_t *dim) {
    enum { ELEMENTS = 1 << 24, HALVINGS = 8 };
    for (int k = 0; k < HALVINGS && domain_elements(p->op, dim) > ELEMENTS; k++) {
        for (int d = 0; d < p->op->dims; d++)
            if (!is_length(of, d) && d != p->domain->slices) dim[d] = (dim[d] + 1) / 2;
        plan_fit(p->op, dim);
    }
}

static int64_t lines_in(const Domain *m, const PlannedCase *c) { return m->kind->lines(m, c->over, c->dim); }

static void plan_one(Planner *p, Wish w, Rng *r) {
    if (p->n == WIRE_CASES_MAX) return;
    const Op *op = p->op;
    PlannedCase *c = &p->at[p->n];
    *c = (PlannedCase){.dtype = w.dtype,
                       .strided = w.strided ? strided_inputs(op, p->layouts) : 0,
                       .hidden = w.hidden,
                       .wide = w.wide,
                       .over = p->n % p->domain->reductions,
                       .first_line = p->rotation[w.dtype]};
    enum { ELEMENTS = 1 << 17 };
    int64_t room = ELEMENTS / ((w.m > 0 ? w.m : 1) * w.n);
    const Reduction *of = &p->domain->reduction[c->over];
    for (int d = 0; d < op->dims; d++)
        if (!is_length(of, d)) c->dim[d] = d == p->domain->slices ? w.m : other_size(r, &room);
    set_length(of, w.n, r, c->dim);
    plan_fit(op, c->dim);
    fewer_others(p, of, c->dim);
    bool signs = false;
    for (int i = 0; i < op->inputs; i++) signs |= op->input[i].both_signs;
    c->negated = signs && (rng_u32(r) & 1);
    for (int k = 0; k < p->n; k++) // rounding to the domain may make two shapes one
        if (!w.hidden && !w.again && p->at[k].dtype == w.dtype && p->at[k].over == c->over &&
            !p->at[k].strided == !w.strided && !p->at[k].hidden &&
            memcmp(p->at[k].dim, c->dim, sizeof c->dim) == 0)
            return;
    p->rotation[w.dtype] += lines_in(p->domain, c);
    p->layouts += w.strided;
    p->n++;
}

// The case before it once more, with its slices at other places.
static void plan_twin(Planner *p) {
    if (p->n == 0 || p->n == WIRE_CASES_MAX || !p->domain->moves) return;
    const PlannedCase *c = &p->at[p->n - 1];
    int64_t slices = domain_slices(p->domain, c->dim);
    if (slices < 3 || slices > TWIN_SLICES_MAX) return;
    p->at[p->n] = *c;
    p->at[p->n++].twin = true;
}

static void plan_shapes(Planner *p, DType dtype, const Shape *s, int count, Rng *r) {
    ClassId classes[CLASS_COUNT];
    int k = plan_classes(p->op, dtype, classes), data = plan_data_inputs(p->op), tensors = 0;
    for (int i = 0; i < p->op->inputs; i++) tensors += p->op->input[i].rank > 1;
    for (int i = 0; i < count; i++) {
        int64_t m = s[i].m;
        if (m == EVERY_CLASS) m = k;
        if (m == EVERY_CLASS_AND_INPUT) m = (int64_t)k * (data > 1 ? data : 1);
        // Ops with many tensors take fewer long lines, so that a draw stays about as large.
        if (s[i].m == EVERY_CLASS && s[i].n > 1000 && tensors > 2) m = k * 2 / tensors;
        if (m == MANY) m = rng_between(r, MANY_LEAST, MANY_MOST);
        bool wide = m == WIDE;
        ClassId of_wide[WIDE_ALL];
        if (wide) m = plan_wide_classes(classes, k, of_wide) > WIDE_CLASSES ? WIDE_ALL : WIDE_CLASSES;
        int before = p->n;
        plan_one(p,
                 (Wish){.dtype = dtype,
                        .m = m < ROWS_MIN && s[i].m <= 0 ? ROWS_MIN : m,
                        .n = s[i].n,
                        .strided = s[i].strided,
                        .wide = wide},
                 r);
        if (s[i].n == TWIN_LENGTH && p->n > before) plan_twin(p);
    }
}

// A row of every class, and the same rows moved in each way that is declared. Random numbers and the rotation
// of the other cases stay as they would be without.
static void plan_metamorphic_cases(Planner *p, DType dtype, uint64_t seed) {
    enum { LENGTH = 61 };
    if (p->op->invariants == 0) return;
    ClassId classes[CLASS_COUNT];
    int k = plan_classes(p->op, dtype, classes), before = p->n;
    Rng r = rng_at(seed, rng_mix(seed, 0x6d6f7665));
    int64_t rotation = p->rotation[dtype];
    p->rotation[dtype] = 0;
    plan_one(p, (Wish){.dtype = dtype, .m = k < ROWS_MIN ? ROWS_MIN : k, .n = LENGTH, .strided = true}, &r);
    p->rotation[dtype] = rotation;
    for (int i = 0; p->n > before && i < p->op->invariants && p->n < WIRE_CASES_MAX; i++) {
        p->at[p->n] = p->at[before];
        p->at[p->n++].relation = i + 1;
    }
}

// --shape MxN: that row length in both layouts, and as many of the rows as a CPU judges in good time. At
// level full further cases of the shape follow until each class has had some rows, every other case of the
// other sign: rows of -inf are no negated ones. Quick begins with any class.
static void plan_filtered(Planner *p, DType dtype, const DrawFilter *f, Level level, Rng *r) {
    enum { ROWS_OF_A_CLASS = 4, AGAIN_ELEMENTS = 1 << 20 };
    int64_t most = FILTER_ELEMENTS / f->n + 3, m = f->m < most ? f->m : most;
    ClassId classes[CLASS_COUNT];
    int k = plan_classes(p->op, dtype, classes);
    if (level == LEVEL_QUICK && k > 0) p->rotation[dtype] = (int64_t)rng_below(r, (uint64_t)k);
    int64_t first = p->rotation[dtype], rows = AGAIN_ELEMENTS / f->n;
    if (rows > ROWS_OF_A_CLASS * k) rows = ROWS_OF_A_CLASS * k;
    if (rows < k) rows = k;
    int before = p->n;
    plan_one(p, (Wish){.dtype = dtype, .m = m, .n = f->n}, r);
    plan_one(p, (Wish){.dtype = dtype, .m = m < 7 ? m : 7, .n = f->n, .strided = true}, r);
    for (bool negated = false; level == LEVEL_FULL && p->n > before && p->rotation[dtype] - first < rows;
         negated = !negated) {
        before = p->n;
        plan_one(p, (Wish){.dtype = dtype, .m = m, .n = f->n, .again = true}, r);
        if (p->n > before) p->at[before].negated &= negated;
    }
}

// One of them is square: for sizes that are told apart by each other.
static void plan_hidden(Planner *p, DType dtype, Rng *r) {
    for (int i = 0; i < HIDDEN_CASES; i++) {
        bool square = i == HIDDEN_CASES - 1;
        int64_t n = i == 0 ? rng_between(r, 1, 64) : rng_between(r, 65, square ? 160 : 3000);
        int64_t m = square ? n : rng_between(r, 1, 24);
        bool strided = rng_u32(r) & 1;
        plan_one(p, (Wish){.dtype = dtype, .m = m, .n = n, .strided = strided, .hidden = true}, r);
    }
}

static int64_t length_of(const PlannedCase *c, const Domain *m) { return domain_length(m, c->dim); }

// Insertion sort: stable, and the list is short.
static void sort_by_length(PlannedCase *c, int n, const Domain *m) {
    for (int i = 1; i < n; i++) {
        PlannedCase x = c[i];
        int j = i;
        for (; j > 0 && length_of(&c[j - 1], m) > length_of(&x, m); j--) c[j] = c[j - 1];
        c[j] = x;
    }
}

static const DType float_types[] = {DT_F32, DT_F16, DT_BF16};

// Many rows in which sums cancel. A variance of theirs that rounding makes negative becomes NaN: chance in
// one row, and certain among so many, so that what a program is called does not depend on the seed. For
// domains that reach so far, of a length that other cases have: here some references leave float32. Behind
// all other cases, whose places and values stay what they would be without.
static void plan_flat(Planner *p, DType dtype, Rng *r) {
    enum { ROWS = 48, LENGTH = 17 };
    bool fits = plan_data_inputs(p->op) > 0;
    for (int i = 0; i < p->op->inputs; i++)
        if (plan_is_data(&p->op->input[i]))
            fits &= row_class_fits(CLASS_nearly_constant, &p->op->input[i], dtype);
    int before = p->n;
    if (fits) plan_one(p, (Wish){.dtype = dtype, .m = ROWS, .n = LENGTH}, r);
    if (p->n > before) p->at[before].flat = true;
}

int plan_metamorphic(Arena *a, const Domain *m, uint64_t seed, PlannedCase **out) {
    Planner p = planner_begin(a, m, seed);
    for (int t = 0; t < (domain_any_float(m) ? 3 : 1); t++) plan_metamorphic_cases(&p, float_types[t], seed);
    *out = p.at;
    return p.n;
}

int plan_cases(Arena *a, const Domain *m, const PlanRequest *q, PlannedCase **out) {
    if (m->kind->cases) return m->kind->cases(a, m, q, out);
    uint64_t seed = q->seed;
    const DrawFilter *filter = q->filter;
    Planner p = planner_begin(a, m, seed);
    Rng r = rng_at(seed, rng_mix(seed, 0x706c616e));
    bool any_float = domain_any_float(m);
    for (int t = 0; t < (any_float ? 3 : 1); t++) {
        DType dtype = float_types[t];
        if (any_float && filter && filter->dtype >= 0 && (DType)filter->dtype != dtype) continue;
        if (filter && filter->n > 0) {
            plan_filtered(&p, dtype, filter, q->level, &r);
            continue;
        }
        plan_shapes(&p, dtype, quick_shapes, (int)(sizeof quick_shapes / sizeof *quick_shapes), &r);
        if (q->level == LEVEL_QUICK) continue;
        plan_shapes(&p, dtype, full_shapes, (int)(sizeof full_shapes / sizeof *full_shapes), &r);
        plan_hidden(&p, dtype, &r);
        plan_metamorphic_cases(&p, dtype, seed);
    }
    int kept = 0;
    for (int i = 0; i < p.n; i++)
        if (!filter || !filter->longest || length_of(&p.at[i], m) <= filter->longest) p.at[kept++] = p.at[i];
    p.n = kept;
    sort_by_length(p.at, p.n, m);
    bool asked = filter && (filter->n > 0 || filter->longest > 0);
    for (int t = 0; t < (any_float ? 3 : 1) && !asked; t++)
        if (!any_float || !filter || filter->dtype < 0 || (DType)filter->dtype == float_types[t])
            plan_flat(&p, float_types[t], &r);
    *out = p.at;
    return p.n;
}

static bool planned_length(const Draw *d, int64_t n) {
    for (int i = 0; i < d->cases; i++)
        if (domain_length(d->domain, d->truth[i].dim) == n) return true;
    return false;
}

static bool planned_slices(const Draw *d, int64_t n) {
    for (int i = 0; i < d->cases; i++)
        if (d->truth[i].dim[d->domain->slices] == n) return true;
    return false;
}

enum { SIZES_ELEMENTS = 3 << 20, SIZES_LONGEST = 65537, SIZES_VAST = 1 << 18 };
typedef struct {
    Planner p;
    const Draw *d;
    const DrawFilter *filter;
    Rng r;
    int64_t elements;
    int turn; // of the dtypes
    // Of the number whose cases are planned: what its draws begin with, and what it has handed out so far,
    // whether or not another number had that very case before.
    uint64_t own;
    uint64_t layouts;
    int64_t rotation;
    int shapes;
} SizesPlan;

static SizesPlan sizes_begin(Arena *a, const Draw *d, const DrawFilter *filter) {
    return (SizesPlan){.p = planner_begin(a, d->domain, d->seed),
                       .d = d,
                       .filter = filter,
                       .r = rng_at(d->seed, rng_mix(d->seed, 0x73697a65))};
}

static void sizes_shape(SizesPlan *s, const Shape *shape) {
    bool any_float = domain_any_float(s->d->domain);
    DType t = float_types[any_float ? s->turn++ % 3 : 0];
    if (any_float && s->filter->dtype >= 0) t = (DType)s->filter->dtype;
    if (s->p.n < WIRE_CASES_MAX / 4)
        plan_one(&s->p,
                 (Wish){.dtype = t,
                        .m = shape->m,
                        .n = shape->n,
                        .strided = shape->strided,
                        .wide = shape->m == WIDE_CLASSES},
                 &s->r);
}

static void sizes_number(SizesPlan *s, int64_t c, bool compared) {
    enum { STARTS = 1 << 12 };
    uint64_t own = rng_mix(s->d->seed, ((uint64_t)c << 1 | compared) ^ (uint64_t)0x6e756d62 << 32);
    s->own = own;
    s->turn = (int)(own % 3);
    s->rotation = (int64_t)(own >> 8) % STARTS;
    s->layouts = own >> 32;
    s->shapes = 0;
}

static void sizes_own(SizesPlan *s, const Shape *shape) {
    int before = s->p.n;
    uint64_t own = rng_mix(s->own, (uint64_t)s->shapes++);
    s->r = rng_at(s->d->seed, own);
    s->p.layouts = s->layouts;
    for (int t = 0; t < DT_COUNT; t++) s->p.rotation[t] = s->rotation;
    sizes_shape(s, shape);
    if (s->p.n > before) s->p.at[before].place = (uint32_t)(own >> 34) + 1;
    s->rotation += shape->m;
    s->layouts += shape->strided;
}

// The number as stride between rows, which a program may have compared with it: rows are shorter.
static void sizes_stride(SizesPlan *s, int64_t c) {
    enum { GAP = 3, SHORTEST = 5, FEW = 5 };
    int before = s->p.n;
    if (s->d->op->domain.contiguous || c < GAP + SHORTEST || c > SIZES_LONGEST) return;
    sizes_own(s, &(Shape){c - GAP, FEW, true});
    if (s->p.n == before) return;
    s->p.at[before].strided = op_all_inputs(s->d->op);
    s->p.at[before].row_stride = c;
}

// The number as length of a line of each class, or of as many as are little work: what is wrong at a number
// for one class of values alone shows there. In the dtype that no other case of that length has.
static void sizes_classes(SizesPlan *s, int64_t c) {
    enum { ELEMENTS = 1 << 14 };
    ClassId classes[CLASS_COUNT];
    int64_t k = plan_classes(s->d->op, float_types[0], classes), most = ELEMENTS / c,
            lines = k < most ? k : most;
    bool fewer = lines <= 2 * WIDE_CLASSES; // not worth a case
    if (fewer || s->d->domain->slices < 0 || plan_data_inputs(s->d->op) == 0 || planned_length(s->d, c))
        return;
    s->turn = (int)(s->own % 3) + 2;
    sizes_own(s, &(Shape){c, lines, s->own >> 20 & 1});
    s->elements += lines * c;
}

// A number c as length, as number of slices, and as both; and, where it was compared with, both sides of
// it and as stride. The last column of the longer rows, number c, holds a spike.
static bool sizes_of(SizesPlan *s, int64_t c, bool compared) {
    enum { ROWS_MOST = 65537, SQUARE_MOST = 256, FEW_ROWS = 4096, COLUMNS = 33, NARROW = 3, FEW = 5 };
    int64_t columns = c <= FEW_ROWS ? COLUMNS : NARROW;
    const Shape by_columns[] = {{c, FEW, false},
                                {c, 1, true},
                                {c - 1, 3, false},
                                {c + 1, WIDE_CLASSES, true}},
                by_rows[] = {{columns, c, false}, {NARROW, c + 1, false}, {c, c, true}};
    sizes_number(s, c, compared);
    if ((s->elements += (12 + (compared ? 5 : 0) + WIDE_CLASSES) * c) > SIZES_ELEMENTS) return false;
    for (int k = 0; k < (compared ? 4 : 1); k++)
        // A limit of the candidate's own beyond every planned row is its business.
        if (by_columns[k].n >= 1 && by_columns[k].n <= SIZES_LONGEST &&
            !planned_length(s->d, by_columns[k].n))
            sizes_own(s, &by_columns[k]);
    if (compared) sizes_stride(s, c);
    for (int k = 0; k < 3 && s->d->domain->slices >= 0; k++) {
        bool square = k == 2;
        if (by_rows[k].m > (square ? SQUARE_MOST : ROWS_MOST) || (k == 1 && !compared)) continue;
        if (!square && planned_slices(s->d, by_rows[k].m)) continue;
        s->elements += by_rows[k].n * by_rows[k].m;
        sizes_own(s, &by_rows[k]);
    }
    if (compared && c > 0) sizes_classes(s, c);
    return true;
}

// Lines made of the numbers in the source, for those who look at values instead of sizes.
static void sizes_values(SizesPlan *s, const float *value, int n) {
    enum { LENGTH = 61, ROWS = 24 };
    const Op *op = s->d->op;
    if (n == 0 || plan_data_inputs(op) == 0) return;
    bool any_float = domain_any_float(s->d->domain);
    for (int t = 0; t < (any_float ? 3 : 1) && s->p.n < WIRE_CASES_MAX / 4; t++) {
        if (any_float && s->filter->dtype >= 0 && s->filter->dtype != (int)float_types[t]) continue;
        int before = s->p.n;
        plan_one(&s->p,
                 (Wish){.dtype = float_types[t], .m = ROWS, .n = LENGTH, .strided = t != 0, .hidden = true},
                 &s->r);
        if (s->p.n == before) continue;
        s->p.at[before].hidden = false;
        s->p.at[before].written = value;
        s->p.at[before].writtens = n;
    }
}

int plan_sizes(Arena *a, const Draw *d, const DrawFilter *filter, const Coverage *c, PlannedCase **out,
               int *tried) {
    SizesPlan s = sizes_begin(a, d, filter);
    float *value = NEWN(a, float, COVERAGE_VALUES_MAX);
    memcpy(value, c->value, sizeof c->value);
    sizes_values(&s, value, c->values);
    // Each kind has elements of its own: sizes that follow from other sizes must not crowd out what is
    // written.
    for (int i = 0; i < c->writtens; i++)
        if (!sizes_of(&s, c->written[i], false)) break;
    s.elements = 0;
    for (*tried = 0; *tried < c->sizes; ++*tried)
        if (!sizes_of(&s, c->size[*tried], true)) break;
    sort_by_length(s.p.at, s.p.n, d->domain);
    *out = s.p.at;
    return s.p.n;
}

int plan_beyond(Arena *a, const Draw *d, const DrawFilter *filter, const Coverage *c, PlannedCase **out,
                BeyondTried *tried) {
    SizesPlan s = sizes_begin(a, d, filter);
    tried->n = 0;
    for (int i = 0; i < c->beyonds; i++) {
        int64_t n = c->beyond[i];
        int64_t power = SIZES_LONGEST - 1;
        while (power <= n) power *= 2;
        const Shape shapes[] = {{n, 2, true}, {n + 1, 2, false}, {power, 1, false}};
        if (n <= SIZES_LONGEST || n > SIZES_VAST || (s.elements += 4 * n + power) > SIZES_ELEMENTS) continue;
        for (int k = 0; k < 3; k++) sizes_shape(&s, &shapes[k]);
        tried->size[tried->n++] = n;
    }
    sort_by_length(s.p.at, s.p.n, d->domain);
    *out = s.p.at;
    return s.p.n;
}

// The way that a large point is tried in: of those in which it was found, in turns.
static int way_of(unsigned ways, int turn) {
    int of = __builtin_popcount(ways), way = 0;
    for (int skip = of ? turn % of : 0; way < EXPLORE_WAYS - 1 && !(ways >> way & 1 && skip-- == 0); way++) {}
    return way;
}

enum { POINT_SMALL = 1 << 13, POINT_MIDDLE = 1 << 16, POINT_LARGE = 1 << 19, OF_A_POINT = 18 };

// A point, once more in the way number `k` of `times`.
static void plan_point(Planner *p, const ExplorePoints *points, int i, DType dtype, int k, int times) {
    enum { WIDE_ROW = 1 << 16, STORAGE = 1 << 21 };
    const int64_t *size = points->size[i];
    PlannedCase *c = &p->at[p->n++];
    int64_t length = domain_length(p->domain, size), slices = domain_slices(p->domain, size),
            stride = length + points->gap[i];
    bool gaps_alone = (points->ways[i] & ((1 << EXPLORE_GAPS) - 1)) == 0,
         large = domain_elements(p->op, size) > POINT_LARGE,
         strided = large ? way_of(points->ways[i], i) >= EXPLORE_GAPS
                         : gaps_alone || (times == 1 ? (i + (int)dtype) % 2 : k % 2);
    // The very gap that it was found with, in all inputs; then others.
    bool exact = strided && points->ways[i] >> EXPLORE_GAPS && k < 2 && stride <= STORAGE / slices;
    *c = (PlannedCase){.dtype = dtype,
                       .over = k % p->domain->reductions,
                       .strided = !strided ? 0
                                  : exact  ? op_all_inputs(p->op)
                                           : strided_inputs(p->op, p->layouts++),
                       .row_stride = exact ? stride : 0,
                       .processors = points->processors[i],
                       .wide = length >= WIDE_ROW,
                       .first_line = p->rotation[dtype]};
    memcpy(c->dim, size, sizeof c->dim);
    p->rotation[dtype] += lines_in(p->domain, c);
}

// Point number `i` in every dtype that it is to have, or in one, at most `times` times in each.
static void plan_point_ways(Planner *p, const DrawFilter *filter, const ExplorePoints *points, int i,
                            bool one, int times) {
    bool any_float = domain_any_float(p->domain);
    int types = any_float && filter->dtype < 0 ? 3 : 1, way = way_of(points->ways[i], i);
    for (int t = 0; t < types; t++) {
        DType dtype = any_float && filter->dtype >= 0 ? (DType)filter->dtype : float_types[t];
        if (one && types > 1 && dtype != explore_dtype(way)) continue;
        for (int k = 0; k < times && p->n < WIRE_CASES_MAX; k++) plan_point(p, points, i, dtype, k, times);
    }
}

// A single row, or the one that is treated apart, has one class of values: it is tried with several.
static int point_times(const Op *op, const int64_t *size) {
    int64_t elements = domain_elements(op, size);
    return elements > POINT_MIDDLE ? 1 : elements > POINT_SMALL ? 2 : 6;
}

static Planner points_planner(Arena *a, const Draw *d) {
    return (Planner){.domain = d->domain, .op = d->op, .at = NEWN(a, PlannedCase, WIRE_CASES_MAX)};
}

int plan_points(Arena *a, const Draw *d, const DrawFilter *filter, const ExplorePoints *points, int *next,
                PlannedCase **out) {
    Planner p = points_planner(a, d);
    for (; *next < points->n && p.n + OF_A_POINT <= WIRE_CASES_MAX; ++*next) {
        const int64_t *size = points->size[*next];
        bool large = domain_elements(d->op, size) > POINT_LARGE;
        plan_point_ways(&p, filter, points, *next, large, point_times(d->op, size));
    }
    sort_by_length(p.at, p.n, d->domain);
    *out = p.at;
    return p.n;
}

int plan_entries(Arena *a, const Draw *d, const DrawFilter *filter, const EntryPoints *q, int *next,
                 PlannedCase **out) {
    enum { CASES = 720, ELEMENTS = 4 << 20 }; // of a draw, about
    const ExplorePoints *points = q->points;
    Planner p = points_planner(a, d);
    int share = points->n * 3 < CASES ? CASES / (3 * points->n) : 1;
    bool first = *next == 0;
    for (int64_t elements = 0; *next < points->n && p.n + OF_A_POINT <= WIRE_CASES_MAX && elements < ELEMENTS;
         ++*next) {
        const int64_t *size = points->size[*next];
        int64_t n = domain_elements(d->op, size);
        int times = point_times(d->op, size), before = p.n;
        bool brief = !q->matters && points->entry[*next] == EXPLORE_WRITTEN_ENTRY;
        if (brief && !first) continue;
        plan_point_ways(&p, filter, points, *next, brief || n > POINT_MIDDLE,
                        brief           ? 1
                        : times < share ? times
                                        : share);
        elements += (p.n - before) * n;
    }
    sort_by_length(p.at, p.n, d->domain);
    *out = p.at;
    return p.n;
}

int plan_every_size(Arena *a, const Domain *m, const EverySize *q, int64_t *next, PlannedCase **out) {
    enum { OF_A_SIZE = 4, ELEMENTS_MOST = 1 << 21, FEW = 2, SHORT = 3 };
    const DrawFilter *filter = q->filter;
    Planner p = planner_begin(a, m, q->seed);
    Rng r = rng_at(q->seed, rng_mix(q->seed, 0x706c616e));
    bool any_float = domain_any_float(m);
    DType one = any_float && filter->dtype >= 0 ? (DType)filter->dtype : float_types[0],
          type[3] = {one, one, one};
    int types = any_float && filter->dtype < 0 ? 3 : 1;
    if (types > 1) memcpy(type, float_types, sizeof type);
    for (int64_t elements = 0; *next <= q->last && p.n + OF_A_SIZE <= WIRE_CASES_MAX; ++*next) {
        int64_t c = *next;
        int before = p.n;
        for (int t = 0; t < types; t++)
            plan_one(&p, (Wish){.dtype = type[t], .m = FEW, .n = c, .strided = (c + t) % 2}, &r);
        if (c <= EVERY_ROWS && m->slices >= 0)
            plan_one(&p, (Wish){.dtype = type[c % types], .m = c, .n = SHORT, .strided = c % 2}, &r);
        for (int k = before; k < p.n; k++) elements += domain_elements(m->op, p.at[k].dim);
        if (elements <= ELEMENTS_MOST) continue;
        p.n = before; // this size begins the next draw
        break;
    }
    sort_by_length(p.at, p.n, m);
    *out = p.at;
    return p.n;
}

int plan_traffic_case(const PlannedCase *c, int n, const Domain *m) {
    enum { ORDINARY_ROW = 4096 };
    int best = 0;
    int64_t best_rank = -1;
    for (int i = 0; i < n; i++) {
        if (c[i].strided || c[i].hidden || length_of(&c[i], m) > ORDINARY_ROW) continue;
        int64_t rank = length_of(&c[i], m) * domain_slices(m, c[i].dim) * 2 + (c[i].dtype == DT_F16);
        if (rank > best_rank) best = i, best_rank = rank;
    }
    return best;
}
