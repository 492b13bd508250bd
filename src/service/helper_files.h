// helper_files.h - the folder of --include: helper files that candidates may import from. Only regular files
// that lie directly in it count, as text; nothing else of the folder is ever opened, and no path comes from a
// candidate.
#pragma once
#include "lang/library.h"

// All of them, sorted by name, as library_pack() writes them. ERR_INPUT, with the file, for more or larger
// ones than a library holds and for a file that would hide a module every kernel file imports.
MUST_CHECK bool include_read(Arena *a, const char *dir, Str *out, Err *e);
// Of which package a file is a module, by the folders around it that have an __init__.py: "unsloth.kernels".
// Empty: of none, or its folder cannot be looked at.
Str package_of(Arena *a, const char *path);
