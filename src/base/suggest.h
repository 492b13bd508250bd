// suggest.h - "did you mean": how many slips of typing lie between two names, and the nearest of many.
#pragma once
#include "base/str.h"

// A slip: a letter too many, one missing, one for another, or two neighbours in each other's place (no letter
// is touched twice: optimal string alignment). Bytes, not characters; names longer than 63 bytes count by
// their first 63.
int edit_distance(Str a, Str b);

// The nearest of names that are offered one by one; of equally near ones the first. A name with more than
// two slips, or more than one in three letters, is another name.
typedef struct {
    Str typed, best; // best: empty while nothing was near enough
    int slips;       // of best
} Nearest;
Nearest nearest_to(Str typed);
bool nearest_offer(Nearest *n, Str name); // whether it is the best so far
// "; did you mean NAME?", or nothing, in `a`.
const char *nearest_words(Arena *a, const Nearest *n);
