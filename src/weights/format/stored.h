// stored.h - what a weight file holds, whatever its format: tensors by name, still in their file.
#pragma once
#include "weights/format/mapped.h"
#include "weights/format/shown.h"
#include "weights/format/weight.h"

enum { STORED_RANK_MAX = 8, STORED_MAX = 1 << 20 };
typedef struct {
    Str name;
    const char *type_name; // as the format calls it
    int type;              // WeightType; -1: one that no weight may have
    int rank;
    int64_t shape[STORED_RANK_MAX]; // torch's order: the last one is contiguous
    const uint8_t *data;
    size_t bytes;
    const char *file;
    bool used; // somebody knew what it is
} Stored;

typedef struct {
    Stored *at; // in the order of the files
    int count, cap;
    int *order; // by name, once sealed
} StoredTable;

void stored_add(Arena *a, StoredTable *t, const Stored *s);
// No more will come: names can be found now. NULL, or one whose name is there twice. (Sorted rather than
// hashed: names from outside can be made to collide, but not to sort slowly.)
const Stored *stored_seal(Arena *a, StoredTable *t);
Stored *stored_find(const StoredTable *t, Str name); // NULL: none
Shown stored_shape(const Stored *s);                 // "[3, 4]"
