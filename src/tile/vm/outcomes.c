#include "tile/vm/outcomes.h"

#include "base/numeric/rng.h"

static bool is_dull(const Outcomes *o, uint32_t at) { return at >= o->bytes || o->dull[at]; }

void outcome_seen(Outcomes *o, uint32_t at, uint64_t what) {
    if (!o || is_dull(o, at) || o->seens >= OUTCOMES_MAX / 2) return;
    uint64_t key = rng_mix(at, what) | 1;
    uint64_t i = key >> 20;
    for (;; i++) {
        uint64_t *slot = &o->seen[i % OUTCOMES_MAX];
        if (*slot == key) return;
        if (*slot) continue;
        *slot = key;
        break;
    }
    o->seens++;
    o->news++;
}

void outcome_compared(Outcomes *o, uint32_t at, int64_t left, int64_t right, bool holds) {
    if (!o || is_dull(o, at)) return;
    outcome_seen(o, at, holds ? 2 : 1);
    int i = 0;
    while (i < o->compareds && o->compared[i].at != at) i++;
    if (i == COMPAREDS_MAX) return;
    Compared *c = &o->compared[i];
    if (i == o->compareds) o->compareds++, *c = (Compared){.at = at, .value = {left, right}};
    c->moved[0] |= c->value[0] != left;
    c->moved[1] |= c->value[1] != right;
    c->value[0] = left;
    c->value[1] = right;
    c->sides |= holds ? 2 : 1;
    c->runs += c->runs == 0 || c->run != o->run;
    c->run = o->run;
}

void outcome_number(Outcomes *o, int64_t x) {
    if (!o || o->numbers == OUTCOME_NUMBERS_MAX) return;
    for (int i = 0; i < o->numbers; i++)
        if (o->number[i] == x) return;
    o->number[o->numbers++] = x;
}
