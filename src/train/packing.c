#include "train/packing.h"
#include "base/numeric/rng.h"

void packing_open(Arena *a, Packing *p, const Document *at, int count, uint64_t seed) {
    *p = (Packing){.at = at, .count = count, .seed = seed, .ordered = -1};
    p->order = NEWN(a, int, (size_t)count);
}

static void order_make(Packing *p) {
    if (p->ordered == p->epoch) return;
    Rng r = rng_at(rng_mix(p->seed, 0x6f72646572), (uint64_t)p->epoch); // "order"
    for (int i = 0; i < p->count; i++) p->order[i] = i;
    for (int i = p->count; i-- > 1;) {
        int other = (int)rng_below(&r, (uint64_t)i + 1), was = p->order[i];
        p->order[i] = p->order[other];
        p->order[other] = was;
    }
    p->ordered = p->epoch;
}

// A step never holds documents of two epochs: so none twice.
const int *packing_take(Packing *p, int64_t tokens, int *n) {
    order_make(p);
    const int *from = p->order + p->place;
    int64_t sum = 0;
    for (*n = 0; p->place < p->count; p->place++, ++*n) {
        sum += p->at[p->order[p->place]].count;
        if (*n && sum > tokens) break;
    }
    if (p->place == p->count) p->place = 0, p->epoch++;
    return from;
}

static int first_learned(const Packing *p, const Document *d) { return p->whole ? 1 : d->prompt; }

int64_t packing_learned(const Packing *p, const int *document, int n) {
    int64_t sum = 0;
    for (int i = 0; i < n; i++) sum += p->at[document[i]].count - first_learned(p, &p->at[document[i]]);
    return sum;
}

TrainBatch packing_batch(Arena *a, const Packing *p, const int *document, int n) {
    size_t count = 0;
    for (int i = 0; i < n; i++) count += (size_t)p->at[document[i]].count;
    int32_t *token = NEWN(a, int32_t, count), *target = NEWN(a, int32_t, count);
    int *of = NEWN(a, int, count);
    float *weight = NEWN(a, float, count);
    size_t at = 0;
    for (int i = 0; i < n; i++) {
        const Document *d = &p->at[document[i]];
        for (int k = 0; k < d->count; k++, at++) {
            bool last = k + 1 == d->count;
            token[at] = d->token[k];
            of[at] = i;
            target[at] = last ? 0 : d->token[k + 1];
            weight[at] = !last && k + 1 >= first_learned(p, d) ? 1 : 0;
        }
    }
    return (TrainBatch){token, of, target, weight, (int)count, n};
}
