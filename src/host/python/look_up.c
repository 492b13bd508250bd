#include "host/python/look_up.h"

#include "base/numeric/rng.h"
#include "host/python/interp.h"

// Of a list whose index is searched for; of a computed table; of one whose keys are compared with as numbers
// are. The others are looked for one by one (met_entries.h).
enum { ITEMS_MAX = 16, COMPUTED_MAX = 64, ENTRIES_MAX = 64 };

// A number, a text or anything else that a key is made of.
typedef struct {
    ValueKind kind;
    Value value;
    uint64_t hash;
} Part;

static uint64_t text_hash(Str s) {
    uint64_t h = s.len;
    for (size_t i = 0; i < s.len; i++) h = rng_mix(h, (uint8_t)s.p[i]);
    return h;
}

// The parts of a key, tuples within it too. -1: there are more, or one is not looked at.
static int parts_of(Value v, Part *out, int n) { // a value's depth is bounded
    if (n < 0) return n;
    if (v.kind == V_TUPLE) {
        for (int i = 0; i < v.seq->n; i++) n = parts_of(v.seq->at[i], out, n);
        return n;
    }
    if (n == LOOK_UP_PARTS_MAX) return -1;
    Part p = {v.kind, v, 0};
    switch (v.kind) {
    case V_NONE: break;
    case V_BOOL: p.hash = v.b; break;
    case V_INT: p.hash = (uint64_t)v.i; break;
    case V_FLOAT: memcpy(&p.hash, &v.f, sizeof p.hash); break;
    case V_STR: p.hash = text_hash(v.s); break;
    case V_DTYPE: p.hash = (uint64_t)v.dtype.t * 2 + v.dtype.triton; break;
    default: return -1;
    }
    p.hash = rng_mix((uint64_t)p.kind, p.hash);
    out[n] = p;
    return n + 1;
}

static void looked_up(Cover *c, uint32_t at, const Node *made) {
    for (int i = 0; i < c->look_ups; i++)
        if (c->look_up[i].at == at && c->look_up[i].made == made) return;
    if (c->look_ups == COVER_LOOK_UPS_MAX)
        c->more_look_ups = true;
    else
        c->look_up[c->look_ups++] = (CoverLookUp){at, made};
}

// Whether a key of other numbers or texts would be this entry's: dtypes and the like have to be the same.
static bool might_be(const Part *key, const Part *entry, int n) {
    for (int i = 0; i < n; i++) {
        bool free = key[i].kind == V_INT || key[i].kind == V_STR || key[i].kind == V_FLOAT;
        if (key[i].kind != entry[i].kind || (!free && key[i].hash != entry[i].hash)) return false;
    }
    return true;
}

static bool same_parts(const Part *x, const Part *y, int n) {
    for (int i = 0; i < n; i++)
        if (x[i].kind != y[i].kind || x[i].hash != y[i].hash) return false;
    return true;
}

// Not by its dtypes alone: those of the domain come without a search, but only where they are told apart.
static void search(Outcomes *o, uint32_t at, int entry, const Part *key, const Part *other, int n) {
    for (int i = 0; o && i < n; i++) {
        int part = entry * LOOK_UP_PARTS_MAX + i;
        if (key[i].kind == V_INT) outcome_entry(o, at, part, key[i].value.i, other[i].value.i);
        if (key[i].kind == V_STR) outcome_entry_texts(o, at, part, key[i].value.s, other[i].value.s);
    }
}

// The entry that a search is after: what of its key is other than this one.
static void aim(Outcomes *o, const Part *key, int n, Value entry, bool hit) {
    Part other[LOOK_UP_PARTS_MAX];
    MetEntries *m = &o->met;
    if (parts_of(entry, other, 0) != n) return;
    met_key_begin(m, hit);
    for (int i = 0; i < n; i++) {
        if (key[i].kind != other[i].kind)
            met_key_other(m, false);
        else if (key[i].kind == V_INT)
            met_key_number(m, key[i].value.i, other[i].value.i);
        else if (key[i].kind == V_STR)
            met_key_texts(m, key[i].value.s, other[i].value.s);
        else
            met_key_other(m, key[i].hash == other[i].hash);
    }
}

void note_members(Outcomes *o, uint32_t at, Value item, Value all) {
    Part part[LOOK_UP_PARTS_MAX], other[LOOK_UP_PARTS_MAX];
    bool keyed = all.kind == V_DICT || all.kind == V_SET;
    if (!o || (!keyed && !value_is_seq(all))) return;
    int n = parts_of(item, part, 0), of = keyed ? all.dict->n : all.seq->n, found = -1;
    for (int i = 0; n > 0 && i < of && found < 0; i++)
        if (parts_of(keyed ? all.dict->key[i] : all.seq->at[i], other, 0) == n && same_parts(part, other, n))
            found = i;
    int wanted = n > 0 ? outcome_looked_up(o, at, keyed ? all.dict->made : all.seq->made, of, found) : -1;
    if (wanted >= 0) aim(o, part, n, keyed ? all.dict->key[wanted] : all.seq->at[wanted], found == wanted);
    for (int i = 0; n > 0 && i < of && i < ITEMS_MAX; i++) {
        bool alike = parts_of(keyed ? all.dict->key[i] : all.seq->at[i], other, 0) == n;
        for (int k = 0; k < n; k++) alike = alike && part[k].kind == other[k].kind;
        if (alike) search(o, at, i, part, other, n);
    }
}

void note_dict_look_up(const Interp *in, Span span, const Dict *d, Value key, int found) {
    Cover *c = in->m ? in->m->watch.cover : NULL;
    Part part[LOOK_UP_PARTS_MAX], other[LOOK_UP_PARTS_MAX];
    Outcomes *o = cover_outcomes(c);
    // One that was computed has entries to look for, though none that could be named.
    bool written = d->made && d->made->dict.keys.n <= d->n; // others were added behind these
    if (!c || (!written && !o)) return;
    int n = parts_of(key, part, 0), entries = written ? d->made->dict.keys.n : d->n;
    uint32_t at = look_up_place(span);
    if (n <= 0) return;
    if (written) looked_up(c, at, d->made);
    for (int i = 0; i < n; i++)
        if (part[i].kind == V_DTYPE || part[i].kind == V_STR) outcome_signs(o, part[i].hash);
    for (int i = 0; i < entries && (written || i < COMPUTED_MAX); i++) {
        if (i != found && (parts_of(d->key[i], other, 0) != n || !might_be(part, other, n))) continue;
        if (written) cover_truth(c, look_up_entry(d->made->dict.keys.at[i]), i == found);
        if (i < ENTRIES_MAX) search(o, at, i, part, i == found ? part : other, n);
    }
    int wanted = outcome_looked_up(o, at, written ? d->made : NULL, d->n, found);
    if (wanted >= 0) aim(o, part, n, d->key[wanted], found == wanted);
}

void note_seq_look_up(const Interp *in, Span span, const Seq *s, int64_t index) {
    Cover *c = in->m ? in->m->watch.cover : NULL;
    if (!c || !s->made || s->made->items.n != s->n) return;
    uint32_t at = look_up_place(span);
    looked_up(c, at, s->made);
    Outcomes *o = cover_outcomes(c);
    int wanted = outcome_looked_up(o, at, s->made, s->n, (int)index);
    if (wanted >= 0) {
        met_key_begin(&o->met, wanted == index);
        met_key_number(&o->met, index, wanted);
    }
    for (int i = 0; i < s->n; i++) {
        cover_truth(c, look_up_entry(s->made->items.at[i]), i == index);
        if (s->n <= ITEMS_MAX) outcome_entry(cover_outcomes(c), at, i * LOOK_UP_PARTS_MAX, index, i);
    }
}

// ---- loops

static void find_way_out(void *arg, const Node *n) {
    bool *any = arg;
    bool other = n->kind == NODE_FUNCTION || n->kind == NODE_LAMBDA;
    *any = *any || n->kind == NODE_BREAK || n->kind == NODE_RETURN;
    if (!*any && !other) node_each_child(n, find_way_out, any);
}

bool loop_may_end(const Node *loop) {
    bool any = false;
    for (int i = 0; i < loop->loop.body.n; i++) find_way_out(&any, loop->loop.body.at[i]);
    return any;
}

static void item_numbers(MetEntries *m, Value v) { // a value's depth is bounded
    if (v.kind == V_INT && m->items < KEY_NUMBERS_MAX) m->item[m->items++] = v.i;
    for (int i = 0; value_is_seq(v) && i < v.seq->n; i++) item_numbers(m, v.seq->at[i]);
    for (int i = 0; v.kind == V_DICT && i < v.dict->n; i++) item_numbers(m, v.dict->value[i]);
}

void note_item(Outcomes *o, uint32_t at, Value over, int turn) {
    if (!o || !value_is_seq(over) || turn >= over.seq->n) return;
    MetEntries *m = &o->met;
    const MetTable *t = m->aim_table < 0 ? NULL : &m->table[m->aim_table];
    met_item_begin(m, t && t->at == at && !t->made && t->around == m->around && m->aim_entry == turn);
    if (m->sought) met_key_begin(m, false);
    item_numbers(m, over.seq->at[turn]);
}

uint64_t loop_turn(Outcomes *o, uint32_t at, int turn) {
    if (!o) return 0;
    uint64_t was = o->met.around;
    o->met.around = rng_mix(rng_mix(was, at), (uint64_t)turn);
    return was;
}

void note_equal(Outcomes *o, Value l, Value r, bool equal) {
    if (l.kind == V_INT && r.kind == V_INT) return met_item_equal(&o->met, l.i, r.i, equal);
    if (l.kind == V_STR && r.kind == V_STR) return met_item_equal_texts(&o->met, l.s, r.s, equal);
    if (!value_is_seq(l) || !value_is_seq(r)) return;
    o->met.equals = true;
    o->met.equal |= equal;
}

bool note_passed(Outcomes *o, uint32_t at, Value over, int turn) {
    bool wanted = o && met_item_wanted(&o->met);
    if (wanted) note_found(o, at, over, turn);
    return wanted;
}

void note_found(Outcomes *o, uint32_t at, Value over, int turn) {
    if (!o || !value_is_seq(over) || over.seq->n < 2) return;
    met_item_begin(&o->met, false);
    int wanted = outcome_looked_up(o, at, NULL, over.seq->n, turn);
    if (wanted >= 0) o->met.hit = o->met.hit || turn == wanted;
}
