// package.h - champions as a Python package: a folder that `pip install` takes, where each op is a function
// and an operator of PyTorch. What all packages share is Python text in package/python; what is written here
// is one op: its kernel and its definition as they are, and a module that says within which bounds the kernel
// was judged.
#pragma once
#include "op/op.h"
#include "package/champion_record.h"

typedef struct {
    Op op;
    Str source, source_sha256, op_hash, gpu, feedback, version;
    int64_t longest_row, most_elements; // that the verdict covers
} PackagedOp;

// Copies what it needs out of the record. ERR_INPUT says why this champion cannot be packaged: it was judged
// by another definition, or not at full, or is not a function of rows that returns one tensor.
MUST_CHECK bool packaged_op(Arena *a, const Op *op, const ChampionRecord *k, const Json *j, PackagedOp *out,
                            Err *e);
// Into a folder that holds nothing of what is written: no package yet, but no README.md of somebody's either.
MUST_CHECK bool package_write(const char *folder, const PackagedOp *op, int n, Err *e);
