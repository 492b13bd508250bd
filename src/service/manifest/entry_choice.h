// entry_choice.h - a kernel file whose entry is not called `run`: one is written behind it that calls it.
// What comes out is an ordinary kernel file: hash, journal and verdict are of the whole text.
#pragma once
#include "op/op.h"

// `name`: the function or nn.Module to call; NULL: `run` or ModelNew where the file has one, else its only
// public function (no underscore in front, no kernel), or its only nn.Module with a forward, if that calls
// the function or there is no such one. The file as it is where nothing has to be written, and where it does
// not parse or has nothing to enter, which is the judge's business. ERR_USAGE: there is nothing of that name,
// or several could be meant.
typedef struct {
    Str source;
    const char *chosen; // what was chosen without being named: "class SoftmaxModule, ..."; NULL: nothing
} Entered;
MUST_CHECK bool entry_apply(Arena *a, const char *name, const Op *op, Str source, Entered *out, Err *e);
// How often a source speaks of a name, as a variable, a member, an import or a class: a function that is
// written behind it must not change what it means by that.
int times_named(Str source, const char *name);
