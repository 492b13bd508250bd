// met_entries.h - which entries of tables keys have met, while sizes are looked for that make one meet
// another (sandbox/child/explore_tables.c). A table is known by the place that looks into it and by what it
// was written as: one place may look into many, such as TABLE[dtype].get(N).
#pragma once
#include "base/str.h"

enum { MET_TABLES_MAX = 96, MET_ENTRIES_MAX = 512, KEY_NUMBERS_MAX = 8 };
typedef struct {
    uint32_t at;
    const void *made; // the display's node; NULL: it was computed
    uint64_t around;  // of a loop: the turns of the loops around it, one table for each
    int entries;      // at most MET_ENTRIES_MAX: of a longer one the others are not looked for
    int run;          // the latest one that came here
    uint8_t met[MET_ENTRIES_MAX / 8], now[MET_ENTRIES_MAX / 8]; // in runs that were kept; in the latest one
} MetTable;
typedef struct {
    MetTable table[MET_TABLES_MAX];
    int tables, run;
    // The entry that is looked for, and how the keys of the present run differ from its own: by numbers,
    // those within texts too, and by anything else.
    int aim_table, aim_entry; // -1: none is
    bool asked, hit;          // some key was looked up there, and one of them met it
    bool alike;               // of several keys, the last one that is alike counts
    int numbers;
    int64_t key[KEY_NUMBERS_MAX], want[KEY_NUMBERS_MAX];
    // The numbers of the item that a loop is at. Where it is the one that is looked for, what they are
    // compared with is the key.
    bool sought;
    int items;
    int64_t item[KEY_NUMBERS_MAX];
    bool equals, equal; // in its turn: one of its numbers was asked to equal something, and did
    bool others, other; // what is made of them was, and the last of that did
    bool taken;         // a branch was taken
    uint64_t around;    // as a table's, at present; 0: no loop is
} MetEntries;

static inline bool met_has(const uint8_t *bits, int i) { return bits[i / 8] >> i % 8 & 1; }
void met_begin(MetEntries *m, int run);
void met_end(MetEntries *m, bool kept); // kept: the run has raised nothing
// A look-up. found: the entry, or -1. Returns the entry that is looked for here, or -1.
int met_looked_up(MetEntries *m, uint32_t at, const void *made, int entries, int found);
// The one that is looked for has been found.
void met_told(MetEntries *m);
// What such a look-up's key has beside that entry. begin; then each part in order.
void met_key_begin(MetEntries *m, bool hit);
void met_key_number(MetEntries *m, int64_t key, int64_t want);
void met_key_texts(MetEntries *m, Str key, Str want);
void met_compared(MetEntries *m, int64_t left, int64_t right);
// A loop comes to an item: what its turn is asked about. met_item_wanted(): whether it is what a loop that
// goes through all of its items is after: one that equals something, or else one that a branch is taken for.
void met_item_begin(MetEntries *m, bool sought);
void met_item_equal(MetEntries *m, int64_t left, int64_t right, bool equal);
void met_item_equal_texts(MetEntries *m, Str left, Str right, bool equal);
bool met_item_wanted(const MetEntries *m);
void met_key_other(MetEntries *m, bool same);
