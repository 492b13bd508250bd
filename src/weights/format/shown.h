// shown.h - text from outside in a message: what a terminal would obey is left out, and long text is cut.
#pragma once
#include "base/str.h"

typedef struct {
    char at[100];
} Shown;
Shown shown(Str s); // shown(name).at lives to the end of the expression
