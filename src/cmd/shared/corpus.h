// corpus.h - what verbs do with the store.
#pragma once
#include "corpus/timed.h"

// The store of a state directory, as --state gives it, without a referee. ERR_INPUT where there is none.
MUST_CHECK bool store_at(Arena *a, const char *state, Store **out, Err *e);
// times_record(); a store that cannot be written costs no measurement: it is told on standard error.
void times_kept(const char *verb, const char *dir, const Timed *t);
