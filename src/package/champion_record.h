// champion_record.h - a folder of champions: OP.py, a kernel, and OP.json, what is known of it.
#pragma once
#include "base/json.h"

typedef struct {
    Str op, op_hash, gpu, source_sha256, source;
    bool changed; // both can be read, and do not belong together
} ChampionRecord;

// The names of all that the folder holds, sorted: what has a record or a kernel. ERR_INPUT: none has.
// `option` is how the caller's user names another folder.
MUST_CHECK bool champion_names(Arena *a, const char *folder, const char *option, const char ***out, int *n,
                               Err *e);
// The kernel's text must be the one that was judged. Texts live while `j` is open; json_close() in any case.
MUST_CHECK bool champion_read(Arena *a, const char *folder, Str name, Json *j, ChampionRecord *out, Err *e);
const char *champion_path(Arena *a, const char *folder, Str name, const char *end);
