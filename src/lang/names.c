#include "lang/names.h"

struct NameSlot {
    Str name; // .p is NULL in a free slot
    int value;
};

static struct NameSlot *slot_for(const NameTable *t, Str name) {
    uint32_t i = (uint32_t)str_hash(name) & (t->cap - 1);
    while (t->slot[i].name.p && !str_eq(t->slot[i].name, name)) i = (i + 1) & (t->cap - 1);
    return &t->slot[i];
}

static void grow(NameTable *t) {
    NameTable old = *t;
    t->cap = old.cap ? old.cap * 2 : 8;
    t->slot = NEWN(t->arena, struct NameSlot, t->cap);
    for (uint32_t i = 0; i < old.cap; i++)
        if (old.slot[i].name.p) *slot_for(t, old.slot[i].name) = old.slot[i];
}

int *names_find(const NameTable *t, Str name) {
    if (!t->cap) return NULL;
    struct NameSlot *s = slot_for(t, name);
    return s->name.p ? &s->value : NULL;
}

int *names_put(NameTable *t, Str name, int value, bool *added) {
    if (t->count * 2 >= t->cap) grow(t);
    struct NameSlot *s = slot_for(t, name);
    bool fresh = !s->name.p;
    if (fresh) {
        *s = (struct NameSlot){name, value};
        t->count++;
    }
    if (added) *added = fresh;
    return &s->value;
}
