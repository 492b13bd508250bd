// launch_conditions.h - the conditions of a kernel that follow from the arguments of a launch: how they come
// out, found in its tree without compiling or running it.
#pragma once
#include "tile/check/check.h"
#include "tile/cover/cover.h"

// What there is to ask of a kernel: the same in each of its launches.
typedef struct Conditions Conditions;
// Read when it is first asked for; `known` lists those that have been, and lives as long as the arena.
Conditions *conditions_of(Arena *a, Conditions **known, const Node *kernel);
// What the text of a launch says of its numbers: kernel[(M,)](x, M). `grid` is how its grid is written, NULL
// where that is not known to be in this call; `local` says whether nothing but the call itself could bind a
// name anew.
void conditions_launched(Conditions *c, const Node *call, const Node *grid, bool (*local)(void *, Str),
                         void *arg);
// Notes how comparisons of whole numbers come out, and how often loops over ranges turn; of `cover`, how
// comparisons and arithmetic of numbers that are all known do (cover_truth). Either may be NULL. The
// arguments are those of its kernel.
void conditions_note(Conditions *c, Outcomes *o, Cover *cover, const Binding *b, const int64_t grid[3]);
