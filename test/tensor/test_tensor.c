// Tensors: sizes, strides and views, as torch has them.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "base/numeric/rng.h"
#include "tensor/tensor.h"
#include <stdlib.h>

static void sizes_are_checked(void **state) {
    (void)state;
    int64_t n = 5;
    assert_true(shape_numel((int64_t[]){3, 4}, 2, &n) && n == 12);
    assert_true(shape_numel(NULL, 0, &n) && n == 1);
    assert_true(shape_numel((int64_t[]){7, 0, 9}, 3, &n) && n == 0);
    assert_false(shape_numel((int64_t[]){3, -1}, 2, &n));
    assert_false(shape_numel((int64_t[]){INT64_MAX, 2}, 2, &n));
    assert_false(shape_numel((int64_t[]){0, INT64_MAX, INT64_MAX}, 3, &n)); // its strides would overflow
    assert_false(shape_numel((int64_t[]){1, INT64_MIN}, 2, &n));
}

static void contiguity_ignores_sizes_of_one(void **state) {
    (void)state;
    Tensor t = {.rank = 3, .shape = {4, 1, 6}, .stride = {6, 999, 1}};
    assert_true(tensor_is_contiguous(&t));
    t.stride[0] = 7;
    assert_false(tensor_is_contiguous(&t));
    t.shape[0] = 1;
    assert_true(tensor_is_contiguous(&t));
    t = (Tensor){.rank = 2, .shape = {0, 6}, .stride = {99, 3}};
    assert_true(tensor_is_contiguous(&t));
}

// What torch answers for t.view(...), case by case.
static void views_follow_torch(void **state) {
    (void)state;
    Tensor t = {.rank = 2, .shape = {4, 6}, .stride = {8, 1}}, v; // rows with a gap
    assert_false(tensor_view(&t, (int64_t[]){24}, 1, &v));
    assert_true(tensor_view(&t, (int64_t[]){2, 2, 3, 2}, 4, &v));
    assert_true(v.stride[0] == 16 && v.stride[1] == 8 && v.stride[2] == 2 && v.stride[3] == 1);
    assert_true(tensor_view(&t, (int64_t[]){4, -1, 2}, 3, &v) && v.shape[1] == 3);
    assert_true(tensor_view(&t, (int64_t[]){1, 4, 1, 6, 1}, 5, &v));
    assert_false(tensor_view(&t, (int64_t[]){5, 5}, 2, &v));
    assert_false(tensor_view(&t, (int64_t[]){-1, -1}, 2, &v));
    assert_false(tensor_view(&t, (int64_t[]){-1, 7}, 2, &v));
    assert_false(tensor_view(&t, (int64_t[]){-2, -12}, 2, &v));
    assert_false(
        tensor_view(&t, (int64_t[]){1, 1, 1, 1, 1, 1, 1, 4, 6}, 9, &v)); // more dimensions than we hold
    t = (Tensor){.rank = 2, .shape = {6, 4}, .stride = {1, 6}};          // transposed
    assert_false(tensor_view(&t, (int64_t[]){24}, 1, &v));
    assert_true(tensor_view(&t, (int64_t[]){2, 3, 2, 2}, 4, &v) && v.stride[0] == 3 && v.stride[2] == 12);
    t = (Tensor){.rank = 2, .shape = {3, 4}, .stride = {0, 1}}; // expanded
    assert_false(tensor_view(&t, (int64_t[]){12}, 1, &v));
    t = (Tensor){.rank = 2, .shape = {3, 4}, .stride = {0, 0}};
    assert_true(tensor_view(&t, (int64_t[]){12}, 1, &v) && v.stride[0] == 0);
    t = (Tensor){.rank = 0};
    assert_true(tensor_view(&t, (int64_t[]){1, 1}, 2, &v) && v.rank == 2);
    assert_true(tensor_view(&v, NULL, 0, &v) && v.rank == 0);
    t = (Tensor){.rank = 2, .shape = {0, 4}, .stride = {4, 1}};
    assert_true(tensor_view(&t, (int64_t[]){7, 0}, 2, &v));
    assert_false(tensor_view(&t, (int64_t[]){-1, 0}, 2, &v));
}

static int64_t nth_offset(const Tensor *t, int64_t n) {
    int64_t index[TENSOR_RANK_MAX] = {0};
    for (int d = t->rank - 1; d >= 0; d--) {
        index[d] = n % t->shape[d];
        n /= t->shape[d];
    }
    return tensor_at(t, index);
}

// Any view that is granted lists the same elements in the same order; refused ones of one dimension really
// have no single stride.
static void views_keep_the_order(void **state) {
    (void)state;
    Rng r = rng_at(3, 9);
    int granted = 0, refused = 0;
    for (int round = 0; round < 4000; round++) {
        Tensor t = {.rank = (int)rng_between(&r, 1, 4), .offset = 3}, v;
        int64_t sizes[TENSOR_RANK_MAX], numel = 1, left;
        for (int d = t.rank - 1; d >= 0; d--) {
            t.shape[d] = rng_between(&r, 1, 4);
            t.stride[d] = rng_below(&r, 3) ? numel : rng_between(&r, 0, 9);
            numel *= t.shape[d];
        }
        left = numel;
        int rank = (int)rng_between(&r, 1, 4);
        for (int d = 0; d < rank; d++) {
            int64_t s = 1 + (int64_t)rng_below(&r, 4);
            sizes[d] = d == rank - 1 ? left : left % s == 0 ? s : 1;
            left /= sizes[d];
        }
        if (tensor_view(&t, sizes, rank, &v)) {
            granted++;
            for (int64_t i = 0; i < numel; i++) assert_true(nth_offset(&t, i) == nth_offset(&v, i));
        } else {
            refused++;
            bool even = true;
            for (int64_t i = 2; i < numel; i++)
                even = even &&
                       nth_offset(&t, i) - nth_offset(&t, i - 1) == nth_offset(&t, 1) - nth_offset(&t, 0);
            assert_false(even);
        }
    }
    assert_true(granted > 1000 && refused > 300);
}

static void transposes(void **state) {
    (void)state;
    Tensor t = {.rank = 3, .shape = {2, 3, 4}, .stride = {12, 4, 1}}, v;
    assert_true(tensor_transpose(&t, 0, -1, &v));
    assert_true(v.shape[0] == 4 && v.stride[0] == 1 && v.shape[2] == 2 && v.stride[2] == 12);
    assert_false(tensor_transpose(&t, 0, 3, &v));
    assert_false(tensor_transpose(&t, -4, 0, &v));
    t = (Tensor){.rank = 0};
    assert_true(tensor_transpose(&t, 0, -1, &v));
    assert_false(tensor_transpose(&t, 0, 1, &v));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sizes_are_checked),  cmocka_unit_test(contiguity_ignores_sizes_of_one),
        cmocka_unit_test(views_follow_torch), cmocka_unit_test(views_keep_the_order),
        cmocka_unit_test(transposes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
