#include "host/python/keyed.h"

#include "host/python/interp.h"

static void part(KeyNote *n, int64_t x) {
    if (n->parts < KEY_PARTS_MAX) n->part[n->parts++] = x;
}

static uint64_t number_of(KeyNote *n, Value v) {
    uint64_t word = 0;
    switch (v.kind) {
    case V_BOOL: return (uint64_t)v.b;
    case V_INT: part(n, v.i); return (uint64_t)v.i;
    case V_FLOAT: memcpy(&word, &v.f, sizeof word); return word;
    case V_DTYPE: return (uint64_t)v.dtype.t * 2 + v.dtype.triton;
    case V_DEVICE: return (uint64_t)v.device.index * 2 + v.device.cpu;
    case V_STR: {
        int64_t x;
        for (size_t at = 0; text_number(v.s, &at, &x);) part(n, x);
        return str_hash(v.s);
    }
    default: return 0; // such as a tensor: which one it is differs from call to call
    }
}

static uint64_t hash_of(KeyNote *n, Value v) { // a value's depth is bounded
    uint64_t h = keys_mix((uint64_t)v.kind, number_of(n, v));
    for (int i = 0; value_is_seq(v) && i < v.seq->n; i++) h = keys_mix(h, hash_of(n, v.seq->at[i]));
    return h;
}

static KeyNotes *notes(const Interp *in) { return in->m ? cover_keys(in->m->watch.cover) : NULL; }

void keyed_found(const Interp *in, Span at, Value key) {
    if (!notes(in)) return;
    KeyNote n = {.at = at.at};
    n.found = n.key = keys_mix(at.at, hash_of(&n, key));
    keys_note(notes(in), &n);
}

void keyed_item(const Interp *in, Span at, int64_t index, Value item) {
    if (!notes(in)) return;
    KeyNote n = {.at = at.at}, of = {0};
    n.key = keys_mix(at.at, hash_of(&n, value_int(index)));
    n.found = keys_mix(n.key, hash_of(&of, item));
    keys_note(notes(in), &n);
}

static void put_one(KeyNotes *k, Span at, int which, Value v) {
    enum { PUT = 1 };
    KeyNote n = {.at = at.at + (uint32_t)which, .put = true};
    uint64_t h = hash_of(&n, v);
    n.found = n.key = keys_mix(keys_mix(n.at, h), PUT);
    if (n.parts > 0 || v.kind == V_STR || v.kind == V_FLOAT) keys_note(k, &n);
}

void keyed_put(const Interp *in, Span at, Value v) {
    KeyNotes *k = notes(in);
    if (!k) return;
    put_one(k, at, 0, v);
    for (int i = 0; v.kind == V_TUPLE && i < v.seq->n; i++) put_one(k, at, 1 + i, v.seq->at[i]);
}
