#include "text/bpe.h"

enum { SHORT = 48 }; // up to here, looking at all ranks again after each merge is faster than a heap
static const uint32_t no_rank = UINT32_MAX;

void bpe_start(BpeRun *r, const Tokenizer *t, Arena *scratch, size_t text_bytes) {
    size_t slots = 64;
    while (slots < text_bytes / 4 && slots < 16384) slots *= 2;
    *r = (BpeRun){.t = t, .scratch = scratch, .memo_mask = slots - 1, .room = text_bytes / 3 + 16};
    r->memo = NEWN(scratch, PieceMemo, slots);
    r->id = arena_raw(scratch, r->room * sizeof *r->id, _Alignof(int32_t));
}

static void make_room(BpeRun *r, size_t more) {
    if (r->room - r->count >= more) return;
    r->room = 2 * r->room + more;
    int32_t *id = arena_raw(r->scratch, r->room * sizeof *id, _Alignof(int32_t));
    memcpy(id, r->id, r->count * sizeof *id);
    r->id = id;
}

void bpe_put(BpeRun *r, int32_t id) {
    make_room(r, 1);
    r->id[r->count++] = id;
}

static uint32_t rank_of(const Tokenizer *t, int32_t left, int32_t right, int32_t *becomes) {
    const Merge *m = vocab_merge(t, left, right);
    if (!m) return no_rank;
    *becomes = m->id;
    return m->rank;
}

// id: the ids of the bytes; merged in place. Returns how many are left.
static size_t merge_short(const Tokenizer *t, int32_t *id, size_t n) {
    uint32_t rank[SHORT];
    int32_t becomes[SHORT];
    for (size_t i = 0; i + 1 < n; i++) rank[i] = rank_of(t, id[i], id[i + 1], &becomes[i]);
    while (n > 1) {
        size_t best = 0;
        for (size_t i = 1; i + 1 < n; i++)
            if (rank[i] < rank[best]) best = i;
        if (rank[best] == no_rank) break;
        id[best] = becomes[best];
        n--;
        for (size_t i = best + 1; i < n; i++) id[i] = id[i + 1];
        for (size_t i = best + 1; i + 1 < n; i++) rank[i] = rank[i + 1], becomes[i] = becomes[i + 1];
        if (best + 1 < n) rank[best] = rank_of(t, id[best], id[best + 1], &becomes[best]);
        if (best) rank[best - 1] = rank_of(t, id[best - 1], id[best], &becomes[best - 1]);
    }
    return n;
}

// A heap of (rank, place), smallest first; entries that no longer hold stay until they surface.
typedef struct {
    uint64_t *at;
    size_t n;
} Heap;

static void heap_push(Heap *h, uint64_t x) {
    size_t i = h->n++;
    for (; i && h->at[(i - 1) / 2] > x; i = (i - 1) / 2) h->at[i] = h->at[(i - 1) / 2];
    h->at[i] = x;
}

static uint64_t heap_pop(Heap *h) {
    uint64_t top = h->at[0], x = h->at[--h->n];
    size_t i = 0;
    for (size_t c; (c = 2 * i + 1) < h->n; i = c) {
        if (c + 1 < h->n && h->at[c + 1] < h->at[c]) c++;
        if (h->at[c] >= x) break;
        h->at[i] = h->at[c];
    }
    h->at[i] = x;
    return top;
}

typedef struct {
    int32_t next, before; // symbols; -1: none
    uint32_t rank;        // of the pair that begins here; no_rank: it does not merge, or the symbol is gone
    int32_t becomes;
} Link;

static void link_pair(const Tokenizer *t, const int32_t *id, Link *l, int32_t i, Heap *h) {
    l[i].rank = l[i].next < 0 ? no_rank : rank_of(t, id[i], id[l[i].next], &l[i].becomes);
    if (l[i].rank != no_rank) heap_push(h, (uint64_t)l[i].rank << 32 | (uint32_t)i);
}

static size_t merge_long(Arena *scratch, const Tokenizer *t, int32_t *id, size_t n) {
    Link *l = arena_raw(scratch, n * sizeof *l, _Alignof(Link));
    Heap h = {arena_raw(scratch, 3 * n * sizeof *h.at, _Alignof(uint64_t)), 0}; // two new ones a merge
    for (int32_t i = 0; (size_t)i < n; i++) l[i] = (Link){(size_t)i + 1 < n ? i + 1 : -1, i - 1, no_rank, 0};
    for (int32_t i = 0; (size_t)i < n; i++) link_pair(t, id, l, i, &h);
    while (h.n) {
        uint64_t top = heap_pop(&h);
        int32_t i = (int32_t)(uint32_t)top;
        if (l[i].rank != top >> 32) continue;
        int32_t gone = l[i].next;
        id[i] = l[i].becomes;
        l[gone].rank = no_rank;
        l[i].next = l[gone].next;
        if (l[i].next >= 0) l[l[i].next].before = i;
        link_pair(t, id, l, i, &h);
        if (l[i].before >= 0) link_pair(t, id, l, l[i].before, &h);
    }
    size_t kept = 0;
    for (int32_t i = 0; i >= 0; i = l[i].next) id[kept++] = id[i];
    return kept;
}

bool bpe_piece(BpeRun *r, Str piece, Err *e) {
    const Tokenizer *t = r->t;
    const uint8_t *p = (const uint8_t *)piece.p;
    if (!piece.len) return true;
    PieceMemo *memo = NULL;
    uint64_t hash = 0;
    if (piece.len <= sizeof memo->key) {
        hash = vocab_hash(p, piece.len, t->salt);
        memo = &r->memo[(hash >> 16) & r->memo_mask];
        if (memo->hash == hash && memo->length == piece.len && memcmp(memo->key, p, piece.len) == 0) {
            make_room(r, sizeof memo->id / sizeof *memo->id);
            memcpy(r->id + r->count, memo->id, sizeof memo->id); // more than counts: a fixed size is faster
            r->count += memo->count;
            return true;
        }
    }
    make_room(r, piece.len);
    int32_t *id = r->id + r->count;
    size_t n = piece.len;
    int32_t whole = t->ignore_merges ? vocab_whole(t, p, n) : -1;
    if (whole >= 0) {
        id[0] = whole;
        n = 1;
    } else {
        for (size_t i = 0; i < n; i++) {
            id[i] = t->byte_id[p[i]];
            if (id[i] < 0)
                return err_set(e, ERR_INPUT, "%s: the vocabulary has no token for the byte 0x%02x", t->name,
                               p[i]);
        }
        ArenaMark mark = arena_mark(r->scratch);
        n = n <= SHORT ? merge_short(t, id, n) : merge_long(r->scratch, t, id, n);
        arena_reset(r->scratch, mark);
    }
    r->count += n;
    if (memo && n <= sizeof memo->id / sizeof *memo->id) {
        memo->hash = hash;
        memo->length = (uint8_t)piece.len;
        memo->count = (uint8_t)n;
        memcpy(memo->key, p, piece.len);
        memcpy(memo->id, id, n * sizeof *id);
    }
    return true;
}
