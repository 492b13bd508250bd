// A stage of the search of explore.h: tables. Each entry is a case of its own that a program may have got
// wrong, and of a hundred entries chance meets few. So a look-up tells how its key differs from the entry
// that is looked for (met_entries.h), and the sizes that a key's numbers follow are moved until they are the
// entry's.
#include "sandbox/child/explore_inside.h"

enum {
    CALLS_ONE = 400,     // for one entry
    CALLS_ALL = 1 << 15, // for all of a search
    IN_VAIN = 24,        // so many entries in a row that were not met: no size leads to the others
    ELEMENTS_FEW = 1 << 13,
    ODD_SLICES = 13,
    ODD_LENGTH = 1013,
    ENTRIES_TOLD = EXPLORE_POINTS_MAX - EXPLORE_OTHERS_MAX,
};

// An entry that is looked for, from a point where its table is looked into.
typedef struct {
    Search *s;
    MetEntries *m;
    ExplorePoint p;
    int way, calls;
    unsigned idle; // a bit for each number of its key that no size moves
} Aim;

// At sizes of the domain next to these, which *at becomes.
static bool look(Aim *a, ExplorePoint *at) {
    explore_fit(a->s->d, at->size);
    if (explore_elements(a->s->d, at->size) >= EXPLORE_ELEMENTS) return false;
    a->calls++;
    return explore_look(a->s, at, a->way) && a->m->asked;
}

// How many of the first numbers of the key are the entry's. Of a loop, those that no size moves are not asked
// for: `if other == 3 or item == n`.
static int rights(const Aim *a) {
    const MetEntries *m = a->m;
    int n = 0;
    while (n < m->numbers && (m->key[n] == m->want[n] || a->idle >> n & 1)) n++;
    return n;
}

// The first `n` are, or one of several look-ups has met the entry: halving a list comes by entries that it
// does not end at.
static bool right(const Aim *a, int n) {
    return (a->m->hit && a->m->table[a->m->aim_table].made) || rights(a) >= n;
}

// The k-th number of the key is to be the entry's, while those in front of it stay what they are: by moving
// along one axis.
typedef struct {
    Aim *a;
    int axis, k;
    int64_t at, key, want; // the number where the axis has this value, and the entry's
} Move;

typedef enum { NOWHERE, WRONG, RIGHT } Number;

// At a value along the axis. NOWHERE: nobody looks there. RIGHT: that is where the aim's point is now.
static Number number_at(const Move *v, int64_t value, int64_t *out) {
    Aim *a = v->a;
    ExplorePoint q = a->p;
    *along(&q, v->axis) = value;
    if (!look(a, &q) || a->m->numbers <= v->k) return NOWHERE;
    *out = a->m->key[v->k];
    if (!right(a, v->k + 1)) return WRONG;
    a->p = q;
    return RIGHT;
}

// Between a value whose number has not passed the entry's and one whose number has, or where nobody looks:
// `TABLE[i] if i < len(TABLE)`.
static bool halve(const Move *v, int64_t near, int64_t far) {
    bool more = v->want > v->key;
    while ((far > near ? far - near : near - far) > 1 && v->a->calls < CALLS_ONE) {
        int64_t middle = near + (far - near) / 2, got;
        Number n = number_at(v, middle, &got);
        if (n == RIGHT) return true;
        if (n == NOWHERE || (got > v->want) == more)
            far = middle;
        else
            near = middle;
    }
    return false;
}

// From the present value on, twice as far or half as far in each step, until the number has passed the
// entry's.
static bool pass(const Move *v, bool falls) {
    enum { STEPS = 32 };
    int64_t least = axis_least(v->axis), most = axis_most(v->axis), edge = v->at, got;
    bool more = v->want > v->key, up = more != falls;
    for (int i = 0; i < STEPS; i++) {
        int64_t from = edge;
        edge = up ? edge * 2 : edge / 2;
        if (edge > most || edge < least) edge = up ? most : least;
        if (edge == from) return false;
        Number n = number_at(v, edge, &got);
        if (n == RIGHT) return true;
        if (n == NOWHERE || (got > v->want) == more) return halve(v, from, edge);
    }
    return false;
}

// Where the number is another one than at the present value: *at, where it is *out. Steps may be wide.
static Number other_number(const Move *v, int64_t *at, int64_t *out) {
    enum { BY = 8, STEPS = 7 };
    int64_t most = axis_most(v->axis);
    *at = v->at * 2 <= most ? v->at * 2 : v->at / 2 + 1;
    for (int i = 0; i < STEPS && *at <= most; i++, *at *= BY) {
        Number n = number_at(v, *at, out);
        if (n != WRONG || *out != v->key) return n;
    }
    return NOWHERE; // it does not follow this axis
}

// A remainder follows the size step by step, and no straight line from afar.
static bool step(const Move *v) {
    int64_t got;
    Number n = number_at(v, v->at + 1, &got);
    if (n != WRONG || got == v->key) return n == RIGHT;
    double by = ((double)v->want - (double)v->key) / ((double)got - (double)v->key), at = (double)v->at + by;
    bool inside = at >= (double)axis_least(v->axis) && at <= (double)axis_most(v->axis);
    return inside && number_at(v, (int64_t)at, &got) == RIGHT;
}

// The entry's number itself is tried first, as a size; then where a straight line meets it; then halves.
static bool move(const Move *v) {
    int64_t least = axis_least(v->axis), most = axis_most(v->axis), got, far, other;
    if (v->want >= least && v->want <= most && number_at(v, v->want, &got) == RIGHT) return true;
    Number n = other_number(v, &far, &other);
    if (n != WRONG) return n == RIGHT || step(v);
    double slope = ((double)other - (double)v->key) / ((double)far - (double)v->at),
           guess = (double)v->at + ((double)v->want - (double)v->key) / slope;
    bool inside = guess >= (double)least && guess < (double)most;
    if (inside && number_at(v, (int64_t)(guess + 0.5), &got) == RIGHT) return true;
    return pass(v, slope < 0) || step(v);
}

// `if n < limit`: an item that is met on one side of its number alone.
static bool beside(Aim *a, int axis) {
    for (int by = -1; by <= 1; by += 2) {
        ExplorePoint q = a->p;
        *along(&q, axis) += by;
        if (*along(&q, axis) < axis_least(axis) || !look(a, &q) || !a->m->hit) continue;
        a->p = q;
        return true;
    }
    return false;
}

// A loop that ends before it comes to an item at small sizes comes to it at some larger one.
static bool reach(Aim *a) {
    enum { BY = 4 };
    int axis[] = {a->s->d->length, a->s->d->slices};
    for (int i = 0; i < 2 && !a->s->o->met.table[a->m->aim_table].made; i++) {
        ExplorePoint q = a->p;
        if (axis[i] < 0 || !explore_free(a->s, axis[i])) continue;
        while ((*along(&q, axis[i]) *= BY) <= axis_most(axis[i]) && a->calls < CALLS_ONE) {
            if (!look(a, &q)) continue;
            a->p = q;
            return true;
        }
    }
    return false;
}

// All axes, in the order in which they are tried: tables are of lengths mostly.
static int axes_of(const Aim *a, int *out) {
    const ExploreDomain *d = a->s->d;
    int n = 0, all[AXES + 1], count = 0;
    all[count++] = d->length;
    for (int axis = 0; axis < d->dims; axis++)
        if (axis != d->length) all[count++] = axis;
    all[count++] = AXIS_GPU;
    if (a->way >= EXPLORE_GAPS) all[count++] = AXIS_GAP;
    for (int i = 0; i < count; i++)
        if (all[i] >= 0 && explore_free(a->s, all[i])) out[n++] = all[i];
    return n;
}

// One number after the other: more of them may be compared once the first ones are right.
static bool meet(Aim *a) {
    int axis[AXES + 1], axes = axes_of(a, axis), moved = -1;
    if (!(look(a, &a->p) || reach(a)) || !a->m->alike) return false;
    for (int k = 0; k < a->m->numbers; k++) {
        bool done = right(a, k + 1), hit = a->m->hit;
        ExplorePoint here = a->p;
        Move v = {.a = a, .k = k, .key = a->m->key[k], .want = a->m->want[k]};
        for (int i = 0; i < axes && !done; i++) {
            v.axis = axis[i];
            v.at = *along(&a->p, axis[i]);
            done = move(&v);
            if (done) moved = axis[i];
        }
        if (done && look(a, &a->p)) continue;
        a->p = here;
        a->idle |= 1U << k;
        if (!a->m->table[a->m->aim_table].made && !hit && look(a, &a->p)) continue;
        // `if low <= n < high` does not ask for both
        return hit;
    }
    return a->m->hit || (moved >= 0 && beside(a, moved));
}

// A size that equals another number of the item leaves open which of them it is beside: so a second try is
// made from sizes that no table has.
static bool meet_from(Aim *a, ExplorePoint p) {
    a->p = p;
    a->calls = 0;
    a->idle = 0;
    return meet(a);
}

// Few slices, where they are not what the key is made of: a case of each entry is to be cheap.
static void fewer(Aim *a) {
    static const int64_t few[] = {2, 3};
    int axis = a->s->d->slices, had = look(a, &a->p) ? rights(a) : 0;
    for (int i = 0; axis >= 0 && i < 2; i++) {
        ExplorePoint q = a->p;
        if (!explore_free(a->s, axis) || explore_elements(a->s->d, q.size) <= ELEMENTS_FEW ||
            q.size[axis] <= few[i])
            return;
        q.size[axis] = few[i];
        if (look(a, &q) && a->m->hit && rights(a) >= had) {
            a->p = q;
            return;
        }
    }
}

static void tell(Search *s, const ExplorePoint *p, unsigned ways, ExploreEntry as) {
    ExplorePoints *out = s->out;
    if (out->n - s->others == ENTRIES_TOLD) return;
    met_told(&s->o->met);
    memcpy(out->size[out->n], p->size, sizeof p->size);
    out->gap[out->n] = p->gap;
    out->processors[out->n] = (int32_t)p->processors;
    out->entry[out->n] = (uint8_t)as;
    out->ways[out->n++] = (uint8_t)ways;
}

// In any way in which the table is looked into: a key may hold a dtype. Those with gaps only where these make
// a difference.
static bool entry(Search *s, int table, int e) {
    MetEntries *m = &s->o->met;
    m->aim_table = table;
    m->aim_entry = e;
    bool done = false;
    for (int way = 0; way < EXPLORE_WAYS && !done; way++) {
        if (way >= EXPLORE_GAPS && !(s->ways >> way & 1) && way != s->table_way[table]) continue;
        Aim a = {.s = s, .m = m, .way = way};
        done = meet_from(&a, s->table[table]) || meet_from(&a, explore_at(s, ODD_SLICES, ODD_LENGTH));
        if (!done) continue;
        fewer(&a);
        tell(s, &a.p, 1U << way, m->table[table].made ? EXPLORE_WRITTEN_ENTRY : EXPLORE_COMPUTED_ENTRY);
    }
    m->aim_table = m->aim_entry = -1;
    return done;
}

static void table_entries_meet(Search *s, int table, int most) {
    const MetTable *t = &s->o->met.table[table];
    int vain = 0;
    s->entries += t->entries;
    for (int e = 0; e < t->entries && vain < IN_VAIN && s->calls < most; e++)
        if (!met_has(t->met, e)) vain = entry(s, table, e) ? 0 : vain + 1;
}

void explore_tables(Search *s) {
    int most = s->calls + CALLS_ALL, before = s->calls;
    s->o->aiming = true;
    for (int i = 0; i < s->o->met.tables; i++) {
        if (s->sought[i]) continue;
        s->sought[i] = true;
        table_entries_meet(s, i, most);
    }
    s->o->aiming = false;
    s->most += s->most == INT32_MAX ? 0 : s->calls - before;
}
