// plot.h - a picture of one or several runs, made of their metrics.jsonl: the loss over steps, and beside it,
// where the runs have a gate, the share of accepted samples. SVG, of a size and in colours that can be
// printed; lines also differ by their dashes, so that they can be told apart without colour.
#pragma once
#include "base/str.h"
#include <stdint.h>

enum { PLOT_RUNS_MAX = 8, PLOT_GROUPS_MAX = 8 };
typedef struct {
    double step, value;
} PlotPoint;
typedef struct {
    PlotPoint *at;
    int n, room;
} PlotLine;
typedef struct {
    Str name;
    PlotLine loss, held;             // of steps, and on held-out documents
    PlotLine valid;                  // share of all samples
    PlotLine group[PLOT_GROUPS_MAX]; // of one op's
    Str group_name[PLOT_GROUPS_MAX];
    int groups;
} PlotRun;

// From the text of a metrics.jsonl; `name` is the caption, and `file` stands in messages. Every line is
// checked.
MUST_CHECK bool plot_read(Arena *a, const char *file, Str name, Str text, PlotRun *out, Err *e);
void plot_svg(const PlotRun *run, int runs, Buf *out);
