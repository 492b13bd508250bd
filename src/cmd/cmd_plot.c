#include <stdio.h>

#include "base/io.h"
#include "cmd/line/cmd.h"
#include "train/plot.h"

// "runs/a" and "runs/a/metrics.jsonl" are the same run, called "a".
static bool run_read(Arena *a, const char *given, PlotRun *out, Err *e) {
    enum { BYTES_MAX = 1 << 30 };
    Str text, path = str_of(given);
    while (path.len > 1 && path.p[path.len - 1] == '/') path.len--;
    if (str_ends(path, "/metrics.jsonl")) path.len -= strlen("/metrics.jsonl");
    const char *file = arena_printf(a, "%.*s/metrics.jsonl", STR_ARG(path));
    return io_read_file(a, file, BYTES_MAX, &text, e) &&
           plot_read(a, file, str_last_part(path, '/'), text, out, e);
}

int cmd_plot(int argc, char **argv) {
    const char *file = NULL;
    const Option options[] = {{"-o", OPTION_TEXT, &file}};
    Positionals rest;
    PlotRun run[PLOT_RUNS_MAX];
    Err e = {0};
    if (!options_parse(&(CommandLine){"plot", argc, argv}, options, sizeof options / sizeof *options, &rest,
                       &e))
        return cmd_fail("plot", &e);
    Arena a = {0};
    Buf svg = BUF(&a);
    bool ok = true;
    for (int i = 0; ok && i < rest.n; i++) ok = run_read(&a, rest.at[i], &run[i], &e);
    if (ok) plot_svg(run, rest.n, &svg);
    if (ok && file) ok = io_write_atomic(file, buf_str(&svg), &e);
    if (ok && !file) fwrite(svg.p, 1, svg.len, stdout);
    int code = ok ? EXIT_OK : cmd_fail("plot", &e);
    arena_free(&a);
    return code;
}
