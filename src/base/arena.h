// arena.h - memory with a lifetime instead of an owner.
// A function that allocates takes the Arena first, so its signature says so. What comes back is zeroed and
// lives until the arena is reset or freed. Freed space is poisoned under AddressSanitizer, and every
// allocation is followed by a red zone there. Two kinds: {0} grows by malloc; arena_over() works inside
// memory that the caller mapped and never grows (the referee's child, which may not ask the system for
// memory). Exhaustion calls `on_full`, or aborts without one: sizes are checked against limits at the input
// boundary (arena_left() tells what a fixed arena still holds).
#pragma once
#include "base/err.h"
#include <stddef.h>
#include <stdint.h>

typedef struct ArenaBlock ArenaBlock;
typedef struct {
    ArenaBlock *top;
    ArenaBlock *spare; // one dropped block, kept for the next growth
    bool fixed;        // arena_over: never grows beyond what it was given, never freed
    void *reserve;     // of a fixed one: what it goes on in when the first block is full
    size_t reserve_bytes;
    bool reserve_taken;
    void (*on_full)(void *); // must not return
    void *on_full_arg;
    size_t total; // bytes handed out and still alive
    size_t peak;  // largest total ever
} Arena;
typedef struct {
    ArenaBlock *top;
    size_t used, size, total;
} ArenaMark;

void arena_over(Arena *a, void *memory, size_t bytes);
// Memory that nobody uses before arenas are laid over it, in this process or in those that it forks. For
// AddressSanitizer alone, from which it is hidden now, once: each child would hide all of it when it starts.
void arena_hide(void *memory, size_t bytes);
// Of such memory, what is used without an arena. Asks the system, which a sandbox may not allow.
void arena_show(void *memory, size_t bytes);
// A second piece for a fixed arena, used when what is asked for does not fit into the first any more; not
// touched before.
void arena_reserve(Arena *a, void *memory, size_t bytes);
void *arena_alloc(Arena *a, size_t count, size_t size, size_t align);
void *arena_raw(Arena *a, size_t bytes, size_t align); // not zeroed: for big tensors that are filled at once
// The same, of a fixed arena from the end of its memory: for what may never be touched, so that what is lies
// close together.
void *arena_raw_end(Arena *a, size_t bytes, size_t align);
// A list of n items in a larger place of `cap` items; what lies beyond the n is not zeroed.
void *arena_more(Arena *a, const void *list, size_t n, size_t cap, size_t size, size_t align);
char *arena_strndup(Arena *a, const char *s, size_t n); // NUL-terminated
char *arena_printf(Arena *a, const char *fmt, ...) PRINTF(2, 3);
// What a fixed arena surely still gives in one piece at any ordinary alignment; SIZE_MAX for a growing one.
size_t arena_left(const Arena *a);

// For a process whose arenas come and go: what is freed stays with the process, up to a limit. Once, at the
// start, before there are threads.
void arena_keep_pages(void);
// Pages that lie free between what is held go back to the system; now and then, in a process that runs for
// long.
void arena_give_back(void);

ArenaMark arena_mark(const Arena *a);
void arena_reset(Arena *a, ArenaMark m); // drop everything since the mark
// A copy of all that was handed out since a mark, taken to find out later whether anybody has written there.
typedef struct {
    const unsigned char *at;
    unsigned char *copy;
    size_t bytes;
} ArenaCopy;
// The copy lives in the arena, too. False where it would be larger than `most`, or of several blocks.
MUST_CHECK bool arena_copy(Arena *a, ArenaMark since, size_t most, ArenaCopy *out);
bool arena_copy_same(const ArenaCopy *c); // the same bytes lie there still
void arena_copy_back(const ArenaCopy *c); // puts them there again
// Whether some word that lies before a mark may point behind it, looked at as a careful garbage collector
// does: a number that looks like such an address counts. What arena_raw_end() gave is not looked at, nor are
// the pieces `no_pointers`, which come in the order of their addresses. Of a fixed arena.
typedef struct {
    const void *at;
    size_t bytes;
} ArenaPiece;
bool arena_points_behind(const Arena *a, ArenaMark m, const ArenaPiece *no_pointers, int n);

void arena_free(Arena *a); // a fixed arena stays, always full, and its memory is the caller's again

#define NEW(a, T)     ((T *)arena_alloc((a), 1, sizeof(T), _Alignof(T)))
#define NEWN(a, T, n) ((T *)arena_alloc((a), (n), sizeof(T), _Alignof(T)))
#define MORE(a, T, list, n, cap) \
    ((T *)arena_more((a), (list), (size_t)(n), (size_t)(cap), sizeof(T), _Alignof(T)))
