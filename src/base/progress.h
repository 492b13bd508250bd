// progress.h - one line on standard error that tells how far a long command is, how fast it goes and when it
// will be done. Shown only when standard error is a terminal; finished or cleared before anything else is
// printed.
#pragma once
#include <stdbool.h>
#include <stddef.h>

typedef struct {
    bool shown;
    size_t done, total; // total 0: nobody knows
    size_t before;      // of done: an earlier run did it, which says nothing of the speed
    const char *what;
    double started, last; // seconds: of the start, of the last redraw
} Progress;
void progress_start(Progress *p, const char *what, size_t total);
void progress_step(Progress *p, size_t done, const char *note); // note may be NULL
void progress_end(Progress *p);                                 // clears the line
// "  3.1/s  ETA 0:17": of so much in so many seconds; "" in the first second.
void progress_rate(char *out, size_t bytes, size_t done, size_t total, double seconds);
