// unreached.h - of what no case has executed, the lines that can matter: those that a call with other sizes,
// strides, addresses or elements can reach, and that do more than raise. What stands under a condition that
// is the same in every call, or that only dtypes decide, cannot matter: each dtype of the domain had cases.
#pragma once
#include "lang/ast.h"
#include "tile/vm/cover.h"

enum { UNREACHED_MAX = 6 };
typedef struct {
    int32_t line;     // in the source, from 1
    uint32_t at, len; // of the condition above it, or of the line itself
} UnreachedLine;
typedef struct {
    UnreachedLine line[UNREACHED_MAX]; // ascending
    int lines;
    bool more; // there are further ones
} Unreached;

// `inputs`: how many tensors a call hands over.
void unreached_find(Arena *a, const Node *module, const Cover *c, int inputs, Unreached *out);
// " unreached 12:200:8 13:200:8 +", or nothing: a part of coverage's text.
void unreached_say(const Unreached *u, Buf *out);
// Reads that part, if it is there, and moves on. False where it is malformed.
bool unreached_read(const char **p, Unreached *out);
// Lines that both have.
void unreached_meet(Unreached *a, const Unreached *b);
static inline bool unreached_any(const Unreached *u) { return u->lines > 0 || u->more; }

// Whether a statement was executed: of host code, or (kernel) in some kernel.
bool cover_ran(const Cover *c, const Node *n, bool kernel);
// A statement that does something by itself.
bool is_leaf_statement(const Node *n);
