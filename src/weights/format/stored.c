#include "weights/format/stored.h"

#include <stdio.h>
#include <stdlib.h>

void stored_add(Arena *a, StoredTable *t, const Stored *s) {
    if (t->count == t->cap) {
        t->cap = t->cap ? 2 * t->cap : 32;
        t->at = MORE(a, Stored, t->at, t->count, t->cap);
    }
    t->at[t->count++] = *s;
}

static int by_name(const void *x, const void *y, void *table) {
    const Stored *at = ((const StoredTable *)table)->at;
    return str_cmp(at[*(const int *)x].name, at[*(const int *)y].name);
}

const Stored *stored_seal(Arena *a, StoredTable *t) {
    t->order = NEWN(a, int, (size_t)t->count);
    for (int i = 0; i < t->count; i++) t->order[i] = i;
    qsort_r(t->order, (size_t)t->count, sizeof *t->order, by_name, t);
    for (int i = 1; i < t->count; i++)
        if (str_eq(t->at[t->order[i - 1]].name, t->at[t->order[i]].name)) return &t->at[t->order[i]];
    return NULL;
}

Stored *stored_find(const StoredTable *t, Str name) {
    int low = 0, high = t->count;
    while (low < high) {
        int middle = low + (high - low) / 2, c = str_cmp(t->at[t->order[middle]].name, name);
        if (c == 0) return &t->at[t->order[middle]];
        if (c < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return NULL;
}

Shown shown(Str s) {
    Shown out;
    size_t n = 0;
    for (; n < s.len && n < sizeof out.at - 4; n++) out.at[n] = s.p[n] < ' ' || s.p[n] > '~' ? '?' : s.p[n];
    memcpy(out.at + n, n < s.len ? "..." : "", n < s.len ? 4 : 1);
    return out;
}

Shown stored_shape(const Stored *s) {
    Shown out = {"["};
    size_t n = 1;
    for (int i = 0; i < s->rank && n < sizeof out.at; i++)
        n += (size_t)snprintf(out.at + n, sizeof out.at - n, i ? ", %lld" : "%lld", (long long)s->shape[i]);
    if (n < sizeof out.at) snprintf(out.at + n, sizeof out.at - n, "]");
    return out;
}
