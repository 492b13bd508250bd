// names.h - a table from names to numbers. Private to lang/. Names are borrowed.
#pragma once
#include "base/str.h"

typedef struct {
    Arena *arena;
    struct NameSlot *slot;
    uint32_t cap, count; // cap is 0 or a power of two
} NameTable;

#define NAMES(a) ((NameTable){.arena = (a)})
// The number of the name, or NULL. Valid until the next names_put().
int *names_find(const NameTable *t, Str name);
// The same, after adding the name with `value` if it was not there; *added tells which (may be NULL).
int *names_put(NameTable *t, Str name, int value, bool *added);
