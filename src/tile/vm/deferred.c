#include "tile/vm/deferred.h"

#include "tile/vm/steps.h"

struct DeferredAtomic {
    const Step *step;
    Storage *storage;
    size_t offset;
    uint64_t value;
    uint32_t lane, barriers; // of its program until then
};

// All are done when there is no room, when a program has looked so often that it may wait for one, and when a
// launch has spent so many looks at them.
enum { DEFERRED_MAX = 8192, NEAR_SLOTS = 1024, LOOKS_MAX = 256, SEARCHED_MAX = 1 << 24 };

size_t deferred_bytes(const Code *c) {
    return c->watched ? DEFERRED_MAX * sizeof(DeferredAtomic) + NEAR_SLOTS * sizeof(uint16_t) + 128 : 0;
}

void deferred_init(Arena *a, Vm *v) {
    v->deferred = (Deferred){0};
    if (!v->code->watched) return;
    v->deferred.at = arena_raw(a, DEFERRED_MAX * sizeof(DeferredAtomic), 64);
    v->deferred.near = NEWN(a, uint16_t, NEAR_SLOTS);
}

// Elements that overlap have the same slot: they are as aligned as they are long, and that is at most 8
// bytes.
static uint16_t *near(const Vm *v, const Storage *m, size_t offset) {
    return &v->deferred.near[(offset / 8 + (size_t)m->id * 0x9e3779b1u) % NEAR_SLOTS];
}

static void perform(const Vm *v, const DeferredAtomic *x) {
    uint64_t old;
    --*near(v, x->storage, x->offset);
    atomic_change(v, x->step, x->storage->data + x->offset, &x->value, &old);
}

void deferred_end(Vm *v) {
    for (int i = 0; i < v->deferred.n; i++) perform(v, &v->deferred.at[i]);
    v->deferred.n = v->deferred.own = 0;
}

void deferred_look(Vm *v) {
    if (v->deferred.n && ++v->deferred.looks > LOOKS_MAX) deferred_end(v);
}

// Whether the own ones are to be searched.
static bool search(Vm *v) {
    Deferred *d = &v->deferred;
    int n = d->n - d->own;
    v->owed += n / 4;
    if ((d->searched += n) > SEARCHED_MAX) deferred_end(v);
    return d->n > 0;
}

void deferred_put(Vm *v, const Step *s, int64_t lane, Storage *m, size_t offset, const void *value) {
    Deferred *d = &v->deferred;
    if (d->n == DEFERRED_MAX) deferred_end(v);
    DeferredAtomic *x = &d->at[d->n++];
    *x = (DeferredAtomic){s, m, offset, 0, (uint32_t)lane, d->barriers};
    memcpy(&x->value, value, s->size);
    ++*near(v, m, offset);
}

// Issued by the same thread, or by any before a barrier.
static bool comes_before(const Vm *v, const DeferredAtomic *x, const Step *s, int64_t lane) {
    bool same_thread = x->lane == (uint32_t)lane && (lane == 0 || x->step->shape == s->shape);
    return same_thread || x->barriers < v->deferred.barriers;
}

static bool meets(const DeferredAtomic *x, const Storage *m, size_t offset, size_t bytes) {
    return x->storage == m && x->offset < offset + bytes && offset < x->offset + x->step->bytes;
}

// What comes before it and has to be in memory, with all that was issued earlier and comes before it as well.
void deferred_order(Vm *v, const Step *s, int64_t lane, const Storage *m, size_t offset) {
    Deferred *d = &v->deferred;
    if (!search(v)) return;
    bool release = s->imm & ATOMIC_RELEASE && !(s->imm & ATOMIC_BLOCK);
    int last = d->n - 1, kept = d->own;
    for (; last >= d->own; last--) {
        const DeferredAtomic *x = &d->at[last];
        bool there = release || x->step->imm & ATOMIC_ACQUIRE || meets(x, m, offset, s->bytes);
        if (there && comes_before(v, x, s, lane)) break;
    }
    for (int i = d->own; i < d->n; i++) {
        if (i <= last && comes_before(v, &d->at[i], s, lane))
            perform(v, &d->at[i]);
        else
            d->at[kept++] = d->at[i];
    }
    d->n = kept;
    for (int i = 0; !d->overtaken && *near(v, m, offset) && i < d->n; i++)
        d->overtaken = meets(&d->at[i], m, offset, s->bytes);
}

void deferred_show(Vm *v, const Storage *m, size_t offset, size_t bytes) {
    Deferred *d = &v->deferred;
    if (!search(v)) return;
    int kept = d->own;
    for (int i = d->own; i < d->n; i++) {
        if (meets(&d->at[i], m, offset, bytes))
            perform(v, &d->at[i]);
        else
            d->at[kept++] = d->at[i];
    }
    d->n = kept;
}
