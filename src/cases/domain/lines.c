#include "cases/domain/lines.h"

#include <string.h>

Lines lines_of(const CaseTensor *t, const LineAxes *axes) {
    Lines l = {.t = t, .lines = 1, .length = 1, .axes = axes->axes};
    bool along[TENSOR_RANK_MAX] = {0};
    for (int i = 0; i < axes->axes; i++) {
        l.axis[i] = axes->axis[i];
        along[axes->axis[i]] = true;
        l.length *= t->shape[axes->axis[i]];
    }
    for (int d = 0; d < t->rank; d++) {
        if (along[d]) continue;
        l.other[l.others++] = d;
        l.lines *= t->shape[d];
    }
    return l;
}

int64_t line_at(const Lines *l, int64_t line) {
    int64_t at = l->t->offset;
    for (int i = l->others - 1; i >= 0; i--) {
        int d = l->other[i];
        at += line % l->t->shape[d] * l->t->stride[d];
        line /= l->t->shape[d];
    }
    return at;
}

// A line is made of runs along its last axis. *run: how long they are; *step: from element to element.
static int64_t runs_of(const Lines *l, int64_t *run, int64_t *step) {
    int last = l->axes ? l->axis[l->axes - 1] : -1;
    *run = last < 0 ? 1 : l->t->shape[last];
    *step = last < 0 ? 1 : l->t->stride[last];
    return *run > 0 ? l->length / *run : 0;
}

static int64_t run_at(const Lines *l, int64_t run) {
    int64_t at = 0;
    for (int i = l->axes - 2; i >= 0; i--) {
        int d = l->axis[i];
        at += run % l->t->shape[d] * l->t->stride[d];
        run /= l->t->shape[d];
    }
    return at;
}

void line_load(const Lines *l, const uint8_t *map, int64_t line, double *out) {
    DType t = (DType)l->t->dtype;
    int64_t n, step, runs = runs_of(l, &n, &step), first = line_at(l, line);
    for (int64_t k = 0; k < runs; k++)
        dtype_load_row(t, map + l->t->at + (first + run_at(l, k)) * dtype_bytes(t), step, out + k * n,
                       (size_t)n);
}

void line_store(const Lines *l, uint8_t *map, int64_t line, const double *in) {
    DType t = (DType)l->t->dtype;
    int64_t n, step, runs = runs_of(l, &n, &step), first = line_at(l, line);
    for (int64_t k = 0; k < runs; k++)
        dtype_store_row(t, map + l->t->at + (first + run_at(l, k)) * dtype_bytes(t), step, in + k * n,
                        (size_t)n);
}

int64_t tensor_element(const CaseTensor *t, int64_t k) {
    int64_t at = t->offset;
    for (int d = t->rank - 1; d >= 0; d--) {
        at += k % t->shape[d] * t->stride[d];
        k /= t->shape[d];
    }
    return at;
}

int64_t slice_size(const int64_t *shape, int rank, int axis) {
    int64_t n = 1;
    for (int d = 0; d < rank; d++)
        if (d != axis) n *= shape[d];
    return n;
}

int64_t slice_element(const int64_t *shape, int rank, int axis, int64_t slice, int64_t k) {
    if (axis < 0) return k;
    int64_t inner = 1;
    for (int d = axis + 1; d < rank; d++) inner *= shape[d];
    return (k / inner * shape[axis] + slice) * inner + k % inner;
}

void slice_copy(uint8_t *map, const CaseTensor *y, int64_t to, const CaseTensor *x, int64_t from, int axis) {
    int64_t size = dtype_bytes((DType)x->dtype), run = 1, all = slice_size(x->shape, x->rank, axis);
    // Elements that lie beside each other go together.
    for (int d = x->rank - 1; d > axis && x->stride[d] == run; d--) run *= x->shape[d];
    for (int64_t k = 0; run > 0 && k < all; k += run) {
        int64_t source = tensor_element(x, slice_element(x->shape, x->rank, axis, from, k)),
                target = tensor_element(y, slice_element(y->shape, y->rank, axis, to, k));
        memcpy(map + y->at + target * size, map + x->at + source * size, (size_t)(run * size));
    }
}
