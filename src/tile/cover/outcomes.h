// outcomes.h - which ways the conditions of a candidate have come out, while sizes are looked for that make
// one come out in a new way (sandbox/child/explore.h). Nothing is launched then; host code runs, and
// conditions of kernels that follow from arguments are evaluated. Arithmetic can choose as a condition does,
// so the sign of every number that is computed is an outcome, too.
#pragma once
#include "base/arena.h"
#include "base/str.h"
#include "tile/cover/met_entries.h"

enum {
    OUTCOMES_MAX = 1 << 12,
    COMPAREDS_MAX = 192,
    COMPARED_SLOTS = 512,
    OUTCOME_NUMBERS_MAX = 96,
    OUTCOME_RUN_MAX = 128
};
enum { OUTCOME_AXES_MAX = 32 };
enum { OUTCOME_PAIRS_MAX = 1 << 14, OUTCOME_FRESH_MAX = 8, OUTCOME_PARTS_MAX = 8 };

// One way in which a place of the source came out.
typedef struct {
    uint64_t key; // of place and way; 0: a free slot
    uint32_t at;
    int run;      // the latest one in which it came out so
    bool entry;   // which item of a table was taken
    bool aimed;   // nothing but a search for that item has led to it
    bool known;   // in a run that was kept: one that has raised nothing
    int point;    // of the caller's: the cheapest one where it came out so
    int64_t cost; // of that point
} OutcomeWay;

// Where the latest outcome of such a place and way is in `seen`: a key takes longer to mix than to find
// again.
enum { OUTCOME_NEAR_MAX = 256 };
typedef struct {
    uint64_t what;
    uint32_t at;
    uint16_t slot; // 1 + its index
} OutcomeNear;

// A comparison of whole numbers, or the truth of one, by its place in the source. Of tuples and texts each
// number is a part of its own. `product`: of a number that is computed, whether it was nonzero.
typedef struct {
    uint32_t at, part;
    bool product;
    uint8_t sides, now;              // 1: was false, 2: was true; now: in the present run
    bool moved[2];                   // left and right were not always the same
    int64_t value[2];                // in the latest run that came here
    bool unsettled;                  // some run did not show that it always comes out so (outcome_settled())
    int run;                         // which one that was
    int runs, refused;               // how many have come here; of those, how many raised something
    int64_t first[OUTCOME_AXES_MAX]; // where the first of them was made (Outcomes.where)
    uint32_t elsewhere;              // a bit for each axis along which some other was made
} Compared;

typedef struct Outcomes {
    OutcomeWay seen[OUTCOMES_MAX]; // open addressing
    int seens;
    Compared compared[COMPAREDS_MAX];
    int compareds;
    uint16_t compared_at[COMPARED_SLOTS]; // by place and part; open addressing
    int64_t number[OUTCOME_NUMBERS_MAX];  // of tables that were looked into, and of texts
    int numbers;
    const uint8_t *dull; // for each byte of the source: conditions there only lead to an exception
    uint8_t *ways;       // the same: how many outcomes there are known, up to 255
    OutcomeNear near[OUTCOME_NEAR_MAX];
    size_t bytes;
    // The present run.
    int run, point;
    int64_t cost;
    const int64_t *where;           // sizes of the call and whatever else a caller varies; NULL: not told
    int axes;                       // how many these are
    bool cheaper;                   // some known outcome has this run as its cheapest now
    uint16_t slot[OUTCOME_RUN_MAX]; // its outcomes, as indices of `seen`
    int slots;
    int news; // outcomes that no run before had, after outcomes_end()
    uint64_t fresh[OUTCOME_FRESH_MAX];
    int freshes;
    uint64_t signature; // of all of its outcomes
    uint64_t told;      // how often anything was, in all runs
    MetEntries met;
    bool drawn;  // the runs are cases that have been judged: the entries that they meet need no others
    bool aiming; // entries are looked for one by one: what meets them is no news
    // Two outcomes that have not come together before.
    bool pairing;
    uint64_t pair[OUTCOME_PAIRS_MAX];
    int pairs, new_pairs; // new_pairs: of the present run
} Outcomes;

Outcomes *outcomes_new(Arena *a, const uint8_t *dull, size_t bytes);
// Around a run. point: a number of the caller's for it, and what a case of it would cost. kept: it has raised
// nothing; otherwise what came out is news again when it comes out in another run.
void outcomes_begin(Outcomes *o, int point, int64_t cost);
void outcomes_end(Outcomes *o, bool kept);
// Whether all of these have come out in the present run.
bool outcomes_have(const Outcomes *o, const uint64_t *key, int n);
// Whether two have come out in one run that was kept, while pairing.
bool outcomes_met(const Outcomes *o, const OutcomeWay *x, const OutcomeWay *y);
// A known outcome of a place that knows others: what a special case can hang on.
bool outcome_decides(const Outcomes *o, const OutcomeWay *x);

// `o` may be NULL in all of the following.
void outcome_seen(Outcomes *o, uint32_t at, uint64_t what);
// The same of which item of a table was taken.
void outcome_item(Outcomes *o, uint32_t at, uint64_t what);
void outcome_compared(Outcomes *o, uint32_t at, int64_t left, int64_t right, bool holds);
// The same of one that comes out so whatever numbers a call has, by what its operands are made of: no size
// leads to another outcome, unless it leads to other operands first.
void outcome_settled(Outcomes *o, uint32_t at, int64_t left, int64_t right, bool holds);
// Part 1 and so on of a comparison of several numbers.
void outcome_part(Outcomes *o, uint32_t at, int part, int64_t left, int64_t right);
// A number of a key that is looked up beside that of an entry. part: of the entry, below 2^20. What differs
// is no outcome: a table has many entries that no call asks for.
void outcome_entry(Outcomes *o, uint32_t at, int part, int64_t left, int64_t right);
// The same of the last numbers in two texts.
void outcome_entry_texts(Outcomes *o, uint32_t at, int part, Str left, Str right);
// A look-up in a table, as met_looked_up().
int outcome_looked_up(Outcomes *o, uint32_t at, const void *made, int entries, int found);
// Something tells calls apart, though nothing comes out another way.
void outcome_signs(Outcomes *o, uint64_t what);
// The numbers in two texts that are compared, "37x1009" and the like.
void outcome_texts(Outcomes *o, uint32_t at, Str left, Str right);
// A number that is computed of two others.
void outcome_computed(Outcomes *o, uint32_t at, int64_t left, int64_t right, int64_t result);
void outcome_number(Outcomes *o, int64_t x);
// The next number within a text, from *at on. False: there is none.
bool text_number(Str s, size_t *at, int64_t *out);
