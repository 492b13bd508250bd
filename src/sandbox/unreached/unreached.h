// unreached.h - of what no case has executed, the lines that can matter: those that a call with other sizes,
// strides, addresses or elements can reach, and that do more than raise. What stands under a condition that
// is the same in every call, or that only dtypes decide, cannot matter: each dtype of the domain had cases.
#pragma once
#include "host/varies/varies.h"
#include "tile/cover/cover.h"

// Statements and arms of conditional expressions are numbered in the order of the text.
enum { UNREACHED_MAX = 768, UNREACHED_PLACES_MAX = 4 };
typedef struct {
    uint32_t number, from; // which one, and where it stands in the source
    uint32_t at, len;      // of the condition above it, or of itself
} UnreachedPlace;
typedef struct {
    uint8_t bit[UNREACHED_MAX / 8];             // for each of them: it was left out
    UnreachedPlace place[UNREACHED_PLACES_MAX]; // of the first ones; numbers ascend
    int places;
    bool more;  // of a file with so many that some have no bit
    bool waits; // of the child alone: some of it may be reached once what the program keeps has changed
    uint8_t idle[UNREACHED_MAX / 8]; // for each of them: no call has come to it, whether it matters or not
} Unreached;

// `inputs`: what a call hands over.
void unreached_find(Arena *a, const Node *module, const Cover *c, const VariesInputs *inputs, Unreached *out);
// " unreached 000c at 18:310:200:8 19:325:200:8", or nothing: a part of coverage's text.
void unreached_say(const Unreached *u, Buf *out);
// Reads that part, if it is there, and moves on. False where it is malformed.
bool unreached_read(const char **p, Unreached *out);
// What one of them has left out and the other one has not come to either, or has left out, too.
void unreached_meet(Unreached *a, const Unreached *b);
bool unreached_any(const Unreached *u);
// Whether other cases have come to something that these have not. *number: the first of it.
bool unreached_anew(const Unreached *these, const Unreached *others, uint32_t *number);
// Where the comparison with that number stands; len 0: there is none.
void unreached_place(Arena *a, const Node *module, uint32_t number, UnreachedPlace *out);
// Whether some kernel holds a remainder or bits that may be large: without any, its arithmetic has no ways.
bool unreached_mixes(const Node *module);

// Whether a statement was executed: of host code, or (kernel) in some kernel.
bool cover_ran(const Cover *c, const Node *n, bool kernel);
// A statement that does something by itself.
bool is_leaf_statement(const Node *n);
