// smith_kind.h - what a row of smith.def has to bring along.
#pragma once
#include "propose/smith.h"

#define SMITH(id, spelling, words)      \
    bool id##_takes(const char *which); \
    MUST_CHECK bool id##_open(Arena *a, const char *which, const SmithOptions *o, Smith **out, Err *e);
#include "propose/smith.def"
#undef SMITH

enum { SMITH_TIMEOUT = 120 }; // seconds, where SmithOptions does not say

// Options that only a model that runs here understands: ERR_USAGE names the one that was given.
MUST_CHECK bool smith_elsewhere(const SmithOptions *o, Err *e);
// Foreign words for a message, a comment or JSON: UTF-8 on one line, without what a terminal obeys, at most
// `max` bytes.
enum { SMITH_NAME_MAX = 4096 };
const char *smith_words(Arena *a, Str s, size_t max);
