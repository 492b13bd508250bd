#include "base/progress.h"
#include "base/clock.h"
#include <stdio.h>
#include <unistd.h>

static const double redraw_every = 0.1, // seconds
    rate_after = 1.0;                   // before, it would only jump about

void progress_start(Progress *p, const char *what, size_t total) {
    *p = (Progress){.shown = isatty(STDERR_FILENO) == 1, .total = total, .what = what};
    p->started = clock_seconds();
    progress_step(p, 0, NULL);
}

void progress_rate(char *out, size_t bytes, size_t done, size_t total, double seconds) {
    out[0] = 0;
    if (!done || seconds < rate_after) return;
    double rate = (double)done / seconds, left = done < total ? (double)(total - done) / rate : 0;
    int n = rate >= 1e4   ? snprintf(out, bytes, "  %.0fk/s", rate / 1e3)
            : rate >= 10  ? snprintf(out, bytes, "  %.0f/s", rate)
            : rate >= 0.1 ? snprintf(out, bytes, "  %.1f/s", rate)
                          : snprintf(out, bytes, "  %.1f/min", rate * 60);
    if (done >= total || left >= 1e6 || n < 0 || (size_t)n >= bytes) return;
    long s = (long)(left + 0.5);
    if (s >= 3600)
        snprintf(out + n, bytes - (size_t)n, "  ETA %ld:%02ld:%02ld", s / 3600, s / 60 % 60, s % 60);
    else
        snprintf(out + n, bytes - (size_t)n, "  ETA %ld:%02ld", s / 60, s % 60);
}

void progress_step(Progress *p, size_t done, const char *note) {
    p->done = done;
    if (!p->shown) return;
    double now = clock_seconds();
    if (done && done < p->total && now - p->last < redraw_every) return;
    p->last = now;
    char rate[40];
    progress_rate(rate, sizeof rate, p->done - p->before, p->total - p->before, now - p->started);
    // Long lines would wrap and could not be cleared again, so all of it is cut to what any terminal has.
    char line[79];
    int n = p->total ? snprintf(line, sizeof line, "%.24s %zu/%zu%s", p->what, p->done, p->total, rate)
                     : snprintf(line, sizeof line, "%.24s %zu", p->what, p->done);
    if (note && n >= 0 && (size_t)n < sizeof line) snprintf(line + n, sizeof line - (size_t)n, "  %s", note);
    fprintf(stderr, "\r\033[K%s", line);
    fflush(stderr);
}

void progress_end(Progress *p) {
    if (!p->shown) return;
    fputs("\r\033[K", stderr);
    fflush(stderr);
    p->shown = false;
}
