// kv.h - inside of the cache (model.h has its outside): pages of KV_PAGE positions, counted references, and a
// table of pages for every sequence. A page holds all layers and heads of its positions, so that sharing,
// copying and giving back happen once for each page. The room is reserved when the cache is opened and never
// grows; untouched pages cost nothing.
#pragma once
#include <stdatomic.h>

#include "model/attention_simd.h"
#include "model/model.h"

typedef struct {
    int *page; // [pages_max] of this sequence; those up to its length are in use
    int length;
} KvSequence;

// Where the positions of one step go.
typedef struct {
    int position;
    int page;   // that this position is written to
    int before; // the page that it was copied from, or one of these
} KvPlace;
enum { PAGE_NEW = -1, PAGE_KEPT = -2 };

struct Kv {
    Arena arena;
    KvType type;
    int layers, heads, dim, padded;    // padded: dim rounded up to whole vectors of any width
    size_t element, block, page_bytes; // block: bytes of the keys and values of one head of one layer
    int sequences, pages, pages_max, context;
    KvSequence *sequence;
    int *refs; // [pages]
    int *idle; // stack of pages without references
    int idle_count;
    atomic_bool beyond; // kv_write was given what F16 does not hold; whoever asks puts it back
    uint8_t *memory;    // [pages][page_bytes], mapped
    size_t bytes;
};

// Finds room for the next positions of these sequences and copies pages that others still read. On failure
// nothing has changed; on success the lengths have grown, and every place must be written in every layer.
MUST_CHECK bool kv_reserve(Kv *kv, const int *seq, int count, KvPlace *place, Err *e);
// Takes back what the last kv_reserve gave.
void kv_undo(Kv *kv, const int *seq, int count, const KvPlace *place);
// The keys and values of one position: k and v are [heads][dim].
void kv_write(Kv *kv, int layer, KvPlace place, const float *k, const float *v);
// Keys [dim][KV_PAGE] and values [KV_PAGE][padded] of a head, as stored.
static inline const void *kv_keys(const Kv *kv, int page, int layer, int head) {
    return kv->memory + (size_t)page * kv->page_bytes + (size_t)(layer * kv->heads + head) * kv->block;
}
static inline const void *kv_values(const Kv *kv, int page, int layer, int head) {
    return (const uint8_t *)kv_keys(kv, page, layer, head) + (size_t)kv->dim * KV_PAGE * kv->element;
}
