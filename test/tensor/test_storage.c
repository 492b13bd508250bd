// Storages: what is allocated, initialised and exposed, and how many there may be.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "base/numeric/rng.h"
#include "tensor/tensor.h"
#include <stdlib.h>

static Tensor dense(Storage *s, DType t, int rank, const int64_t *shape) {
    Tensor r = {.storage = s, .dtype = t, .rank = rank};
    memcpy(r.shape, shape, (size_t)rank * sizeof *shape);
    tensor_contiguous_strides(&r);
    return r;
}
#define SHAPE(...) \
    (int)(sizeof((int64_t[]){__VA_ARGS__}) / sizeof(int64_t)), (int64_t[]) { __VA_ARGS__ }

// What is skipped when addresses are looked for: all of a storage's arrays below its reader, and nothing
// else.
static void a_piece_covers_what_holds_numbers(void **state) {
    (void)state;
    static _Alignas(64) uint8_t memory[1 << 16];
    static const uint8_t input[64];
    Arena a = {0};
    arena_over(&a, memory, sizeof memory);
    for (int origins = 0; origins < 2; origins++) {
        StorageTable t = {.arena = &a, .origins = origins};
        Storage *s = NULL, *wrapped = NULL, *open = NULL;
        const void *at = NULL;
        assert_true(storage_new(&t, DT_F16, 100, &s));
        const uint8_t *next = arena_raw(&a, 1, 1);
        size_t bytes = storage_piece(s, &at);
        assert_ptr_equal(at, s->data);
        assert_true(s->shadow >= s->data + 100 && (uint8_t *)s->writer >= s->shadow + 100);
        assert_ptr_equal((const uint8_t *)at + bytes,
                         (uint8_t *)s->writer + (100 / 2 + 1) * sizeof *s->writer);
        assert_true((const uint8_t *)at + bytes <= next);
        assert_true(storage_wrap(&t, DT_F32, input, sizeof input, &wrapped));
        assert_int_equal(storage_piece(wrapped, &at), sizeof input);
        assert_ptr_equal(at, wrapped->shadow);
        assert_true(storage_wrap_open(&t, DT_F32, input, sizeof input, &open));
        assert_int_equal(storage_piece(open, &at), 0);
    }
    arena_free(&a);
}

static void new_storages_are_not_initialised(void **state) {
    (void)state;
    Arena a = {0};
    StorageTable t = {.arena = &a};
    Storage *s = NULL, *in = NULL;
    assert_true(storage_new(&t, DT_F16, 64, &s));
    assert_int_equal(s->id, 1);
    assert_false(s->read_only);
    for (size_t i = 0; i < 64; i++) assert_int_equal(s->shadow[i], SHADOW_ALLOC);
    assert_false(s->was_read);
    storage_read(s);
    for (size_t i = 0; i < 32; i++) assert_true(s->writer[i] == 0 && s->reader[i] == 0);
    s->reader[3] = 7;
    storage_read(s); // only the first time
    assert_true(s->was_read && s->reader[3] == 7);
    assert_true(dtype_load(DT_F16, s->data) != dtype_load(DT_F16, s->data)); // NaN: hurts if it is ever read
    float data[4] = {1, 2, 3, 4};
    assert_true(storage_wrap(&t, DT_F32, data, sizeof data, &in));
    assert_true(in->id == 2 && in->read_only && in->data == (uint8_t *)data && !in->writer && !in->reader);
    for (size_t i = 0; i < sizeof data; i++) assert_int_equal(in->shadow[i], 0);
    Tensor x = dense(in, DT_F32, SHAPE(2));
    x.offset = 1;
    assert_true(tensor_address(&x) == ((int64_t)2 << ADDRESS_BITS) + ADDRESS_BIAS + 4);
    arena_free(&a);
}

static void full_tables_and_arenas_refuse(void **state) {
    (void)state;
    Arena a = {0}, small;
    StorageTable t = {.arena = &a};
    Storage *s = NULL;
    for (int i = 0; i < STORAGES_MAX; i++) assert_true(storage_new(&t, DT_I8, 1, &s));
    assert_false(storage_new(&t, DT_I8, 1, &s));
    assert_false(storage_wrap(&t, DT_I8, "x", 1, &s));
    arena_free(&a);
    void *memory = malloc(1 << 16);
    arena_over(&small, memory, 1 << 16);
    StorageTable few = {.arena = &small};
    assert_false(storage_new(&few, DT_F32, 1 << 15, &s)); // data and shadow would fit, the race words not
    assert_int_equal(few.count, 0);
    assert_false(storage_new(&few, DT_F32, SIZE_MAX / 2, &s));
    few.spare = 1 << 15; // what others need is left to them
    assert_false(storage_new(&few, DT_F32, 1 << 13, &s));
    few.spare = 0;
    assert_true(storage_new(&few, DT_F32, 1 << 12, &s));
    free(memory);
}

// The gap of a row stride stays closed, byte for byte.
static void exposure_follows_the_view(void **state) {
    (void)state;
    Arena a = {0};
    StorageTable t = {.arena = &a};
    Storage *s = NULL;
    uint16_t data[40] = {0};
    for (uint16_t i = 0; i < 40; i++) data[i] = (uint16_t)(0x3c00 + i);
    assert_true(storage_wrap(&t, DT_F16, data, sizeof data, &s));
    Tensor v = {.storage = s, .dtype = DT_F16, .rank = 2, .shape = {3, 4}, .stride = {10, 2}, .offset = 3};
    tensor_expose(&v, SHADOW_ALLOC | SHADOW_INIT);
    for (int i = 0; i < 40; i++) {
        int inside = 0;
        for (int r = 0; r < 3; r++)
            for (int c = 0; c < 4; c++) inside |= i == 3 + r * 10 + c * 2;
        for (int b = 0; b < 2; b++) assert_int_equal(s->shadow[2 * i + b], inside ? 3 : 0);
    }
    uint16_t out[12];
    uint8_t flags[12];
    s->shadow[2 * 15 + 1] = SHADOW_ALLOC; // one byte of element (1, 1): the element is not initialised
    tensor_gather(&v, out, flags);
    for (int r = 0; r < 3; r++) {
        for (int c = 0; c < 4; c++) {
            assert_int_equal(out[r * 4 + c], data[3 + r * 10 + c * 2]);
            assert_int_equal(flags[r * 4 + c], r == 1 && c == 1 ? SHADOW_ALLOC : 3);
        }
    }
    Tensor scalar = {.storage = s, .dtype = DT_F16, .offset = 5}, none = v;
    none.shape[0] = 0;
    tensor_gather(&scalar, out, NULL);
    assert_int_equal(out[0], data[5]);
    out[0] = 7;
    tensor_gather(&none, out, NULL);
    assert_int_equal(out[0], 7);
    arena_free(&a);
}

// Exhaustively: every piece of small storages, of views that are rows and of some that are none.
static void rows_say_what_a_shadow_would(void **state) {
    (void)state;
    static const struct {
        Tensor v;
        bool rows;
    } view[] = {
        {{.rank = 2, .shape = {3, 4}, .stride = {7, 1}, .offset = 2}, true},
        {{.rank = 2, .shape = {1, 5}, .stride = {9, 1}, .offset = 3}, true},
        {{.rank = 2, .shape = {4, 1}, .stride = {5, 1}}, true},
        {{.rank = 1, .shape = {6}, .stride = {4}, .offset = 1}, true}, // rows of one element
        {{.rank = 3, .shape = {2, 2, 3}, .stride = {10, 5, 1}, .offset = 1}, true},
        {{.rank = 3, .shape = {2, 1, 3}, .stride = {10, 4, 1}}, true},
        {{.rank = 3, .shape = {2, 2, 2}, .stride = {11, 3, 1}}, false}, // two distances
        {{.rank = 2, .shape = {3, 4}, .stride = {1, 5}}, false},        // columns
        {{.rank = 2, .shape = {3, 4}, .stride = {2, 1}}, false},        // rows that overlap
        {{.rank = 2, .shape = {3, 4}, .stride = {0, 1}}, false},
        {{.rank = 2, .shape = {0, 4}, .stride = {4, 1}}, false},
        {{.rank = 2, .shape = {5, 6}, .stride = {7, 1}}, false}, // beyond the end
    };
    enum { BYTES = 64 };
    static const uint8_t data[BYTES];
    for (size_t k = 0; k < sizeof view / sizeof *view; k++) {
        Arena a = {0};
        StorageTable t = {.arena = &a};
        Storage *s, *r;
        Tensor v = view[k].v;
        v.dtype = DT_F16;
        assert_true(storage_wrap_rows(&t, &v, data, BYTES, &r));
        assert_int_equal(r != NULL, view[k].rows);
        assert_int_equal(t.count, view[k].rows);
        if (r) {
            assert_true(storage_wrap(&t, DT_F16, data, BYTES, &s));
            v.storage = s;
            tensor_expose(&v, SHADOW_ALLOC | SHADOW_INIT);
            for (size_t at = 0; at < BYTES; at++) {
                uint8_t all = 0xff;
                for (size_t end = at; end < BYTES; end++) {
                    all &= s->shadow[end];
                    assert_int_equal(storage_row_flags(r, at, end - at + 1), all);
                }
            }
            uint16_t out[BYTES];
            uint8_t flags[BYTES], want[BYTES];
            Tensor all = {.storage = s, .dtype = DT_F16, .rank = 1, .shape = {BYTES / 2}, .stride = {1}};
            tensor_gather(&all, out, want);
            all.storage = r;
            tensor_gather(&all, out, flags);
            assert_memory_equal(flags, want, BYTES / 2);
        }
        arena_free(&a);
    }
}

// An input without gaps has no shadow array; a walk over it sees what one with an array shows.
static void an_open_storage_reads_like_an_exposed_one(void **state) {
    (void)state;
    Arena a = {0};
    StorageTable t = {.arena = &a};
    float data[12];
    for (int i = 0; i < 12; i++) data[i] = (float)i;
    Tensor whole = {.dtype = DT_F32, .rank = 2, .shape = {3, 4}, .stride = {4, 1}}, part;
    assert_true(storage_wrap_open(&t, DT_F32, data, sizeof data, &whole.storage));
    assert_true(whole.storage->open && whole.storage->read_only);
    assert_null(whole.storage->shadow);
    assert_true(tensor_transpose(&whole, 0, 1, &part));
    float out[12];
    uint8_t flags[12];
    tensor_gather(&part, out, flags);
    for (int i = 0; i < 12; i++) {
        assert_true(out[i] == data[i % 3 * 4 + i / 3]);
        assert_int_equal(flags[i], SHADOW_ALLOC | SHADOW_INIT);
    }
    assert_true(
        storage_wrap(&t, DT_F32, data, sizeof data, &whole.storage)); // not exposed: the array says so
    tensor_gather(&whole, out, flags);
    assert_int_equal(flags[0], 0);
    arena_free(&a);
}

static void sparse_rooms_are_bounded(void **state) {
    (void)state;
    enum { PAGES = 64 };
    Arena a = {0};
    StorageTable t = {.arena = &a};
    uint8_t *room = NEWN(&a, uint8_t, PAGES * SPARSE_PAGE);
    storage_sparse_open(&t, room, PAGES * SPARSE_PAGE, 3);
    Storage *s, *more;
    assert_false(storage_new(&t, DT_F32, PAGES * SPARSE_PAGE, &s));
    assert_true(storage_new(&t, DT_F32, 32 * SPARSE_PAGE, &s));
    assert_true(s->open && !s->read_only && !s->shadow && !s->writer && s->data[0] == 0);
    assert_false(storage_new(&t, DT_F32, 32 * SPARSE_PAGE, &more));
    assert_true(storage_sparse_write(&t, s->data + 5 * SPARSE_PAGE, 1));
    int64_t left = t.pages_left;
    assert_true(storage_sparse_write(&t, s->data + 5 * SPARSE_PAGE, 4)); // there already
    assert_int_equal(t.pages_left, left);
    assert_true(storage_sparse_write(&t, s->data + 9 * SPARSE_PAGE, 4));
    assert_false(storage_sparse_write(&t, s->data + 10 * SPARSE_PAGE, 3 * SPARSE_PAGE));
    arena_free(&a);
}

static void inputs_of_zeros_come_from_the_room(void **state) {
    (void)state;
    enum { PAGES = 16 };
    Arena a = {0};
    StorageTable t = {.arena = &a};
    uint8_t *room = NEWN(&a, uint8_t, PAGES * SPARSE_PAGE);
    storage_sparse_open(&t, room, PAGES * SPARSE_PAGE, 3);
    Storage *zeros, *more;
    assert_true(storage_wrap_zeros(&t, DT_F16, 8 * SPARSE_PAGE, &zeros));
    assert_true(zeros->zeros && zeros->open && zeros->read_only && zeros->bytes == 8 * SPARSE_PAGE);
    assert_true(zeros->data >= room && zeros->data + zeros->bytes <= room + PAGES * SPARSE_PAGE);
    assert_false(storage_wrap_zeros(&t, DT_F16, 8 * SPARSE_PAGE, &more));
    // What a program makes there may be written to, and other inputs hold something.
    assert_true(storage_new(&t, DT_F16, SPARSE_PAGE, &more) && !more->zeros);
    assert_true(storage_wrap_open(&t, DT_F16, room, 64, &more) && !more->zeros);
    arena_free(&a);
}

static void overlap_is_of_elements(void **state) {
    (void)state;
    Arena a = {0};
    StorageTable t = {.arena = &a};
    Storage *s = NULL, *other = NULL;
    assert_true(storage_new(&t, DT_F16, 64, &s) && storage_new(&t, DT_F16, 64, &other));
    Tensor left = {.storage = s, .dtype = DT_F16, .rank = 2, .shape = {4, 4}, .stride = {8, 1}}, right = left;
    right.offset = 4; // the other half of each row
    assert_false(tensor_overlaps(&a, &left, &right));
    right.offset = 3;
    assert_true(tensor_overlaps(&a, &left, &right) && tensor_overlaps(&a, &right, &left));
    right.storage = other;
    assert_false(tensor_overlaps(&a, &left, &right));
    Tensor bytes = {.storage = s, .dtype = DT_I8, .rank = 1, .shape = {1}, .stride = {1}, .offset = 7};
    assert_true(tensor_overlaps(&a, &left, &bytes)); // the second byte of an element
    bytes.offset = 8;
    assert_false(tensor_overlaps(&a, &left, &bytes)); // in a gap
    bytes.shape[0] = 0;
    bytes.offset = 0;
    assert_false(tensor_overlaps(&a, &left, &bytes));
    Tensor expanded = {.storage = s, .dtype = DT_F16, .rank = 1, .shape = {9}, .stride = {0}, .offset = 1};
    assert_true(tensor_overlaps(&a, &expanded, &left));
    arena_free(&a);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_piece_covers_what_holds_numbers),
        cmocka_unit_test(new_storages_are_not_initialised),
        cmocka_unit_test(full_tables_and_arenas_refuse),
        cmocka_unit_test(exposure_follows_the_view),
        cmocka_unit_test(rows_say_what_a_shadow_would),
        cmocka_unit_test(an_open_storage_reads_like_an_exposed_one),
        cmocka_unit_test(sparse_rooms_are_bounded),
        cmocka_unit_test(inputs_of_zeros_come_from_the_room),
        cmocka_unit_test(overlap_is_of_elements),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
