#include "cases/domain/planner.h"

#include <assert.h>

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
static_assert(sizeof wide_classes / sizeof *wide_classes == WIDE_ALL, "as many as they are said to be");

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

Planner planner_begin(Arena *a, const Domain *m, uint64_t seed) {
    return (Planner){.domain = m,
                     .op = m->op,
                     .at = NEWN(a, PlannedCase, WIRE_CASES_MAX),
                     .layouts = rng_mix(seed, 0x6c61796f) >> 32};
}

uint64_t planner_strided(const Op *op, uint64_t turn) {
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

// Several small symbols beside a long line may be too much together.
static void fewer_others(const Planner *p, const Reduction *of, int64_t *dim) {
    enum { ELEMENTS = 1 << 24, HALVINGS = 8 };
    for (int k = 0; k < HALVINGS && domain_elements(p->op, dim) > ELEMENTS; k++) {
        for (int d = 0; d < p->op->dims; d++)
            if (!is_length(of, d) && d != p->domain->slices) dim[d] = (dim[d] + 1) / 2;
        plan_fit(p->op, dim);
    }
}

void planner_add(Planner *p, Wish w, Rng *r) {
    if (p->n == WIRE_CASES_MAX) return;
    const Op *op = p->op;
    PlannedCase *c = &p->at[p->n];
    *c = (PlannedCase){.dtype = w.dtype,
                       .strided = w.strided ? planner_strided(op, p->layouts) : 0,
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
        planner_add(p,
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
    planner_add(p, (Wish){.dtype = dtype, .m = k < ROWS_MIN ? ROWS_MIN : k, .n = LENGTH, .strided = true},
                &r);
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
    planner_add(p, (Wish){.dtype = dtype, .m = m, .n = f->n}, r);
    planner_add(p, (Wish){.dtype = dtype, .m = m < 7 ? m : 7, .n = f->n, .strided = true}, r);
    for (bool negated = false; level == LEVEL_FULL && p->n > before && p->rotation[dtype] - first < rows;
         negated = !negated) {
        before = p->n;
        planner_add(p, (Wish){.dtype = dtype, .m = m, .n = f->n, .again = true}, r);
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
        planner_add(p, (Wish){.dtype = dtype, .m = m, .n = n, .strided = strided, .hidden = true}, r);
    }
}

// Insertion sort: stable, and the list is short.
void planner_sort(PlannedCase *c, int n, const Domain *m) {
    for (int i = 1; i < n; i++) {
        PlannedCase x = c[i];
        int j = i;
        for (; j > 0 && length_of(&c[j - 1], m) > length_of(&x, m); j--) c[j] = c[j - 1];
        c[j] = x;
    }
}

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
    if (fits) planner_add(p, (Wish){.dtype = dtype, .m = ROWS, .n = LENGTH}, r);
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
    planner_sort(p.at, p.n, m);
    bool asked = filter && (filter->n > 0 || filter->longest > 0);
    for (int t = 0; t < (any_float ? 3 : 1) && !asked; t++)
        if (!any_float || !filter || filter->dtype < 0 || (DType)filter->dtype == float_types[t])
            plan_flat(&p, float_types[t], &r);
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
