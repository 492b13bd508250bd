#include "cases/case_memory.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "cases/draw.h"

enum { LISTS = 64 };

// All that inputs hang on beside domain and seed. Without padding: keys are compared as bytes.
typedef struct {
    int64_t dim[OP_DIMS_MAX];
    uint64_t strided;
    int64_t row_stride, first_line;
    uint32_t place;
    int32_t dtype, over;
    uint32_t ways; // hidden, negated, wide, flat
} Key;
_Static_assert(sizeof(Key) == (OP_DIMS_MAX + 3) * sizeof(int64_t) + 4 * sizeof(int32_t), "no padding");

typedef struct Kept Kept;
struct Kept {
    Kept *next;
    Key key;
    const uint8_t *inputs; // one behind the other
    const Bound *answer;
};

struct CaseMemory {
    const Domain *domain;
    uint64_t seed;
    pthread_mutex_t lock; // of all below; what is kept does not change
    Arena arena;
    int64_t bytes;
    Kept *list[LISTS];
};

static atomic_llong limit = (long long)128 << 20, held, found;

CaseMemory *case_memory_open(const Domain *m, uint64_t seed) {
    CaseMemory *c = calloc(1, sizeof *c);
    if (!c) abort();
    c->domain = m;
    c->seed = seed;
    pthread_mutex_init(&c->lock, NULL);
    return c;
}

void case_memory_close(CaseMemory *c) {
    if (!c) return;
    atomic_fetch_sub(&held, c->bytes);
    pthread_mutex_destroy(&c->lock);
    arena_free(&c->arena);
    free(c);
}

void case_memory_limit(int64_t bytes) { atomic_store(&limit, bytes); }

int64_t case_memory_found(void) { return atomic_load(&found); }

bool case_memory_fits(const CaseMemory *c, const Domain *m, uint64_t seed) {
    return c && c->domain == m && c->seed == seed;
}

// Values that are somebody's own, and cases that are made of other ones, are nobody else's.
static bool has_key(const PlannedCase *p, Key *k) {
    *k = (Key){.strided = p->strided,
               .row_stride = p->row_stride,
               .first_line = p->first_line,
               .place = p->place,
               .dtype = (int32_t)p->dtype,
               .over = p->over,
               .ways = p->hidden | p->negated << 1 | p->wide << 2 | p->flat << 3};
    memcpy(k->dim, p->dim, sizeof k->dim);
    return p->place && !p->written && !p->twin && !p->relation && !p->as_case && !p->skip && !p->extremes;
}

static Kept *find(const CaseMemory *c, const Key *k) {
    Kept *e = c->list[k->place % LISTS];
    while (e && memcmp(&e->key, k, sizeof *k) != 0) e = e->next;
    return e;
}

const Bound *case_memory_find(CaseMemory *c, const PlannedCase *p, const CaseSpec *spec, uint8_t *map) {
    Key k;
    if (!has_key(p, &k)) return NULL;
    pthread_mutex_lock(&c->lock);
    const Kept *e = find(c, &k);
    pthread_mutex_unlock(&c->lock);
    if (!e) return NULL;
    atomic_fetch_add(&found, 1);
    const uint8_t *from = e->inputs;
    for (int i = 0; i < spec->inputs; i++) {
        memcpy(map + spec->input[i].at, from, (size_t)spec->input[i].bytes);
        from += spec->input[i].bytes;
    }
    return e->answer;
}

static int64_t input_bytes(const CaseSpec *spec) {
    int64_t n = 0;
    for (int i = 0; i < spec->inputs; i++) n += spec->input[i].bytes;
    return n;
}

static int64_t bytes_of(const CaseSpec *spec, const Bound *answer) {
    return input_bytes(spec) + answer_numel(answer) * 2 * (int64_t)sizeof(double);
}

// Room is taken before anything is copied: threads together do not pass the limit.
static bool has_room(int64_t bytes) {
    if (atomic_fetch_add(&held, bytes) + bytes <= atomic_load(&limit)) return true;
    atomic_fetch_sub(&held, bytes);
    return false;
}

static const uint8_t *inputs_of(Arena *a, const CaseSpec *spec, const uint8_t *map) {
    uint8_t *all = arena_raw(a, (size_t)input_bytes(spec) + 1, 64), *to = all;
    for (int i = 0; i < spec->inputs; i++) {
        memcpy(to, map + spec->input[i].at, (size_t)spec->input[i].bytes);
        to += spec->input[i].bytes;
    }
    return all;
}

const Bound *case_memory_put(CaseMemory *c, const PlannedCase *p, const CaseSpec *spec, const uint8_t *map,
                             const Bound *answer) {
    Key k;
    if (!has_key(p, &k)) return NULL;
    pthread_mutex_lock(&c->lock);
    Kept *e = find(c, &k); // another thread may have been faster
    int64_t bytes = bytes_of(spec, answer);
    if (!e && has_room(bytes)) {
        c->bytes += bytes;
        e = NEW(&c->arena, Kept);
        *e = (Kept){.next = c->list[k.place % LISTS],
                    .key = k,
                    .inputs = inputs_of(&c->arena, spec, map),
                    .answer = draw_keep(&c->arena, answer)};
        c->list[k.place % LISTS] = e;
    }
    pthread_mutex_unlock(&c->lock);
    return e ? e->answer : NULL;
}
