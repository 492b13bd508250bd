// Cases of the sizes and values that a source mentions, of the points that were found for its branches, and
// of every size there is.
#include "cases/domain/planner.h"

#include "cases/values/rows.h"

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
        planner_add(&s->p,
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
        planner_add(
            &s->p, (Wish){.dtype = float_types[t], .m = ROWS, .n = LENGTH, .strided = t != 0, .hidden = true},
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
    planner_sort(s.p.at, s.p.n, d->domain);
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
    planner_sort(s.p.at, s.p.n, d->domain);
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
                                           : planner_strided(p->op, p->layouts++),
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
    planner_sort(p.at, p.n, d->domain);
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
    planner_sort(p.at, p.n, d->domain);
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
            planner_add(&p, (Wish){.dtype = type[t], .m = FEW, .n = c, .strided = (c + t) % 2}, &r);
        if (c <= EVERY_ROWS && m->slices >= 0)
            planner_add(&p, (Wish){.dtype = type[c % types], .m = c, .n = SHORT, .strided = c % 2}, &r);
        for (int k = before; k < p.n; k++) elements += domain_elements(m->op, p.at[k].dim);
        if (elements <= ELEMENTS_MOST) continue;
        p.n = before; // this size begins the next draw
        break;
    }
    planner_sort(p.at, p.n, m);
    *out = p.at;
    return p.n;
}
