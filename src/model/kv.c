#include "model/kv.h"
#include <assert.h>
#include <sys/mman.h>
#include <unistd.h>

static size_t element_of(KvType type) { return type == KV_F16 ? sizeof(uint16_t) : sizeof(float); }
static int padded_of(int dim) { return (dim + 15) / 16 * 16; }

static size_t page_bytes_of(const ModelConfig *c, KvType type) {
    size_t heads = (size_t)c->layers * (size_t)c->kv_heads;
    return heads * KV_PAGE * (size_t)(c->head_dim + padded_of(c->head_dim)) * element_of(type);
}

// A sequence begins inside a page that it had to copy, and ends inside another.
static int64_t pages_of(int sequences, int64_t positions) {
    return (positions + KV_PAGE - 1) / KV_PAGE + 2 * (int64_t)sequences;
}

size_t kv_bytes(const ModelConfig *c, KvType type, int sequences, int64_t positions) {
    return (size_t)pages_of(sequences, positions) * page_bytes_of(c, type);
}

static bool memory_map(Kv *kv, Err *e) {
    // Pages cost when they are touched: what the machine does not have would end the program then.
    size_t machine = (size_t)sysconf(_SC_PHYS_PAGES) * (size_t)sysconf(_SC_PAGESIZE);
    if (kv->bytes <= machine) {
        void *at = mmap(NULL, kv->bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        kv->memory = at == MAP_FAILED ? NULL : at;
    }
    if (kv->memory) return true;
    return err_set(e, ERR_LIMIT,
                   "%zu MiB are more than this machine gives; fewer drafts at once, fewer tokens, or f16 "
                   "(--kv) need less",
                   kv->bytes >> 20);
}

bool kv_open(const Model *m, KvType type, int sequences, int64_t positions, Kv **out, Err *e) {
    const ModelConfig *c = model_config(m);
    enum { PAGES_MAX = 1 << 24 };
    if (sequences < 1 || positions < 1 || pages_of(sequences, positions) > PAGES_MAX)
        return err_set(e, ERR_LIMIT, "a cache of %d sequences with %lld positions is beyond what can be held",
                       sequences, (long long)positions);
    Arena a = {0};
    Kv *kv = NEW(&a, Kv);
    *kv = (Kv){.type = type,
               .layers = c->layers,
               .heads = c->kv_heads,
               .dim = c->head_dim,
               .padded = padded_of(c->head_dim),
               .element = element_of(type),
               .page_bytes = page_bytes_of(c, type),
               .sequences = sequences,
               .pages = (int)pages_of(sequences, positions),
               .context = c->context};
    kv->block = (size_t)(kv->dim + kv->padded) * KV_PAGE * kv->element;
    kv->bytes = kv_bytes(c, type, sequences, positions);
    int64_t longest =
        ((int64_t)c->context + KV_PAGE - 1) / KV_PAGE; // a file may name the largest number there is
    kv->pages_max = longest < kv->pages ? (int)longest : kv->pages;
    if (!memory_map(kv, e)) {
        arena_free(&a);
        return err_ctx(e, "keys and values of %lld positions", (long long)positions);
    }
    madvise(kv->memory, kv->bytes, MADV_HUGEPAGE); // a wish: less walking of page tables where it is granted
    kv->sequence = NEWN(&a, KvSequence, (size_t)sequences);
    for (int s = 0; s < sequences; s++) kv->sequence[s].page = NEWN(&a, int, (size_t)kv->pages_max);
    kv->refs = NEWN(&a, int, (size_t)kv->pages);
    kv->idle = NEWN(&a, int, (size_t)kv->pages);
    for (int p = kv->pages; p-- > 0;) kv->idle[kv->idle_count++] = p; // the first one on top
    kv->arena = a;
    *out = kv;
    return true;
}

void kv_close(Kv *kv) {
    if (!kv) return;
    munmap(kv->memory, kv->bytes);
    Arena a = kv->arena; // holds kv itself
    arena_free(&a);
}

static int pages_in_use(const KvSequence *s) { return (s->length + KV_PAGE - 1) / KV_PAGE; }

int kv_length(const Kv *kv, int seq) {
    assert(seq >= 0 && seq < kv->sequences);
    return kv->sequence[seq].length;
}

static int page_take(Kv *kv) {
    int page = kv->idle[--kv->idle_count];
    kv->refs[page] = 1;
    return page;
}

static void page_release(Kv *kv, int page) {
    assert(kv->refs[page] > 0);
    if (--kv->refs[page] == 0) kv->idle[kv->idle_count++] = page;
}

void kv_drop(Kv *kv, int seq) {
    assert(seq >= 0 && seq < kv->sequences);
    KvSequence *s = &kv->sequence[seq];
    for (int i = pages_in_use(s); i-- > 0;) page_release(kv, s->page[i]);
    s->length = 0;
}

void kv_fork(Kv *kv, int from, int to) {
    assert(from >= 0 && from < kv->sequences && to >= 0 && to < kv->sequences && from != to);
    kv_drop(kv, to);
    KvSequence *f = &kv->sequence[from], *t = &kv->sequence[to];
    for (int i = 0; i < pages_in_use(f); i++) {
        t->page[i] = f->page[i];
        kv->refs[f->page[i]]++;
    }
    t->length = f->length;
}

void kv_undo(Kv *kv, const int *seq, int count, const KvPlace *place) {
    while (count-- > 0) {
        KvSequence *s = &kv->sequence[seq[count]];
        int slot = --s->length / KV_PAGE, before = place[count].before;
        if (before == PAGE_KEPT) continue;
        page_release(kv, s->page[slot]);
        if (before == PAGE_NEW) continue;
        s->page[slot] = before;
        kv->refs[before]++;
    }
}

static bool reserve_one(Kv *kv, KvSequence *s, KvPlace *place, Err *e) {
    if (s->length >= kv->context)
        return err_set(e, ERR_LIMIT, "the model was made for %d positions, and position %d was asked for",
                       kv->context, s->length);
    int slot = s->length / KV_PAGE;
    bool begins = s->length % KV_PAGE == 0;
    int before = begins ? PAGE_NEW : kv->refs[s->page[slot]] > 1 ? s->page[slot] : PAGE_KEPT;
    if (before != PAGE_KEPT) {
        if (!kv->idle_count || slot >= kv->pages_max)
            return err_set(e, ERR_LIMIT,
                           "the cache for keys and values is full: all %d pages of %d positions are in use",
                           kv->pages, KV_PAGE);
        s->page[slot] = page_take(kv);
        if (before >= 0) kv->refs[before]--; // others hold it, too
    }
    *place = (KvPlace){s->length++, s->page[slot], before};
    return true;
}

bool kv_reserve(Kv *kv, const int *seq, int count, KvPlace *place, Err *e) {
    for (int i = 0; i < count; i++) {
        assert(seq[i] >= 0 && seq[i] < kv->sequences);
        if (reserve_one(kv, &kv->sequence[seq[i]], &place[i], e)) continue;
        kv_undo(kv, seq, i, place);
        return false;
    }
    // All reads of shared pages before any write: the last holder of one may write into it in this step.
    for (int i = 0; i < count; i++)
        if (place[i].before >= 0)
            memcpy(kv->memory + (size_t)place[i].page * kv->page_bytes,
                   kv->memory + (size_t)place[i].before * kv->page_bytes, kv->page_bytes);
    return true;
}

void kv_write(Kv *kv, int layer, KvPlace place, const float *k, const float *v) {
    const AttentionLoops *loops = attention_loops();
    bool fit = true;
    size_t at = (size_t)place.position % KV_PAGE, dim = (size_t)kv->dim;
    for (int h = 0; h < kv->heads; h++, k += dim, v += dim) {
        // The cache is ours to write; the accessors are for readers.
        uint8_t *keys = (uint8_t *)(uintptr_t)kv_keys(kv, place.page, layer, h);
        uint8_t *values = (uint8_t *)(uintptr_t)kv_values(kv, place.page, layer, h);
        if (kv->type == KV_F32) {
            float *to = (float *)(void *)keys + at;
            for (size_t d = 0; d < dim; d++) to[d * KV_PAGE] = k[d];
            memcpy(values + at * (size_t)kv->padded * sizeof(float), v, dim * sizeof(float));
            continue;
        }
        uint16_t *to = (uint16_t *)(void *)keys + at;
        for (size_t d = 0; d < dim; d += 64) {
            uint16_t half[64];
            size_t n = dim - d < 64 ? dim - d : 64;
            fit &= loops->narrow(k + d, n, half);
            for (size_t i = 0; i < n; i++) to[(d + i) * KV_PAGE] = half[i];
        }
        fit &= loops->narrow(v, dim, (uint16_t *)(void *)values + at * (size_t)kv->padded);
    }
    if (!fit) atomic_store_explicit(&kv->beyond, true, memory_order_relaxed);
}
