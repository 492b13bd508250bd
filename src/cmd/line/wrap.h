// wrap.h - long lines for people, broken where a terminal is narrow. Files and pipes get them whole: there a
// line is what other programs look for.
#pragma once
#include "base/str.h"
#include <stdio.h>

// Of a terminal: $COLUMNS, else what the terminal says, else 80; at least 40. 0 for a file or a pipe.
int screen_columns(FILE *f);
// Breaks lines at spaces so that each has fewer than `columns` characters; what is broken off begins `hang`
// spaces further in, behind the "# " of a comment. Lines that start with four spaces are pictures or code:
// they stay as they are, as does everything with 0 columns.
void wrap_text(Buf *out, Str text, int columns, int hang);
