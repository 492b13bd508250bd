// folders.h - folders for tests that write.
#pragma once
#include "making.h"
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

static inline int remove_one(const char *path, const struct stat *st, int kind, struct FTW *f) {
    (void)st, (void)kind, (void)f;
    return remove(path);
}
static inline const char *folder_new(Arena *a) {
    char name[] = "/tmp/ouroboros-train-XXXXXX";
    assert_non_null(mkdtemp(name));
    return str_cdup(a, str_of(name));
}
static inline void folder_gone(const char *path) { nftw(path, remove_one, 16, FTW_DEPTH | FTW_PHYS); }
