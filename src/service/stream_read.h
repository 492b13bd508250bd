// stream_read.h - lines from a descriptor, one at a time, in a buffer that never outgrows one line of the
// largest size.
#pragma once
#include "service/request.h"

typedef struct {
    int fd;
    char *buf; // from malloc: it outlives every request
    size_t at, len, cap;
    bool ended, skipping; // skipping: inside a line that is too long
    long line;            // of the last one that was given out
} LineReader;

typedef enum { LINE_NONE, LINE_READY, LINE_TOO_LONG, LINE_END } LineState;

MUST_CHECK bool reader_open(LineReader *r, int fd, Err *e);
void reader_close(LineReader *r);
// A complete line without its newline, if one is in the buffer; of a line that is too long, its start. Valid
// until the next call of reader_fill().
LineState reader_next(LineReader *r, Str *out);
// Reads what is there; waits for it if nothing is.
MUST_CHECK bool reader_fill(LineReader *r, Err *e);
