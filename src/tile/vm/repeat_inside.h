// repeat_inside.h - what the files of repeat.h share.
//
// Programs that differ along the longest axis of the grid alone follow each other; those that have the same
// place there are a team, and run one after another. A block is as many teams as the rows have a period.
#pragma once
#include "tile/vm/repeat.h"
#include "tile/vm/repeat_proof.h"

// A run of bytes that each team of a block has accessed.
typedef struct {
    Storage *storage;
    int insn;
    bool store, moved; // moved: of each team at a place of its own
    uint8_t unit;      // bytes of an element in memory
    int64_t step;      // from team to team
    size_t bytes;
    int64_t *at; // of each team of the block
} Event;

typedef struct {
    int64_t instructions, functions, loaded, stored, bytes;
} Work;

struct Repeat {
    int axis, period;
    int64_t length;        // of the grid along the axis
    int64_t members;       // of a team: the grid in all other directions
    int64_t covered, part; // so many teams need not run, and so many members of the next one
    RepeatProof proof;
    Event *event;
    int events;
    Work *work; // of the first k teams of the block; period + 1 of them
    // While a team of the block runs: which, the event it is at and how much of that was there.
    int team, at;
    size_t had;
    bool proving, off;
};

// Of a team that is copied, in lanes.
int64_t team_price(const Repeat *r);
// Whether none of so many race words is of this launch.
bool words_untouched(const uint32_t *word, size_t n, uint32_t first);
// Counts so many teams behind a whole block as if they had run.
void repeat_count(Vm *v, const Repeat *r, int64_t teams);
// Copies all teams from the second block up to `end`, without a look at memory. False, and nothing is
// changed, where that would take one.
bool repeat_rest(Vm *v, Repeat *r, int64_t end);
