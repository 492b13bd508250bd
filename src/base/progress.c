#include "base/progress.h"
#include "base/clock.h"
#include <stdio.h>
#include <unistd.h>

static const double redraw_every = 0.1; // seconds

void progress_start(Progress *p, const char *what, size_t total) {
    *p = (Progress){.shown = isatty(STDERR_FILENO) == 1, .total = total, .what = what};
    progress_step(p, 0, NULL);
}

void progress_step(Progress *p, size_t done, const char *note) {
    p->done = done;
    if (!p->shown) return;
    double now = clock_seconds();
    if (done && done < p->total && now - p->last < redraw_every) return;
    p->last = now;
    // Long lines would wrap and could not be cleared again, so the note is cut to what any terminal has.
    fprintf(stderr, "\r\033[K%.32s %zu/%zu%s%.32s", p->what, p->done, p->total, note ? "  " : "",
            note ? note : "");
    fflush(stderr);
}

void progress_end(Progress *p) {
    if (!p->shown) return;
    fputs("\r\033[K", stderr);
    fflush(stderr);
    p->shown = false;
}
