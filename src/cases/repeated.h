// repeated.h - a case of many rows that costs little more than one of few: a small block of different rows is
// drawn and evaluated, and its copies fill the tensor. How many rows the block has is a prime: a kernel that
// takes a row for another one by some period of its own is wrong in nearly every row.
#pragma once
#include "cases/plan.h"

typedef struct {
    Draw block;           // one case of block_rows() rows; what it expects is right for every copy
    const CaseSpec *spec; // of all rows
    int fd;               // sealed memfd as a child reads it
    size_t bytes, output_bytes;
    int64_t rows; // number of all rows
} Repeated;

typedef struct {
    const Op *op;
    uint64_t seed;
    DType dtype;
    int64_t rows, columns; // rounded into the op's domain
    int64_t steps;         // CaseSpec.steps
    bool strided;          // only where no row is repeated
    bool windows; // CaseSpec.windows: the other rows are zeros that take no memory, and few programs run
} RepeatedRequest;

// REPEATED_UNFIT: the domain has no such shape, or a row of the answer depends on other rows, so that copies
// of the block would not have the block's answer.
typedef enum { REPEATED_MADE, REPEATED_UNFIT, REPEATED_FAILED } RepeatedMade;
RepeatedMade repeated_make(Arena *a, const RepeatedRequest *q, Repeated *out, Err *e);
void repeated_free(Repeated *r);
