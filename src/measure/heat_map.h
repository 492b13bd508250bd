// heat_map.h - numbers by row and column as an SVG that prints: each field with its number, blue above 1, red
// below, on a scale of factors, so that twice as fast and half as fast are equally dark.
#pragma once
#include "base/str.h"

typedef struct {
    Str row, column;
    double value; // above 0; else `mark` is printed
    const char *mark;
} HeatField;
typedef struct {
    const char *title, *legend, *foot, *note; // the last two, small below it, may be NULL
    bool share; // values are shares of one, printed as per cent: only the way up to 1 has colours
    const HeatField *field;
    int fields;
} HeatMap;
enum { HEAT_LINES_MAX = 256 }; // rows, and columns, that are drawn; a last column holds the geometric mean
void heat_map_svg(Buf *out, const HeatMap *m);
