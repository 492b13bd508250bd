// Bytes that come when somebody looks: new ones and copies, from both ends of a gap, and what is known of
// them.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "base/numeric/rng.h"
#include "tensor/bound.h"
#include "tensor/tensor.h"

enum { BYTES = 1 << 20, PERIOD = 3 * 700, WROTE = 77 };

typedef struct {
    Arena arena;
    StorageTable table;
    Storage *s;
} Made;

static void make(Made *m) {
    *m = (Made){0};
    m->table.arena = &m->arena;
    assert_true(storage_new(&m->table, DT_F16, BYTES, &m->s));
}

static void assert_new(const Storage *s, size_t from, size_t to) {
    size_t size = (size_t)dtype_bytes(s->dtype);
    for (size_t i = from; i < to; i++) assert_true(s->data[i] == 0xff && s->shadow[i] == SHADOW_ALLOC);
    for (size_t w = from / size; w < to / size; w++) assert_int_equal(s->writer[w], 0);
}

static void a_large_storage_comes_in_pieces(void **state) {
    (void)state;
    Made m;
    make(&m);
    assert_int_equal(m.s->gap_to - m.s->gap_from, BYTES);
    storage_reach(m.s, 100, 200);
    assert_new(m.s, 0, 200);
    assert_true(m.s->gap_from >= 200 && m.s->gap_from < BYTES / 4 && m.s->gap_to == BYTES);
    storage_reach(m.s, BYTES - 40, BYTES); // from the other end
    assert_new(m.s, BYTES - 40, BYTES);
    assert_int_equal(m.s->writer[BYTES / 2], 0); // the word behind the last element
    assert_true(m.s->gap_to <= BYTES - 40 && m.s->gap_to > BYTES / 2);
    storage_reach(m.s, 0, BYTES);
    assert_int_equal(m.s->gap_to, 0);
    assert_new(m.s, 0, BYTES);
    arena_free(&m.arena);
}

static void a_small_storage_is_all_there(void **state) {
    (void)state;
    Arena a = {0};
    StorageTable t = {.arena = &a};
    Storage *s;
    assert_true(storage_new(&t, DT_F32, 4096, &s));
    assert_int_equal(s->gap_to, 0);
    assert_new(s, 0, 4096);
    arena_free(&a);
}

// The first period, as somebody has stored it.
static void store_period(Storage *s, size_t at) {
    storage_reach(s, at, at + PERIOD);
    for (size_t i = at; i < at + PERIOD; i++) s->data[i] = (uint8_t)(i % 251), s->shadow[i] = SHADOW_WRITTEN;
}

static Repetition repetition(size_t at, size_t to) {
    return (Repetition){
        .period = PERIOD, .from = at + PERIOD, .to = to, .writer = WROTE, .flags = SHADOW_WRITTEN};
}

static void assert_copies(const Storage *s, size_t at, size_t from, size_t to) {
    for (size_t i = from; i < to; i++)
        if (s->data[i] != (uint8_t)((at + (i - at) % PERIOD) % 251) || s->shadow[i] != SHADOW_WRITTEN)
            fail_msg("byte %zu of copies from %zu on", i, at);
    for (size_t w = from / 2; w < to / 2; w++) assert_int_equal(s->writer[w], WROTE);
}

// Whoever looks, wherever, in whatever order, finds copies up to `to` and new bytes behind.
static void copies_come_from_both_ends(void **state) {
    (void)state;
    Rng r = rng_at(5, 1);
    for (int round = 0; round < 60; round++) {
        Made m;
        make(&m);
        size_t at = 2 * (size_t)rng_below(&r, 3000), to = BYTES - 2 * (size_t)rng_below(&r, 4000);
        if (rng_below(&r, 3) == 0) storage_reach(m.s, BYTES - 600, BYTES); // there before
        store_period(m.s, at);
        const Repetition q = repetition(at, to);
        storage_repeat(m.s, &q);
        for (int k = 0; k < 6; k++) {
            size_t from = 2 * (size_t)rng_below(&r, BYTES / 2 - 400), n = 2 * (size_t)rng_below(&r, 400);
            storage_reach(m.s, from, from + n);
            size_t begin = from > at + PERIOD ? from : at + PERIOD, end = from + n < to ? from + n : to;
            if (begin < end) assert_copies(m.s, at, begin, end);
            if (from >= to) assert_new(m.s, from, from + n);
        }
        storage_reach(m.s, 0, BYTES);
        assert_copies(m.s, at, at + PERIOD, to);
        assert_new(m.s, to, BYTES);
        arena_free(&m.arena);
    }
}

static void copies_of_what_is_there_are_made_at_once(void **state) {
    (void)state;
    Made m;
    make(&m);
    storage_reach(m.s, 0, BYTES);
    store_period(m.s, 0);
    Repetition q = repetition(0, BYTES / 2);
    storage_repeat(m.s, &q);
    assert_copies(m.s, 0, PERIOD, BYTES / 2);
    assert_new(m.s, BYTES / 2, BYTES);
    assert_true(m.s->steady_from == 0 && m.s->steady_to == BYTES / 2);
    storage_change(m.s, 0, BYTES);
    assert_int_equal(m.s->steady_to, 0); // somebody has written to it
    arena_free(&m.arena);
}

// What is changed was copied before, whoever looks at the copies later; elsewhere nothing is made for it.
static void a_change_is_not_copied(void **state) {
    (void)state;
    Made m;
    make(&m);
    store_period(m.s, 0);
    Repetition q = repetition(0, BYTES);
    storage_repeat(m.s, &q);
    storage_change(m.s, BYTES - 100, BYTES - 90);
    assert_true(m.s->gap_to > m.s->gap_from && m.s->steady_to == 0);
    size_t last = m.s->gap_from - 1;
    storage_change(m.s, last - PERIOD + 1, last - PERIOD + 2);
    assert_int_equal(m.s->gap_to, 0);
    arena_free(&m.arena);
    make(&m);
    store_period(m.s, 0);
    storage_repeat(m.s, &q);
    storage_change(m.s, 0, PERIOD);
    for (size_t i = 0; i < PERIOD; i++) m.s->data[i] ^= 1;
    q.to = BYTES / 2;
    storage_repeat(m.s, &q); // of the changed ones
    storage_reach(m.s, 0, BYTES);
    assert_int_equal(m.s->data[BYTES / 2 - 2], (BYTES / 2 - 2) % PERIOD % 251 ^ 1);
    assert_int_equal(m.s->data[BYTES - 2], (BYTES - 2) % PERIOD % 251);
    arena_free(&m.arena);
}

static void an_input_repeats_the_callers_bytes(void **state) {
    (void)state;
    static uint8_t first[PERIOD];
    for (int i = 0; i < PERIOD; i++) first[i] = (uint8_t)(i % 253);
    Arena a = {0};
    StorageTable t = {.arena = &a};
    Storage *s;
    assert_true(storage_wrap_repeated(&t, DT_F16, first, PERIOD, BYTES, &s));
    assert_true(s->read_only && s->open && s->steady_to == BYTES);
    storage_reach(s, BYTES / 2, BYTES / 2 + 10);
    for (size_t i = BYTES / 2; i < BYTES / 2 + 10; i++) assert_int_equal(s->data[i], first[i % PERIOD]);
    storage_reach(s, 0, BYTES);
    for (size_t i = 0; i < BYTES; i++) assert_int_equal(s->data[i], first[i % PERIOD]);
    arena_free(&a);
    // Memory that does not hold all of it.
    static _Alignas(64) uint8_t memory[1 << 16];
    arena_over(&a, memory, sizeof memory);
    t = (StorageTable){.arena = &a};
    assert_false(storage_wrap_repeated(&t, DT_F16, first, PERIOD, BYTES, &s));
}

// What can be told by the first period alone.
static void an_answer_repeats_itself(void **state) {
    (void)state;
    Made m;
    make(&m);
    const size_t all = BYTES - 100;
    assert_false(storage_repeats(m.s, PERIOD, all));
    store_period(m.s, 0);
    const Repetition q = repetition(0, all);
    storage_repeat(m.s, &q);
    assert_true(storage_repeats(m.s, PERIOD, all));
    assert_false(storage_repeats(m.s, PERIOD / 2, all));
    assert_false(storage_repeats(m.s, PERIOD, BYTES)); // the last bytes are new
    storage_reach(m.s, all - 50, all);                 // copies, at the other end
    assert_true(storage_repeats(m.s, PERIOD, all));
    m.s->data[all - 20] ^= 1; // somebody has stored something else there
    assert_false(storage_repeats(m.s, PERIOD, all));
    m.s->data[all - 20] ^= 1;
    storage_reach(m.s, 0, 2 * PERIOD);
    assert_true(storage_repeats(m.s, PERIOD, all));
    m.s->data[PERIOD + 20] ^= 1;
    assert_false(storage_repeats(m.s, PERIOD, all));
    m.s->data[PERIOD + 20] ^= 1;
    storage_reach(m.s, 0, BYTES); // all is there: nothing is said
    assert_false(storage_repeats(m.s, PERIOD, all));
    arena_free(&m.arena);
}

// Who gathers or exposes a view need not know of gaps.
static void views_bring_what_they_cover(void **state) {
    (void)state;
    Made m;
    make(&m);
    store_period(m.s, 0);
    const Repetition q = repetition(0, BYTES);
    storage_repeat(m.s, &q);
    Tensor t = {
        .storage = m.s, .dtype = DT_F16, .rank = 1, .shape = {500}, .stride = {2}, .offset = BYTES / 4};
    static uint8_t out[1000], flags[500];
    tensor_gather(&t, out, flags);
    for (size_t i = 0; i < 500; i++) {
        size_t at = BYTES / 2 + 4 * i;
        assert_int_equal(out[2 * i], at % PERIOD % 251);
        assert_int_equal(flags[i], SHADOW_WRITTEN);
    }
    arena_free(&m.arena);
    make(&m);
    store_period(m.s, 0);
    storage_repeat(m.s, &q);
    memset(m.s->data + m.s->gap_from, 0, m.s->gap_to - m.s->gap_from);
    t.storage = m.s;
    BoundCtx values = {.arena = &m.arena, .elements_left = 1 << 20};
    const Bound *b = bound_input(&values, &t, 0); // as a value of a reference
    assert_non_null(b);
    for (size_t i = 0; i < 500; i++) {
        size_t at = BYTES / 2 + 4 * i;
        uint8_t two[2] = {(uint8_t)(at % PERIOD % 251), (uint8_t)((at + 1) % PERIOD % 251)};
        double right = dtype_load(DT_F16, two);
        assert_true(b->v[i] == right || (b->v[i] != b->v[i] && right != right));
    }
    arena_free(&m.arena);
    make(&m);
    t.storage = m.s;
    tensor_expose(&t, SHADOW_INIT);
    for (size_t i = 0; i < 500; i++)
        assert_int_equal(m.s->shadow[BYTES / 2 + 4 * i], SHADOW_ALLOC | SHADOW_INIT);
    arena_free(&m.arena);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_large_storage_comes_in_pieces),
        cmocka_unit_test(a_small_storage_is_all_there),
        cmocka_unit_test(copies_come_from_both_ends),
        cmocka_unit_test(copies_of_what_is_there_are_made_at_once),
        cmocka_unit_test(a_change_is_not_copied),
        cmocka_unit_test(an_input_repeats_the_callers_bytes),
        cmocka_unit_test(an_answer_repeats_itself),
        cmocka_unit_test(views_bring_what_they_cover),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
