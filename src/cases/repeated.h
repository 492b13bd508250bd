// repeated.h - a case of many slices (domain.h) that costs little more than one of few: a small block of
// different slices is drawn and evaluated, and its copies fill the tensor. How many the block has is a prime:
// a kernel that takes a slice for another one by some period of its own is wrong in nearly every one. Slices
// that are repeated stand behind each other in memory: here they are called rows.
#pragma once
#include "cases/domain/plan.h"

typedef struct {
    Draw block;           // one case of block_rows() rows; what it expects is right for every copy
    const CaseSpec *spec; // of all rows
    Sealed memory;        // of all rows
    int fd;               // its descriptor, as a child reads it
    size_t bytes, output_bytes;
    int64_t slices; // number of all
    uint64_t seed;  // of the request
} Repeated;

typedef struct {
    const Op *op;
    const Domain *domain; // of that op; NULL: domain_make()
    uint64_t seed;
    DType dtype;
    int64_t slices, length; // how many, and of their lines; rounded into the domain
    const int64_t *dim;     // not NULL: all sizes, instead of those two
    int64_t steps;          // CaseSpec.steps
    int64_t extremes;       // PlannedCase.extremes
    int32_t processors;     // PlannedCase.processors; 0: the usual
    bool strided;           // only where no slice is repeated
    bool block_only;        // the mapping holds the block's rows alone (CaseTensor.held)
    bool windows; // CaseSpec.windows: the other rows are zeros that take no memory, and few programs run
} RepeatedRequest;

// REPEATED_UNFIT: the domain has no such shape, or a row of the answer depends on other rows, so that copies
// of the block would not have the block's answer.
typedef enum { REPEATED_MADE, REPEATED_UNFIT, REPEATED_FAILED } RepeatedMade;
RepeatedMade repeated_make(Arena *a, const RepeatedRequest *q, Repeated *out, Err *e);
void repeated_free(Repeated *r);
