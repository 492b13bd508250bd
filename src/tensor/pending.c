// Bytes of a storage that come when somebody looks. Of a large answer whose rows are copies of a few
// (tile/vm/repeat.h) nobody looks at most of it, and clearing and copying it was most of such a shape's time.
#include <assert.h>

#include "base/arena.h"
#include "tensor/tensor.h"

enum {
    LARGE = 256 << 10, // of a smaller storage all is there from the beginning
    PIECE = 512,       // whoever looks gets so much at least, and where much is there
    PART = 8,          // one part of that
};

static size_t smaller_of(size_t x, size_t y) { return x < y ? x : y; }
static size_t larger_of(size_t x, size_t y) { return x > y ? x : y; }

// By a pointer of its own: as far as a compiler knows, a word that is set may be s->writer.
static void words_set(const Storage *s, size_t from, size_t to, uint32_t word) {
    size_t size = (size_t)dtype_bytes(s->dtype), first = from / size,
           end = to / size + (to == s->bytes); // one lies behind the end
    uint32_t *at = s->writer;
    if (!at || first >= end) return;
    if (word == 0) {
        memset(at + first, 0, (end - first) * sizeof *at);
        return;
    }
    for (size_t w = first; w < end; w++) at[w] = word;
}

// Fresh bytes are all ones: NaN in every float type, -1 in every integer. The shadow says that they may not
// be read; a value that gets past it should hurt.
static void put_new(const Storage *s, size_t from, size_t to) {
    memset(s->data + from, 0xff, to - from);
    memset(s->shadow + from, SHADOW_ALLOC, to - from);
    words_set(s, from, to, 0);
}

// Of the period that ends at byte `after`, which is there.
static void put_copies(const Storage *s, size_t after, size_t from, size_t to) {
    const uint8_t *first = s->data + after - s->period;
    size_t in = (from - after) % s->period;
    for (size_t at = from, n; at < to; at += n, in = 0) {
        n = smaller_of(s->period - in, to - at);
        memcpy(s->data + at, first + in, n);
    }
    if (s->shadow) memset(s->shadow + from, s->copied_flags, to - from);
    words_set(s, from, to, s->copied_by);
}

void storage_begin(Storage *s) {
    if (s->bytes < LARGE)
        put_new(s, 0, s->bytes);
    else
        s->gap_to = s->bytes;
}

static void bring(const Storage *s, size_t from, size_t to) {
    size_t copies = larger_of(from, smaller_of(to, s->copied));
    if (copies > from) put_copies(s, s->gap_from, from, copies);
    if (to > copies) put_new(s, copies, to);
}

// The gap stays one: all that lies before the bytes comes, too, or all behind, whichever is less.
void storage_fetch(Storage *s, size_t from, size_t to) {
    size_t more = (s->bytes - (s->gap_to - s->gap_from)) / PART,
           least = larger_of((from > more ? from - more : 0) / PIECE * PIECE, s->gap_from),
           most = smaller_of((to + more + PIECE - 1) / PIECE * PIECE, s->gap_to);
    assert(to <= s->bytes);
    if (most - s->gap_from <= s->gap_to - least) {
        bring(s, s->gap_from, most);
        s->gap_from = most;
    } else {
        bring(s, least, s->gap_to);
        s->gap_to = least;
    }
    if (s->gap_from == s->gap_to) s->gap_from = s->gap_to = s->copied = 0;
}

void storage_repeat(Storage *s, const Repetition *q) {
    size_t from = q->from;
    assert(from >= q->period && q->to >= from && q->to <= s->bytes && !s->read_only);
    if (s->copied > s->gap_from) storage_reach(s, 0, s->bytes); // copies of something else
    bool ahead = s->gap_from >= from && s->gap_to > from;
    s->period = q->period;
    s->copied_flags = q->flags;
    s->copied_by = q->writer;
    s->copied = ahead ? q->to : 0;
    s->steady_from = from - q->period;
    s->steady_to = q->to;
    put_copies(s, from, from, ahead ? smaller_of(q->to, s->gap_from) : q->to);
    if (ahead && s->gap_to < q->to) put_copies(s, from, s->gap_to, q->to);
}

bool storage_wrap_repeated(StorageTable *t, DType dtype, const void *data, size_t period, size_t bytes,
                           Storage **out) {
    enum { SLACK = 4096 }; // red zones and alignment of the arena
    assert(period > 0 && period < bytes);
    if (arena_left(t->arena) < bytes + SLACK || !storage_wrap_open(t, dtype, NULL, bytes, out)) return false;
    Storage *s = *out;
    s->data = memcpy(arena_raw(t->arena, bytes, 64), data, period);
    s->period = s->gap_from = period;
    s->copied = s->gap_to = s->steady_to = bytes;
    return true;
}

bool storage_repeats(const Storage *s, size_t period, size_t bytes) {
    // Copies of several periods, of which the first are there, and compared.
    if (s->gap_to == 0 || s->period == 0 || s->period % period || s->copied < smaller_of(s->gap_to, bytes) ||
        s->gap_from < s->period || memcmp(s->data + period, s->data, s->gap_from - period) != 0)
        return false;
    for (size_t at = s->gap_to, n; at < bytes; at += n) {
        n = smaller_of(period - at % period, bytes - at);
        if (memcmp(s->data + at, s->data + at % period, n) != 0) return false;
    }
    return true;
}
