// The search of explore.h: from sizes that cases have had to others with which something comes out as in no
// case. First the entries of tables (explore_tables.c); then single outcomes, by numbers of the source, by
// the operands of comparisons and by trying small sizes; then two outcomes together, since a special case may
// hang on both without a branch.
#include <limits.h>

#include "base/numeric/rng.h"
#include "sandbox/child/explore_inside.h"
#include "sandbox/child/written_numbers.h"

enum {
    CALLS_MAX = 16000, // of one search
    CALLS_FIRST = 600, // for a candidate whose comparisons have all come out both ways
    CALLS_PAIRS = 2000,
    PAIRS_MAX = 24, // numbers that are also tried two by two
    BRUTE_ROWS = 64,
    BRUTE_ROW = 8192,
};

// ---- numbers of the source

static void number_add(Search *s, int64_t n) {
    if (n < 1 || n > EXPLORE_ELEMENTS || s->numbers == NUMBERS_MAX) return;
    for (int i = 0; i < s->numbers; i++)
        if (s->number[i] == n) return;
    s->number[s->numbers++] = n;
}

static void number_found(void *arg, int64_t n) { number_add(arg, n); }

// ---- trying

bool explore_free(const Search *s, int axis) {
    if (axis == AXIS_GAP) return s->ways >> EXPLORE_GAPS != 0;
    if (axis == AXIS_GPU) return (s->asked & GPU_ASKS_ANY) != 0;
    return axis < s->d->dims && s->d->dim[axis].of < 0;
}

// The gap between rows is no axis for outcomes: most calls are made without.
static bool call(Search *s, const ExplorePoint *p, int way, int place, int64_t cost) {
    s->calls++;
    s->o->where = p->size;
    s->o->axes = s->d->dims;
    outcomes_begin(s->o, place, cost);
    bool kept = s->x->try(s->x->arg, p, way);
    s->o->where = NULL;
    for (; s->tables < s->o->met.tables; s->tables++) {
        s->table[s->tables] = *p;
        s->table_way[s->tables] = way;
    }
    return kept;
}

bool explore_call(Search *s, const ExplorePoint *p, int way) {
    if (s->calls >= s->most) return false;
    bool kept =
        call(s, p, way, s->places, s->places < PLACES_MAX ? explore_elements(s->d, p->size) : INT64_MAX);
    outcomes_end(s->o, kept);
    if (s->o->cheaper && s->places < PLACES_MAX) s->place[s->places++] = *p;
    return kept && (s->o->news > 0 || s->o->new_pairs > 0);
}

void explore_keep(Search *s, const ExplorePoint *p) {
    if (s->corpora == CORPUS_MAX) return;
    s->swept[s->corpora] = 0;
    s->corpus[s->corpora++] = *p;
}

// What was news, and in which way of calling.
typedef struct {
    int way, n;
    uint64_t key[OUTCOME_FRESH_MAX];
} Fresh;

static void point_add(Search *s, const ExplorePoint *p, unsigned ways) {
    if (s->others == EXPLORE_OTHERS_MAX) return;
    s->others++;
    memcpy(s->out->size[s->out->n], p->size, sizeof p->size);
    s->out->gap[s->out->n] = p->gap;
    s->out->processors[s->out->n] = (int32_t)p->processors;
    s->out->ways[s->out->n++] = (uint8_t)ways;
}

static void tell(Search *s, const ExplorePoint *p, unsigned ways) {
    if (s->others < EXPLORE_NEWS_MAX) point_add(s, p, ways);
}

bool explore_look(Search *s, const ExplorePoint *p, int way) {
    bool kept =
        call(s, p, way, s->places, s->places < PLACES_MAX ? explore_elements(s->d, p->size) : INT64_MAX);
    outcomes_end(s->o, kept);
    if (s->o->cheaper && s->places < PLACES_MAX) s->place[s->places++] = *p;
    if (!kept || s->o->news == 0) return kept;
    explore_keep(s, p);
    tell(s, p, 1U << way);
    return true;
}

// Whether it comes out at another point, too, which then takes the place of the first. Some of it: that point
// is told as well.
static bool moves(Search *s, ExplorePoint *p, ExplorePoint q, const Fresh *f, bool some) {
    explore_fit(s->d, q.size);
    if (explore_elements(s->d, q.size) >= EXPLORE_ELEMENTS) return false;
    bool kept = call(s, &q, f->way, 0, INT64_MAX), same = kept && outcomes_have(s->o, f->key, f->n),
         any = false;
    for (int i = 0; i < f->n && kept && some; i++) any |= outcomes_have(s->o, &f->key[i], 1);
    outcomes_end(s->o, kept);
    if (same) *p = q;
    if (!same && any) tell(s, &q, 1U << f->way);
    return same || any;
}

// The least size along an axis with which it still comes out, as if there were one such border: roughly.
static void halve(Search *s, ExplorePoint *p, int axis, const Fresh *f) {
    enum { STEPS = 12 };
    for (int64_t low = 0, i = 0; i < STEPS && p->size[axis] - low > p->size[axis] / 64; i++) {
        ExplorePoint q = *p;
        q.size[axis] = low + (p->size[axis] - low) / 2;
        if (!moves(s, p, q, f, false)) low = q.size[axis];
    }
}

// The divisor of n nearest to `usual` from below, or else from above, from `least` to `most`; 0: there is
// none.
static int64_t divisor(int64_t n, int64_t least, int64_t usual, int64_t most) {
    for (int64_t f = usual; f >= least; f--)
        if (n % f == 0) return f;
    for (int64_t f = usual; f <= most; f++)
        if (n % f == 0) return f;
    return 0;
}

// As many elements, in lines of ordinary length: as exactly as many, or else roughly.
static void fold(Search *s, ExplorePoint *p, const Fresh *f) {
    enum { ORDINARY = 1024, LONG = 32768, SHORT = 32 };
    int rows = s->d->slices, row = s->d->length;
    if (rows < 0 || row < 0) return;
    int64_t m = p->size[rows], n = p->size[row], all = m * n;
    if (n >= SHORT && n <= LONG) return;
    ExplorePoint q = *p;
    int64_t length = divisor(all, SHORT, ORDINARY, LONG);
    q.size[row] = length ? length : ORDINARY;
    q.size[rows] = all / q.size[row];
    if (length && moves(s, p, q, f, true)) return;
    for (int64_t by = 2; n > LONG ? n / by >= ORDINARY : m / by >= ORDINARY; by *= 2) {
        q.size[rows] = n > LONG ? m * by : (m + by - 1) / by;
        q.size[row] = n > LONG ? (n + by - 1) / by : n * by;
        if (moves(s, p, q, f, true)) return;
    }
}

// Tensors that a CPU can hold: sizes shrink as long as what was news still comes out.
static void shrink(Search *s, ExplorePoint *p, const Fresh *f) {
    static const int64_t list[] = {1, 2, 3, 5, 8, 16, 61, 64, 256, 1024, 4096, 16384};
    enum { LIST = sizeof list / sizeof *list };
    for (int axis = 0; axis < s->d->dims; axis++) {
        bool done = !explore_free(s, axis);
        for (int i = 0; i < LIST && !done && list[i] < p->size[axis]; i++) {
            ExplorePoint q = *p;
            q.size[axis] = list[i];
            done = moves(s, p, q, f, false);
        }
        if (!done && explore_elements(s->d, p->size) > EXPLORE_SHRINKS) halve(s, p, axis, f);
    }
    if (explore_elements(s->d, p->size) > EXPLORE_SHRINKS) fold(s, p, f);
}

// What ends at a number is right where there are as many rows, and wrong where there are more: so many that
// no others are tried are taken a step beyond the border where the same comes out there. Of columns a
// kernel's block has a limit of its own.
static void beyond(Search *s, ExplorePoint *p, const Fresh *f) {
    enum { MANY = 65537 };
    static const int64_t part[] = {8, 64, 1024, INT32_MAX};
    int axis = s->d->slices;
    bool done = axis < 0 || !explore_free(s, axis) || p->size[axis] <= MANY;
    for (size_t i = 0; i < sizeof part / sizeof *part && !done; i++) {
        ExplorePoint q = *p;
        q.size[axis] += q.size[axis] / part[i] + 1;
        done = q.size[axis] <= OP_SIZE_MAX && moves(s, p, q, f, false);
    }
}

// On a branch that nobody took before, dtypes and gaps may be told apart that were alike until now. What is
// news in one of those ways, as bits.
static unsigned more_ways(Search *s, const ExplorePoint *p) {
    unsigned news = 0;
    uint64_t plain = s->o->signature; // of the plain way, which was the last
    for (int way = 1; way < EXPLORE_WAYS && s->mask == UINT_MAX; way++) {
        if (s->ways >> way & 1) continue;
        if (explore_call(s, p, way)) news |= 1U << way;
        if (s->o->signature != plain) s->ways |= 1U << way;
    }
    return news;
}

void explore_try(Search *s, const ExplorePoint *from) {
    ExplorePoint p = *from;
    Fresh f = {0};
    unsigned news = 0;
    explore_fit(s->d, p.size);
    if (explore_elements(s->d, p.size) >= EXPLORE_ELEMENTS) return;
    for (int way = EXPLORE_WAYS; way-- > 0;) { // the plain one is the last run
        if (!((s->ways & s->mask) >> way & 1) || !explore_call(s, &p, way)) continue;
        if (!news) f.n = s->o->freshes, f.way = way, memcpy(f.key, s->o->fresh, sizeof f.key);
        news |= 1U << way;
    }
    if (!news) return;
    news |= more_ways(s, &p);
    if (explore_elements(s->d, p.size) > EXPLORE_SHRINKS && f.n > 0) shrink(s, &p, &f);
    if (f.n > 0) beyond(s, &p, &f);
    explore_keep(s, &p);
    tell(s, &p, news);
}

void explore_try_with(Search *s, const ExplorePoint *base, int axis, int64_t value) {
    ExplorePoint p = *base;
    if (value < axis_least(axis) || value > axis_most(axis)) return;
    *along(&p, axis) = value;
    explore_try(s, &p);
}

void explore_each(Search *s, const ExplorePoint *base, int axis, int64_t most,
                  bool (*ended)(const Search *s)) {
    ExplorePoint before = {0};
    int64_t first = axis_least(axis);
    for (int64_t v = first; v <= most && explore_any_open(s) && !ended(s); v++) {
        ExplorePoint p = *base;
        *along(&p, axis) = v;
        explore_fit(s->d, p.size);
        if (v > first && memcmp(&p, &before, sizeof p) == 0) continue;
        before = p;
        explore_try_with(s, base, axis, v);
    }
}

static void try_around(Search *s, const ExplorePoint *base, int axis, int64_t value) {
    for (int64_t v = value - 1; v <= value + 1; v++) explore_try_with(s, base, axis, v);
}

static ExplorePoint of_case(const Search *s, int i) {
    ExplorePoint p = {.gap = EXPLORE_GAP, .processors = s->d->seed_processors[i]};
    memcpy(p.size, s->d->seed[i], sizeof p.size);
    return p;
}

ExplorePoint explore_at(const Search *s, int64_t slices, int64_t length) {
    enum { OTHER = 5 };
    ExplorePoint p = {.gap = EXPLORE_GAP, .processors = PROCESSORS_USUAL};
    for (int i = 0; i < OP_DIMS_MAX; i++) p.size[i] = OTHER;
    if (s->d->slices >= 0) p.size[s->d->slices] = slices;
    if (s->d->length >= 0) p.size[s->d->length] = length;
    explore_fit(s->d, p.size);
    return p;
}

// What comes out with cases' own sizes is no news.
static void by_cases(Search *s) {
    s->o->drawn = true;
    for (int i = 0; i < s->d->seeds; i++) {
        ExplorePoint p = of_case(s, i);
        bool news = explore_call(s, &p, s->d->seed_way[i]);
        if (news && !s->o->pairing && s->corpora < CORPUS_CASES) explore_keep(s, &p);
    }
    s->o->drawn = false;
}

// Other dtypes and layouts are tried from here on if they make a difference.
static void find_ways(Search *s) {
    enum { EVERY = 8 };
    for (int i = 0; i < s->d->seeds; i += EVERY) {
        uint64_t plain = 0;
        for (int way = 0; way < EXPLORE_WAYS; way++) {
            ExplorePoint p = of_case(s, i);
            (void)explore_call(s, &p, way);
            if (way == 0) plain = s->o->signature;
            if (s->o->signature != plain) s->ways |= 1U << way;
        }
    }
}

// ---- single outcomes

// It has come out one way only, and what it compares differs from call to call, or has hardly been seen. Of a
// number that is computed: it was always zero.
bool explore_open(const Search *s, const Compared *c) {
    enum { FEW = 64 };
    if (c->refused >= REFUSED_MAX) return false;
    if (c->product) return c->sides == 1 && (c->moved[0] || c->moved[1]);
    bool pinned = (c->elsewhere & s->free) != s->free; // only calls with one and the same size come here
    return c->sides != 3 && (c->moved[0] || c->moved[1] || c->runs < FEW || pinned);
}

bool explore_any_open(const Search *s) {
    for (int i = 0; i < s->o->compareds; i++)
        if (explore_open(s, &s->o->compared[i])) return true;
    return false;
}

// A large number may count elements: rows of ordinary length, as many as it takes.
static void by_count(Search *s, int64_t number) {
    static const int64_t row[] = {1024, 61};
    const ExploreDomain *d = s->d;
    if (d->slices < 0 || number <= 8192) return;
    for (int i = 0; i < 2; i++) {
        ExplorePoint p = {.gap = EXPLORE_GAP, .processors = PROCESSORS_USUAL};
        for (int k = 0; k < OP_DIMS_MAX; k++) p.size[k] = 1;
        p.size[d->length] = row[i];
        explore_fit(d, p.size);
        int64_t per_row = explore_elements(d, p.size), columns = p.size[d->length];
        explore_try_with(s, &p, d->slices, number / per_row);
        explore_try_with(s, &p, d->slices, number / columns);
        explore_try_with(s, &p, d->slices, number / columns + 1);
    }
}

// Such a number exactly, as a product of the two: lines of about a thousand, short ones, long ones.
static void factors_of(Search *s, int64_t number) {
    enum { USUAL = 1024, LONGEST = 65537 };
    int64_t length[4] = {1, 0, 0, 0}; // 1, below and above a usual line, the longest
    for (int64_t f = 2; f <= LONGEST && f <= number; f++) {
        if (number % f != 0) continue;
        if (f <= USUAL) length[1] = f;
        if (f > USUAL && !length[2]) length[2] = f;
        length[3] = f;
    }
    for (int i = 0; i < 4; i++) {
        if (length[i] == 0) continue;
        ExplorePoint p = explore_at(s, number / length[i], length[i]);
        explore_try(s, &p);
    }
}

static void by_factors(Search *s) {
    enum { LEAST = 64, DIVISORS = 3 }; // a number may count bytes, too
    if (s->d->slices < 0 || s->d->length < 0) return;
    for (int i = 0; i < s->numbers; i++)
        for (int k = 0; k < DIVISORS; k++)
            if (s->number[i] >= LEAST && s->number[i] % (1 << k) == 0) factors_of(s, s->number[i] >> k);
}

// Numbers of the source as sizes of every dimension.
static void by_numbers(Search *s, const ExplorePoint *base) {
    ExplorePoint one = {.gap = EXPLORE_GAP, .processors = PROCESSORS_USUAL};
    bool open = explore_any_open(s);
    for (int i = 0; i < OP_DIMS_MAX; i++) one.size[i] = 1;
    for (int i = 0; i < s->numbers; i++) {
        by_count(s, s->number[i]);
        explore_try_with(s, &one, s->d->length, s->number[i]);
    }
    for (int k = 0; k < AXES; k++)
        if (explore_free(s, k)) explore_try_with(s, base, k, 1);
    for (int i = 0; i < s->numbers; i++)
        for (int k = 0; k < AXES; k++)
            if (explore_free(s, k) && (open || k != AXIS_GPU)) try_around(s, base, k, s->number[i]);
}

static void by_two_numbers(Search *s, const ExplorePoint *base) {
    for (int i = 0; i < s->numbers && i < PAIRS_MAX; i++)
        for (int j = 0; j < s->numbers && j < PAIRS_MAX; j++)
            for (int k = 0; k + 1 < s->d->dims && k < 2; k++) {
                ExplorePoint p = *base;
                p.size[k] = s->number[i];
                p.size[k + 1] = s->number[j];
                if (explore_free(s, k) && explore_free(s, k + 1)) explore_try(s, &p);
            }
}

int64_t explore_gap(const Compared *c) {
    int64_t g;
    return __builtin_sub_overflow(c->value[0], c->value[1], &g) ? INT64_MAX : g;
}

// Where a comparison's two numbers would meet if they moved with one size as they do from one value of it to
// another one: one step of the secant method, a few times.
static void toward(Search *s, int index, const ExplorePoint *from, int axis) {
    enum { STEPS = 6 };
    const Compared *c = &s->o->compared[index];
    ExplorePoint p = *from;
    int64_t at = *along(&p, axis);
    explore_try(s, &p);
    if (c->run != s->o->run) return;
    int64_t was = explore_gap(c), before = at;
    at = at + (at > 8 ? at / 2 : 1);
    for (int step = 0; step < STEPS && explore_open(s, c) && s->calls < s->most; step++) {
        *along(&p, axis) = at;
        explore_fit(s->d, p.size);
        at = *along(&p, axis);
        explore_try(s, &p);
        if (c->run != s->o->run) return;
        int64_t now = explore_gap(c);
        if (now == was || at == before || now == INT64_MAX || was == INT64_MAX) return;
        double slope = ((double)now - (double)was) / (double)(at - before),
               next = (double)at - (double)now / slope;
        if (next < 1 && axis != AXIS_GPU) next = 1;
        if (next < (double)axis_least(axis) || next > (double)axis_most(axis)) return;
        before = at;
        was = now;
        at = (int64_t)(next + 0.5);
        try_around(s, &p, axis, at);
    }
}

// One way after the other: a condition may be looked at in some of them alone.
static void toward_in_each_way(Search *s, int index, const ExplorePoint *from, int axis) {
    for (int way = axis == AXIS_GAP ? EXPLORE_GAPS : 0; way < EXPLORE_WAYS; way++) {
        s->mask = 1U << way;
        if (s->ways & s->mask && explore_open(s, &s->o->compared[index])) toward(s, index, from, axis);
    }
    s->mask = UINT_MAX;
}

void explore_operands(Search *s) {
    for (int i = 0; i < s->o->compareds; i++)
        for (int p = s->corpora; p-- > 0 && explore_open(s, &s->o->compared[i]);)
            for (int k = 0; k < AXES; k++) {
                ExplorePoint from = s->corpus[p];
                if (explore_free(s, k)) toward_in_each_way(s, i, &from, k);
            }
}

static bool called_enough(const Search *s) { return s->calls >= s->most; }

// Remainders and bits show in no distance: small sizes are tried one by one, from each point that was news.
static void by_force(Search *s, int from) {
    for (int p = from; p < s->corpora && explore_any_open(s); p++)
        for (int k = 0; k < s->d->dims; k++)
            if (explore_free(s, k))
                explore_each(s, &s->corpus[p], k, k == s->d->length ? BRUTE_ROW : BRUTE_ROWS, called_enough);
}

static void by_chance(Search *s, const ExplorePoint *base) {
    enum { TRIES = 24, LEAST = 4098, MOST = 65535 };
    Rng r = rng_at(0x6578706c, 1);
    for (int i = 0; i < TRIES; i++) explore_try_with(s, base, s->d->length, rng_between(&r, LEAST, MOST));
}

// What host code asks the GPU: all that are known here. Those with fewer processors come where a condition is
// open that they may decide: a program may count on some.
static void by_devices(Search *s, const ExplorePoint *base) {
    enum { FEW = 14 };
    const GpuModel *model;
    for (int i = 0; explore_free(s, AXIS_GPU) && (model = gpu_model_at(i)); i++)
        explore_try_with(s, base, AXIS_GPU, model->processors);
    GpuModel written;
    for (int64_t k = GPU_WRITTEN; s->asked && written_gpu(s->x->module, k, &written); k++) {
        ExplorePoint p = *base;
        p.processors = k;
        explore_try(s, &p);
    }
    for (int i = 0; i < s->numbers && explore_free(s, AXIS_GPU); i++) // such as the keys of a table
        if (s->number[i] >= FEW) explore_try_with(s, base, AXIS_GPU, s->number[i]);
}

static void singles(Search *s, const ExplorePoint *base) {
    by_devices(s, base);
    by_numbers(s, base);
    if (explore_any_open(s)) {
        s->most += CALLS_MAX;
        s->ways |= 1U << EXPLORE_GAPS;
        by_numbers(s, base);
        by_two_numbers(s, base);
    }
    by_chance(s, base);
    if (!explore_any_open(s)) return;
    if (s->corpora == CORPUS_MAX) s->corpora--;
    explore_keep(s, base);
    by_factors(s);
    explore_operands(s);
    for (int from = 0, n = s->corpora; explore_any_open(s) && s->calls < s->most; from = n, n = s->corpora) {
        by_force(s, from ? from : n - 1);
        if (s->corpora == n) break;
        explore_operands(s);
    }
    explore_sweep(s);
}

// ---- two outcomes together

// Sizes of one point with one size of the other, either way.
static void cross(Search *s, const ExplorePoint *x, const ExplorePoint *y) {
    for (int k = 0; k < s->d->dims; k++) {
        if (!explore_free(s, k) || x->size[k] == y->size[k]) continue;
        explore_try_with(s, x, k, y->size[k]);
        explore_try_with(s, y, k, x->size[k]);
    }
}

static void by_crossing(Search *s) {
    const Outcomes *o = s->o;
    for (int i = 0; i < OUTCOMES_MAX && s->calls < s->most; i++) {
        const OutcomeWay *x = &o->seen[i];
        for (int k = 0; k < i && outcome_decides(o, x) && s->calls < s->most; k++) {
            const OutcomeWay *y = &o->seen[k];
            if (!outcome_decides(o, y) || x->at == y->at || outcomes_met(o, x, y)) continue;
            if (x->point >= s->places || y->point >= s->places) continue;
            ExplorePoint p = s->place[x->point], q = s->place[y->point];
            cross(s, &p, &q);
        }
    }
}

static void pairs(Search *s, const ExplorePoint *base) {
    int points = s->corpora;
    s->most = s->calls + s->d->seeds + CALLS_PAIRS;
    s->o->pairing = true;
    by_cases(s);
    for (int i = 0; i < points; i++) // what has been found already
        for (int way = 0; way < EXPLORE_WAYS; way++)
            if (s->ways >> way & 1) (void)explore_call(s, &s->corpus[i], way);
    by_crossing(s);
    by_two_numbers(s, base);
    // A product of truths has been zero until all of them come together.
    if (!explore_any_open(s)) return;
    s->most = s->calls + CALLS_MAX;
    by_force(s, points);
    explore_operands(s);
    explore_sweep(s);
}

// What the GPU says may reach kernels, tables and scratch memory without a condition: every GPU that is known
// here has a case, of more rows than any of them has processors. Not where host code refuses it.
static bool one_device(Search *s, int64_t processors) {
    enum { ROWS = 197, ROW = 61 };
    ExplorePoint p = explore_at(s, ROWS, ROW);
    p.processors = processors;
    if (explore_elements(s->d, p.size) >= EXPLORE_SHRINKS) return false;
    bool kept = call(s, &p, 0, 0, INT64_MAX);
    outcomes_end(s->o, kept);
    if (kept) point_add(s, &p, 1);
    return true;
}

static void all_devices(Search *s) {
    const GpuModel *model;
    bool fits = true;
    for (int i = 0; fits && (s->asked & GPU_ASKS_ANY) && (model = gpu_model_at(i)); i++)
        fits = one_device(s, model->processors);
    for (int i = 0; fits && i < written_gpu_shown(s->asked); i++) fits = one_device(s, GPU_WRITTEN + i);
}

void explore_search(Arena *a, const Explorer *x, ExplorePoints *out) {
    Search *s = NEW(a, Search);
    *s = (Search){
        .x = x, .d = x->domain, .o = x->outcomes, .out = out, .most = INT32_MAX, .ways = 1, .mask = UINT_MAX};
    *out = (ExplorePoints){0};
    s->asked = gpu_asked(x->module);
    for (int k = 0; k < s->d->dims; k++) s->free |= (uint32_t)explore_free(s, k) << k;
    by_cases(s);
    find_ways(s);
    s->most = s->calls + CALLS_FIRST;
    written_numbers(x->module, number_found, s);
    for (int i = 0; i < s->o->numbers; i++) number_add(s, s->o->number[i]);
    for (int i = 0; i < s->o->compareds; i++)
        for (int side = 0; side < 2; side++)
            if (!s->o->compared[i].moved[side]) number_add(s, s->o->compared[i].value[side]);
    ExplorePoint base = explore_at(s, 5, 61);
    explore_tables(s);
    singles(s, &base);
    explore_tables(s); // those that only other dtypes or GPUs have led to
    pairs(s, &base);
    all_devices(s);
}
