// io.h - whole files in and out, with a size limit at the door.
#pragma once
#include "base/str.h"

// "-" is standard input. A file larger than `max` is ERR_LIMIT; the message names the path.
MUST_CHECK bool io_read(Arena *a, const char *path, size_t max, Str *out, Err *e);
// Writes beside the target and renames, so that a reader (or Ctrl-C) never meets half a file.
MUST_CHECK bool io_write_atomic(const char *path, Str text, Err *e);
MUST_CHECK bool io_write_all(int fd, const void *p, size_t n, Err *e);
MUST_CHECK bool io_make_dirs(const char *path, Err *e); // like mkdir -p, mode 0700 for new ones
