// entry_choice.h - a kernel file whose entry is not called `run`: one is written behind it that calls it.
// What comes out is an ordinary kernel file: hash, journal and verdict are of the whole text.
#pragma once
#include "op/op.h"

// `name`: the function to call; NULL: `run` or ModelNew where the file has one, else its only public function
// (no underscore in front, no kernel). The file as it is where nothing has to be written, and where it does
// not parse or several functions could be meant, which is the judge's business.
// ERR_USAGE: there is no function of that name.
typedef struct {
    Str source;
    const char *several; // functions that could be meant; NULL: it is clear
} Entered;
MUST_CHECK bool entry_apply(Arena *a, const char *name, const Op *op, Str source, Entered *out, Err *e);
// How often a source speaks of a name, as a variable, a member, an import or a class: a function that is
// written behind it must not change what it means by that.
int times_named(Str source, const char *name);
