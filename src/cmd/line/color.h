// color.h - colour for people: verdicts and carets, on a terminal only. Text is made without; what is printed
// is painted on its way out, so that files, pipes and JSON never hold any.
#pragma once
#include "base/str.h"
#include <stdio.h>

// --color: "auto" (on a terminal, unless NO_COLOR is set or TERM is dumb), "always" or "never".
void color_choose(const char *when);
bool color_on(FILE *f);
// Prints text for people; painted where color_on(f): "accepted" green, "rejected" red, "undecided" yellow
// where they are said of a kernel, lines of carets bold.
void print_text(FILE *f, Str text);
void print_result(Str text, bool json); // on standard output, JSON as it is
void paint_text(Buf *out, Str text);    // what print_text() prints with colour
