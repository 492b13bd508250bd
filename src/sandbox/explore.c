#include "sandbox/explore.h"

#include "base/numeric/rng.h"

// Of all inputs of one call.
static const int64_t elements_most = (int64_t)1 << 31;

// ---- both sides

void explore_domain(const Op *op, ExploreDomain *out) {
    *out = (ExploreDomain){.inputs = op->inputs,
                           .dims = op->dims,
                           .rows_dim = op->rows_dim,
                           .row_dim = op->row_dim,
                           .outputs = op->outputs};
    for (int k = 0; k < op->outputs; k++) out->output[k] = op->output[k].init;
    for (int i = 0; i < op->inputs; i++) {
        const OpInput *in = &op->input[i];
        out->input[i].rank = in->rank;
        out->input[i].dtype = in->any_float ? -1 : (int32_t)in->dtype;
        for (int k = 0; k < in->rank; k++) {
            out->input[i].dim[k] = in->dim[k];
            out->input[i].size[k] = in->size[k];
        }
    }
    for (int i = 0; i < op->dims; i++) {
        out->dim[i].multiple_of = op->dim[i].multiple_of;
        out->dim[i].min = op->dim[i].min;
        out->dim[i].max = op->dim[i].max;
        out->dim[i].of = op->dim[i].of;
        out->dim[i].divisor = op->dim[i].divisor;
    }
}

static int64_t fit(const ExploreDomain *d, int i, int64_t n) {
    int64_t step = d->dim[i].multiple_of > 0 ? d->dim[i].multiple_of : 1, max = d->dim[i].max;
    if (n < 1) n = 1;
    if (n > OP_SIZE_MAX) n = OP_SIZE_MAX;
    n = (n + step - 1) / step * step;
    if (n < d->dim[i].min) n = (d->dim[i].min + step - 1) / step * step;
    if (max > 0 && n > max) n = max / step * step;
    return n < 1 ? step : n;
}

void explore_fit(const ExploreDomain *d, int64_t size[OP_DIMS_MAX]) {
    for (int i = 0; i < OP_DIMS_MAX; i++) size[i] = i < d->dims ? fit(d, i, size[i]) : 0;
    for (int i = 0; i < d->dims; i++)
        if (d->dim[i].of >= 0) size[i] = size[d->dim[i].of] / d->dim[i].divisor;
}

int64_t explore_elements(const ExploreDomain *d, const int64_t size[OP_DIMS_MAX]) {
    int64_t sum = 0;
    for (int i = 0; i < d->inputs; i++) {
        int64_t n = 1;
        for (int k = 0; k < d->input[i].rank; k++) {
            int at = d->input[i].dim[k];
            if (__builtin_mul_overflow(n, at >= 0 ? size[at] : d->input[i].size[k], &n)) return INT64_MAX / 2;
        }
        if (__builtin_add_overflow(sum, n, &sum) || sum > INT64_MAX / 2) return INT64_MAX / 2;
    }
    return sum;
}

// ---- the parent's side

// "sizes 5 61": one for each dimension, within the domain.
static bool point_read(const ExploreDomain *d, const char *s, int64_t size[OP_DIMS_MAX]) {
    int64_t fitted[OP_DIMS_MAX];
    if (strncmp(s, "sizes", 5) != 0) return false;
    s += 5;
    for (int i = 0; i < d->dims; i++) {
        int64_t x = 0;
        if (s[0] != ' ' || s[1] < '1' || s[1] > '9') return false;
        for (s++; *s >= '0' && *s <= '9'; s++) {
            x = x * 10 + (*s - '0');
            if (x > OP_SIZE_MAX) return false;
        }
        size[i] = x;
    }
    if (*s) return false;
    memcpy(fitted, size, sizeof fitted);
    explore_fit(d, fitted);
    return memcmp(fitted, size, sizeof fitted) == 0 && explore_elements(d, size) < elements_most;
}

bool explore_read(const ExploreDomain *d, const CaseReport *report, int n, ExplorePoints *out) {
    *out = (ExplorePoints){0};
    if (n < 1 || n > EXPLORE_POINTS_MAX + 1) return false;
    for (int i = 0; i < n; i++) {
        const CaseReport *r = &report[i];
        bool last = i == n - 1;
        if (r->magic != WIRE_MAGIC || r->kind != (last ? REPORT_DONE : REPORT_RAN)) return false;
        if (r->case_index != (last ? -1 : i)) return false;
    }
    ExplorePoints p = {.n = n - 1};
    for (int i = 0; i < p.n; i++)
        if (!point_read(d, report[i].message, p.size[i])) return false;
    *out = p;
    return true;
}

// ---- the child's side

enum {
    CALLS_MAX = 6000,  // of one search
    CALLS_FIRST = 600, // for a candidate whose comparisons have all come out both ways
    NUMBERS_MAX = 128,
    PAIRS_MAX = 24, // numbers that are also tried two by two
    CORPUS_MAX = 64,
    BRUTE_ROWS = 64,
    BRUTE_ROW = 2048,
};

typedef struct {
    const Explorer *x;
    ExplorePoints *out;
    int calls, most;
    int64_t number[NUMBERS_MAX];
    int numbers, own;                        // the first `own` of them are the source's
    int64_t corpus[CORPUS_MAX][OP_DIMS_MAX]; // points that were news, the cases' own too
    int corpora;
    unsigned ways; // a bit for each one that makes a difference
} Search;

static void number_add(Search *s, int64_t n) {
    if (n < 1 || n > elements_most || s->numbers == NUMBERS_MAX) return;
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
    if (n->kind != NODE_BINARY || n->height > 8 || !constant(n->binary.left, &l) ||
        !constant(n->binary.right, &r))
        return false;
    switch (n->binary.op) {
    case OPER_ADD: return *out = l + r, true;
    case OPER_SUB: return *out = l - r, true;
    case OPER_MUL: return !__builtin_mul_overflow(l, r, out) && *out<elements_most && * out> - elements_most;
    case OPER_SHL: return l >= 0 && r >= 0 && r < 31 && l << r < elements_most && (*out = l << r, true);
    case OPER_POW:
        if (r < 0 || r > 31) return false;
        *out = 1;
        for (; r > 0; r--)
            if (__builtin_mul_overflow(*out, l, out) || *out > elements_most || *out < 0) return false;
        return true;
    default: return false;
    }
}

static void numbers_find(void *arg, const Node *n) {
    int64_t x;
    if (constant(n, &x) && x >= 2) number_add(arg, x);
    node_each_child(n, numbers_find, arg); // a tree's height is bounded
}

static bool is_free(const ExploreDomain *d, int i) { return d->dim[i].of < 0; }

static bool try_way(Search *s, const int64_t point[OP_DIMS_MAX], int way) {
    const Explorer *x = s->x;
    if (s->calls >= s->most) return false;
    s->calls++;
    x->outcomes->news = 0;
    x->outcomes->run++;
    return x->try(x->arg, point, way) && x->outcomes->news > 0;
}

static void keep(Search *s, const int64_t point[OP_DIMS_MAX]) {
    if (s->corpora < CORPUS_MAX) memcpy(s->corpus[s->corpora++], point, sizeof s->corpus[0]);
}

static void try(Search *s, const int64_t size[OP_DIMS_MAX]) {
    int64_t point[OP_DIMS_MAX];
    bool news = false;
    memcpy(point, size, sizeof point);
    explore_fit(s->x->domain, point);
    if (explore_elements(s->x->domain, point) >= elements_most) return;
    for (int way = EXPLORE_WAYS; way-- > 0;) // the plain one is the last run
        if (s->ways >> way & 1) news |= try_way(s, point, way);
    if (!news) return;
    keep(s, point);
    if (s->out->n < EXPLORE_POINTS_MAX) memcpy(s->out->size[s->out->n++], point, sizeof point);
}

// Sizes that cases have had are no news. Other dtypes and layouts are tried from here on if they make a
// difference.
static void try_seed(Search *s, const int64_t size[OP_DIMS_MAX], bool all_ways) {
    bool news = false;
    for (int way = 0; way < EXPLORE_WAYS; way++) {
        if (!all_ways && !(s->ways >> way & 1)) continue;
        bool new = try_way(s, size, way);
        if (new &&way > 0) s->ways |= 1U << way;
        news |= new;
    }
    if (news) keep(s, size);
}

static void try_with(Search *s, const int64_t base[OP_DIMS_MAX], int dim, int64_t value) {
    int64_t point[OP_DIMS_MAX];
    if (value < 1 || value > OP_SIZE_MAX) return;
    memcpy(point, base, sizeof point);
    point[dim] = value;
    try(s, point);
}

static void try_around(Search *s, const int64_t base[OP_DIMS_MAX], int dim, int64_t value) {
    for (int64_t v = value - 1; v <= value + 1; v++) try_with(s, base, dim, v);
}

// It has come out one way only, and what it compares differs from call to call, or has hardly been seen.
static bool is_open(const Compared *c) {
    enum { FEW = 4 };
    return c->sides != 3 && (c->moved[0] || c->moved[1] || c->runs < FEW);
}
static bool any_open(const Search *s) {
    for (int i = 0; i < s->x->outcomes->compareds; i++)
        if (is_open(&s->x->outcomes->compared[i])) return true;
    return false;
}

// A large number may count elements: rows of ordinary length, as many as it takes.
static void by_count(Search *s, int64_t number) {
    static const int64_t row[] = {1024, 61};
    const ExploreDomain *d = s->x->domain;
    if (d->rows_dim < 0 || number <= 8192) return;
    for (int i = 0; i < 2; i++) {
        int64_t point[OP_DIMS_MAX];
        for (int k = 0; k < OP_DIMS_MAX; k++) point[k] = 1;
        point[d->row_dim] = row[i];
        explore_fit(d, point);
        int64_t per_row = explore_elements(d, point);
        try_with(s, point, d->rows_dim, number / per_row);
        try_with(s, point, d->rows_dim, number / point[d->row_dim]);
        try_with(s, point, d->rows_dim, number / point[d->row_dim] + 1);
    }
}

// Numbers of the source, alone and two by two, as sizes of every dimension.
static void by_numbers(Search *s, const int64_t base[OP_DIMS_MAX]) {
    const ExploreDomain *d = s->x->domain;
    int64_t one[OP_DIMS_MAX];
    for (int i = 0; i < OP_DIMS_MAX; i++) one[i] = 1;
    for (int i = 0; i < s->numbers; i++) {
        by_count(s, s->number[i]);
        try_with(s, one, d->row_dim, s->number[i]);
    }
    for (int i = 0; i < s->numbers; i++)
        for (int k = 0; k < d->dims; k++)
            if (is_free(d, k)) try_around(s, base, k, s->number[i]);
}

static void by_pairs(Search *s, const int64_t base[OP_DIMS_MAX]) {
    const ExploreDomain *d = s->x->domain;
    for (int i = 0; i < s->numbers && i < PAIRS_MAX; i++)
        for (int j = 0; j < s->numbers && j < PAIRS_MAX; j++)
            for (int k = 0; k + 1 < d->dims && k < 2; k++) {
                int64_t point[OP_DIMS_MAX];
                memcpy(point, base, sizeof point);
                point[k] = s->number[i];
                point[k + 1] = s->number[j];
                if (is_free(d, k) && is_free(d, k + 1)) try(s, point);
            }
}

static int64_t gap(const Compared *c) {
    int64_t g;
    return __builtin_sub_overflow(c->value[0], c->value[1], &g) ? INT64_MAX : g;
}

// Where a comparison's two numbers would meet if they moved with one size as they do from one value of it to
// another one: one step of the secant method, a few times.
static void toward(Search *s, int index, const int64_t from[OP_DIMS_MAX], int dim) {
    enum { STEPS = 6 };
    const Compared *c = &s->x->outcomes->compared[index];
    int64_t point[OP_DIMS_MAX], at = from[dim], before;
    memcpy(point, from, sizeof point);
    try(s, point);
    if (c->run != s->x->outcomes->run) return;
    int64_t was = gap(c);
    before = at;
    at = at + (at > 8 ? at / 2 : 1);
    for (int step = 0; step < STEPS && is_open(c) && s->calls < s->most; step++) {
        point[dim] = at;
        int64_t asked = at;
        explore_fit(s->x->domain, point);
        at = point[dim];
        try(s, point);
        if (c->run != s->x->outcomes->run) return;
        int64_t now = gap(c);
        if (now == was || at == before || now == INT64_MAX || was == INT64_MAX) return;
        double slope = (double)(now - was) / (double)(at - before), next = (double)at - (double)now / slope;
        if (next < 1) next = 1;
        if (next > (double)OP_SIZE_MAX) return;
        before = at;
        was = now;
        at = (int64_t)(next + 0.5);
        try_around(s, point, dim, at);
        (void)asked;
    }
}

static void by_operands(Search *s) {
    const ExploreDomain *d = s->x->domain;
    const Outcomes *o = s->x->outcomes;
    for (int i = 0; i < o->compareds; i++)
        for (int p = s->corpora; p-- > 0 && is_open(&o->compared[i]);)
            for (int k = 0; k < d->dims; k++) {
                int64_t from[OP_DIMS_MAX];
                memcpy(from, s->corpus[p], sizeof from);
                if (is_free(d, k)) toward(s, i, from, k);
            }
}

// Remainders and bits show in no distance: small sizes are tried one by one, from each point that was news.
static void by_force(Search *s, int from) {
    const ExploreDomain *d = s->x->domain;
    for (int p = from; p < s->corpora && any_open(s); p++)
        for (int k = 0; k < d->dims; k++) {
            int64_t most = k == d->row_dim ? BRUTE_ROW : BRUTE_ROWS;
            for (int64_t v = 1; v <= most && is_free(d, k) && any_open(s) && s->calls < s->most; v++)
                try_with(s, s->corpus[p], k, v);
        }
}

static void by_chance(Search *s, const int64_t base[OP_DIMS_MAX]) {
    enum { TRIES = 24, LEAST = 4098, MOST = 65535 };
    Rng r = rng_at(0x6578706c, 1);
    int k = s->x->domain->row_dim;
    for (int i = 0; i < TRIES; i++) try_with(s, base, k, rng_between(&r, LEAST, MOST));
}

void explore_search(Arena *a, const Explorer *x, ExplorePoints *out) {
    enum { EVERY = 8 };
    Search *s = NEW(a, Search);
    const ExploreDomain *d = x->domain;
    *s = (Search){.x = x, .out = out, .most = CALLS_FIRST, .ways = 1};
    *out = (ExplorePoints){0};
    for (int i = 0; i < d->seeds; i++) try_seed(s, d->seed[i], i % EVERY == 0);
    s->most += s->calls;
    numbers_find(s, x->module);
    s->own = s->numbers;
    for (int i = 0; i < x->outcomes->numbers; i++) number_add(s, x->outcomes->number[i]);
    for (int i = 0; i < x->outcomes->compareds; i++)
        for (int side = 0; side < 2; side++)
            if (!x->outcomes->compared[i].moved[side]) number_add(s, x->outcomes->compared[i].value[side]);
    int64_t base[OP_DIMS_MAX];
    for (int i = 0; i < OP_DIMS_MAX; i++) base[i] = 5;
    if (d->row_dim >= 0 && d->row_dim < OP_DIMS_MAX) base[d->row_dim] = 61;
    explore_fit(d, base);
    by_numbers(s, base);
    if (any_open(s) || x->outcomes->tuples) {
        s->most = CALLS_MAX;
        s->ways |= 1U << EXPLORE_GAPS;
        by_numbers(s, base);
        by_pairs(s, base);
    }
    by_chance(s, base);
    if (!any_open(s)) return;
    memcpy(s->corpus[s->corpora < CORPUS_MAX ? s->corpora++ : 0], base, sizeof base);
    by_operands(s);
    for (int from = 0, n = s->corpora; any_open(s) && s->calls < s->most; from = n, n = s->corpora) {
        by_force(s, from ? from : n - 1);
        if (s->corpora == n) break;
        by_operands(s);
    }
}

void explore_say(const ExploreDomain *d, const int64_t size[OP_DIMS_MAX], Buf *out) {
    buf_puts(out, "sizes");
    for (int i = 0; i < d->dims; i++) buf_printf(out, " %lld", (long long)size[i]);
}

// ---- conditions of no interest

typedef struct {
    uint8_t *dull;
    size_t bytes;
} Dull;

static void dull_span(Dull *d, const Node *n) {
    for (size_t i = n->span.at; i < d->bytes && i < (size_t)n->span.at + n->span.len; i++) d->dull[i] = 1;
}

static bool ends_in_raise(const Nodes *b) { return b->n > 0 && b->at[b->n - 1]->kind == NODE_RAISE; }

static void dull_find(void *arg, const Node *n) {
    if (n->kind == NODE_ASSERT) dull_span(arg, n);
    if (n->kind == NODE_IF && ends_in_raise(&n->branch.then)) dull_span(arg, n->branch.cond);
    node_each_child(n, dull_find, arg); // a tree's height is bounded
}

uint8_t *explore_dull(Arena *a, const Node *module, size_t bytes) {
    Dull d = {NEWN(a, uint8_t, bytes + 1), bytes};
    dull_find(&d, module);
    return d.dull;
}
