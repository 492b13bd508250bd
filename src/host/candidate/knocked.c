#include "host/candidate/knocked.h"

#include <math.h>

#include "base/numeric/rng.h"

static bool knocks(const Knocked *k) {
    return k && (k->launches == k->which || (k->which == KNOCKED_MAX - 1 && k->launches >= k->which));
}

static void note_tensor(Machine *m, Storage *s) {
    Knocked *k = m->knocked;
    if (s->read_only || !s->bytes || !s->shadow) return;
    for (int i = 0; i < k->tensors; i++)
        if (k->tensor[i].storage == s) return;
    if (k->tensors == KNOCKED_TENSORS_MAX || arena_left(m->arena) < 2 * s->bytes + (1 << 16)) return;
    KnockedTensor *t = &k->tensor[k->tensors++];
    *t = (KnockedTensor){.storage = s, .before = arena_raw(m->arena, s->bytes, 64)};
    storage_change(s, 0, s->bytes);
    memcpy(t->before, s->shadow, s->bytes);
    for (size_t i = 0; i < s->bytes; i++) s->shadow[i] &= (uint8_t)~SHADOW_STORED;
}

void knocked_before(Interp *in, const Binding *b) {
    Knocked *k = in->m->knocked;
    if (!knocks(k)) return;
    for (int i = 0; i < b->args; i++)
        if (b->arg[i].kind == ARG_TENSOR) note_tensor(in->m, b->arg[i].tensor->storage);
}

// Far from what it was, finite, and another one at each place.
static double other_number(double x, uint64_t i) {
    double drawn = (double)(rng_mix(i, 0x6b6e6f63) >> 11) * 0x1p-53;
    double size = isfinite(x) ? fabs(x) : 1;
    if (size > 1e6) size = 1e6;
    return (size + 1) * (drawn < 0.5 ? -1 - drawn : 0.5 + drawn);
}

static void change(const Storage *s, int64_t i) {
    int64_t width = dtype_bytes(s->dtype);
    uint8_t *at = s->data + i * width;
    if (dtype_is_float(s->dtype))
        dtype_store(s->dtype, at, other_number(dtype_load(s->dtype, at), (uint64_t)i));
    else
        *at ^= 1;
}

// Keeps what the launch has stored, and changes it.
static void change_stored(Machine *m, KnockedTensor *t) {
    const Storage *s = t->storage;
    int64_t width = dtype_bytes(s->dtype), n = (int64_t)s->bytes / width, stored = 0;
    if (arena_left(m->arena) < s->bytes + (size_t)n + (1 << 16)) return;
    ArenaMark mark = arena_mark(m->arena);
    uint8_t *set = arena_raw(m->arena, (size_t)n, 64), *after = arena_raw(m->arena, s->bytes, 64);
    memcpy(after, s->data, s->bytes);
    for (int64_t e = 0; e < n; e++) {
        set[e] = 0;
        for (int64_t i = 0; i < width; i++) set[e] |= s->shadow[e * width + i] & SHADOW_STORED;
        if (!set[e]) continue;
        stored++;
        change(s, e);
    }
    for (size_t i = 0; i < s->bytes; i++) s->shadow[i] |= t->before[i] & SHADOW_STORED;
    if (!stored) return arena_reset(m->arena, mark);
    t->stored = set;
    t->after = after;
}

void knocked_after(Interp *in, Span at, const Counters *before) {
    Machine *m = in->m;
    Knocked *k = m->knocked;
    if (!k) return;
    if (knocks(k)) {
        k->at = at;
        k->bytes +=
            m->count.bytes_loaded - before->bytes_loaded + m->count.bytes_stored - before->bytes_stored;
        for (int i = 0; i < k->tensors; i++)
            if (!k->tensor[i].stored) change_stored(m, &k->tensor[i]);
    }
    k->launches++;
}

// --- what is there without it ---

// Element by element, as close as honest float32 results of one formula are.
static bool equal_numbers(DType a, const uint8_t *x, DType b, const uint8_t *y, int64_t n) {
    double most = 0;
    for (int64_t i = 0; i < n; i++) {
        double v = fabs(dtype_load(a, x + i * dtype_bytes(a)));
        if (v > most && v < INFINITY) most = v;
    }
    for (int64_t i = 0; i < n; i++) {
        double v = dtype_load(a, x + i * dtype_bytes(a)), w = dtype_load(b, y + i * dtype_bytes(b));
        if (v == w || (v != v && w != w)) continue;
        if (!(fabs(v - w) <= 0x1p-14 * (fabs(v) + fabs(w)) + 0x1p-18 * most)) return false;
    }
    return true;
}

// The same elements in any order: a copy of a transposed tensor, of a flipped one. Zeros do not count: a
// tensor of zeros has those before anybody stores them.
static bool same_elements(const uint8_t *x, int64_t nx, const uint8_t *y, int64_t ny, int64_t width) {
    uint64_t a = 0, b = 0;
    int64_t count = 0;
    for (int64_t i = 0; i < nx || i < ny; i++) {
        uint64_t v = 0, w = 0;
        if (i < nx) memcpy(&v, x + i * width, (size_t)width);
        if (i < ny) memcpy(&w, y + i * width, (size_t)width);
        a += v ? rng_mix(v, 0x73616d65) : 0;
        b += w ? rng_mix(w, 0x73616d65) : 0;
        count += (v != 0) - (w != 0);
    }
    return a == b && count == 0;
}

// One piece of the other one, bit for bit: a copy of some rows.
static bool is_piece(const uint8_t *x, int64_t nx, const uint8_t *y, int64_t ny, int64_t width) {
    enum { TRIES = 64 };
    size_t bytes = (size_t)(nx * width);
    for (int64_t i = 0, tries = 0; i + nx <= ny && tries < TRIES; i++) {
        if (memcmp(x, y + i * width, (size_t)width) != 0) continue;
        if (memcmp(x, y + i * width, bytes) == 0) return true;
        tries++;
    }
    return false;
}

// What a launch has stored to a tensor, in its order.
typedef struct {
    DType dtype;
    uint8_t *element;
    int64_t n;
} Stored;

static bool is_in(const Stored *c, const KnockedTensor *t, const Storage *o) {
    int64_t width = dtype_bytes(c->dtype), n = (int64_t)o->bytes / dtype_bytes(o->dtype);
    bool whole = (int64_t)t->storage->bytes / width == n;
    if (dtype_is_float(o->dtype) != dtype_is_float(c->dtype)) return false;
    if (c->n == n && equal_numbers(c->dtype, c->element, o->dtype, o->data, n)) return true;
    if (whole && equal_numbers(c->dtype, t->after, o->dtype, o->data, n)) return true;
    return o->dtype == c->dtype && (same_elements(c->element, c->n, o->data, n, width) ||
                                    is_piece(c->element, c->n, o->data, n, width));
}

// Ones, zeros: any operator that makes a tensor gives those.
static bool is_one_number(const Stored *c) {
    int64_t width = dtype_bytes(c->dtype);
    return c->n > 1 && memcmp(c->element, c->element + width, (size_t)((c->n - 1) * width)) == 0;
}

static bool is_there(Machine *m, const KnockedTensor *t) {
    const Storage *s = t->storage;
    int64_t width = dtype_bytes(s->dtype), n = (int64_t)s->bytes / width;
    ArenaMark mark = arena_mark(m->arena);
    if (arena_left(m->arena) < s->bytes + (1 << 16)) return false;
    Stored c = {s->dtype, arena_raw(m->arena, s->bytes, 64), 0};
    for (int64_t i = 0; i < n; i++)
        if (t->stored[i]) memcpy(c.element + c.n++ * width, t->after + i * width, (size_t)width);
    bool found = is_one_number(&c);
    for (int i = 0; i < m->storages.count && !found; i++) {
        Storage *o = m->storages.at[i];
        if (o == s || !(o->read_only || o->of_library) || o->row_pitch) continue;
        storage_reach(o, 0, o->bytes);
        found = is_in(&c, t, o);
    }
    arena_reset(m->arena, mark);
    return found;
}

void knocked_end(Machine *m) {
    Knocked *k = m->knocked;
    bool all = true, any = false;
    if (!k) return;
    for (int i = 0; i < k->tensors; i++) {
        if (!k->tensor[i].stored) continue;
        any = true;
        all = all && is_there(m, &k->tensor[i]);
    }
    k->replaceable = any && all;
}
