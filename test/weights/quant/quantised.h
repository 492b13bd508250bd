// quantised.h - for tests of quantising: a checkpoint written as GGUF.
#pragma once
#include <dirent.h>
#include <math.h>

#include "weights/files.h"
#include "weights/making.h"
#include "weights/quant/quantize.h"

static Arena arena;
static Pool *pool;

static inline bool writes(const char *from, const char *to, FileType type, QuantiseReport *r, Err *e) {
    Checkpoint *c;
    *e = (Err){0};
    if (!checkpoint_open(&arena, from, &c, e)) return false;
    QuantiseRequest q = {.from = c, .path = to, .type = type, .pool = pool};
    bool ok = checkpoint_quantise(&arena, &q, r, e);
    checkpoint_close(c);
    return ok;
}

static inline Checkpoint *opened(const char *path) {
    Checkpoint *c = NULL;
    Err e = {0};
    if (!checkpoint_open(&arena, path, &c, &e)) fail_msg("%s", e.msg);
    return c;
}

static inline int set_up(void **state) {
    (void)state;
    pool = pool_open(2);
    return 0;
}
static inline int tear_down(void **state) {
    (void)state;
    pool_close(pool);
    arena_free(&arena);
    return 0;
}
