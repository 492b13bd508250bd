// opened.h - for tests of checkpoints: opened, or refused with a reason.
#pragma once
#include "making.h"

static Arena arena;

static inline bool opens(const char *path, Checkpoint **c, Err *e) {
    *e = (Err){0};
    return checkpoint_open(&arena, path, c, e);
}

static inline void refused_at(const char *path, const char *says) {
    Checkpoint *c;
    Err e;
    if (opens(path, &c, &e)) fail_msg("accepted, where \"%s\" should be said", says);
    assert_says(e, says);
}

static inline const char *folder_with(const char *changes) {
    Tensors t = tensors_of(&arena, false, true);
    return model_folder(&arena, config_with(&arena, changes), &t);
}

static inline int tear_down(void **state) {
    (void)state;
    arena_free(&arena);
    return 0;
}
