// The search of explore.h: from sizes that cases have had to others with which something comes out as in no
// case. First single outcomes, by numbers of the source, by the operands of comparisons and by trying small
// sizes; then two outcomes together, since a special case may hang on both without a branch.
#include <math.h>

#include "base/numeric/rng.h"
#include "sandbox/explore.h"

enum {
    CALLS_MAX = 16000, // of one search
    CALLS_FIRST = 600, // for a candidate whose comparisons have all come out both ways
    CALLS_PAIRS = 2000,
    REFUSED_MAX = 64,
    NUMBERS_MAX = 128,
    PAIRS_MAX = 24, // numbers that are also tried two by two
    CORPUS_MAX = 96,
    CORPUS_CASES = 48, // at most so many are cases' own
    PLACES_MAX = 512,  // points that outcomes were first seen at
    BRUTE_ROWS = 64,
    BRUTE_ROW = 8192,
};

typedef struct {
    int64_t size[OP_DIMS_MAX];
} Point;

typedef struct {
    const Explorer *x;
    const ExploreDomain *d;
    Outcomes *o;
    ExplorePoints *out;
    int calls, most;
    int64_t number[NUMBERS_MAX];
    int numbers;
    Point corpus[CORPUS_MAX]; // points that were news, the cases' own too
    int corpora;
    Point place[PLACES_MAX];
    int places;
    unsigned ways; // a bit for each one that makes a difference
} Search;

// ---- numbers of the source

static void number_add(Search *s, int64_t n) {
    if (n < 1 || n > EXPLORE_ELEMENTS || s->numbers == NUMBERS_MAX) return;
    for (int i = 0; i < s->numbers; i++)
        if (s->number[i] == n) return;
    s->number[s->numbers++] = n;
}

// Whether a number is the result of arithmetic on written numbers: 1 << 22, 96 * 1024.
static bool constant(const Node *n, int64_t *out) {
    int64_t l, r;
    if (n->kind == NODE_INT)
        return !n->integer.too_big && n->integer.value < INT32_MAX &&
               (*out = (int64_t)n->integer.value, true);
    if (n->kind == NODE_FLOAT)
        return n->real >= 2 && n->real < INT32_MAX && floor(n->real) == n->real &&
               (*out = (int64_t)n->real, true);
    if (n->kind != NODE_BINARY || n->height > 8 || !constant(n->binary.left, &l) ||
        !constant(n->binary.right, &r))
        return false;
    bool near =
        l < EXPLORE_ELEMENTS && l > -EXPLORE_ELEMENTS && r < EXPLORE_ELEMENTS && r > -EXPLORE_ELEMENTS;
    if (!near) return false;
    switch (n->binary.op) {
    case OPER_ADD: return *out = l + r, true;
    case OPER_SUB: return *out = l - r, true;
    case OPER_MUL: return *out = l * r, true;
    case OPER_BITXOR: return *out = l ^ r, true;
    case OPER_BITOR: return *out = l | r, true;
    case OPER_FLOORDIV: return l >= 0 && r > 0 && (*out = l / r, true);
    case OPER_SHL: return l >= 0 && r >= 0 && r < 31 && (*out = l << r, true);
    case OPER_SHR: return l >= 0 && r >= 0 && r < 31 && (*out = l >> r, true);
    case OPER_POW:
        if (r < 0 || r > 31) return false;
        *out = 1;
        for (; r > 0; r--)
            if (__builtin_mul_overflow(*out, l, out)) return false;
        return true;
    default: return false;
    }
}

static void numbers_of_text(Search *s, Str text) {
    int64_t x = 0;
    for (size_t i = 0; i < text.len; i++) {
        bool digit = text.p[i] >= '0' && text.p[i] <= '9', last = i + 1 == text.len;
        if (digit && x < INT32_MAX) x = x * 10 + (text.p[i] - '0');
        if ((!digit || last) && x >= 2) number_add(s, x);
        if (!digit) x = 0;
    }
}

static void numbers_find(void *arg, const Node *n) {
    int64_t x;
    if (constant(n, &x) && x >= 2) number_add(arg, x);
    if (n->kind == NODE_STRING && n->span.len < 64) numbers_of_text(arg, n->string.text);
    node_each_child(n, numbers_find, arg); // a tree's height is bounded
}

// ---- trying

static bool is_free(const Search *s, int dim) { return s->d->dim[dim].of < 0; }

static bool try_way(Search *s, const Point *p, int way) {
    if (s->calls >= s->most) return false;
    s->calls++;
    outcomes_begin(s->o, s->places, s->places < PLACES_MAX ? explore_elements(s->d, p->size) : INT64_MAX);
    bool kept = s->x->try(s->x->arg, p->size, way);
    outcomes_end(s->o, kept);
    if (s->o->cheaper && s->places < PLACES_MAX) s->place[s->places++] = *p;
    return kept && (s->o->news > 0 || s->o->new_pairs > 0);
}

static void keep(Search *s, const Point *p) {
    if (s->corpora < CORPUS_MAX) s->corpus[s->corpora++] = *p;
}

// Tensors that a CPU can hold: other sizes shrink as long as what was news still comes out.
static void shrink(Search *s, Point *p, int way, const uint64_t *fresh, int freshes) {
    static const int64_t list[] = {1, 2, 3, 5, 8, 16, 61, 64, 256, 1024, 4096, 16384};
    enum { LIST = sizeof list / sizeof *list };
    for (int dim = 0; dim < s->d->dims; dim++)
        for (int i = 0; i < LIST && is_free(s, dim) && list[i] < p->size[dim]; i++) {
            Point q = *p;
            q.size[dim] = list[i];
            explore_fit(s->d, q.size);
            if (q.size[dim] >= p->size[dim]) break;
            outcomes_begin(s->o, 0, INT64_MAX);
            bool kept = s->x->try(s->x->arg, q.size, way), same = outcomes_have(s->o, fresh, freshes);
            outcomes_end(s->o, kept);
            s->calls++;
            if (!kept || !same) continue;
            *p = q;
            break;
        }
}

static void try_point(Search *s, const Point *from) {
    Point p = *from;
    uint64_t fresh[OUTCOME_FRESH_MAX];
    int freshes = 0, first = 0;
    unsigned news = 0;
    explore_fit(s->d, p.size);
    if (explore_elements(s->d, p.size) >= EXPLORE_ELEMENTS) return;
    for (int way = EXPLORE_WAYS; way-- > 0;) { // the plain one is the last run
        if (!(s->ways >> way & 1) || !try_way(s, &p, way)) continue;
        if (!news) freshes = s->o->freshes, first = way, memcpy(fresh, s->o->fresh, sizeof fresh);
        news |= 1U << way;
    }
    if (!news) return;
    if (explore_elements(s->d, p.size) > EXPLORE_SHRINKS && freshes > 0) shrink(s, &p, first, fresh, freshes);
    keep(s, &p);
    if (s->out->n == EXPLORE_POINTS_MAX) return;
    memcpy(s->out->size[s->out->n], p.size, sizeof p.size);
    s->out->ways[s->out->n++] = (uint8_t)news;
}

static void try_with(Search *s, const Point *base, int dim, int64_t value) {
    Point p = *base;
    if (value < 1 || value > OP_SIZE_MAX) return;
    p.size[dim] = value;
    try_point(s, &p);
}

static void try_around(Search *s, const Point *base, int dim, int64_t value) {
    for (int64_t v = value - 1; v <= value + 1; v++) try_with(s, base, dim, v);
}

// What comes out with cases' own sizes is no news.
static void by_cases(Search *s) {
    for (int i = 0; i < s->d->seeds; i++) {
        Point p;
        memcpy(p.size, s->d->seed[i], sizeof p.size);
        bool news = try_way(s, &p, s->d->seed_way[i]);
        if (news && !s->o->pairing && s->corpora < CORPUS_CASES) keep(s, &p);
    }
}

// Other dtypes and layouts are tried from here on if they make a difference.
static void find_ways(Search *s) {
    enum { EVERY = 8 };
    for (int i = 0; i < s->d->seeds; i += EVERY) {
        uint64_t plain = 0;
        for (int way = 0; way < EXPLORE_WAYS; way++) {
            Point p;
            memcpy(p.size, s->d->seed[i], sizeof p.size);
            (void)try_way(s, &p, way);
            if (way == 0) plain = s->o->signature;
            if (s->o->signature != plain) s->ways |= 1U << way;
        }
    }
}

// ---- single outcomes

// It has come out one way only, and what it compares differs from call to call, or has hardly been seen. Of a
// number that is computed: it was always zero.
static bool is_open(const Compared *c) {
    enum { FEW = 4 };
    if (c->refused >= REFUSED_MAX) return false;
    if (c->product) return c->sides == 1 && (c->moved[0] || c->moved[1]);
    return c->sides != 3 && (c->moved[0] || c->moved[1] || c->runs < FEW);
}

static bool any_open(const Search *s) {
    for (int i = 0; i < s->o->compareds; i++)
        if (is_open(&s->o->compared[i])) return true;
    return false;
}

// A large number may count elements: rows of ordinary length, as many as it takes.
static void by_count(Search *s, int64_t number) {
    static const int64_t row[] = {1024, 61};
    const ExploreDomain *d = s->d;
    if (d->slices < 0 || number <= 8192) return;
    for (int i = 0; i < 2; i++) {
        Point p;
        for (int k = 0; k < OP_DIMS_MAX; k++) p.size[k] = 1;
        p.size[d->length] = row[i];
        explore_fit(d, p.size);
        int64_t per_row = explore_elements(d, p.size), columns = p.size[d->length];
        try_with(s, &p, d->slices, number / per_row);
        try_with(s, &p, d->slices, number / columns);
        try_with(s, &p, d->slices, number / columns + 1);
    }
}

// Numbers of the source as sizes of every dimension.
static void by_numbers(Search *s, const Point *base) {
    Point one;
    for (int i = 0; i < OP_DIMS_MAX; i++) one.size[i] = 1;
    for (int i = 0; i < s->numbers; i++) {
        by_count(s, s->number[i]);
        try_with(s, &one, s->d->length, s->number[i]);
    }
    for (int k = 0; k < s->d->dims; k++)
        if (is_free(s, k)) try_with(s, base, k, 1);
    for (int i = 0; i < s->numbers; i++)
        for (int k = 0; k < s->d->dims; k++)
            if (is_free(s, k)) try_around(s, base, k, s->number[i]);
}

static void by_two_numbers(Search *s, const Point *base) {
    for (int i = 0; i < s->numbers && i < PAIRS_MAX; i++)
        for (int j = 0; j < s->numbers && j < PAIRS_MAX; j++)
            for (int k = 0; k + 1 < s->d->dims && k < 2; k++) {
                Point p = *base;
                p.size[k] = s->number[i];
                p.size[k + 1] = s->number[j];
                if (is_free(s, k) && is_free(s, k + 1)) try_point(s, &p);
            }
}

static int64_t gap(const Compared *c) {
    int64_t g;
    return __builtin_sub_overflow(c->value[0], c->value[1], &g) ? INT64_MAX : g;
}

// Where a comparison's two numbers would meet if they moved with one size as they do from one value of it to
// another one: one step of the secant method, a few times.
static void toward(Search *s, int index, const Point *from, int dim) {
    enum { STEPS = 6 };
    const Compared *c = &s->o->compared[index];
    Point p = *from;
    int64_t at = p.size[dim];
    try_point(s, &p);
    if (c->run != s->o->run) return;
    int64_t was = gap(c), before = at;
    at = at + (at > 8 ? at / 2 : 1);
    for (int step = 0; step < STEPS && is_open(c) && s->calls < s->most; step++) {
        p.size[dim] = at;
        explore_fit(s->d, p.size);
        at = p.size[dim];
        try_point(s, &p);
        if (c->run != s->o->run) return;
        int64_t now = gap(c);
        if (now == was || at == before || now == INT64_MAX || was == INT64_MAX) return;
        double slope = ((double)now - (double)was) / (double)(at - before),
               next = (double)at - (double)now / slope;
        if (next < 1) next = 1;
        if (next > (double)OP_SIZE_MAX) return;
        before = at;
        was = now;
        at = (int64_t)(next + 0.5);
        try_around(s, &p, dim, at);
    }
}

static void by_operands(Search *s) {
    for (int i = 0; i < s->o->compareds; i++)
        for (int p = s->corpora; p-- > 0 && is_open(&s->o->compared[i]);)
            for (int k = 0; k < s->d->dims; k++) {
                Point from = s->corpus[p];
                if (is_free(s, k)) toward(s, i, &from, k);
            }
}

// Remainders and bits show in no distance: small sizes are tried one by one, from each point that was news.
static void by_force(Search *s, int from) {
    for (int p = from; p < s->corpora && any_open(s); p++)
        for (int k = 0; k < s->d->dims; k++) {
            int64_t most = k == s->d->length ? BRUTE_ROW : BRUTE_ROWS;
            for (int64_t v = 1; v <= most && is_free(s, k) && any_open(s) && s->calls < s->most; v++)
                try_with(s, &s->corpus[p], k, v);
        }
}

static void by_chance(Search *s, const Point *base) {
    enum { TRIES = 24, LEAST = 4098, MOST = 65535 };
    Rng r = rng_at(0x6578706c, 1);
    for (int i = 0; i < TRIES; i++) try_with(s, base, s->d->length, rng_between(&r, LEAST, MOST));
}

static void singles(Search *s, const Point *base) {
    by_numbers(s, base);
    if (any_open(s)) {
        s->most += CALLS_MAX;
        s->ways |= 1U << EXPLORE_GAPS;
        by_numbers(s, base);
        by_two_numbers(s, base);
    }
    by_chance(s, base);
    if (!any_open(s)) return;
    if (s->corpora == CORPUS_MAX) s->corpora--;
    keep(s, base);
    by_operands(s);
    for (int from = 0, n = s->corpora; any_open(s) && s->calls < s->most; from = n, n = s->corpora) {
        by_force(s, from ? from : n - 1);
        if (s->corpora == n) break;
        by_operands(s);
    }
}

// ---- two outcomes together

// Sizes of one point with one size of the other, either way.
static void cross(Search *s, const Point *x, const Point *y) {
    for (int k = 0; k < s->d->dims; k++) {
        if (!is_free(s, k) || x->size[k] == y->size[k]) continue;
        try_with(s, x, k, y->size[k]);
        try_with(s, y, k, x->size[k]);
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
            Point p = s->place[x->point], q = s->place[y->point];
            cross(s, &p, &q);
        }
    }
}

static void pairs(Search *s, const Point *base) {
    int points = s->corpora;
    s->most = s->calls + s->d->seeds + CALLS_PAIRS;
    s->o->pairing = true;
    by_cases(s);
    for (int i = 0; i < points; i++) // what has been found already
        for (int way = 0; way < EXPLORE_WAYS; way++)
            if (s->ways >> way & 1) (void)try_way(s, &s->corpus[i], way);
    by_crossing(s);
    by_two_numbers(s, base);
    // A product of truths has been zero until all of them come together.
    if (!any_open(s)) return;
    s->most = s->calls + CALLS_MAX;
    by_force(s, points);
    by_operands(s);
}

void explore_search(Arena *a, const Explorer *x, ExplorePoints *out) {
    Search *s = NEW(a, Search);
    *s = (Search){.x = x, .d = x->domain, .o = x->outcomes, .out = out, .most = INT32_MAX, .ways = 1};
    *out = (ExplorePoints){0};
    by_cases(s);
    find_ways(s);
    s->most = s->calls + CALLS_FIRST;
    numbers_find(s, x->module);
    for (int i = 0; i < s->o->numbers; i++) number_add(s, s->o->number[i]);
    for (int i = 0; i < s->o->compareds; i++)
        for (int side = 0; side < 2; side++)
            if (!s->o->compared[i].moved[side]) number_add(s, s->o->compared[i].value[side]);
    Point base;
    for (int i = 0; i < OP_DIMS_MAX; i++) base.size[i] = 5;
    if (s->d->length >= 0 && s->d->length < OP_DIMS_MAX) base.size[s->d->length] = 61;
    explore_fit(s->d, base.size);
    singles(s, &base);
    pairs(s, &base);
}
