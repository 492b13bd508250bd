// prompt.h - how a model is asked for a kernel. A profile is a text file (profile/*.txt, or a user's):
//
//     # a comment
//     temperature 0.7        also top_p, top_k, min_p, max_tokens; what is not said is 1, 1, 0, 0 and 768
//     stop <|im_end|>        a string that ends a reply; up to eight of these lines; the rest of the line
//     style NAME NAME        ops whose gold kernel serves as a style guide: the first that is not the op
//     asked for
//     form module            for references in module form, and for no op: replies define ModelNew
//     --- system             optional; then "--- user", and optional "--- feedback" and "--- raw"
//     text with {placeholders}
//
// The text of a section is every line up to the next "--- ", without its last newline (an empty line before
// the next section ends the text with one). Placeholders: {op} {notes} {signature} {reference} (the op's
// definition in PyTorch, or the module's file) {formula} (the same in short lines) {inputs} (with shapes and
// types) {dtype} {rows} {style_op} {style} in system and user; these, {feedback} and {previous} (the last
// attempt) in feedback, which is appended to user when there is any; {system} and {user} in raw, which a
// model that runs here is given instead of its chat template. Other braces stand for themselves.
#pragma once
#include "grammar/rows_class.h"
#include "propose/smith.h"

enum { PROFILE_BYTES_MAX = 64 << 10, PROFILE_STYLES_MAX = 8 };
#define PROFILE_DEFAULT "ouroboros"
#define PROFILE_MODULES "kernelbench" // the default for references in module form

typedef struct {
    const char *name; // of a built-in one, or the file
    ReplySettings settings;
    Str style[PROFILE_STYLES_MAX];
    int styles;
    bool modules;                    // asks for a ModelNew
    Str system, user, feedback, raw; // p == NULL: not there
    char sha256[65];                 // of the whole file
} Profile;

// A built-in profile's name, or else the path of a file. ERR_INPUT names file, line and what is known.
MUST_CHECK bool profile_open(Arena *a, const char *which, Profile *out, Err *e);
// The same from text; `name` is for messages.
MUST_CHECK bool profile_read(Arena *a, const char *name, Str text, Profile *out, Err *e);
// The names of built-in profiles; false at the end.
bool profile_name(Arena *a, int i, Str *name);

// What was tried before, and what was said about it.
typedef struct {
    Str feedback, source;
} LastTry;
typedef struct {
    const Op *op;
    int dtype;           // of filter_dtype, or -1: any
    RowsClass rows;      // to be fast for; any: 0
    const LastTry *last; // NULL for the first attempt
} PromptAsk;
// ERR_INPUT: the profile has no place for feedback, a kernel to show is missing, or there is no formula.
MUST_CHECK bool prompt_make(Arena *a, const Profile *p, const PromptAsk *ask, Prompt *out, Err *e);
