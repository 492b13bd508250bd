// pipe.h - answers of a program that is asked in JSON lines (pipe.c), as pure functions for tests and
// fuzzing.
#pragma once
#include "propose/smith.h"

enum { PIPE_LINE_MAX = 8 << 20 }; // bytes: a reply of REPLY_MAX with every character escaped fits

typedef struct {
    Str id;        // as the request gave it
    int64_t index; // which of the n drafts; -1: not said
    Str text;
    bool cut;   // "end": "length"
    int tokens; // 0: not said
    Str error;  // "error": what went wrong instead of a text; p == NULL: nothing
} PipeAnswer;
// Any bytes are allowed; texts live in `a`. ERR_INPUT says what is wrong with the line.
MUST_CHECK bool pipe_answer_read(Arena *a, Str line, PipeAnswer *out, Err *e);
