// included_host.h - host functions that a kernel file imports from the files of --include: they are put
// behind the file, with what they reach, as if they stood in it. What comes out is an ordinary kernel file,
// and judged as one.
#pragma once
#include "op/op.h"

typedef struct {
    Str source;
    size_t own; // where the file's own text ends; source.len where nothing was put behind it
} IncludedHost;
// `include`: helper files (library_pack), or empty. `package`: of which package the file is a module, such as
// "unsloth.kernels", or empty; its imports by dots from files that are not here are spelled out where
// host/normalize/foreign.def knows what they mean there.
// The file as it is where it imports no such function, or where what is put behind it could mean something
// else than Python makes of it: a name that has two meanings, one that a file of --include changes, a
// function that is called while the file is read. The judge then names that import.
void included_host(Arena *a, Str source, Str include, Str package, IncludedHost *out);
