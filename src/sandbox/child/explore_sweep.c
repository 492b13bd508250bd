// The last stage of the search of explore.h: conditions that neither numbers of the source nor their operands
// lead to, such as a hash of a size. From points where such a condition is looked at, each size in turn takes
// every value of ordinary rows.
#include <limits.h>

#include "sandbox/child/explore_inside.h"

enum {
    CALLS_SWEEP = 1 << 20,
    POINTS_OF_ONE = 3, // from so many points, for each condition
    LONGEST = 65537,
    GAPS = 4096,
    DOUBLINGS = 12,
    LONG_TABLES = 48,            // entries
    CALLS_LONG_TABLES = 1 << 17, // each call makes them once more
};
static const int64_t steps_most = (int64_t)1 << 31;

// Of what always comes out so by what it is made of, no size can be the one that is looked for.
static bool worth(const Search *s, const Compared *c) { return c->unsettled && explore_open(s, c); }

static bool any_worth(const Search *s) {
    for (int i = 0; i < s->o->compareds; i++)
        if (worth(s, &s->o->compared[i])) return true;
    return false;
}

static bool spent(const Search *s) {
    return s->calls >= s->most || (s->x->steps && *s->x->steps > steps_most);
}

// Whether a call at this point comes to the condition.
static bool looks(Search *s, const Compared *c, const ExplorePoint *p) {
    for (int way = EXPLORE_WAYS; way-- > 0;) {
        if (!(s->ways >> way & 1)) continue;
        (void)explore_call(s, p, way);
        if (c->run == s->o->run) return true;
    }
    return false;
}

// The operands' distance at a point. False where nobody looks there, or no such point is.
static bool distance(Search *s, const Compared *c, const ExplorePoint *at, int64_t *out) {
    ExplorePoint p = *at;
    explore_fit(s->d, p.size);
    if (memcmp(p.size, at->size, sizeof p.size) != 0) return false;
    if (explore_elements(s->d, p.size) >= EXPLORE_ELEMENTS || !looks(s, c, &p)) return false;
    return *out = explore_gap(c), *out != INT64_MAX;
}

typedef enum { STAYS, LEADS_AWAY, MAY_LEAD } Leads;

// Along one axis: a straight line that meets zero beyond all tensors, such as 2^31 elements, leads nowhere.
static Leads leads(Search *s, const Compared *c, const ExplorePoint *from, int axis) {
    ExplorePoint p = *from;
    int64_t g[3], at = *along(&p, axis);
    for (int i = 0; i < 3; i++, *along(&p, axis) *= 2)
        if (!distance(s, c, &p, &g[i])) return MAY_LEAD;
    if (g[0] == g[1] && g[1] == g[2]) return STAYS;
    double one = (double)g[1] - (double)g[0], two = (double)g[2] - (double)g[1];
    if (one == 0 || two != 2 * one) return MAY_LEAD;
    double zero = (double)at - (double)g[0] / (one / (double)at);
    if (zero < 1 || zero >= (double)axis_most(axis)) return LEADS_AWAY;
    *along(&p, axis) = (int64_t)zero;
    explore_fit(s->d, p.size);
    return explore_elements(s->d, p.size) >= EXPLORE_ELEMENTS ? LEADS_AWAY : MAY_LEAD;
}

static bool hopeless(Search *s, const Compared *c, const ExplorePoint *p) {
    bool any = false;
    for (int k = 0; k < AXES; k++) {
        if (!explore_free(s, k)) continue;
        Leads l = leads(s, c, p, k);
        if (l == MAY_LEAD) return false;
        any |= l == LEADS_AWAY;
    }
    return any;
}

// As many elements, in other rows.
static void trade(Search *s, const ExplorePoint *p) {
    if (s->d->slices < 0 || s->d->length < 0) return;
    for (int i = -DOUBLINGS; i <= DOUBLINGS; i++) {
        int64_t by = (int64_t)1 << (i < 0 ? -i : i), up = i < 0 ? s->d->slices : s->d->length,
                down = i < 0 ? s->d->length : s->d->slices;
        ExplorePoint q = *p;
        q.size[up] *= by;
        q.size[down] = (q.size[down] + by - 1) / by;
        if (i && q.size[up] <= OP_SIZE_MAX) explore_try(s, &q);
    }
}

// Rows as far apart, but longer or shorter.
static void trade_gap(Search *s, const ExplorePoint *p) {
    if (!explore_free(s, AXIS_GAP) || s->d->length < 0) return;
    s->mask = UINT_MAX << EXPLORE_GAPS;
    for (int i = 0; i < 2 * DOUBLINGS; i++) {
        int64_t by = (i & 1 ? -1 : 1) * ((int64_t)1 << i / 2);
        ExplorePoint q = *p;
        q.size[s->d->length] -= by;
        q.gap += by;
        if (q.size[s->d->length] >= 1 && q.gap >= 1 && q.gap <= EXPLORE_GAP_MOST) explore_try(s, &q);
    }
    s->mask = UINT_MAX;
}

static void axis_sweep(Search *s, int index, int axis) {
    ExplorePoint p = s->corpus[index];
    uint32_t bit = 1U << axis;
    if (s->swept[index] & bit) return;
    s->swept[index] |= bit;
    if (axis == AXIS_GAP) s->mask = UINT_MAX << EXPLORE_GAPS;
    explore_each(s, &p, axis, axis == AXIS_GAP ? GAPS : axis == AXIS_GPU ? axis_most(axis) : LONGEST, spent);
    s->mask = UINT_MAX;
}

static void condition_sweep(Search *s, const Compared *c) {
    int points = 0;
    for (int i = s->corpora; i-- > 0 && points < POINTS_OF_ONE && explore_open(s, c) && !spent(s);) {
        ExplorePoint p = s->corpus[i];
        if (!looks(s, c, &p)) continue;
        if (hopeless(s, c, &p)) return;
        points++;
        trade(s, &p);
        trade_gap(s, &p);
        if (s->d->length >= 0) axis_sweep(s, i, s->d->length); // special cases are of lines mostly
        for (int k = 0; k < AXES; k++)
            if (explore_free(s, k) && explore_open(s, c)) axis_sweep(s, i, k);
    }
}

// Old points make room for new ones.
static void make_room(Search *s) {
    enum { ROOM = 32 };
    int over = s->corpora - (CORPUS_MAX - ROOM);
    if (over <= 0) return;
    memmove(s->corpus, s->corpus + over, sizeof *s->corpus * (size_t)(s->corpora - over));
    memmove(s->swept, s->swept + over, sizeof *s->swept * (size_t)(s->corpora - over));
    s->corpora -= over;
}

// Few long lines, many short ones, and what lies between: where one size has to be large for a condition.
static void extremes(Search *s) {
    static const int64_t far[][2] = {{257, 16411}, {4099, 1021}, {3, 65521}, {65521, 3}, {5, 61}};
    for (size_t i = 0; i < sizeof far / sizeof *far; i++) {
        ExplorePoint p = explore_at(s, far[i][0], far[i][1]);
        explore_try(s, &p);
        explore_keep(s, &p);
    }
}

void explore_sweep(Search *s) {
    if (!any_worth(s)) return;
    s->most = s->calls + (s->entries > LONG_TABLES ? CALLS_LONG_TABLES : CALLS_SWEEP);
    make_room(s);
    extremes(s);
    explore_operands(s);
    for (int had = -1; had != s->corpora && any_worth(s) && !spent(s);) {
        had = s->corpora;
        for (int i = 0; i < s->o->compareds; i++)
            if (worth(s, &s->o->compared[i])) condition_sweep(s, &s->o->compared[i]);
        if (s->corpora != had) explore_operands(s);
    }
}
