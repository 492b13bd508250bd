// python_text.h - writing Python: names that do not collide, and lines with a depth.
#pragma once
#include "base/str.h"

typedef struct {
    Arena *arena;
    const char **at;
    int n, cap;
} NameSet;
bool nameset_has(const NameSet *s, const char *name);
void nameset_add(NameSet *s, const char *name);
// `wish`, made an identifier that Python, Triton and torch leave free, followed by a number where it is taken
// in one of the sets; added to the first.
const char *nameset_fresh(NameSet *s, const NameSet *other, Str wish);

typedef struct {
    const char *text;
    int depth;
    bool alone; // a header or a comment: never shares its line
} Line;
typedef struct {
    Arena *arena;
    Line *at;
    int n, cap;
} Lines;
void line_add(Lines *l, int depth, bool alone, const char *fmt, ...) PRINTF(4, 5);
void lines_append(Lines *l, const Lines *more, int depth);
bool lines_mention(const Lines *l, const char *name); // as a word of its own
// Joined: simple statements of one depth share lines of at most `width` columns, with semicolons. 0: one a
// line.
void lines_print(Buf *out, const Lines *l, int depth, size_t width);
// "1e-06" for 1e-6: the shortest digits that read back as x, always a float. Infinities as float("inf").
const char *float_text(Arena *a, double x);
