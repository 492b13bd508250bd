// corpus.h - what the verbs of `corpus` share.
#pragma once
#include "store/store.h"

// The store of a state directory, as --state gives it, without a referee. ERR_INPUT where there is none.
MUST_CHECK bool store_at(Arena *a, const char *state, Store **out, Err *e);
