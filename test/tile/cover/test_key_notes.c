// What is noted of the calls of a candidate: keys, each once; what is asked of a GPU, and of which tensors.
#include "tile/cover/key_notes.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

static KeyNotes k;
static Storage storage[4];

static uint64_t asked(int64_t number, int id, uint64_t *traced) {
    Tensor t = {.storage = &storage[id], .dtype = DT_F32, .rank = 1, .shape = {8}, .stride = {1}};
    KeyStep s = {0};
    storage[id].id = id;
    keys_number(&s, (uint64_t)number);
    keys_tensor(&k, &s, &t);
    keys_step(&k, &s);
    if (traced) *traced = k.now.traced;
    return k.now.asked;
}

static void each_key_is_noted_once(void **state) {
    (void)state;
    keys_object(&k);
    keys_call(&k, 0);
    for (uint64_t i = 0; i < 2 * KEY_NOTES_MAX; i++) keys_note(&k, &(KeyNote){.found = 1 + i % 5, .key = i});
    assert_int_equal(k.now.notes, 5);
    assert_true(keys_has(&k.now, 5));
    assert_false(keys_has(&k.now, 6));
    for (uint64_t i = 0; i < 2 * KEY_NOTES_MAX; i++) keys_note(&k, &(KeyNote){.found = 100 + i});
    assert_int_equal(k.now.notes, KEY_NOTES_MAX); // those beyond are left out
    keys_call(&k, 0);
    assert_int_equal(k.now.notes, 0);
}

static int by_value(const void *x, const void *y) {
    uint64_t a = *(const uint64_t *)x, b = *(const uint64_t *)y;
    return (a > b) - (a < b);
}

// An offset in a source and a size, both small: no two pairs of them are one key, wherever the source begins.
static void small_numbers_do_not_cancel(void **state) {
    (void)state;
    enum { SIDE = 256 };
    static uint64_t key[SIDE * SIDE];
    for (uint64_t from = 0; from < 4; from++) {
        for (uint64_t i = 0; i < SIDE * SIDE; i++) key[i] = keys_mix(37 * from + i / SIDE, i % SIDE);
        qsort(key, SIDE * SIDE, sizeof *key, by_value);
        for (int i = 1; i < SIDE * SIDE; i++) assert_true(key[i] != key[i - 1]);
    }
}

// Numbers count, and the order in which a call has made its tensors.
static void calls_ask_for_the_same_or_not(void **state) {
    (void)state;
    keys_object(&k);
    keys_call(&k, 1);
    uint64_t first = asked(7, 2, NULL);
    keys_call(&k, 2);
    assert_true(asked(7, 3, NULL) == first);
    keys_call(&k, 2);
    assert_true(asked(8, 3, NULL) != first);
    keys_call(&k, 3); // of a tensor that was there
    assert_true(asked(7, 3, NULL) != first);
}

// Of a tensor that was there before, what was done to it counts on the side.
static void what_was_done_to_a_tensor_is_known(void **state) {
    (void)state;
    uint64_t traced[2], again[2], first[2];
    for (int other = 0; other < 2; other++) {
        keys_object(&k);
        keys_call(&k, 0);
        (void)asked(other ? 9 : 7, 1, NULL);
        keys_call(&k, 1);
        first[other] = asked(5, 1, &traced[other]);
        keys_object(&k);
        keys_call(&k, 0);
        (void)asked(7, 1, NULL);
        keys_call(&k, 1);
        (void)asked(5, 1, &again[other]);
    }
    assert_true(first[0] == first[1]);
    assert_true(traced[0] != traced[1]);
    assert_true(again[0] == again[1] && again[0] == traced[0]);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(each_key_is_noted_once),
                                       cmocka_unit_test(small_numbers_do_not_cancel),
                                       cmocka_unit_test(calls_ask_for_the_same_or_not),
                                       cmocka_unit_test(what_was_done_to_a_tensor_is_known)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
