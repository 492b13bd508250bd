// own_program.h - which build of the program is running.
#pragma once
#include "base/sha256.h"

// Of a program's file, what a system loads of it. Its version's text (base/version.h) does not count, nor
// does the linker's hash of the file, which holds that text: a commit that changes nothing else makes no
// other program. A file of another kind counts whole. Tells builds apart; keeps out nobody who wants two to
// look alike.
MUST_CHECK bool program_file_hash(const char *path, Sha256 *out, Err *e);
// Of the one that runs.
MUST_CHECK bool own_program_hash(Sha256 *out, Err *e);
