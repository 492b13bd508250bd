// Allocations are zeroed, aligned and apart; marks give everything back; limits are met, not passed; and
// under AddressSanitizer one byte too far is fatal.
#include "base/arena.h"
#include "base/numeric/rng.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#if defined(__SANITIZE_ADDRESS__)
#define UNDER_ASAN 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define UNDER_ASAN 1
#endif
#endif
#ifndef UNDER_ASAN
#define UNDER_ASAN 0
#endif

#ifdef __SANITIZE_THREAD__
#define UNDER_TSAN 1
#else
#define UNDER_TSAN 0
#endif

typedef struct {
    unsigned char *p;
    size_t n;
    unsigned char fill;
} Piece;

static void allocate_and_check(Arena *a, Rng *r, uint64_t seed) {
    enum { PIECES = 200 };
    Piece piece[PIECES];
    for (int i = 0; i < PIECES; i++) {
        size_t align = (size_t)1 << rng_below(r, 8);
        size_t n = rng_below(r, 8) ? rng_below(r, 300) : rng_below(r, 100000);
        unsigned char *p = arena_alloc(a, n, 1, align);
        if ((uintptr_t)p % align) fail_msg("seed %llu: piece %d is not aligned", (unsigned long long)seed, i);
        for (size_t k = 0; k < n; k++)
            if (p[k]) fail_msg("seed %llu: piece %d is not zeroed", (unsigned long long)seed, i);
        piece[i] = (Piece){p, n, (unsigned char)rng_u32(r)};
        if (n) memset(p, piece[i].fill, n);
    }
    for (int i = 0; i < PIECES; i++)
        for (size_t k = 0; k < piece[i].n; k++)
            if (piece[i].p[k] != piece[i].fill)
                fail_msg("seed %llu: piece %d was overwritten", (unsigned long long)seed, i);
}

static void test_pieces_are_zeroed_aligned_apart(void **state) {
    (void)state;
    for (uint64_t seed = 1; seed <= 3; seed++) {
        Rng r = rng_at(seed, 0);
        Arena a = {0};
        for (int round = 0; round < 3; round++) { // later rounds reuse dirty blocks
            ArenaMark m = arena_mark(&a);
            allocate_and_check(&a, &r, seed);
            if (round != 1) arena_reset(&a, m);
        }
        arena_free(&a);
    }
}

static void test_mark_and_reset(void **state) {
    (void)state;
    Arena a = {0};
    ArenaMark empty = arena_mark(&a);
    char *kept = arena_strndup(&a, "kept", 4);
    ArenaMark m = arena_mark(&a);
    size_t before = a.total;
    for (int i = 0; i < 50; i++) NEWN(&a, double, 1000);
    assert_int_equal(a.total, before + 50 * 8000);
    arena_reset(&a, m);
    assert_int_equal(a.total, before);
    assert_int_equal(a.peak, before + 50 * 8000);
    assert_string_equal(kept, "kept");
    arena_reset(&a, empty);
    assert_int_equal(a.total, 0);
    arena_free(&a);
    assert_null(a.top);
    arena_free(&a); // twice is harmless
}

static void test_text(void **state) {
    (void)state;
    Arena a = {0};
    char *s = arena_printf(&a, "%d-%s", 7, "x");
    assert_string_equal(s, "7-x");
    char *wide = arena_printf(&a, "%*d", 5000, 3);
    assert_int_equal(strlen(wide), 5000);
    assert_int_equal(wide[4999], '3');
    assert_string_equal(arena_strndup(&a, "abcdef", 3), "abc");
    assert_string_equal(arena_strndup(&a, NULL, 0), "");
    arena_free(&a);
}

static void test_more(void **state) {
    (void)state;
    Arena a = {0};
    int *list = MORE(&a, int, NULL, 0, 2);
    list[0] = 7, list[1] = 8;
    int *longer = MORE(&a, int, list, 2, 1000);
    assert_ptr_not_equal(longer, list);
    assert_true(longer[0] == 7 && longer[1] == 8);
    longer[999] = 9;
    arena_free(&a);
}

static jmp_buf full;
static int full_arg;
static void when_full(void *arg) {
    assert_ptr_equal(arg, &full_arg);
    longjmp(full, 1);
}

static bool fits(Arena *a, size_t count, size_t size) {
    a->on_full = when_full;
    a->on_full_arg = &full_arg;
    if (setjmp(full)) return false;
    arena_alloc(a, count, size, 1);
    return true;
}

static void test_fixed_arena_stays_inside(void **state) {
    (void)state;
    enum { SIZE = 4096 };
    unsigned char *memory = malloc(SIZE + 2);
    memset(memory, 0x5a, SIZE + 2);
    for (size_t skew = 0; skew < 2; skew++) {
        Arena a;
        arena_over(&a, memory + skew, SIZE);
        assert_true(a.fixed);
        unsigned char *p = arena_alloc(&a, 100, 1, 64);
        assert_true(p >= memory + skew && p + 100 <= memory + skew + SIZE);
        ArenaMark m = arena_mark(&a);
        size_t left = arena_left(&a);
        assert_in_range(left, SIZE - 400, SIZE - 100);
        unsigned char *q = arena_raw(&a, left, 16);
        memset(q, 1, left);
        assert_true(q >= p + 100 && q + left <= memory + skew + SIZE);
        assert_false(fits(&a, 1, 64));
        arena_reset(&a, m);
        assert_int_equal(arena_left(&a), left);
        assert_true(fits(&a, 1, 64));
        assert_false(fits(&a, 1, SIZE));
        arena_free(&a);
        memset(memory + skew, 0x5a, SIZE); // and nothing of it is poisoned any more
        assert_false(fits(&a, 1, 1));
    }
    Arena tiny;
    arena_over(&tiny, memory, 8);
    assert_int_equal(arena_left(&tiny), 0);
    assert_false(fits(&tiny, 1, 1));
    free(memory);
}

static void test_reserve_is_used_last_and_given_back(void **state) {
    (void)state;
    enum { FIRST = 2048, MORE = 8192 };
    unsigned char *first = malloc(FIRST), *more = malloc(MORE);
    Arena a;
    arena_over(&a, first, FIRST);
    assert_in_range(arena_left(&a), FIRST - 200, FIRST);
    arena_reserve(&a, more, MORE);
    size_t left = arena_left(&a); // in one piece
    assert_in_range(left, MORE - 200, MORE);
    unsigned char *p = arena_alloc(&a, 100, 1, 1);
    assert_true(p >= first && p + 100 <= first + FIRST);
    assert_int_equal(arena_left(&a), left);
    ArenaMark m = arena_mark(&a);
    for (int round = 0; round < 2; round++) {
        unsigned char *q = arena_alloc(&a, 3000, 1, 1);
        assert_true(q >= more && q + 3000 <= more + MORE);
        assert_in_range(arena_left(&a), left - 3200, left - 3000);
        ArenaMark inside = arena_mark(&a);
        assert_true(fits(&a, 1, 3000));
        assert_false(fits(&a, 1, 3000));
        arena_reset(&a, inside);
        assert_true(fits(&a, 1, 3000));
        arena_reset(&a, m);
        assert_int_equal(arena_left(&a), left);
        assert_true(fits(&a, 1, 64) && p[0] == 0);
    }
    assert_true(fits(&a, 1, 6000));
    arena_free(&a);
    memset(first, 1, FIRST); // nothing of either is poisoned any more
    memset(more, 1, MORE);
    assert_false(fits(&a, 1, 1));
    free(first);
    free(more);
}

static void test_the_end_of_a_fixed_arena(void **state) {
    (void)state;
    enum { SIZE = 4096 };
    unsigned char *memory = malloc(SIZE);
    Arena a;
    arena_over(&a, memory, SIZE);
    size_t left = arena_left(&a);
    unsigned char *p = arena_alloc(&a, 100, 1, 1);
    ArenaMark m = arena_mark(&a);
    for (int round = 0; round < 2; round++) {
        unsigned char *q = arena_raw_end(&a, 1000, 64), *r = arena_raw_end(&a, 8, 8);
        assert_true(q > memory + SIZE - 1200 && q + 1000 <= memory + SIZE && (uintptr_t)q % 64 == 0);
        assert_true(r >= q - 64 && r + 8 <= q && (uintptr_t)r % 8 == 0);
        memset(q, 7, 1000);
        memset(r, 8, 8);
        assert_in_range(arena_left(&a), left - 1300, left - 1100);
        unsigned char *next = arena_alloc(&a, 2000, 1, 1); // the two ends do not meet
        assert_true(next > p && next + 2000 <= r && q[0] == 7 && q[999] == 7 && r[7] == 8);
        assert_false(fits(&a, 1, 1000));
        arena_reset(&a, m);
        assert_in_range(arena_left(&a), left - 200, left - 100);
    }
    arena_free(&a);
    memset(memory, 1, SIZE);
    free(memory);
    Arena grows = {0};
    memset(arena_raw_end(&grows, 100, 8), 1, 100);
    arena_free(&grows);
}

// Whether what lies before a mark may point behind it.
static void test_pointers_behind_a_mark(void **state) {
    (void)state;
    static _Alignas(16) char memory[1 << 14];
    Arena a, grows = {0};
    arena_over(&a, memory, sizeof memory);
    void **old = NEWN(&a, void *, 4);
    uintptr_t *number = NEW(&a, uintptr_t);
    ArenaMark m = arena_mark(&a);
    char *new = NEWN(&a, char, 100);
    assert_false(arena_points_behind(&a, m, NULL, 0));
    old[3] = memory; // what was there before
    assert_false(arena_points_behind(&a, m, NULL, 0));
    old[1] = new + 50;
    assert_true(arena_points_behind(&a, m, NULL, 0));
    old[1] = NULL;
    *number = (uintptr_t) new; // as good as an address
    assert_true(arena_points_behind(&a, m, NULL, 0));
    const uintptr_t outside[] = {0,
                                 UINTPTR_MAX,
                                 (uintptr_t)memory - 1,
                                 (uintptr_t)memory + sizeof memory,
                                 (uintptr_t) new ^ (uintptr_t)1 << 63,
                                 (uintptr_t) new ^ (uintptr_t)1 << 40};
    for (int i = 0; i < 6; i++) {
        *number = outside[i];
        assert_false(arena_points_behind(&a, m, NULL, 0));
    }
    *number = (uintptr_t)memory + sizeof memory - 1; // the last byte
    assert_true(arena_points_behind(&a, m, NULL, 0));
    *number = 5;
    *(char **)NEW(&a, char *) = new; // within what may be forgotten
    assert_false(arena_points_behind(&a, m, NULL, 0));
    arena_reset(&a, m);
    (void)NEW(&grows, int);
    assert_true(arena_points_behind(&grows, arena_mark(&grows), NULL, 0)); // nobody can tell
    arena_free(&grows);
    arena_free(&a);
}

static void test_a_copy_is_put_back(void **state) {
    (void)state;
    static _Alignas(16) char memory[1 << 12];
    Arena a;
    arena_over(&a, memory, sizeof memory);
    int *before = NEW(&a, int);
    ArenaMark m = arena_mark(&a);
    int *list = NEWN(&a, int, 9);
    list[8] = 7;
    ArenaCopy copy;
    assert_true(arena_copy(&a, m, sizeof memory, &copy));
    *before = 1, list[0] = 2, list[8] = 3;
    assert_false(arena_copy_same(&copy));
    arena_copy_back(&copy);
    assert_true(arena_copy_same(&copy) && *before == 1 && list[0] == 0 && list[8] == 7);
    arena_free(&a);
}

// What is left of an address that lay there before is none, together with what was put beside it.
static void test_old_halves_are_no_addresses(void **state) {
    (void)state;
    enum { HALF = sizeof(uintptr_t) / 2 };
    enum { BYTES = 4096 };
    char *memory = malloc(BYTES); // a static one may lie so low that half of its address is all of it
    assert_non_null(memory);
    Arena a = {0};
    arena_over(&a, memory, BYTES);
    ArenaMark empty = arena_mark(&a);
    const uintptr_t address = (uintptr_t)memory + BYTES - 1;
    *NEW(&a, uintptr_t) = address;
    arena_reset(&a, empty);
    memcpy(arena_raw(&a, HALF, 1), &address, HALF);
    *NEW(&a, uintptr_t) = 5;
    assert_false(arena_points_behind(&a, arena_mark(&a), NULL, 0));
    *NEW(&a, uintptr_t) = address; // a whole one
    assert_true(arena_points_behind(&a, arena_mark(&a), NULL, 0));
    arena_free(&a);
    free(memory);
}

// Of pieces that are said to hold no pointers, whole words are not looked at; what is beside them is, and so
// is a piece that does not lie before the mark, or before the one that comes ahead of it.
static void test_pieces_without_pointers(void **state) {
    (void)state;
    static _Alignas(16) char memory[4096];
    Arena a = {0};
    arena_over(&a, memory, sizeof memory);
    enum { WORDS = 16 };
    uintptr_t *word = NEWN(&a, uintptr_t, WORDS);
    ArenaMark m = arena_mark(&a);
    char *new = NEWN(&a, char, 100);
    const ArenaPiece two[] = {{word + 2, 3 * sizeof *word}, {(char *)(word + 8) + 3, 3 * sizeof *word}};
    for (int i = 0; i < WORDS; i++) {
        word[i] = (uintptr_t) new;
        bool hidden = (i >= 2 && i < 5) || (i >= 9 && i < 11); // of the second, two words are whole
        assert_int_equal(arena_points_behind(&a, m, two, 2), !hidden);
        assert_true(arena_points_behind(&a, m, NULL, 0));
        word[i] = 0;
    }
    assert_false(arena_points_behind(&a, m, two, 2));
    const ArenaPiece odd[] = {{word + 6, sizeof *word},
                              {word, sizeof *word},             // behind a later one
                              {word + 8, 4},                    // less than a word
                              {word + WORDS - 1, 4096},         // beyond the mark
                              {memory + sizeof memory, 8},      // beyond the arena
                              {(char *)memory - 4096, 1 << 20}, // before it
                              {word + 10, SIZE_MAX}};
    for (int i = 0; i < WORDS; i++) {
        word[i] = (uintptr_t) new;
        assert_int_equal(arena_points_behind(&a, m, odd, 7), i != 6);
        word[i] = 0;
    }
    const ArenaPiece all[] = {{word, WORDS * sizeof *word}};
    word[0] = word[WORDS - 1] = (uintptr_t) new;
    assert_false(arena_points_behind(&a, m, all, 1));
    arena_free(&a);
}

static void test_sizes_that_overflow(void **state) {
    (void)state;
    Arena a = {0};
    assert_int_equal(arena_left(&a), SIZE_MAX);
    assert_true(fits(&a, 10, 10));
    assert_false(fits(&a, SIZE_MAX / 2, 3));
    assert_false(fits(&a, (size_t)1 << 32, (size_t)1 << 32));
    assert_false(fits(&a, 1, SIZE_MAX));
    assert_false(fits(&a, 1, PTRDIFF_MAX));
    assert_true(fits(&a, 10, 10)); // still usable
    assert_int_equal(a.total, 200);
    arena_free(&a);
}

// What a child does with an arena, and how the child ends: 0 for a plain return.
static int ending_of(void (*act)(Arena *, size_t), size_t n) {
    fflush(NULL);
    pid_t pid = fork();
    if (pid == 0) {
        if (!freopen("/dev/null", "w", stderr)) _exit(0);
        Arena a = {0};
        act(&a, n);
        _exit(0);
    }
    int status = 0;
    assert_int_equal(waitpid(pid, &status, 0), pid);
    return status;
}

static void ask_too_much(Arena *a, size_t n) { arena_raw(a, n, 1); }
static void write_last(Arena *a, size_t n) { ((volatile char *)arena_raw(a, n, 1))[n - 1] = 1; }
static void write_past(Arena *a, size_t n) {
    volatile char *p = arena_raw(a, n, 1);
    arena_raw(a, 64, 1); // a neighbour, which must not hide it
    p[n] = 1;
}
static void write_before(Arena *a, size_t n) {
    arena_raw(a, 64, 1);
    ((volatile char *)arena_raw(a, n, 1))[-1] = 1;
}
static void write_dropped(Arena *a, size_t n) {
    NEW(a, int);
    ArenaMark m = arena_mark(a);
    volatile char *p = arena_raw(a, n, 1);
    arena_reset(a, m);
    p[0] = 1;
}
static void write_past_fixed(Arena *a, size_t n) {
    static unsigned char memory[1 << 16];
    arena_over(a, memory, sizeof memory);
    write_past(a, n);
}

static void test_exhaustion_aborts_without_a_handler(void **state) {
    (void)state;
    int status = ending_of(ask_too_much, PTRDIFF_MAX);
    assert_true(WIFSIGNALED(status));
    assert_int_equal(WTERMSIG(status), SIGABRT);
    assert_int_equal(ending_of(ask_too_much, 100), 0);
}

// Memory that was hidden before any arena lay over it, as a fork server does for its children; the second
// time it has been used.
static void write_hidden(Arena *a, size_t size, size_t at) {
    enum { SIZE = 16 * 4096 };
    static _Alignas(4096) unsigned char memory[SIZE];
    arena_hide(memory, SIZE / 2); // the rest is not
    for (int turn = 0; turn < 2; turn++) {
        arena_over(a, memory, SIZE);
        unsigned char *p = arena_raw(a, size, 1);
        p[turn ? at : size - 1] = 1;
        if (turn == 0) arena_free(a);
    }
}
// Of memory that is hidden, a part that is shown: it can be used, what is beside it cannot. Once of a few
// bytes, once of pages of the shadow, each of which describes eight of them.
static void write_shown(Arena *a, size_t from, size_t at) {
    (void)a;
    enum { SIZE = 64 * 4096, SHOWN = 33 * 4096 + 8 };
    static _Alignas(4096) unsigned char memory[SIZE];
    arena_hide(memory, SIZE);
    arena_show(memory + from, from < 4096 ? 8 : SHOWN);
    ((volatile unsigned char *)memory)[at] = 1;
}
enum { SHOWN_FROM = 7 * 4096, SHOWN_END = 40 * 4096 + 8 };
static void write_few(Arena *a, size_t n) { write_shown(a, 64, n); }
static void write_pages(Arena *a, size_t n) { write_shown(a, SHOWN_FROM, n); }

static void write_last_hidden(Arena *a, size_t n) { write_hidden(a, n, n - 1); }
static void write_past_hidden(Arena *a, size_t n) { write_hidden(a, n, n); }
static void write_far_hidden(Arena *a, size_t n) { write_hidden(a, n, (size_t)10 * 4096); }

static void test_asan_sees_one_byte(void **state) {
    (void)state;
    if (!UNDER_ASAN) skip();
    static const size_t size[] = {1, 8, 100, 40000};
    for (size_t i = 0; i < sizeof size / sizeof size[0]; i++) {
        assert_int_equal(ending_of(write_last, size[i]), 0);
        assert_int_not_equal(ending_of(write_past, size[i]), 0);
        assert_int_not_equal(ending_of(write_before, size[i]), 0);
        assert_int_not_equal(ending_of(write_dropped, size[i]), 0);
    }
    assert_int_not_equal(ending_of(write_past_fixed, 33), 0);
    assert_int_equal(ending_of(write_last_hidden, 33), 0);
    assert_int_not_equal(ending_of(write_past_hidden, 33), 0);
    assert_int_not_equal(ending_of(write_far_hidden, 33), 0);
    assert_int_not_equal(ending_of(write_few, 63), 0);
    assert_int_equal(ending_of(write_few, 64), 0);
    assert_int_equal(ending_of(write_few, 71), 0);
    assert_int_not_equal(ending_of(write_few, 72), 0);
    assert_int_not_equal(ending_of(write_pages, SHOWN_FROM - 1), 0);
    for (size_t at = SHOWN_FROM; at < SHOWN_END; at += 4096) assert_int_equal(ending_of(write_pages, at), 0);
    assert_int_equal(ending_of(write_pages, SHOWN_END - 1), 0);
    assert_int_not_equal(ending_of(write_pages, SHOWN_END), 0);
}

// Whether the kernel gives large pages to those who ask, as most do.
static bool large_pages(void) {
    FILE *f = fopen("/sys/kernel/mm/transparent_hugepage/enabled", "r");
    char line[100] = "";
    bool given = f && fgets(line, sizeof line, f) && !strstr(line, "[never]");
    if (f) fclose(f);
    return given;
}
static long faults(void) {
    struct rusage r;
    getrusage(RUSAGE_SELF, &r);
    return r.ru_minflt;
}
// Memory of several blocks in a row lies in large pages nearly everywhere: at their borders, too.
static void test_large_blocks_in_large_pages(void **state) {
    enum { BLOCKS = 32, SIZE = 4 << 20, PAGE = 4096 };
    (void)state;
    if (UNDER_ASAN || UNDER_TSAN || !large_pages()) skip();
    arena_keep_pages();
    Arena a = {0};
    long before = faults();
    for (int i = 0; i < BLOCKS; i++) memset(arena_raw(&a, SIZE - 64, 1), i, SIZE - 64);
    assert_in_range(faults() - before, 0, (long)BLOCKS * SIZE / PAGE / 8);
    arena_free(&a);
}

// Under AddressSanitizer each block would be mapped anew, with its shadow, if dropped ones were not kept.
static void test_dropped_blocks_come_again(void **state) {
    enum { ROUNDS = 20, BLOCKS = 4, SIZE = 4 << 20, PAGE = 4096 };
    (void)state;
    if (!UNDER_ASAN) skip();
    long half = 0;
    for (int round = 0; round < ROUNDS; round++) {
        if (round == ROUNDS / 2) half = faults();
        Arena a = {0};
        for (int i = 0; i < BLOCKS; i++) memset(arena_raw(&a, SIZE - 64, 1), i, SIZE - 64);
        arena_free(&a);
    }
    assert_in_range(faults() - half, 0, (long)ROUNDS / 2 * BLOCKS * SIZE / PAGE / 8);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_pieces_are_zeroed_aligned_apart),
        cmocka_unit_test(test_mark_and_reset),
        cmocka_unit_test(test_text),
        cmocka_unit_test(test_more),
        cmocka_unit_test(test_fixed_arena_stays_inside),
        cmocka_unit_test(test_reserve_is_used_last_and_given_back),
        cmocka_unit_test(test_the_end_of_a_fixed_arena),
        cmocka_unit_test(test_pointers_behind_a_mark),
        cmocka_unit_test(test_a_copy_is_put_back),
        cmocka_unit_test(test_old_halves_are_no_addresses),
        cmocka_unit_test(test_pieces_without_pointers),
        cmocka_unit_test(test_sizes_that_overflow),
        cmocka_unit_test(test_exhaustion_aborts_without_a_handler),
        cmocka_unit_test(test_asan_sees_one_byte),
        cmocka_unit_test(test_dropped_blocks_come_again),
        cmocka_unit_test(test_large_blocks_in_large_pages), // the last: malloc is another from then on
    };
    return cmocka_run_group_tests_name("arena", tests, NULL, NULL);
}
