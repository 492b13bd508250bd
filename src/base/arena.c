#include "base/arena.h"
#include "base/build.h"
#include <assert.h>
#include <malloc.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

// AddressSanitizer's shadow describes groups of eight bytes by the length of their usable prefix, so an
// allocation has to start on such a group for its first unusable byte to be known exactly.
#if BUILD_ASAN
#include <sanitizer/asan_interface.h>
#define HIDE(p, n) __asan_poison_memory_region((p), (n))
#define SHOW(p, n) __asan_unpoison_memory_region((p), (n))
enum { RED_ZONE = 16, ALIGN_MIN = 8 };
#else
#define HIDE(p, n) ((void)(p), (void)(n))
#define SHOW(p, n) ((void)(p), (void)(n))
enum { RED_ZONE = 0, ALIGN_MIN = 1 };
#endif

struct ArenaBlock {
    ArenaBlock *below;
    size_t size, used; // bytes of data; a red zone comes before the first piece, too
    size_t whole;      // of a fixed one: its size before anything was taken from its end
    _Alignas(max_align_t) unsigned char data[];
};

enum {
    BLOCK_FIRST = 32 << 10,
    BLOCK_LARGEST = 4 << 20,
    BLOCK_MAPPED = 32 << 20,
    PAGE = 4096,
    LARGE_PAGE = 2 << 20,
    AHEAD = 64 << 20
};
static const size_t request_max = PTRDIFF_MAX / 4;

// By default malloc maps large blocks and unmaps them when they are freed, so that the next owner pays for
// every page again: for arenas that come and go, more than for what they hold.
void arena_keep_pages(void) {
    enum { KEPT = 256 << 20 };
    mallopt(M_MMAP_THRESHOLD, BLOCK_MAPPED); // the largest that glibc takes
    mallopt(M_TRIM_THRESHOLD, KEPT);
    mallopt(M_TOP_PAD, AHEAD);
    // One heap: of several, each keeps the most that its threads ever needed, all at different times.
    mallopt(M_ARENA_MAX, 1);
}
// Blocks of arenas that hold much: in large pages, of which there are few to pay for. What is larger than
// malloc keeps is mapped each time. Pages behind the block are asked for as well: malloc notes the size of
// what is free there as soon as it has cut off the next block, and where one small page is, no large one
// comes.
static void block_in_large_pages(ArenaBlock *b) {
    uintptr_t from = (uintptr_t)b & ~(uintptr_t)(LARGE_PAGE - 1);
    uintptr_t to = ((uintptr_t)b->data + b->size + AHEAD) & ~(uintptr_t)(LARGE_PAGE - 1);
    (void)madvise((void *)from, to - from, MADV_HUGEPAGE); // a hint, wherever the heap ends
}
void arena_give_back(void) { malloc_trim(0); }

static _Noreturn void arena_is_full(Arena *a, size_t bytes) {
    if (a->on_full) a->on_full(a->on_full_arg);
    fprintf(stderr, "out of memory: %zu more bytes after %zu\n", bytes, a->total);
    abort();
}

// Red zones between what was handed out are nobody's business here: bytes are read and cleared as they lie.
#if BUILD_ASAN
#define BYTES_AS_THEY_LIE __attribute__((no_sanitize("address")))
#else
#define BYTES_AS_THEY_LIE
#endif
// A half of an address that once lay there would look like a whole one together with what comes before it
// (arena_points_behind).
BYTES_AS_THEY_LIE static void bytes_clear(unsigned char *p, size_t n) {
    for (size_t i = 0; i < n; i++) *(volatile unsigned char *)(p + i) = 0;
}

// Space for `bytes` and its red zone in the block, or NULL. Changes nothing but the block.
static void *block_take(ArenaBlock *b, size_t bytes, size_t align) {
    uintptr_t base = (uintptr_t)b->data;
    size_t at = (size_t)(((base + b->used + align - 1) & ~(uintptr_t)(align - 1)) - base);
    if (at > b->size || b->size - at < bytes + RED_ZONE) return NULL;
    bytes_clear(b->data + b->used, at - b->used);
    bytes_clear(b->data + at + bytes, RED_ZONE);
    b->used = at + bytes + RED_ZONE;
    SHOW(b->data + at, bytes);
    return b->data + at;
}

#if BUILD_TSAN || BUILD_ASAN
// Sanitizers map each large block anew, and then pay for its pages and for their own again: arenas that come
// and go would spend a third of a test there. So blocks are kept, the oldest goes first, and AddressSanitizer
// hides what is in them: whoever writes to a dropped arena is found as in what is freed. Whoever finds the
// list taken goes without it, so that a child forked meanwhile does not wait for ever.
enum { KEPT_BLOCKS = 24, KEPT_LARGEST = BUILD_TSAN ? 1 << 30 : 16 << 20 };
static atomic_flag kept_taken = ATOMIC_FLAG_INIT;
static ArenaBlock *kept_block[KEPT_BLOCKS]; // the oldest first
static int kept_blocks;

static ArenaBlock *kept_remove(int i) {
    ArenaBlock *b = kept_block[i];
    kept_blocks--;
    for (; i < kept_blocks; i++) kept_block[i] = kept_block[i + 1];
    return b;
}

static ArenaBlock *block_kept(size_t size) {
    ArenaBlock *found = NULL;
    if (atomic_flag_test_and_set(&kept_taken)) return NULL;
    for (int i = 0; i < kept_blocks && !found; i++)
        if (kept_block[i]->size >= size && kept_block[i]->size / 2 <= size) found = kept_remove(i);
    atomic_flag_clear(&kept_taken);
    return found;
}

static void block_free(ArenaBlock *b) {
    if (b->size <= KEPT_LARGEST && !atomic_flag_test_and_set(&kept_taken)) {
        ArenaBlock *oldest = kept_blocks == KEPT_BLOCKS ? kept_remove(0) : NULL;
        HIDE(b->data, b->size);
        kept_block[kept_blocks++] = b;
        b = oldest;
        atomic_flag_clear(&kept_taken);
    }
    if (!b) return;
    SHOW(b->data, b->size);
    free(b);
}
#else
static ArenaBlock *block_kept(size_t size) {
    (void)size;
    return NULL;
}
static void block_free(ArenaBlock *b) { free(b); }
#endif

static ArenaBlock *block_new(Arena *a, size_t need) {
    if (a->spare && a->spare->size >= need) {
        ArenaBlock *b = a->spare;
        a->spare = NULL;
        return b;
    }
    size_t size = a->top && a->top->size > BLOCK_FIRST / 2 ? a->top->size * 2 : BLOCK_FIRST;
    if (size > BLOCK_LARGEST) size = BLOCK_LARGEST;
    if (size < need) size = need;
    ArenaBlock *b = block_kept(size);
    if (!b) {
        b = malloc(sizeof *b + size);
        if (!b) return NULL;
        b->size = size;
        if (size >= BLOCK_LARGEST) block_in_large_pages(b);
    }
    b->used = RED_ZONE;
    HIDE(b->data, b->size);
    return b;
}

// A loop that marks and resets would otherwise give its block back and ask for it again each time round.
static void block_drop(Arena *a, ArenaBlock *b) {
    if (b->size <= BLOCK_LARGEST && (!a->spare || a->spare->size < b->size)) {
        ArenaBlock *old = a->spare;
        b->used = RED_ZONE;
        HIDE(b->data, b->size);
        a->spare = b;
        b = old;
    }
    if (b) block_free(b);
}

#if BUILD_ASAN
static struct {
    char *at;
    size_t bytes;
} hidden_before;

// Whole pages of the shadow that describe nothing else.
typedef struct {
    char *at;
    size_t bytes; // 0: there is none
} Shadow;
static Shadow shadow_of(const char *at, size_t bytes) {
    size_t scale, offset;
    __asan_get_shadow_mapping(&scale, &offset);
    uintptr_t from = (((uintptr_t)at >> scale) + offset + PAGE - 1) & ~(uintptr_t)(PAGE - 1),
              to = ((((uintptr_t)at + bytes) >> scale) + offset) & ~(uintptr_t)(PAGE - 1);
    return (Shadow){(char *)from, to > from ? to - from : 0};
}

void arena_hide(void *memory, size_t bytes) {
    enum { MOST = 1 << 30 };
    if (bytes > MOST) bytes = MOST;
    if (hidden_before.at != memory) hidden_before.at = memory, hidden_before.bytes = 0;
    if (bytes <= hidden_before.bytes) return;
    char *from = hidden_before.at + hidden_before.bytes;
    size_t more = bytes - hidden_before.bytes;
    Shadow s = shadow_of(from, more);
    if (s.bytes) (void)madvise(s.at, s.bytes, MADV_HUGEPAGE); // a hint
    HIDE(from, more);
    hidden_before.bytes = bytes;
}

void arena_show(void *memory, size_t bytes) {
    size_t scale, offset;
    __asan_get_shadow_mapping(&scale, &offset);
    // Pages of the shadow that are dropped are zero when they are read again: nothing is hidden.
    Shadow s = shadow_of(memory, bytes);
    if (!s.bytes || madvise(s.at, s.bytes, MADV_DONTNEED) != 0) {
        SHOW(memory, bytes);
        return;
    }
    char *from = (char *)(((uintptr_t)s.at - offset) << scale), *to = from + (s.bytes << scale);
    SHOW(memory, (size_t)(from - (char *)memory));
    SHOW(to, (size_t)((char *)memory + bytes - to));
}

// What is hidden still need not be hidden again: both ends tell, since whoever has used it has begun there.
static void hide(char *p, size_t n) {
    size_t part = 0;
    if (hidden_before.at && p >= hidden_before.at && p < hidden_before.at + hidden_before.bytes) {
        part = (size_t)(hidden_before.at + hidden_before.bytes - p);
        if (part > n) part = n;
        if (!__asan_address_is_poisoned(p) || !__asan_address_is_poisoned(p + part - 1)) part = 0;
    }
    HIDE(p + part, n - part);
}
#else
void arena_hide(void *memory, size_t bytes) { (void)memory, (void)bytes; }
void arena_show(void *memory, size_t bytes) { (void)memory, (void)bytes; }
static void hide(const void *p, size_t n) { (void)p, (void)n; }
#endif

// What a block over this memory has for data, its first red zone included; 0 when it is too small for any.
static size_t block_room(const void *memory, size_t bytes, size_t *skip) {
    *skip = (size_t)(-(uintptr_t)memory & (uintptr_t)(_Alignof(ArenaBlock) - 1));
    size_t head = *skip + sizeof(ArenaBlock);
    return bytes < head + RED_ZONE ? 0 : bytes - head;
}

// NULL when the memory is too small to hold anything.
static ArenaBlock *block_over(void *memory, size_t bytes) {
    size_t skip, room = block_room(memory, bytes, &skip);
    if (!room) return NULL;
    ArenaBlock *b = (ArenaBlock *)((char *)memory + skip);
    SHOW(b, sizeof *b);
    *b = (ArenaBlock){.size = room, .used = RED_ZONE, .whole = room};
    hide((char *)b->data, b->size);
    return b;
}

void arena_over(Arena *a, void *memory, size_t bytes) {
    *a = (Arena){.fixed = true, .top = block_over(memory, bytes)};
}

void arena_reserve(Arena *a, void *memory, size_t bytes) {
    assert(a->fixed && !a->reserve);
    a->reserve = memory;
    a->reserve_bytes = bytes;
    hide(memory, bytes);
}

static ArenaBlock *reserve_take(Arena *a) {
    if (!a->reserve || a->reserve_taken) return NULL;
    a->reserve_taken = true;
    return block_over(a->reserve, a->reserve_bytes);
}

void *arena_raw(Arena *a, size_t bytes, size_t align) {
    assert(align && (align & (align - 1)) == 0);
    if (align < ALIGN_MIN) align = ALIGN_MIN;
    if (bytes > request_max || align > request_max) arena_is_full(a, bytes);
    void *p = a->top ? block_take(a->top, bytes, align) : NULL;
    if (!p) {
        ArenaBlock *b = a->fixed ? reserve_take(a) : block_new(a, bytes + align + 2 * RED_ZONE);
        if (!b) arena_is_full(a, bytes);
        b->below = a->top;
        a->top = b;
        p = block_take(b, bytes, align);
        if (!p) arena_is_full(a, bytes);
    }
    a->total += bytes;
    if (a->total > a->peak) a->peak = a->total;
#if BUILD_ASAN
    memset(p, 0xa5, bytes); // whoever reads before writing shall notice
#endif
    return p;
}

void *arena_raw_end(Arena *a, size_t bytes, size_t align) {
    assert(align && (align & (align - 1)) == 0);
    if (align < ALIGN_MIN) align = ALIGN_MIN;
    ArenaBlock *b = a->top;
    if (!a->fixed || !b || bytes > request_max || align > request_max) return arena_raw(a, bytes, align);
    size_t room = b->size - b->used, lost = align - 1 + RED_ZONE;
    if (room < lost || room - lost < bytes) return arena_raw(a, bytes, align);
    uintptr_t base = (uintptr_t)b->data;
    size_t at = (size_t)(((base + b->size - RED_ZONE - bytes) & ~(uintptr_t)(align - 1)) - base);
    b->size = at;
    a->total += bytes;
    if (a->total > a->peak) a->peak = a->total;
    SHOW(b->data + at, bytes);
#if BUILD_ASAN
    memset(b->data + at, 0xa5, bytes);
#endif
    return b->data + at;
}

void *arena_alloc(Arena *a, size_t count, size_t size, size_t align) {
    size_t bytes;
    if (__builtin_mul_overflow(count, size, &bytes)) arena_is_full(a, SIZE_MAX);
    return memset(arena_raw(a, bytes, align), 0, bytes);
}

void *arena_more(Arena *a, const void *list, size_t n, size_t cap, size_t size, size_t align) {
    size_t bytes;
    assert(n <= cap);
    if (__builtin_mul_overflow(cap, size, &bytes)) arena_is_full(a, SIZE_MAX);
    void *p = arena_raw(a, bytes, align);
    if (n) memcpy(p, list, n * size);
    return p;
}

char *arena_strndup(Arena *a, const char *s, size_t n) {
    if (n >= request_max) arena_is_full(a, n);
    char *p = arena_raw(a, n + 1, 1);
    if (n) memcpy(p, s, n);
    p[n] = 0;
    return p;
}

char *arena_printf(Arena *a, const char *fmt, ...) {
    char text[256];
    va_list ap;
    va_start(ap, fmt);
    int n = vsnprintf(text, sizeof text, fmt, ap);
    va_end(ap);
    assert(n >= 0);
    if ((size_t)n < sizeof text) return arena_strndup(a, text, (size_t)n);
    char *p = arena_raw(a, (size_t)n + 1, 1);
    va_start(ap, fmt);
    vsnprintf(p, (size_t)n + 1, fmt, ap);
    va_end(ap);
    return p;
}

size_t arena_left(const Arena *a) {
    if (!a->fixed) return SIZE_MAX;
    size_t lost = RED_ZONE + _Alignof(max_align_t) - 1;
    size_t left = a->top ? a->top->size - a->top->used : 0;
    if (a->reserve && !a->reserve_taken) {
        size_t skip, room = block_room(a->reserve, a->reserve_bytes, &skip);
        if (room && room - RED_ZONE > left) left = room - RED_ZONE;
    }
    return left > lost ? left - lost : 0;
}

ArenaMark arena_mark(const Arena *a) {
    return (ArenaMark){a->top, a->top ? a->top->used : 0, a->top ? a->top->size : 0, a->total};
}

void arena_reset(Arena *a, ArenaMark m) {
    while (a->top != m.top) {
        // Else the mark is of another arena, or older than the last reset.
        assert(a->top && (!a->fixed || a->reserve_taken));
        ArenaBlock *b = a->top;
        a->top = b->below;
        if (!a->fixed) {
            block_drop(a, b);
            continue;
        }
        HIDE(b->data, b->whole);
        a->reserve_taken = false;
    }
    a->total = m.total;
    if (!a->top) return;
    assert(m.used <= a->top->used);
    HIDE(a->top->data + m.used, a->top->used - m.used); // what lies beyond is hidden already
    a->top->used = m.used;
    HIDE(a->top->data + a->top->size, m.size - a->top->size);
    a->top->size = m.size;
}

BYTES_AS_THEY_LIE static void bytes_copy(unsigned char *to, const unsigned char *from, size_t n) {
#if BUILD_ASAN
    for (size_t i = 0; i < n; i++) // no memcpy of a compiler's
        *(volatile unsigned char *)(to + i) = *(const volatile unsigned char *)(from + i);
#else
    memcpy(to, from, n);
#endif
}
BYTES_AS_THEY_LIE static bool bytes_same(const unsigned char *a, const unsigned char *b, size_t n) {
#if BUILD_ASAN
    for (size_t i = 0; i < n; i++)
        if (a[i] != *(const volatile unsigned char *)(b + i)) return false;
    return true;
#else
    return memcmp(a, b, n) == 0;
#endif
}

bool arena_copy(Arena *a, ArenaMark since, size_t most, ArenaCopy *out) {
    *out = (ArenaCopy){0};
    if (a->top != since.top || !a->top) return a->top == since.top;
    size_t n = a->top->used - since.used;
    if (n > most || arena_left(a) < n) return false;
    const unsigned char *at = a->top->data + since.used;
    unsigned char *copy = arena_raw(a, n, 1);
    bytes_copy(copy, at, n);
    *out = (ArenaCopy){at, copy, n};
    return true;
}

bool arena_copy_same(const ArenaCopy *c) { return c->bytes == 0 || bytes_same(c->copy, c->at, c->bytes); }

void arena_copy_back(const ArenaCopy *c) {
    if (c->bytes) bytes_copy((unsigned char *)(uintptr_t)c->at, c->copy, c->bytes);
}

// Of `x - lo < hi - lo` only subtractions and the highest bit, which every vector unit has; a comparison of
// 64 bits is none of SSE2's. The highest bit of (d - range) & ~d says whether d is below the range, which is
// far below 2^63 here.
BYTES_AS_THEY_LIE static bool words_point(const unsigned char *from, size_t bytes, uintptr_t lo,
                                          uintptr_t hi) {
    uintptr_t below = 0, range = hi - lo;
    for (size_t i = 0; i + sizeof(uintptr_t) <= bytes; i += sizeof(uintptr_t)) {
        uintptr_t x;
        __builtin_memcpy(&x, from + i, sizeof x);
        x -= lo;
        below |= (x - range) & ~x;
    }
    return below >> 63;
}

bool arena_points_behind(const Arena *a, ArenaMark m, const ArenaPiece *no_pointers, int n) {
    enum { WORD = sizeof(uintptr_t) };
    if (!a->fixed || a->top != m.top || !a->top || a->top->below) return true;
    const unsigned char *data = a->top->data;
    uintptr_t lo = (uintptr_t)data + m.used, hi = (uintptr_t)data + m.size;
    size_t from = 0;
    for (int i = 0; i < n; i++) {
        size_t at = (size_t)((uintptr_t)no_pointers[i].at - (uintptr_t)data);
        // Of a word that only begins or ends in the piece, the rest is looked at, too.
        size_t to = (at + WORD - 1) & ~(size_t)(WORD - 1);
        if (at > m.used || no_pointers[i].bytes > m.used - at || to < from) continue;
        if (words_point(data + from, to - from, lo, hi)) return true;
        from = (at + no_pointers[i].bytes) & ~(size_t)(WORD - 1);
        if (from < to) from = to;
    }
    return from < m.used && words_point(data + from, m.used - from, lo, hi);
}

void arena_free(Arena *a) {
    if (a->fixed && a->top) { // the memory is the caller's again
        SHOW(a->top->data, a->top->whole);
        if (a->top->below) SHOW(a->top->below->data, a->top->below->whole);
        if (a->reserve) SHOW(a->reserve, a->reserve_bytes);
        *a = (Arena){.fixed = true};
        return;
    }
    for (ArenaBlock *b = a->top, *below; b; b = below) {
        below = b->below;
        block_free(b);
    }
    if (a->spare) block_free(a->spare);
    a->top = a->spare = NULL;
    a->total = 0;
}
