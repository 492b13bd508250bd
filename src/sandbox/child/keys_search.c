#include "sandbox/child/keys_search.h"

#include "host/candidate/written_gpu.h"
#include "sandbox/child/written_numbers.h"

enum {
    POINTS_MAX = 6000,
    POINTS_FEW = 1600, // at quick
    SLOTS = 1 << 16,
    SLOTS_MOST = SLOTS / 2,
    PLACES_MAX = 256, // that look keys up, or put something
    GROUPS_MAX = 1024,
    FOUND_MAX = 512,
    NUMBERS_MAX = 32,
    TRIED = 32,      // pairs of a group
    TRIED_FEW = 12,  // at quick
    TOLD = 3,        // of them, that ask for something else
    PLACE_ALL = -1,  // all keys of a call together
    PLACE_NONE = -2, // no key: sizes that may be compared by their order
    ELEMENTS = 1 << 20,
    BITS_WAY = 16, // behind the symbols: whether dtypes differ, and gaps
};

// How much a pair is worth a look. OTHER: the second shape asks for something else than without the first.
// MADE: it asks for the same as a second time, of tensors to which something else was done. SAME: for the
// same. LEFT: the same as MADE, and only kernels got the key. NOTHING: it finds nothing of the first.
typedef enum { NOTHING, OTHER, MADE, LEFT, SAME, WORTHS } Worth;

typedef struct {
    KeyCall call;
    uint64_t alone, again;  // what it asks for on a new object, and a second time
    uint64_t first, traced; // the same with what has been done to tensors
} Point;

// A place that looks keys up.
typedef struct {
    int64_t at;
    uint32_t sure; // a bit for each size that stands in its keys as it is
} Place;

// Pairs that meet at one place and differ in the same: these sizes, the dtype, gaps.
typedef struct {
    int place;
    uint32_t differ;
    int tried, told;
} Group;

typedef struct {
    int first, second, group;
    Worth worth;
} Found;

typedef struct {
    const KeySearcher *x;
    const ExploreDomain *d;
    Point *point;
    int points, most;
    struct {
        uint64_t key;
        int point; // 1 + its number
    } * slot, *had;
    int used; // of slot
    Place place[PLACES_MAX];
    int places;
    Group group[GROUPS_MAX];
    int groups;
    Found found[FOUND_MAX];
    int founds;
    int64_t number[NUMBERS_MAX];
    int numbers;
    KeyHeard *heard; // [KEYS_CALLS_MAX + 2]
    int before;      // calls with one shape before those that find something
    bool few;
} Keys;

static bool is_free(const Keys *s, int axis) { return axis >= 0 && s->d->dim[axis].of < 0; }

// Places that something was put at lie behind those that look keys up.
static const int64_t PLACE_PUT = (int64_t)1 << 40, PLACE_LAUNCHED = (int64_t)1 << 41;
// Thirty times what ordinary host code takes for all points: a second or two.
enum { STEPS_MOST = 1 << 26, STEPS_FEW = 1 << 23 };

static bool is_spent(const Keys *s) {
    return s->points == s->most || (s->x->steps && *s->x->steps > (s->few ? STEPS_FEW : STEPS_MOST));
}

static int64_t step_of(const Keys *s, int axis) {
    int64_t n = s->d->dim[axis].multiple_of;
    return n > 0 ? n : 1;
}

// ---- pairs

static uint32_t differ(const Keys *s, const KeyCall *x, const KeyCall *y) {
    uint32_t bits = 0;
    for (int k = 0; k < s->d->dims; k++) bits |= (uint32_t)(x->at.size[k] != y->at.size[k]) << k;
    bits |= (uint32_t)(x->way % EXPLORE_GAPS != y->way % EXPLORE_GAPS) << BITS_WAY;
    bool gaps = x->way >= EXPLORE_GAPS, other = y->way >= EXPLORE_GAPS;
    return bits | (uint32_t)(gaps != other || (gaps && x->at.gap != y->at.gap)) << (BITS_WAY + 1);
}

static int group_of(Keys *s, int place, uint32_t differ) {
    int i = 0;
    while (i < s->groups && (s->group[i].place != place || s->group[i].differ != differ)) i++;
    if (i == GROUPS_MAX) return -1;
    if (i == s->groups) s->group[s->groups++] = (Group){.place = place, .differ = differ};
    return i;
}

static bool is_full(const Keys *s, const Group *g) {
    return g->tried >= (s->few ? TRIED_FEW : TRIED) || g->told >= TOLD;
}

// The second shape behind the first.
static Worth worth_of(Keys *s, int place, const Point *first, const Point *second) {
    KeyCall call[KEYS_CALLS_MAX];
    for (int i = 0; i < s->before; i++) call[i] = first->call;
    call[s->before] = second->call;
    int made = s->x->calls(s->x->arg, call, s->before + 1, s->heard);
    if (made < s->before + 1) return made ? OTHER : NOTHING; // it raises something
    const KeyHeard *h = &s->heard[s->before];
    bool launched = place >= 0 && s->place[place].at >= PLACE_LAUNCHED;
    if (h->asked == second->alone && (!launched || h->traced == second->first)) return NOTHING;
    if (launched) return h->traced != second->traced ? LEFT : NOTHING;
    return h->asked != second->again ? OTHER : h->traced != second->traced ? MADE : SAME;
}

static void pair(Keys *s, int place, int first, int second) {
    const Point *x = &s->point[first], *y = &s->point[second];
    uint32_t bits = differ(s, &x->call, &y->call);
    int at = bits ? group_of(s, place, bits) : -1;
    if (at < 0 || is_full(s, &s->group[at]) || s->founds == FOUND_MAX || is_spent(s)) return;
    Group *g = &s->group[at];
    g->tried++;
    Worth there = worth_of(s, place, x, y), back = worth_of(s, place, y, x),
          worth = there == NOTHING || (back != NOTHING && back < there) ? back : there;
    if (worth == NOTHING) return;
    g->told += worth == OTHER;
    s->found[s->founds++] = (Found){first, second, at, worth};
}

// ---- keys

static int place_of(Keys *s, int64_t at) {
    int i = 0;
    while (i < s->places && s->place[i].at != at) i++;
    if (i == PLACES_MAX) return -1;
    if (i == s->places) s->place[s->places++] = (Place){at, UINT32_MAX};
    return i;
}

static uint32_t sizes_in(const Keys *s, const KeyNote *n, const ExplorePoint *p) {
    uint32_t bits = 0;
    for (int k = 0; k < s->d->dims; k++)
        for (int i = 0; i < n->parts; i++)
            if (n->part[i] == p->size[k]) bits |= 1U << k;
    return bits;
}

// Under this key: pairs with whoever came first.
static void meet(Keys *s, int64_t at, uint64_t key, uint32_t sizes, int point) {
    int place = place_of(s, at);
    if (place < 0) return;
    s->place[place].sure &= sizes;
    for (uint64_t i = key % SLOTS;; i = (i + 1) % SLOTS) {
        if (s->slot[i].point == 0) {
            if (++s->used > SLOTS_MOST) return;
            s->slot[i].key = key;
            s->slot[i].point = 1 + point;
            return;
        }
        if (s->slot[i].key != key) continue;
        if (s->slot[i].point != 1 + point) pair(s, place, s->slot[i].point - 1, point);
        return;
    }
}

// What the second call finds, and the first did not; and what the first has left.
static void take(Keys *s, int point) {
    KeyHeard *cold = &s->heard[KEYS_CALLS_MAX], *warm = cold + 1; // pairs are called in between
    keys_copy(cold, &s->heard[s->before - 1]);
    keys_copy(warm, &s->heard[s->before]);
    const ExplorePoint *p = &s->point[point].call.at;
    uint64_t all = 1;
    uint32_t sizes = 0;
    int keys = 0;
    for (int i = 0; i < warm->notes; i++) {
        const KeyNote *n = &warm->note[i];
        if (n->put || (!n->launched && keys_has(cold, n->found))) continue;
        uint32_t in = sizes_in(s, n, p);
        if (n->launched) {
            meet(s, PLACE_LAUNCHED + n->at, n->key, in, point);
            continue;
        }
        meet(s, n->at, n->key, in, point);
        all = keys_mix(all, n->key);
        sizes |= in;
        keys++;
    }
    if (keys > 1) meet(s, PLACE_ALL, all, sizes, point);
    for (int i = 0; i < cold->notes; i++) {
        const KeyNote *n = &cold->note[i];
        if (n->put) meet(s, PLACE_PUT + n->at, n->key, sizes_in(s, n, p), point);
    }
}

// ---- points

static uint64_t print_of(const Keys *s, const KeyCall *c) {
    uint64_t h = (uint64_t)c->way + 1;
    for (int k = 0; k < s->d->dims; k++) h = keys_mix(h, (uint64_t)c->at.size[k]);
    return c->way < EXPLORE_GAPS ? h : keys_mix(h, (uint64_t)c->at.gap);
}

static bool is_new(Keys *s, const KeyCall *c) {
    uint64_t print = print_of(s, c);
    for (uint64_t i = print % SLOTS;; i = (i + 1) % SLOTS) {
        if (s->had[i].point && s->had[i].key == print) return false;
        if (s->had[i].point) continue;
        s->had[i].key = print;
        s->had[i].point = 1;
        return true;
    }
}

// The number of the point; -1: it is none.
static int call_at(Keys *s, ExplorePoint at, int way) {
    KeyCall call[KEYS_CALLS_MAX] = {{at, way}};
    explore_fit(s->d, call[0].at.size);
    if (is_spent(s) || explore_elements(s->d, call[0].at.size) > ELEMENTS) return -1;
    if (!is_new(s, &call[0])) return -1;
    for (int i = 1; i <= s->before; i++) call[i] = call[0];
    if (s->x->calls(s->x->arg, call, s->before + 1, s->heard) < s->before + 1) return -1;
    s->point[s->points] = (Point){.call = call[0],
                                  .alone = s->heard[s->before - 1].asked,
                                  .first = s->heard[s->before - 1].traced,
                                  .again = s->heard[s->before].asked,
                                  .traced = s->heard[s->before].traced};
    take(s, s->points);
    return s->points++;
}

static ExplorePoint point_of(const Keys *s, int64_t slices, int64_t length) {
    enum { OTHER_SIZE = 5 };
    ExplorePoint p = {.gap = EXPLORE_GAP, .processors = PROCESSORS_USUAL};
    for (int i = 0; i < OP_DIMS_MAX; i++) p.size[i] = OTHER_SIZE;
    if (s->d->slices >= 0) p.size[s->d->slices] = slices;
    if (s->d->length >= 0) p.size[s->d->length] = length;
    return p;
}

static int at_sizes(Keys *s, int64_t slices, int64_t length) {
    return call_at(s, point_of(s, slices, length), 0);
}

// Some place has keys that this size does not stand in as it is, and pairs that differ in it alone may still
// show something.
static bool is_open(Keys *s, int axis) {
    for (int i = 0; i < s->places; i++) {
        if (s->place[i].sure >> axis & 1) continue;
        int g = group_of(s, i, 1U << axis);
        if (g >= 0 && !is_full(s, &s->group[g])) return true;
    }
    return false;
}

static bool any_open(Keys *s) {
    for (int k = 0; k < s->d->dims; k++)
        if (is_free(s, k) && is_open(s, k)) return true;
    return false;
}

// ---- which points

// Whether a call finds something that none before it has found.
static bool finds_more(const Keys *s, int call) {
    for (int i = 0; i < s->heard[call].notes; i++) {
        const KeyNote *n = &s->heard[call].note[i];
        bool had = n->put || n->launched;
        for (int k = 0; k < call && !had; k++) had = keys_has(&s->heard[k], n->found);
        if (!had) return true;
    }
    return false;
}

// What is kept may be found from a later call on only: after a warm-up, or once a key has come twice.
static void warm_up(Keys *s) {
    static const int64_t at[][2] = {{3, 61}, {5, 128}};
    s->before = 1;
    for (size_t i = 0; i < sizeof at / sizeof *at; i++) {
        KeyCall call[KEYS_CALLS_MAX];
        ExplorePoint p = point_of(s, at[i][0], at[i][1]);
        explore_fit(s->d, p.size);
        for (int k = 0; k < KEYS_CALLS_MAX; k++) call[k] = (KeyCall){p, 0};
        int made = s->x->calls(s->x->arg, call, KEYS_CALLS_MAX, s->heard);
        for (int k = s->before + 1; k < made; k++)
            if (finds_more(s, k)) s->before = k;
    }
}

// Sizes of all magnitudes.
static void first_ones(Keys *s) {
    static const int64_t at[][2] = {{3, 61},    {4, 61},    {3, 62},    {2, 9973},   {5, 128},
                                    {7, 1024},  {1, 4099},  {3, 33013}, {2, 65536},  {2, 131101},
                                    {64, 64},   {1000, 24}, {4099, 16}, {20011, 16}, {16, 512},
                                    {65000, 8}, {3, 16384}, {257, 1000}};
    for (size_t i = 0; i < sizeof at / sizeof *at; i++) at_sizes(s, at[i][0], at[i][1]);
}

static void by_order(Keys *s) {
    static const int pairs[][2] = {{0, 3}, {0, 6}, {0, 11}, {1, 4}};
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++)
        if (pairs[i][0] < s->points && pairs[i][1] < s->points) pair(s, PLACE_NONE, pairs[i][0], pairs[i][1]);
}

// The same product, sum and digits, in other rows.
static void trades(Keys *s) {
    static const int64_t product[] = {12288, 55440}, digits[] = {12345, 312145};
    static const int64_t sum = 4160, part[] = {3, 4, 67, 515, 2051};
    for (int k = 0; k < 2; k++)
        for (int64_t m = 1; m <= product[k]; m++)
            if (product[k] % m == 0) at_sizes(s, m, product[k] / m);
    // The same with one more of either.
    for (int64_t m = 1; m <= product[0]; m++) {
        if (product[0] % m) continue;
        at_sizes(s, m - 1, product[0] / m);
        at_sizes(s, m, product[0] / m - 1);
    }
    for (size_t k = 0; k < sizeof part / sizeof *part; k++) at_sizes(s, part[k], sum - part[k]);
    for (int k = 0; k < 2; k++)
        for (int64_t by = 10; by < digits[k]; by *= 10) at_sizes(s, digits[k] / by, digits[k] % by);
}

static void small_ones(Keys *s) {
    enum { ROWS = 12, LENGTHS = 16 };
    int64_t step = s->d->length >= 0 ? step_of(s, s->d->length) : 1;
    for (int64_t m = 1; m <= ROWS; m++)
        for (int64_t n = 1; n <= LENGTHS && any_open(s); n++) at_sizes(s, m, n * step);
    for (int64_t m = 1; m <= 16; m += 1 + m / 4)
        for (int64_t n = 24; n <= 256 && any_open(s); n += n / 3) at_sizes(s, m, n * step);
}

// Two of these sizes are as far apart as you like, up to the product of both numbers.
typedef struct {
    int axis, near, far;
} Distances;

static void distances(Keys *s, ExplorePoint base, Distances z) {
    int64_t from = base.size[z.axis], step = step_of(s, z.axis);
    for (int i = 0; i < z.near + z.far && is_open(s, z.axis); i++) {
        ExplorePoint p = base;
        int64_t away = i < z.near ? i : (int64_t)z.near * (i - z.near + 1) + z.near - 1;
        p.size[z.axis] = from + away * step;
        call_at(s, p, 0);
    }
}

static void all_distances(Keys *s) {
    int64_t rows = 2 + (int64_t)(s->d->turn % 3), length = 33 + (int64_t)(s->d->turn >> 8 & 31);
    int axis = s->d->length, slices = s->d->slices;
    if (is_free(s, axis)) {
        distances(s, point_of(s, rows, length), (Distances){axis, 128, s->few ? 128 : 512});
        // As far apart in rows by one: a number times the rows, and a length.
        distances(s, point_of(s, rows + 1, length), (Distances){axis, 128, 0});
    }
    if (is_free(s, slices)) distances(s, point_of(s, length, 16), (Distances){slices, 64, s->few ? 64 : 512});
    for (int k = 0; k < s->d->dims; k++)
        if (is_free(s, k) && k != axis && k != slices)
            distances(s, point_of(s, rows, length), (Distances){k, 32, 128});
}

// Sizes that count neither slices nor a line's elements, with these.
static void other_sizes(Keys *s) {
    for (int k = 0; k < s->d->dims; k++) {
        if (!is_free(s, k) || k == s->d->length || k == s->d->slices) continue;
        for (int64_t v = 1; v <= 12; v++)
            for (int64_t m = 1; m <= 4; m++)
                for (int64_t n = 1; n <= 8 && any_open(s); n++) {
                    ExplorePoint p = point_of(s, m, n * 4);
                    p.size[k] = v * step_of(s, k);
                    call_at(s, p, 0);
                }
    }
}

static void number_found(void *arg, int64_t n) {
    Keys *s = arg;
    if (n < 2 || n > ELEMENTS || s->numbers == NUMBERS_MAX) return;
    for (int i = 0; i < s->numbers; i++)
        if (s->number[i] == n) return;
    s->number[s->numbers++] = n;
}

// Numbers of the source: a distance may be one, and a limit.
static void by_numbers(Keys *s) {
    enum { ROWS = 3, LENGTH = 61, SHORT = 16 };
    for (int i = 0; i < s->numbers && any_open(s); i++) {
        int64_t n = s->number[i];
        for (int k = 1; k <= 2; k++) at_sizes(s, ROWS, LENGTH + k * n);
        at_sizes(s, ROWS, n);
        at_sizes(s, LENGTH + n, SHORT);
        at_sizes(s, n, LENGTH);
    }
    at_sizes(s, LENGTH, SHORT);
    at_sizes(s, LENGTH, LENGTH);
}

// Other dtypes, and gaps: keys may be bytes, or distances between rows.
static void by_ways(Keys *s) {
    enum { ROWS = 3, LENGTH = 61, FAR = 4096 };
    // Long ones first: where few programs do for a row, another number of them is often right.
    static const int64_t length[] = {FAR, 2 * FAR, LENGTH + FAR, 64 + FAR, LENGTH, 64, 128};
    int64_t step = s->d->length >= 0 ? step_of(s, s->d->length) : 1;
    for (size_t i = 0; i < sizeof length / sizeof *length; i++)
        for (int way = EXPLORE_WAYS; way-- > 0;) {
            ExplorePoint p = point_of(s, ROWS, length[i]);
            p.gap = FAR;
            call_at(s, p, way);
            p.gap = EXPLORE_GAP * step;
            if (way >= EXPLORE_GAPS) call_at(s, p, way);
        }
    at_sizes(s, ROWS, 64 + EXPLORE_GAP * step);
}

// ---- what is told

static void tell(const Point *p, int before, ExplorePoints *out) {
    memcpy(out->size[out->n], p->call.at.size, sizeof p->call.at.size);
    out->gap[out->n] = p->call.at.gap;
    out->processors[out->n] = (int32_t)p->call.at.processors;
    out->entry[out->n] = EXPLORE_NO_ENTRY;
    out->before[out->n] = before > 1 ? (uint8_t)before : 0;
    out->ways[out->n++] = (uint8_t)(1U << p->call.way);
}

// One of each group, then the next of each, those first that ask for something else. Of those that ask for
// the same there are few.
static void choose(Keys *s, ExplorePoints *out) {
    static const int of_group[WORTHS] = {[OTHER] = TOLD, [MADE] = 1, [LEFT] = 1, [SAME] = 1},
                     of_all[WORTHS] = {[OTHER] = KEYS_PAIRS_MAX, [MADE] = 6, [LEFT] = 12, [SAME] = 4};
    int64_t left = s->few ? ELEMENTS / 2 : 4 * (int64_t)ELEMENTS;
    for (Worth w = OTHER; w < WORTHS; w++)
        for (int turn = 0, told = 0; turn < of_group[w]; turn++)
            for (int g = 0; g < s->groups; g++) {
                int i = 0, nth = 0;
                for (; i < s->founds; i++)
                    if (s->found[i].group == g && s->found[i].worth == w && nth++ == turn) break;
                if (i == s->founds || told == of_all[w] || out->n == 2 * s->d->pairs) continue;
                const Point *x = &s->point[s->found[i].first], *y = &s->point[s->found[i].second];
                int64_t cost =
                    explore_elements(s->d, x->call.at.size) + explore_elements(s->d, y->call.at.size);
                if (cost > left || (s->few && w == SAME)) continue;
                left -= cost;
                told++;
                tell(x, s->before, out);
                tell(y, s->before, out);
            }
}

void keys_search(Arena *a, const KeySearcher *x, ExplorePoints *out) {
    Keys *s = NEW(a, Keys);
    *s = (Keys){.x = x, .d = x->domain, .few = x->domain->pairs <= KEYS_PAIRS_FEW};
    s->most = s->few ? POINTS_FEW : POINTS_MAX;
    s->point = NEWN(a, Point, (size_t)s->most);
    s->slot = arena_alloc(a, SLOTS, sizeof *s->slot, _Alignof(uint64_t));
    s->had = arena_alloc(a, SLOTS, sizeof *s->had, _Alignof(uint64_t));
    s->heard = NEWN(a, KeyHeard, KEYS_CALLS_MAX + 2);
    *out = (ExplorePoints){0};
    written_numbers(x->module, number_found, s);
    warm_up(s);
    first_ones(s);
    by_order(s);
    if (s->places > 0) {
        by_ways(s);
        if (any_open(s)) trades(s);
        by_numbers(s);
        small_ones(s);
        all_distances(s);
        other_sizes(s);
    }
    choose(s, out);
}

bool keys_are_pairs(const ExplorePoints *p) {
    for (int i = 0; i < p->n; i++)
        if (p->ways[i] == 0 || (p->ways[i] & (p->ways[i] - 1)) || p->entry[i] != EXPLORE_NO_ENTRY)
            return false;
    return p->n % 2 == 0 && p->n <= 2 * KEYS_PAIRS_MAX;
}

bool keys_are_small(const ExploreDomain *d, const ExplorePoints *p) {
    int64_t all = 0;
    for (int i = 0; i < p->n; i++) {
        int64_t n = explore_elements(d, p->size[i]), length = d->length < 0 ? 1 : p->size[i][d->length];
        if (n > ELEMENTS) return false;
        all += n;
        if (p->ways[i] >> EXPLORE_GAPS && n / length * p->gap[i] > ELEMENTS) return false;
    }
    return all <= 4 * (int64_t)ELEMENTS;
}

bool keys_of_one_object(const ExploreDomain *d, const KeyCall *x, const KeyCall *y) {
    if (d->length >= 0 && x->at.size[d->length] != y->at.size[d->length]) return false;
    for (int i = 0; i < d->inputs; i++) {
        bool sliced = false, same = true;
        for (int k = 0; k < d->input[i].rank; k++) {
            int dim = d->input[i].dim[k];
            sliced |= dim >= 0 && dim == d->slices;
            same &= dim < 0 || x->at.size[dim] == y->at.size[dim];
        }
        if (d->input[i].dtype < 0) same &= x->way % EXPLORE_GAPS == y->way % EXPLORE_GAPS;
        if (!sliced && !same) return false;
    }
    return true;
}
