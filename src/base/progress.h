// progress.h - one line on standard error that tells how far a long command is. Shown only when standard
// error is a terminal; finished or cleared before anything else is printed.
#pragma once
#include <stdbool.h>
#include <stddef.h>

typedef struct {
    bool shown;
    size_t done, total;
    const char *what;
    double last; // seconds of the last redraw
} Progress;
void progress_start(Progress *p, const char *what, size_t total);
void progress_step(Progress *p, size_t done, const char *note); // note may be NULL
void progress_end(Progress *p);                                 // clears the line
