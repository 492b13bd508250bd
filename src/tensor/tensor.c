#include "tensor/tensor.h"
#include <assert.h>

bool shape_numel(const int64_t *shape, int rank, int64_t *out) {
    int64_t n = 1, strides = 1; // strides: with sizes of 0 counted as 1, what contiguous strides multiply
    for (int d = 0; d < rank; d++) {
        if (shape[d] < 0) return false;
        if (__builtin_mul_overflow(strides, shape[d] ? shape[d] : 1, &strides)) return false;
        n = shape[d] == 0 || n == 0 ? 0 : strides;
    }
    *out = n;
    return true;
}

int64_t tensor_numel(const Tensor *t) {
    int64_t n = 0;
    bool fits = shape_numel(t->shape, t->rank, &n);
    assert(fits);
    (void)fits;
    return n;
}

void tensor_contiguous_strides(Tensor *t) {
    int64_t stride = 1;
    for (int d = t->rank - 1; d >= 0; d--) {
        t->stride[d] = stride;
        stride *= t->shape[d] ? t->shape[d] : 1;
    }
}

bool tensor_is_contiguous(const Tensor *t) {
    if (tensor_numel(t) == 0) return true;
    int64_t expected = 1;
    for (int d = t->rank - 1; d >= 0; d--) {
        if (t->shape[d] == 1) continue;
        if (t->stride[d] != expected) return false;
        expected *= t->shape[d];
    }
    return true;
}

// Replaces one size of -1 by what makes the numbers of elements agree.
static bool infer_size(const int64_t *shape, int rank, int64_t numel, int64_t *out) {
    int64_t known = 1, found = 0;
    int open = -1;
    if (rank > TENSOR_RANK_MAX) return false;
    for (int d = 0; d < rank; d++) {
        if (shape[d] == -1 && open >= 0) return false;
        if (shape[d] == -1) open = d;
        out[d] = shape[d] == -1 ? 1 : shape[d];
    }
    if (!shape_numel(out, rank, &known)) return false;
    if (open < 0) return known == numel;
    if (known == 0 || numel % known != 0) return false; // 0 elements: any size would do, torch refuses
    out[open] = numel / known;
    return shape_numel(out, rank, &found) && found == numel;
}

// Torch's rule: the old dimensions fall into groups, each of which is evenly strided inside; every group must
// be covered exactly by consecutive new dimensions. Both are walked from the last dimension.
bool tensor_view(const Tensor *t, const int64_t *shape, int rank, Tensor *out) {
    int64_t sizes[TENSOR_RANK_MAX] = {0}, numel = tensor_numel(t);
    if (!infer_size(shape, rank, numel, sizes)) return false;
    Tensor r = *t;
    r.rank = rank;
    memset(r.stride, 0, sizeof r.stride);
    memcpy(r.shape, sizes, sizeof r.shape);
    bool same = rank == t->rank && memcmp(sizes, t->shape, (size_t)rank * sizeof *sizes) == 0;
    if (numel == 0 || t->rank == 0) {
        tensor_contiguous_strides(&r);
        if (same) memcpy(r.stride, t->stride, sizeof r.stride);
        *out = r;
        return true;
    }
    int next = rank - 1;
    for (int d = t->rank - 1; d >= 0;) {
        int64_t unit = t->stride[d], group = t->shape[d];
        for (d--; d >= 0 && (t->shape[d] == 1 || t->stride[d] == group * unit); d--) group *= t->shape[d];
        int64_t covered = 1;
        for (; next >= 0 && (covered < group || sizes[next] == 1); next--) {
            r.stride[next] = covered * unit;
            covered *= sizes[next];
        }
        if (covered != group) return false;
    }
    *out = r;
    return next < 0;
}

static bool wrap_dim(int *d, int rank) {
    if (*d < 0) *d += rank;
    return *d >= 0 && *d < rank;
}

bool tensor_transpose(const Tensor *t, int d0, int d1, Tensor *out) {
    if (t->rank == 0 && d0 >= -1 && d0 <= 0 && d1 >= -1 && d1 <= 0) return *out = *t, true;
    if (!wrap_dim(&d0, t->rank) || !wrap_dim(&d1, t->rank)) return false;
    Tensor r = *t;
    r.shape[d0] = t->shape[d1];
    r.stride[d0] = t->stride[d1];
    r.shape[d1] = t->shape[d0];
    r.stride[d1] = t->stride[d0];
    *out = r;
    return true;
}

int64_t tensor_at(const Tensor *t, const int64_t *index) {
    int64_t at = t->offset;
    for (int d = 0; d < t->rank; d++) at += index[d] * t->stride[d];
    return at;
}
