// lines.h - elements of a tensor by line and by slice (domain.h), wherever they lie in its storage.
#pragma once
#include "cases/domain/domain.h"

typedef struct {
    const CaseTensor *t;
    int64_t lines, length;
    int axes, axis[TENSOR_RANK_MAX];    // that a line runs along
    int others, other[TENSOR_RANK_MAX]; // the rest
} Lines;

Lines lines_of(const CaseTensor *t, const LineAxes *axes);
int64_t line_at(const Lines *l, int64_t line); // the first element of a line, from the storage's beginning
void line_load(const Lines *l, const uint8_t *map, int64_t line, double *out);
void line_store(const Lines *l, uint8_t *map, int64_t line, const double *in);

// Element k, row-major, from the storage's beginning.
int64_t tensor_element(const CaseTensor *t, int64_t k);
// Slices along an axis; -1: all of the tensor is the only one. How many elements a slice has, and which of
// all elements, row-major, element k of a slice is.
int64_t slice_size(const int64_t *shape, int rank, int axis);
int64_t slice_element(const int64_t *shape, int rank, int axis, int64_t slice, int64_t k);
// Slice `from` of x becomes slice `to` of y; both are laid out alike, but for where they begin. What lies
// between elements stays as it is.
void slice_copy(uint8_t *map, const CaseTensor *y, int64_t to, const CaseTensor *x, int64_t from, int axis);
