// entry_choice.h - a kernel file whose entry is not called `run`: one is written behind it that calls it.
// What comes out is an ordinary kernel file: hash, journal and verdict are of the whole text.
#pragma once
#include "op/op.h"

// `name`: the function, nn.Module or autograd.Function to call; NULL: `run` or ModelNew where the file has
// one, else its only public function (no underscore in front, no kernel), or of several the one that launches
// kernels, is no test by its name and no part of another such one; or its only nn.Module with a forward, if
// that calls the function or there is no such one. Where an entry is named or chosen, what it does not reach
// is left out, unless that changes something else when the file is imported (manifest_source.h). The file as
// it is where nothing has to be written or left out, and where it does not parse or has nothing to enter,
// which is the judge's business. ERR_USAGE: there is nothing of that name, or several could be meant.
typedef struct {
    Str source;
    // What was chosen without being named, and what is left out: "class SoftmaxModule, ...; left out, ...";
    // NULL: neither.
    const char *chosen;
} Entered;
MUST_CHECK bool entry_apply(Arena *a, const char *name, const Op *op, Str source, Entered *out, Err *e);
// How often a source speaks of a name, as a variable, an import or a class: a function that is
// written behind it must not change what it means by that.
int times_named(Str source, const char *name);
