// hub.h - hf:org/name[@revision][:subfolder] to a path in the local Hugging Face cache. Nothing is
// downloaded: when something is missing, the message gives the command that does.
#pragma once
#include "base/str.h"

bool hub_names(const char *path); // begins with hf:
MUST_CHECK bool hub_path(Arena *a, const char *path, const char **out, Err *e);
// What belongs behind a message that a path is not there: where it has the form of a name, how that is
// written; else "".
const char *hub_instead(Arena *a, const char *path);
// What belongs behind a message that a file is missing: of a folder in the cache, "; get it with: ..."; else
// "".
const char *hub_rest(Arena *a, const char *folder);
