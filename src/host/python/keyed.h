// keyed.h - what host code finds under keys, for whoever looks for shapes that meet under one
// (tile/cover/key_notes.h). Nothing where nobody does.
#pragma once
#include "host/python/value.h"

// A look-up, or a search of a list, has found this key; two values that are compared are equal.
void keyed_found(const Interp *in, Span at, Value key);
// An item of a list, by its number: a table whose slots are empty at first.
void keyed_item(const Interp *in, Span at, int64_t index, Value item);
// A value, or the items of a tuple, that may outlive the call: in an attribute, as a key or a value of a
// dictionary, in a list.
void keyed_put(const Interp *in, Span at, Value v);
