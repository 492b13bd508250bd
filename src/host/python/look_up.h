// look_up.h - tables of the source: which entries a key has met. A look-up is a comparison with each key, so
// an entry that no key has met is a side that nobody took.
#pragma once
#include "host/python/value.h"
#include "tile/cover/cover.h"

// What stands for an entry among the truths of a Cover: COVER_TRUE, a key has met it; COVER_FALSE, one was
// looked for that might have been its own. `key`: its node in the display; of a list or tuple, the item's.
static inline const void *look_up_entry(const Node *key) { return (const char *)key + 1; }
// Where a look-up stands, as CoverLookUp knows it: its closing bracket, which no other has.
static inline uint32_t look_up_place(Span at) { return at.at + (at.len ? at.len - 1 : 0); }

// `found`: the entry that has the key; -1: none.
void note_dict_look_up(const Interp *in, Span at, const Dict *d, Value key, int found);
// `item in all`: a search may want it to be one of these.
void note_members(Outcomes *o, uint32_t at, Value item, Value all);
// A loop over a list, whose place is `at`: a table that is searched from the front. note_item(): its turn for
// an item begins. note_found(): it has ended at that one, or is the first that a filter lets through; -1:
// none was.
void note_item(Outcomes *o, uint32_t at, Value over, int turn);
void note_found(Outcomes *o, uint32_t at, Value over, int turn);
// Of a loop that goes through all of them: whether this turn's item is one that it is after, and found.
bool note_passed(Outcomes *o, uint32_t at, Value over, int turn);
// Of two values that were compared for it, in a turn.
void note_equal(Outcomes *o, Value l, Value r, bool equal);
// Loops within this turn are of their own. Returns what is to be met.around again behind it.
uint64_t loop_turn(Outcomes *o, uint32_t at, int turn);
bool loop_may_end(const Node *loop); // before its items do
void note_seq_look_up(const Interp *in, Span at, const Seq *s, int64_t index);
