// keys_search.h - a search for shapes that meet under one key: what a candidate keeps of the first of them
// then stands for the second, too. `blocks[N & 4095]`, `grids[M * N]`, `f"{M}{N}"`, `self.last == N % 8191`.
//
// The candidate's host code is called on shapes that are not there, without a launch, twice for each shape on
// one object: keys are what the second call finds, and the first did not (tile/cover/key_notes.h). One that
// keeps things from a later call on, as after a warm-up, is called so often first. Keys are
// compared as values, whatever made them. Shapes are chosen so that keys of many kinds meet: each distance
// between two lengths up to a limit (small steps, and steps as long as all small ones together), the same
// product, the same sum, the same digits, other dtypes and gaps.
//
// Two shapes with one key are called one after the other. Where the second then asks a GPU for something else
// than it does alone, or a second time, its answer is worth a look: these come first. What it keeps may
// also be right for both: then nothing is told. Bounded by a number of calls.
#pragma once
#include "sandbox/child/explore.h"
#include "tile/cover/key_notes.h"

enum { KEYS_PAIRS_MAX = 48, KEYS_PAIRS_FEW = 12 }; // at full, at quick

enum { KEYS_CALLS_MAX = EXPLORE_BEFORE_MAX + 1 };

typedef struct {
    ExplorePoint at;
    int way;
} KeyCall;

typedef struct {
    const ExploreDomain *domain;
    const Node *module;
    // Makes up to KEYS_CALLS_MAX calls on one new object. How many of them have raised nothing; 0: the first
    // has, or the object was made for its weights, and a later one has others.
    int (*calls)(void *arg, const KeyCall *call, int n, KeyHeard *heard);
    void *arg;
    const int64_t *steps; // of all calls until now, or NULL
} KeySearcher;
// Two points for each pair, one behind the other, each in one way.
void keys_search(Arena *a, const KeySearcher *x, ExplorePoints *out);
// Whether a child's points are such pairs.
bool keys_are_pairs(const ExplorePoints *p);
// Whether they are as small together as a search tells them, gaps included: whoever draws them has to rely on
// it.
bool keys_are_small(const ExploreDomain *d, const ExplorePoints *p);
// Whether an object that was made for the inputs of one call may have those of the other: it was made for
// weights, or for the length of a row.
bool keys_of_one_object(const ExploreDomain *d, const KeyCall *x, const KeyCall *y);
