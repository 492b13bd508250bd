// compile_cache.h - what was compiled, on disk: one file for each key. Private to measure/.
#pragma once
#include "base/sha256.h"
#include "measure/compile/compile_answer.h"

// Everything that the compiler's output depends on: source, params, options, target, versions.
Sha256 compile_key(Arena *scratch, const RunKernel *k, int capability, const char *versions);
// False: it is not there, or is no such file (which is as good as not there).
bool compile_cache_find(Arena *a, const char *folder, Sha256 key, const RunKernel *k, Cubin *out);
MUST_CHECK bool compile_cache_keep(const char *folder, Sha256 key, const Cubin *c, Err *e);
