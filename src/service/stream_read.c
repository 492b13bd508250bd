#include "service/stream_read.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

enum { READER_STEP = 1 << 16, READER_START = 1 << 18, CUT = 4096 };

bool reader_open(LineReader *r, int fd, Err *e) {
    *r = (LineReader){.fd = fd, .cap = READER_START, .buf = malloc(READER_START)};
    return r->buf || err_set(e, ERR_LIMIT, "out of memory for the stream");
}

void reader_close(LineReader *r) { free(r->buf); }

LineState reader_next(LineReader *r, Str *out) {
    for (;;) {
        size_t left = r->len - r->at;
        char *from = r->buf + r->at, *nl = left ? memchr(from, '\n', left) : NULL;
        if (!nl && left > STREAM_REQUEST_MAX && !r->skipping) {
            // Given out now, with its end still to come: what follows up to the newline is dropped.
            r->skipping = true;
            r->line++;
            *out = (Str){from, left};
            r->at = r->len;
            return LINE_TOO_LONG;
        }
        if (!nl && !r->ended) {
            if (r->skipping) r->at = r->len;
            return LINE_NONE;
        }
        if (!nl && !left) return LINE_END;
        size_t len = nl ? (size_t)(nl - from) : left;
        r->at += len + (nl != NULL);
        if (r->skipping) {
            r->skipping = false;
            continue;
        }
        r->line++;
        *out = (Str){from, len};
        return len > STREAM_REQUEST_MAX ? LINE_TOO_LONG : LINE_READY;
    }
}

bool reader_fill(LineReader *r, Err *e) {
    if (r->at) memmove(r->buf, r->buf + r->at, r->len - r->at);
    r->len -= r->at;
    r->at = 0;
    // A buffer that one long line made large is given back.
    size_t cap = r->cap;
    if (r->cap - r->len < READER_STEP) cap *= 2;
    if (r->len < CUT && r->cap > READER_START) cap = READER_START;
    if (cap != r->cap) {
        char *moved = realloc(r->buf, cap);
        if (!moved) return err_set(e, ERR_LIMIT, "out of memory for a line of the stream");
        r->buf = moved;
        r->cap = cap;
    }
    ssize_t n;
    do n = read(r->fd, r->buf + r->len, r->cap - r->len);
    while (n < 0 && errno == EINTR);
    if (n < 0 && errno != EAGAIN) return err_set(e, ERR_IO, "cannot read the stream: %s", strerror(errno));
    if (n == 0) r->ended = true;
    if (n > 0) r->len += (size_t)n;
    return true;
}
