#include "host/python/look_up.h"

#include "base/numeric/rng.h"
#include "host/python/interp.h"

enum { ITEMS_MAX = 16, COMPUTED_MAX = 64 }; // of a list whose index is searched for, of a computed table

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

// Not by its dtypes alone: those of the domain come without a search, but only where they are told apart.
static void search(Outcomes *o, uint32_t at, int entry, const Part *key, const Part *other, int n) {
    for (int i = 0; o && i < n; i++) {
        int part = entry * LOOK_UP_PARTS_MAX + i;
        if (key[i].kind == V_INT) outcome_entry(o, at, part, key[i].value.i, other[i].value.i);
        if (key[i].kind == V_STR) outcome_entry_texts(o, at, part, key[i].value.s, other[i].value.s);
    }
}

void note_members(Outcomes *o, uint32_t at, Value item, Value all) {
    Part part[LOOK_UP_PARTS_MAX], other[LOOK_UP_PARTS_MAX];
    bool keyed = all.kind == V_DICT || all.kind == V_SET;
    if (!keyed && !value_is_seq(all)) return;
    int n = parts_of(item, part, 0), of = keyed ? all.dict->n : all.seq->n;
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
        search(o, at, i, part, i == found ? part : other, n);
    }
}

void note_seq_look_up(const Interp *in, Span span, const Seq *s, int64_t index) {
    Cover *c = in->m ? in->m->watch.cover : NULL;
    if (!c || !s->made || s->made->items.n != s->n) return;
    uint32_t at = look_up_place(span);
    looked_up(c, at, s->made);
    for (int i = 0; i < s->n; i++) {
        cover_truth(c, look_up_entry(s->made->items.at[i]), i == index);
        if (s->n <= ITEMS_MAX) outcome_entry(cover_outcomes(c), at, i * LOOK_UP_PARTS_MAX, index, i);
    }
}
