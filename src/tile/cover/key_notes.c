#include "tile/cover/key_notes.h"

#include <string.h>
void keys_object(KeyNotes *k) {
    keys_call(k, 0);
    memset(k->history, 0, sizeof k->history);
}

void keys_copy(KeyHeard *to, const KeyHeard *from) {
    to->notes = from->notes;
    to->asked = from->asked;
    to->traced = from->traced;
    memcpy(to->note, from->note, sizeof *from->note * (size_t)from->notes);
}

void keys_call(KeyNotes *k, int storages) {
    k->now.notes = 0;
    k->now.asked = k->now.traced = 0;
    k->there = storages;
}

bool keys_has(const KeyHeard *h, uint64_t found) {
    for (int i = 0; i < h->notes; i++)
        if (h->note[i].found == found) return true;
    return false;
}

void keys_note(KeyNotes *k, const KeyNote *n) {
    KeyHeard *h = &k->now;
    if (h->notes < KEY_NOTES_MAX && !keys_has(h, n->found)) h->note[h->notes++] = *n;
}

void keys_number(KeyStep *s, uint64_t x) {
    s->asked = keys_mix(s->asked, x);
    s->traced = keys_mix(s->traced, x);
}

// Tensors of a call are known by the order in which it has made them; older ones look all alike but for their
// history.
void keys_tensor(const KeyNotes *k, KeyStep *s, const Tensor *t) {
    int id = t->storage->id;
    keys_number(s, (uint64_t)t->dtype << 8 | (uint64_t)t->rank);
    keys_number(s, (uint64_t)t->offset);
    for (int i = 0; i < t->rank; i++) {
        keys_number(s, (uint64_t)t->shape[i]);
        keys_number(s, (uint64_t)t->stride[i]);
    }
    keys_number(s, id > k->there ? (uint64_t)(id - k->there) : 0);
    if (id < 1 || id > STORAGES_MAX) return;
    if (id <= k->there) s->traced = keys_mix(s->traced, k->history[id]);
    if (s->touched < (int)(sizeof s->id / sizeof *s->id)) s->id[s->touched++] = id;
}

void keys_step(KeyNotes *k, const KeyStep *s) {
    k->now.asked = keys_mix(k->now.asked, s->asked);
    k->now.traced = keys_mix(k->now.traced, s->traced);
    for (int i = 0; i < s->touched; i++) k->history[s->id[i]] = keys_mix(k->history[s->id[i]], s->asked);
}
