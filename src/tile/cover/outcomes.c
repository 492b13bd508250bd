#include "tile/cover/outcomes.h"

#include "base/numeric/rng.h"

enum { NEGATIVE = 8, ZERO, POSITIVE }; // beside the ways of conditions

static bool is_dull(const Outcomes *o, uint32_t at) { return at >= o->bytes || o->dull[at]; }

Outcomes *outcomes_new(Arena *a, const uint8_t *dull, size_t bytes) {
    Outcomes *o = NEW(a, Outcomes);
    *o = (Outcomes){.dull = dull, .bytes = bytes, .met = {.aim_table = -1, .aim_entry = -1}};
    o->ways = NEWN(a, uint8_t, bytes + 1);
    return o;
}

void outcomes_begin(Outcomes *o, int point, int64_t cost) {
    o->run++;
    o->point = point;
    o->cost = cost;
    o->cheaper = false;
    o->slots = o->news = o->freshes = o->new_pairs = 0;
    o->signature = 0;
    met_begin(&o->met, o->run);
}

// NULL: there are too many.
static OutcomeWay *way_at(Outcomes *o, uint32_t at, uint64_t what, bool entry) {
    OutcomeNear *near = &o->near[(at * 7 + what) % OUTCOME_NEAR_MAX];
    if (near->slot && near->at == at && near->what == what) return &o->seen[near->slot - 1];
    uint64_t key = rng_mix(at, what) | 1, i = key >> 20;
    while (o->seen[i % OUTCOMES_MAX].key && o->seen[i % OUTCOMES_MAX].key != key) i++;
    OutcomeWay *x = &o->seen[i % OUTCOMES_MAX];
    if (!x->key) {
        if (o->seens >= OUTCOMES_MAX / 2) return NULL;
        o->seens++;
        *x = (OutcomeWay){.key = key, .at = at, .entry = entry};
    }
    *near = (OutcomeNear){what, at, (uint16_t)(1 + (x - o->seen))};
    return x;
}

static void seen(Outcomes *o, uint32_t at, uint64_t what, bool entry) {
    if (!o || is_dull(o, at)) return;
    o->told++;
    OutcomeWay *x = way_at(o, at, what, entry);
    if (!x || x->run == o->run) return;
    x->run = o->run;
    o->signature ^= x->key;
    if (o->slots < OUTCOME_RUN_MAX) o->slot[o->slots++] = (uint16_t)(x - o->seen);
}

void outcome_seen(Outcomes *o, uint32_t at, uint64_t what) { seen(o, at, what, false); }
void outcome_item(Outcomes *o, uint32_t at, uint64_t what) { seen(o, at, what, true); }

bool outcome_decides(const Outcomes *o, const OutcomeWay *x) {
    return x->key && x->known && !x->aimed && o->ways[x->at] > 1;
}

static uint64_t pair_key(const OutcomeWay *x, const OutcomeWay *y) {
    return (x->key < y->key ? rng_mix(x->key, y->key) : rng_mix(y->key, x->key)) | 1;
}

static size_t pair_slot(const Outcomes *o, uint64_t key) {
    uint64_t i = key >> 20;
    while (o->pair[i % OUTCOME_PAIRS_MAX] && o->pair[i % OUTCOME_PAIRS_MAX] != key) i++;
    return i % OUTCOME_PAIRS_MAX;
}

static bool pairs_full(const Outcomes *o) { return o->pairs >= OUTCOME_PAIRS_MAX / 2; }

static void pair_add(Outcomes *o, uint64_t key) {
    size_t slot = pair_slot(o, key);
    if (o->pair[slot] || pairs_full(o)) return;
    o->pair[slot] = key;
    o->pairs++;
    o->new_pairs++;
}

bool outcomes_met(const Outcomes *o, const OutcomeWay *x, const OutcomeWay *y) {
    return pairs_full(o) || o->pair[pair_slot(o, pair_key(x, y))] != 0;
}

static void pairs_note(Outcomes *o) {
    for (int i = 0; i < o->slots; i++) {
        const OutcomeWay *x = &o->seen[o->slot[i]];
        for (int k = 0; k < i && outcome_decides(o, x); k++) {
            const OutcomeWay *y = &o->seen[o->slot[k]];
            if (y->at != x->at && outcome_decides(o, y)) pair_add(o, pair_key(x, y));
        }
    }
}

void outcomes_end(Outcomes *o, bool kept) {
    for (int i = 0; i < o->compareds; i++) {
        Compared *c = &o->compared[i];
        if (c->run != o->run) continue;
        if (kept) c->sides |= c->now;
        if (!kept) c->refused++;
    }
    for (int i = 0; kept && i < o->slots; i++) {
        OutcomeWay *x = &o->seen[o->slot[i]];
        if (x->known && x->cost <= o->cost) continue;
        x->point = o->point;
        x->cost = o->cost;
        o->cheaper = true;
        if (x->known) continue;
        x->known = true;
        if (o->ways[x->at] < UINT8_MAX) o->ways[x->at]++;
        x->aimed = o->aiming && x->entry;
        if (x->aimed) continue;
        o->news++;
        if (o->freshes < OUTCOME_FRESH_MAX) o->fresh[o->freshes++] = x->key;
    }
    met_end(&o->met, kept && o->drawn);
    if (kept && o->pairing) pairs_note(o);
}

bool outcomes_have(const Outcomes *o, const uint64_t *key, int n) {
    for (int i = 0; i < n; i++) {
        bool any = false;
        for (int k = 0; k < o->slots && !any; k++) any = o->seen[o->slot[k]].key == key[i];
        if (!any) return false;
    }
    return true;
}

// NULL: there are too many.
static Compared *compared(Outcomes *o, uint32_t at, uint32_t part, int64_t left, int64_t right, bool holds) {
    uint32_t slot = (at * 0x9e3779b1u + part * 0x85ebca6bu) >> 16;
    uint16_t *index; // 1 + number of the one there; 0: a free slot
    while (*(index = &o->compared_at[slot % COMPARED_SLOTS]) &&
           (o->compared[*index - 1].at != at || o->compared[*index - 1].part != part))
        slot++;
    if (!*index && o->compareds == COMPAREDS_MAX) return NULL;
    if (!*index) *index = (uint16_t)(1 + o->compareds);
    int i = *index - 1;
    Compared *c = &o->compared[i];
    if (i == o->compareds) o->compareds++, *c = (Compared){.at = at, .part = part, .value = {left, right}};
    bool first = c->runs == 0 || c->run != o->run,
         everywhere = c->runs > 0 && c->elsewhere == ((uint32_t)1 << o->axes) - 1;
    o->told++;
    for (int k = 0; first && o->where && !everywhere && k < o->axes; k++) {
        if (c->runs == 0) c->first[k] = o->where[k];
        c->elsewhere |= (uint32_t)(c->first[k] != o->where[k]) << k;
    }
    c->moved[0] |= c->value[0] != left;
    c->moved[1] |= c->value[1] != right;
    c->value[0] = left;
    c->value[1] = right;
    c->now = (uint8_t)((first ? 0 : c->now) | (holds ? 2 : 1));
    c->runs += first;
    c->run = o->run;
    return c;
}

static void open_compared(Outcomes *o, uint32_t at, uint32_t part, int64_t left, int64_t right, bool holds) {
    Compared *c = compared(o, at, part, left, right, holds);
    if (c) c->unsettled = true;
}

void outcome_settled(Outcomes *o, uint32_t at, int64_t left, int64_t right, bool holds) {
    if (!o || is_dull(o, at)) return;
    outcome_seen(o, at, holds ? 2 : 1);
    if (o->met.items) met_compared(&o->met, left, right);
    (void)compared(o, at, 0, left, right, holds);
}

void outcome_compared(Outcomes *o, uint32_t at, int64_t left, int64_t right, bool holds) {
    if (!o || is_dull(o, at)) return;
    outcome_seen(o, at, holds ? 2 : 1);
    if (o->met.items) met_compared(&o->met, left, right);
    open_compared(o, at, 0, left, right, holds);
}

void outcome_part(Outcomes *o, uint32_t at, int part, int64_t left, int64_t right) {
    if (!o || is_dull(o, at) || part > OUTCOME_PARTS_MAX) return;
    if (o->met.items) met_compared(&o->met, left, right);
    outcome_seen(o, at, 64 + 2 * (uint64_t)part + (left == right));
    open_compared(o, at, (uint32_t)part, left, right, left == right);
}

enum { ENTRY_PARTS = 1 << 8 }; // behind those of comparisons

void outcome_entry(Outcomes *o, uint32_t at, int part, int64_t left, int64_t right) {
    if (!o || is_dull(o, at)) return;
    if (left == right) outcome_item(o, at, ENTRY_PARTS + (uint64_t)part);
    open_compared(o, at, ENTRY_PARTS + (uint32_t)part, left, right, left == right);
}

int outcome_looked_up(Outcomes *o, uint32_t at, const void *made, int entries, int found) {
    if (!o || is_dull(o, at)) return -1;
    o->told++;
    return met_looked_up(&o->met, at, made, entries, found);
}

void outcome_signs(Outcomes *o, uint64_t what) {
    if (!o) return;
    o->told++;
    o->signature ^= rng_mix(what, 1);
}

bool text_number(Str s, size_t *at, int64_t *out) {
    size_t i = *at;
    int64_t x = 0;
    while (i < s.len && (s.p[i] < '0' || s.p[i] > '9')) i++;
    if (i == s.len) return false;
    for (; i < s.len && s.p[i] >= '0' && s.p[i] <= '9'; i++)
        if (x < INT32_MAX) x = x * 10 + (s.p[i] - '0');
    return *at = i, *out = x, true;
}

void outcome_texts(Outcomes *o, uint32_t at, Str left, Str right) {
    size_t i = 0, k = 0;
    int64_t l = 0, r = 0;
    if (!o || left.len > 64 || right.len > 64) return;
    for (int part = 1; part <= OUTCOME_PARTS_MAX; part++) {
        bool more = text_number(left, &i, &l), other = text_number(right, &k, &r);
        if (!more || !other) return;
        outcome_number(o, l);
        outcome_number(o, r);
        outcome_part(o, at, part, l, r);
    }
}

void outcome_entry_texts(Outcomes *o, uint32_t at, int part, Str left, Str right) {
    size_t i = 0, k = 0;
    int64_t l = 0, r = 0;
    if (!o || left.len > 64 || right.len > 64) return;
    if (str_eq(left, right)) outcome_item(o, at, ENTRY_PARTS + (uint64_t)part);
    bool any = false;
    while (text_number(left, &i, &l) && text_number(right, &k, &r)) any = true;
    if (!any) return;
    outcome_number(o, r);
    open_compared(o, at, ENTRY_PARTS + (uint32_t)part, l, r, l == r);
}

void outcome_computed(Outcomes *o, uint32_t at, int64_t left, int64_t right, int64_t result) {
    enum { PART = OUTCOME_PARTS_MAX + 1 };
    if (!o || is_dull(o, at)) return;
    outcome_seen(o, at, result < 0 ? NEGATIVE : result == 0 ? ZERO : POSITIVE);
    Compared *c = compared(o, at, PART, left, right, result != 0);
    if (c) c->product = c->unsettled = true;
}

void outcome_number(Outcomes *o, int64_t x) {
    if (!o) return;
    o->told++;
    if (o->numbers == OUTCOME_NUMBERS_MAX) return;
    for (int i = 0; i < o->numbers; i++)
        if (o->number[i] == x) return;
    o->number[o->numbers++] = x;
}
