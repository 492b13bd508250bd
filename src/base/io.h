// io.h - whole files in and out, with a size limit at the door.
#pragma once
#include "base/str.h"

enum { IO_PATH = 4096 };

// "-" is standard input. A file larger than `max` is ERR_LIMIT; the message names the path.
MUST_CHECK bool io_read(Arena *a, const char *path, size_t max, Str *out, Err *e);
// The same of a regular file only: where a pipe or a device would wait, or be read in another's place.
MUST_CHECK bool io_read_file(Arena *a, const char *path, size_t max, Str *out, Err *e);
// Writes beside the target and renames, so that a reader (or Ctrl-C) never meets half a file.
MUST_CHECK bool io_write_atomic(const char *path, Str text, Err *e);
// The same in pieces: io_begin(), io_write_all() to its fd as often as needed, io_commit(). io_abandon()
// instead leaves the target as it was. A device or a pipe is written in place.
typedef struct {
    int fd;
    bool in_place, named, exists;
    unsigned mode;
    const char *path; // the caller's, for messages
    char target[IO_PATH], part[IO_PATH];
} IoFile;
MUST_CHECK bool io_begin(IoFile *f, const char *path, Err *e);
MUST_CHECK bool io_commit(IoFile *f, Err *e);
void io_abandon(IoFile *f);
MUST_CHECK bool io_write_all(int fd, const void *p, size_t n, Err *e);
// A memfd that nobody can write or resize any more, ever. Its writable mappings have to be gone; the kernel
// says EBUSY for a moment where it holds a page itself, so that is waited for, two seconds at most.
MUST_CHECK bool io_seal(int fd, const char *what, Err *e);
MUST_CHECK bool io_make_dirs(const char *path, Err *e); // like mkdir -p, mode 0700 for new ones
