// pretokenizer.h - one regular expression of a pre-tokenizer: cuts text into what matches and what stands
// between. Patterns come from files and are written for Oniguruma; only syntax that means the same to PCRE2
// is let through, and what differs between their Unicode tables is made up for. Every match has a limit of
// steps.
#pragma once
#include "base/str.h"

typedef struct Split Split;
MUST_CHECK bool split_open(Arena *a, Str pattern, Split **out, Err *e);
void split_close(Split *s);
void split_interpret(Split *s); // for tests: as where the system lets nobody run code that was just made

// What one thread needs while matching. seconds: of its processor, about, for all matches together - a
// pattern that looks far ahead at every place keeps within the steps of each.
typedef struct SplitRun SplitRun;
MUST_CHECK bool split_start(Arena *a, double seconds, SplitRun **out, Err *e);
void split_stop(SplitRun *r);

// The first match at or behind `from`; where there is none, an empty one at the end of the text. ascii: all
// of text is ASCII. Reads nothing outside of text. ERR_LIMIT: too many steps, or too much memory; ERR_INPUT:
// an empty match.
typedef struct {
    Str text;
    bool ascii;
} SplitText;
typedef struct {
    size_t start, end;
} SplitMatch;
MUST_CHECK bool split_next(const Split *s, SplitRun *r, SplitText t, size_t from, SplitMatch *out, Err *e);

// The pattern as PCRE2 gets it, for tests. ascii: for text of ASCII alone.
MUST_CHECK bool split_translate(Arena *a, Str pattern, bool ascii, Buf *out, Err *e);
