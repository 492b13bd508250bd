// sealed.h - memory that this process writes and others read: a memfd that nobody can resize, nor anybody
// else write, whoever gets its descriptor. Pages of such files cost more than what is written to them, so
// files that are given back serve the next: what is taken is zero, up to the end of its last page.
#pragma once
#include "base/err.h"
#include <stddef.h>
#include <stdint.h>

typedef struct SealedFile SealedFile;
typedef struct {
    int fd;       // -1: none
    uint8_t *map; // to be written before sealed_close(), and read from then on
    size_t bytes;
    SealedFile *file;
} Sealed;

// `what` is for messages.
MUST_CHECK bool sealed_take(size_t bytes, const char *what, Sealed *out, Err *e);
// All is written: only now may others see it. The mapping may move, where the system (before Linux 5.1) knows
// no seal that leaves this process its own way to write.
MUST_CHECK bool sealed_close(Sealed *s, const char *what, Err *e);
// Nobody reads it any more. *s becomes empty; an empty one may be given, too.
void sealed_give(Sealed *s);
// Somebody may read on in one that is out at the moment: none of those serves the next.
void sealed_doubt(void);
// Files that nobody has at the moment go; now and then, in a process that runs for long.
void sealed_give_back(void);
